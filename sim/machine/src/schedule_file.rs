// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schedules that a run can follow, and their file: executions of instructions that wait until other executions have taken effect.

use super::priorities::Priorities;
use super::sentence;
use super::warp::threads::At;
use bcu_isa::diag::Diagnostic;
use bcu_program::Place;
use serde::{Deserialize, Serialize};

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

/// A part of a schedule: the execution `delayed` waits until the execution `after` has taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    pub delayed: Execution,
    pub after: Execution,
}

/// A schedule; as a file, in TOML. Without entries it is the machine's own schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    #[serde(default, rename = "constraint")]
    pub constraints: Vec<Constraint>,
    /// The digest of the programs for which the schedule was written.
    pub programs: Option<String>,
    /// Random priorities of warps, which replace the policy of the machine.
    pub priorities: Option<Priorities>,
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
            let at = place(execution).map_or(String::new(), |place| format!(" ({})", sentence::place(&place)));
            format!("warp {} of CTA {}{at}", execution.warp, execution.cta)
        };
        let table = |Execution { cta, warp, function, instr, time }: &Execution| {
            format!("{{ cta = {cta}, warp = {warp}, function = {function}, instr = {instr}, time = {time} }}")
        };
        let constraint = |Constraint { delayed, after }: &Constraint| {
            let [first, second] = [named(delayed), named(after)].map(|text| text.replace('\n', " "));
            format!(
                "\n# {first}\n# is delayed until {second}.\n[[constraint]]\ndelayed = {}\nafter = {}\n",
                table(delayed),
                table(after)
            )
        };
        let first = "# A schedule for `bcu run --schedule`, written by `bcu check --save-schedule`.\n";
        let priorities = self.priorities.map_or(String::new(), |Priorities { seed, depth, operations }| {
            format!("\n[priorities]\nseed = {seed}\ndepth = {depth}\noperations = {operations}\n")
        });
        let programs = self.programs.as_ref().map_or(String::new(), |programs| format!("programs = \"{programs}\"\n"));
        first.to_string() + &programs + &priorities + &self.constraints.iter().map(constraint).collect::<String>()
    }
}

impl Execution {
    pub(super) fn new((cta, warp): (usize, usize), at: At, time: u32) -> Execution {
        Execution { cta, warp, function: at.function, instr: at.instr, time }
    }

    /// Whether the instruction is at this place of its code.
    pub(super) fn is_at(&self, at: At) -> bool {
        (self.function, self.instr) == (at.function, at.instr)
    }
}
