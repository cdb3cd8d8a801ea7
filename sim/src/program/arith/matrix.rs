// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrix products of a warp, `mma.sync`: which lane holds which element (PTX pages on matrix fragments), and the product.

use super::format::{Format, Round};
use super::{extended, Type, TypeKind};

/// A product D = A * B + C of matrices that the lanes of a warp hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Rows of A, columns of B, and columns of A.
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    /// Of C and D.
    pub c: Element,
    /// Integers are kept in their bounds.
    pub saturate: bool,
}

/// What one element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Float(Format),
    /// Single precision of which the lowest 13 bits do not count.
    Tf32,
    Integer(Type),
}

/// A place in a matrix: row and column.
type Place = (usize, usize);

impl Element {
    /// What a modifier such as `.bf16` names.
    pub fn named(modifier: &str) -> Option<Element> {
        Some(match modifier {
            ".f16" => Element::Float(Format::F16),
            ".bf16" => Element::Float(Format::Bf16),
            ".f32" => Element::Float(Format::F32),
            ".f64" => Element::Float(Format::F64),
            ".tf32" => Element::Tf32,
            ".u8" => Element::Integer(Type { kind: TypeKind::Unsigned, bits: 8 }),
            ".s8" => Element::Integer(Type { kind: TypeKind::Signed, bits: 8 }),
            ".s32" => Element::Integer(Type { kind: TypeKind::Signed, bits: 32 }),
            _ => return None,
        })
    }

    /// Bits of an element in a register.
    fn bits(self) -> u32 {
        match self {
            Element::Float(format) => format.bits(),
            Element::Tf32 => 32,
            Element::Integer(ty) => ty.bits,
        }
    }
}

impl Product {
    /// The product with this shape, such as `.m16n8k16`, and these elements, if it is calculated.
    pub fn new(shape: &str, [a, b, c]: [Element; 3], saturate: bool) -> Option<Product> {
        let (m, rest) = shape.strip_prefix(".m")?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let (m, n, k) = (m.parse().ok()?, n.parse().ok()?, k.parse().ok()?);
        let product = Product { m, n, k, a, b, c, saturate };
        let of = |element: Element| match element {
            Element::Float(Format::F16 | Format::Bf16) => 16,
            Element::Integer(_) => 8,
            Element::Tf32 => 32,
            Element::Float(_) => 64,
        };
        let known = match of(a) {
            16 => m == 16 && n == 8 && matches!(k, 8 | 16),
            8 => n == 8 && (m == 16 && matches!(k, 16 | 32) || m == 8 && k == 16),
            32 => m == 16 && n == 8 && matches!(k, 4 | 8),
            _ => m == 8 && n == 8 && k == 4,
        };
        (known && of(a) == of(b)).then_some(product)
    }

    /// Registers of A, B and C in a lane; those of D are as those of C.
    pub fn registers(self) -> [usize; 3] {
        let of = |elements: usize, element: Element| {
            (elements / 32 * element.bits() as usize).div_ceil(element.bits().max(32) as usize)
        };
        [of(self.m * self.k, self.a), of(self.k * self.n, self.b), of(self.m * self.n, self.c)]
    }

    /// Elements of a register, one behind the other.
    fn pack(element: Element) -> usize {
        (32 / element.bits().min(32)) as usize
    }

    /// Where element `i` of A in a lane stands. Of a register's elements neighbours are neighbours in a row; then come the lower eight
    /// rows, then the right half.
    fn place_a(self, lane: usize, i: usize) -> Place {
        let (group, within, pack) = (lane / 4, lane % 4, Product::pack(self.a));
        let register = i / pack;
        let halves = self.m / 8;
        (group + 8 * (register % halves), within * pack + i % pack + 4 * pack * (register / halves))
    }

    fn place_b(self, lane: usize, i: usize) -> Place {
        let (group, within, pack) = (lane / 4, lane % 4, Product::pack(self.b));
        (within * pack + i % pack + 4 * pack * (i / pack), group)
    }

    fn place_c(self, lane: usize, i: usize) -> Place {
        (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2)
    }

    /// Registers of D, by lane; `sources` are those of A, B and C, by register and then by lane. An unknown element makes those that
    /// depend on it unknown.
    pub fn calculate(self, sources: &[Vec<Option<u64>>]) -> Vec<Vec<Option<u64>>> {
        let [a, b, c] = self.registers();
        let matrix =
            |from: usize, count: usize, element: Element, place: &dyn Fn(usize, usize) -> Place, (rows, columns): Place| {
                let mut held = vec![vec![None; columns]; rows];
                let pack = Product::pack(element);
                for lane in 0..32 {
                    for i in 0..count * pack {
                        let register = sources.get(from + i / pack).and_then(|lanes| lanes.get(lane).copied().flatten());
                        let (row, column) = place(lane, i);
                        if let Some(cell) = held.get_mut(row).and_then(|row| row.get_mut(column)) {
                            *cell = register.map(|bits| bits >> (element.bits() as usize * (i % pack)));
                        }
                    }
                }
                held
            };
        let left = matrix(0, a, self.a, &|lane, i| self.place_a(lane, i), (self.m, self.k));
        let right = matrix(a, b, self.b, &|lane, i| self.place_b(lane, i), (self.k, self.n));
        let added = matrix(a + b, c, self.c, &|lane, i| self.place_c(lane, i), (self.m, self.n));
        let pack = Product::pack(self.c);
        let element = |row: usize, column: usize| {
            let terms = (0..self.k).map(|i| Some((*left.get(row)?.get(i)?.as_ref()?, *right.get(i)?.get(column)?.as_ref()?)));
            let terms: Option<Vec<(u64, u64)>> = terms.collect();
            self.sum(&terms?, (*added.get(row)?.get(column)?)?)
        };
        let register = |lane: usize, register: usize| {
            (0..pack).try_fold(0, |bits, part| {
                let (row, column) = self.place_c(lane, register * pack + part);
                Some(bits | element(row, column)? << (self.c.bits() as usize * part))
            })
        };
        (0..32).map(|lane| (0..c).map(|number| register(lane, number)).collect()).collect()
    }

    /// One element of D, rounded once.
    fn sum(self, terms: &[(u64, u64)], c: u64) -> Option<u64> {
        if let (Element::Integer(a), Element::Integer(b), Element::Integer(c_type)) = (self.a, self.b, self.c) {
            let products = terms.iter().map(|(x, y)| extended(*x, a) * extended(*y, b)).sum::<i128>();
            let sum = products + extended(c, c_type);
            let sum = if self.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            return Some(sum as u64 & 0xffff_ffff);
        }
        let value = |element: Element, bits: u64| match element {
            Element::Float(format) => format.value(format.low(bits)),
            Element::Tf32 => Format::F32.value(bits & 0xffff_e000),
            Element::Integer(ty) => extended(bits, ty) as f64,
        };
        let sum = terms.iter().fold(0.0, |sum: f64, (x, y)| value(self.a, *x).mul_add(value(self.b, *y), sum));
        let Element::Float(format) = self.c else { return None };
        Some(format.rounded(sum + value(self.c, c), Round::Even))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers of a lane, filled from whole matrices as the tables of the manual say.
    fn fragments(product: Product, a: &dyn Fn(usize, usize) -> u64, b: &dyn Fn(usize, usize) -> u64) -> Vec<Vec<Option<u64>>> {
        let [registers_a, registers_b, registers_c] = product.registers();
        let filled = |count: usize, element: Element, value: &dyn Fn(usize, usize) -> u64| {
            let pack = 32 / element.bits().min(32) as usize;
            let mut held = vec![vec![Some(0); 32]; count];
            for (register, lanes) in held.iter_mut().enumerate() {
                for (lane, bits) in lanes.iter_mut().enumerate() {
                    let word =
                        (0..pack).fold(0, |word, i| word | value(lane, register * pack + i) << (element.bits() as usize * i));
                    *bits = Some(word);
                }
            }
            held
        };
        let mut all = filled(registers_a, product.a, a);
        all.extend(filled(registers_b, product.b, b));
        all.extend(vec![vec![Some(0); 32]; registers_c]);
        all
    }

    /// The manual's table for A of m16n8k16 with elements of 16 bits.
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
        let product = Product::new(".m16n8k16", [f16, f16, Element::Float(Format::F32)], false).unwrap();
        assert_eq!(product.registers(), [4, 2, 4]);
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
        let product = Product::new(".m16n8k32", [s8, s8, s32], false).unwrap();
        assert_eq!(product.registers(), [4, 2, 4]);
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
        let product = Product::new(".m16n8k8", [f16, f16, f16], false).unwrap();
        assert_eq!(product.registers(), [2, 1, 2]);
        let mut sources = fragments(product, &|_, _| 0, &|_, _| 0);
        sources[0][0] = None;
        let result = product.calculate(&sources);
        assert_eq!((result[0][0], result[3][0], result[4][0], result[0][1]), (None, None, Some(0), Some(0)));
    }

    #[test]
    fn other_shapes_are_not_calculated() {
        let f16 = Element::Float(Format::F16);
        assert!(Product::new(".m16n8k32", [f16, f16, f16], false).is_none());
        assert!(Product::new(".m16n8", [f16, f16, f16], false).is_none());
    }
}
