// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation in all lanes of a warp. For common operations and types the calculation of a lane is compiled with both as constants, in a
//! loop over the lanes; the operation of any other instruction is selected again in each lane.

use super::bits::extended;
use super::calc::{Calc, Operation};
use super::compare::{compare, Compare, Comparison, Test, Truth};
use super::convert::{convert, Conversion};
use super::float::{float, Float, Limit, Rules};
use super::format::{Format, Round};
use super::integer::{integer, Integer, Part};
use super::types::{Type, TypeKind};
use super::values::{Scalar, Values};

/// Number of sources of the operations that are compiled for whole warps.
pub const LANE_SOURCES: usize = 3;

const U32: Type = Type::U32;
const S32: Type = Type { kind: TypeKind::Signed, bits: 32 };
const U64: Type = Type { kind: TypeKind::Unsigned, bits: 64 };
const S64: Type = Type { kind: TypeKind::Signed, bits: 64 };
const F32: Type = Type { kind: TypeKind::Float, bits: 32 };
const PREDICATE: Type = Type::PREDICATE;

/// Evaluates an expression with the constant `$name` that equals `$value`, one of the listed constants; for any other value returns false.
macro_rules! constant {
    ($value:expr, $name:ident: $type:ty = [$($known:expr),* $(,)?] => $action:expr) => {
        match $value {
            $(value if value == $known => {
                const $name: $type = $known;
                $action
            })*
            _ => return false,
        }
    };
}

/// Calculates the results of an operation from known values: `sources` and `results` have a value for each lane. Returns false, with
/// undefined results, if the operation is not compiled for whole warps.
pub fn lane_results(calc: Calc, sources: [&[u64]; LANE_SOURCES], results: &mut [u64]) -> bool {
    if calc.pair.is_some() {
        return false;
    }
    match calc.op {
        Operation::Move(ty) => {
            constant!(ty, TY: Type = [U32, S32, U64, S64, F32] => each(sources, results, |v| v[0].map(|v| extended(v, TY) as u64)))
        }
        Operation::Select(ty) => constant!(ty, TY: Type = [U32, S32, U64, S64, F32] => each(sources, results, |v| {
            let chosen = if v[2]? & 1 == 1 { v[0] } else { v[1] };
            chosen.map(|v| extended(v, TY) as u64)
        })),
        Operation::Integer { op, ty, saturate: false } if ty == PREDICATE => {
            constant!(op, OP: Integer = [Integer::And, Integer::Or, Integer::Xor, Integer::Not] => {
                each(sources, results, |v| integer(OP, PREDICATE, false, v))
            });
        }
        Operation::Integer { op: Integer::Mul(Part::Wide), ty, saturate: false } => constant!(ty, TY: Type = [U32, S32] => {
            each(sources, results, |v| integer(Integer::Mul(Part::Wide), TY, false, v))
        }),
        Operation::Integer { op: Integer::Mad(Part::Wide), ty, saturate: false } => constant!(ty, TY: Type = [U32, S32] => {
            each(sources, results, |v| integer(Integer::Mad(Part::Wide), TY, false, v))
        }),
        Operation::Integer { op, ty, saturate: false } => constant!(
            op,
            OP: Integer = [
                Integer::Add, Integer::Sub, Integer::Mul(Part::Low), Integer::Mad(Part::Low), Integer::Min, Integer::Max, Integer::Neg,
                Integer::Not, Integer::And, Integer::Or, Integer::Xor, Integer::Shl, Integer::Shr,
            ] => constant!(ty, TY: Type = [U32, S32, U64, S64] => each(sources, results, |v| integer(OP, TY, false, v)))
        ),
        Operation::Compare(Comparison {
            test: Test::Ordered(test),
            scalar: Scalar::Integer(ty),
            join: None,
            result: Truth::Predicate,
            ..
        }) => constant!(
            test,
            TEST: Compare = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge] => {
                constant!(ty, TY: Type = [U32, S32, U64, S64] => {
                    each(sources, results, |v| compare(comparison(TEST, Scalar::Integer(TY)), v).0)
                });
            }
        ),
        Operation::Convert(conversion @ Conversion { from: Scalar::Integer(from), to: Scalar::Integer(to), .. })
            if conversion.limit == Limit::None =>
        {
            constant!(from, FROM: Type = [U32, S32, U64, S64] => constant!(to, TO: Type = [U32, S32, U64, S64] => {
                let rounded = Conversion { from: Scalar::Integer(FROM), to: Scalar::Integer(TO), ..PLAIN };
                each(sources, results, |v| v[0].map(|v| convert(rounded, v)));
            }));
        }
        Operation::Float { op, format: Format::F32, rules } => constant!(rules, RULES: Rules = [NEAREST, NEAREST_FTZ] => {
            constant!(op, OP: Float = [Float::Add, Float::Sub, Float::Mul, Float::Fma] => {
                each(sources, results, |v| float(OP, Format::F32, RULES, v));
            });
        }),
        _ => return false,
    }
    true
}

/// The conversion of an integer whose other fields have no effect.
const PLAIN: Conversion = Conversion {
    from: Scalar::Integer(U32),
    to: Scalar::Integer(U32),
    round: Round::Even,
    integral: false,
    ftz: false,
    limit: Limit::None,
};

const NEAREST: Rules = Rules { round: Round::Even, ftz: false, limit: Limit::None, nan: false, xorsign: false };
const NEAREST_FTZ: Rules = Rules { ftz: true, ..NEAREST };

const fn comparison(test: Compare, scalar: Scalar) -> Comparison {
    Comparison { test: Test::Ordered(test), scalar, ftz: false, join: None, result: Truth::Predicate }
}

/// Calculates the result of each lane. An operation that is compiled for whole warps has a result for all known sources.
#[inline(always)]
fn each(sources: [&[u64]; LANE_SOURCES], results: &mut [u64], result: impl Fn(&Values) -> Option<u64>) {
    let [first, second, third] = sources;
    for (((to, first), second), third) in results.iter_mut().zip(first).zip(second).zip(third) {
        *to = result(&[Some(*first), Some(*second), Some(*third), None]).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests;
