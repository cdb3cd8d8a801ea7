// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Holds instructions of warps until instructions of other warps have taken effect, so that a run follows a given schedule.
//!
//! A warp whose instruction is held does not issue it; an access is issued, and is performed later. If the machine does not change for some time while a warp is held, the instruction for which it is
//! held cannot take effect before the held one: the gate gives up this hold, and the run continues without it.

use super::memory::{has_common_byte, Access, Range};
use super::warp::threads::At;
use bcu_isa::diag::Diagnostic;
use bcu_program::Place;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

/// The number of cycles without a change in the machine after which a hold is given up.
pub(super) const MOST_UNCHANGED: u64 = 4000;

/// An execution of an instruction by a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    pub cta: usize,
    /// The number of the warp in its CTA.
    pub warp: usize,
    /// The number of the function, and of the instruction in it.
    pub function: usize,
    pub instr: usize,
    /// How often the warp has executed the instruction, this execution included.
    pub time: u32,
}

/// A part of a schedule: an execution that waits for the effect of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    pub held: Execution,
    pub until: Execution,
}

/// A schedule file, in TOML: the holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    #[serde(default, rename = "hold")]
    pub holds: Vec<Hold>,
}

impl Schedule {
    /// Reads a schedule file.
    ///
    /// # Errors
    /// The text is no schedule; the error has its location.
    pub fn parse(text: &str) -> Result<Schedule, Diagnostic> {
        toml::from_str(text).map_err(|error| Diagnostic::of_toml(&error, text))
    }

    /// The text of the file. `place` returns the location of an execution for the comments.
    pub fn text(&self, place: impl Fn(&Execution) -> Option<Place>) -> String {
        let named = |execution: &Execution| {
            let at = place(execution).map_or(String::new(), |place| format!(" (line {}: {})", place.line, place.text));
            format!("warp {} of CTA {}{at}", execution.warp, execution.cta)
        };
        let table = |Execution { cta, warp, function, instr, time }: &Execution| {
            format!("{{ cta = {cta}, warp = {warp}, function = {function}, instr = {instr}, time = {time} }}")
        };
        let hold = |Hold { held, until }: &Hold| {
            let [first, second] = [named(held), named(until)].map(|text| text.replace('\n', " "));
            format!(
                "\n# {first}\n# is held until {second}.\n[[hold]]\nheld = {}\nuntil = {}\n",
                table(held),
                table(until)
            )
        };
        let first = "# A schedule for `bcu run --schedule`, written by `bcu check --save-schedule`.\n";
        first.to_string() + &self.holds.iter().map(hold).collect::<String>()
    }
}

/// The gate of a run; the multiprocessors share it.
pub(super) type SharedGate = Rc<RefCell<Gate>>;

/// The gate of a run.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// The holds that are not over.
    holds: Vec<Hold>,
    /// Executions at the port of the unit, or in the unit, for which others are held: the multiprocessor, the index of the warp, and the
    /// cycle from which on the unit shows whether it has the operation.
    in_unit: Vec<(usize, usize, Option<u64>, Execution)>,
    /// The accesses in flight that are not held: the bytes, whether they only load, and the cycle in which they are performed.
    accesses: Vec<(Vec<Range>, bool, u64)>,
    /// Whether a warp was held in the last cycle.
    pub has_held: bool,
    /// The number of holds that were given up.
    pub given_up: usize,
}

impl Execution {
    pub(super) fn new((cta, warp): (usize, usize), at: At, time: u32) -> Execution {
        Execution { cta, warp, function: at.function, instr: at.instr, time }
    }
}

impl Gate {
    pub fn new(holds: &[Hold]) -> Gate {
        Gate { holds: holds.to_vec(), ..Gate::default() }
    }

    pub fn is_open(&self) -> bool {
        self.holds.is_empty()
    }

    /// Whether an execution that could issue now must wait.
    pub fn holds(&mut self, execution: Execution) -> bool {
        let is_held = self.holds.iter().any(|hold| hold.held == execution);
        self.has_held |= is_held;
        is_held
    }

    /// Records that an execution has taken effect.
    pub fn done(&mut self, execution: Execution) {
        self.holds.retain(|hold| hold.until != execution);
    }

    /// Records that an execution for which others are held is offered at the port of the unit.
    pub fn offered(&mut self, sm: usize, index: usize, execution: Execution) {
        self.in_unit.push((sm, index, None, execution));
    }

    /// Ends the holds until operations of a multiprocessor that have left the port of the unit, and that the unit has performed.
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
        let is_held = access.execution.is_some_and(|execution| self.holds.iter().any(|hold| hold.held == execution));
        if access.asynchronous() || is_held {
            return;
        }
        self.accesses.retain(|(.., due)| *due >= cycle);
        let is_load = access.reads_only();
        let before = self.accesses.iter().filter(|(touched, other_is_load, _)| {
            !(is_load && *other_is_load) && has_common_byte(touched, &access.touched)
        });
        access.due = before.fold(access.due, |due, (.., earlier)| due.max(earlier + 1));
        self.accesses.push((access.touched.clone(), is_load, access.due));
    }

    /// Gives up the holds.
    pub fn give_up(&mut self) {
        self.given_up += self.holds.len();
        self.holds.clear();
    }
}
