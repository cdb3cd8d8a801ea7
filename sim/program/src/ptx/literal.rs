// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Floating-point constants, whose bits depend on their context.

use crate::arith::{Format, Scalar, Type};

/// A floating-point constant of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    /// `0f3F800000`
    Single(u32),
    /// `0d3FF0000000000000`
    Double(u64),
    /// `1.0`; its width depends on its context.
    Decimal(f64),
}

impl Literal {
    /// Reads a constant after its sign.
    pub fn read(text: &str, negative: bool) -> Option<Literal> {
        let exact = |digits: &str| u64::from_str_radix(digits, 16).ok();
        Some(match text.get(..2) {
            Some("0f" | "0F") => Literal::Single(exact(&text[2..])? as u32 ^ u32::from(negative) << 31),
            Some("0d" | "0D") => Literal::Double(exact(&text[2..])? ^ u64::from(negative) << 63),
            _ => {
                let value: f64 = text.parse().ok()?;
                Literal::Decimal(if negative { -value } else { value })
            }
        })
    }

    /// The bits of the constant as a source of this kind; `None` if it is not valid there.
    pub fn bits(self, place: Scalar) -> Option<u64> {
        let value = match self {
            Literal::Single(bits) => f32::from_bits(bits).into(),
            Literal::Double(bits) => f64::from_bits(bits),
            Literal::Decimal(value) => value,
        };
        match (place, self) {
            (Scalar::Float(Format::F32) | Scalar::Integer(Type { bits: 32, .. }), Literal::Single(bits)) => Some(bits.into()),
            (Scalar::Float(Format::F64) | Scalar::Integer(Type { bits: 64, .. }), Literal::Double(bits)) => Some(bits),
            (Scalar::Float(Format::F32), _) => Some((value as f32).to_bits().into()),
            (Scalar::Float(Format::F64), _) => Some(value.to_bits()),
            _ => None,
        }
    }
}
