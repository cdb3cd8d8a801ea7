// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of a tensor map: the tensor, the box, and the modes.

use crate::launch::Element;
use crate::swizzle::Swizzle;

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
    /// The pixels of an im2col map; `None`: copies have the mode `Tile` or `Rows4`.
    pub pixels: Option<Pixels>,
}

/// How a copy selects elements of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A box; the coordinates are those of its first element.
    #[default]
    Tile,
    /// Four rows of a tensor of two dimensions; the coordinates are that along the rows, and the numbers of the rows.
    Rows4,
    /// Pixels of images; the coordinates are followed by the offsets within the filter, one for each dimension but the innermost and the
    /// outermost.
    Im2col,
}

impl Mode {
    /// The number of coordinates and offsets for a tensor of `rank` dimensions.
    pub fn coordinates(self, rank: usize) -> usize {
        match self {
            Mode::Tile => rank,
            Mode::Rows4 => 5,
            Mode::Im2col => rank + rank.saturating_sub(2),
        }
    }
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

/// The positions of the filter of an im2col map, and the number of pixels of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub count: u64,
    /// For each dimension but the innermost (channels) and the outermost (images), innermost first: the first position of the filter, and
    /// the position after its last one, less the extent.
    pub corners: Vec<[i64; 2]>,
}
