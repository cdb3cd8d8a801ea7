// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of a factor of a large matrix product: the rows of A, or the columns of B, each with its elements along K.

use super::fragment::{Element, Fragment, Registers};

/// The rows of a factor. A row with an unknown element counts as unknown, because every result of the row depends on all its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    k: usize,
    /// The elements, row by row.
    values: Vec<f64>,
    /// For each row, whether all its elements are known.
    known: Vec<bool>,
}

/// The order of packed elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// The elements of a row are contiguous.
    ByRow,
    /// The elements of a step along K are contiguous.
    ByStep,
}

impl Numbers {
    fn new(rows: usize, k: usize, element: impl Fn(usize, usize) -> Option<f64>) -> Numbers {
        let mut numbers = Numbers { k, values: Vec::with_capacity(rows * k), known: Vec::with_capacity(rows) };
        for row in 0..rows {
            let mut is_known = true;
            numbers.values.extend((0..k).map(|step| {
                let value = element(row, step);
                is_known &= value.is_some();
                value.unwrap_or(0.0)
            }));
            numbers.known.push(is_known);
        }
        numbers
    }

    /// The factor in packed elements of whole bytes, lowest byte first. Missing bytes are unknown.
    pub fn from_bytes(element: Element, (rows, k): (usize, usize), packing: Packing, bytes: &[Option<u8>]) -> Numbers {
        let size = element.bits().div_ceil(8) as usize;
        Numbers::new(rows, k, |row, step| {
            let number = match packing {
                Packing::ByRow => row * k + step,
                Packing::ByStep => step * rows + row,
            };
            let packed = bytes.get(number * size..(number + 1) * size)?;
            let bits = packed.iter().rev().try_fold(0, |bits, byte| Some(bits << 8 | u64::from((*byte)?)));
            bits.map(|bits| element.value(bits))
        })
    }

    /// The factor in elements of `k` along K, row by row; the bits of an element are the lowest ones of its value.
    pub fn from_elements(element: Element, k: usize, elements: &[Option<u32>]) -> Numbers {
        let rows = elements.len() / k.max(1);
        Numbers::new(rows, k, |row, step| elements[row * k + step].map(|bits| element.value(bits.into())))
    }

    /// The factor A in the registers of a warp.
    pub fn from_registers(fragment: Fragment, registers: Registers) -> Numbers {
        let read = fragment.read(registers);
        Numbers::new(fragment.rows, fragment.columns, |row, step| read[row][step].map(|bits| fragment.element.value(bits)))
    }

    pub fn rows(&self) -> usize {
        self.known.len()
    }

    /// The number of elements of a row.
    pub fn k(&self) -> usize {
        self.k
    }

    pub fn is_known(&self, row: usize) -> bool {
        self.known[row]
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.k..(row + 1) * self.k]
    }

    /// The same with the opposite sign.
    pub fn negated(mut self) -> Numbers {
        self.values.iter_mut().for_each(|value| *value = -*value);
        self
    }

    /// The elements, step by step along K.
    pub(crate) fn by_step(&self) -> Vec<f64> {
        let rows = self.rows();
        (0..self.k * rows).map(|number| self.values[number % rows * self.k + number / rows]).collect()
    }
}
