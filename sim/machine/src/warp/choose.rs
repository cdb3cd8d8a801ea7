// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which lanes of a warp go on next: those that must be together wait for others that may still come by.

use super::threads::{bits, Group};
use super::{Chosen, Warp};
use bcu_program::{Form, Instr, Op, Word};

/// For so many cycles lanes that must be together wait for others that wait themselves.
const PATIENCE: u32 = 64;

impl Warp {
    /// The first lanes that can go on. Lanes that must be together wait for those that may come by.
    pub fn chosen(&self) -> Option<Chosen> {
        let free = self.lanes & !self.waiting;
        let chosen = |group: &Group| Chosen { at: group.at, lanes: group.lanes, depth: group.depth };
        if let ([group], 0, 0) = (self.threads.groups(), self.threads.on_unknown_path(), self.waiting) {
            return Some(chosen(group));
        }
        let groups = self.threads.free(free);
        if let Some(group) = groups.iter().find(|group| !self.incomplete(group)) {
            return Some(chosen(group));
        }
        // Whoever waits might come by once it is let go.
        groups.first().filter(|_| self.waiting == 0 || self.held >= PATIENCE).map(chosen)
    }

    /// Whether lanes that are elsewhere may still come to the instruction at which these must be all together, or are about to exit: then
    /// nobody waits for them.
    pub(super) fn incomplete(&self, group: &Group) -> bool {
        let converged = self.instr(group.at).is_some_and(|instr| match &instr.op {
            Op::Barrier(barrier) => barrier.aligned,
            Op::Word(Word { form, .. }) => *form == Form::Aligned,
            Op::Access(access) => access.converged(),
            _ => false,
        });
        converged && bits(self.lanes & !group.lanes).any(|lane| self.may_come(lane, group) || self.exits(lane))
    }

    /// Whether a lane exits next, whatever it computes.
    fn exits(&self, lane: usize) -> bool {
        let place = self.threads.place_in(lane, 0).filter(|_| self.threads.depth(lane) == 0);
        place.is_some_and(|place| self.code().ends(place.function, place.instr))
    }

    /// A lane in as many calls or more comes by its own way; one in fewer by the call that the group is in.
    fn may_come(&self, lane: usize, group: &Group) -> bool {
        let depth = self.threads.depth(lane).min(group.depth);
        let Some(one) = bits(group.lanes).next() else { return false };
        let (Some(to), Some(from)) = (self.threads.place_in(one, depth), self.threads.place_in(lane, depth)) else {
            return false;
        };
        let past = from == to && lane != one && self.threads.depth(lane) < group.depth;
        from.function == to.function && (past || self.code().reaches(from.function, from.instr, to.instr))
    }

    /// Lanes wait for others that may come by, but not for ever.
    pub fn holds_back(&self) -> bool {
        self.chosen().is_none() && self.lanes & !self.waiting != 0
    }

    /// In every cycle in which it could issue: takes note that lanes only wait for others of the warp.
    pub fn look(&mut self) -> Option<Chosen> {
        let chosen = self.chosen();
        let only_held = chosen.is_none() && self.lanes & !self.waiting != 0;
        self.held = if only_held { self.held.saturating_add(1) } else { self.held };
        chosen
    }

    /// An instruction is issued; its lanes have not moved yet.
    pub fn count(&mut self, chosen: Chosen) {
        self.last = chosen.at;
        self.held = 0;
        let polls = self.instr(chosen.at).is_some_and(Instr::polls);
        let others = match self.threads.groups() {
            [_] => vec![],
            _ => self.threads.free(self.lanes & !self.waiting & !chosen.lanes),
        };
        self.threads.issue(chosen.lanes, polls, &others);
    }
}
