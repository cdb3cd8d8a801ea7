// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation, and its results in one lane.

use super::bits::{extended, Bits};
use super::compare::{Comparison, Property};
use super::convert::Conversion;
use super::float::{Float, Rules};
use super::format::Format;
use super::integer::{Carry, Integer};
use super::tf32::Tf32;
use super::types::{Type, TypeKind};
use super::values::{Scalar, Values};
use super::{bits, compare, convert, float, integer, window};

/// Lowest bit of the negated pending count in the word of an mbarrier; bits 63:43 are the phase and this count.
const PENDING_AT: u32 = 43;

/// An operation that is evaluated on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calc {
    pub op: Operation,
    /// For a packed type, the bits of one element; the two elements are calculated separately. `None`: the type is not packed.
    pub pair: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `mov`, and `ld.param` of a kernel parameter.
    Move(Type),
    /// `mov` of several registers of `bits` bits each into one, lowest first.
    Join {
        bits: u32,
        count: u32,
    },
    /// `mov` of one element out of a register with elements of `bits` bits; `element` counts them from the lowest.
    Split {
        bits: u32,
        element: u32,
    },
    /// Whether a generic address is in the window of 4 GiB that begins at this address. 0 stands for global memory: all addresses outside
    /// of the windows.
    Inside(u64),
    /// Whether two addresses have equal bits from bit `above` on.
    Agree {
        above: u32,
    },
    /// `mbarrier.pending_count`: the pending count in a token.
    Pending,
    /// `selp`
    Select(Type),
    /// `slct`: the type of the two values, and the type of the selector.
    SignSelect {
        ty: Type,
        by: Scalar,
        ftz: bool,
    },
    Integer {
        op: Integer,
        ty: Type,
        saturate: bool,
    },
    Carry(Carry),
    Bits(Bits),
    Float {
        op: Float,
        format: Format,
        rules: Rules,
    },
    Compare(Comparison),
    Test(Property, Format),
    Convert(Conversion),
    /// Converts two 32-bit numbers into two halves, the first into the upper half.
    ConvertPair(Conversion),
    /// `cvt` of a 32-bit number to tf32.
    Tf32(Tf32),
}

impl Calc {
    /// Number of sources that the instruction has in the program text.
    pub fn sources(self) -> usize {
        match self.op {
            Operation::Move(_)
            | Operation::Split { .. }
            | Operation::Inside(_)
            | Operation::Pending
            | Operation::Convert(_)
            | Operation::Test(..)
            | Operation::Tf32(_) => 1,
            Operation::Join { count, .. } => count as usize,
            Operation::ConvertPair(_) | Operation::Agree { .. } => 2,
            Operation::Select(_) | Operation::SignSelect { .. } => 3,
            Operation::Integer { op, .. } | Operation::Carry(Carry { op, .. }) => op.sources(),
            Operation::Bits(op) => op.sources(),
            Operation::Float { op, .. } => op.sources(),
            Operation::Compare(comparison) => 2 + usize::from(comparison.join.is_some()),
        }
    }

    /// The type as which source `i` is read; `None` for a source that cannot be a floating-point constant.
    pub fn place(self, i: usize) -> Option<Scalar> {
        let scalar_of = |ty: Type| match (ty.kind, ty.bits) {
            (TypeKind::Float, 32) => Scalar::Float(Format::F32),
            (TypeKind::Float, 64) => Scalar::Float(Format::F64),
            _ => Scalar::Integer(ty),
        };
        match self.op {
            _ if self.pair.is_some() => None,
            Operation::Move(ty) => Some(scalar_of(ty)),
            Operation::Select(ty) => (i < 2).then_some(scalar_of(ty)),
            Operation::SignSelect { ty, by, .. } => Some(if i < 2 { scalar_of(ty) } else { by }),
            Operation::Float { format, .. } | Operation::Test(_, format) => Some(Scalar::Float(format)),
            Operation::Compare(comparison) => (i < 2).then_some(comparison.scalar),
            Operation::Convert(conversion) | Operation::ConvertPair(conversion) => Some(conversion.from),
            Operation::Tf32(_) => Some(Scalar::Float(Format::F32)),
            _ => None,
        }
    }
}

/// First and second result of one lane. `setp` with the destination `p|q` and a sum with its carry have two results.
pub fn lane_result(calc: Calc, values: Values) -> (Option<u64>, Option<u64>) {
    let Some(bits) = calc.pair else { return one_result(calc.op, &values) };
    let low = Type { kind: TypeKind::Unsigned, bits };
    let part = |upper: bool| {
        let shift = if upper { bits } else { 0 };
        one_result(calc.op, &values.map(|v| v.map(|v| v >> shift))).0.map(|v| extended(v, low) as u64)
    };
    let joined = part(true).zip(part(false)).map(|(upper, lower)| upper << bits | lower);
    (joined, None)
}

pub(crate) fn one_result(op: Operation, values: &Values) -> (Option<u64>, Option<u64>) {
    let narrowed = |value: Option<u64>, ty: Type| value.map(|v| extended(v, ty) as u64);
    let first = match op {
        Operation::Compare(comparison) => return compare::compare(comparison, values),
        Operation::Carry(carry) => return integer::with_carry(carry, values),
        Operation::Move(ty) => narrowed(values[0], ty),
        Operation::Join { bits, count } => {
            let part = |i: u32| narrowed(values[i as usize], Type { kind: TypeKind::Unsigned, bits });
            (0..count).try_fold(0, |joined, i| Some(joined | part(i)? << (i * bits)))
        }
        Operation::Split { bits, element } => {
            narrowed(values[0].map(|v| v >> (bits * element)), Type { kind: TypeKind::Unsigned, bits })
        }
        Operation::Inside(window) => {
            let found = values[0].map(|v| window::classify(v).map_or(0, |(space, _)| window::first(space)));
            found.map(|found| (found == window).into())
        }
        Operation::Agree { above } => values[0].zip(values[1]).map(|(one, other)| (one >> above == other >> above).into()),
        // The token holds the negated count.
        Operation::Pending => values[0].map(|v| (v >> PENDING_AT).wrapping_neg() & 0xf_ffff),
        Operation::Select(ty) => {
            let chosen = values[2].and_then(|choice| if choice & 1 == 1 { values[0] } else { values[1] });
            narrowed(chosen, ty)
        }
        Operation::SignSelect { ty, by, ftz } => {
            let chosen = values[2].and_then(|v| if compare::not_negative(by, ftz, v) { values[0] } else { values[1] });
            narrowed(chosen, ty)
        }
        Operation::Integer { op, ty, saturate } => integer::integer(op, ty, saturate, values),
        Operation::Bits(op) => bits::bits(op, values),
        Operation::Float { op, format, rules } => float::float(op, format, rules, values),
        Operation::Test(property, format) => values[0].map(|v| compare::has(property, format, v).into()),
        Operation::Convert(conversion) => values[0].map(|v| convert::convert(conversion, v)),
        Operation::ConvertPair(conversion) => {
            let half = |i: usize| values[i].map(|v| convert::convert(conversion, v));
            half(0).zip(half(1)).map(|(upper, lower)| upper << 16 | lower)
        }
        Operation::Tf32(tf32) => values[0].map(|v| tf32.of(v as u32).into()),
    };
    (first, None)
}
