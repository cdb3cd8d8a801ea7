// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that are evaluated: from the operands of the text to the sources of an operation.

use super::arith::{Calc, Carry, Operation, Scalar, MAX_SOURCES};
use super::ast::{Op, Operand, Slot, Type};
use super::operand::Arg;
use super::parse::Parser;

impl Parser<'_> {
    /// An evaluated instruction. Into a vector, a byte of a register or `_`, or with other operands than it has, nothing is
    /// evaluated.
    pub(super) fn calc(&mut self, calc: Calc, args: Vec<Arg>) -> (Op, Vec<Slot>) {
        if let (Operation::Move(ty), [to, from]) = (calc.op, &args[..]) {
            if let Some(op) = halves(ty, to, from) {
                return (op, to.slots.clone());
            }
        }
        let mut args = args.into_iter();
        let destination = args.next();
        let whole = destination.as_ref().is_some_and(|arg| matches!(arg.operand, Operand::Register { .. }));
        let mut slots = destination.map_or(Vec::new(), |arg| arg.slots);
        let mut sources: Vec<Operand> = args.enumerate().map(|(i, arg)| source(calc, i, arg)).collect();
        let mut evaluated = whole && (sources.len() == calc.sources() || calc.op == Operation::Shuffle);
        if let Operation::Carry(Carry { reads, sets, .. }) = calc.op {
            let flag = self.names().carry();
            if reads {
                sources.push(Operand::Register { slot: flag, negated: false });
            }
            if sets {
                evaluated &= slots.len() == 1;
                slots.push(flag);
            }
        }
        sources.truncate(MAX_SOURCES);
        (if evaluated { Op::Calc { calc, sources } } else { Op::Time }, slots)
    }
}

/// `mov` of one register into two or of two into one.
fn halves(ty: Type, to: &Arg, from: &Arg) -> Option<Op> {
    let bits = ty.bits / 2;
    let (op, sources) = match (&to.pair, &from.pair) {
        (Some(_), Some(_)) | (None, None) => return None,
        (None, Some(pair)) if matches!(to.operand, Operand::Register { .. }) => (Operation::Join(bits), pair.to_vec()),
        (None, Some(_)) => return None,
        // Without the first register the only result is the upper half.
        (Some([first, _]), None) => (Operation::Split { bits, upper: *first == Operand::Opaque }, vec![from.operand.clone()]),
    };
    Some(Op::Calc { calc: Calc { op, pair: None }, sources })
}

/// A source of an evaluated instruction, with constants in the bits of its type.
fn source(calc: Calc, i: usize, arg: Arg) -> Operand {
    let place = calc.place(i);
    match (arg.literal, &arg.operand) {
        (Some(literal), _) => constant(place.and_then(|place| literal.bits(place))),
        // No integer is converted on the way; 0 has the same bits.
        (None, Operand::Immediate(1..=i64::MAX | i64::MIN..=-1)) if matches!(place, Some(Scalar::Float(_))) => Operand::Opaque,
        _ => arg.operand,
    }
}

/// The bits of a constant, if it has any where it stands.
pub(super) fn constant(bits: Option<u64>) -> Operand {
    bits.map_or(Operand::Opaque, |bits| Operand::Immediate(bits as i64))
}
