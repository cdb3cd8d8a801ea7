// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparisons of integers and floating-point numbers, the combination and encoding of their results, and tests of one number.

use super::bits::extended;
use super::format::Format;
use super::Type;
use super::{Scalar, Values};
use std::cmp::Ordering;

/// `setp` and `set`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub test: Test,
    pub scalar: Scalar,
    pub ftz: bool,
    /// The operation that combines the result with the third source.
    pub join: Option<Join>,
    pub result: Truth,
}

/// The condition of a comparison of two numbers; NaNs occur in floating-point numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// False if an operand is NaN.
    Ordered(Compare),
    /// True if an operand is NaN.
    Unordered(Compare),
    /// `.num`: neither operand is NaN.
    Numbers,
    /// `.nan`: an operand is NaN.
    AnyNan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    And,
    Or,
    Xor,
}

/// The encoding of true; false is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Predicate,
    /// All bits of this type are set.
    Ones(Type),
    /// The number 1.
    FloatOne(Format),
}

/// The properties that `testp` tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// The two results of `setp`: the second one is calculated as the first, but with the result of the comparison inverted.
#[inline(always)]
pub(crate) fn compare(comparison: Comparison, values: &Values) -> (Option<u64>, Option<u64>) {
    let [Some(a), Some(b), joined, _] = *values else { return (None, None) };
    let ordering = match comparison.scalar {
        Scalar::Integer(ty) => Some(extended(a, ty).cmp(&extended(b, ty))),
        Scalar::Float(format) => {
            let value = |v: u64| format.value(format.flushed(format.low(v), comparison.ftz));
            value(a).partial_cmp(&value(b))
        }
    };
    let holds = match comparison.test {
        Test::Ordered(compare) => ordering.is_some_and(|ordering| compare.holds(ordering)),
        Test::Unordered(compare) => ordering.is_none_or(|ordering| compare.holds(ordering)),
        Test::Numbers => ordering.is_some(),
        Test::AnyNan => ordering.is_none(),
    };
    let truth = |holds: bool| {
        let joined = joined.map(|v| v & 1 == 1);
        let holds = match comparison.join {
            None => holds,
            Some(Join::And) => holds & joined?,
            Some(Join::Or) => holds | joined?,
            Some(Join::Xor) => holds ^ joined?,
        };
        Some(match comparison.result {
            _ if !holds => 0,
            Truth::Predicate => 1,
            Truth::Ones(ty) => extended(u64::MAX, ty) as u64,
            Truth::FloatOne(format) => format.one_bits(),
        })
    };
    (truth(holds), truth(!holds))
}

impl Compare {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Compare::Eq => ordering.is_eq(),
            Compare::Ne => ordering.is_ne(),
            Compare::Lt => ordering.is_lt(),
            Compare::Le => ordering.is_le(),
            Compare::Gt => ordering.is_gt(),
            Compare::Ge => ordering.is_ge(),
        }
    }
}

/// Whether `slct` selects its first source: its third source, `value`, is 0 or above.
pub(crate) fn not_negative(scalar: Scalar, ftz: bool, value: u64) -> bool {
    match scalar {
        Scalar::Integer(ty) => extended(value, ty) >= 0,
        Scalar::Float(format) => format.value(format.flushed(format.low(value), ftz)) >= 0.0,
    }
}

pub(crate) fn has(property: Property, format: Format, value: u64) -> bool {
    let value = format.low(value);
    let magnitude = format.magnitude(value);
    match property {
        Property::Finite => magnitude < format.infinity(),
        Property::Infinite => magnitude == format.infinity(),
        Property::Number => !format.is_nan(value),
        Property::NotANumber => format.is_nan(value),
        // PTX counts zeros as normal numbers.
        Property::Normal => magnitude < format.infinity() && !format.is_subnormal(value),
        Property::Subnormal => format.is_subnormal(value),
    }
}
