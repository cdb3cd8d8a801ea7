// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of matrices of a tensor core that are read as a whole: `tcgen05.mma`.

use super::format::{Format, Round};
use super::fragment::Element;

/// A product D = ± A B + D / 2^`scale`, rounded once. A value is the bits of an element; an unknown element makes every result that depends
/// on it unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileProduct {
    /// The number of elements along K.
    pub depth: usize,
    pub a: Element,
    pub b: Element,
    pub d: Format,
    pub is_negated: bool,
    pub scale: u32,
}

impl TileProduct {
    /// D, row by row. `a` has A row by row, `b` has B column by column, and `added` has D row by row; `None`: D is not added.
    pub fn calculate(&self, a: &[Option<u32>], b: &[Option<u32>], added: Option<&[Option<u32>]>) -> Vec<Option<u32>> {
        let (a, b) = (self.numbers(self.a, a), self.numbers(self.b, b));
        let sign = if self.is_negated { -1.0 } else { 1.0 };
        let factor = 0.5f64.powi(self.scale as i32);
        let mut results = Vec::with_capacity(a.len() * b.len());
        for row in &a {
            for column in &b {
                let term = match added {
                    None => Some(0.0),
                    Some(added) => {
                        let bits = added.get(results.len()).copied().flatten();
                        bits.map(|bits| self.d.value(self.d.low(bits.into())) * factor)
                    }
                };
                results.push(term.and_then(|term| {
                    let sum: f64 = row.as_ref()?.iter().zip(column.as_ref()?).fold(0.0, |sum, (x, y)| sum + x * y);
                    Some(self.d.rounded(sign * sum + term, Round::Even) as u32)
                }));
            }
        }
        results
    }

    /// The rows as numbers; `None`: an element is unknown. Products of two elements are exact in 64 bits.
    fn numbers(&self, element: Element, bits: &[Option<u32>]) -> Vec<Option<Vec<f64>>> {
        let number = |bits: &Option<u32>| Some(element.value((*bits)?.into()));
        bits.chunks(self.depth.max(1)).map(|row| row.iter().map(number).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F16: Element = Element::Float(Format::F16);

    fn product(depth: usize) -> TileProduct {
        TileProduct { depth, a: F16, b: F16, d: Format::F32, is_negated: false, scale: 0 }
    }

    fn half(value: f64) -> Option<u32> {
        Some(Format::F16.rounded(value, Round::Even) as u32)
    }

    fn single(value: f32) -> Option<u32> {
        Some(value.to_bits())
    }

    #[test]
    fn an_unknown_element_spreads_along_its_row_and_column_only() {
        let a = [half(1.0), half(2.0), half(3.0), None];
        let b = [half(4.0), half(5.0), half(6.0), half(7.0), half(8.0), half(9.0)];
        let added = [single(1.0), None, single(0.5), single(0.0), single(0.0), single(0.0)];
        let expected = [single(15.0), None, single(26.5), None, None, None];
        assert_eq!(product(2).calculate(&a, &b, Some(&added)), expected);
    }

    #[test]
    fn the_sum_is_rounded_once() {
        // 2^24 + 1 + 1 is lost if each term is rounded.
        let (a, b) = ([half(4096.0), half(1.0), half(1.0)], [half(4096.0), half(1.0), half(1.0)]);
        assert_eq!(product(3).calculate(&a, &b, None), [single(16_777_218.0)]);
    }

    #[test]
    fn signs_and_scales_apply_to_their_terms() {
        let negated = TileProduct { is_negated: true, scale: 3, ..product(1) };
        assert_eq!(negated.calculate(&[half(2.0)], &[half(3.0)], Some(&[single(16.0)])), [single(-4.0)]);
        let narrow = TileProduct { d: Format::F16, ..product(1) };
        assert_eq!(narrow.calculate(&[half(2.0)], &[half(3.0)], Some(&[half(1.5)])), [half(7.5)]);
    }
}
