// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The types of elements and of arguments: their names, sizes and values.

use super::complaint::complaint;
use bcu_isa::diag::Diagnostic;
use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert};
use serde::Deserialize;

/// Type of one element of a buffer, or of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    F32,
    F64,
}

/// A number as written, before it has a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// Parses `12`, `-3`, `0xff`, `0o7`, `0b1`, `1.5`, `1e-3`, `inf`, `nan`; `None` for any other text.
    pub fn parse(text: &str) -> Option<Number> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let base =
            [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(front, base)| Some((digits.strip_prefix(front)?, base)));
        let unsigned = |text: &str, base: u32| u128::from_str_radix(text, base).ok().filter(|_| !text.starts_with('+'));
        let magnitude = match base {
            Some((digits, base)) => Some(unsigned(digits, base)?),
            None => unsigned(digits, 10),
        };
        match magnitude {
            Some(magnitude) => {
                let value = i128::try_from(magnitude).ok()?;
                Some(Number::Integer(if negative { -value } else { value }))
            }
            None => text.parse().ok().map(Number::Float),
        }
    }

    /// The nearest 64-bit float.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

impl Element {
    /// Every type with its name.
    pub const ALL: [(&'static str, Element); 12] = [
        ("u8", Element::U8),
        ("i8", Element::I8),
        ("u16", Element::U16),
        ("i16", Element::I16),
        ("u32", Element::U32),
        ("i32", Element::I32),
        ("u64", Element::U64),
        ("i64", Element::I64),
        ("f16", Element::F16),
        ("bf16", Element::Bf16),
        ("f32", Element::F32),
        ("f64", Element::F64),
    ];

    /// The type of this name, if there is one.
    pub fn named(name: &str) -> Option<Element> {
        Element::ALL.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
    }

    /// The type of the elements of a PTX type such as `.f16x2`, and how many of them it has. Bits are unsigned.
    pub(super) fn of_ptx(ty: &str) -> (Element, usize) {
        let name = ty.trim_start_matches('.');
        let (name, packed) = name.strip_suffix("x2").map_or((name, 1), |name| (name, 2));
        let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let element = match name.strip_suffix(digits) {
            Some("s") => Element::named(&format!("i{digits}")),
            Some("b") => Element::named(&format!("u{digits}")),
            _ => Element::named(name),
        };
        match name {
            "b128" => (Element::U64, 2),
            _ => (element.unwrap_or(Element::U8), packed),
        }
    }

    pub fn name(self) -> &'static str {
        Element::ALL.iter().find(|(_, element)| *element == self).map_or("", |(name, _)| name)
    }

    /// Bytes of a value, and also its alignment.
    pub fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::Bf16 | Element::F32 | Element::F64)
    }

    /// The least and the greatest value of an integer type.
    pub fn integers(self) -> Option<(i128, i128)> {
        let bits = self.size() as u32 * 8;
        match self {
            _ if self.is_float() => None,
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => Some((0, (1 << bits) - 1)),
            _ => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        }
    }

    /// The bytes of a number in this type, little endian; a float is rounded to nearest, ties to even.
    ///
    /// # Errors
    /// An integer out of the type's range, a float for an integer type, a finite number that would become infinite.
    pub fn encode(self, number: Number) -> Result<Vec<u8>, Diagnostic> {
        Ok(self.bits(number)?.to_le_bytes()[..self.size()].to_vec())
    }

    /// As [`Element::encode`]: the value in the low bits; the bits above are undefined.
    pub(super) fn bits(self, number: Number) -> Result<u64, Diagnostic> {
        match (self.integers(), number) {
            (Some((least, most)), Number::Integer(value)) if (least..=most).contains(&value) => Ok(value as u64),
            (Some((least, most)), Number::Integer(value)) => {
                Err(complaint(format!("{value} is not of type {}", self.name()), format!("expected {least} to {most}")))
            }
            (Some(_), Number::Float(_)) => {
                Err(complaint(format!("{number} is not of type {}", self.name()), "expected an integer"))
            }
            (None, _) => {
                let bits = self.round(number);
                let value = self.value_of(bits);
                if value.is_infinite() && number.as_f64().is_finite() {
                    let label = "expected a number in the range of the type, or `inf`";
                    return Err(complaint(format!("{number} is too large for {}", self.name()), label));
                }
                Ok(bits)
            }
        }
    }

    /// The bits of the nearest value of a floating-point type.
    fn round(self, number: Number) -> u64 {
        let soft = |value: f64| Double::from_bits(value.to_bits().into());
        match (self, number) {
            (Element::F16, _) => FloatConvert::<Half>::convert(soft(number.as_f64()), &mut false).value.to_bits() as u64,
            (Element::Bf16, _) => FloatConvert::<BFloat>::convert(soft(number.as_f64()), &mut false).value.to_bits() as u64,
            (Element::F32, Number::Integer(value)) => (value as f32).to_bits().into(),
            (Element::F32, Number::Float(value)) => (value as f32).to_bits().into(),
            _ => number.as_f64().to_bits(),
        }
    }

    /// The value of the bits of a floating-point type; a 64-bit float holds it exactly.
    fn value_of(self, bits: u64) -> f64 {
        match self {
            Element::F16 => double(FloatConvert::<Double>::convert(Half::from_bits(bits.into()), &mut false).value),
            Element::Bf16 => double(FloatConvert::<Double>::convert(BFloat::from_bits(bits.into()), &mut false).value),
            Element::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// The value of `size` bytes, little endian; missing bytes count as 0.
    pub fn decode(self, bytes: &[u8]) -> Number {
        let bits = bytes.iter().take(self.size()).rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let signed = |shift: u32| i128::from((bits << shift) as i64 >> shift);
        match self {
            _ if self.is_float() => Number::Float(self.value_of(bits)),
            Element::I8 => Number::Integer(signed(56)),
            Element::I16 => Number::Integer(signed(48)),
            Element::I32 => Number::Integer(signed(32)),
            Element::I64 => Number::Integer(signed(0)),
            _ => Number::Integer(bits.into()),
        }
    }

    /// One value as text: the shortest text that parses to the same value.
    pub fn print(self, bytes: &[u8]) -> String {
        match (self, self.decode(bytes)) {
            // The shortest text of a 32-bit float is shorter than the text of the same 64-bit float.
            (Element::F32, Number::Float(value)) => format!("{:?}", value as f32),
            (_, number) => number.to_string(),
        }
    }

    /// The bytes of one value written as text.
    ///
    /// # Errors
    /// A text that is not a number, and the errors of [`Element::encode`].
    pub fn parse(self, text: &str) -> Result<Vec<u8>, Diagnostic> {
        let wrong = || complaint(format!("`{text}` is not a number"), format!("expected a value of the type {}", self.name()));
        self.encode(Number::parse(text).ok_or_else(wrong)?)
    }
}

fn double(soft: Double) -> f64 {
    f64::from_bits(soft.to_bits() as u64)
}

#[cfg(test)]
mod tests;
