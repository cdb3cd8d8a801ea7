// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes of shared memory that a matrix descriptor of `wgmma.mma_async` names (PTX, *Matrix Descriptor Format* and *Canonical
//! Layouts*). PTX gives the layouts in elements of 128 bits, which are called chunks here.

use crate::swizzle::Swizzle;
use std::ops::Range;

/// Bytes of a chunk.
pub const CHUNK: u64 = 16;
/// Rows, or columns, of the smallest part of a layout.
const EIGHT: u64 = 8;
/// Bytes of a line, whose number selects the exchange of chunks.
const LINE: u64 = 128;
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
    /// Along M or N, with this number of elements in a chunk, in this number of steps along K.
    Mn { packed: u64, steps: u64 },
}

/// A matrix descriptor: addresses and distances in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixDescriptor {
    pub start: u64,
    pub leading: u64,
    pub stride: u64,
    /// The line at which the pattern of the swizzle begins.
    pub base: u64,
    pub swizzle: Swizzle,
}

impl MatrixDescriptor {
    /// The descriptor of `wgmma.mma_async` in a register.
    pub fn of_wgmma(bits: u64) -> MatrixDescriptor {
        let encoded = |at: u32| (bits >> at & 0x3fff) * CHUNK;
        let swizzle = [Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32][(bits >> 62) as usize];
        let (start, leading, stride) = (encoded(0), encoded(16), encoded(32));
        MatrixDescriptor { start, leading, stride, base: bits >> 49 & 7, swizzle }
    }

    /// The address of a chunk at `offset` bytes from the start.
    fn address(&self, offset: u64) -> u64 {
        self.swizzle.address((self.start + offset) % ADDRESSES, self.base)
    }

    /// Chunks of a swizzled row: 2, 4 or 8; 1 without swizzle.
    fn width(&self) -> u64 {
        self.swizzle.span().map_or(1, |span| span / CHUNK)
    }

    /// The name of the swizzle mode.
    fn mode(&self) -> String {
        match self.width() {
            1 => "without swizzle".to_string(),
            width => format!("with a swizzle of {} bytes", width * CHUNK),
        }
    }
}

impl Tile {
    /// The addresses of the chunks of the rows `rows` (columns of B), as offsets in the shared memory of the CTA: row by row, or step by
    /// step along K, as [`Major`] states.
    pub fn chunks(&self, descriptor: &MatrixDescriptor, rows: Range<u64>) -> Vec<u64> {
        let (MatrixDescriptor { leading, stride, .. }, width) = (*descriptor, descriptor.width());
        let mut addresses = vec![];
        match self.major {
            Major::K { chunks } => {
                // Without swizzle, `leading` is between the columns of chunks; a swizzled row is contiguous.
                let column = if width == 1 { leading } else { CHUNK };
                for row in rows {
                    let first = row % EIGHT * width * CHUNK + row / EIGHT * stride;
                    addresses.extend((0..chunks).map(|chunk| descriptor.address(first + chunk * column)));
                }
            }
            Major::Mn { packed, steps } => {
                // Without swizzle, the two strides have exchanged meanings.
                let (row, eight_steps) = if width == 1 { (stride, leading) } else { (leading, stride) };
                for step in 0..steps {
                    let first = step % EIGHT * width * CHUNK + step / EIGHT * eight_steps;
                    let chunks = rows.start / packed..rows.end / packed;
                    let offset = |chunk: u64| first + chunk % width * CHUNK + chunk / width * row;
                    addresses.extend(chunks.map(|chunk| descriptor.address(offset(chunk))));
                }
            }
        }
        addresses
    }

    /// The bytes of the rows `rows` (columns of B) of the matrix at a descriptor, in ascending order.
    pub fn bytes(&self, descriptor: &MatrixDescriptor, rows: Range<u64>) -> Vec<Range<u64>> {
        let mut addresses = self.chunks(descriptor, rows);
        addresses.sort_unstable();
        addresses.dedup();
        let mut ranges: Vec<Range<u64>> = vec![];
        for at in addresses {
            match ranges.last_mut().filter(|last| last.end == at) {
                Some(last) => last.end += CHUNK,
                None => ranges.push(at..at + CHUNK),
            }
        }
        ranges
    }

    /// Fails, with the reason, if PTX describes no layout with these fields for the matrix.
    pub fn check(&self, descriptor: &MatrixDescriptor) -> Result<(), String> {
        let MatrixDescriptor { start, leading, stride, base, .. } = *descriptor;
        let width = descriptor.width();
        let (row, mode) = (width * CHUNK, descriptor.mode());
        if width == 1 && base != 0 {
            return Err(format!("the base offset is {base}; expected 0 {mode}"));
        }
        let line = start / LINE % width;
        if width > 1 && base % width != line {
            let pattern = EIGHT * row;
            return Err(format!(
                "the matrix starts at {start:#x}, which is line {line} of its pattern {mode}, but the base offset is {base}; expected a start in the first {LINE} bytes after a multiple of {pattern}, or the base offset {line}"
            ));
        }
        // The extent of the matrix in a swizzled row, and how often the layout uses each of the two distances.
        let (in_row, uses_leading, uses_stride) = match self.major {
            Major::K { chunks } => (chunks, width == 1 && chunks > 1, self.rows > EIGHT),
            Major::Mn { packed, steps } => {
                let chunks = self.rows / packed;
                let (over_rows, over_steps) = (chunks > width, steps > EIGHT);
                let (leading, stride) = if width == 1 { (over_steps, over_rows) } else { (over_rows, over_steps) };
                (chunks.min(width), leading, stride)
            }
        };
        let first = start % row;
        if width > 1 && first + in_row * CHUNK > row {
            let bytes = in_row * CHUNK;
            return Err(format!(
                "{bytes} contiguous bytes of the matrix start at byte {first} of a row {mode}; expected at most byte {} of the row",
                row.saturating_sub(bytes)
            ));
        }
        let distances = [("leading dimension", leading, uses_leading), ("stride dimension", stride, uses_stride)];
        let pattern = EIGHT * row;
        for (name, distance, _) in distances.into_iter().filter(|(.., is_used)| *is_used && width > 1) {
            if !distance.is_multiple_of(pattern) || distance == 0 {
                return Err(format!(
                    "the {name} byte offset is {distance}; expected a multiple of {pattern}, the size of the pattern {mode}"
                ));
            }
        }
        let mut addresses = self.chunks(descriptor, 0..self.rows);
        addresses.sort_unstable();
        let is_repeated = addresses.windows(2).any(|pair| pair[0] == pair[1]);
        if is_repeated {
            let used: Vec<String> = distances
                .into_iter()
                .filter(|(.., is_used)| *is_used)
                .map(|(name, distance, _)| format!("the {name} byte offset {distance}"))
                .collect();
            return Err(format!("with {}, two parts of the matrix have the same address", used.join(" and ")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
