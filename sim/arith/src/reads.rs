// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bits of its sources that an operation reads, and the operations that only move and combine single bits.

use super::bits::{Bits, Permute};
use super::calc::Operation;
use super::convert::Conversion;
use super::float::{Float, Limit};
use super::integer::{Integer, Part};
use super::values::Scalar;

/// The lowest `count` bits.
pub(crate) fn low(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

fn of_scalar(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Integer(ty) => low(ty.bits),
        Scalar::Float(format) => low(format.bits()),
    }
}

/// The bits of source `i` on which the result may depend.
pub(crate) fn read_bits(op: Operation, i: usize) -> u64 {
    match op {
        Operation::Move(ty) => low(ty.bits),
        Operation::Join { bits, .. } => low(bits),
        Operation::Split { bits, element } => low(bits) << (bits * element),
        Operation::Agree { above } => u64::MAX << above,
        Operation::Select(_) if i == 2 => 1,
        Operation::Select(ty) => low(ty.bits),
        Operation::SignSelect { by, .. } if i == 2 => of_scalar(by),
        Operation::SignSelect { ty, .. } => low(ty.bits),
        Operation::Integer { op, ty, .. } => match (op, i) {
            (Integer::Shl | Integer::Shr, 1) => low(32),
            (Integer::Mul24(_) | Integer::Mad24(_), 0 | 1) => low(24),
            (Integer::Mad(Part::Wide), 2) => low(2 * ty.bits),
            _ => low(ty.bits),
        },
        Operation::Carry(carry) if i == carry.op.sources() => 1,
        Operation::Carry(carry) => low(carry.ty.bits),
        Operation::Bits(op) => of_bits(op, i),
        Operation::Float { format, .. } | Operation::Test(_, format) => low(format.bits()),
        Operation::Compare(_) if i == 2 => 1,
        Operation::Compare(comparison) => of_scalar(comparison.scalar),
        Operation::Convert(conversion) | Operation::ConvertPair(conversion) => of_scalar(conversion.from),
        Operation::Tf32(_) => low(32),
        Operation::Inside(_) | Operation::Pending => u64::MAX,
    }
}

fn of_bits(op: Bits, i: usize) -> u64 {
    match (op, i) {
        (Bits::Popc(ty) | Bits::Clz(ty) | Bits::Brev(ty) | Bits::Bfind(ty, _), _) => low(ty.bits),
        (Bits::Bfe(ty), 0) | (Bits::Bfi(ty), 0 | 1) => low(ty.bits),
        (Bits::Bfe(_) | Bits::Bfi(_), _) | (Bits::Lop3, 3) => 0xff,
        (Bits::Prmt(Permute::Index), 2) => 0xffff,
        (Bits::Prmt(_), 2) => 3,
        (Bits::Shf { clamp: false, .. }, 2) | (Bits::Bmsk { clamp: false }, _) | (Bits::Szext { clamp: false, .. }, 1) => 0x1f,
        _ => low(32),
    }
}

/// For an operation whose result bits each depend on at most one bit of each source, apart from some sources that control the operation:
/// the indices of these sources. `None`: any other operation.
pub(crate) fn controls(op: Operation) -> Option<&'static [usize]> {
    Some(match op {
        Operation::Move(_) | Operation::Join { .. } | Operation::Split { .. } => &[],
        // The predicate, or the sign, is one bit.
        Operation::Select(_) | Operation::SignSelect { by: Scalar::Integer(_), .. } => &[],
        Operation::Integer { op: Integer::And | Integer::Or | Integer::Xor | Integer::Not, .. } => &[],
        Operation::Integer { op: Integer::Shl | Integer::Shr, .. } => &[1],
        Operation::Bits(Bits::Brev(_)) => &[],
        Operation::Bits(Bits::Bfe(_)) => &[1, 2],
        Operation::Bits(Bits::Bfi(_)) => &[2, 3],
        Operation::Bits(Bits::Szext { .. }) => &[1],
        Operation::Bits(Bits::Lop3) => &[3],
        Operation::Bits(Bits::Prmt(_) | Bits::Shf { .. }) => &[2],
        Operation::Convert(Conversion {
            from: Scalar::Integer(_),
            to: Scalar::Integer(_),
            limit: Limit::None | Limit::Relu,
            ..
        }) => &[],
        // A flush of subnormal numbers would depend on several bits.
        Operation::Float { op: Float::Neg | Float::Abs | Float::Copysign, rules, .. } if !rules.ftz => &[],
        _ => return None,
    })
}
