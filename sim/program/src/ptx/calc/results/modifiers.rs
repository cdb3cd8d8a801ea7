// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `.ftz`, `.sat`, `.relu` and packed types such as `f32x2`, against the instructions without them. `min`, `max`, `neg`, `abs` and
//! `copysign`, against the host.

use super::float::{any, host, FORMATS};
use super::{every_seed, result};
use bcu_arith::Format;

/// `add`, `sub`, `mul` and `fma` with a modifier, against the instruction without it. `.ftz` replaces subnormal sources and results by
/// zeros. `.sat` limits the result to 0 to 1; `.relu` replaces a negative result by 0. `fma` of a packed type is two `fma`.
#[test]
fn modifiers_change_sources_and_results_as_they_say() {
    every_seed(|random, repeat| {
        for (name, format) in [("f32", Format::F32), ("f16", Format::F16)] {
            let a = any(random, format, 0);
            let sources = [a, any(random, format, a), any(random, format, a)];
            let flushed = |v: u64| if host_is_subnormal(format, v) { v & format.sign() } else { v };
            let plain = |op: &str, sources: &[u64]| result(&format!("{op}.rn.{name}"), format.bits(), sources).unwrap();
            for op in ["add", "sub", "mul", "fma"] {
                let n = if op == "fma" { 3 } else { 2 };
                let context = format!("{op} {name} of {sources:#x?}, repeat with: {repeat}");
                let with = |modifier: &str| result(&format!("{op}.rn.{modifier}.{name}"), format.bits(), &sources[..n]);
                assert_eq!(with("ftz"), Some(flushed(plain(op, &sources.map(flushed)[..n]))), "{context}");
                let value = plain(op, &sources[..n]);
                let number = host(format, value);
                let limited = if number > 1.0 {
                    format.one_bits()
                } else if number > 0.0 {
                    value
                } else {
                    0
                };
                assert_eq!(with("sat"), Some(limited), "{context}");
                if (op, format) == ("fma", Format::F16) {
                    let above = match number {
                        _ if number.is_nan() => 0x7fff,
                        _ if number > 0.0 => value,
                        _ => 0,
                    };
                    assert_eq!(with("relu"), Some(above), "{context}");
                }
            }
            let other = sources.map(|v| format.magnitude(v));
            let joined: Vec<u64> = (0..3).map(|i| other[i] << format.bits() | sources[i]).collect();
            let pair = plain("fma", &other) << format.bits() | plain("fma", &sources);
            assert_eq!(result(&format!("fma.rn.{name}x2"), 2 * format.bits(), &joined), Some(pair), "repeat with: {repeat}");
        }
    });
}

fn host_is_subnormal(format: Format, v: u64) -> bool {
    let smallest = if format == Format::F32 { f64::from(f32::MIN_POSITIVE) } else { 2f64.powi(-14) };
    host(format, v).abs() < smallest && host(format, v) != 0.0
}

#[test]
fn minima_and_signs_look_at_zeros_and_nans() {
    every_seed(|random, repeat| {
        for (name, format) in FORMATS {
            let a = any(random, format, 0);
            let b = any(random, format, a);
            let (x, y) = (host(format, a), host(format, b));
            let context = format!("{name} {a:#x} {b:#x}, repeat with: {repeat}");
            let of = |text: &str, sources: &[u64]| result(&format!("{text}.{name}"), format.bits(), sources);
            let chosen = |least: bool| match (x.is_nan(), y.is_nan()) {
                (true, true) => format.nan(),
                (true, false) => b,
                (false, true) => a,
                _ if x.total_cmp(&y).is_lt() == least => a,
                _ => b,
            };
            assert_eq!((of("min", &[a, b]), of("max", &[a, b])), (Some(chosen(true)), Some(chosen(false))), "{context}");
            if format != Format::F64 {
                let any_nan = x.is_nan() || y.is_nan();
                let strict = if any_nan { format.nan() } else { chosen(true) };
                assert_eq!(of("min.NaN", &[a, b]), Some(strict), "{context}");
                if !any_nan {
                    let larger = format.magnitude(a).max(format.magnitude(b));
                    assert_eq!(of("max.xorsign.abs", &[a, b]), Some(larger | (a ^ b) & format.sign()), "{context}");
                }
            }
            if !x.is_nan() {
                assert_eq!(of("neg", &[a]).map(|v| host(format, v)), Some(-x), "{context}");
                assert_eq!(of("abs", &[a]).map(|v| host(format, v)), Some(x.abs()), "{context}");
            }
        }
        let (a, b) = (random.u64(..), random.u64(..));
        let expected = f64::from_bits(b).copysign(f64::from_bits(a)).to_bits();
        assert_eq!(result("copysign.f64", 64, &[a, b]), Some(expected), "repeat with: {repeat}");
    });
}
