// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `get_bit`, `get_bits` and `replace_bit`: a constant index becomes a fixed select; a computed index becomes a computed select if it is
//! always in range, else shifts and masks.

use super::ir::{self, Op, Reduce, Value};
use super::scope::Scope;
use super::signal::literal_value;
use rust_hdl::core::ast::VerilogExpression as X;

impl Scope<'_> {
    /// The bit of the expression `x` at the index `at`.
    pub(super) fn lower_bit(&mut self, x: &X, at: &X) -> Value {
        let value = self.lower_whole(x);
        let width = value.width;
        match self.index(at) {
            Some(n) if n < width => ir::slice(&value, n, 1),
            Some(n) => {
                self.error(&describe(x), format!("bit {n} is outside its {width} bits"), "correct the index");
                ir::constant(1, 0u8)
            }
            None => {
                let at = self.lower_whole(at);
                match in_range(&at, 1, width) {
                    Some(_) if width == 1 => value,
                    Some(at) => ir::select(1, value, at),
                    None if at.width == 1 && width == 1 => ir::binary(Op::And, value, ir::not(&at)),
                    // Zero-extended, the value has a bit at every index; selecting is smaller than shifting.
                    None if at.width == ir::address_bits(width) => {
                        let filled = ir::resize(&value, 1 << at.width);
                        ir::select(1, filled, at)
                    }
                    // A bit at an index out of range reads as 0, as after a shift, and never as x.
                    None => {
                        let one_hot = ir::shift(true, ir::constant(width, 1u8), at);
                        ir::reduce(Reduce::Any, ir::binary(Op::And, value, one_hot))
                    }
                }
            }
        }
    }

    /// `width` bits of the expression `x` from the index `at` upwards; bits beyond the end are 0.
    pub(super) fn lower_slice(&mut self, x: &X, width: usize, at: &X) -> Value {
        if let (X::Signal(raw), Some(low)) = (x, self.index(at)) {
            if let Some(value) = self.field_value(raw, low, width) {
                return value;
            }
        }
        let value = self.lower_whole(x);
        match self.index(at) {
            Some(n) if n >= value.width => ir::constant(width, 0u8),
            Some(n) => ir::resize(&ir::slice(&value, n, width.min(value.width - n)), width),
            None => {
                let at = self.lower_whole(at);
                match in_range(&at, width, value.width) {
                    Some(_) if width == value.width => value,
                    Some(at) => ir::select(width, value, at),
                    None => ir::resize(&ir::shift(false, value, at), width),
                }
            }
        }
    }

    /// The value of the expression `x`, of `width` bits, with the bit at the index `at` replaced by `bit`.
    pub(super) fn lower_replace(&mut self, x: &X, at: &X, bit: &X, width: usize) -> Value {
        let (value, bit) = (self.lower(x, width), self.lower(bit, 1));
        match self.index(at) {
            Some(n) if n < width => ir::splice(&value, n, bit),
            Some(n) => {
                self.error(&describe(x), format!("bit {n} is outside its {width} bits"), "correct the index");
                value
            }
            None => {
                let at = self.lower_whole(at);
                ir::write(value, at, bit)
            }
        }
    }
}

/// `at`, resized to the width of an index into `whole` bits. `None`: for some value of `at`, the `part` bits from this
/// index upwards reach beyond the `whole` bits.
fn in_range(at: &Value, part: usize, whole: usize) -> Option<Value> {
    let needed = ir::address_bits(whole);
    let largest = if at.width > needed { return None } else { (1usize << at.width) - 1 };
    (largest + part <= whole).then(|| ir::resize(at, needed))
}

/// The signal of an expression, for messages.
fn describe(e: &X) -> String {
    match e {
        X::Signal(s) => s.clone(),
        X::Paren(x) | X::Cast(x, _) | X::Signed(x) | X::Unsigned(x) | X::Unary(_, x) => describe(x),
        X::Binary(x, _, _) | X::Index(x, _) | X::Slice(x, _, _) | X::IndexReplace(x, _, _) => describe(x),
        X::Literal(l) => literal_value(l).to_string(),
    }
}
