// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The pixels of an im2col map (`cuTensorMapEncodeIm2col`): the tensor is a batch of images, and a copy takes pixels one after the other,
//! each with its channels, as a filter meets them (PTX, *im2col mode*).

use super::limits::{invalid, InvalidMap};
use super::map::{Pixels, TensorMap};

/// Limits of the pixels of a copy, and of the dimensions.
pub const MAX_PIXELS: u64 = 1024;
pub const MIN_RANK: usize = 3;

impl TensorMap {
    /// Checks the values of an im2col map.
    pub(super) fn check_pixels(&self, pixels: &Pixels) -> Result<(), InvalidMap> {
        let rank = self.dimensions.len();
        if rank < MIN_RANK || pixels.corners.len() != rank - 2 {
            return invalid(
                "rank",
                rank,
                format!("{MIN_RANK} or more dimensions in im2col mode, and corners for all but two of them"),
            );
        }
        if !(1..=MAX_PIXELS).contains(&pixels.count) {
            return invalid("pixels", pixels.count, format!("1 to {MAX_PIXELS}"));
        }
        let most = [1 << 15, 1 << 7, 1 << 4][(rank - MIN_RANK).min(2)];
        for (i, ([low, high], one)) in pixels.corners.iter().zip(self.dimensions.iter().skip(1)).enumerate() {
            for (name, value) in [("lower", low), ("upper", high)] {
                if !(-most..most).contains(value) {
                    return invalid(&format!("{name}[{i}]"), value, format!("{} to {}", -most, most - 1));
                }
            }
            if *low >= (one.extent as i64).saturating_add(*high) {
                let what = format!("{low}, and its `upper[{i}]` is {high} with {} elements", one.extent);
                return invalid(&format!("lower[{i}]"), what, "a box of positions that is not empty");
            }
        }
        Ok(())
    }

    /// The first coordinate, with its dimension, at which the filter is not in the box of positions of an im2col map.
    pub fn outside_of_corners(&self, coordinates: &[i32]) -> Option<(usize, i32, [i64; 2])> {
        let pixels = self.pixels.as_ref()?;
        let spatial = coordinates.iter().zip(&self.dimensions).enumerate().skip(1).zip(&pixels.corners);
        spatial
            .map(|((i, (at, one)), [low, high])| (i, *at, [*low, (one.extent as i64).saturating_add(*high)]))
            .find(|(_, at, [low, end])| !(*low..*end).contains(&i64::from(*at)))
    }

    /// The positions of the pixels of a copy along the dimensions but the innermost. `outer` are the coordinates along them, and the offsets.
    /// The filter moves along the innermost dimension first, by the element strides, and begins again at the lower corner.
    pub(super) fn pixel_positions<'a>(&'a self, pixels: &'a Pixels, outer: Vec<i64>) -> impl Iterator<Item = Vec<i64>> + 'a {
        let offsets: Vec<i64> = outer.iter().skip(self.dimensions.len().saturating_sub(1)).copied().collect();
        let mut filter: Vec<i64> = outer.into_iter().take(self.dimensions.len().saturating_sub(1)).collect();
        (0..pixels.count).map(move |_| {
            let shifts = offsets.iter().copied().chain(std::iter::repeat(0));
            let pixel = filter.iter().zip(shifts).map(|(at, shift)| at.saturating_add(shift)).collect();
            for (i, (at, one)) in filter.iter_mut().zip(self.dimensions.iter().skip(1)).enumerate() {
                *at = at.saturating_add(one.element_stride as i64);
                match pixels.corners.get(i) {
                    Some([low, high]) if *at >= (one.extent as i64).saturating_add(*high) => *at = *low,
                    _ => break,
                }
            }
            pixel
        })
    }
}
