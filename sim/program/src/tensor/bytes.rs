// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes of a tensor map. Programs must not depend on them: the layout is specific to this project. Each field has a place of its own,
//! at the same offset in every map, so that `tensormap.replace` stores it, and a map of zeros is one whose fields are not set yet.
//! Numbers are little endian; bytes of no field are 0.

use super::limits::{invalid, InvalidMap, MAX_RANK};
use super::map::{Dimension, Outside, Pixels, TensorMap};
use crate::launch::Element;
use crate::swizzle::Swizzle;

/// Bytes of a tensor map.
pub const BYTES: usize = 128;

/// A field of a tensor map, with the names of `tensormap.replace`. The ordinal counts dimensions, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    GlobalAddress,
    /// Elements of the tensor along a dimension.
    GlobalDim(usize),
    /// Bytes from one element to the next along a dimension but the innermost: stride 0 is that of dimension 1.
    GlobalStride(usize),
    BoxDim(usize),
    ElementStride(usize),
    /// The number of dimensions less 1.
    Rank,
    /// The position in [`ELEMENTS`].
    ElemType,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
    /// Whether the map is for im2col mode. Then the box has the number of channels, the number of pixels, and for each dimension of the
    /// filter the lower corner in the low 16 bits and the upper corner in the high ones. No instruction replaces it.
    AccessMode,
}

/// The element types in the order of PTX's numbers; those without a type here are not supported. Copies of signed and unsigned bytes and
/// half words are the same.
const ELEMENTS: [Option<Element>; 11] = [
    Some(Element::U8),
    Some(Element::U16),
    Some(Element::U32),
    Some(Element::I32),
    Some(Element::U64),
    Some(Element::I64),
    Some(Element::F16),
    Some(Element::F32),
    None,
    Some(Element::F64),
    Some(Element::Bf16),
];

/// The numbers of the modes and atomicities of swizzles.
const SWIZZLES: [(Swizzle, [u64; 2]); 6] = [
    (Swizzle::None, [0, 0]),
    (Swizzle::B32, [1, 0]),
    (Swizzle::B64, [2, 0]),
    (Swizzle::B128, [3, 0]),
    (Swizzle::B128Atom32, [3, 1]),
    (Swizzle::B128Atom64, [3, 3]),
];

impl Field {
    /// The first byte of the field, and its number of bytes.
    pub fn place(self) -> (usize, usize) {
        match self {
            Field::GlobalAddress => (0, 8),
            Field::GlobalDim(i) => (8 + 8 * i, 8),
            Field::GlobalStride(i) => (48 + 8 * i, 8),
            Field::BoxDim(i) => (80 + 4 * i, 4),
            Field::ElementStride(i) => (100 + 2 * i, 2),
            Field::Rank => (112, 4),
            Field::ElemType => (116, 1),
            Field::InterleaveLayout => (117, 1),
            Field::SwizzleMode => (118, 1),
            Field::SwizzleAtomicity => (119, 1),
            Field::FillMode => (120, 1),
            Field::AccessMode => (121, 1),
        }
    }

    fn get(self, bytes: &[u8; BYTES]) -> u64 {
        let (first, count) = self.place();
        bytes.iter().skip(first).take(count).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn set(self, bytes: &mut [u8; BYTES], value: u64) {
        let (first, count) = self.place();
        bytes.iter_mut().skip(first).take(count).zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    }
}

impl TensorMap {
    pub fn encode(&self) -> Vec<u8> {
        let same_bits = match self.element {
            Element::I8 => Element::U8,
            Element::I16 => Element::U16,
            other => other,
        };
        let element = ELEMENTS.iter().position(|known| *known == Some(same_bits)).unwrap_or(0);
        let [mode, atomicity] = SWIZZLES.iter().find(|(known, _)| *known == self.swizzle).map_or([0, 0], |(_, code)| *code);
        let mut bytes = [0; BYTES];
        let mut set = |field: Field, value: u64| field.set(&mut bytes, value);
        set(Field::GlobalAddress, self.address);
        set(Field::Rank, (self.dimensions.len() as u64).saturating_sub(1));
        set(Field::ElemType, element as u64);
        set(Field::SwizzleMode, mode);
        set(Field::SwizzleAtomicity, atomicity);
        set(Field::FillMode, u64::from(self.outside == Outside::Nan));
        for (i, one) in self.dimensions.iter().enumerate().take(MAX_RANK) {
            set(Field::GlobalDim(i), one.extent);
            if i == 0 || self.pixels.is_none() {
                set(Field::BoxDim(i), one.size);
            }
            set(Field::ElementStride(i), one.element_stride);
            if let Some(before) = i.checked_sub(1) {
                set(Field::GlobalStride(before), one.stride);
            }
        }
        if let Some(pixels) = &self.pixels {
            set(Field::AccessMode, 1);
            set(Field::BoxDim(1), pixels.count);
            for (i, [low, high]) in pixels.corners.iter().enumerate().take(MAX_RANK - 2) {
                set(Field::BoxDim(2 + i), u64::from(*low as u16) | u64::from(*high as u16) << 16);
            }
        }
        bytes.to_vec()
    }

    /// Decodes a tensor map.
    ///
    /// # Errors
    /// The field whose value is not permitted or not supported.
    pub fn decode(bytes: &[u8]) -> Result<TensorMap, InvalidMap> {
        let Ok(bytes) = <&[u8; BYTES]>::try_from(bytes) else {
            return invalid("size", format!("{} bytes", bytes.len()), format!("{BYTES} bytes"));
        };
        let get = |field: Field| field.get(bytes);
        let rank = get(Field::Rank);
        if rank >= MAX_RANK as u64 {
            return invalid("rank", rank, format!("0 to {}, the number of dimensions less 1", MAX_RANK - 1));
        }
        let code = get(Field::ElemType);
        let Some(element) = usize::try_from(code).ok().and_then(|code| ELEMENTS.get(code).copied().flatten()) else {
            let known = "the number of an unpacked type other than .f32.ftz, .tf32 and .tf32.ftz";
            return invalid("elemtype", code, known);
        };
        if get(Field::InterleaveLayout) != 0 {
            return invalid("interleave_layout", get(Field::InterleaveLayout), "0: others are not supported");
        }
        let outside = match get(Field::FillMode) {
            0 => Outside::Zeros,
            1 => Outside::Nan,
            other => return invalid("fill_mode", other, "0 or 1"),
        };
        let [mode, atomicity] = [get(Field::SwizzleMode), get(Field::SwizzleAtomicity)];
        // Without swizzle, or within fewer bytes, the atomicity has no meaning.
        let code = [mode, if mode == 3 { atomicity } else { 0 }];
        let Some((swizzle, _)) = SWIZZLES.iter().find(|(_, known)| *known == code) else {
            let name = if mode == 3 { "swizzle_atomicity" } else { "swizzle_mode" };
            let value = if mode == 3 { atomicity } else { mode };
            return invalid(name, value, if mode == 3 { "0, 1 or 3: others are not supported" } else { "0 to 3" });
        };
        let is_im2col = match get(Field::AccessMode) {
            0 => false,
            1 => true,
            other => return invalid("access mode", other, "0 or 1"),
        };
        let last = Field::AccessMode.place();
        if let Some(at) = (last.0 + last.1..BYTES).find(|at| bytes[*at] != 0) {
            return invalid(&format!("byte {at}"), bytes[at], "0");
        }
        let dimension = |i: usize| Dimension {
            extent: get(Field::GlobalDim(i)),
            stride: i.checked_sub(1).map_or(element.size() as u64, |before| get(Field::GlobalStride(before))),
            size: if i > 0 && is_im2col { 1 } else { get(Field::BoxDim(i)) },
            element_stride: get(Field::ElementStride(i)),
        };
        let dimensions: Vec<Dimension> = (0..=rank as usize).map(dimension).collect();
        let corner = |i: usize| {
            let both = get(Field::BoxDim(2 + i));
            [i64::from(both as u16 as i16), i64::from((both >> 16) as u16 as i16)]
        };
        let corners = || (0..dimensions.len().saturating_sub(2)).map(corner).collect();
        let pixels = is_im2col.then(|| Pixels { count: get(Field::BoxDim(1)), corners: corners() });
        let map = TensorMap { element, address: get(Field::GlobalAddress), dimensions, swizzle: *swizzle, outside, pixels };
        map.check().map(|()| map)
    }
}
