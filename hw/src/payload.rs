// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structs that travel between blocks as one value: an operation, a row, a fault.
//!
//! `#[payload]` makes a struct such a value. Rust code reads and writes its fields; the Verilog has one net for each field.

use super::port_value::PortValue;
use crate::verilog::literal_value;
use num_bigint::BigUint;
use rust_hdl::prelude::*;

pub use bcu_derive::payload;

/// Widest payload, in bits. `literal` builds every value in this width, because the width of a rust-hdl literal must be a constant.
const WIDEST: usize = 1024;

/// The cycles in which a field of a payload is meaningful. `None`: every cycle. Otherwise the cycles in which the payload is
/// valid and each listed field of the same channel has one of the listed values.
pub type Conditions = Option<Vec<(&'static str, Vec<u64>)>>;

/// One field of a payload, as in port tables.
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub descriptor: TypeDescriptor,
    /// In bits.
    pub width: usize,
    pub when: Conditions,
}

/// A field of a payload, or a payload: a value that can be split into plain numbers.
pub trait Payload: Synth {
    /// Default doc of a channel or strobe with this payload: for a channel a noun phrase that names the content, for a strobe a sentence
    /// that states the event.
    const SAYS: &'static str = "";
    /// Appends the fields of the payload to `out`. A nested payload appends its fields, without its name and doc.
    fn describe(name: &'static str, doc: &'static str, when: Conditions, out: &mut Vec<Field>);
    /// Makes the payload from `words`: consumes one number for each field; missing numbers are 0.
    fn from_words(words: &mut std::slice::Iter<u64>) -> Self;
    /// Writes one number for each field to `words`.
    fn to_words(self, words: &mut std::slice::IterMut<u64>);
}

impl<T: PortValue> Payload for T {
    fn describe(name: &'static str, doc: &'static str, when: Conditions, out: &mut Vec<Field>) {
        out.push(Field { name, doc, descriptor: T::descriptor(), width: T::BITS, when });
    }
    fn from_words(words: &mut std::slice::Iter<u64>) -> Self {
        T::from_u64(words.next().copied().unwrap_or(0))
    }
    fn to_words(self, words: &mut std::slice::IterMut<u64>) {
        if let Some(word) = words.next() {
            *word = self.to_u64();
        }
    }
}

/// A payload as one vector, for memories and queues, which do not use its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Packed<T>(pub T);

impl<T: Payload> From<T> for Packed<T> {
    fn from(value: T) -> Self {
        Packed(value)
    }
}

impl<T: Payload> Synth for Packed<T> {
    const BITS: usize = T::BITS;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Packed".to_string(), kind: TypeKind::Bits(T::BITS) }
    }
    fn vcd(self) -> VCDValue {
        let value = literal_value(&self.verilog()).to_biguint().unwrap_or_default();
        let bit = |i| if value.bit(i as u64) { vcd::Value::V1 } else { vcd::Value::V0 };
        VCDValue::Vector((0..T::BITS).rev().map(bit).collect())
    }
    fn verilog(self) -> VerilogLiteral {
        self.0.verilog()
    }
}

/// The type of a payload; the first field is in the lowest bits.
pub fn descriptor(name: &str, fields: Vec<(&str, TypeDescriptor)>) -> TypeDescriptor {
    let field = |(name, kind): (&str, TypeDescriptor)| Box::new(TypeField { fieldname: name.to_string(), kind });
    TypeDescriptor { name: name.to_string(), kind: TypeKind::Composite(fields.into_iter().map(field).collect()) }
}

pub fn vcd(fields: Vec<VCDValue>) -> VCDValue {
    VCDValue::Composite(fields.into_iter().map(Box::new).collect())
}

/// The value of a payload from the widths and values of its fields.
pub fn literal(fields: &[(usize, VerilogLiteral)]) -> VerilogLiteral {
    let (mut value, mut low) = (BigUint::default(), 0);
    for (width, field) in fields {
        value |= literal_value(field).to_biguint().unwrap_or_default() << low;
        low += width;
    }
    Bits::<WIDEST>::from(value).into()
}
