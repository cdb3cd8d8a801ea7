// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bit fields, counts, permutations of bytes, three-input logic and dot products of bytes.

use super::Values;
use super::{Type, TypeKind};

/// The operations on bits and bytes, by opcode, with the type of the operands where the opcode allows several types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    Popc(Type),
    Clz(Type),
    Brev(Type),
    /// `bfind`; the flag is true with `.shiftamt`.
    Bfind(Type, bool),
    Bfe(Type),
    Bfi(Type),
    Bmsk {
        clamp: bool,
    },
    Szext {
        ty: Type,
        clamp: bool,
    },
    Fns,
    Lop3,
    Prmt(Permute),
    Shf {
        to_left: bool,
        clamp: bool,
    },
    /// `dp4a`: the types of the bytes of the first and of the second source.
    Dp4a(Type, Type),
    /// `dp2a`: the type of the two halves of the first source, the type of the bytes of the second source, and whether the halves are
    /// multiplied by the upper two of these bytes.
    Dp2a(Type, Type, bool),
}

/// How the bytes of `prmt` are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permute {
    Index,
    Forward,
    Backward,
    Replicate,
    EdgeLeft,
    EdgeRight,
    Halves,
}

impl Bits {
    pub fn sources(self) -> usize {
        match self {
            Bits::Popc(_) | Bits::Clz(_) | Bits::Brev(_) | Bits::Bfind(..) => 1,
            Bits::Bmsk { .. } | Bits::Szext { .. } => 2,
            Bits::Bfi(_) | Bits::Lop3 => 4,
            _ => 3,
        }
    }
}

const NOT_FOUND: u64 = 0xffff_ffff;

pub(crate) fn bits(op: Bits, values: &Values) -> Option<u64> {
    let whole = |i: usize, bits: u32| values[i].map(|v| extended(v, Type { kind: TypeKind::Unsigned, bits }) as u64);
    let word = |i: usize| values[i].map(|v| v as u32);
    Some(match op {
        Bits::Popc(ty) => whole(0, ty.bits)?.count_ones().into(),
        Bits::Clz(ty) => (whole(0, ty.bits)?.leading_zeros() - (64 - ty.bits)).into(),
        Bits::Brev(ty) => whole(0, ty.bits)?.reverse_bits() >> (64 - ty.bits),
        Bits::Bfind(ty, shift) => {
            let value = extended(values[0]?, ty);
            // For a negative number, the highest 0 bit is searched.
            let looked = if value < 0 { !value } else { value };
            match looked {
                0 => NOT_FOUND,
                _ if shift => (ty.bits - 1 - looked.ilog2()).into(),
                _ => looked.ilog2().into(),
            }
        }
        Bits::Bfe(ty) => field(ty, whole(0, ty.bits)?, word(1)? & 0xff, word(2)? & 0xff),
        Bits::Bfi(ty) => {
            let (from, into) = (whole(0, ty.bits)?, whole(1, ty.bits)?);
            let (at, length) = (word(2)? & 0xff, word(3)? & 0xff);
            let mask = ones(length).checked_shl(at).unwrap_or(0) & ones(ty.bits);
            into & !mask | from.checked_shl(at).unwrap_or(0) & mask
        }
        Bits::Bmsk { clamp } => {
            let (at, length) = (word(0)?, word(1)?);
            let (at, length) = if clamp { (at.min(32), length.min(32)) } else { (at & 0x1f, length & 0x1f) };
            ones(length) << at & ones(32)
        }
        Bits::Szext { ty, clamp } => {
            let (value, length) = (whole(0, 32)?, word(1)?);
            let length = if clamp { length.min(32) } else { length & 0x1f };
            extended(value & ones(length), Type { bits: length, ..ty }) as u64
        }
        Bits::Fns => nth_set(word(0)?, word(1)?, word(2)? as i32)?,
        Bits::Lop3 => {
            let (a, b, c, table) = (word(0)?, word(1)?, word(2)?, word(3)?);
            let row = |i: u32| {
                let side = |value: u32, bit: u32| if i >> bit & 1 == 1 { value } else { !value };
                if table >> i & 1 == 1 {
                    side(a, 2) & side(b, 1) & side(c, 0)
                } else {
                    0
                }
            };
            (0..8).fold(0, |result, i| result | row(i)).into()
        }
        Bits::Prmt(mode) => permuted(mode, word(0)?, word(1)?, word(2)?).into(),
        Bits::Shf { to_left, clamp } => {
            let both = u64::from(word(1)?) << 32 | u64::from(word(0)?);
            let by = if clamp { word(2)?.min(32) } else { word(2)? & 0x1f };
            (if to_left { both << by >> 32 } else { both >> by }) & ones(32)
        }
        Bits::Dp4a(a, b) => {
            let (x, y) = (word(0)?, word(1)?);
            let byte = |value: u32, i: u32, ty: Type| extended((value >> (8 * i)).into(), Type { bits: 8, ..ty });
            let sum: i128 = (0..4).map(|i| byte(x, i, a) * byte(y, i, b)).sum();
            accumulated(sum, values[2]?, a, b)
        }
        Bits::Dp2a(a, b, upper) => {
            let (x, y) = (word(0)?, word(1)?);
            let half = |i: u32| extended((x >> (16 * i)).into(), Type { bits: 16, ..a });
            let byte = |i: u32| extended((y >> (8 * i + if upper { 16 } else { 0 })).into(), Type { bits: 8, ..b });
            accumulated(half(0) * byte(0) + half(1) * byte(1), values[2]?, a, b)
        }
    })
}

/// The lowest `count` bits.
fn ones(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

/// The 32-bit sum of `sum` and `addend`; it is signed if `a` or `b` is a signed type.
fn accumulated(sum: i128, addend: u64, a: Type, b: Type) -> u64 {
    let signed = a.kind == TypeKind::Signed || b.kind == TypeKind::Signed;
    let ty = Type { kind: if signed { TypeKind::Signed } else { TypeKind::Unsigned }, bits: 32 };
    extended((sum + extended(addend, ty)) as u64, ty) as u64
}

/// The field of `length` bits from bit `at`. A signed field is extended with its highest bit or, if the field reaches beyond the value,
/// with the highest bit of the value.
fn field(ty: Type, value: u64, at: u32, length: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let found = value.checked_shr(at).unwrap_or(0) & ones(length);
    let top = (at + length - 1).min(ty.bits - 1);
    let negative = ty.kind == TypeKind::Signed && value >> top & 1 == 1;
    // Bits of the result above bit `top` of the value are copies of the sign.
    let filled = if negative { !ones((top + 1).saturating_sub(at)) } else { 0 };
    extended(found | filled, ty) as u64
}

/// `fns`: the index of the n-th set bit, counted from bit `base` upwards or, if `offset` is negative, downwards; n is the magnitude of
/// `offset`. An offset of 0 tests bit `base` itself. `None`: a base above 31, which PTX leaves undefined.
fn nth_set(mask: u32, base: u32, offset: i32) -> Option<u64> {
    if base > 31 {
        return None;
    }
    let count = offset.unsigned_abs().saturating_sub(1) as usize;
    let set = |bit: &u32| mask >> bit & 1 == 1;
    let found = match offset.signum() {
        0 => (base..=base).find(set),
        1 => (base..32).filter(set).nth(count),
        _ => (0..=base).rev().filter(set).nth(count),
    };
    Some(found.map_or(NOT_FOUND, u64::from))
}

fn permuted(mode: Permute, a: u32, b: u32, control: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let c = control & 3;
    let byte = |i: u32| {
        let index = match mode {
            Permute::Index => {
                let choice = control >> (4 * i) & 0xf;
                let byte = bytes[(choice & 7) as usize];
                // A selector whose highest bit is set replaces the byte by copies of its sign bit.
                return if choice & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 };
            }
            Permute::Forward => c + i,
            Permute::Backward => (8 + c - i) & 7,
            Permute::Replicate => c,
            Permute::EdgeLeft => c.max(i),
            Permute::EdgeRight => c.min(i),
            Permute::Halves => 2 * (c & 1) + (i & 1),
        };
        bytes[(index & 7) as usize]
    };
    u32::from_le_bytes([0, 1, 2, 3].map(byte))
}

/// The low `bits` bits of `value`, sign-extended for a signed type, otherwise zero-extended.
#[inline(always)]
pub fn extended(value: u64, ty: Type) -> i128 {
    let low = if ty.bits >= 64 { value } else { value & ((1 << ty.bits) - 1) };
    if ty.kind == TypeKind::Signed && ty.bits >= 1 && low >> (ty.bits - 1) & 1 == 1 {
        return i128::from(low) - (1 << ty.bits);
    }
    i128::from(low)
}
