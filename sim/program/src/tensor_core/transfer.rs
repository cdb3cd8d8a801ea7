// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shapes of transfers between tensor memory and registers, and of copies from shared memory (PTX, *Data Movement Shape*).

use super::address::TensorAddress;
use std::ops::Range;

/// Lanes of a warp.
const WARP: usize = 32;

/// A transfer between tensor memory and registers of a warp.
#[derive(Clone, Debug)]
pub struct Transfer {
    pub at: TensorAddress,
    pub shape: TransferShape,
    /// The repetitions along the columns, `.x1` to `.x128`.
    pub count: usize,
    /// Whether a register holds the low halves of two successive columns: `.pack::16b`, `.unpack::16b`.
    pub packed: bool,
    /// The columns from the first half to the second half of `.16x32bx2`.
    pub half: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferShape {
    Lanes32Bits32,
    Lanes16Bits64,
    Lanes16Bits128,
    Lanes16Bits256,
    Lanes16Bits32Twice,
}

impl TransferShape {
    pub fn from_modifier(modifier: &str) -> Option<TransferShape> {
        Some(match modifier {
            ".32x32b" => TransferShape::Lanes32Bits32,
            ".16x64b" => TransferShape::Lanes16Bits64,
            ".16x128b" => TransferShape::Lanes16Bits128,
            ".16x256b" => TransferShape::Lanes16Bits256,
            ".16x32bx2" => TransferShape::Lanes16Bits32Twice,
            _ => return None,
        })
    }

    /// The lanes of tensor memory that the transfer uses.
    pub fn lanes(self) -> usize {
        match self {
            TransferShape::Lanes32Bits32 => 32,
            _ => 16,
        }
    }

    /// The registers of a lane for one repetition.
    pub fn registers(self) -> usize {
        match self {
            TransferShape::Lanes32Bits32 | TransferShape::Lanes16Bits64 | TransferShape::Lanes16Bits32Twice => 1,
            TransferShape::Lanes16Bits128 => 2,
            TransferShape::Lanes16Bits256 => 4,
        }
    }
}

impl Transfer {
    /// The registers of a lane.
    pub fn registers(&self) -> usize {
        self.shape.registers() * self.count
    }

    /// The columns that a register holds: two with packing.
    pub fn columns_of_register(&self) -> usize {
        1 + usize::from(self.packed)
    }

    /// The row and the first column of a register of a lane, relative to the address.
    pub fn cell(&self, lane: usize, register: usize) -> (usize, usize) {
        let (row, column, half) = match self.shape {
            TransferShape::Lanes32Bits32 => (lane, register, 0),
            TransferShape::Lanes16Bits64 => (lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * register, 0),
            TransferShape::Lanes16Bits128 => (lane / 4 + 8 * (register % 2), lane % 4 + 4 * (register / 2), 0),
            TransferShape::Lanes16Bits256 => {
                (lane / 4 + 8 * (register / 2 % 2), register % 2 + 2 * (lane % 4) + 8 * (register / 4), 0)
            }
            TransferShape::Lanes16Bits32Twice => (lane % 16, register, self.half * (lane / 16)),
        };
        (row, column * self.columns_of_register() + half)
    }
}

impl Transfer {
    /// The columns of each lane of tensor memory, from a lane and a column on.
    pub fn cells(&self, (lane, column): (usize, usize)) -> Vec<(usize, Range<usize>)> {
        let lanes = self.shape.lanes();
        let columns = self.registers() * WARP / lanes * self.columns_of_register();
        let parts = match self.shape {
            TransferShape::Lanes16Bits32Twice => {
                let second = column + self.half;
                vec![column..column + columns / 2, second..second + columns / 2]
            }
            _ => vec![column..column + columns],
        };
        parts.into_iter().flat_map(|columns| (lane..lane + lanes).map(move |lane| (lane, columns.clone()))).collect()
    }
}

/// The shape of a copy from shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyShape {
    Rows128Bits256,
    Rows4Bits256,
    Rows128Bits128,
    /// Rows 0 to 31 to warps 0 and 2, the others to warps 1 and 3.
    Rows64AlternateWarps,
    /// Rows 0 to 31 to warps 0 and 1, the others to warps 2 and 3.
    Rows64AdjacentWarps,
    /// All rows to each warp.
    Rows32EveryWarp,
}

impl CopyShape {
    /// The shape of these modifiers; `None`: a form whose data is not calculated.
    pub fn from_modifiers(modifiers: &[&str]) -> Option<CopyShape> {
        let has = |modifier: &str| modifiers.contains(&modifier);
        if has(".b8x16") {
            return None;
        }
        Some(match () {
            _ if has(".128x256b") => CopyShape::Rows128Bits256,
            _ if has(".4x256b") => CopyShape::Rows4Bits256,
            _ if has(".128x128b") => CopyShape::Rows128Bits128,
            _ if has(".64x128b") && has(".warpx2::02_13") => CopyShape::Rows64AlternateWarps,
            _ if has(".64x128b") && has(".warpx2::01_23") => CopyShape::Rows64AdjacentWarps,
            _ if has(".32x128b") && has(".warpx4") => CopyShape::Rows32EveryWarp,
            _ => return None,
        })
    }

    pub fn rows(self) -> u64 {
        match self {
            CopyShape::Rows128Bits256 | CopyShape::Rows128Bits128 => 128,
            CopyShape::Rows4Bits256 => 4,
            CopyShape::Rows64AlternateWarps | CopyShape::Rows64AdjacentWarps => 64,
            CopyShape::Rows32EveryWarp => 32,
        }
    }

    /// The chunks of 16 bytes of a row; each fills four columns.
    pub fn chunks(self) -> u64 {
        match self {
            CopyShape::Rows128Bits256 | CopyShape::Rows4Bits256 => 2,
            _ => 1,
        }
    }

    /// The lanes that receive a row, relative to the address.
    pub fn lanes(self, row: usize) -> Vec<usize> {
        match self {
            CopyShape::Rows128Bits256 | CopyShape::Rows128Bits128 => vec![row],
            CopyShape::Rows4Bits256 => vec![32 * row],
            CopyShape::Rows64AlternateWarps => vec![row, row + 64],
            CopyShape::Rows64AdjacentWarps => {
                let lane = 64 * (row / 32) + row % 32;
                vec![lane, lane + 32]
            }
            CopyShape::Rows32EveryWarp => (0..4).map(|warp| row + 32 * warp).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::operand::Operand;
    use super::*;
    use std::collections::HashSet;

    fn transfer(shape: &str, count: usize, packed: bool, half: usize) -> Transfer {
        let at = TensorAddress { base: Operand::Immediate(0), offset: 0 };
        Transfer { at, shape: TransferShape::from_modifier(shape).unwrap(), count, packed, half }
    }

    #[test]
    fn every_cell_of_the_shape_is_in_one_register() {
        for (shape, bits) in [(".32x32b", 32), (".16x64b", 64), (".16x128b", 128), (".16x256b", 256), (".16x32bx2", 64)] {
            for (count, packed) in [(1, false), (4, false), (2, true)] {
                let columns = bits / 32 * count * if packed { 2 } else { 1 };
                let transfer = transfer(shape, count, packed, columns / 2);
                let mut cells = HashSet::new();
                for (lane, register) in (0..32).flat_map(|lane| (0..transfer.registers()).map(move |r| (lane, r))) {
                    let (row, column) = transfer.cell(lane, register);
                    (0..transfer.columns_of_register()).for_each(|more| assert!(cells.insert((row, column + more))));
                }
                let all = (0..transfer.shape.lanes()).flat_map(|row| (0..columns).map(move |column| (row, column)));
                assert_eq!(cells, all.collect::<HashSet<_>>(), "{shape}.x{count}");
                let ranges = transfer.cells((0, 0)).into_iter();
                let listed = ranges.flat_map(|(lane, columns)| columns.map(move |column| (lane, column)));
                assert_eq!(listed.collect::<HashSet<_>>(), cells);
            }
        }
    }

    #[test]
    fn a_fragment_of_eight_columns_is_that_of_an_accumulator() {
        // The fragment of `mma.sync.m16n8`: lane 5 holds columns 2 and 3 of rows 1 and 9.
        let transfer = transfer(".16x256b", 1, false, 0);
        assert_eq!([0, 1, 2, 3].map(|register| transfer.cell(5, register)), [(1, 2), (1, 3), (9, 2), (9, 3)]);
    }

    #[test]
    fn copies_fill_the_lanes_of_their_warps() {
        let lanes = |shape: CopyShape| (0..shape.rows() as usize).flat_map(|row| shape.lanes(row)).collect::<HashSet<_>>();
        let every: HashSet<usize> = (0..128).collect();
        for shape in [CopyShape::Rows128Bits128, CopyShape::Rows64AlternateWarps, CopyShape::Rows64AdjacentWarps] {
            assert_eq!(lanes(shape), every, "{shape:?}");
        }
        assert_eq!(CopyShape::Rows64AdjacentWarps.lanes(33), [65, 97]);
        assert_eq!(CopyShape::Rows32EveryWarp.lanes(1), [1, 33, 65, 97]);
        assert_eq!(CopyShape::Rows4Bits256.lanes(3), [96]);
    }
}
