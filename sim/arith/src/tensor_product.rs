// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of large matrices, as `wgmma` and `tcgen05.mma` have them: D = A B, or D = A B + D, where `tcgen05.mma` may scale D.
//!
//! Each element of D is a sum of exact products in 64-bit floats, in the order of K with the addend first, and is rounded once. So a result
//! in single precision is the rounded exact sum, except for errors of the 64-bit sum, which are at most (K + 1) 2^-53 of the sum of the
//! magnitudes of its terms. Hardware aligns the terms to the largest one and truncates them.

use super::format::Round;
use super::fragment::{sizes, Element, Fragment, Matrix, Registers};
use super::numbers::Numbers;

/// Rows of D that one warp of a warpgroup holds.
const WARP_ROWS: usize = 16;

/// The types and the sizes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorProduct {
    pub a: Element,
    pub b: Element,
    pub d: Element,
    /// Columns of B and D.
    pub n: usize,
    /// Columns of A.
    pub k: usize,
    /// Whether the elements of A, and those of B, are negated.
    pub negated: [bool; 2],
    /// The addend is divided by 2 to this power.
    pub scale: u32,
    /// Whether integer sums are saturated.
    pub saturate: bool,
}

impl TensorProduct {
    /// A product without negated elements of 32 bytes along K; `None` if the types do not belong together.
    pub fn new([a, b, d]: [Element; 3], n: usize, saturate: bool) -> Option<TensorProduct> {
        let is_factor = matches!(a.bits(), 8 | 16 | 32) && a.bits() == b.bits();
        let is_sum = a.adds_to(d) && b.adds_to(d) && a.multiplies(b);
        let is_saturable = matches!(a, Element::Integer(_)) || !saturate;
        let k = 256 / a.bits().max(8) as usize;
        (is_factor && is_sum && is_saturable).then_some(TensorProduct {
            a,
            b,
            d,
            n,
            k,
            negated: [false; 2],
            scale: 0,
            saturate,
        })
    }

    /// The product of `wgmma.mma_async` with this shape, such as `.m64n128k16`, and these element types of A, B and D.
    pub fn of_wgmma(shape: &str, elements: [Element; 3], saturate: bool) -> Option<TensorProduct> {
        let [m, n, k] = sizes(shape)?;
        let product = TensorProduct::new(elements, n, saturate)?;
        // Integers have fewer sizes.
        let is_integer = matches!(product.a, Element::Integer(_));
        let is_size = (8..=256).contains(&n) && n.is_multiple_of(if is_integer && n > 24 { 16 } else { 8 });
        (m == 64 && k == product.k && is_size).then_some(product)
    }

    /// The part of one warp in A, if registers hold A.
    pub fn fragment_of_a(self) -> Fragment {
        Fragment::of_mma(Matrix::A, [WARP_ROWS, self.n, self.k], self.a)
    }

    /// The part of one warp in D.
    pub fn fragment_of_d(self) -> Fragment {
        Fragment::of_mma(Matrix::C, [WARP_ROWS, self.n, self.k], self.d)
    }

    /// The registers of D of one warp of a warpgroup, by number and then by lane. `left` are the 16 rows of A of the warp, `right` the
    /// columns of B; `added` are the registers of D before the product, if they are added.
    pub fn of_warp(self, left: Numbers, right: Numbers, added: Option<Registers>) -> Vec<Vec<Option<u64>>> {
        let fragment = self.fragment_of_d();
        let added = added.map(|registers| fragment.read(registers).concat());
        let sums = self.multiply(left, right, added.as_deref());
        let by_lane = fragment.write(|(row, column)| sums.get(row * self.n + column).copied().flatten());
        (0..fragment.registers).map(|number| by_lane.iter().map(|registers| registers[number]).collect()).collect()
    }

    /// The elements of D, row by row. `added` are the elements of D before the product, if they are added. An element is unknown if an
    /// element of its row of A, of its column of B, or its addend is unknown.
    pub fn multiply(self, left: Numbers, right: Numbers, added: Option<&[Option<u64>]>) -> Vec<Option<u64>> {
        let signed = |numbers: Numbers, is_negated: bool| if is_negated { numbers.negated() } else { numbers };
        let (left, right) = (signed(left, self.negated[0]), signed(right, self.negated[1]));
        let (rows, columns, by_step) = (left.rows(), right.rows(), right.by_step());
        let factor = 0.5f64.powi(self.scale as i32);
        let mut results = Vec::with_capacity(rows * columns);
        let mut sums = vec![0.0; columns];
        for row in 0..rows {
            let before = |column: usize| added.map_or(Some(0), |added| added.get(row * columns + column).copied().flatten());
            let is_zero = added.is_none();
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum = before(column).filter(|_| !is_zero).map_or(0.0, |bits| self.d.value(bits) * factor);
            }
            for (factor, of_step) in left.row(row).iter().zip(by_step.chunks_exact(columns.max(1))) {
                sums.iter_mut().zip(of_step).for_each(|(sum, other)| *sum += factor * other);
            }
            results.extend(sums.iter().enumerate().map(|(column, sum)| {
                let is_known = left.is_known(row) && right.is_known(column) && before(column).is_some();
                is_known.then(|| self.rounded(*sum))
            }));
        }
        results
    }

    fn rounded(self, sum: f64) -> u64 {
        match self.d {
            Element::Float(format) => format.rounded(sum, Round::Even),
            // The sum is an integer of fewer than 53 bits.
            _ if self.saturate => (sum as i64).clamp(i32::MIN.into(), i32::MAX.into()) as u64 & 0xffff_ffff,
            _ => sum as i64 as u64 & 0xffff_ffff,
        }
    }
}

#[cfg(test)]
mod tests;
