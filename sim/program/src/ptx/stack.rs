// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The stack of a lane: `alloca`, `stacksave`, `stackrestore`.

use super::exchange::destinations;
use super::memory::LoweredOp;
use super::operand::Arg;
use super::parser::Parser;
use crate::{Op, Operand, Stack};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Minimum and default alignment.
const ALIGN: u64 = 8;

/// Largest alignment that PTX allows.
const MAX_ALIGN: u64 = 1 << 23;

impl Parser<'_> {
    /// The operation of `alloca.u64 pointer, bytes{, alignment}`, `stacksave.u64 pointer` or `stackrestore.u64 pointer`.
    pub(super) fn stack(&mut self, opcode: &str, head: Range<usize>) -> Result<LoweredOp, Diagnostic> {
        let args = self.args()?;
        let wrong = |expected: &str| {
            let message = format!("`{opcode}` has {} operands", args.len());
            Err(Diagnostic::new(head.clone(), message, format!("expected `{expected}`")))
        };
        match (opcode, &args[..]) {
            ("alloca", [_, bytes, rest @ ..]) if rest.len() < 2 => {
                let align = rest.first().map_or(Ok(ALIGN), alignment)?;
                let op = Op::Stack(Stack::Allocate { bytes: bytes.operand.clone(), align });
                Ok((op, args.into_iter().next().map_or(vec![], destinations)))
            }
            ("stacksave", [_]) => Ok((Op::Stack(Stack::Save), args.into_iter().next().map_or(vec![], destinations))),
            ("stackrestore", [from]) => Ok((Op::Stack(Stack::Restore(from.operand.clone())), vec![])),
            ("alloca", _) => wrong("pointer, bytes"),
            _ => wrong("pointer"),
        }
    }
}

fn alignment(arg: &Arg) -> Result<u64, Diagnostic> {
    let allowed = |align: &u64| align.is_power_of_two() && *align <= MAX_ALIGN;
    let given = match arg.operand {
        Operand::Immediate(align) => u64::try_from(align).ok().filter(allowed),
        _ => None,
    };
    given.map(|align| align.max(ALIGN)).ok_or_else(|| {
        Diagnostic::new(arg.span.clone(), "invalid alignment", "expected a constant power of 2, at most 8388608")
    })
}
