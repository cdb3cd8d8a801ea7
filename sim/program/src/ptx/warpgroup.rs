// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions of a warpgroup, `wgmma`, with all shapes and types of their PTX pages, dense and sparse.

use super::memory::{elements, slot, LoweredOp};
use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Element, TensorProduct};
use crate::{GroupProduct, Major, Multiplicand, Op, Operand, Tile, Warpgroup};
use bcu_isa::diag::Diagnostic;

/// Rows of A and D.
const ROWS: u64 = 64;

impl Parser<'_> {
    /// The operation of an instruction `wgmma`; of `.mma_async` the destinations are the registers of the accumulator.
    pub(super) fn warpgroup(&mut self, modifiers: &[&str]) -> Result<LoweredOp, Diagnostic> {
        let args = self.args()?;
        let op = match modifiers.first() {
            Some(&".fence") => Warpgroup::Fence,
            Some(&".commit_group") => Warpgroup::Commit,
            Some(&".wait_group") => match args.first().map(|arg| &arg.operand) {
                Some(Operand::Immediate(groups)) if *groups >= 0 => {
                    Warpgroup::Wait { max_in_flight: u32::try_from(*groups).unwrap_or(u32::MAX) }
                }
                _ => return Err(self.cursor.unexpected("a constant, the number of groups that may remain in flight")),
            },
            _ => {
                let writes = args.first().map_or(vec![], |d| elements(d).iter().map(slot).collect());
                let op = product(modifiers, &args)
                    .map_or(Op::Busy { cycles: 1 }, |product| Op::Warpgroup(Warpgroup::Product(Box::new(product))));
                return Ok((op, writes));
            }
        };
        Ok((Op::Warpgroup(op), vec![]))
    }
}

/// The product of `wgmma.mma_async{.sp}.sync.aligned.shape.dtype.atype.btype d, a, b-desc{, meta, selection}, scale-d…`; A is a vector of
/// registers or a descriptor. `None`: operands are missing.
fn product(modifiers: &[&str], args: &[Arg]) -> Option<GroupProduct> {
    let is_sparse = modifiers.contains(&".sp");
    let [_, a, b, rest @ ..] = args else { return None };
    let (others, immediates) = rest.split_at_checked(if is_sparse { 3 } else { 1 })?;
    let at = modifiers.iter().position(|m| m.starts_with(".m64n"))?;
    let shape = modifiers[at].to_string();
    let sizes = sizes(&shape);
    let bits = modifiers.get(at + 2).and_then(|ty| element_bits(ty));
    // After the two factors of the elements, a matrix of 16-bit elements in shared memory has a flag for its order.
    let in_registers = a.vector.is_some();
    let flags = immediates.get(2..).unwrap_or(&[]);
    let expected = if in_registers { 1 } else { 2 };
    let is_known = match bits {
        Some(16) => flags.len() == expected && flags.iter().all(|flag| matches!(flag.operand, Operand::Immediate(0 | 1))),
        Some(_) => flags.is_empty(),
        None => false,
    };
    let tile = |rows: u64, is_a: bool| {
        let ((_, k), bits) = sizes.zip(bits).filter(|_| is_known)?;
        let whole = if is_sparse { 512 } else { 256 };
        if k * bits != whole {
            return None;
        }
        // Half of the elements of a sparse A are stored.
        let k = if is_sparse && is_a { k / 2 } else { k };
        let flag = if is_a { flags.first() } else { flags.last() };
        let is_transposed = flag.is_some_and(|flag| flag.operand == Operand::Immediate(1));
        let major =
            if is_transposed { Major::Mn { packed: 128 / bits, steps: k } } else { Major::K { chunks: k * bits / 128 } };
        Some(Tile { rows, major })
    };
    let shared = |arg: &Arg, tile: Option<Tile>| Multiplicand::Shared { descriptor: arg.operand.clone(), tile };
    let a = match &a.vector {
        Some(registers) => Multiplicand::Registers(registers.clone()),
        None => shared(a, tile(ROWS, true)),
    };
    let b = shared(b, sizes.and_then(|(n, _)| tile(n, false)));
    let product = calculation(modifiers, at, immediates.get(..2).unwrap_or(&[]));
    Some(GroupProduct { shape, product, a, b, others: others.iter().map(|arg| arg.operand.clone()).collect() })
}

/// The calculation of a dense product whose shape is modifier `at`; `signs` are the operands that negate A and B.
fn calculation(modifiers: &[&str], at: usize, signs: &[Arg]) -> Option<TensorProduct> {
    let [d, a, b, rest @ ..] = modifiers.get(at + 1..)? else { return None };
    let saturate = match rest {
        [] => false,
        [".satfinite"] => true,
        _ => return None,
    };
    if modifiers.contains(&".sp") {
        return None;
    }
    let product =
        TensorProduct::of_wgmma(modifiers[at], [Element::named(a)?, Element::named(b)?, Element::named(d)?], saturate)?;
    let negated = |sign: &Arg| match sign.operand {
        Operand::Immediate(1) => Some(false),
        Operand::Immediate(-1) => Some(true),
        _ => None,
    };
    match (product.a, signs) {
        (Element::Integer(_), []) => Some(product),
        (Element::Integer(_), _) => None,
        (_, [a, b]) => Some(TensorProduct { negated: [negated(a)?, negated(b)?], ..product }),
        _ => None,
    }
}

/// The sizes N and K of a shape such as `.m64n128k16`.
fn sizes(shape: &str) -> Option<(u64, u64)> {
    let (n, k) = shape.strip_prefix(".m64n")?.split_once('k')?;
    let (n, k) = (n.parse().ok()?, k.parse().ok()?);
    ((8..=256).contains(&n) && n % 8 == 0 && k <= 256).then_some((n, k))
}

/// Bits of an element of A or B.
fn element_bits(ty: &str) -> Option<u64> {
    Some(match ty {
        ".tf32" => 32,
        ".f16" | ".bf16" => 16,
        ".e4m3" | ".e5m2" | ".s8" | ".u8" => 8,
        ".b1" => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// The product of an instruction, with its operands after B.
    fn product(modifiers: &str, a: &str, rest: &str) -> GroupProduct {
        let text = format!("wgmma.mma_async{modifiers} {{f0, f1, f2, f3}}, {a}, b, {rest};");
        let module = parse(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        match &module.codes[0].function.instrs[0].op {
            Op::Warpgroup(Warpgroup::Product(product)) => (**product).clone(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn tile(matrix: &Multiplicand) -> Option<Tile> {
        match matrix {
            Multiplicand::Shared { tile, .. } => *tile,
            Multiplicand::Registers(_) => None,
        }
    }

    fn k_major(rows: u64, chunks: u64) -> Option<Tile> {
        Some(Tile { rows, major: Major::K { chunks } })
    }

    fn mn_major(rows: u64, steps: u64) -> Option<Tile> {
        Some(Tile { rows, major: Major::Mn { packed: 8, steps } })
    }

    #[test]
    fn every_type_has_rows_of_32_bytes_and_a_sparse_product_columns_of_64() {
        let flags = "p, 1, 1, 0, 0";
        let dense = [
            (".m64n8k16.f32.f16.f16", flags, 8),
            (".m64n256k16.f16.f16.f16", flags, 256),
            (".m64n24k16.f32.bf16.bf16", flags, 24),
            (".m64n96k8.f32.tf32.tf32", "p, 1, 1", 96),
            (".m64n64k32.f32.e4m3.e5m2", "p, 1, 1", 64),
            (".m64n128k32.s32.s8.u8", "p", 128),
            (".m64n128k32.s32.u8.u8.satfinite", "p", 128),
            (".m64n8k256.s32.b1.b1.and.popc", "p", 8),
        ];
        for (form, rest, n) in dense {
            let found = product(&format!(".sync.aligned{form}"), "a", rest);
            assert_eq!((tile(&found.a), tile(&found.b)), (k_major(64, 2), k_major(n, 2)), "{form}");
        }
        let sparse = [
            (".m64n8k32.f32.f16.f16", "m, 0, p, 1, 1, 0, 0"),
            (".m64n8k16.f32.tf32.tf32", "m, 0, p, 1, 1"),
            (".m64n8k64.s32.s8.s8", "m, 0, p"),
        ];
        for (form, rest) in sparse {
            let found = product(&format!(".sp.sync.aligned{form}"), "a", rest);
            assert_eq!((tile(&found.a), tile(&found.b)), (k_major(64, 2), k_major(8, 4)), "{form}");
        }
    }

    #[test]
    fn the_flags_give_the_order_of_each_matrix() {
        let f16 = ".sync.aligned.m64n32k16.f32.f16.f16";
        let found = product(f16, "a", "p, 1, -1, 1, 0");
        assert_eq!((tile(&found.a), tile(&found.b)), (mn_major(64, 16), k_major(32, 2)));
        let found = product(f16, "a", "p, 1, 1, 0, 1");
        assert_eq!((tile(&found.a), tile(&found.b)), (k_major(64, 2), mn_major(32, 16)));
        let found = product(f16, "{r0, r1, r2, r3}", "p, 1, 1, 1");
        assert!(matches!(&found.a, Multiplicand::Registers(registers) if registers.len() == 4));
        assert_eq!(tile(&found.b), mn_major(32, 16));
        let sparse = product(".sp.sync.aligned.m64n32k32.f32.f16.f16", "a", "m, 0, p, 1, 1, 1, 1");
        assert_eq!((tile(&sparse.a), tile(&sparse.b)), (mn_major(64, 16), mn_major(32, 32)));
    }

    #[test]
    fn a_form_that_ptx_does_not_have_has_no_layout() {
        for (form, rest) in [
            (".m64n8k8.f32.f16.f16", "p, 1, 1, 0, 0"),
            (".m64n12k16.f32.f16.f16", "p, 1, 1, 0, 0"),
            (".m64n8k16.f32.f16.f16", "p, 1, 1"),
            (".m64n8k8.f32.tf32.tf32", "p, 1, 1, 0, 1"),
            (".m64n8k16.f32.f64.f64", "p, 1, 1, 0, 0"),
        ] {
            let found = product(&format!(".sync.aligned{form}"), "a", rest);
            assert_eq!((tile(&found.a), tile(&found.b)), (None, None), "{form}");
        }
    }

    #[test]
    fn dense_products_are_calculated_and_sparse_ones_are_not() {
        let calculated = |form: &str, rest: &str| product(&format!(".sync.aligned{form}"), "a", rest).product;
        let negated = calculated(".m64n8k16.f32.bf16.bf16", "p, 1, -1, 0, 0").unwrap().negated;
        assert_eq!(negated, [false, true]);
        assert!(calculated(".m64n8k32.s32.s8.u8.satfinite", "p").unwrap().saturate);
        for (form, rest) in
            [(".m64n8k32.f16.e5m2.e4m3", "p, 1, 1"), (".m64n8k8.f32.tf32.tf32", "p, -1, -1"), (".m64n8k32.s32.u8.u8", "p")]
        {
            assert!(calculated(form, rest).is_some(), "{form}");
        }
        for (form, rest) in [
            (".m64n8k256.s32.b1.b1.and.popc", "p"),
            (".m64n8k16.f32.f16.f16", "p, 2, 1, 0, 0"),
            (".m64n8k16.f32.f16.bf16", "p, 1, 1, 0, 0"),
            (".m64n8k32.s32.s8.s8", "p, 1, 1"),
        ] {
            assert!(calculated(form, rest).is_none(), "{form}");
        }
        assert!(product(".sp.sync.aligned.m64n8k32.f32.f16.f16", "a", "m, 0, p, 1, 1, 0, 0").product.is_none());
    }

    #[test]
    fn a_wait_needs_a_constant() {
        assert!(parse("wgmma.wait_group.sync.aligned r0;").is_err());
        let module = parse("wgmma.wait_group.sync.aligned 3;").unwrap();
        let op = &module.codes[0].function.instrs[0].op;
        assert!(matches!(op, Op::Warpgroup(Warpgroup::Wait { max_in_flight: 3 })), "{op:?}");
    }
}
