// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Delays instructions of warps until instructions of other warps have taken effect, so that a run follows a given schedule.
//!
//! A delayed instruction is not issued; a delayed access is issued, and is performed later. If the machine does not change for some time
//! while something is delayed, no run follows these constraints: they are given up, and the run continues without them.

use super::memory::{has_common_byte, Access, Range};
use super::schedule_file::{Constraint, Execution};
use std::cell::RefCell;
use std::rc::Rc;

/// The number of cycles without a change in the machine after which constraints are given up.
pub(super) const MOST_UNCHANGED: u64 = 4000;

/// The constraints of a run; the multiprocessors share them.
pub(super) type SharedConstraints = Rc<RefCell<Constraints>>;

/// The constraints of a run.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    /// The constraints that are not satisfied.
    open: Vec<Constraint>,
    /// Executions at the port of the unit, or in the unit, for which others are delayed: the multiprocessor, the index of the warp, and the
    /// cycle from which on the unit shows whether it has the operation.
    in_unit: Vec<(usize, usize, Option<u64>, Execution)>,
    /// The accesses in flight that are not delayed: the bytes, whether they only load, and the cycle in which they are performed.
    accesses: Vec<(Vec<Range>, bool, u64)>,
    /// Whether something was delayed in the last cycle.
    pub has_delayed: bool,
    /// The number of constraints that were given up.
    pub given_up: usize,
}

impl Constraints {
    pub fn new(constraints: &[Constraint]) -> Constraints {
        Constraints { open: constraints.to_vec(), ..Constraints::default() }
    }

    /// Whether no constraint is left.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether an execution that could issue now must wait.
    pub fn delays(&mut self, execution: Execution) -> bool {
        let is_delayed = self.open.iter().any(|constraint| constraint.delayed == execution);
        self.has_delayed |= is_delayed;
        is_delayed
    }

    /// Records that an execution has taken effect.
    pub fn done(&mut self, execution: Execution) {
        self.open.retain(|constraint| constraint.after != execution);
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
        let is_delayed = |execution| self.open.iter().any(|constraint| constraint.delayed == execution);
        if access.asynchronous() || access.execution.is_some_and(is_delayed) {
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

    /// Gives up the constraints.
    pub fn give_up(&mut self) {
        self.given_up += self.open.len();
        self.open.clear();
    }
}
