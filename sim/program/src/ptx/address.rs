// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between generic addresses and addresses of one state space.

use super::exchange::destinations;
use super::memory::LoweredOp;
use super::operand::Arg;
use crate::arith::{Calc, Integer, Operation, Type, TypeKind};
use crate::{window, Op, Operand, Space};

/// The operation and the destinations of `cvta` to or from generic addresses, or of `isspacep`.
pub(super) fn address(opcode: &str, modifiers: &[&str], args: Vec<Arg>) -> LoweredOp {
    let space = modifiers.iter().find_map(|m| match m.split("::").next() {
        Some(".shared") => Some(Space::Shared),
        Some(".local") => Some(Space::Local),
        Some(".param") => Some(Space::Param),
        _ => None,
    });
    let mut args = args.into_iter();
    let writes = args.next().map_or(Vec::new(), destinations);
    let from = args.next().map_or(Operand::Opaque, |arg| arg.operand);
    let bits = if modifiers.contains(&".u32") { 32 } else { 64 };
    let ty = Type { kind: TypeKind::Unsigned, bits };
    let start = window::first(space.unwrap_or(Space::Global)) as i64;
    // The windows of shared memory, local memory and parameters are above 4 GiB, so their generic addresses of 32 bits are unknown.
    let from = if bits == 32 && start != 0 && opcode == "cvta" { Operand::Opaque } else { from };
    let op = match (opcode, modifiers.first()) {
        // An address is in this CTA's shared memory if the rank in the address is the rank of this CTA.
        ("isspacep", Some(&(".shared" | ".shared::cta"))) => {
            let calc = Calc { op: Operation::Agree { above: window::RANK_AT }, pair: None };
            return (Op::Calc { calc, sources: vec![from, Operand::Shared(start)] }, writes);
        }
        ("isspacep", _) => {
            return (Op::Calc { calc: Calc { op: Operation::Inside(start as u64), pair: None }, sources: vec![from] }, writes)
        }
        (_, Some(&".to")) => Integer::Sub,
        _ => Integer::Add,
    };
    let op = Operation::Integer { op, ty, saturate: false };
    (Op::Calc { calc: Calc { op, pair: None }, sources: vec![from, Operand::Immediate(start)] }, writes)
}
