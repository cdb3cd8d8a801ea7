// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrix descriptors of `tcgen05` (PTX, *Shared memory descriptor*): those of `wgmma` with other bits for version and swizzle.

use super::super::swizzle::Swizzle;
use super::super::warpgroup::{Major, MatrixDescriptor, CHUNK};

/// The matrix of a descriptor. `Ok(None)`: a layout of PTX that is not calculated; an error: why PTX has no such layout.
pub fn decode_matrix(descriptor: u64, major: Major) -> Result<Option<MatrixDescriptor>, String> {
    let is_along_k = matches!(major, Major::K { .. });
    let version = descriptor >> 46 & 7;
    if version != 1 {
        return Err(format!("its bits 48:46 are {version}; on sm_100 they are 1"));
    }
    let (swizzle, width) = match descriptor >> 61 {
        0 => (Swizzle::None, 1),
        2 => (Swizzle::B128, 8),
        4 => (Swizzle::B64, 4),
        6 => (Swizzle::B32, 2),
        1 if !is_along_k => return Ok(None),
        1 => return Err("its bits 63:61 state the swizzle 1, which only a transposed matrix may have".into()),
        other => return Err(format!("its bits 63:61 are {other}; 0, 1, 2, 4 and 6 are layouts")),
    };
    if descriptor >> 52 & 1 == 1 {
        return Ok(None);
    }
    if let Major::K { chunks } = major {
        if width > 1 && chunks > width {
            let (row, bytes) = (width * CHUNK, chunks * CHUNK);
            return Err(format!("its swizzle has rows of {row} bytes, and a row of the matrix has {bytes}"));
        }
    }
    let encoded = |at: u32| (descriptor >> at & 0x3fff) * CHUNK;
    let (start, leading, stride) = (encoded(0), encoded(16), encoded(32));
    Ok(Some(MatrixDescriptor { start, leading, stride, base: descriptor >> 49 & 7, swizzle }))
}

#[cfg(test)]
mod tests {
    use super::super::super::warpgroup::Tile;
    use super::*;

    const ALONG_K: Major = Major::K { chunks: 2 };
    const ALONG_MN: Major = Major::Mn { packed: 8, steps: 16 };

    fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> u64 {
        start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | swizzle << 61
    }

    /// The address of a chunk of a row along K, or of a step along K.
    fn chunk(descriptor: u64, major: Major, row: usize, chunk: usize) -> u64 {
        let tile = Tile { rows: 128, major };
        let chunks = tile.chunks(&decode_matrix(descriptor, major).unwrap().unwrap(), 0..128);
        let of_row = if major == ALONG_K { 2 } else { 16 };
        chunks[row * of_row + chunk]
    }

    #[test]
    fn a_swizzled_row_is_exchanged_by_its_line() {
        let wide = descriptor(0x400, 16, 1024, 2);
        assert_eq!([(0, 1), (1, 0), (9, 1)].map(|(row, at)| chunk(wide, ALONG_K, row, at)), [0x410, 0x490, 0x880]);
        // The next 32 bytes along K are at a start address inside the pattern.
        let next = descriptor(0x420, 16, 1024, 2);
        assert_eq!(chunk(next, ALONG_K, 3, 0), 0x400 + 3 * 0x80 + ((2 ^ 3) << 4));
        let narrow = descriptor(0, 16, 256, 6);
        assert_eq!([0, 3, 4, 5].map(|row| chunk(narrow, ALONG_K, row, 0)), [0, 0x60, 0x90, 0xb0]);
    }

    #[test]
    fn without_swizzle_the_strides_give_the_chunks() {
        assert_eq!(chunk(descriptor(0x100, 2048, 128, 0), ALONG_K, 10, 1), 0x100 + 128 + 2 * 16 + 2048);
        assert_eq!(chunk(descriptor(0, 1024, 128, 0), ALONG_MN, 9, 3), 1024 + 16 + 3 * 128);
        assert_eq!(chunk(descriptor(0, 2048, 1024, 2), ALONG_MN, 2, 9), (2 * 128 + 16 + 2048) ^ 0x20);
    }

    #[test]
    fn other_descriptors_are_errors_or_not_calculated() {
        let good = descriptor(0, 16, 1024, 2);
        assert!(decode_matrix(good & !(1 << 46), ALONG_K).unwrap_err().contains("bits 48:46 are 0"));
        assert!(decode_matrix(descriptor(0, 16, 1024, 3), ALONG_K).unwrap_err().contains("bits 63:61 are 3"));
        assert!(decode_matrix(descriptor(0, 16, 1024, 1), ALONG_K).is_err());
        let long = decode_matrix(descriptor(0, 16, 256, 6), Major::K { chunks: 4 });
        assert!(long.unwrap_err().contains("rows of 32 bytes"));
        assert_eq!(decode_matrix(descriptor(0, 16, 1024, 1), ALONG_MN), Ok(None));
        assert_eq!(decode_matrix(good | 1 << 52, ALONG_K), Ok(None));
    }
}
