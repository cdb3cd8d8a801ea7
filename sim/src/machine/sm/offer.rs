// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the machine puts at the channels: launches and ends of CTAs, and the step of the warp that the policy picks.

use super::super::memory::{Access, Effect};
use super::super::warp::{Chosen, Warp};
use super::{Sm, Stage};
use crate::program::{Action, Cell, Data, Space};
use bcu_hw::isa::instr::Pred;

impl Sm<'_> {
    /// Puts at the free channels what stands there from the next cycle on.
    pub(super) fn offer(&mut self) -> bool {
        let retire = self.offer_retire();
        let launch = self.offer_launch();
        let live = if self.cycle == 0 { 0 } else { self.pins.get(self.pins.at.live) };
        for index in self.warp_slots.iter().flatten() {
            let warp = &mut self.warps[*index];
            let live = live >> warp.slot & 1 == 1;
            // The exit of the slot's last warp may still be on its way, so the bit counts only once it has been 0.
            warp.started |= live && warp.slot_free;
            warp.slot_free |= !live;
        }
        self.perform(self.cycle + 1);
        self.issue() || retire || launch
    }

    fn offer_retire(&mut self) -> bool {
        let ended = |cta: usize| self.resident_warps().filter(|w| w.cta == cta).all(|w| w.exited.is_some());
        let busy = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Retiring))));
        let slot = self.cta_slots.iter().position(|s| matches!(s, Some((cta, Stage::Resident)) if ended(*cta)));
        let Some(slot) = slot.filter(|_| !busy) else { return false };
        self.cta_slots[slot] = self.cta_slots[slot].map(|(cta, _)| (cta, Stage::Retiring));
        self.pins.set(self.pins.at.retire_valid, 1);
        self.pins.set(self.pins.at.retire_cta, slot as u64);
        true
    }

    fn offer_launch(&mut self) -> bool {
        let busy = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Offered))));
        let Some(plan) = self.plans.get(self.launched).filter(|_| !busy) else { return false };
        let free: Vec<usize> = (0..self.sizes.warps).filter(|s| self.warp_slots[*s].is_none()).collect();
        let Some(slot) = self.cta_slots.iter().position(Option::is_none) else { return false };
        let count = plan.programs.len();
        let Some(slots) = free.get(..count) else { return false };
        let cta = self.launched;
        let (mut mask, mut last) = (0u64, 0);
        for (warp, (program, slot)) in plan.programs.iter().zip(slots).enumerate() {
            let lanes = (plan.threads - warp * self.sizes.lanes).min(self.sizes.lanes);
            mask |= 1 << slot;
            self.warp_slots[*slot] = Some(self.warps.len());
            last = u64::MAX >> (64 - lanes);
            self.warps.push(Warp::new((cta, warp), *slot, (last, self.sizes.lanes), program.clone()));
        }
        self.launched += 1;
        self.cta_slots[slot] = Some((cta, Stage::Offered));
        let (at, barriers) = (self.pins.at.clone(), plan.barriers as u64);
        let values = [(at.launch_valid, 1), (at.launch_cta, slot as u64), (at.launch_warps, mask), (at.launch_exited, 0)];
        values.iter().for_each(|(port, value)| self.pins.set(*port, *value));
        self.pins.set(at.launch_lanes, last);
        self.pins.set(at.launch_barriers, barriers);
        true
    }

    /// Has the memory perform an access in cycle `now`, if one is due.
    fn perform(&mut self, now: u64) {
        self.performing = self.memory.due(now);
        let Some(access) = self.performing.as_ref().filter(|_| !self.machine.unannounced) else { return };
        let (at, values) = (self.pins.at.clone(), (access.slot as u64, u64::from(access.epoch)));
        [(at.perform_valid, 1), (at.perform_warp, values.0), (at.perform_epoch, values.1)]
            .into_iter()
            .for_each(|(port, value)| self.pins.set(port, value));
    }

    /// Lets one warp issue its next step, if any can.
    fn issue(&mut self) -> bool {
        let next = self.cycle + 1;
        let mut ready = vec![];
        for (slot, index) in self.warp_slots.iter().enumerate().filter_map(|(s, i)| Some((s, (*i)?))) {
            let blocked = self.blocked(&self.warps[index]);
            let warp = &mut self.warps[index];
            let waits = warp.offered || warp.exiting || warp.waits_at.is_some() || warp.stopped.is_some();
            if !warp.started || warp.exited.is_some() || warp.ready_at > next || blocked || waits {
                continue;
            }
            warp.look_ahead();
            let Some(chosen) = warp.chosen().filter(|chosen| !warp.awaits_result(*chosen)) else { continue };
            let free = match warp.action(chosen) {
                Action::Barrier { .. } | Action::Meet { .. } => self.instr.is_none(),
                Action::Exit => warp.executing(chosen) == 0 || self.exit.is_none(),
                Action::Write(_) | Action::Busy { .. } | Action::Access { .. } => true,
            };
            if free {
                ready.push((slot, index as u64));
            }
        }
        let Some(index) = self.scheduler.pick(&ready).and_then(|slot| self.warp_slots[slot]) else { return false };
        let Some(chosen) = self.warps[index].chosen() else { return false };
        self.start(index, chosen, next);
        true
    }

    /// A warp's next step issues in cycle `now`.
    fn start(&mut self, index: usize, chosen: Chosen, now: u64) {
        let at = self.pins.at.clone();
        let warp = &mut self.warps[index];
        let program = warp.program.clone();
        let executing = warp.executing(chosen);
        match program.steps.get(chosen.step).map_or(&Action::Exit, |step| &step.action) {
            Action::Barrier { .. } | Action::Meet { .. } => {
                warp.offered = true;
                self.instr = Some(index);
                warp.prepare(chosen, self.sizes.lanes);
                let issue = warp.issue;
                let words = at.instr_word.into_iter().zip(issue.word.map(u64::from));
                let lanes =
                    [(at.instr_active, issue.active), (at.instr_guard, issue.guard), (at.instr_predicate, issue.predicate)];
                let operands = [(at.instr_ra, issue.ra.into()), (at.instr_rb, issue.rb.into())];
                let rest = [(at.instr_valid, 1), (at.instr_warp, warp.slot as u64), (at.instr_uniform, issue.uniform.into())];
                let form = [(at.instr_form, issue.form as u64), (at.instr_members, issue.members)];
                let all = words.chain(lanes).chain(operands).chain(rest).chain(form);
                all.for_each(|(port, value)| self.pins.set(port, value));
                return;
            }
            Action::Exit if executing != 0 => {
                warp.offered = true;
                self.exit = Some(index);
                let values = [(at.exit_valid, 1), (at.exit_warp, warp.slot as u64), (at.exit_lanes, executing)];
                values.into_iter().for_each(|(port, value)| self.pins.set(port, value));
                return;
            }
            Action::Exit => warp.ready_at = now + 1,
            Action::Write(write) => {
                warp.registers.write(write, executing);
                warp.ready_at = now + 1;
            }
            Action::Busy { cycles } => warp.ready_at = now + u64::from((*cycles).max(1)),
            Action::Access { space, cell, .. } => {
                warp.ready_at = now + 1;
                if executing != 0 {
                    // `blocked` shows one cycle later whether the unit can count another one.
                    warp.ready_at = now + 2;
                    let cta = if *space == Space::Shared { Some(warp.cta) } else { None };
                    let effect = cell.as_ref().map_or(Effect::Nothing, |cell| effect(warp, cell, cta, executing));
                    if let Effect::Load(register, _) = &effect {
                        warp.pending.push((*register, Pred::PT.index));
                    }
                    let slot = warp.slot;
                    self.memory.issue(now, *space, Access::new((index, slot), effect));
                    self.issuing = true;
                    if !self.machine.unannounced {
                        self.pins.set(at.issue_valid, 1);
                        self.pins.set(at.issue_warp, slot as u64);
                    }
                }
            }
        }
        self.warps[index].take(chosen);
    }
}

/// What an access of these lanes does, with the values that registers have now.
fn effect(warp: &Warp, cell: &Cell, cta: Option<usize>, lanes: u64) -> Effect {
    let words = warp.registers.values(&cell.address, lanes).into_iter();
    let words = words.map(|(lane, address)| (lane, (cta, address.wrapping_add(cell.offset) & !3)));
    match &cell.data {
        Data::Load(to) => Effect::Load(to.0, words.collect()),
        Data::Store(from) => {
            let held = from.as_ref().map(|from| warp.registers.values(from, lanes));
            let value = |lane: usize| held.as_ref().and_then(|held| held.iter().find(|(other, _)| *other == lane));
            Effect::Store(words.map(|(lane, at)| (at, value(lane).map(|(_, value)| *value))).collect())
        }
    }
}
