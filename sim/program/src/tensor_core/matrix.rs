// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A matrix in shared memory that a descriptor of `tcgen05` names (PTX, *Shared memory descriptor* and *Canonical Layouts*). A chunk has 16
//! bytes.

/// Bytes of a chunk.
const CHUNK: u64 = 16;
/// Rows, or columns, of the smallest part of a layout.
const EIGHT: u64 = 8;
/// Bytes of a line, whose number selects the exchange of chunks.
const LINE: u64 = 128;
/// The addresses that a descriptor can name.
const ADDRESSES: u64 = 1 << 18;

/// The direction in which the elements of a matrix are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order2d {
    /// Along K.
    K,
    /// Along M or N.
    Mn,
}

/// The fields of a descriptor, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixInShared {
    start: u64,
    leading: u64,
    stride: u64,
    base: u64,
    /// Chunks of a swizzled row: 2, 4 or 8; 1 without swizzle.
    width: u64,
    order: Order2d,
}

impl MatrixInShared {
    /// The matrix of a descriptor, which has `chunks` chunks along K in the order `K`. `Ok(None)`: a layout of PTX that is not calculated;
    /// an error: why PTX has no such layout.
    pub fn decode(descriptor: u64, order: Order2d, chunks: u64) -> Result<Option<MatrixInShared>, String> {
        let encoded = |at: u32| (descriptor >> at & 0x3fff) * CHUNK;
        let version = descriptor >> 46 & 7;
        if version != 1 {
            return Err(format!("its bits 48:46 are {version}; on sm_100 they are 1"));
        }
        let width = match descriptor >> 61 {
            0 => 1,
            2 => 8,
            4 => 4,
            6 => 2,
            1 if order == Order2d::Mn => return Ok(None),
            1 => return Err("its bits 63:61 state the swizzle 1, which only a transposed matrix may have".into()),
            other => return Err(format!("its bits 63:61 are {other}; 0, 1, 2, 4 and 6 are layouts")),
        };
        if descriptor >> 52 & 1 == 1 {
            return Ok(None);
        }
        if order == Order2d::K && width > 1 && chunks > width {
            let (row, bytes) = (width * CHUNK, chunks * CHUNK);
            return Err(format!("its swizzle has rows of {row} bytes, and a row of the matrix has {bytes}"));
        }
        let base = descriptor >> 49 & 7;
        Ok(Some(MatrixInShared { start: encoded(0), leading: encoded(16), stride: encoded(32), base, width, order }))
    }

    /// The address, in the shared memory of the CTA, of a chunk: of the chunk with this number in a row along K; or, along M and N, of
    /// eight units of 16 bits at the step `row` along K. The swizzle exchanges the chunks of a line by the number of the line.
    pub fn chunk(&self, row: u64, chunk: u64) -> u64 {
        let MatrixInShared { leading, stride, width, .. } = *self;
        let line = row % EIGHT * width * CHUNK;
        let offset = match self.order {
            // Without swizzle, `leading` is between the columns of chunks; a swizzled row is contiguous.
            Order2d::K => line + row / EIGHT * stride + chunk * if width == 1 { leading } else { CHUNK },
            // Without swizzle, the two strides have exchanged meanings.
            Order2d::Mn => {
                let (along, eight_steps) = if width == 1 { (stride, leading) } else { (leading, stride) };
                line + row / EIGHT * eight_steps + chunk % width * CHUNK + chunk / width * along
            }
        };
        let at = (self.start + offset) % ADDRESSES;
        let number = (at / LINE).wrapping_sub(self.base);
        at ^ (number & (width - 1)) * CHUNK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> u64 {
        start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | swizzle << 61
    }

    fn decoded(descriptor: u64, order: Order2d) -> MatrixInShared {
        MatrixInShared::decode(descriptor, order, 2).unwrap().unwrap()
    }

    #[test]
    fn a_swizzled_row_is_exchanged_by_its_line() {
        let matrix = decoded(descriptor(0x400, 16, 1024, 2), Order2d::K);
        assert_eq!(matrix.chunk(0, 1), 0x410);
        assert_eq!(matrix.chunk(1, 0), 0x400 + 0x80 + 0x10);
        assert_eq!(matrix.chunk(9, 1), 0x400 + 1024 + 0x80);
        // The next 32 bytes along K are at a start address inside the pattern.
        let next = decoded(descriptor(0x420, 16, 1024, 2), Order2d::K);
        assert_eq!(next.chunk(3, 0), 0x400 + 3 * 0x80 + ((2 ^ 3) << 4));
        let narrow = decoded(descriptor(0, 16, 256, 6), Order2d::K);
        assert_eq!([0, 3, 4, 5].map(|row| narrow.chunk(row, 0)), [0, 0x60, 0x90, 0xb0]);
    }

    #[test]
    fn without_swizzle_the_strides_give_the_chunks() {
        let matrix = decoded(descriptor(0x100, 2048, 128, 0), Order2d::K);
        assert_eq!(matrix.chunk(10, 1), 0x100 + 128 + 2 * 16 + 2048);
        let transposed = decoded(descriptor(0, 1024, 128, 0), Order2d::Mn);
        assert_eq!(transposed.chunk(9, 3), 1024 + 16 + 3 * 128);
        let swizzled = decoded(descriptor(0, 2048, 1024, 2), Order2d::Mn);
        assert_eq!(swizzled.chunk(2, 9), (2 * 128 + 16 + 2048) ^ 0x20);
    }

    #[test]
    fn other_descriptors_are_errors_or_not_calculated() {
        let good = descriptor(0, 16, 1024, 2);
        let decode = |descriptor: u64, order, chunks| MatrixInShared::decode(descriptor, order, chunks);
        assert!(decode(good & !(1 << 46), Order2d::K, 2).unwrap_err().contains("bits 48:46 are 0"));
        assert!(decode(descriptor(0, 16, 1024, 3), Order2d::K, 2).unwrap_err().contains("bits 63:61 are 3"));
        assert!(decode(descriptor(0, 16, 1024, 1), Order2d::K, 2).is_err());
        assert!(decode(descriptor(0, 16, 256, 6), Order2d::K, 4).unwrap_err().contains("rows of 32 bytes"));
        assert_eq!(decode(descriptor(0, 16, 1024, 1), Order2d::Mn, 2), Ok(None));
        assert_eq!(decode(good | 1 << 52, Order2d::K, 2), Ok(None));
    }
}
