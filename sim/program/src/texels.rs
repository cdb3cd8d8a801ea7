// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The texels of a fetch with their weights, and its results, by the formulas of the CUDA programming guide on texture fetching.

use super::texture::{AddressMode, Fetched, Texture, MAX_RANK};
use crate::arith::bits::extended;
use crate::arith::{Format, Type, TypeKind};
use crate::launch::Element;

/// Coordinates of a fetch, innermost dimension first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinates {
    Float([f32; MAX_RANK]),
    /// The index of a texel, which is neither normalized nor interpolated.
    Integer([i32; MAX_RANK]),
}

/// A texel that contributes to a fetch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texel {
    pub address: u64,
    pub weight: f64,
}

/// Along one dimension, the indices of texels with their weights; `None`: outside of the texture, where texels are 0.
type Axis = Vec<(Option<u64>, f64)>;

impl Texture {
    /// The texels of a fetch, without those outside of the texture. `None`: a coordinate is not a number.
    pub fn texels(&self, coordinates: Coordinates) -> Option<Vec<Texel>> {
        let mut found = vec![Texel { address: self.address, weight: 1.0 }];
        for (i, extent) in self.extents.iter().enumerate() {
            let stride = i.checked_sub(1).map_or(Some(self.texel_bytes()), |i| self.strides.get(i).copied())?;
            let axis = match coordinates {
                Coordinates::Float(at) => self.axis(*extent, at[i].into(), self.modes[i])?,
                Coordinates::Integer(at) => vec![(self.index(*extent, at[i].into(), self.modes[i]), 1.0)],
            };
            let along = |texel: Texel| {
                axis.iter().filter_map(move |(index, weight)| {
                    let address = texel.address.wrapping_add((*index)?.wrapping_mul(stride));
                    Some(Texel { address, weight: texel.weight * weight })
                })
            };
            found = found.into_iter().flat_map(along).collect();
        }
        Some(found)
    }

    /// The index of a texel that is given as an integer. A texture of one dimension, which is linear memory, is 0 outside.
    fn index(&self, extent: u64, at: i64, mode: AddressMode) -> Option<u64> {
        let is_border = mode == AddressMode::Border || self.extents.len() == 1;
        inside(extent, at, if is_border { AddressMode::Border } else { AddressMode::Clamp })
    }

    fn axis(&self, extent: u64, at: f64, mode: AddressMode) -> Option<Axis> {
        // Without normalized coordinates, CUDA replaces these modes.
        let mode = match mode {
            AddressMode::Wrap | AddressMode::Mirror if !self.normalized => AddressMode::Clamp,
            mode => mode,
        };
        let at = match mode {
            AddressMode::Wrap => at - at.floor(),
            AddressMode::Mirror if at.floor().rem_euclid(2.0) == 1.0 => 1.0 - (at - at.floor()),
            AddressMode::Mirror => at - at.floor(),
            AddressMode::Clamp | AddressMode::Border => at,
        };
        if at.is_nan() {
            return None;
        }
        let at = if self.normalized { at * extent as f64 } else { at };
        if !self.linear {
            return Some(vec![(inside(extent, at.floor() as i64, mode), 1.0)]);
        }
        // The limits keep the numbers below exact; outside of them all texels are equal.
        let from = (at - 0.5).clamp(-4.0, extent as f64 + 4.0);
        let first = from.floor();
        // The weight has 8 bits after the point.
        let weight = ((from - first) * 256.0).round() / 256.0;
        let both = [(first as i64, 1.0 - weight), (first as i64 + 1, weight)];
        let used = both.into_iter().filter(|(_, weight)| *weight > 0.0);
        Some(used.map(|(index, weight)| (inside(extent, index, mode), weight)).collect())
    }

    /// The four results of a fetch, from the bytes of its texels as numbers, each with the texel's weight. A number is unknown if a
    /// byte is unknown, if the texture does not have the channel, or if its type is not that of the fetch.
    pub fn results(&self, fetched: Fetched, texels: &[(Vec<Option<u8>>, f64)]) -> [Option<u64>; 4] {
        let size = self.element.size();
        let number = |bytes: &[Option<u8>], channel: usize| {
            let bytes = bytes.get(channel * size..(channel + 1) * size)?;
            bytes.iter().rev().try_fold(0u64, |number, byte| Some(number << 8 | u64::from((*byte)?)))
        };
        let result = |channel: usize| {
            if channel >= self.channels {
                return None;
            }
            let is_float = self.element.is_float() || self.to_float;
            match (texels, is_float) {
                _ if is_float != (fetched == Fetched::F32) => None,
                ([], _) => Some(0),
                ([(bytes, _)], false) => Some(self.integer(number(bytes, channel)?, fetched)),
                // A single number keeps its bits.
                ([(bytes, weight)], true) if self.element == Element::F32 && *weight == 1.0 => number(bytes, channel),
                (texels, _) => {
                    let sum = texels
                        .iter()
                        .try_fold(0.0, |sum, (bytes, weight)| Some(sum + weight * self.float(number(bytes, channel)?)));
                    sum.map(|sum| (sum as f32).to_bits().into())
                }
            }
        };
        [0, 1, 2, 3].map(result)
    }

    fn is_signed(&self) -> bool {
        matches!(self.element, Element::I8 | Element::I16 | Element::I32)
    }

    fn integer(&self, bits: u64, fetched: Fetched) -> u64 {
        let kind = |signed: bool| if signed { TypeKind::Signed } else { TypeKind::Unsigned };
        let value = extended(bits, Type { kind: kind(self.is_signed()), bits: 8 * self.element.size() as u32 }) as u64;
        extended(value, Type { kind: kind(fetched == Fetched::S32), bits: 32 }) as u64
    }

    fn float(&self, bits: u64) -> f64 {
        match self.element {
            Element::F32 => f32::from_bits(bits as u32).into(),
            Element::F16 => Format::F16.value(bits),
            _ => {
                let width = 8 * self.element.size() as u32;
                let signed = self.is_signed();
                let kind = if signed { TypeKind::Signed } else { TypeKind::Unsigned };
                let most = (1u64 << (width - u32::from(signed))) - 1;
                (extended(bits, Type { kind, bits: width }) as f64 / most as f64).max(-1.0)
            }
        }
    }
}

/// The index in the texture for an index that may be outside.
fn inside(extent: u64, at: i64, mode: AddressMode) -> Option<u64> {
    let last = extent as i64 - 1;
    let index = match mode {
        AddressMode::Border if !(0..=last).contains(&at) => return None,
        AddressMode::Wrap => at.rem_euclid(last + 1),
        _ => at.clamp(0, last),
    };
    u64::try_from(index).ok()
}
