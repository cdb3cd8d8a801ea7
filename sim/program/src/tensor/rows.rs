// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The elements that a tensor copy transfers: contiguous rows, and their places in shared memory.

use super::map::{Dimension, Mode, TensorMap};
use crate::swizzle::Swizzle;

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

    /// Bytes of a copy in shared memory.
    pub fn box_bytes(&self, mode: Mode) -> u64 {
        let row = self.counts().next().unwrap_or(0).saturating_mul(self.element.size() as u64);
        match mode {
            Mode::Tile => self.counts().skip(1).fold(row, u64::saturating_mul),
            Mode::Rows4 => row.saturating_mul(4),
            Mode::Im2col => row.saturating_mul(self.pixels.as_ref().map_or(0, |pixels| pixels.count)),
        }
    }

    /// The parts of the rows of a copy that are in the tensor. `coordinates` are those of the instruction (`Mode`).
    pub fn rows<'a>(&'a self, mode: Mode, coordinates: &'a [i32]) -> Box<dyn Iterator<Item = Row> + 'a> {
        let Some((first, outer)) = coordinates.split_first() else { return Box::new(std::iter::empty()) };
        let (first, outer) = (i64::from(*first), outer.iter().map(|at| i64::from(*at)));
        match mode {
            Mode::Tile => {
                let counts: Vec<u64> = self.counts().collect();
                let rows: u64 = counts.iter().skip(1).product();
                Box::new((0..rows).filter_map(move |number| {
                    let mut remaining_row = number;
                    let dimensions = self.dimensions.iter().zip(&counts).skip(1);
                    let positions = dimensions.zip(outer.clone()).map(|((one, count), first)| {
                        let at = first + (remaining_row % count * one.element_stride) as i64;
                        remaining_row /= count;
                        at
                    });
                    self.row(number, first, positions)
                }))
            }
            Mode::Rows4 => Box::new((0..).zip(outer).filter_map(move |(number, at)| self.row(number, first, [at].into_iter()))),
            Mode::Im2col => {
                let positions = self.pixels.as_ref().map(|pixels| self.pixel_positions(pixels, outer.collect()));
                let numbered = (0..).zip(positions.into_iter().flatten());
                Box::new(numbered.filter_map(move |(number, at)| self.row(number, first, at.into_iter())))
            }
        }
    }

    /// The part of row `number` of a copy that is in the tensor. The row begins at `first`, and at these positions along the other dimensions.
    fn row(&self, number: u64, first: i64, positions: impl Iterator<Item = i64>) -> Option<Row> {
        let inner = self.dimensions.first()?;
        let count = inner.size;
        // Extents and coordinates are at most 2^32, so the differences fit an `i64`.
        let low = (-first).clamp(0, count as i64) as u64;
        let inner_end = (inner.extent as i64 - first).clamp(0, count as i64) as u64;
        let size = self.element.size() as u64;
        let mut address = u128::from(self.address) + u128::from((first + low as i64).max(0) as u64 * size);
        for (one, at) in self.dimensions.iter().skip(1).zip(positions) {
            let at = u64::try_from(at).ok().filter(|at| *at < one.extent)?;
            address += u128::from(at) * u128::from(one.stride);
        }
        let address = u64::try_from(address).unwrap_or(u64::MAX);
        (low < inner_end).then(|| Row { address, first: (number * count + low) * size, bytes: (inner_end - low) * size })
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
