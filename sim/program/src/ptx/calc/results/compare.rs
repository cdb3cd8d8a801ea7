// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `setp`, `set` and `testp` against comparisons of the host, with NaNs, both zeros and subnormal numbers.

use super::float::{any, host, FORMATS};
use super::{both, edge, every_seed, low, result};
use crate::arith::Format;

type Holds = fn(f64, f64) -> bool;

const FLOAT: [(&str, Holds); 14] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a < b || a > b),
    ("lt", |a, b| a < b),
    ("le", |a, b| a <= b),
    ("gt", |a, b| a > b),
    ("ge", |a, b| a >= b),
    ("equ", |a, b| a == b || a.is_nan() || b.is_nan()),
    ("neu", |a, b| a != b),
    ("ltu", |a, b| a < b || a.is_nan() || b.is_nan()),
    ("leu", |a, b| a <= b || a.is_nan() || b.is_nan()),
    ("gtu", |a, b| a > b || a.is_nan() || b.is_nan()),
    ("geu", |a, b| a >= b || a.is_nan() || b.is_nan()),
    ("num", |a, b| !a.is_nan() && !b.is_nan()),
    ("nan", |a, b| a.is_nan() || b.is_nan()),
];

#[test]
fn numbers_compare_as_on_the_host() {
    every_seed(|random, repeat| {
        for (name, format) in FORMATS {
            let a = any(random, format, 0);
            let b = if random.bool() { any(random, format, a) } else { a ^ u64::from(random.bool()) << (format.bits() - 1) };
            for (op, holds) in FLOAT {
                let truth = holds(host(format, a), host(format, b));
                let context = format!("{op} {name} of {a:#x} and {b:#x}, repeat with: {repeat}");
                let found = both(&format!("setp.{op}.{name}"), &[a, b]);
                assert_eq!(found, (Some(truth.into()), Some((!truth).into())), "{context}");
                let set = result(&format!("set.{op}.u32.{name}"), 32, &[a, b]);
                assert_eq!(set, Some(if truth { 0xffff_ffff } else { 0 }), "{context}");
                let set = result(&format!("set.{op}.f32.{name}"), 32, &[a, b]);
                assert_eq!(set, Some(if truth { 0x3f80_0000 } else { 0 }), "{context}");
            }
            if format == Format::F32 {
                let flushed = |v: u64| Some(host(format, v)).filter(|v| v.abs() >= f64::from(f32::MIN_POSITIVE) || v.is_nan());
                let (x, y) = (flushed(a).unwrap_or(0.0), flushed(b).unwrap_or(0.0));
                assert_eq!(result("setp.lt.ftz.f32", 1, &[a, b]), Some((x < y).into()), "{a:#x} {b:#x}");
            }
        }
    });
}

#[test]
fn integers_compare_by_their_sign_and_join_with_a_predicate() {
    every_seed(|random, repeat| {
        let a = edge(random);
        let b = if random.bool() { edge(random) } else { a };
        let c = random.bool();
        let (x, y) = (a as i32, b as i32);
        for (text, truth) in [
            ("setp.lt.s32", x < y),
            ("setp.lo.s32", (x as u32) < y as u32),
            ("setp.hs.u32", x as u32 >= y as u32),
            ("setp.eq.b64", a == b),
            ("setp.ge.s64", a as i64 >= b as i64),
            ("setp.ne.and.u32", (x != y) & c),
            ("setp.gt.or.u16", (a as u16 > b as u16) | c),
            ("setp.le.xor.u64", (a <= b) ^ c),
        ] {
            let found = result(text, 1, &[a, b, c.into()]);
            assert_eq!(found, Some(truth.into()), "{text} of {a:#x}, {b:#x} and {c}, repeat with: {repeat}");
        }
        let set = result("set.gt.and.s32.u32", 32, &[a, b, c.into()]);
        assert_eq!(set, Some(low(u64::from((x as u32 > y as u32) & c).wrapping_neg(), 32)), "repeat with: {repeat}");
    });
    assert_eq!(both("setp.eq.and.u32", &[1, 2, 1]), (Some(0), Some(1)));
}

#[test]
fn tests_of_one_number_are_those_of_the_host() {
    every_seed(|random, repeat| {
        let v = any(random, Format::F32, 0);
        let x = f32::from_bits(v as u32);
        for (property, truth) in [
            ("finite", x.is_finite()),
            ("infinite", x.is_infinite()),
            ("number", !x.is_nan()),
            ("notanumber", x.is_nan()),
            ("normal", x.is_normal() || x == 0.0),
            ("subnormal", x.is_subnormal()),
        ] {
            let found = result(&format!("testp.{property}.f32"), 1, &[v]);
            assert_eq!(found, Some(truth.into()), "{property} of {v:#x}, repeat with: {repeat}");
        }
    });
}
