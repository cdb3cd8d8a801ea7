// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer instructions on single bits and bytes, such as `bfe`, `bfi`, `bfind`, `prmt`, `shf`, `lop3`, `popc` and
//! `dp4a`, against calculations bit by bit as in PTX's pseudocode.

use super::{compare_rows, low, result, Row};

const ROWS: &[Row] = &[
    ("popc.b32", 32, |v| (0..32).map(|i| v[0] >> i & 1).sum()),
    ("popc.b64", 32, |v| (0..64).map(|i| v[0] >> i & 1).sum()),
    ("clz.b32", 32, |v| (0..32).rev().take_while(|i| v[0] >> i & 1 == 0).count() as u64),
    ("clz.b64", 32, |v| (0..64).rev().take_while(|i| v[0] >> i & 1 == 0).count() as u64),
    ("brev.b32", 32, |v| (0..32).map(|i| (v[0] >> i & 1) << (31 - i)).sum()),
    ("brev.b64", 64, |v| (0..64).map(|i| (v[0] >> i & 1) << (63 - i)).sum()),
    ("bfind.u32", 32, |v| (0..32).rev().find(|i| v[0] >> i & 1 == 1).unwrap_or(u64::MAX)),
    ("bfind.u64", 32, |v| (0..64).rev().find(|i| v[0] >> i & 1 == 1).unwrap_or(u64::MAX)),
    ("bfind.s32", 32, |v| (0..31).rev().find(|i| v[0] >> i & 1 != v[0] >> 31 & 1).unwrap_or(u64::MAX)),
    ("bfind.shiftamt.s64", 32, |v| (0..63).rev().find(|i| v[0] >> i & 1 != v[0] >> 63).map_or(u64::MAX, |i| 63 - i)),
    ("bfind.shiftamt.u32", 32, |v| (0..32).rev().find(|i| v[0] >> i & 1 == 1).map_or(u64::MAX, |i| 31 - i)),
    ("bfe.u32", 32, |v| field(v, 31, false)),
    ("bfe.s32", 32, |v| field(v, 31, true)),
    ("bfe.u64", 64, |v| field(v, 63, false)),
    ("bfe.s64", 64, |v| field(v, 63, true)),
    ("bfi.b32", 32, |v| inserted(v, 31)),
    ("bfi.b64", 64, |v| inserted(v, 63)),
    ("bmsk.clamp.b32", 32, |v| mask(v[0] as u32, v[1] as u32)),
    ("bmsk.wrap.b32", 32, |v| mask(v[0] as u32 & 31, v[1] as u32 & 31)),
    ("szext.clamp.u32", 32, |v| extension(v[0], (v[1] as u32).min(32), false)),
    ("szext.clamp.s32", 32, |v| extension(v[0], (v[1] as u32).min(32), true)),
    ("szext.wrap.s32", 32, |v| extension(v[0], v[1] as u32 & 31, true)),
    ("lop3.b32", 32, |v| {
        (0..32).map(|i| (v[3] >> ((v[0] >> i & 1) * 4 + (v[1] >> i & 1) * 2 + (v[2] >> i & 1)) & 1) << i).sum()
    }),
    ("shf.l.wrap.b32", 32, |v| funnel(v) << (v[2] & 31) >> 32),
    ("shf.r.clamp.b32", 32, |v| (u128::from(funnel(v)) >> (v[2] as u32).min(32)) as u64),
    ("shf.l.clamp.b32", 32, |v| ((u128::from(funnel(v)) << (v[2] as u32).min(32)) >> 32) as u64),
    ("shf.r.wrap.b32", 32, |v| (u128::from(funnel(v)) >> (v[2] as u32 & 31)) as u64),
    ("dp4a.u32.u32", 32, |v| (0..4).map(|i| byte(v[0], i) * byte(v[1], i)).sum::<u64>().wrapping_add(v[2])),
    ("dp4a.s32.u32", 32, |v| {
        (0..4).map(|i| byte(v[0], i) as i8 as i64 * byte(v[1], i) as i64).sum::<i64>().wrapping_add(v[2] as i64) as u64
    }),
    ("dp4a.s32.s32", 32, |v| {
        (0..4).map(|i| byte(v[0], i) as i8 as i64 * byte(v[1], i) as i8 as i64).sum::<i64>().wrapping_add(v[2] as i64) as u64
    }),
    ("dp2a.lo.u32.s32", 32, |v| {
        let half = |i: u32| (v[0] >> (16 * i)) as u16 as i64;
        (0..2).map(|i| half(i) * byte(v[1], i) as i8 as i64).sum::<i64>().wrapping_add(v[2] as i64) as u64
    }),
    ("dp2a.hi.s32.u32", 32, |v| {
        let half = |i: u32| (v[0] >> (16 * i)) as i16 as i64;
        (0..2).map(|i| half(i) * byte(v[1], i + 2) as i64).sum::<i64>().wrapping_add(v[2] as i64) as u64
    }),
    ("prmt.b32", 32, |v| {
        let chosen = |i: u32| {
            let choice = (v[2] >> (4 * i)) as u32 & 15;
            let found = byte(funnel(v), choice & 7);
            match choice & 8 {
                0 => found,
                _ => 0xff * (found >> 7),
            }
        };
        (0..4).map(|i| chosen(i) << (8 * i)).sum()
    }),
];

fn byte(value: u64, i: u32) -> u64 {
    value >> (8 * i) & 0xff
}

fn funnel(v: [u64; 4]) -> u64 {
    low(v[1], 32) << 32 | low(v[0], 32)
}

fn field(v: [u64; 4], msb: u64, signed: bool) -> u64 {
    let (at, length) = (v[1] & 0xff, v[2] & 0xff);
    let sign = if !signed || length == 0 { 0 } else { v[0] >> (at + length - 1).min(msb) & 1 };
    (0..=msb).map(|i| (if i < length && at + i <= msb { v[0] >> (at + i) & 1 } else { sign }) << i).sum()
}

fn inserted(v: [u64; 4], msb: u64) -> u64 {
    let (at, length) = (v[2] & 0xff, v[3] & 0xff);
    let bit = |i: u64| if i >= at && i - at < length { v[0] >> (i - at) & 1 } else { v[1] >> i & 1 };
    (0..=msb).map(|i| bit(i) << i).sum()
}

fn mask(at: u32, length: u32) -> u64 {
    (0..32u32).filter(|i| *i >= at && i - at < length).map(|i| 1 << i).sum()
}

fn extension(value: u64, length: u32, signed: bool) -> u64 {
    let sign = if signed && length > 0 { value >> (length - 1) & 1 } else { 0 };
    (0..32).map(|i| (if i < length { value >> i & 1 } else { sign }) << i).sum()
}

#[test]
fn bit_fields_are_as_the_manual_has_them() {
    compare_rows(ROWS);
}

/// PTX's table. For every control value it has a number with one hex digit per result byte: the index of the source byte.
#[test]
fn bytes_are_permuted_in_every_mode() {
    let rows = [
        ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
        ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ];
    for (mode, controls) in rows {
        for (c, places) in controls.into_iter().enumerate() {
            // Byte number n holds 0x80 + n.
            let expected = (0..4).map(|i| (0x80 + (places >> (4 * i) & 0xf)) << (8 * i)).sum();
            let sources = [0x8382_8180, 0x8786_8584, c as u64 | 0xfff0];
            assert_eq!(result(&format!("prmt.b32.{mode}"), 32, &sources), Some(expected), "{mode} {c}");
        }
    }
}

#[test]
fn the_nth_set_bit_is_searched_both_ways() {
    // The examples of PTX.
    for (base, offset, expected) in [(3, 1, 3), (3, -1, 3), (2, 1, 3), (2, -1, 1), (3, 0, 3), (2, 0, -1), (0, -1, -1)] {
        let sources = [0xaaaa_aaaa, base, offset as u64];
        assert_eq!(result("fns.b32", 32, &sources), Some(low(expected as i64 as u64, 32)), "{base} {offset}");
    }
    assert_eq!(result("fns.b32", 32, &[0xaaaa_aaaa, 0, 17]), Some(0xffff_ffff));
    assert_eq!(result("fns.b32", 32, &[0xaaaa_aaaa, 0, 16]), Some(31));
    assert_eq!(result("fns.b32", 32, &[0xaaaa_aaaa, 31, i32::MIN as u64]), Some(0xffff_ffff));
    // PTX does not define a base above 31.
    assert_eq!(result("fns.b32", 32, &[1, 32, 0]), None);
}
