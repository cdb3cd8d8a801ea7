// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tensor memory of a multiprocessor: 128 lanes of 512 columns of 32 bits, of which CTAs allocate columns.

use super::warp::threads::At;
use bcu_program::{COLUMN_UNIT, TENSOR_COLUMNS, TENSOR_LANES};

/// No instruction has used the cell.
pub(super) const UNUSED: u32 = u32::MAX;

/// A cell of 32 bits. Each half is known or unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    value: u32,
    is_known: [bool; 2],
    /// The number of the last use that writes the cell, and of the last that reads it.
    pub writer: u32,
    pub reader: u32,
}

impl Cell {
    const FRESH: Cell = Cell { value: 0, is_known: [false; 2], writer: UNUSED, reader: UNUSED };

    pub fn value(&self) -> Option<u32> {
        (self.is_known == [true; 2]).then_some(self.value)
    }

    /// The low half.
    pub fn half(&self) -> Option<u32> {
        self.is_known[0].then_some(self.value & 0xffff)
    }

    pub fn set(&mut self, value: Option<u32>) {
        (self.value, self.is_known) = (value.unwrap_or(0), [value.is_some(); 2]);
    }

    /// Sets the low half; the other half is unknown.
    pub fn set_half(&mut self, value: Option<u32>) {
        (self.value, self.is_known) = (value.unwrap_or(0) & 0xffff, [value.is_some(), false]);
    }
}

/// Columns of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub cta: usize,
    pub first: usize,
    pub columns: usize,
    /// The index of the warp that has allocated the columns, and the instruction.
    pub by: (usize, At),
}

impl Allocation {
    fn overlaps(&self, first: usize, columns: usize) -> bool {
        self.first < first + columns && first < self.first + self.columns
    }
}

#[derive(Debug, Default)]
pub(super) struct TensorMemory {
    /// The cells, lane by lane; empty until a CTA allocates columns.
    cells: Vec<Cell>,
    pub allocations: Vec<Allocation>,
    /// The CTAs that may not allocate any more.
    pub relinquished: Vec<usize>,
}

impl TensorMemory {
    /// The first free columns for an allocation. It begins at a multiple of its size, so that sizes of powers of 2 leave no small gaps.
    pub fn free_columns(&self, columns: usize) -> Option<usize> {
        let is_free = |first: &usize| !self.allocations.iter().any(|allocation| allocation.overlaps(*first, columns));
        (0..TENSOR_COLUMNS).step_by(columns.max(COLUMN_UNIT)).find(is_free)
    }

    /// Allocates columns, whose contents are unknown.
    pub fn allocate(&mut self, allocation: Allocation) {
        self.cells.resize(TENSOR_LANES * TENSOR_COLUMNS, Cell::FRESH);
        for lane in 0..TENSOR_LANES {
            let first = lane * TENSOR_COLUMNS + allocation.first;
            self.cells[first..first + allocation.columns].fill(Cell::FRESH);
        }
        self.allocations.push(allocation);
    }

    /// Frees columns. Returns whether the CTA has allocated exactly these.
    pub fn free(&mut self, cta: usize, first: usize, columns: usize) -> bool {
        let is_it = |allocation: &Allocation| (allocation.cta, allocation.first, allocation.columns) == (cta, first, columns);
        let found = self.allocations.iter().position(is_it);
        found.map(|at| self.allocations.swap_remove(at)).is_some()
    }

    /// Frees everything of a CTA that has ended, and returns it.
    pub fn end_cta(&mut self, cta: usize) -> Vec<Allocation> {
        self.relinquished.retain(|other| *other != cta);
        let (of_cta, others) = std::mem::take(&mut self.allocations).into_iter().partition(|of| of.cta == cta);
        self.allocations = others;
        of_cta
    }

    pub fn is_allocated(&self, cta: usize, column: usize) -> bool {
        self.allocations.iter().any(|allocation| allocation.cta == cta && allocation.overlaps(column, 1))
    }

    /// A cell of an allocated column.
    pub fn cell(&mut self, lane: usize, column: usize) -> Option<&mut Cell> {
        if column >= TENSOR_COLUMNS {
            return None;
        }
        self.cells.get_mut(lane * TENSOR_COLUMNS + column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_allocated_in_units_of_their_size() {
        let mut memory = TensorMemory::default();
        let mut allocate = |cta: usize, columns: usize| {
            let first = memory.free_columns(columns)?;
            memory.allocate(Allocation { cta, first, columns, by: (0, At::default()) });
            Some(first)
        };
        assert_eq!(
            [(0, 32), (1, 128), (2, 64), (3, 256)].map(|(cta, columns)| allocate(cta, columns).unwrap()),
            [0, 128, 64, 256]
        );
        assert_eq!((allocate(4, 32), allocate(4, 32)), (Some(32), None));
        assert!(memory.is_allocated(2, 127) && !memory.is_allocated(2, 128));
        assert!(!memory.free(2, 64, 32) && !memory.free(1, 64, 64) && memory.free(2, 64, 64));
        assert_eq!(memory.free_columns(64), Some(64));
        assert_eq!(memory.end_cta(1).len(), 1);
        assert_eq!((memory.free_columns(128), memory.free_columns(256)), (Some(128), None));
    }

    #[test]
    fn a_cell_is_known_by_halves() {
        let mut cell = Cell::FRESH;
        assert_eq!((cell.value(), cell.half()), (None, None));
        cell.set_half(Some(0x1_2345));
        assert_eq!((cell.value(), cell.half()), (None, Some(0x2345)));
        cell.set(Some(0x1_2345));
        assert_eq!((cell.value(), cell.half()), (Some(0x1_2345), Some(0x2345)));
    }
}
