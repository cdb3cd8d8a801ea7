// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor maps: a tensor copy gets the description of the tensor from a map, and the coordinates from the instruction. Programs must not
//! depend on the bytes of a map; the layout is specific to this project. Bytes 0 to 15 are a mark, byte 16 is the rank, byte 17 the
//! element type (its index in [`Element::ALL`]), and bytes 24 to 31 are the address. From byte 32 on, each dimension has 8 bytes of extent,
//! 8 of stride, 2 of box and 1 of element stride. Numbers are little endian; all other bytes are 0.

use crate::launch::Element;

/// Bytes of a tensor map.
pub const BYTES: usize = 128;
/// Alignment of the address of a tensor map, in bytes.
pub const ALIGNMENT: u64 = 64;

/// Limits of `cuTensorMapEncodeTiled`.
pub const MAX_RANK: usize = 5;
pub const MAX_EXTENT: u64 = 1 << 32;
pub const MAX_BOX: u64 = 256;
pub const MAX_ELEMENT_STRIDE: u64 = 8;
/// Strides are below this number of bytes.
pub const STRIDES: u64 = 1 << 40;
/// The address, the strides and the bytes of the innermost dimension of the box are multiples of this number.
pub const UNIT: u64 = 16;

const MARK: &[u8; 16] = b"bcu tensor map 1";
/// First byte of the dimensions in a tensor map.
const DIMENSIONS: usize = 32;
/// Bytes of one dimension in a tensor map.
const DIMENSION: usize = 19;

/// A tensor in global memory, and the box of it that one copy transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub element: Element,
    /// Address of the element at coordinates 0.
    pub address: u64,
    /// One to five dimensions, innermost first.
    pub dimensions: Vec<Dimension>,
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
    pub fn encode(&self) -> Vec<u8> {
        let element = Element::ALL.iter().position(|(_, known)| *known == self.element).unwrap_or(0);
        let mut bytes = MARK.to_vec();
        bytes.extend([self.dimensions.len() as u8, element as u8, 0, 0, 0, 0, 0, 0]);
        bytes.extend(self.address.to_le_bytes());
        for Dimension { extent, stride, size, element_stride } in &self.dimensions {
            bytes.extend(extent.to_le_bytes().into_iter().chain(stride.to_le_bytes()));
            bytes.extend((*size as u16).to_le_bytes().into_iter().chain([*element_stride as u8]));
        }
        bytes.resize(BYTES, 0);
        bytes
    }

    /// Decodes a tensor map; `None` if these bytes are not a tensor map.
    pub fn decode(bytes: &[u8]) -> Option<TensorMap> {
        let body = bytes.strip_prefix(MARK).filter(|_| bytes.len() == BYTES)?;
        let [rank, element, ..] = *body else { return None };
        let number = |at: usize, length: usize| {
            let bytes = bytes.get(at..at.checked_add(length)?)?;
            Some(bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
        };
        let dimension = |i: usize| {
            let at = DIMENSIONS + i * DIMENSION;
            let (extent, stride) = (number(at, 8)?, number(at + 8, 8)?);
            Some(Dimension { extent, stride, size: number(at + 16, 2)?, element_stride: number(at + 18, 1)? })
        };
        let rank = Some(usize::from(rank)).filter(|rank| (1..=MAX_RANK).contains(rank))?;
        let dimensions = (0..rank).map(dimension).collect::<Option<Vec<Dimension>>>()?;
        let element = Element::ALL.get(usize::from(element))?.1;
        let map = TensorMap { element, address: number(24, 8)?, dimensions };
        map.valid().then_some(map)
    }

    /// Whether all numbers are within their limits.
    fn valid(&self) -> bool {
        let size = self.element.size() as u64;
        let within = |(i, one): (usize, &Dimension)| {
            let stride = if i == 0 { one.stride == size } else { one.stride < STRIDES && one.stride.is_multiple_of(UNIT) };
            stride
                && (1..=MAX_EXTENT).contains(&one.extent)
                && (1..=MAX_BOX).contains(&one.size)
                && (1..=MAX_ELEMENT_STRIDE).contains(&one.element_stride)
        };
        let inner = self.dimensions.first().is_some_and(|inner| (inner.size * size).is_multiple_of(UNIT));
        self.dimensions.iter().enumerate().all(within) && inner && self.address.is_multiple_of(UNIT)
    }

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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        let dimension = |(extent, stride, size, element_stride)| Dimension { extent, stride, size, element_stride };
        let dimensions = [(10, 4, 8, 1), (MAX_EXTENT, STRIDES - 16, 3, 2)].map(dimension).to_vec();
        TensorMap { element: Element::F32, address: 0x1_0000_0010, dimensions }
    }

    #[test]
    fn a_map_comes_back_from_its_bytes() {
        let bytes = map().encode();
        assert_eq!((bytes.len(), TensorMap::decode(&bytes)), (BYTES, Some(map())));
        assert_eq!(TensorMap::decode(&bytes[..127]), None);
        for (at, value) in
            [(0, 0), (16, 0), (16, 6), (17, 12), (24, 8), (32, 0), (36, 3), (40, 8), (48, 6), (49, 1), (60, 255), (69, 9)]
        {
            let mut bytes = bytes.clone();
            let before = std::mem::replace(&mut bytes[at], value);
            // For the extent, only 0 is too small.
            let same = at == 32 && before != 10;
            assert!(same || TensorMap::decode(&bytes).is_none() || at == 60, "byte {at}");
        }
    }

    #[test]
    fn rows_are_what_of_the_box_is_in_the_tensor() {
        let map = map();
        assert_eq!(map.box_bytes(), 64);
        let rows =
            |coordinates: [i32; 2]| map.rows(&coordinates).map(|row| (row.address, row.first, row.bytes)).collect::<Vec<_>>();
        let stride = STRIDES - 16;
        assert_eq!(rows([4, 1]), [(map.address + 16 + stride, 0, 24), (map.address + 16 + 3 * stride, 32, 24)]);
        assert_eq!(rows([-3, -1]), [(map.address + stride, 12 + 32, 20)]);
        assert_eq!(rows([10, 0]), []);
        assert_eq!(rows([-8, 0]), []);
        assert_eq!(rows([i32::MIN, i32::MAX]), []);
        // An address beyond 64 bits, where there is no memory, is replaced by the highest address.
        let far = TensorMap { address: u64::MAX - 15, ..map.clone() };
        assert_eq!(far.rows(&[0, i32::MAX]).next().map(|row| row.address), Some(u64::MAX));
    }

    /// Kernels may overwrite a map with any bytes.
    #[test]
    fn any_bytes_are_no_map_or_one_with_rows() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut maps, mut rows) = (0, 0);
        for _ in 0..20_000 {
            let mut bytes = map().encode();
            for _ in 0..random.usize(1..5) {
                bytes[random.usize(16..90)] = [0, 1, 2, 5, 128, 240, 255][random.usize(0..7)];
            }
            let Some(map) = TensorMap::decode(&bytes) else { continue };
            maps += 1;
            assert_eq!(map.encode()[16..18], bytes[16..18]);
            let coordinates = [0; MAX_RANK].map(|_| [0, -1, 7, i32::MIN, i32::MAX][random.usize(0..5)]);
            let bytes = map.box_bytes();
            for row in map.rows(&coordinates[..map.dimensions.len()]).take(100) {
                rows += 1;
                assert!(row.bytes > 0 && row.first + row.bytes <= bytes, "{map:?} {row:?}");
            }
        }
        assert!(maps > 100 && rows > 100, "{maps} {rows}");
    }
}
