// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of integer arithmetic, logic, shifts and bit fields.

use super::modifiers::Modifiers;
use crate::arith::{Bits, Carry, Integer, Operation, Part, Permute, Scalar};
use crate::arith::{Type, TypeKind};

/// An operation on integers of one type; the modifier of the type has already been consumed.
pub(super) fn operation(opcode: &str, ty: Type, packed: bool, form: &mut Modifiers) -> Option<Operation> {
    if packed {
        let op = match opcode {
            "add" => Integer::Add,
            "min" => Integer::Min,
            "max" => Integer::Max,
            _ => return None,
        };
        return Some(Operation::Integer { op, ty, saturate: false });
    }
    if ty.kind == TypeKind::Predicate {
        let op = match opcode {
            "and" => Integer::And,
            "or" => Integer::Or,
            "xor" => Integer::Xor,
            "not" => Integer::Not,
            _ => return None,
        };
        return Some(Operation::Integer { op, ty, saturate: false });
    }
    if let Some(op) = bits(opcode, ty, form) {
        return Some(Operation::Bits(op));
    }
    if matches!(opcode, "addc" | "subc" | "madc") || form.remaining.contains(&".cc") {
        return carry(opcode, ty, form);
    }
    let op = match opcode {
        "add" => Integer::Add,
        "sub" => Integer::Sub,
        "mul" => Integer::Mul(part(ty, form)?),
        "mad" => Integer::Mad(part(ty, form)?),
        "mul24" if ty.bits == 32 => Integer::Mul24(narrow_part(form)),
        "mad24" if ty.bits == 32 => Integer::Mad24(narrow_part(form)),
        "sad" => Integer::Sad,
        "div" => Integer::Div,
        "rem" => Integer::Rem,
        "min" => Integer::Min,
        "max" => Integer::Max,
        "neg" => Integer::Neg,
        "abs" => Integer::Abs,
        "not" => Integer::Not,
        "cnot" => Integer::Cnot,
        "and" => Integer::And,
        "or" => Integer::Or,
        "xor" => Integer::Xor,
        "shl" => Integer::Shl,
        "shr" => Integer::Shr,
        _ => return None,
    };
    let may = matches!(op, Integer::Add | Integer::Sub | Integer::Mad(Part::High) | Integer::Mad24(Part::High));
    let saturate = may && ty == Type { kind: TypeKind::Signed, bits: 32 } && form.has(".sat");
    Some(Operation::Integer { op, ty, saturate })
}

/// The part of a product; `None` for the wide part of 64-bit factors, which fits no register.
fn part(ty: Type, form: &mut Modifiers) -> Option<Part> {
    let part = form.one_of(&[(".lo", Part::Low), (".hi", Part::High), (".wide", Part::Wide)]).unwrap_or(Part::Low);
    (part != Part::Wide || ty.bits <= 32).then_some(part)
}

fn narrow_part(form: &mut Modifiers) -> Part {
    form.one_of(&[(".lo", Part::Low), (".hi", Part::High)]).unwrap_or(Part::Low)
}

fn carry(opcode: &str, ty: Type, form: &mut Modifiers) -> Option<Operation> {
    let sets = form.has(".cc");
    let op = match opcode {
        "add" | "addc" => Integer::Add,
        "sub" | "subc" => Integer::Sub,
        "mad" | "madc" => Integer::Mad(part(ty, form).filter(|part| *part != Part::Wide)?),
        _ => return None,
    };
    let reads = opcode.ends_with('c');
    matches!(ty.bits, 32 | 64).then_some(Operation::Carry(Carry { op, ty, reads, sets }))
}

fn bits(opcode: &str, ty: Type, form: &mut Modifiers) -> Option<Bits> {
    let word = ty.bits == 32;
    let clamp = |form: &mut Modifiers| form.one_of(&[(".clamp", true), (".wrap", false)]);
    let op = match opcode {
        "popc" => Bits::Popc(ty),
        "clz" => Bits::Clz(ty),
        "brev" => Bits::Brev(ty),
        "bfind" => Bits::Bfind(ty, form.has(".shiftamt")),
        "bfe" => Bits::Bfe(ty),
        "bfi" => Bits::Bfi(ty),
        "bmsk" if word => Bits::Bmsk { clamp: clamp(form)? },
        "szext" if word => Bits::Szext { ty, clamp: clamp(form)? },
        "fns" if word => Bits::Fns,
        "lop3" if word => Bits::Lop3,
        "prmt" if word => Bits::Prmt(
            form.one_of(&[
                (".f4e", Permute::Forward),
                (".b4e", Permute::Backward),
                (".rc8", Permute::Replicate),
                (".ecl", Permute::EdgeLeft),
                (".ecr", Permute::EdgeRight),
                (".rc16", Permute::Halves),
            ])
            .unwrap_or(Permute::Index),
        ),
        "shf" if word => {
            let to_left = form.one_of(&[(".l", true), (".r", false)])?;
            Bits::Shf { to_left, clamp: clamp(form)? }
        }
        _ => return None,
    };
    matches!(ty.bits, 32 | 64).then_some(op)
}

/// `dp4a.u32.s32`: the types of the two sources whose elements are multiplied.
pub(super) fn dot_product(opcode: &str, form: &mut Modifiers) -> Option<Operation> {
    let upper = if opcode == "dp2a" { form.one_of(&[(".lo", false), (".hi", true)])? } else { false };
    let (Scalar::Integer(a), Scalar::Integer(b)) = (form.scalar()?, form.scalar()?) else { return None };
    let op = if opcode == "dp2a" { Bits::Dp2a(a, b, upper) } else { Bits::Dp4a(a, b) };
    (a.bits == 32 && b.bits == 32).then_some(Operation::Bits(op))
}
