// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of registers before the run: integer operations, lane by lane, as far as their sources are known.

use super::ast::{Calc, Compare, Join, Operand, Part, Slot, Special, Type, TypeKind};
use std::collections::HashMap;

/// No operation reads more sources.
pub(super) const MAX_SOURCES: usize = 4;

/// What one warp knows of itself.
pub(super) struct WarpContext<'a> {
    /// Index of the warp in its CTA, lanes of a warp, and how many of them exist in this one.
    pub warp: usize,
    pub lanes: usize,
    pub live: usize,
    pub warps: usize,
    pub ntid: [u32; 3],
    pub ctaid: [u32; 3],
    pub nctaid: [u32; 3],
    pub params: &'a HashMap<String, u64>,
}

impl WarpContext<'_> {
    fn special(&self, special: Special, lane: usize) -> u64 {
        let thread = (self.warp * self.lanes + lane) as u64;
        let [x, y, _] = self.ntid.map(u64::from);
        match special {
            Special::Tid(0) => thread % x,
            Special::Tid(1) => thread / x % y,
            Special::Tid(_) => thread / x / y,
            Special::Ntid(axis) => self.ntid[axis].into(),
            Special::Ctaid(axis) => self.ctaid[axis].into(),
            Special::Nctaid(axis) => self.nctaid[axis].into(),
            Special::Laneid => lane as u64,
            Special::Warpid => self.warp as u64,
            Special::Nwarpid => self.warps as u64,
        }
    }
}

/// One register of one warp.
#[derive(Clone, Default)]
struct Value {
    /// By live lane, `None` where nothing is known; empty where nothing is known of any.
    lanes: Vec<Option<u64>>,
    /// The instruction that made it unknown, by index.
    origin: Option<usize>,
}

/// The registers of one warp.
pub(super) struct Registers {
    values: Vec<Value>,
    live: usize,
}

impl Registers {
    /// `count` registers of which nothing is known, in `live` lanes.
    pub fn new(count: usize, live: usize) -> Self {
        Registers { values: vec![Value::default(); count], live }
    }

    fn lane(&self, slot: Slot, lane: usize) -> Option<u64> {
        self.values[slot].lanes.get(lane).copied().flatten()
    }

    /// What each live lane holds.
    pub fn lanes(&self, slot: Slot) -> Vec<Option<u64>> {
        (0..self.live).map(|lane| self.lane(slot, lane)).collect()
    }

    /// The instruction that made a register unknown, by index.
    pub fn origin(&self, slot: Slot) -> Option<usize> {
        self.values[slot].origin
    }

    /// Instruction `at` leaves something unknown in these lanes of the register.
    pub fn forget(&mut self, slot: Slot, at: usize, lanes: u64) {
        let value = &mut self.values[slot];
        value.origin = Some(at);
        value.lanes.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1).for_each(|(_, held)| *held = None);
    }

    /// Writes what `results` gives for each lane where the guard is true; an unknown guard leaves an unknown value.
    fn write(&mut self, slot: Slot, results: &[Option<u64>], guard: &[Option<bool>], origin: Option<usize>) {
        let merged = (0..self.live).zip(results).zip(guard).map(|((lane, result), guard)| match guard {
            Some(true) => *result,
            Some(false) => self.lane(slot, lane),
            None => None,
        });
        self.values[slot] = Value { lanes: merged.collect(), origin };
    }

    /// `param` is the value of a parameter, which is looked up once for all lanes.
    fn read(&self, operand: &Operand, lane: usize, param: Option<u64>, context: &WarpContext) -> Option<u64> {
        match operand {
            Operand::Register { slot, negated } => self.lane(*slot, lane).map(|v| if *negated { v ^ 1 } else { v }),
            Operand::Immediate(value) => Some(*value as u64),
            Operand::Special(special) => Some(context.special(*special, lane)),
            Operand::Param(_) => param,
            Operand::Opaque => None,
        }
    }

    /// Evaluates instruction `at`, whose destinations are `writes`, in the lanes where `guard` is true.
    pub fn evaluate(
        &mut self,
        at: usize,
        op: (Calc, Type, &[Operand]),
        writes: &[Slot],
        guard: &[Option<bool>],
        context: &WarpContext,
    ) {
        let (calc, ty, sources) = op;
        let origin = sources.iter().find_map(|source| match source {
            Operand::Register { slot, .. } if (0..self.live).any(|lane| self.lane(*slot, lane).is_none()) => self.origin(*slot),
            _ => None,
        });
        let mut params = [None; MAX_SOURCES];
        for (param, source) in params.iter_mut().zip(sources) {
            if let Operand::Param(name) = source {
                *param = context.params.get(name).copied();
            }
        }
        let mut results: [Vec<Option<u64>>; 2] = Default::default();
        for lane in 0..self.live {
            let mut values = [None; MAX_SOURCES];
            for ((value, source), param) in values.iter_mut().zip(sources).zip(params) {
                *value = self.read(source, lane, param, context);
            }
            let (first, second) = if calc == Calc::Shuffle { (values[0], None) } else { lane_result(calc, ty, values) };
            results[0].push(first);
            results[1].push(second);
        }
        if calc == Calc::Shuffle {
            let mut taking_part =
                results[0].iter().zip(guard).filter(|(_, guard)| **guard != Some(false)).map(|(held, _)| *held);
            let first = taking_part.next();
            if !taking_part.all(|held| Some(held) == first) {
                results[0].fill(None);
            }
        }
        for (slot, results) in writes.iter().zip(&results) {
            self.write(*slot, results, guard, origin.or(Some(at)));
        }
    }
}

/// The low `bits` bits of `value`, extended as the type says.
fn extended(value: u64, ty: Type) -> i128 {
    let low = if ty.bits >= 64 { value } else { value & ((1 << ty.bits) - 1) };
    if ty.kind == TypeKind::Signed && ty.bits >= 1 && low >> (ty.bits - 1) & 1 == 1 {
        return i128::from(low) - (1 << ty.bits);
    }
    i128::from(low)
}

/// First and second result of one lane; `p|q` of `setp` has both.
fn lane_result(calc: Calc, ty: Type, values: [Option<u64>; MAX_SOURCES]) -> (Option<u64>, Option<u64>) {
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

    #[test]
    fn threads_are_numbered_along_x_first() {
        let params = HashMap::new();
        let context = WarpContext {
            warp: 1,
            lanes: 32,
            live: 32,
            warps: 2,
            ntid: [8, 4, 2],
            ctaid: [5, 0, 0],
            nctaid: [9, 1, 1],
            params: &params,
        };
        let of = |special| context.special(special, 13);
        assert_eq!([Special::Tid(0), Special::Tid(1), Special::Tid(2)].map(of), [5, 1, 1]);
        assert_eq!(
            [Special::Laneid, Special::Warpid, Special::Ctaid(0), Special::Nctaid(0), Special::Nwarpid].map(of),
            [13, 1, 5, 9, 2]
        );
    }
}
