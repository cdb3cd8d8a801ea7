// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor maps: a tensor copy gets the description of the tensor from a map, and the coordinates from the instruction.

mod bytes;
mod limits;

use crate::launch::Element;
use crate::swizzle::Swizzle;
pub use bytes::Field;
pub use limits::{InvalidMap, MAX_BOX, MAX_ELEMENT_STRIDE, MAX_EXTENT, MAX_RANK, STRIDES, UNIT};

/// Bytes of a tensor map.
pub const BYTES: usize = 128;
/// Alignment of the address of a tensor map, in bytes.
pub const ALIGNMENT: u64 = 64;

/// A tensor in global memory, and the box of it that one copy transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub element: Element,
    /// Address of the element at coordinates 0.
    pub address: u64,
    /// One to five dimensions, innermost first.
    pub dimensions: Vec<Dimension>,
    /// The exchange of chunks of the box in shared memory.
    pub swizzle: Swizzle,
    /// The elements that a load gets outside of the tensor.
    pub outside: Outside,
}

/// The value of the elements of a box that are outside of the tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    #[default]
    Zeros,
    /// The number of floating-point types that PTX calls `OOB-NaN`.
    Nan,
}

impl Outside {
    /// The values with the names that launch files have for them, in the order of PTX's numbers.
    pub const ALL: [(&'static str, Outside); 2] = [("zeros", Outside::Zeros), ("nan", Outside::Nan)];

    /// Every two bytes of an element. PTX does not give the bits of `OOB-NaN`; these are a NaN in every type of 16 bits and more, and those
    /// of GPUs according to other simulators.
    pub fn bytes(self) -> [u8; 2] {
        match self {
            Outside::Zeros => [0; 2],
            Outside::Nan => 0x7ff7u16.to_le_bytes(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Elements of the tensor along this dimension.
    pub extent: u64,
    /// Bytes from one element to the next; for the innermost dimension the element size.
    pub stride: u64,
    /// Elements of the box along this dimension.
    pub size: u64,
    /// With n, every n-th element of the box is copied; ignored in the innermost dimension.
    pub element_stride: u64,
}

/// Elements of a box that are contiguous in the tensor and in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub address: u64,
    /// Position of the row's first byte in the box.
    pub first: u64,
    pub bytes: u64,
}

impl TensorMap {
    /// Elements of the box along each dimension, innermost first.
    fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        let count =
            |(i, one): (usize, &Dimension)| if i == 0 { one.size } else { one.size.div_ceil(one.element_stride.max(1)) };
        self.dimensions.iter().enumerate().map(count)
    }

    /// Bytes of the box in shared memory.
    pub fn box_bytes(&self) -> u64 {
        self.counts().fold(self.element.size() as u64, u64::saturating_mul)
    }

    /// The parts of the rows of a box that are in the tensor. `coordinates` is the position of the box, one number per dimension, innermost
    /// first.
    pub fn rows<'a>(&'a self, coordinates: &'a [i32]) -> impl Iterator<Item = Row> + 'a {
        let counts: Vec<u64> = self.counts().collect();
        let rows: u64 = counts.iter().skip(1).product();
        (0..rows).filter_map(move |row| self.row(row, &counts, coordinates))
    }

    fn row(&self, row: u64, counts: &[u64], coordinates: &[i32]) -> Option<Row> {
        let (inner, count, first) = (self.dimensions.first()?, *counts.first()?, i64::from(*coordinates.first()?));
        // Extents and coordinates are at most 2^32, so the differences fit an `i64`.
        let low = (-first).clamp(0, count as i64) as u64;
        let inner_end = (inner.extent as i64 - first).clamp(0, count as i64) as u64;
        let size = self.element.size() as u64;
        let mut address = u128::from(self.address) + u128::from((first + low as i64).max(0) as u64 * size);
        let mut remaining_row = row;
        for ((one, count), first) in self.dimensions.iter().zip(counts).zip(coordinates).skip(1) {
            let at = i64::from(*first) + (remaining_row % count * one.element_stride) as i64;
            remaining_row /= count;
            let at = u64::try_from(at).ok().filter(|at| *at < one.extent)?;
            address += u128::from(at) * u128::from(one.stride);
        }
        let address = u64::try_from(address).unwrap_or(u64::MAX);
        (low < inner_end).then(|| Row { address, first: (row * count + low) * size, bytes: (inner_end - low) * size })
    }

    /// The parts of a row that stay contiguous in shared memory, where the box is at the address `shared`.
    pub fn chunks(&self, row: Row, shared: u64) -> impl Iterator<Item = Row> {
        let (swizzle, end) = (self.swizzle, row.first.saturating_add(row.bytes));
        let mut first = row.first;
        std::iter::from_fn(move || {
            let chunk_end = match swizzle {
                Swizzle::None => end,
                _ => (first / swizzle.chunk() + 1).saturating_mul(swizzle.chunk()).min(end),
            };
            let to = swizzle.address(shared.wrapping_add(first), 0).wrapping_sub(shared);
            let part = Row { address: row.address.saturating_add(first - row.first), first: to, bytes: chunk_end - first };
            first = chunk_end;
            (part.bytes > 0).then_some(part)
        })
    }
}

#[cfg(test)]
mod tests;
