// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of `grid`'s outputs: the answers to waits, the messages to the hub, and the CTA slots in use (`freed`).

use super::{GridUser, Stage};

impl GridUser {
    /// Whether a wait of the CTA in `slot` passes: the CTA has no grid, or its grid is ready.
    pub(super) fn may_pass(&self, slot: usize) -> bool {
        self.members[slot].grid.is_none_or(|grid| self.grids[grid as usize].stage == Stage::Ready)
    }

    /// Finds the CTA that sent the Ended message of the previous cycle. The message names only the grid; the CTA is the one whose bit in
    /// `freed` is 1 now.
    pub(super) fn settle_ended(&mut self, outputs: &[u64]) {
        let Some(grid) = self.ending.take() else { return };
        let freed = self.freed.read(outputs);
        let mine = |slot: &usize| self.members[*slot].grid == Some(grid) && !self.members[*slot].is_over;
        let Some(slot) = (0..self.members.len()).filter(mine).find(|slot| freed >> slot & 1 == 1) else {
            return self.base.ledger.fail(|| format!("no slot of grid {grid} is in `freed` after its Ended"));
        };
        if !self.members[slot].has_issued {
            // A CTA sends LaunchedDependents before Ended. So the CTA in `slot` sent the LaunchedDependents that the check had assigned
            // to another CTA of the grid.
            let issued_slot = (0..self.members.len()).filter(mine).find(|slot| self.members[*slot].has_issued);
            issued_slot.into_iter().for_each(|issued_slot| self.members[issued_slot].has_issued = false);
        }
        (self.members[slot].has_issued, self.members[slot].is_over) = (true, true);
    }

    /// Checks all outputs of a cycle except the messages to the hub.
    pub(super) fn check(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.settle_ended(outputs);
        self.base.ledger.strobe("fault", self.fault.offered(outputs), None);
        let expected = self.commits.iter().position(|(at, _)| *at == cycle).map(|place| self.commits.swap_remove(place).1);
        self.base.ledger.strobe("commit", self.commit.read(outputs), expected.map(|warp| [1 << warp, 0]));
        if let Some(warp) = expected {
            self.warps[warp].is_busy = false;
        }
        self.base.ledger.strobe("opened", self.opened.read(outputs), self.opening.take().map(|grid| [grid]));
        if let Some([warps]) = self.release.read(outputs) {
            self.base.ledger.count("releases");
            for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
                let passes = self.slot_of(warp).is_some_and(|slot| self.may_pass(slot));
                if self.warps[warp].waits.is_none() || !passes {
                    let state = self.warps[warp];
                    self.base.ledger.fail(|| format!("wrong release of warp {warp}; grid ready: {passes}, {state:?}"));
                }
                self.warps[warp].waits = None;
                self.base.ledger.count("waits passed");
            }
        }
        let live = self.residents.live(cycle);
        let mut waiting = 0;
        for warp in (0..64).filter(|warp| live >> warp & 1 == 1) {
            let passes = self.slot_of(warp).is_some_and(|slot| self.may_pass(slot));
            let state = &mut self.warps[warp];
            waiting |= u64::from(state.waits.is_some() && !state.is_busy) << warp;
            state.late = if state.waits.is_some() && passes { state.late + 1 } else { 0 };
            let late = state.late;
            self.base.ledger.most("worst cycles until a wait passes", late);
            if late > 4 {
                self.base.ledger.fail(|| format!("warp {warp} still waits {late} cycles after its grid is ready"));
            }
        }
        let shown = self.waiting.read(outputs);
        if shown & live != waiting & live {
            self.base.ledger.fail(|| format!("`waiting` is {shown:#x}: expected {waiting:#x} of the live warps {live:#x}"));
        }
        for slot in 0..self.members.len() {
            let member = self.members[slot];
            // In the cycle of its launch a CTA is not yet in the unit.
            let is_new = self.residents.slots[slot].is_some_and(|cta| cta.from > cycle);
            let is_free = member.grid.is_none() || member.is_over;
            if !is_new && (self.freed.read(outputs) >> slot & 1 == 1) != is_free {
                self.base.ledger.fail(|| format!("`freed` of slot {slot} is not {is_free}: {member:?}"));
            }
        }
    }

    /// The CTA slots that have to send a message of `kind` for `grid` to the hub.
    pub(super) fn due(&self, grid: u64, kind: u64) -> Vec<usize> {
        let is_due = |slot: &usize| {
            let member = self.members[*slot];
            let ended = self.residents.slots[*slot].is_some_and(|cta| cta.ended <= self.base.ledger.cycle);
            let has_message = match kind {
                0 => !member.has_issued && (member.has_asked || ended),
                _ => member.has_issued && ended && !member.is_over,
            };
            member.grid == Some(grid) && has_message
        };
        (0..self.members.len()).filter(is_due).collect()
    }

    /// Checks the messages to the hub: they are in order, and no message is early or lost.
    pub(super) fn messages(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        let ready = self.out_pace.allows_event(&mut self.rng);
        let offered = self.out.offered(outputs);
        if self.standing.is_some() && offered != self.standing {
            self.base.ledger.fail(|| format!("`grid_out`: {offered:?} offered before {:?} was taken", self.standing));
        }
        if let (Some([kind, grid]), true) = (offered, self.standing.is_none()) {
            if self.due(grid, kind).is_empty() {
                self.base.ledger.fail(|| format!("grid {grid}: message {kind}, but no CTA has to send it"));
            }
        }
        let taken_message = self.out.drive(&mut self.base.pins, outputs, ready);
        self.standing = offered.filter(|_| taken_message.is_none());
        if let Some([kind, grid]) = taken_message {
            // The hub does not distinguish the CTAs of a grid, so the message is assigned to the CTA that has waited longest.
            if let Some(slot) = self.due(grid, kind).into_iter().max_by_key(|slot| self.members[*slot].idle) {
                self.base.ledger.most("worst cycles until a message", self.members[slot].idle);
                self.members[slot].idle = 0;
                match kind {
                    0 => self.members[slot].has_issued = true,
                    _ => self.ending = Some(grid),
                }
            }
            self.base.ledger.count("messages to the hub");
        }
        let bound = 4 * self.shape.slots + 12;
        for slot in 0..self.members.len() {
            let ended = self.residents.slots[slot].is_some_and(|cta| cta.ended <= cycle);
            let member = &mut self.members[slot];
            let is_due = member.grid.is_some() && !member.is_over && (ended || member.has_asked && !member.has_issued);
            member.idle = if is_due { member.idle + u64::from(ready) } else { 0 };
            if member.idle > bound {
                let member = *member;
                self.base
                    .ledger
                    .fail(|| format!("CTA slot {slot}: a message to the hub has been due for more than {bound} cycles and was not sent: {member:?}"));
            }
        }
    }
}
