// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `add`, `sub`, `mul`, `fma`, `div`, `rcp` and `sqrt` in every floating-point format and rounding mode, against the definition of
//! rounding. Infinities and NaNs are compared with those of the host.

use super::exact::{is_rounded, number, Dyadic};
use super::{every_seed, result};
use bcu_arith::{Format, Round};
use std::cmp::Ordering;

pub const MODES: [(&str, Round); 4] = [("rn", Round::Even), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

pub const FORMATS: [(&str, Format); 4] =
    [("f16", Format::F16), ("bf16", Format::Bf16), ("f32", Format::F32), ("f64", Format::F64)];

/// Any number of the format, often a zero, an end of the range, or a value near `near`.
pub fn any(random: &mut fastrand::Rng, format: Format, near: u64) -> u64 {
    let sign = u64::from(random.bool()) << (format.bits() - 1);
    let infinity = format.infinity();
    let size = match random.u32(0..10) {
        0 => random.u64(0..3),
        1 => infinity - 2 + random.u64(0..4),
        2 => (1 << format.fraction()) - 2 + random.u64(0..4),
        3 => format.one_bits() + random.u64(0..3),
        4 | 5 => format.magnitude(near) ^ random.u64(0..16),
        6 => format.one_bits() + (random.u64(0..40) << format.fraction()),
        7 => random.u64(0..1 << format.fraction()),
        _ => random.u64(0..infinity),
    };
    sign | format.magnitude(size)
}

/// The value as a host number; every number of the shorter formats is also a 64-bit number.
pub fn host(format: Format, bits: u64) -> f64 {
    let shifted = |fraction: u32, exponents: u64, bias: u64| {
        let (size, sign) = (format.magnitude(bits), bits >> (format.bits() - 1) & 1);
        let (exponent, rest) = (size >> fraction, size & ((1 << fraction) - 1));
        let value = match exponent {
            0 => rest as f64 * 2f64.powi(1 - bias as i32 - fraction as i32),
            _ if exponent == exponents => {
                if rest == 0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            _ => f64::from_bits((exponent + 1023 - bias) << 52 | rest << (52 - fraction)),
        };
        if sign == 1 {
            -value
        } else {
            value
        }
    };
    match format {
        Format::F16 => shifted(10, 31, 15),
        Format::Bf16 => shifted(7, 255, 127),
        Format::F32 => f32::from_bits(bits as u32).into(),
        Format::F64 => f64::from_bits(bits),
    }
}

/// The host's result for special sources: a NaN, an infinity or a zero.
fn special(format: Format, value: f64) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (format.bits() - 1);
    match value {
        _ if value.is_nan() => format.nan(),
        _ if value.is_infinite() => sign | format.infinity(),
        _ => {
            assert_eq!(value, 0.0);
            sign
        }
    }
}

/// One check: an instruction, its format and rounding mode, the values of its sources, and the command that repeats the check.
struct Case<'a> {
    text: &'a str,
    format: Format,
    round: Round,
    sources: &'a [u64],
    repeat: &'a str,
}

impl Case<'_> {
    /// Checks the result of an instruction. `host` is the result on the host. `sources_finite`: no source is an infinity or a NaN.
    /// `against` orders a number relative to the exact result. `zero` is the sign of the result if the exact result is zero; true:
    /// negative.
    fn check(&self, host: f64, sources_finite: bool, against: impl Fn(&Dyadic) -> Ordering, zero: Option<bool>) {
        let Case { text, format, round, sources, repeat } = *self;
        let found = result(text, format.bits(), sources).unwrap();
        let context = format!("{text} of {sources:#x?} gives {found:#x}, repeat with: {repeat}");
        if !sources_finite || host.is_nan() {
            assert_eq!(found, special(format, host), "{context}");
            return;
        }
        let negative = found >> (format.bits() - 1) == 1;
        match against(&Dyadic(0.into(), 0)) {
            Ordering::Equal => assert_eq!((format.magnitude(found), Some(negative)), (0, zero), "{context}"),
            order => {
                assert_eq!(negative, order.is_gt(), "{context}");
                assert!(is_rounded(format, round, found, against), "{context}");
            }
        }
    }
}

fn finite(format: Format, sources: &[u64]) -> bool {
    sources.iter().all(|v| format.magnitude(*v) < format.infinity())
}

fn check_all(random: &mut fastrand::Rng, repeat: &str, name: &str, format: Format, mode: &str, round: Round) {
    let a = any(random, format, 0);
    let (b, c) = (any(random, format, a), any(random, format, a));
    let (x, y, z) = (host(format, a), host(format, b), host(format, c));
    let [p, q, r] = [a, b, c].map(|v| number(format, v));
    let down = round == Round::Down;
    let minus = |v: f64| v.is_sign_negative();
    let of = |exact: Dyadic| move |candidate: &Dyadic| candidate.cmp(&exact);
    let form = |op: &str| format!("{op}.{mode}.{name}");
    let case = |text: &str, sources: &[u64], host, finite, exact: Dyadic, zero| {
        Case { text, format, round, sources, repeat }.check(host, finite, of(exact), zero);
    };
    let two = finite(format, &[a, b]);
    let sum_sign = |x: f64, y: f64| Some(if x == 0.0 && y == 0.0 && minus(x) == minus(y) { minus(x) } else { down });
    case(&form("add"), &[a, b], x + y, two, p.add(&q), sum_sign(x, y));
    case(&form("sub"), &[a, b], x - y, two, p.add(&q.negated()), sum_sign(x, -y));
    case(&form("mul"), &[a, b], x * y, two, p.mul(&q), Some(minus(x) != minus(y)));
    let product = if minus(x) != minus(y) { -1.0f64 } else { 1.0 } * if x == 0.0 || y == 0.0 { 0.0 } else { 1.0 };
    // An infinite product of finite factors is an overflow of the host, not the exact result.
    let host_fma = if two && z.is_finite() {
        0.0
    } else if two {
        z
    } else {
        x.mul_add(y, z)
    };
    let fused = finite(format, &[a, b, c]);
    case(&form("fma"), &[a, b, c], host_fma, fused, p.mul(&q).add(&r), sum_sign(product, z));
    if matches!(format, Format::F32 | Format::F64) {
        let quotient = |text: &str, sources: &[u64], (x, y): (f64, f64), (p, q): (Dyadic, Dyadic)| {
            let against = |candidate: &Dyadic| match q.sign() {
                Ordering::Less => p.cmp(&candidate.mul(&q)),
                _ => candidate.mul(&q).cmp(&p),
            };
            let finite = finite(format, sources) && y != 0.0;
            Case { text, format, round, sources, repeat }.check(x / y, finite, against, Some(minus(x) != minus(y)));
        };
        quotient(&form("div"), &[a, b], (x, y), (p.clone(), q.clone()));
        quotient(&form("rcp"), &[a], (1.0, x), (Dyadic(1.into(), 0), p.clone()));
        let against = |candidate: &Dyadic| match candidate.sign() {
            Ordering::Less => Ordering::Less,
            _ => candidate.mul(candidate).cmp(&p),
        };
        Case { text: &form("sqrt"), format, round, sources: &[a], repeat }.check(
            x.sqrt(),
            finite(format, &[a]),
            against,
            Some(minus(x)),
        );
    }
}

#[test]
fn every_result_is_the_exact_one_rounded_once() {
    every_seed(|random, repeat| {
        for (name, format) in FORMATS {
            for (mode, round) in MODES {
                if round == Round::Even || matches!(format, Format::F32 | Format::F64) {
                    for _ in 0..4 {
                        check_all(random, repeat, name, format, mode, round);
                    }
                }
            }
        }
    });
}
