// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of comparisons and of selections by sign.

use super::modifiers::{class, Modifiers};
use crate::arith::Calc;
use crate::arith::{Compare, Comparison, Format, Join, Operation, Property, Scalar, Test, Truth};
use crate::arith::{Type, TypeKind};
use crate::ptx::class::Class;

const PROPERTIES: &[(&str, Property)] = &[
    (".finite", Property::Finite),
    (".infinite", Property::Infinite),
    (".number", Property::Number),
    (".notanumber", Property::NotANumber),
    (".normal", Property::Normal),
    (".subnormal", Property::Subnormal),
];

/// Comparisons of floating-point numbers, or of integers that are signed or unsigned according to their type.
const ORDERED: &[(&str, Compare)] = &[
    (".eq", Compare::Eq),
    (".ne", Compare::Ne),
    (".lt", Compare::Lt),
    (".le", Compare::Le),
    (".gt", Compare::Gt),
    (".ge", Compare::Ge),
];

/// Comparisons of integers as unsigned, independent of their type.
const UNSIGNED: &[(&str, Compare)] = &[(".lo", Compare::Lt), (".ls", Compare::Le), (".hi", Compare::Gt), (".hs", Compare::Ge)];

const FLOAT: &[(&str, Test)] = &[
    (".equ", Test::Unordered(Compare::Eq)),
    (".neu", Test::Unordered(Compare::Ne)),
    (".ltu", Test::Unordered(Compare::Lt)),
    (".leu", Test::Unordered(Compare::Le)),
    (".gtu", Test::Unordered(Compare::Gt)),
    (".geu", Test::Unordered(Compare::Ge)),
    (".num", Test::Numbers),
    (".nan", Test::AnyNan),
];

pub(super) fn operation(opcode: &str, form: &mut Modifiers) -> Option<Operation> {
    if opcode == "testp" {
        let property = form.one_of(PROPERTIES)?;
        let Scalar::Float(format @ (Format::F32 | Format::F64)) = form.scalar()? else { return None };
        return Some(Operation::Test(property, format));
    }
    let ftz = form.has(".ftz");
    if opcode == "slct" {
        let ty = form.plain()?;
        let by = form.scalar().filter(|by| match by {
            Scalar::Integer(ty) => *ty == Type { kind: TypeKind::Signed, bits: 32 },
            Scalar::Float(format) => *format == Format::F32,
        })?;
        return Some(Operation::SignSelect { ty, by, ftz });
    }
    let result = if opcode == "set" { truth(form)? } else { Truth::Predicate };
    let scalar = form.scalar()?;
    let (test, scalar) = match scalar {
        Scalar::Integer(ty) => match form.one_of(UNSIGNED) {
            Some(compare) => (Test::Ordered(compare), Scalar::Integer(Type { kind: TypeKind::Unsigned, ..ty })),
            None => (Test::Ordered(form.one_of(ORDERED)?), scalar),
        },
        Scalar::Float(_) => match form.one_of(FLOAT) {
            Some(test) => (test, scalar),
            None => (Test::Ordered(form.one_of(ORDERED)?), scalar),
        },
    };
    let join = form.one_of(&[(".and", Join::And), (".or", Join::Or), (".xor", Join::Xor)]);
    Some(Operation::Compare(Comparison { test, scalar, ftz, join, result }))
}

/// `set` on pairs of 16-bit elements. Each comparison yields one element of the result: if true, the number 1 or all bits set.
pub(super) fn packed(mut form: Modifiers) -> Class {
    let half = |modifier: &str| match modifier {
        ".f16x2" => Some(".f16"),
        ".bf16x2" => Some(".bf16"),
        ".u32" => Some(".u16"),
        ".s32" => Some(".s16"),
        _ => None,
    };
    form.remaining.iter_mut().for_each(|modifier| *modifier = half(modifier).unwrap_or(modifier));
    let operation = operation("set", &mut form).filter(|_| form.remaining.is_empty());
    class(operation.map(|op| Calc { op, pair: Some(16) }))
}

/// The type in which `set` encodes its result.
fn truth(form: &mut Modifiers) -> Option<Truth> {
    match form.scalar()? {
        Scalar::Integer(ty) => Some(Truth::Ones(ty)),
        Scalar::Float(format) => Some(Truth::FloatOne(format)),
    }
}
