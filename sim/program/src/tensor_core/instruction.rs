// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction descriptor of `tcgen05.mma` (PTX, *Instruction descriptor*): types, shape and order of the matrices.

use super::super::arith::{Element, Format};

/// The kinds of products that are calculated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixKind {
    F16,
    Tf32,
}

/// What an instruction descriptor states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductShape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    /// The type of D: f16 or f32.
    pub d: Format,
    /// Whether the product is negated: exactly one of A and B is.
    pub is_negated: bool,
    /// Whether A, or B, is stored along M or N instead of K.
    pub transposed: [bool; 2],
}

impl MatrixKind {
    /// The product of a descriptor, or why it is none.
    pub fn decode(self, descriptor: u32) -> Result<ProductShape, String> {
        let field = |at: u32, bits: u32| descriptor >> at & ((1 << bits) - 1);
        let bit = |at: u32| field(at, 1) == 1;
        let kind = self.name();
        if bit(2) {
            return Err("its bit 2 states a sparse matrix A, which needs `.sp`".into());
        }
        if bit(3) {
            return Err(format!("its bit 3 states saturation, which `{kind}` does not have"));
        }
        let d = match (self, field(4, 2)) {
            (_, 1) => Format::F32,
            (MatrixKind::F16, 0) => Format::F16,
            (_, other) => return Err(format!("its bits 5:4 state the type {other} of D, which `{kind}` does not have")),
        };
        let element = |at: u32, name: &str| match (self, field(at, 3)) {
            (MatrixKind::F16, 0) => Ok(Element::Float(Format::F16)),
            (MatrixKind::F16, 1) => Ok(Element::Float(Format::Bf16)),
            (MatrixKind::Tf32, 2) => Ok(Element::Tf32),
            (_, other) => {
                let (high, low) = (at + 2, at);
                Err(format!("its bits {high}:{low} state the type {other} of {name}, which `{kind}` does not have"))
            }
        };
        let (a, b) = (element(7, "A")?, element(10, "B")?);
        let bf16 = Element::Float(Format::Bf16);
        if d == Format::F16 && (a == bf16 || b == bf16) {
            return Err("its bits 5:4 state D of f16, which only A and B of f16 have".into());
        }
        let (n, m) = (8 * field(17, 6) as usize, 16 * field(24, 5) as usize);
        let unit = match m {
            64 => 8,
            128 => 16,
            _ => return Err(format!("its bits 28:24 state M = {m}; with `.cta_group::1` M is 64 or 128")),
        };
        if !(unit..=256).contains(&n) || n % unit != 0 {
            return Err(format!("its bits 22:17 state N = {n}; with M = {m} N is a multiple of {unit} from {unit} to 256"));
        }
        let k = match self {
            MatrixKind::F16 => 16,
            MatrixKind::Tf32 => 8,
        };
        Ok(ProductShape { m, n, k, a, b, d, is_negated: bit(13) != bit(14), transposed: [bit(15), bit(16)] })
    }

    pub fn name(self) -> &'static str {
        match self {
            MatrixKind::F16 => ".kind::f16",
            MatrixKind::Tf32 => ".kind::tf32",
        }
    }
}

impl ProductShape {
    /// The lane of row `row` of D, or of A in tensor memory, relative to the address: with 64 rows, each warp has 16 of them.
    pub fn lane(&self, row: usize) -> usize {
        match self.m {
            64 => row / 16 * 32 + row % 16,
            _ => row,
        }
    }

    /// Elements of A, or of B, in a cell or a chunk of this number of bytes.
    pub fn elements_in(&self, bytes: u64) -> u64 {
        bytes * 8 / u64::from(self.a.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(d: u32, types: u32, n: u32, m: u32) -> u32 {
        d << 4 | types << 7 | types << 10 | n >> 3 << 17 | m >> 4 << 24
    }

    #[test]
    fn fields_are_where_ptx_has_them() {
        let shape = MatrixKind::F16.decode(descriptor(1, 1, 96, 128) | 1 << 13 | 1 << 16).unwrap();
        let bf16 = Element::Float(Format::Bf16);
        let expected = ProductShape {
            m: 128,
            n: 96,
            k: 16,
            a: bf16,
            b: bf16,
            d: Format::F32,
            is_negated: true,
            transposed: [false, true],
        };
        assert_eq!(shape, expected);
        let shape = MatrixKind::Tf32.decode(descriptor(1, 2, 8, 64)).unwrap();
        assert_eq!((shape.m, shape.n, shape.k, shape.a, shape.lane(17)), (64, 8, 8, Element::Tf32, 33));
    }

    #[test]
    fn what_the_kind_does_not_have_is_an_error() {
        let f16 = MatrixKind::F16;
        for (kind, descriptor, part) in [
            (f16, descriptor(2, 0, 64, 128), "type 2 of D"),
            (f16, descriptor(1, 2, 64, 128), "type 2 of A"),
            (MatrixKind::Tf32, descriptor(0, 2, 64, 128), "type 0 of D"),
            (f16, descriptor(0, 1, 64, 128), "D of f16"),
            (f16, descriptor(1, 0, 64, 96), "M = 96"),
            (f16, descriptor(1, 0, 24, 128), "N = 24"),
            (f16, descriptor(1, 0, 0, 64), "N = 0"),
            (f16, descriptor(1, 0, 264, 64), "N = 264"),
            (f16, descriptor(1, 0, 64, 128) | 4, "sparse"),
            (f16, descriptor(1, 0, 64, 128) | 8, "saturation"),
        ] {
            let error = kind.decode(descriptor).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(f16.decode(descriptor(1, 0, 24, 64)).is_ok());
    }
}
