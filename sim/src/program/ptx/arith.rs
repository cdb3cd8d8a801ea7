// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer and predicate operations on the values of one lane; unknown sources give unknown results.

use super::ast::{Calc, Compare, Join, Part, Type, TypeKind};

/// No operation reads more sources.
pub(super) const MAX_SOURCES: usize = 4;

/// The low `bits` bits of `value`, extended as the type says.
fn extended(value: u64, ty: Type) -> i128 {
    let low = if ty.bits >= 64 { value } else { value & ((1 << ty.bits) - 1) };
    if ty.kind == TypeKind::Signed && ty.bits >= 1 && low >> (ty.bits - 1) & 1 == 1 {
        return i128::from(low) - (1 << ty.bits);
    }
    i128::from(low)
}

/// First and second result of one lane; `p|q` of `setp` has both.
pub(super) fn lane_result(calc: Calc, ty: Type, values: [Option<u64>; MAX_SOURCES]) -> (Option<u64>, Option<u64>) {
    let truth = |value: Option<u64>| value.map(|v| v & 1 == 1);
    if calc == Calc::Selp {
        let chosen = truth(values[2]).and_then(|first| if first { values[0] } else { values[1] });
        return (chosen.map(|v| extended(v, ty) as u64), None);
    }
    if let Calc::Setp(compare, join) = calc {
        let [Some(a), Some(b), ..] = values.map(|v| v.map(|v| extended(v, ty))) else { return (None, None) };
        let holds = match compare {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
        };
        let joined = |holds: bool| match join {
            None => Some(holds),
            Some(Join::And) => truth(values[2]).map(|c| holds & c),
            Some(Join::Or) => truth(values[2]).map(|c| holds | c),
            Some(Join::Xor) => truth(values[2]).map(|c| holds ^ c),
        };
        return (joined(holds).map(u64::from), joined(!holds).map(u64::from));
    }
    (arithmetic(calc, ty, values), None)
}

fn arithmetic(calc: Calc, ty: Type, values: [Option<u64>; MAX_SOURCES]) -> Option<u64> {
    let source = |i: usize| values[i].map(|v| extended(v, ty));
    let wide = Type { bits: ty.bits * 2, ..ty };
    // Sums wrap: a low half of 64 bits may overflow even the 128 that are calculated with.
    let product = |part: Part| match part {
        Part::High => Some(source(0)?.checked_mul(source(1)?)? >> ty.bits),
        Part::Low | Part::Wide => Some(source(0)?.wrapping_mul(source(1)?)),
    };
    // Shift counts are 32 bits wide, and too large ones shift everything out.
    let shift = || values[1].map(|by| (by as u32).min(127));
    let result = match calc {
        Calc::Mov | Calc::Param => source(0)?,
        Calc::Add => source(0)? + source(1)?,
        Calc::Sub => source(0)? - source(1)?,
        Calc::Mul(part) => product(part)?,
        Calc::Mad(Part::Wide) => product(Part::Wide)?.wrapping_add(extended(values[2]?, wide)),
        Calc::Mad(part) => product(part)?.wrapping_add(source(2)?),
        Calc::Div => source(0)?.checked_div(source(1)?)?,
        Calc::Rem => source(0)?.checked_rem(source(1)?)?,
        Calc::Min => source(0)?.min(source(1)?),
        Calc::Max => source(0)?.max(source(1)?),
        Calc::Neg => -source(0)?,
        Calc::Abs => source(0)?.abs(),
        Calc::Not => !source(0)?,
        Calc::And => source(0)? & source(1)?,
        Calc::Or => source(0)? | source(1)?,
        Calc::Xor => source(0)? ^ source(1)?,
        Calc::Shl => source(0)?.checked_shl(shift()?)?,
        Calc::Shr => source(0)? >> shift()?,
        Calc::Cvt(from) => extended(extended(values[0]?, from) as u64, ty),
        Calc::Setp(..) | Calc::Selp | Calc::Shuffle => return None,
    };
    let kept = match calc {
        Calc::Mul(Part::Wide) | Calc::Mad(Part::Wide) => wide,
        _ => ty,
    };
    Some(extended(result as u64, kept) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const U32: Type = Type { kind: TypeKind::Unsigned, bits: 32 };
    const S32: Type = Type { kind: TypeKind::Signed, bits: 32 };
    const U64: Type = Type { kind: TypeKind::Unsigned, bits: 64 };
    const S64: Type = Type { kind: TypeKind::Signed, bits: 64 };
    const PRED: Type = Type { kind: TypeKind::Predicate, bits: 1 };
    const MINUS_1: u64 = 0xffff_ffff;

    fn result(calc: Calc, ty: Type, sources: &[u64]) -> Option<u64> {
        let mut values = [None; MAX_SOURCES];
        values.iter_mut().zip(sources).for_each(|(value, source)| *value = Some(*source));
        // A 32-bit register is read by its low bits only.
        lane_result(calc, ty, values).0.map(|v| {
            if ty.bits == 32 && !matches!(calc, Calc::Mul(Part::Wide)) {
                v & MINUS_1
            } else {
                v
            }
        })
    }

    #[test]
    fn arithmetic_wraps_and_keeps_its_sign() {
        for (calc, ty, sources, expected) in [
            (Calc::Add, U32, &[MINUS_1, 2][..], 1),
            (Calc::Sub, S32, &[0, 1], MINUS_1),
            (Calc::Mul(Part::Low), U32, &[0x1_0001, 0x1_0001], 0x2_0001),
            (Calc::Mul(Part::High), U32, &[MINUS_1, 4], 3),
            (Calc::Mul(Part::Wide), S32, &[MINUS_1, 4], -4i64 as u64),
            (Calc::Mul(Part::Wide), U32, &[MINUS_1, 4], 0x3_ffff_fffc),
            (Calc::Mad(Part::Low), U32, &[3, 4, 5], 17),
            (Calc::Mad(Part::Low), U64, &[u64::MAX, u64::MAX, u64::MAX], 0),
            (Calc::Div, S32, &[MINUS_1 - 6, 2], MINUS_1 - 2),
            (Calc::Rem, S32, &[MINUS_1 - 6, 2], MINUS_1),
            (Calc::Min, S32, &[MINUS_1, 1], MINUS_1),
            (Calc::Min, U32, &[MINUS_1, 1], 1),
            (Calc::Shl, U32, &[1, 31], 1 << 31),
            (Calc::Shl, U32, &[1, 32], 0),
            (Calc::Shr, S32, &[1 << 31, 31], MINUS_1),
            (Calc::Shr, U32, &[1 << 31, 31], 1),
            (Calc::Shr, S32, &[1 << 31, MINUS_1], MINUS_1),
            (Calc::Not, PRED, &[1], 0),
            (Calc::Xor, PRED, &[1, 0], 1),
            (Calc::Selp, U32, &[7, 8, 0], 8),
            (Calc::Cvt(S32), S64, &[MINUS_1], u64::MAX),
            (Calc::Cvt(U32), S64, &[MINUS_1], MINUS_1),
            (Calc::Cvt(S32), Type { kind: TypeKind::Signed, bits: 8 }, &[0x1ff], u64::MAX),
            (Calc::Neg, S64, &[1 << 63], 1 << 63),
            (Calc::Mul(Part::High), U64, &[u64::MAX, 2], 1),
        ] {
            assert_eq!(result(calc, ty, sources), Some(expected), "{calc:?} {ty:?} {sources:?}");
        }
        assert_eq!(result(Calc::Div, U32, &[1, 0]), None);
        assert_eq!(result(Calc::Add, U32, &[1]), None);
    }

    #[test]
    fn comparisons_follow_the_sign_and_give_both_results() {
        assert_eq!(result(Calc::Setp(Compare::Lt, None), S32, &[MINUS_1, 0]), Some(1));
        assert_eq!(result(Calc::Setp(Compare::Lt, None), U32, &[MINUS_1, 0]), Some(0));
        let both = lane_result(Calc::Setp(Compare::Eq, Some(Join::And)), U32, [Some(1), Some(2), Some(1), None]);
        assert_eq!(both, (Some(0), Some(1)));
        assert_eq!(lane_result(Calc::Selp, U32, [Some(3), None, Some(1), None]).0, Some(3));
    }
}
