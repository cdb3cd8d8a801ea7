// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Textures: the handle of a texture is the address of its description in global memory. Programs must not depend on the bytes of a
//! description; the layout is specific to this project. Bytes 0 to 15 are a mark, byte 16 is the rank, byte 17 the element type (its index
//! in [`Element::ALL`]), byte 18 the number of channels, byte 19 the flags, bytes 20 to 22 the address modes. From byte 24 on there are
//! numbers of 8 bytes, little endian: the address, three extents, the strides of rows and slices.

use crate::launch::Element;

/// Bytes of the description of a texture.
pub const BYTES: usize = 128;
/// Alignment of the address of a description, in bytes.
pub const ALIGNMENT: u64 = 64;

pub const MAX_RANK: usize = 3;
pub const MAX_EXTENT: u64 = 1 << 27;
/// Strides are below this number of bytes.
pub const STRIDES: u64 = 1 << 40;

const MARK: &[u8; 16] = b"bcu texture map ";
/// First byte of the numbers.
const NUMBERS: usize = 24;

/// An array of texels in global memory, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Type of a channel: integers and floating-point numbers of at most 32 bits, without bf16.
    pub element: Element,
    /// Numbers of a texel: 1, 2 or 4.
    pub channels: usize,
    pub address: u64,
    /// Texels along one to three dimensions, innermost first.
    pub extents: Vec<u64>,
    /// Bytes from one row, and from one slice, to the next; one number less than there are extents.
    pub strides: Vec<u64>,
    /// Whether neighbouring texels are interpolated.
    pub linear: bool,
    /// Whether coordinates are from 0 to 1.
    pub normalized: bool,
    /// Whether integers are returned as numbers from 0 or -1 to 1.
    pub to_float: bool,
    /// The treatment of coordinates outside of the texture, for each dimension.
    pub modes: [AddressMode; MAX_RANK],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    Clamp,
    Wrap,
    Mirror,
    Border,
}

impl AddressMode {
    pub const ALL: [(&'static str, AddressMode); 4] = [
        ("clamp", AddressMode::Clamp),
        ("wrap", AddressMode::Wrap),
        ("mirror", AddressMode::Mirror),
        ("border", AddressMode::Border),
    ];

    pub fn named(name: &str) -> Option<AddressMode> {
        AddressMode::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }
}

/// The type of the four results of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    F32,
    S32,
    U32,
}

/// Whether textures may have elements of this type.
pub fn is_texel(element: Element) -> bool {
    element.size() <= 4 && element != Element::Bf16
}

impl Texture {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u64 {
        (self.element.size() * self.channels) as u64
    }

    pub fn encode(&self) -> Vec<u8> {
        let element = Element::ALL.iter().position(|(_, known)| *known == self.element).unwrap_or(0);
        let flags = u8::from(self.linear) | u8::from(self.normalized) << 1 | u8::from(self.to_float) << 2;
        let mut bytes = MARK.to_vec();
        bytes.extend([self.extents.len() as u8, element as u8, self.channels as u8, flags]);
        let mode = |mode: &AddressMode| AddressMode::ALL.iter().position(|(_, known)| known == mode).unwrap_or(0) as u8;
        bytes.extend(self.modes.iter().map(mode).chain([0]));
        let extents = (0..MAX_RANK).map(|i| self.extents.get(i).copied().unwrap_or(0));
        let strides = (0..MAX_RANK - 1).map(|i| self.strides.get(i).copied().unwrap_or(0));
        for number in [self.address].into_iter().chain(extents).chain(strides) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(BYTES, 0);
        bytes
    }

    /// Decodes a description; `None` if these bytes are not one.
    pub fn decode(bytes: &[u8]) -> Option<Texture> {
        let body = bytes.strip_prefix(MARK).filter(|_| bytes.len() == BYTES)?;
        let [rank, element, channels, flags, x, y, z, ..] = *body else { return None };
        let number = |i: usize| {
            let bytes = bytes.get(NUMBERS + 8 * i..NUMBERS + 8 * i + 8)?;
            Some(bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
        };
        let rank = Some(usize::from(rank)).filter(|rank| (1..=MAX_RANK).contains(rank))?;
        let mode = |mode: u8| AddressMode::ALL.get(usize::from(mode)).map(|(_, mode)| *mode);
        let texture = Texture {
            element: Element::ALL.get(usize::from(element))?.1,
            channels: channels.into(),
            address: number(0)?,
            extents: (0..rank).map(|i| number(1 + i)).collect::<Option<_>>()?,
            strides: (0..rank - 1).map(|i| number(1 + MAX_RANK + i)).collect::<Option<_>>()?,
            linear: flags & 1 != 0,
            normalized: flags & 2 != 0,
            to_float: flags & 4 != 0,
            modes: [mode(x)?, mode(y)?, mode(z)?],
        };
        texture.is_valid().then_some(texture)
    }

    /// Whether all numbers are within their limits.
    pub fn is_valid(&self) -> bool {
        let returns_float = self.element.is_float() || self.to_float && self.element.size() <= 2;
        is_texel(self.element)
            && matches!(self.channels, 1 | 2 | 4)
            && self.extents.iter().all(|extent| (1..=MAX_EXTENT).contains(extent))
            && self.strides.iter().all(|stride| *stride < STRIDES && stride.is_multiple_of(self.texel_bytes()))
            && self.strides.len() + 1 == self.extents.len()
            && self.address.is_multiple_of(self.texel_bytes())
            && (returns_float || !self.linear && !self.to_float)
    }
}

#[cfg(test)]
mod tests;
