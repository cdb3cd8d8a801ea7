// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which forms of which operations are calculated, by opcode and modifiers. A form with a modifier that is not
//! understood is time.

mod compare;
mod float;
mod integer;
#[cfg(test)]
mod tests;

use crate::arith::{Calc, Format, Limit, Operation, Round, Scalar, Type, TypeKind};

use super::opcode::Class;

/// A calculated operation, or time if this form of it is not calculated.
pub(crate) fn calc(opcode: &str, modifiers: &[&str]) -> Class {
    let mut form = Modifiers { rest: modifiers.to_vec() };
    let found = match opcode {
        "mov" => form.plain().map(Operation::Move),
        "selp" => form.plain().map(Operation::Select),
        "set" if modifiers.last().is_some_and(|m| matches!(*m, ".f16x2" | ".bf16x2")) => return compare::packed(form),
        "setp" | "set" | "slct" | "testp" => compare::operation(opcode, &mut form),
        "cvt" => float::conversion(&mut form),
        _ => return evaluated(opcode, form),
    };
    class(found.filter(|_| form.rest.is_empty()).map(|op| Calc { op, pair: None }))
}

fn class(calc: Option<Calc>) -> Class {
    calc.map_or(Class::Time { writes: true }, Class::Calc)
}

/// Arithmetic, whose one type says whether it is that of integers.
fn evaluated(opcode: &str, mut form: Modifiers) -> Class {
    // Those with two types look for them themselves.
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
    class(found.filter(|_| form.rest.is_empty()).map(|(op, pair)| Calc { op, pair }))
}

/// The modifiers of an instruction that nobody has looked at yet.
struct Modifiers<'a> {
    rest: Vec<&'a str>,
}

impl Modifiers<'_> {
    /// Whether the modifier is there; it is taken.
    fn has(&mut self, modifier: &str) -> bool {
        let at = self.rest.iter().position(|m| *m == modifier);
        at.map(|at| self.rest.remove(at)).is_some()
    }

    /// The first modifier of this table that is there; it is taken.
    fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        table.iter().find(|(modifier, _)| self.has(modifier)).map(|(_, meaning)| *meaning)
    }

    fn round(&mut self) -> Option<Round> {
        self.one_of(&[(".rn", Round::Even), (".rz", Round::Zero), (".rm", Round::Down), (".rp", Round::Up)])
    }

    fn limit(&mut self) -> Limit {
        self.one_of(&[(".sat", Limit::Unit), (".relu", Limit::Relu)]).unwrap_or(Limit::None)
    }

    /// The first type, and of a packed one the bits of an element.
    fn number(&mut self) -> Option<(Scalar, Option<u32>)> {
        let (at, number) = self.rest.iter().enumerate().find_map(|(at, m)| Some((at, number(m)?)))?;
        self.rest.remove(at);
        Some(number)
    }

    /// The first type, if it is a single one.
    fn scalar(&mut self) -> Option<Scalar> {
        self.number().filter(|(_, pair)| pair.is_none()).map(|(number, _)| number)
    }

    /// The first type as one of bits only, with no more than 64.
    fn plain(&mut self) -> Option<Type> {
        let (at, ty) = self.rest.iter().enumerate().find_map(|(at, m)| Some((at, Type::from_modifier(m)?)))?;
        self.rest.remove(at);
        Some(ty).filter(|ty| ty.bits <= 64)
    }
}

fn number(modifier: &str) -> Option<(Scalar, Option<u32>)> {
    let integer = |kind, bits| Scalar::Integer(Type { kind, bits });
    Some(match modifier {
        ".f16" => (Scalar::Float(Format::F16), None),
        ".bf16" => (Scalar::Float(Format::Bf16), None),
        ".f32" => (Scalar::Float(Format::F32), None),
        ".f64" => (Scalar::Float(Format::F64), None),
        ".f16x2" => (Scalar::Float(Format::F16), Some(16)),
        ".bf16x2" => (Scalar::Float(Format::Bf16), Some(16)),
        ".f32x2" => (Scalar::Float(Format::F32), Some(32)),
        ".u16x2" => (integer(TypeKind::Unsigned, 16), Some(16)),
        ".s16x2" => (integer(TypeKind::Signed, 16), Some(16)),
        _ => {
            let ty = Type::from_modifier(modifier).filter(|ty| ty.kind != TypeKind::Float && ty.bits <= 64)?;
            (Scalar::Integer(ty), None)
        }
    })
}
