// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the lanes of a warp that issue next. Some instructions, such as an aligned barrier, need all lanes of the warp together. Lanes
//! at such an instruction wait for lanes that may still join them.

use super::threads::{bits, Group, Groups};
use super::{Chosen, Warp};
use bcu_program::{Form, Instr, Op, Word};

/// The maximum number of cycles for which lanes that must issue together wait, if other lanes of the warp wait at another instruction.
const PATIENCE: u32 = 64;

impl Warp {
    /// The first group of lanes that can issue; `None` while all groups wait for other lanes.
    pub fn chosen(&self) -> Option<Chosen> {
        let ready_lanes = self.lanes & !self.waiting;
        let chosen = |group: &Group| Chosen { at: group.at, lanes: group.lanes, depth: group.depth };
        if let ([group], 0, 0) = (self.threads.groups(), self.threads.on_unknown_path(), self.waiting) {
            return Some(chosen(group));
        }
        let groups = self.threads.groups_in(ready_lanes);
        if let Some(group) = groups.iter().find(|group| !self.incomplete(group)) {
            return Some(chosen(group));
        }
        // A lane that waits now may join the group later. So the group waits up to `PATIENCE` cycles.
        groups.first().filter(|_| self.waiting == 0 || self.held_cycles >= PATIENCE).map(chosen)
    }

    /// Whether a group that must issue together must not issue yet: another lane may still reach its instruction, or another lane exits
    /// soon. The group also waits for such an exit, because after the exit the group contains all live lanes of the warp.
    pub(super) fn incomplete(&self, group: &Group) -> bool {
        let converged = self.instr(group.at).is_some_and(|instr| match &instr.op {
            Op::Barrier(barrier) => barrier.aligned,
            Op::Word(Word { form, .. }) => *form == Form::Aligned,
            Op::Access(access) => access.converged(),
            Op::Warpgroup(_) | Op::Registers { .. } => true,
            Op::TensorCore(op) => op.converged(),
            _ => false,
        });
        converged && bits(self.lanes & !group.lanes).any(|lane| self.may_come(lane, group) || self.exits(lane))
    }

    /// Whether a lane certainly exits soon: it is outside of any call, and its path leads to the
    /// end of the program without a wait for another lane.
    fn exits(&self, lane: usize) -> bool {
        let place = self.threads.place_in(lane, 0).filter(|_| self.threads.depth(lane) == 0);
        place.is_some_and(|place| self.code().always_ends(place.function, place.instr))
    }

    /// Whether a lane may still reach the instruction of a group. If the lane is at least as deep in calls as the group, its path at the
    /// call depth of the group must lead to the instruction. If the lane is less deep, its path must lead to the call in which the group
    /// is.
    fn may_come(&self, lane: usize, group: &Group) -> bool {
        let depth = self.threads.depth(lane).min(group.depth);
        let Some(group_lane) = bits(group.lanes).next() else { return false };
        let (Some(to), Some(from)) = (self.threads.place_in(group_lane, depth), self.threads.place_in(lane, depth)) else {
            return false;
        };
        let past = from == to && lane != group_lane && self.threads.depth(lane) < group.depth;
        from.function == to.function && (past || self.code().reaches(from.function, from.instr, to.instr))
    }

    /// Whether all lanes that could issue wait, for a limited time, for lanes that may still join them.
    pub fn holds_back(&self) -> bool {
        self.chosen().is_none() && self.lanes & !self.waiting != 0
    }

    /// Whether lanes have waited for others that may join them since the last issue, so that the time of their wait counts.
    pub fn has_held_back(&self) -> bool {
        self.held_cycles > 0
    }

    /// Returns the lanes that can issue in this cycle. Also counts the cycles in which lanes only wait for other lanes of the warp, so it
    /// must be called in every cycle in which the warp could issue.
    pub fn look(&mut self) -> Option<Chosen> {
        let chosen = self.chosen();
        let only_held = chosen.is_none() && self.lanes & !self.waiting != 0;
        self.held_cycles = if only_held { self.held_cycles.saturating_add(1) } else { self.held_cycles };
        chosen
    }

    /// Records the issue of an instruction, before its lanes move.
    pub fn count(&mut self, chosen: Chosen) {
        self.last = chosen.at;
        self.held_cycles = 0;
        let polls = self.instr(chosen.at).is_some_and(Instr::polls);
        let others = match self.threads.groups() {
            [_] => Groups::new(),
            _ => self.threads.groups_in(self.lanes & !self.waiting & !chosen.lanes),
        };
        self.threads.issue(chosen.lanes, polls, &others);
    }
}
