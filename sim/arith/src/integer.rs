// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer arithmetic, logic, shifts, and instructions that pass a carry to the next.

use super::bits::extended;
use super::values::clamped;
use super::Values;
use super::{Type, TypeKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    Add,
    Sub,
    Mul(Part),
    Mad(Part),
    /// The low bits, or bits 16 to 47, of a product of 24-bit numbers.
    Mul24(Part),
    Mad24(Part),
    Sad,
    Div,
    Rem,
    Min,
    Max,
    Neg,
    Abs,
    Not,
    Cnot,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Which part of a product is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Low,
    High,
    Wide,
}

/// `add.cc`, `subc`, `madc.hi.cc` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    pub op: Integer,
    pub ty: Type,
    /// Reads the carry flag, as its last source.
    pub reads: bool,
    /// Writes the carry flag, as its second result.
    pub sets: bool,
}

impl Integer {
    pub fn sources(self) -> usize {
        match self {
            Integer::Neg | Integer::Abs | Integer::Not | Integer::Cnot => 1,
            Integer::Mad(_) | Integer::Mad24(_) | Integer::Sad => 3,
            _ => 2,
        }
    }
}

/// The full product of two values, shifted right; 64-bit unsigned products need all 128 bits.
fn product(ty: Type, a: i128, b: i128, shift: u32) -> i128 {
    if ty.kind == TypeKind::Signed {
        return a.wrapping_mul(b) >> shift;
    }
    ((a as u128).wrapping_mul(b as u128) >> shift) as i128
}

/// Division by zero gives `None`: PTX calls the result machine-specific.
#[inline(always)]
pub(crate) fn integer(op: Integer, ty: Type, saturate: bool, values: &Values) -> Option<u64> {
    let source = |i: usize| values[i].map(|v| extended(v, ty));
    let wide = Type { bits: ty.bits * 2, ..ty };
    let multiplied = |part: Part| {
        let shift = if part == Part::High { ty.bits } else { 0 };
        Some(product(ty, source(0)?, source(1)?, shift))
    };
    let small = |i: usize| values[i].map(|v| extended(v, Type { bits: 24, ..ty }));
    let multiplied24 = |part: Part| Some((small(0)? * small(1)?) >> if part == Part::High { 16 } else { 0 });
    // Shift counts are 32 bits wide; counts beyond the width shift everything out.
    let shift = || values[1].map(|by| (by as u32).min(127));
    let result = match op {
        Integer::Add => source(0)? + source(1)?,
        Integer::Sub => source(0)? - source(1)?,
        Integer::Mul(part) => multiplied(part)?,
        Integer::Mad(Part::Wide) => multiplied(Part::Wide)?.wrapping_add(extended(values[2]?, wide)),
        Integer::Mad(part) => multiplied(part)?.wrapping_add(source(2)?),
        Integer::Mul24(part) => multiplied24(part)?,
        // The part of the product is cut to 32 bits before the addition; this matters only for a
        // saturated sum.
        Integer::Mad24(part) => extended(multiplied24(part)? as u64, ty) + source(2)?,
        Integer::Sad => source(2)? + (source(0)? - source(1)?).abs(),
        Integer::Div => source(0)?.checked_div(source(1)?)?,
        Integer::Rem => source(0)?.checked_rem(source(1)?)?,
        Integer::Min => source(0)?.min(source(1)?),
        Integer::Max => source(0)?.max(source(1)?),
        Integer::Neg => -source(0)?,
        Integer::Abs => source(0)?.abs(),
        Integer::Not => !source(0)?,
        Integer::Cnot => (source(0)? == 0).into(),
        Integer::And => source(0)? & source(1)?,
        Integer::Or => source(0)? | source(1)?,
        Integer::Xor => source(0)? ^ source(1)?,
        Integer::Shl => source(0)?.checked_shl(shift()?)?,
        Integer::Shr => source(0)? >> shift()?,
    };
    let part_of_product = match op {
        Integer::Mul(Part::Wide) | Integer::Mad(Part::Wide) => wide,
        _ => ty,
    };
    let result = if saturate { clamped(result, part_of_product) } else { result };
    Some(extended(result as u64, part_of_product) as u64)
}

/// The result, and the carry or borrow out of the operation.
pub(crate) fn with_carry(carry: Carry, values: &Values) -> (Option<u64>, Option<u64>) {
    let Carry { op, ty, reads, sets } = carry;
    let unsigned = Type { kind: TypeKind::Unsigned, ..ty };
    let source = |i: usize, ty: Type| values[i].map(|v| extended(v, ty));
    let result = || {
        let flag = if reads { (values[op.sources()]? & 1).into() } else { 0 };
        Some(match op {
            Integer::Sub => source(0, unsigned)? - source(1, unsigned)? - flag,
            Integer::Mad(part) => {
                let shift = if part == Part::High { ty.bits } else { 0 };
                let part = product(ty, source(0, ty)?, source(1, ty)?, shift);
                extended(part as u64, unsigned) + source(2, unsigned)? + flag
            }
            _ => source(0, unsigned)? + source(1, unsigned)? + flag,
        })
    };
    let Some(result) = result() else { return (None, None) };
    let out = (result >> ty.bits & 1) as u64;
    (Some(extended(result as u64, ty) as u64), sets.then_some(out))
}
