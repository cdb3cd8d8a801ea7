// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The modifiers of an opcode, which are consumed one after the other.

use crate::arith::{Calc, Format, Limit, Round, Scalar, Type, TypeKind};
use crate::ptx::class::Class;

pub(super) fn class(calc: Option<Calc>) -> Class {
    calc.map_or(Class::Time { writes: true }, Class::Calc)
}

/// The modifiers of an instruction that are not yet consumed.
pub(super) struct Modifiers<'a> {
    pub(super) remaining: Vec<&'a str>,
}

impl Modifiers<'_> {
    /// Consumes the modifier; returns whether it was present.
    pub(super) fn has(&mut self, modifier: &str) -> bool {
        let at = self.remaining.iter().position(|m| *m == modifier);
        at.map(|at| self.remaining.remove(at)).is_some()
    }

    /// Consumes the first modifier of this table that is present.
    pub(super) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        table.iter().find(|(modifier, _)| self.has(modifier)).map(|(_, meaning)| *meaning)
    }

    pub(super) fn round(&mut self) -> Option<Round> {
        self.one_of(&[(".rn", Round::Even), (".rz", Round::Zero), (".rm", Round::Down), (".rp", Round::Up)])
    }

    pub(super) fn limit(&mut self) -> Limit {
        self.one_of(&[(".sat", Limit::Unit), (".relu", Limit::Relu)]).unwrap_or(Limit::None)
    }

    /// The first type; for a packed type also the bits of an element.
    pub(super) fn number(&mut self) -> Option<(Scalar, Option<u32>)> {
        let (at, number) = self.remaining.iter().enumerate().find_map(|(at, m)| Some((at, number(m)?)))?;
        self.remaining.remove(at);
        Some(number)
    }

    /// The first type, if it is not packed.
    pub(super) fn scalar(&mut self) -> Option<Scalar> {
        self.number().filter(|(_, pair)| pair.is_none()).map(|(number, _)| number)
    }

    /// The first type as plain bits, if it has at most 64 bits.
    pub(super) fn plain(&mut self) -> Option<Type> {
        let (at, ty) = self.remaining.iter().enumerate().find_map(|(at, m)| Some((at, Type::from_modifier(m)?)))?;
        self.remaining.remove(at);
        Some(ty).filter(|ty| ty.bits <= 64)
    }
}

pub(super) fn number(modifier: &str) -> Option<(Scalar, Option<u32>)> {
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
