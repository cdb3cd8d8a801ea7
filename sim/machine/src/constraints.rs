// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Delays instructions of warps until instructions of other warps have taken effect, so that a run follows a given schedule.
//!
//! A delayed instruction is not issued; a delayed access is issued, and is performed later. If the machine does not change for some time
//! while something is delayed, no run follows these constraints: they are given up, and the run continues without them.

use super::memory::{has_common_byte, Access, Range};
use super::schedule_file::{Constraint, Execution};
use super::warp::threads::At;
use bcu_program::{awaiting_loop, Function};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The number of cycles without a change in the machine after which constraints are given up.
pub(super) const MOST_UNCHANGED: u64 = 4000;

/// The constraints of a run; the multiprocessors share them.
pub(super) type SharedConstraints = Rc<RefCell<Constraints>>;

/// The constraints of a run.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    /// For each execution that is waited for and has not taken effect, the executions that wait for it.
    open: HashMap<Execution, Vec<Execution>>,
    /// The number of open constraints of each execution that waits.
    delayed: HashMap<Execution, usize>,
    /// Executions at the port of the unit, or in the unit, for which others are delayed: the multiprocessor, the index of the warp, and the
    /// cycle from which on the unit shows whether it has the operation.
    in_unit: Vec<(usize, usize, Option<u64>, Execution)>,
    /// The accesses in flight that are not delayed: the bytes, whether they only load, and the cycle in which they are performed.
    accesses: Vec<(Vec<Range>, bool, u64)>,
    /// The loads that loops repeat, and whose loops have not been left.
    repeated: HashSet<Execution>,
    /// For each load, the loop that repeats it until it returns another value.
    loops: HashMap<(usize, At), Option<RangeInclusive<usize>>>,
    /// Whether something was delayed in the last cycle.
    pub has_delayed: bool,
    /// The number of constraints that were given up.
    pub given_up: usize,
    /// The number of other constraints, which no run can follow.
    pub infeasible: usize,
}

impl Constraints {
    pub fn new(constraints: &[Constraint]) -> Constraints {
        let mut all = Constraints::default();
        for Constraint { delayed, after } in constraints {
            all.open.entry(*after).or_default().push(*delayed);
            *all.delayed.entry(*delayed).or_default() += 1;
        }
        all
    }

    /// Whether no constraint is left.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether an execution that could issue now must wait.
    pub fn delays(&mut self, execution: Execution) -> bool {
        let is_delayed = self.is_delayed(&execution);
        self.has_delayed |= is_delayed;
        is_delayed
    }

    fn is_delayed(&self, execution: &Execution) -> bool {
        self.delayed.get(execution).is_some_and(|constraints| *constraints > 0)
    }

    /// Records that an execution has taken effect.
    pub fn done(&mut self, execution: Execution) {
        _ = self.end(execution);
        self.repeated.remove(&execution);
    }

    /// Ends the constraints that wait for an execution. Returns their number.
    fn end(&mut self, after: Execution) -> usize {
        let ended = self.open.remove(&after).unwrap_or_default();
        ended.iter().for_each(|delayed| _ = self.delayed.get_mut(delayed).map(|constraints| *constraints -= 1));
        ended.len()
    }

    /// Records that a loop repeats a load.
    pub fn repeats(&mut self, execution: Execution) {
        self.repeated.insert(execution);
    }

    /// The loop that repeats the load at `key`, the address and the place of its code.
    pub fn awaiting_loop<'f>(
        &mut self,
        key: (usize, At),
        function: impl FnOnce() -> Option<&'f Function>,
    ) -> Option<RangeInclusive<usize>> {
        let find = || awaiting_loop(function()?, key.1.instr);
        self.loops.entry(key).or_insert_with(find).clone()
    }

    /// Records that an execution for which others are delayed is offered at the port of the unit.
    pub fn offered(&mut self, sm: usize, index: usize, execution: Execution) {
        self.in_unit.push((sm, index, None, execution));
    }

    /// Ends the constraints on operations of a multiprocessor that have left the port of the unit, and that the unit has performed.
    /// `is_in_unit` gets the index of a warp, and returns whether it is at the port, and whether the unit has an operation of it.
    pub fn look(&mut self, sm: usize, cycle: u64, is_in_unit: impl Fn(usize) -> (bool, bool)) {
        let mut over = vec![];
        self.in_unit.retain_mut(|(of, index, from, execution)| {
            let (at_port, in_unit) = if *of == sm { is_in_unit(*index) } else { (true, true) };
            if !at_port && from.is_none() {
                // The unit shows an operation some cycles after it has accepted it.
                *from = Some(cycle + 4);
            }
            let is_over = !in_unit && from.is_some_and(|from| from <= cycle);
            if is_over {
                over.push(*execution);
            }
            !is_over
        });
        over.into_iter().for_each(|execution| self.done(execution));
    }

    /// Delays an access that is issued in cycle `cycle` until the accesses of all warps to the same bytes that were issued before it are
    /// performed. The order of two loads does not matter.
    pub fn order(&mut self, cycle: u64, access: &mut Access) {
        if access.asynchronous() || access.execution.is_some_and(|execution| self.is_delayed(&execution)) {
            return;
        }
        self.accesses.retain(|(.., due)| *due >= cycle);
        let is_load = access.reads_only();
        let before = self
            .accesses
            .iter()
            .filter(|(touched, other_is_load, _)| !(is_load && *other_is_load) && has_common_byte(touched, &access.touched));
        access.due = before.fold(access.due, |due, (.., earlier)| due.max(earlier + 1));
        self.accesses.push((access.touched.clone(), is_load, access.due));
    }

    /// Gives up the constraints. While a loop repeats a load, no run can follow the constraints that wait for its end, as nothing that is not
    /// delayed changes the value: only these are given up, and they do not count.
    pub fn give_up(&mut self) {
        let repeated: Vec<Execution> = self.repeated.iter().copied().collect();
        let infeasible: usize = repeated.into_iter().map(|after| self.end(after)).sum();
        self.infeasible += infeasible;
        if infeasible > 0 {
            return;
        }
        self.given_up += self.open.values().map(Vec::len).sum::<usize>();
        self.open.clear();
        self.delayed.clear();
    }
}
