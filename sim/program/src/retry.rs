// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the waits at an mbarrier that a loop repeats until they return true, and the loads that a loop repeats until they return another
//! value. Such a loop has the effect of one wait or load, whatever the number of its rounds: only the last answer decides when it is left,
//! and what else it calculates, such as a delay, is not used afterwards.

use super::arith::{lane_result, MAX_SOURCES};
use super::mbarrier::MbarrierOp;
use super::{Access, AccessKind, Function, Instr, Op, Operand, Slot};
use bcu_isa::instr::{self as isa, decode};
use bcu_isa::mbar::{Mbar, MbarOp};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The maximum number of branches that are followed in one loop.
const MOST_BRANCHES: u32 = 64;

/// Whether the wait with index `at` is repeated by a loop until it returns true. A loop is the instructions from the target of a backward
/// branch to the branch.
pub fn is_retried(function: &Function, at: usize) -> bool {
    retry_loop(function, at).is_some()
}

/// Whether the instruction `at` is in a loop that repeats a wait until it returns true, so that its result is not used after the loop.
pub fn is_in_retry(function: &Function, at: usize) -> bool {
    let waits = function.instrs.iter().enumerate().filter(|(_, instr)| is_wait(instr));
    waits.into_iter().any(|(wait, _)| retry_loop(function, wait).is_some_and(|body| body.contains(&at)))
}

/// The instructions of the loop that repeats the wait with index `at` until it returns true.
fn retry_loop(function: &Function, at: usize) -> Option<RangeInclusive<usize>> {
    function.instrs.get(at).filter(|instr| is_wait(instr))?;
    loops_around(function, at)
        .find(|body| Loop::new(function, at, body.clone()).is_some_and(|of| of.is_dead() && of.repeats() && of.has_one_exit()))
}

/// The instructions of the loop that repeats the load with index `at` until it returns another value.
pub fn awaiting_loop(function: &Function, at: usize) -> Option<RangeInclusive<usize>> {
    let is_load = |instr: &&Instr| matches!(&instr.op, Op::Access(Access { kind: AccessKind::Load, .. }));
    function.instrs.get(at).filter(is_load)?;
    repeating_loop(function, at)
}

/// As [`awaiting_loop`], also for an atomic operation that a loop repeats, such as the compare-and-swap of a lock.
pub fn polling_loop(function: &Function, at: usize) -> Option<RangeInclusive<usize>> {
    function.instrs.get(at).filter(|instr| is_load_or_atomic(instr))?;
    repeating_loop(function, at)
}

/// Whether an instruction is a load, or an atomic operation.
pub fn is_load_or_atomic(instr: &Instr) -> bool {
    matches!(&instr.op, Op::Access(Access { kind: AccessKind::Load | AccessKind::Atomic { .. }, .. }))
}

/// The instructions of the loop that repeats the access with index `at` until it returns another value.
fn repeating_loop(function: &Function, at: usize) -> Option<RangeInclusive<usize>> {
    let is_awaiting = |of: Loop| of.is_dead() && of.is_decided_by_answer();
    loops_around(function, at).find(|body| Loop::new(function, at, body.clone()).is_some_and(is_awaiting))
}

/// The loops around an instruction: from the target of each backward branch to the branch.
fn loops_around(function: &Function, at: usize) -> impl Iterator<Item = RangeInclusive<usize>> + '_ {
    function.instrs.iter().enumerate().skip(at).filter_map(move |(end, instr)| match instr.op {
        Op::Branch { target } if target <= at => Some(target..=end),
        _ => None,
    })
}

fn is_wait(instr: &Instr) -> bool {
    match &instr.op {
        Op::Mbarrier(mbarrier) => matches!(mbarrier.op, MbarrierOp::Wait(_)),
        Op::Word(word) => {
            let does = |decoded: isa::Instr| match decoded.op {
                isa::Op::Mbar(Mbar { does, .. }) => Some(does),
                _ => None,
            };
            matches!(decode(word.word).ok().and_then(does), Some(MbarOp::Test { .. } | MbarOp::Try { .. }))
        }
        _ => false,
    }
}

/// The end of paths through a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Wait,
    Exit,
}

/// A loop around a wait or a load.
struct Loop<'a> {
    function: &'a Function,
    wait: usize,
    body: RangeInclusive<usize>,
    /// The registers that the loop writes.
    written: BTreeSet<Slot>,
}

impl<'a> Loop<'a> {
    /// The loop `body`; `None` if it has effects besides those on registers, or can be entered in the middle.
    fn new(function: &'a Function, wait: usize, body: RangeInclusive<usize>) -> Option<Loop<'a>> {
        let instrs = function.instrs.get(body.clone())?;
        let has_no_effect = |(index, instr): (usize, &Instr)| match instr.op {
            Op::Branch { .. } | Op::Calc { .. } | Op::Busy { .. } => true,
            _ => body.start() + index == wait,
        };
        let into_middle = |(index, instr): (usize, &Instr)| {
            let inside = |target: &usize| target > body.start() && target <= body.end();
            !body.contains(&index) && targets(instr).any(|target| inside(&target))
        };
        let is_closed = !function.instrs.iter().enumerate().any(into_middle);
        let written = instrs.iter().flat_map(Instr::written).collect();
        (is_closed && instrs.iter().enumerate().all(has_no_effect)).then_some(Loop { function, wait, body, written })
    }

    /// Whether the wait is the same in every round, and each register that the loop writes, and that an instruction outside reads, has one
    /// value after the loop: it depends on the last answer alone.
    fn is_dead(&self) -> bool {
        let instrs = &self.function.instrs;
        if instrs[self.wait].reads().any(|slot| self.written.contains(&slot)) {
            return false;
        }
        let by_answer = self.by_answer();
        let outside = instrs.iter().enumerate().filter(|(index, _)| !self.body.contains(index));
        let read_outside: BTreeSet<Slot> = outside.flat_map(|(_, instr)| instr.reads()).collect();
        self.written.iter().all(|slot| !read_outside.contains(slot) || by_answer.contains(slot))
    }

    /// Whether each branch of the loop depends on the last answer alone.
    fn is_decided_by_answer(&self) -> bool {
        let by_answer = self.by_answer();
        let branches = self.function.instrs[self.body.clone()].iter().filter(|instr| matches!(instr.op, Op::Branch { .. }));
        branches.filter_map(|branch| branch.guard).all(|guard| by_answer.contains(&guard.slot))
    }

    /// The registers with the answer of the wait, or with what is calculated from it in every round, directly after the wait.
    fn by_answer(&self) -> BTreeSet<Slot> {
        let instrs = &self.function.instrs;
        let is_calculation =
            |instr: &&Instr| matches!(instr.op, Op::Calc { .. }) && instr.guard.is_none() && !instr.sees_time();
        let calculations = instrs[self.wait + 1..=*self.body.end()].iter().take_while(is_calculation).count();
        let mut by_answer: BTreeSet<Slot> = instrs[self.wait].written().collect();
        for instr in &instrs[self.wait + 1..self.wait + 1 + calculations] {
            let is_known = instr.reads().all(|read| by_answer.contains(&read) || !self.written.contains(&read));
            instr.written().for_each(|slot| _ = by_answer.remove(&slot));
            by_answer.extend(instr.written().filter(|_| is_known));
        }
        // A register that is also written elsewhere in the loop may have another value.
        let elsewhere = self.body.clone().filter(|index| !(self.wait..=self.wait + calculations).contains(index));
        elsewhere.flat_map(|index| instrs[index].written()).for_each(|slot| _ = by_answer.remove(&slot));
        by_answer
    }

    /// Whether the way out of the loop after the answer true does not depend on what the loop has calculated before.
    fn has_one_exit(&self) -> bool {
        self.leads_to(Goal::Exit, (self.wait + 1, self.answers(1)), &mut 0)
    }

    /// Whether every path from the answer false leads to the wait again.
    fn repeats(&self) -> bool {
        self.leads_to(Goal::Wait, (self.wait + 1, self.answers(0)), &mut 0)
    }

    /// The registers with the answer `answer` of the wait.
    fn answers(&self, answer: u64) -> BTreeMap<Slot, Option<u64>> {
        self.function.instrs[self.wait].written().map(|slot| (slot, Some(answer))).collect()
    }

    /// Whether every path from instruction `at` leads to the goal, where `values` are the known values of registers that the loop writes. To
    /// the exit, each branch depends on known values, or on registers that the loop does not write.
    fn leads_to(&self, goal: Goal, (mut at, mut values): (usize, BTreeMap<Slot, Option<u64>>), branches: &mut u32) -> bool {
        loop {
            if at == self.wait || !self.body.contains(&at) {
                return (at == self.wait) == (goal == Goal::Wait);
            }
            let Some(instr) = self.function.instrs.get(at) else { return false };
            let executes = self.executes(instr, &values);
            if let Op::Branch { target } = &instr.op {
                *branches += 1;
                let is_fixed = instr.guard.is_none_or(|guard| executes.is_some() || !self.written.contains(&guard.slot));
                if *branches > MOST_BRANCHES || goal == Goal::Exit && !is_fixed {
                    return false;
                }
                if executes.is_none() && !self.leads_to(goal, (at + 1, values.clone()), branches) {
                    return false;
                }
                at = if executes == Some(false) { at + 1 } else { *target };
            } else {
                calculate(instr, executes, &mut values);
                at += 1;
            }
        }
    }

    /// Whether an instruction is executed; `None` if that is unknown.
    fn executes(&self, instr: &Instr, values: &BTreeMap<Slot, Option<u64>>) -> Option<bool> {
        let Some(guard) = instr.guard else { return Some(true) };
        let value = values.get(&guard.slot).copied().flatten();
        value.map(|value| (value & 1 == 1) != guard.negated)
    }
}

/// Adds the results of an instruction to the known values of registers. `executes`: as for [`Loop::executes`].
fn calculate(instr: &Instr, executes: Option<bool>, values: &mut BTreeMap<Slot, Option<u64>>) {
    match &instr.op {
        Op::Calc { calc, sources } if executes == Some(true) => {
            let mut given = [None; MAX_SOURCES];
            given.iter_mut().zip(sources).for_each(|(value, source)| *value = known(source, values));
            let (first, second) = lane_result(*calc, given);
            let results = instr.writes.iter().zip([first, second]);
            results.for_each(|(slot, value)| _ = slot.map(|slot| values.insert(slot, value)));
        }
        _ if executes != Some(false) => instr.written().for_each(|slot| _ = values.insert(slot, None)),
        _ => {}
    }
}

/// The value of an operand, if it is known.
fn known(operand: &Operand, values: &BTreeMap<Slot, Option<u64>>) -> Option<u64> {
    match operand {
        Operand::Immediate(value) => Some(*value as u64),
        Operand::Register { slot, negated } => {
            let value = values.get(slot).copied().flatten()?;
            Some(if *negated { value ^ 1 } else { value })
        }
        _ => None,
    }
}

/// The instructions to which an instruction may branch.
fn targets(instr: &Instr) -> impl Iterator<Item = usize> + '_ {
    let (one, many): (Option<usize>, &[usize]) = match &instr.op {
        Op::Branch { target } => (Some(*target), &[]),
        Op::Switch { targets, .. } => (None, targets),
        _ => (None, &[]),
    };
    one.into_iter().chain(many.iter().copied())
}
