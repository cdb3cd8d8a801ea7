// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The limits of the values in a tensor map, as `cuTensorMapEncodeTiled` has them.

use super::map::{Outside, TensorMap};

pub const MAX_RANK: usize = 5;
pub const MAX_EXTENT: u64 = 1 << 32;
pub const MAX_BOX: u64 = 256;
pub const MAX_ELEMENT_STRIDE: u64 = 8;
/// Strides are below this number of bytes.
pub const STRIDES: u64 = 1 << 40;
/// The address, the strides and the bytes of the innermost dimension of the box are multiples of this number.
pub const UNIT: u64 = 16;

/// A value of a tensor map that is not permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMap {
    /// The invalid field, with the name that `tensormap.replace` has for it, and its value.
    pub what: String,
    pub expected: String,
}

/// An invalid value of the field `name`.
pub(super) fn invalid<T>(name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Result<T, InvalidMap> {
    Err(InvalidMap { what: format!("its `{name}` is {value}"), expected: expected.into() })
}

impl TensorMap {
    /// Checks that all values are within their limits.
    ///
    /// # Errors
    /// The first value that is not.
    pub fn check(&self) -> Result<(), InvalidMap> {
        if !self.address.is_multiple_of(UNIT) {
            return invalid("global_address", format!("{:#x}", self.address), format!("a multiple of {UNIT}"));
        }
        let size = self.element.size() as u64;
        for (i, one) in self.dimensions.iter().enumerate() {
            let within = |name: &str, value: u64, most: u64| match (1..=most).contains(&value) {
                true => Ok(()),
                false => invalid(&format!("{name}[{i}]"), value, format!("1 to {most}")),
            };
            within("global_dim", one.extent, MAX_EXTENT)?;
            within("box_dim", one.size, MAX_BOX)?;
            within("element_stride", one.element_stride, MAX_ELEMENT_STRIDE)?;
            if i > 0 && !(one.stride < STRIDES && one.stride.is_multiple_of(UNIT)) {
                return invalid(
                    &format!("global_stride[{}]", i - 1),
                    one.stride,
                    format!("a multiple of {UNIT} below {STRIDES}"),
                );
            }
        }
        let inner = self.dimensions.first().map_or(0, |inner| inner.size.saturating_mul(size));
        if !inner.is_multiple_of(UNIT) {
            return invalid("box_dim[0]", format!("{inner} bytes"), format!("a multiple of {UNIT} bytes"));
        }
        if self.outside == Outside::Nan && !self.element.is_float() {
            return invalid("fill_mode", "that of NaN", "a floating-point type, or fill with zeros");
        }
        if let Some(pixels) = &self.pixels {
            self.check_pixels(pixels)?;
        }
        match self.swizzle.span() {
            Some(span) if inner != span => {
                let name = self.swizzle.name();
                let what = format!("its `box_dim[0]` is {inner} bytes with swizzle {name}");
                let why = if inner > span { "" } else { "; shorter rows, which CUDA permits, are not supported" };
                Err(InvalidMap { what, expected: format!("{span} bytes{why}") })
            }
            _ => Ok(()),
        }
    }
}
