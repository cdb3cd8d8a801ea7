// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the evaluated forms of operations, by opcode and modifiers. A form with an unknown modifier only takes time.

mod compare;
mod float;
mod integer;
mod modifiers;
#[cfg(test)]
mod results;
#[cfg(test)]
mod tests;

use super::class::Class;
use crate::arith::{Calc, Operation, Scalar};
use modifiers::{class, Modifiers};

/// The evaluated operation of an instruction; a form that is not evaluated only takes time.
pub(crate) fn calc(opcode: &str, modifiers: &[&str]) -> Class {
    let mut form = Modifiers { remaining: modifiers.to_vec() };
    let found = match opcode {
        "mov" => form.plain().map(Operation::Move),
        "selp" => form.plain().map(Operation::Select),
        "set" if modifiers.last().is_some_and(|m| matches!(*m, ".f16x2" | ".bf16x2")) => return compare::packed(form),
        "setp" | "set" | "slct" | "testp" => compare::operation(opcode, &mut form),
        "cvt" => float::conversion(&mut form),
        _ => return evaluated(opcode, form),
    };
    class(found.filter(|_| form.remaining.is_empty()).map(|op| Calc { op, pair: None }))
}

/// Selects an operation whose type modifier decides between integer and floating-point arithmetic.
fn evaluated(opcode: &str, mut form: Modifiers) -> Class {
    // `dp2a` and `dp4a` have two types, which `dot_product` consumes.
    let found = match opcode {
        "dp2a" | "dp4a" => integer::dot_product(opcode, &mut form).map(|op| (op, None)),
        _ => form.number().and_then(|(number, pair)| {
            let op = match number {
                Scalar::Integer(ty) => integer::operation(opcode, ty, pair.is_some(), &mut form),
                Scalar::Float(format) => float::operation(opcode, format, pair.is_some(), &mut form),
            };
            op.map(|op| (op, pair))
        }),
    };
    class(found.filter(|_| form.remaining.is_empty()).map(|(op, pair)| Calc { op, pair }))
}
