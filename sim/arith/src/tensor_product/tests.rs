// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products against sequential sums of exact integers, the numbers of 8 bits against their definition, and the stated bound of the error.

use super::super::format::Format;
use super::super::numbers::Packing;
use super::super::{Type, TypeKind};
use super::*;

const F16: Element = Element::Float(Format::F16);
const BF16: Element = Element::Float(Format::Bf16);
const F32: Element = Element::Float(Format::F32);
const S32: Element = Element::Integer(Type { kind: TypeKind::Signed, bits: 32 });
const S8: Element = Element::Integer(Type { kind: TypeKind::Signed, bits: 8 });
const U8: Element = Element::Integer(Type { kind: TypeKind::Unsigned, bits: 8 });

fn known(bytes: &[u8]) -> Vec<Option<u8>> {
    bytes.iter().copied().map(Some).collect()
}

#[test]
fn the_numbers_of_8_bits() {
    for (bits, e4m3, e5m2) in [
        (0x00, 0.0, 0.0),
        (0x01, 2f64.powi(-9), 2f64.powi(-16)),
        (0x07, 7.0 * 2f64.powi(-9), 1.75 * 2f64.powi(-14)),
        (0x38, 1.0, 0.5),
        (0x3c, 1.5, 1.0),
        (0x7b, 352.0, 57344.0),
        (0x7e, 448.0, f64::NAN),
        (0xb8, -1.0, -0.5),
    ] {
        let found = (Element::E4m3.value(bits), Element::E5m2.value(bits));
        assert!(found.0 == e4m3 && (found.1 == e5m2 || found.1.is_nan() && e5m2.is_nan()), "{bits:#x}: {found:?}");
    }
    assert!(Element::E4m3.value(0x7f).is_nan() && Element::E4m3.value(0xff).is_nan());
    assert_eq!(Element::E5m2.value(0xfc), f64::NEG_INFINITY);
}

#[test]
fn only_the_types_and_sizes_of_ptx_are_products() {
    let of = |shape: &str, types| TensorProduct::of_wgmma(shape, types, false).is_some();
    for n in (8..=256).step_by(8) {
        assert!(of(&format!(".m64n{n}k16"), [F16, F16, F32]) && of(&format!(".m64n{n}k16"), [F16, F16, F16]));
        assert!(
            of(&format!(".m64n{n}k16"), [BF16, BF16, F32]) && of(&format!(".m64n{n}k8"), [Element::Tf32, Element::Tf32, F32])
        );
        assert!(of(&format!(".m64n{n}k32"), [Element::E4m3, Element::E5m2, F16]));
        assert_eq!(of(&format!(".m64n{n}k32"), [S8, U8, S32]), n <= 24 || n % 16 == 0, "{n}");
    }
    for (shape, types) in [
        (".m64n12k16", [F16, F16, F32]),
        (".m64n264k16", [F16, F16, F32]),
        (".m64n0k16", [F16, F16, F32]),
        (".m32n8k16", [F16, F16, F32]),
        (".m64n8k8", [F16, F16, F32]),
        (".m64n8k16", [F16, BF16, F32]),
        (".m64n8k16", [BF16, BF16, F16]),
        (".m64n8k32", [S8, Element::E4m3, S32]),
        (".m64n8k32", [S8, S8, F32]),
        (".m64n8k8", [F32, F32, F32]),
    ] {
        assert!(!of(shape, types), "{shape} {types:?}");
    }
    assert!(TensorProduct::of_wgmma(".m64n8k16", [F16, F16, F32], true).is_none());
}

#[test]
fn integers_wrap_or_are_saturated() {
    let mut product = TensorProduct::of_wgmma(".m64n8k32", [U8, S8, S32], false).unwrap();
    let left = || Numbers::from_bytes(U8, (1, 32), Packing::ByRow, &known(&[255; 32]));
    let right = |value: i8| Numbers::from_bytes(S8, (1, 32), Packing::ByRow, &known(&[value as u8; 32]));
    let (high, low) = (i64::from(i32::MAX) - 5, i64::from(i32::MIN) + 5);
    for (factor, before) in [(127, high), (-128, low), (3, -7)] {
        let exact = 255 * 32 * i64::from(factor) + before;
        let added = [Some(before as u64 & 0xffff_ffff)];
        let results = [false, true].map(|saturate| {
            product.saturate = saturate;
            product.multiply(left(), right(factor as i8), Some(&added))[0].unwrap() as u32 as i32
        });
        assert_eq!(results, [exact as i32, exact.clamp(i32::MIN.into(), i32::MAX.into()) as i32]);
    }
}

#[test]
fn signs_addends_and_unknown_elements() {
    let mut product = TensorProduct::of_wgmma(".m64n8k16", [F16, F16, F32], false).unwrap();
    let ones = |rows: usize, unknown: Option<usize>| {
        let mut bytes = known(&[0x00, 0x3c].repeat(16 * rows));
        unknown.into_iter().for_each(|at| bytes[at] = None);
        Numbers::from_bytes(F16, (rows, 16), Packing::ByRow, &bytes)
    };
    let float = |value: f32| Some(u64::from(value.to_bits()));
    assert_eq!(product.multiply(ones(1, None), ones(2, None), None), [float(16.0); 2]);
    assert_eq!(product.multiply(ones(1, None), ones(2, None), Some(&[float(1.5), None])), [float(17.5), None]);
    assert_eq!(product.multiply(ones(2, Some(33)), ones(2, Some(0)), None), [None, float(16.0), None, None]);
    product.negated = [true, false];
    assert_eq!(product.multiply(ones(1, None), ones(1, None), Some(&[float(1.0)])), [float(-15.0)]);
    product.negated = [true, true];
    assert_eq!(product.multiply(ones(1, None), ones(1, None), Some(&[float(1.0)])), [float(17.0)]);
}

#[test]
fn both_packings_are_one_matrix() {
    let bytes: Vec<u8> = (0..96u32).map(|i| (i * 37 % 120) as u8).collect();
    let turned: Vec<u8> = (0..96).map(|i| bytes[i % 3 * 32 + i / 3]).collect();
    let by_row = Numbers::from_bytes(Element::E4m3, (3, 32), Packing::ByRow, &known(&bytes));
    assert_eq!(Numbers::from_bytes(Element::E4m3, (3, 32), Packing::ByStep, &known(&turned)), by_row);
}

/// The registers of each warp against the tables of PTX for D and for A: row, and column of element `i` of a lane.
#[test]
fn the_registers_of_a_warp_are_those_of_the_tables() {
    let product = TensorProduct::of_wgmma(".m64n24k16", [F16, F16, F32], false).unwrap();
    assert_eq!((product.fragment_of_a().registers, product.fragment_of_d().registers), (4, 12));
    let half = |value: usize| Format::F16.rounded(value as f64, Round::Even);
    let (a, b) = (|row: usize, k: usize| (row * 3 + k * 5) % 11, |k: usize, column: usize| (k + column * 7) % 13);
    let a_column = |lane: usize, i: usize| lane % 4 * 2 + (i & 1) + if i < 4 { 0 } else { 8 };
    let a_row = |lane: usize, i: usize| lane / 4 + if matches!(i, 0 | 1 | 4 | 5) { 0 } else { 8 };
    let element = |lane: usize, i: usize| half(a(a_row(lane, i), a_column(lane, i)));
    let registers: Vec<Vec<Option<u64>>> =
        (0..4).map(|r| (0..32).map(|lane| Some(element(lane, 2 * r) | element(lane, 2 * r + 1) << 16)).collect()).collect();
    let left = Numbers::from_registers(product.fragment_of_a(), &registers);
    let bytes: Vec<u8> = (0..24).flat_map(|n| (0..16).flat_map(move |k| (half(b(k, n)) as u16).to_le_bytes())).collect();
    let right = Numbers::from_bytes(F16, (24, 16), Packing::ByRow, &known(&bytes));
    let results = product.of_warp(left, right, None);
    for (i, lanes) in results.iter().enumerate() {
        for (lane, value) in lanes.iter().enumerate() {
            let row = lane / 4 + if i / 2 % 2 == 0 { 0 } else { 8 };
            let column = lane % 4 * 2 + i % 2 + 8 * (i / 4);
            let exact: usize = (0..16).map(|k| a(row, k) * b(k, column)).sum();
            assert_eq!(*value, Some(u64::from((exact as f32).to_bits())), "lane {lane}, register {i}");
        }
    }
}

/// Random products in exact integer arithmetic: all terms are multiples of 2^-48 below 2^50.
#[test]
fn a_result_is_the_rounded_exact_sum_within_the_bound() {
    let seed: u64 = std::env::var("BCU_SEED").map_or(1, |seed| seed.parse().expect("BCU_SEED: expected a decimal number"));
    let mut random = fastrand::Rng::with_seed(seed);
    for (element, bits) in [(F16, 16), (BF16, 16), (Element::Tf32, 32), (Element::E4m3, 8), (Element::E5m2, 8)] {
        let product = TensorProduct::new([element, element, F32], 8, false).unwrap();
        for _ in 0..200 {
            let number = |random: &mut fastrand::Rng| loop {
                let bits = random.u64(..) & (u64::MAX >> (64 - bits));
                let size = element.value(bits).abs();
                if size < 1024.0 && size > 2f64.powi(-10) {
                    break bits;
                }
            };
            let (k, bytes) = (product.k, bits / 8);
            let factors: Vec<u64> = (0..2 * k).map(|_| number(&mut random)).collect();
            let packed: Vec<Option<u8>> =
                factors.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(bytes).map(Some)).collect();
            let (left, right) = packed.split_at(k * bytes);
            let before = random.f32() * 2000.0 - 1000.0;
            let of = |bytes: &[Option<u8>]| Numbers::from_bytes(element, (1, k), Packing::ByRow, bytes);
            let result = product.multiply(of(left), of(right), Some(&[Some(u64::from(before.to_bits()))]))[0].unwrap();
            let fixed = |value: f64| (value * 2f64.powi(64)) as i128;
            let terms = (0..k).map(|i| element.value(factors[i]) * element.value(factors[k + i]));
            let terms: Vec<f64> = terms.chain([f64::from(before)]).collect();
            let exact: i128 = terms.iter().map(|term| fixed(*term)).sum();
            let sizes: f64 = terms.iter().map(|term| term.abs()).sum();
            let found = f64::from(f32::from_bits(result as u32));
            let error = (fixed(found) - exact).unsigned_abs() as f64 * 2f64.powi(-64);
            let bound = found.abs() * 2f64.powi(-24) + (k + 1) as f64 * 2f64.powi(-53) * sizes;
            assert!(
                error <= bound,
                "{element:?}: error {error:e}, bound {bound:e}; repeat with: BCU_SEED={seed} cargo test -p bcu-arith exact_sum"
            );
        }
    }
}

/// The product of elements of f16 with f32 or f16 results, `columns` columns and `k` elements along K.
fn of_halves(columns: usize, k: usize, d: Element) -> TensorProduct {
    TensorProduct { n: columns, k, ..TensorProduct::new([F16, F16, d], columns, false).unwrap() }
}

fn halves(k: usize, values: &[Option<f64>]) -> Numbers {
    let bits = |value: f64| Format::F16.rounded(value, Round::Even) as u32;
    let elements: Vec<Option<u32>> = values.iter().map(|value| value.map(bits)).collect();
    Numbers::from_elements(F16, k, &elements)
}

fn single(value: f32) -> Option<u64> {
    Some(value.to_bits().into())
}

#[test]
fn an_unknown_element_spreads_along_its_row_and_column_only() {
    let a = halves(2, &[Some(1.0), Some(2.0), Some(3.0), None]);
    let b = halves(2, &[4.0, 5.0, 6.0, 7.0, 8.0, 9.0].map(Some));
    let added = [single(1.0), None, single(0.5), single(0.0), single(0.0), single(0.0)];
    let expected = [single(15.0), None, single(26.5), None, None, None];
    assert_eq!(of_halves(3, 2, F32).multiply(a, b, Some(&added)), expected);
}

#[test]
fn the_sum_is_rounded_once() {
    // 2^24 + 1 + 1 is lost if each term is rounded.
    let factor = || halves(3, &[4096.0, 1.0, 1.0].map(Some));
    assert_eq!(of_halves(1, 3, F32).multiply(factor(), factor(), None), [single(16_777_218.0)]);
}

#[test]
fn signs_and_scales_apply_to_their_terms() {
    let (two, three) = (|| halves(1, &[Some(2.0)]), || halves(1, &[Some(3.0)]));
    let negated = TensorProduct { negated: [true, false], scale: 3, ..of_halves(1, 1, F32) };
    assert_eq!(negated.multiply(two(), three(), Some(&[single(16.0)])), [single(-4.0)]);
    let half = |value: f64| Some(Format::F16.rounded(value, Round::Even));
    assert_eq!(of_halves(1, 1, F16).multiply(two(), three(), Some(&[half(1.5)])), [half(7.5)]);
}
