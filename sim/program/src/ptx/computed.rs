// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluated instructions: converts the operands of the text to the sources of an operation.

use super::operand::Arg;
use super::parser::Parser;
use crate::arith::Type;
use crate::arith::{Calc, Carry, Float, Format, Operation, Scalar, MAX_SOURCES};
use crate::{Op, Operand, Slot};

impl Parser<'_> {
    /// The operation and the destinations of an instruction that calculates. The instruction is not evaluated if the number of operands is
    /// wrong, or if the destination is a vector, a byte of a register or `_`.
    pub(super) fn calc(&mut self, calc: Calc, args: Vec<Arg>) -> (Op, Vec<Option<Slot>>) {
        let calc = if args.len() == 4 { of_three(calc) } else { calc };
        if let (Operation::Move(ty), [to, from]) = (calc.op, &args[..]) {
            if let Some(made) = parts(ty, to, from) {
                return made;
            }
        }
        let mut args = args.into_iter();
        let destination = args.next();
        let whole = destination.as_ref().is_some_and(|arg| matches!(arg.operand, Operand::Register { .. }));
        // With the destination `_|q`, only the second result is written.
        let second = destination
            .as_ref()
            .is_some_and(|arg| arg.operand == Operand::Opaque && arg.vector.is_none() && arg.slots.len() == 1);
        let mut slots = destination.map_or(Vec::new(), |arg| arg.slots);
        let mut sources: Vec<Operand> = args.enumerate().map(|(i, arg)| source(calc, i, arg)).collect();
        let mut evaluated = whole && sources.len() == calc.sources();
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
        let evaluated = evaluated && !second;
        let op = if evaluated { Op::Calc { calc, sources } } else { Op::Busy { cycles: 1 } };
        (op, slots.into_iter().map(Some).collect())
    }
}

/// The operation of an instruction with three sources, which `min` and `max` of f32 may have.
fn of_three(calc: Calc) -> Calc {
    let op = match calc.op {
        Operation::Float { op, format: Format::F32, rules } if calc.pair.is_none() && !rules.xorsign => {
            let op = match op {
                Float::Min => Float::Min3,
                Float::Max => Float::Max3,
                op => op,
            };
            Operation::Float { op, format: Format::F32, rules }
        }
        op => op,
    };
    Calc { op, ..calc }
}

/// `mov` of one register into the parts of a vector, or of a vector into one register.
fn parts(ty: Type, to: &Arg, from: &Arg) -> Option<(Op, Vec<Option<Slot>>)> {
    let (count, whole) = match (&to.vector, &from.vector) {
        (None, Some(vector)) => (vector.len(), &to.operand),
        (Some(vector), None) => (vector.len(), &from.operand),
        _ => return None,
    };
    let bits = ty.bits / u32::try_from(count).ok()?.max(1);
    let register = |operand: &Operand| match operand {
        Operand::Register { slot, .. } => Some(*slot),
        _ => None,
    };
    if !(2..=MAX_SOURCES).contains(&count) {
        return None;
    }
    let (op, sources, writes) = match &from.vector {
        Some(vector) => (Operation::Join { bits, count: count as u32 }, vector.clone(), vec![Some(register(whole)?)]),
        None => {
            let writes = to.vector.iter().flatten().map(register).collect();
            (Operation::Split { bits, element: 0 }, vec![whole.clone()], writes)
        }
    };
    Some((Op::Calc { calc: Calc { op, pair: None }, sources }, writes))
}

/// A source of an evaluated instruction; constants are converted to the bits of its type.
fn source(calc: Calc, i: usize, arg: Arg) -> Operand {
    let place = calc.place(i);
    match (arg.literal, &arg.operand) {
        (Some(literal), _) => constant(place.and_then(|place| literal.bits(place))),
        // An integer constant in the place of a floating-point number is not evaluated. The constant 0 is an exception: its bits are the
        // same in both formats.
        (None, Operand::Immediate(1..=i64::MAX | i64::MIN..=-1)) if matches!(place, Some(Scalar::Float(_))) => Operand::Opaque,
        _ => arg.operand,
    }
}

/// The operand for a constant with these bits; `None`: the constant is not valid in its position, and the operand is not evaluated.
pub(super) fn constant(bits: Option<u64>) -> Operand {
    bits.map_or(Operand::Opaque, |bits| Operand::Immediate(bits as i64))
}
