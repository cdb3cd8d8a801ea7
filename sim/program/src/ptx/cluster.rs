// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions on CTAs of a cluster: `mapa`, `getctarank`, and the masks of `.multicast::cluster`.

use super::exchange::destinations;
use super::memory::LoweredOp;
use super::operand::Arg;
use super::parser::Parser;
use super::target::{refusal, Need};
use crate::arith::{Bits, Calc, Integer, Operation, Type, TypeKind};
use crate::{window, Op, Operand};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The value of rank 1 in a shared address, whose upper bits are the rank.
const RANK: i64 = 1 << window::RANK_AT;

impl Parser<'_> {
    /// The CTAs of the cluster to which a copy or an arrival is sent, one bit each.
    pub(super) fn ctas(&mut self, arg: &Arg) -> Result<Operand, Diagnostic> {
        let good = match &arg.operand {
            Operand::Immediate(mask) => (0..1 << 16).contains(mask),
            Operand::Register { slot, negated: false } => {
                self.names().type_of(*slot).is_none_or(|ty| ty.bits == 16 && ty.kind != TypeKind::Float)
            }
            _ => false,
        };
        if good {
            return Ok(arg.operand.clone());
        }
        let label = "expected a register of 16 bits or a constant, one bit for each CTA of the cluster";
        Err(Diagnostic::new(arg.span.clone(), "invalid mask of CTAs", label))
    }

    /// The operation of `mapa{.shared::cluster}.u32 to, address, rank` or `getctarank{.shared::cluster}.u32 to, address`. The rank is in
    /// bits 31:24 of the address.
    pub(super) fn in_cluster(&mut self, opcode: &str, modifiers: &[&str], head: Range<usize>) -> Result<LoweredOp, Diagnostic> {
        let need: Need = (if opcode == "mapa" { "`mapa`" } else { "`getctarank`" }, (7, 8), 90);
        let wrong = |message: String, label: &str| Diagnostic::new(head.clone(), message, label);
        if let Some((message, help)) = refusal(need, self.module.version, self.module.target) {
            return Err(wrong(message, "not available in this PTX version or for this target").help(help));
        }
        let args = self.args()?;
        let wide = match (modifiers.iter().find(|m| **m != ".shared::cluster"), modifiers.len()) {
            (Some(&".u32"), 1 | 2) => false,
            (Some(&".u64"), 1 | 2) => true,
            _ => {
                let label = "expected `.u32` or `.u64`, optionally after `.shared::cluster`";
                return Err(wrong(format!("`{opcode}` without its type"), label));
            }
        };
        let ty = Type { kind: TypeKind::Unsigned, bits: 32 };
        let calc = |op: Integer| Calc { op: Operation::Integer { op, ty, saturate: false }, pair: None };
        let (calc, sources) = match (opcode, &args[..]) {
            ("mapa", [_, from, rank]) => {
                // The operand `rank` replaces the rank in the address.
                let op = Operation::Bits(Bits::Bfi(Type { bits: if wide { 64 } else { 32 }, ..ty }));
                let [at, bits] = [window::RANK_AT, window::RANK_BITS].map(|number| Operand::Immediate(number.into()));
                (Calc { op, pair: None }, vec![rank.operand.clone(), from.operand.clone(), at, bits])
            }
            ("getctarank", [_, from]) => (calc(Integer::Div), vec![from.operand.clone(), Operand::Immediate(RANK)]),
            _ => {
                let label = if opcode == "mapa" { "expected `to, address, rank`" } else { "expected `to, address`" };
                return Err(wrong(format!("`{opcode}` has {} operands", args.len()), label));
            }
        };
        let writes = args.into_iter().next().map_or(Vec::new(), destinations);
        Ok((Op::Calc { calc, sources }, writes))
    }
}
