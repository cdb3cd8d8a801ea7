// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cvt` between all types. Conversions to integers are compared with those of the host, which also saturate. Conversions to floating point
//! are compared with the definition of rounding.

use super::exact::{is_rounded, number, Dyadic};
use super::float::{any, host, FORMATS, MODES};
use super::{compare_rows, edge, every_seed, low, result, Row};
use bcu_arith::Format;

const INTEGERS: &[Row] = &[
    ("cvt.u32.u8", 32, |v| (v[0] as u8).into()),
    ("cvt.s64.s32", 64, |v| v[0] as i32 as u64),
    ("cvt.s64.u32", 64, |v| v[0] as u32 as u64),
    ("cvt.u16.s8", 16, |v| v[0] as i8 as u64),
    ("cvt.s8.u64", 8, |v| v[0]),
    ("cvt.sat.u8.s32", 8, |v| (v[0] as i32).clamp(0, 255) as u64),
    ("cvt.sat.s16.s64", 16, |v| (v[0] as i64).clamp(-0x8000, 0x7fff) as u64),
    ("cvt.sat.s32.u64", 32, |v| v[0].min(0x7fff_ffff)),
    ("cvt.sat.u64.s32", 64, |v| (v[0] as i32).max(0) as u64),
];

#[test]
fn integers_are_extended_cut_or_clamped() {
    compare_rows(INTEGERS);
}

type ToInteger = (&'static str, u32, fn(f64) -> u64);

const TO_INTEGER: &[ToInteger] = &[
    ("u8", 8, |v| (v as u8).into()),
    ("s8", 8, |v| v as i8 as u64),
    ("u16", 16, |v| (v as u16).into()),
    ("s16", 16, |v| v as i16 as u64),
    ("u32", 32, |v| (v as u32).into()),
    ("s32", 32, |v| v as i32 as u64),
    ("u64", 64, |v| v as u64),
    ("s64", 64, |v| v as i64 as u64),
];

const INTEGRAL: [(&str, fn(f64) -> f64); 4] =
    [("rni", f64::round_ties_even), ("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil)];

/// A random number, often within the range of an integer type or near the ends of that range.
fn moderate(random: &mut fastrand::Rng, format: Format) -> u64 {
    if random.bool() {
        return any(random, format, 0);
    }
    let value = match random.u32(0..3) {
        0 => (edge(random) as i64 as f64) + 0.5,
        1 => 2f64.powi(random.i32(-2..65)) * if random.bool() { 1.0 } else { -1.0 },
        _ => (random.f64() - 0.5) * 600.0,
    };
    match format {
        Format::F64 => value.to_bits(),
        Format::F32 => (value as f32).to_bits().into(),
        Format::Bf16 => u64::from((value as f32).to_bits() >> 16),
        Format::F16 => 0x3c00 + random.u64(0..0x3c00),
    }
}

#[test]
fn numbers_become_the_nearest_integer_of_the_type() {
    every_seed(|random, repeat| {
        for (from, format) in FORMATS {
            let source = moderate(random, format);
            let value = host(format, source);
            for (to, bits, cast) in TO_INTEGER {
                for (mode, integral) in INTEGRAL {
                    let text = format!("cvt.{mode}.{to}.{from}");
                    let highest = from == "f64" || *bits == 64;
                    let expected = match value.is_nan() {
                        true if highest => 1 << (bits - 1),
                        _ => low(cast(integral(value)), *bits),
                    };
                    let found = result(&text, *bits, &[source]);
                    assert_eq!(found, Some(expected), "{text} of {source:#x}, repeat with: {repeat}");
                }
            }
        }
    });
}

#[test]
fn integers_become_the_number_they_round_to() {
    every_seed(|random, repeat| {
        let source = edge(random);
        for (from, exact) in [
            ("u64", i128::from(source)),
            ("s64", i128::from(source as i64)),
            ("u32", i128::from(source as u32)),
            ("s16", i128::from(source as i16)),
        ] {
            for (to, format) in FORMATS {
                for (mode, round) in MODES {
                    let text = format!("cvt.{mode}.{to}.{from}");
                    let found = result(&text, format.bits(), &[source]).unwrap();
                    let exact = Dyadic(exact.into(), 0);
                    let right = is_rounded(format, round, found, |candidate| candidate.cmp(&exact));
                    assert!(right, "{text} of {source:#x} gives {found:#x}, repeat with: {repeat}");
                }
            }
        }
    });
    // The host also rounds to nearest.
    every_seed(|random, repeat| {
        let source = edge(random);
        let expected = [u64::from((source as f32).to_bits()), (source as i64 as f64).to_bits()];
        let found = [result("cvt.rn.f32.u64", 32, &[source]), result("cvt.rn.f64.s64", 64, &[source])];
        assert_eq!(found, expected.map(Some), "{source:#x}, repeat with: {repeat}");
    });
}

#[test]
fn numbers_become_the_number_they_round_to() {
    every_seed(|random, repeat| {
        for (from, source_format) in FORMATS {
            let source = any(random, source_format, 0);
            let value = host(source_format, source);
            for (to, format) in FORMATS {
                if from == to {
                    continue;
                }
                for (mode, round) in MODES {
                    let text = format!("cvt.{mode}.{to}.{from}");
                    let found = result(&text, format.bits(), &[source]).unwrap();
                    let context = format!("{text} of {source:#x} gives {found:#x}, repeat with: {repeat}");
                    let negative = found & format.sign() != 0;
                    if !value.is_finite() {
                        let infinity = if value > 0.0 { format.infinity() } else { format.sign() | format.infinity() };
                        assert_eq!(found, if value.is_nan() { format.nan() } else { infinity }, "{context}");
                        continue;
                    }
                    let exact = number(source_format, source);
                    assert_eq!(negative, value.is_sign_negative(), "{context}");
                    assert!(is_rounded(format, round, found, |candidate| candidate.cmp(&exact)), "{context}");
                }
            }
            for (mode, integral) in INTEGRAL {
                let found = result(&format!("cvt.{mode}.{from}.{from}"), source_format.bits(), &[source]);
                let found = found.map(|v| host(source_format, v).to_bits());
                let expected = Some(integral(value)).filter(|v| !v.is_nan()).map(f64::to_bits);
                assert_eq!(found.filter(|_| !value.is_nan()), expected, "{mode} {source:#x}, repeat with: {repeat}");
            }
        }
    });
}

#[test]
fn conversions_flush_limit_and_pair() {
    for (text, bits, sources, expected) in [
        ("cvt.sat.f32.f32", 32, &[0xbf80_0000][..], 0),
        ("cvt.sat.f32.f32", 32, &[0x7fc0_0000], 0),
        ("cvt.rn.sat.f32.s32", 32, &[7], 0x3f80_0000),
        ("cvt.ftz.f64.f32", 64, &[0x8000_0001], 1 << 63),
        ("cvt.rn.ftz.f32.f64", 32, &[1.0e-40f64.to_bits()], 0),
        ("cvt.rpi.ftz.s32.f32", 32, &[1], 0),
        ("cvt.rpi.s32.f32", 32, &[1], 1),
        ("cvt.f32.f16", 32, &[0x0001], 0x3380_0000),
        ("cvt.rn.f16x2.f32", 32, &[0x3f80_0000, 0xc000_0000], 0x3c00_c000),
        ("cvt.rn.relu.bf16x2.f32", 32, &[0xbf80_0000, 0x7f80_0001], 0x0000_7fff),
    ] {
        assert_eq!(result(text, bits, sources), Some(expected), "{text} of {sources:x?}");
    }
}
