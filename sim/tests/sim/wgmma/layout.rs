// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random canonical layouts of a matrix in shared memory, element by element as PTX writes them.

/// A matrix in shared memory: all sizes in bytes.
#[derive(Clone, Debug)]
pub struct Layout {
    rows: usize,
    size: usize,
    start: usize,
    /// Bytes of a swizzled row; 16 without swizzle.
    width: usize,
    leading: usize,
    stride: usize,
    pub is_mn_major: bool,
}

impl Layout {
    /// A layout for rows of 32 bytes of elements of `size` bytes, from the address `from` on.
    pub fn random(random: &mut fastrand::Rng, rows: usize, size: usize, from: usize) -> Layout {
        let width = [16, 32, 64, 128][random.usize(0..4)];
        let is_mn_major = size == 2 && random.bool();
        let (atom, gap) = (8 * width, random.usize(0..3));
        let mut layout = Layout { rows, size, start: from, width, leading: 0, stride: 0, is_mn_major };
        if width == 16 {
            // Blocks of 8 x 16 bytes, two along K or in two steps, and one or more along the rows, in both orders.
            let along_rows = if is_mn_major { rows * size / 16 } else { rows / 8 };
            let padding = 16 * random.usize(0..3);
            let (inner, outer) = (atom + padding, |count: usize| count * (atom + padding) + 128 * gap);
            let (along_k, rows_apart) = if random.bool() { (inner, outer(2)) } else { (outer(along_rows), inner) };
            (layout.leading, layout.stride) = (along_k, rows_apart);
            layout.start += 16 * random.usize(0..8);
        } else if is_mn_major {
            let along_rows = (rows * size).div_ceil(width);
            let outer = |count: usize| atom * (count + gap);
            (layout.leading, layout.stride) = if random.bool() { (atom, outer(along_rows)) } else { (outer(2), atom) };
        } else {
            // The leading offset is not used.
            (layout.leading, layout.stride) = (16 * random.usize(0..9), atom * (1 + gap));
            layout.start += 32 * random.usize(0..width / 32);
        }
        layout
    }

    /// The address of an element.
    pub fn address(&self, row: usize, k: usize) -> usize {
        let Layout { size, start, width, leading, stride, .. } = *self;
        let swizzled = |at: usize| at ^ (at >> 7 & (width / 16 - 1)) << 4;
        match (self.is_mn_major, width) {
            (false, 16) => start + row / 8 * stride + row % 8 * 16 + k * size / 16 * leading + k * size % 16,
            (false, _) => swizzled(start + row / 8 * stride + row % 8 * width + k * size),
            (true, 16) => start + row * size / 16 * stride + k / 8 * leading + k % 8 * 16 + row * size % 16,
            (true, _) => {
                let per_atom = width / size;
                swizzled(start + row / per_atom * leading + k / 8 * stride + k % 8 * width + row % per_atom * size)
            }
        }
    }

    /// The byte after the last chunk of the matrix.
    pub fn end(&self) -> usize {
        let all = (0..self.rows).flat_map(|row| (0..32 / self.size).map(move |k| (row, k)));
        all.map(|(row, k)| self.address(row, k) | 15).max().unwrap_or(0) + 1
    }

    pub fn descriptor(&self) -> u64 {
        let mode = match self.width {
            16 => 0,
            32 => 3,
            64 => 2,
            _ => 1,
        };
        let field = |bytes: usize| (bytes >> 4) as u64;
        field(self.start) | field(self.leading) << 16 | field(self.stride) << 32 | mode << 62
    }
}
