// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of registers before the run: operations lane by lane, as far as their sources are known.

use super::arith::{lane_result, Calc, Operation, MAX_SOURCES};
use super::ast::{Operand, Slot, Special};
use std::collections::HashMap;

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

    /// These lanes hold a value.
    pub fn set(&mut self, slot: Slot, lanes: u64, value: impl Fn(usize) -> u64) {
        let held = (0..self.live).map(|lane| if lanes >> lane & 1 == 1 { Some(value(lane)) } else { self.lane(slot, lane) });
        self.values[slot] = Value { lanes: held.collect(), origin: self.values[slot].origin };
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
    pub(super) fn read(&self, operand: &Operand, lane: usize, param: Option<u64>, context: &WarpContext) -> Option<u64> {
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
        op: (Calc, &[Operand]),
        writes: &[Slot],
        guard: &[Option<bool>],
        context: &WarpContext,
    ) {
        let (calc, sources) = op;
        let shuffle = calc.op == Operation::Shuffle;
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
            let (first, second) = if shuffle { (values[0], None) } else { lane_result(calc, values) };
            results[0].push(first);
            results[1].push(second);
        }
        if shuffle {
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

#[cfg(test)]
mod tests {
    use super::*;

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
