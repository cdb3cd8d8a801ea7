// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One warp on the machine: how far it is, what holds it.

use crate::program::{Action, Place, WarpProgram};
use std::rc::Rc;

/// A warp of a launched CTA.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    pub cta: usize,
    /// Within its CTA.
    pub warp: usize,
    /// Warp slot.
    pub slot: usize,
    /// Lanes that are there, one bit each.
    pub lanes: u64,
    pub program: Rc<WarpProgram>,
    /// The next step.
    pub step: usize,
    /// The unit has shown the warp slot as not live since this warp got it.
    pub slot_free: bool,
    /// The unit has shown it as live after that.
    pub started: bool,
    /// Its step stands at a channel of the unit.
    pub offered: bool,
    /// The first cycle in which it may issue again.
    pub ready_at: u64,
    /// The first cycle in which all its accesses are performed.
    pub performed_at: u64,
    /// The barrier at which it waits.
    pub waits_at: Option<u8>,
    pub waited: u64,
    pub exited: Option<u64>,
}

impl Warp {
    pub fn new(cta: usize, warp: usize, slot: usize, lanes: u64, program: Rc<WarpProgram>) -> Self {
        Warp {
            cta,
            warp,
            slot,
            lanes,
            program,
            step: 0,
            slot_free: false,
            started: false,
            offered: false,
            ready_at: 0,
            performed_at: 0,
            waits_at: None,
            waited: 0,
            exited: None,
        }
    }

    /// What it does next; past the last step, an exit.
    pub fn action(&self) -> &Action {
        self.program.steps.get(self.step).map_or(&Action::Exit, |s| &s.action)
    }

    /// Where its next step stands.
    pub fn place(&self) -> Place {
        self.place_of(self.step)
    }

    /// Where the step that it issued last stands.
    pub fn last_place(&self) -> Place {
        self.place_of(self.step.saturating_sub(1))
    }

    fn place_of(&self, step: usize) -> Place {
        let end = || Place { line: self.program.steps.last().map_or(1, |s| s.place.line), text: "end of program".to_string() };
        self.program.steps.get(step).map_or_else(end, |s| s.place.clone())
    }
}
