// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor maps: a tensor copy gets the description of the tensor from a map, and the coordinates from the instruction.

mod bytes;
mod limits;
mod map;
mod pixels;
mod rows;

pub use bytes::{Field, BYTES};
pub use limits::{InvalidMap, MAX_BOX, MAX_ELEMENT_STRIDE, MAX_EXTENT, MAX_RANK, STRIDES, UNIT};
pub use map::{Dimension, Mode, Outside, Pixels, TensorMap};
pub use rows::Row;

/// Alignment of the address of a tensor map, in bytes.
pub const ALIGNMENT: u64 = 64;

#[cfg(test)]
mod tests;
