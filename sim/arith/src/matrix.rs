// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrix products of a warp: `mma.sync` and `wmma.mma`.

use super::bits::extended;
use super::format::Round;
use super::fragment::{sizes, Element, Fragment, Matrix, Registers};

/// A product D = A * B + C of matrices distributed over the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    a: Fragment,
    b: Fragment,
    c: Fragment,
    d: Fragment,
    /// Whether integer sums are saturated.
    saturate: bool,
}

impl Product {
    /// The product of `mma.sync` with this shape, such as `.m16n8k16`, and these element types of A, B and C (D has the type of C), if it
    /// is supported.
    pub fn of_mma(shape: &str, [a, b, c]: [Element; 3], saturate: bool) -> Option<Product> {
        let sizes = sizes(shape)?;
        let [m, n, k] = sizes;
        let known = match a.bits() {
            16 => m == 16 && n == 8 && matches!(k, 8 | 16),
            8 => n == 8 && (m == 16 && matches!(k, 16 | 32) || m == 8 && k == 16 && matches!(a, Element::Integer(_))),
            32 => m == 16 && n == 8 && matches!(k, 4 | 8),
            _ => m == 8 && n == 8 && k == 4,
        };
        if !known {
            return None;
        }
        let fragment = |matrix, element| Fragment::of_mma(matrix, sizes, element);
        let sum = fragment(Matrix::C, c);
        let product = Product { a: fragment(Matrix::A, a), b: fragment(Matrix::B, b), c: sum, d: sum, saturate };
        product.adds().then_some(product)
    }

    /// The product of `wmma.mma`. `a_columns` and `b_columns` state that A and B are stored in memory by columns, otherwise by rows.
    pub fn of_wmma(
        shape: &str,
        [a, b, c, d]: [Element; 4],
        [a_columns, b_columns]: [bool; 2],
        saturate: bool,
    ) -> Option<Product> {
        let sum = |element| Fragment::of_wmma(Matrix::C, shape, element, false);
        let (a, b) = (Fragment::of_wmma(Matrix::A, shape, a, a_columns)?, Fragment::of_wmma(Matrix::B, shape, b, b_columns)?);
        let product = Product { a, b, c: sum(c)?, d: sum(d)?, saturate };
        product.adds().then_some(product)
    }

    /// Whether the element types of A, B, C and D are compatible.
    fn adds(self) -> bool {
        let [a, b] = [self.a.element, self.b.element];
        let integers = matches!(a, Element::Integer(_));
        a.multiplies(b)
            && [self.c, self.d].iter().all(|sum| a.adds_to(sum.element) && b.adds_to(sum.element))
            && (integers || !self.saturate)
    }

    /// Registers of A, B, C and D per lane.
    pub fn registers(self) -> [usize; 4] {
        [self.a, self.b, self.c, self.d].map(|fragment| fragment.registers)
    }

    /// The registers of D, by lane. `sources` are the registers of A, B and C, by register and then by lane. An unknown element makes every
    /// result that depends on it unknown.
    pub fn calculate(self, sources: Registers) -> Vec<Vec<Option<u64>>> {
        let [a, b, c, _] = self.registers();
        let part = |from: usize, count: usize| sources.get(from..from + count).unwrap_or(&[]);
        let (left, right) = (self.a.read(part(0, a)), self.b.read(part(a, b)));
        let added = self.c.read(part(a + b, c));
        self.d.write(|(row, column)| {
            let left = left.get(row)?;
            let terms = left.iter().zip(&right).map(|(x, row)| Some((*x.as_ref()?, *row.get(column)?.as_ref()?)));
            let terms: Option<Vec<(u64, u64)>> = terms.collect();
            self.sum(&terms?, (*added.get(row)?.get(column)?)?)
        })
    }

    /// One element of D, rounded once.
    fn sum(self, terms: &[(u64, u64)], c: u64) -> Option<u64> {
        let [a, b, c_element, d] = [self.a, self.b, self.c, self.d].map(|fragment| fragment.element);
        if let (Element::Integer(a), Element::Integer(b), Element::Integer(c_type)) = (a, b, c_element) {
            let products = terms.iter().map(|(x, y)| extended(*x, a) * extended(*y, b)).sum::<i128>();
            let sum = products + extended(c, c_type);
            let sum = if self.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            return Some(sum as u64 & 0xffff_ffff);
        }
        let sum = terms.iter().fold(0.0, |sum: f64, (x, y)| a.value(*x).mul_add(b.value(*y), sum));
        let Element::Float(format) = d else { return None };
        Some(format.rounded(sum + c_element.value(c), Round::Even))
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Format;
    use super::super::fragment::Place;
    use super::*;

    /// The registers of all lanes, filled from whole matrices by PTX's tables.
    fn fragments(product: Product, a: &dyn Fn(usize, usize) -> u64, b: &dyn Fn(usize, usize) -> u64) -> Vec<Vec<Option<u64>>> {
        let [registers_a, registers_b, registers_c, _] = product.registers();
        let filled = |count: usize, element: Element, value: &dyn Fn(usize, usize) -> u64| {
            let pack = 32 / element.bits().min(32) as usize;
            let mut registers = vec![vec![Some(0); 32]; count];
            for (register, lanes) in registers.iter_mut().enumerate() {
                for (lane, bits) in lanes.iter_mut().enumerate() {
                    let word =
                        (0..pack).fold(0, |word, i| word | value(lane, register * pack + i) << (element.bits() as usize * i));
                    *bits = Some(word);
                }
            }
            registers
        };
        let mut all = filled(registers_a, product.a.element, a);
        all.extend(filled(registers_b, product.b.element, b));
        all.extend(vec![vec![Some(0); 32]; registers_c]);
        all
    }

    /// PTX's table for A of m16n8k16 with elements of 16 bits.
    fn table_a(lane: usize, i: usize) -> Place {
        let row = if matches!(i, 0 | 1 | 4 | 5) { lane >> 2 } else { (lane >> 2) + 8 };
        let column = if i < 4 { (lane % 4) * 2 + (i & 1) } else { (lane % 4) * 2 + (i & 1) + 8 };
        (row, column)
    }

    fn table_b(lane: usize, i: usize) -> Place {
        let row = if i < 2 { (lane % 4) * 2 + (i & 1) } else { (lane % 4) * 2 + (i & 1) + 8 };
        (row, lane >> 2)
    }

    #[test]
    fn halves_stand_where_the_tables_say() {
        let f16 = Element::Float(Format::F16);
        let product = Product::of_mma(".m16n8k16", [f16, f16, Element::Float(Format::F32)], false).unwrap();
        assert_eq!(product.registers(), [4, 2, 4, 4]);
        let half = |value: usize| Format::F16.rounded(value as f64, Round::Even);
        let a = |row: usize, column: usize| (row * 3 + column) % 7;
        let b = |row: usize, column: usize| (row + column * 5) % 6;
        let of_a = |lane: usize, i: usize| half(a(table_a(lane, i).0, table_a(lane, i).1));
        let of_b = |lane: usize, i: usize| half(b(table_b(lane, i).0, table_b(lane, i).1));
        let result = product.calculate(&fragments(product, &of_a, &of_b));
        for lane in 0..32 {
            for i in 0..4 {
                let (row, column) = (if i < 2 { lane >> 2 } else { (lane >> 2) + 8 }, (lane % 4) * 2 + (i & 1));
                let wanted: usize = (0..16).map(|k| a(row, k) * b(k, column)).sum();
                assert_eq!(result[lane][i], Some((wanted as f32).to_bits().into()), "lane {lane}, element {i}");
            }
        }
    }

    #[test]
    fn bytes_stand_where_the_tables_say() {
        let (s8, s32) = (Element::named(".s8").unwrap(), Element::named(".s32").unwrap());
        let product = Product::of_mma(".m16n8k32", [s8, s8, s32], false).unwrap();
        assert_eq!(product.registers(), [4, 2, 4, 4]);
        let a = |row: usize, column: usize| (row * 5 + column * 3) as i64 % 11 - 5;
        let b = |row: usize, column: usize| (row * 7 + column) as i64 % 9 - 4;
        let of_a = |lane: usize, i: usize| {
            let row = if matches!(i, 0..=3 | 8..=11) { lane >> 2 } else { (lane >> 2) + 8 };
            (a(row, (lane % 4) * 4 + (i & 3) + if i < 8 { 0 } else { 16 }) as u64) & 0xff
        };
        let of_b = |lane: usize, i: usize| (b((lane % 4) * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, lane >> 2) as u64) & 0xff;
        let result = product.calculate(&fragments(product, &of_a, &of_b));
        let wanted: i64 = (0..32).map(|k| a(8, k) * b(k, 1)).sum();
        assert_eq!(result[0][3], Some(wanted as u64 & 0xffff_ffff));
    }

    #[test]
    fn an_unknown_element_spreads_along_its_row_only() {
        let f16 = Element::Float(Format::F16);
        let product = Product::of_mma(".m16n8k8", [f16, f16, f16], false).unwrap();
        assert_eq!(product.registers(), [2, 1, 2, 2]);
        let mut sources = fragments(product, &|_, _| 0, &|_, _| 0);
        sources[0][0] = None;
        let result = product.calculate(&sources);
        assert_eq!((result[0][0], result[3][0], result[4][0], result[0][1]), (None, None, Some(0), Some(0)));
    }

    #[test]
    fn other_shapes_are_not_calculated() {
        let f16 = Element::Float(Format::F16);
        assert!(Product::of_mma(".m16n8k32", [f16, f16, f16], false).is_none());
        assert!(Product::of_mma(".m16n8", [f16, f16, f16], false).is_none());
        let huge = format!(".m{0}n{0}k{0}", usize::MAX);
        assert!(Product::of_mma(&huge, [f16, f16, f16], false).is_none());
        assert!(Product::of_wmma(&huge, [f16; 4], [false; 2], false).is_none());
        let s32 = Element::named(".s32").unwrap();
        assert!(Product::of_mma(".m16n8k16", [f16, f16, s32], false).is_none());
    }
}
