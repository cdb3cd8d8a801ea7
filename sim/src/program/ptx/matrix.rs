// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices between memory and the registers of a warp: `ldmatrix`, `stmatrix`.

use super::memory::{elements, slot, Made};
use super::operand::Arg;
use super::parse::Parser;
use crate::program::arith::{Type, TypeKind};
use crate::program::{AccessKind, Op, Shape};
use bcu_hw::diag::Diagnostic;
use std::ops::Range;

impl Parser<'_> {
    /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {…}, [row]`, and `stmatrix… [row], {…}`; `None` is a form that nothing
    /// evaluates.
    pub(super) fn matrices(
        &mut self,
        opcode: &str,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<Made>, Diagnostic> {
        let stores = opcode == "stmatrix";
        if !modifiers.contains(&".m8n8") || !modifiers.contains(&".b16") {
            return Ok(None);
        }
        let (registers, address) = match args {
            [address, registers] if stores => (registers, address),
            [registers, address] if !stores => (registers, address),
            _ => {
                let message = format!("`{opcode}` with {} operands", args.len());
                let label = if stores { "expected `[row], {registers}`" } else { "expected `{registers}, [row]`" };
                return Err(Diagnostic::new(head, message, label));
            }
        };
        let held = elements(registers);
        let counts = [(".x1", 1), (".x2", 2), (".x4", 4)];
        let Some((name, count)) = counts.into_iter().find(|(name, _)| modifiers.contains(name)) else {
            let message = format!("`{opcode}` does not say how many matrices");
            return Err(Diagnostic::new(head, message, "expected `.x1`, `.x2` or `.x4` behind `.m8n8`"));
        };
        if held.len() != count {
            let message = format!("{} registers for the matrices of `{name}`", held.len());
            return Err(Diagnostic::new(registers.span.clone(), message, format!("expected one a matrix: {count}")));
        }
        let writes = if stores { vec![] } else { held.iter().map(slot).collect() };
        let shape = Shape::Rows { transposed: modifiers.contains(&".trans") };
        let kind = AccessKind::Matrix { shape, stored: stores.then_some(held) };
        let access = self.access(modifiers, address, kind, Type { kind: TypeKind::Unsigned, bits: 16 }, count);
        Ok(access.map(|access| (Op::Access(access), writes)))
    }
}
