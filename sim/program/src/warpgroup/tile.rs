// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes of shared memory that a matrix descriptor of `wgmma.mma_async` names (PTX, *Matrix Descriptor Format* and *Canonical
//! Layouts*). PTX gives the layouts in elements of 128 bits, which are called chunks here.

use crate::swizzle::Swizzle;
use std::ops::Range;

/// Bytes of a chunk.
const CHUNK: u64 = 16;
/// Rows, or columns, of the smallest part of a layout.
const EIGHT: u64 = 8;
/// The addresses that a descriptor can name.
const ADDRESSES: u64 = 1 << 18;

/// Size and order of a matrix in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Rows of A, or columns of B; a multiple of 8.
    pub rows: u64,
    pub major: Major,
}

/// The direction in which elements are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    /// Along K, with this number of chunks.
    K { chunks: u64 },
    /// Along M or N, with elements of 16 bits, in this number of steps along K.
    Mn { steps: u64 },
}

/// The fields of a descriptor, in bytes.
struct Fields {
    start: u64,
    leading: u64,
    stride: u64,
    /// The line at which the pattern of the swizzle begins.
    base: u64,
    swizzle: Swizzle,
    /// Chunks of a swizzled row: 2, 4 or 8; 1 without swizzle.
    width: u64,
}

impl Fields {
    fn new(descriptor: u64) -> Fields {
        let encoded = |at: u32| (descriptor >> at & 0x3fff) * CHUNK;
        let swizzle = [Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32][(descriptor >> 62) as usize];
        let width = swizzle.span().map_or(1, |span| span / CHUNK);
        Fields { start: encoded(0), leading: encoded(16), stride: encoded(32), base: descriptor >> 49 & 7, swizzle, width }
    }

    /// The address of a chunk at `offset` bytes from the start.
    fn address(&self, offset: u64) -> u64 {
        self.swizzle.address((self.start + offset) % ADDRESSES, self.base)
    }
}

impl Tile {
    /// The bytes of the rows `rows` (columns of B) of the matrix at a descriptor, in ascending order, as an offset in the shared memory of
    /// the CTA. `None`: PTX describes no such layout.
    pub fn bytes(&self, descriptor: u64, rows: Range<u64>) -> Option<Vec<Range<u64>>> {
        let fields = Fields::new(descriptor);
        let Fields { leading, stride, width, .. } = fields;
        let mut offsets = vec![];
        match self.major {
            Major::K { chunks } => {
                if width > 1 && chunks > width {
                    return None;
                }
                // Without swizzle, `leading` is between the columns of chunks; a swizzled row is contiguous.
                let column = if width == 1 { leading } else { CHUNK };
                for row in rows {
                    let first = row % EIGHT * width * CHUNK + row / EIGHT * stride;
                    offsets.extend((0..chunks).map(|chunk| first + chunk * column));
                }
            }
            Major::Mn { steps } => {
                // Without swizzle, the two strides have exchanged meanings.
                let (row, eight_steps) = if width == 1 { (stride, leading) } else { (leading, stride) };
                for chunk in rows.start / EIGHT..rows.end / EIGHT {
                    let first = chunk % width * CHUNK + chunk / width * row;
                    offsets.extend((0..steps).map(|step| first + step % EIGHT * width * CHUNK + step / EIGHT * eight_steps));
                }
            }
        }
        let mut addresses: Vec<u64> = offsets.into_iter().map(|offset| fields.address(offset)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut ranges: Vec<Range<u64>> = vec![];
        for at in addresses {
            match ranges.last_mut().filter(|last| last.end == at) {
                Some(last) => last.end += CHUNK,
                None => ranges.push(at..at + CHUNK),
            }
        }
        Some(ranges)
    }
}

#[cfg(test)]
mod tests;
