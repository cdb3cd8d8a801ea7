// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer arithmetic, shifts, logic and selection (`add`, `mul`, `rem`, `sad`, `shl`, `xor`, `slct` and
//! others), against the host's operations on types of the same width.

use super::{both, compare_rows, edges, every_seed, low, result, Row};

const ARITHMETIC: &[Row] = &[
    ("add.u16", 16, |v| (v[0] as u16).wrapping_add(v[1] as u16).into()),
    ("add.u32", 32, |v| (v[0] as u32).wrapping_add(v[1] as u32).into()),
    ("add.s64", 64, |v| v[0].wrapping_add(v[1])),
    ("add.sat.s32", 32, |v| (v[0] as i32).saturating_add(v[1] as i32) as u64),
    ("add.u16x2", 32, |v| pairs(v, u16::wrapping_add)),
    ("sub.s16", 16, |v| (v[0] as u16).wrapping_sub(v[1] as u16).into()),
    ("sub.u64", 64, |v| v[0].wrapping_sub(v[1])),
    ("sub.sat.s32", 32, |v| (v[0] as i32).saturating_sub(v[1] as i32) as u64),
    ("mul.lo.u16", 16, |v| (v[0] as u16).wrapping_mul(v[1] as u16).into()),
    ("mul.lo.s32", 32, |v| (v[0] as i32).wrapping_mul(v[1] as i32) as u64),
    ("mul.lo.u64", 64, |v| v[0].wrapping_mul(v[1])),
    ("mul.hi.s16", 16, |v| ((v[0] as i16 as i32 * v[1] as i16 as i32) >> 16) as u64),
    ("mul.hi.u32", 32, |v| (v[0] as u32 as u64 * (v[1] as u32 as u64)) >> 32),
    ("mul.hi.s32", 32, |v| ((v[0] as i32 as i64 * (v[1] as i32 as i64)) >> 32) as u64),
    ("mul.hi.u64", 64, |v| ((v[0] as u128 * v[1] as u128) >> 64) as u64),
    ("mul.hi.s64", 64, |v| ((v[0] as i64 as i128 * v[1] as i64 as i128) >> 64) as u64),
    ("mul.wide.u16", 32, |v| (v[0] as u16 as u32 * v[1] as u16 as u32).into()),
    ("mul.wide.s32", 64, |v| (v[0] as i32 as i64 * (v[1] as i32 as i64)) as u64),
    ("mul.wide.u32", 64, |v| v[0] as u32 as u64 * (v[1] as u32 as u64)),
    ("mad.lo.s32", 32, |v| (v[0] as u32).wrapping_mul(v[1] as u32).wrapping_add(v[2] as u32).into()),
    ("mad.lo.u64", 64, |v| v[0].wrapping_mul(v[1]).wrapping_add(v[2])),
    ("mad.hi.u32", 32, |v| ((v[0] as u32 as u64 * (v[1] as u32 as u64)) >> 32).wrapping_add(v[2])),
    ("mad.hi.u64", 64, |v| (((v[0] as u128 * v[1] as u128) >> 64) as u64).wrapping_add(v[2])),
    ("mad.hi.sat.s32", 32, |v| (((v[0] as i32 as i64 * (v[1] as i32 as i64)) >> 32) as i32).saturating_add(v[2] as i32) as u64),
    ("mad.wide.s32", 64, |v| ((v[0] as i32 as i64 * (v[1] as i32 as i64)) as u64).wrapping_add(v[2])),
    ("mad.wide.u16", 32, |v| (v[0] as u16 as u32 * v[1] as u16 as u32).wrapping_add(v[2] as u32).into()),
    ("mul24.lo.u32", 32, |v| low(v[0], 24) * low(v[1], 24)),
    ("mul24.hi.u32", 32, |v| (low(v[0], 24) * low(v[1], 24)) >> 16),
    ("mul24.lo.s32", 32, |v| (signed24(v[0]) * signed24(v[1])) as u64),
    ("mul24.hi.s32", 32, |v| ((signed24(v[0]) * signed24(v[1])) >> 16) as u64),
    ("mad24.lo.s32", 32, |v| ((signed24(v[0]) * signed24(v[1])) as u64).wrapping_add(v[2])),
    ("mad24.hi.sat.s32", 32, |v| (((signed24(v[0]) * signed24(v[1])) >> 16) as i32).saturating_add(v[2] as i32) as u64),
    ("sad.u32", 32, |v| (v[2] as u32).wrapping_add((v[0] as u32).abs_diff(v[1] as u32)).into()),
    ("sad.s64", 64, |v| v[2].wrapping_add((v[0] as i64).abs_diff(v[1] as i64))),
    ("min.s16", 16, |v| (v[0] as i16).min(v[1] as i16) as u64),
    ("min.u64", 64, |v| v[0].min(v[1])),
    ("min.s16x2", 32, |v| pairs(v, |a, b| (a as i16).min(b as i16) as u16)),
    ("max.s32", 32, |v| (v[0] as i32).max(v[1] as i32) as u64),
    ("max.u32", 32, |v| (v[0] as u32).max(v[1] as u32).into()),
    ("max.u16x2", 32, |v| pairs(v, u16::max)),
    ("neg.s32", 32, |v| (v[0] as i32).wrapping_neg() as u64),
    ("neg.s64", 64, |v| (v[0] as i64).wrapping_neg() as u64),
    ("abs.s16", 16, |v| (v[0] as i16).wrapping_abs() as u64),
    ("abs.s64", 64, |v| (v[0] as i64).wrapping_abs() as u64),
    ("not.b64", 64, |v| !v[0]),
    ("not.pred", 1, |v| u64::from(v[0] & 1 == 0)),
    ("cnot.b16", 16, |v| u64::from(v[0] as u16 == 0)),
    ("cnot.b64", 64, |v| u64::from(v[0] == 0)),
    ("and.b32", 32, |v| v[0] & v[1]),
    ("or.b64", 64, |v| v[0] | v[1]),
    ("xor.b16", 16, |v| v[0] ^ v[1]),
    ("xor.pred", 1, |v| v[0] ^ v[1]),
    ("shl.b32", 32, |v| (v[0] as u32).checked_shl(v[1] as u32).unwrap_or(0).into()),
    ("shl.b64", 64, |v| v[0].checked_shl(v[1] as u32).unwrap_or(0)),
    ("shr.u16", 16, |v| (v[0] as u16).checked_shr(v[1] as u32).unwrap_or(0).into()),
    ("shr.u64", 64, |v| v[0].checked_shr(v[1] as u32).unwrap_or(0)),
    ("shr.s32", 32, |v| ((v[0] as i32) >> (v[1] as u32).min(31)) as u64),
    ("shr.s64", 64, |v| ((v[0] as i64) >> (v[1] as u32).min(63)) as u64),
    ("mov.u8", 8, |v| v[0]),
    ("mov.f64", 64, |v| v[0]),
    ("selp.f32", 32, |v| if v[2] & 1 == 1 { v[0] } else { v[1] }),
    ("slct.b64.s32", 64, |v| if v[2] as i32 >= 0 { v[0] } else { v[1] }),
    ("slct.ftz.u32.f32", 32, |v| {
        let c = f32::from_bits(v[2] as u32);
        if c >= 0.0 || c.is_subnormal() {
            v[0]
        } else {
            v[1]
        }
    }),
];

fn signed24(value: u64) -> i64 {
    (value << 40) as i64 >> 40
}

fn pairs(v: [u64; 4], op: fn(u16, u16) -> u16) -> u64 {
    let upper = op((v[0] >> 16) as u16, (v[1] >> 16) as u16);
    u64::from(upper) << 16 | u64::from(op(v[0] as u16, v[1] as u16))
}

#[test]
fn arithmetic_and_logic_are_those_of_the_host() {
    compare_rows(ARITHMETIC);
}

#[test]
fn what_is_divided_by_zero_is_unknown() {
    every_seed(|random, repeat| {
        let v = edges(random);
        let host = [
            ("div.u32", 32, (v[0] as u32).checked_div(v[1] as u32).map(u64::from)),
            ("rem.u32", 32, (v[0] as u32).checked_rem(v[1] as u32).map(u64::from)),
            ("div.u64", 64, v[0].checked_div(v[1])),
            ("rem.u64", 64, v[0].checked_rem(v[1])),
            ("div.s32", 32, (v[1] as i32 != 0).then(|| (v[0] as i32).wrapping_div(v[1] as i32) as u64)),
            ("rem.s32", 32, (v[1] as i32 != 0).then(|| (v[0] as i32).wrapping_rem(v[1] as i32) as u64)),
            ("div.s64", 64, (v[1] != 0).then(|| (v[0] as i64).wrapping_div(v[1] as i64) as u64)),
            ("rem.s64", 64, (v[1] != 0).then(|| (v[0] as i64).wrapping_rem(v[1] as i64) as u64)),
        ];
        for (text, bits, expected) in host {
            assert_eq!(result(text, bits, &v), expected.map(|e| low(e, bits)), "{text} of {v:#x?}, repeat with: {repeat}");
        }
    });
}

/// A 128-bit sum, difference or product in four steps of 32 bits, with the carry passed to the next step.
#[test]
fn a_chain_of_carries_is_one_long_operation() {
    every_seed(|random, repeat| {
        let (a, b) = (random.u128(..), random.u128(..));
        // Now and then a carry propagates far.
        let b = if random.bool() { !a } else { b };
        let word = |v: u128, i: usize| (v >> (32 * i)) as u32 as u64;
        for (first, next, expected) in [
            ("add.cc.u32", "addc.cc.u32", a.wrapping_add(b)),
            ("add.cc.s32", "addc.cc.s32", a.wrapping_add(b)),
            ("sub.cc.u32", "subc.cc.u32", a.wrapping_sub(b)),
        ] {
            let (mut sum, mut flag) = (0u128, 0);
            for i in 0..4 {
                let text = if i == 0 { first } else { next };
                let (value, out) = both(text, &[word(a, i), word(b, i), flag]);
                sum |= u128::from(low(value.unwrap(), 32)) << (32 * i);
                flag = out.unwrap();
            }
            assert_eq!(sum, expected, "{first} of {a:#x} and {b:#x}, repeat with: {repeat}");
        }
        let (x, y, z) = (a as u64, b as u64, (a >> 64) as u64);
        let (lower, flag) = both("mad.lo.cc.u64", &[x, y, z]);
        let (upper, none) = both("madc.hi.u64", &[x, y, 0, flag.unwrap()]);
        let expected = u128::from(x) * u128::from(y) + u128::from(z);
        assert_eq!((lower, upper), (Some(expected as u64), Some((expected >> 64) as u64)), "repeat with: {repeat}");
        assert_eq!(none, None);
    });
    assert_eq!(both("madc.hi.cc.s32", &[0xffff_ffff, 1, 1, 0]).1, Some(1));
}
