// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transfers of matrices between memory and the registers of a warp: `ldmatrix`, `stmatrix`, `wmma.load`, `wmma.store`.

use super::memory::{elements, slot, LoweredOp};
use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Element, Fragment, Matrix, Type, TypeKind};
use crate::{AccessKind, Op, Shape};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

impl Parser<'_> {
    /// The operation of `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {…}, [row]` or `stmatrix… [row], {…}`. `None`: a form that is not
    /// evaluated.
    pub(super) fn matrices(
        &mut self,
        opcode: &str,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let stores = opcode == "stmatrix";
        if !modifiers.contains(&".m8n8") || !modifiers.contains(&".b16") {
            return Ok(None);
        }
        let (registers, address) = match args {
            [address, registers] if stores => (registers, address),
            [registers, address] if !stores => (registers, address),
            _ => {
                let message = format!("`{opcode}` has {} operands", args.len());
                let label = if stores { "expected `[row], {registers}`" } else { "expected `{registers}, [row]`" };
                return Err(Diagnostic::new(head, message, label));
            }
        };
        let elements_per_lane = elements(registers);
        let counts = [(".x1", 1), (".x2", 2), (".x4", 4)];
        let Some((name, count)) = counts.into_iter().find(|(name, _)| modifiers.contains(name)) else {
            let message = format!("`{opcode}` without a number of matrices");
            return Err(Diagnostic::new(head, message, "expected `.x1`, `.x2` or `.x4` after `.m8n8`"));
        };
        if elements_per_lane.len() != count {
            let message = format!("{} registers for the matrices of `{name}`", elements_per_lane.len());
            return Err(Diagnostic::new(registers.span.clone(), message, format!("expected {count}, one per matrix")));
        }
        let writes = if stores { vec![] } else { elements_per_lane.iter().map(slot).collect() };
        let shape = Shape::Rows { transposed: modifiers.contains(&".trans") };
        let kind = AccessKind::Matrix { shape, stored: stores.then_some(elements_per_lane) };
        let access = self.access(modifiers, address, kind, Type { kind: TypeKind::Unsigned, bits: 16 }, count);
        Ok(access.map(|access| (Op::Access(access), writes)))
    }

    /// The operation of `wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {…}, [address], stride` or `wmma.store.d… [address], {…},
    /// stride`. `None`: a form that is not evaluated.
    pub(super) fn fragment(
        &mut self,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let (stores, matrix) = match modifiers {
            [".load", ".a", ..] => (false, Matrix::A),
            [".load", ".b", ..] => (false, Matrix::B),
            [".load", ".c", ..] => (false, Matrix::C),
            [".store", ".d", ..] => (true, Matrix::C),
            _ => return Ok(None),
        };
        let columns = modifiers.contains(&".col");
        let shape = modifiers.iter().find(|m| m.starts_with(".m") && m.contains('n'));
        let element = modifiers.iter().find_map(|m| Element::named(m));
        let found = shape.zip(element).and_then(|(shape, element)| Fragment::of_wmma(matrix, shape, element, columns));
        let Some(fragment) = found.filter(|_| columns != modifiers.contains(&".row")) else { return Ok(None) };
        let (registers, address, stride) = match args {
            [address, registers, stride @ ..] if stores && stride.len() < 2 => (registers, address, stride),
            [registers, address, stride @ ..] if !stores && stride.len() < 2 => (registers, address, stride),
            _ => {
                let message = format!("`wmma{}` has {} operands", modifiers[0], args.len());
                let wanted = if stores { "[address], {registers}, stride" } else { "{registers}, [address], stride" };
                return Err(Diagnostic::new(head, message, format!("expected `{wanted}`; the stride may be left out")));
            }
        };
        let elements_per_lane = elements(registers);
        if elements_per_lane.len() != fragment.registers {
            let message = format!("{} registers for a fragment of `{}{}`", elements_per_lane.len(), modifiers[0], modifiers[1]);
            return Err(Diagnostic::new(registers.span.clone(), message, format!("expected {}", fragment.registers)));
        }
        let writes = if stores { vec![] } else { elements_per_lane.iter().map(slot).collect() };
        let stride = stride.first().map(|arg| arg.operand.clone());
        let (ty, count) = (Type { kind: TypeKind::Unsigned, bits: fragment.element.bits() }, elements_per_lane.len());
        let shape = Shape::Fragment { fragment, columns, stride };
        let kind = AccessKind::Matrix { shape, stored: stores.then_some(elements_per_lane) };
        let access = self.access(modifiers, address, kind, ty, count);
        Ok(access.map(|access| (Op::Access(access), writes)))
    }
}
