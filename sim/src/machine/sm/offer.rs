// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the machine puts at the channels: launches and ends of CTAs, and the step of the warp that the policy picks.

use super::super::ledger::Contradiction;
use super::super::warp::Warp;
use super::{Sm, Stage};
use crate::program::{Action, Space};

impl Sm<'_> {
    /// Puts at the free channels what stands there from the next cycle on.
    pub(super) fn offer(&mut self) -> Result<bool, Contradiction> {
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
        Ok(self.issue()? || retire || launch)
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
        let mut mask = 0u64;
        for (warp, (program, slot)) in plan.programs.iter().zip(slots).enumerate() {
            let lanes = (plan.threads - warp * self.sizes.lanes).min(self.sizes.lanes);
            mask |= 1 << slot;
            self.warp_slots[*slot] = Some(self.warps.len());
            let lanes = (u64::MAX >> (64 - lanes), self.sizes.lanes);
            self.warps.push(Warp::new((cta, warp), *slot, lanes, program.clone()));
        }
        self.launched += 1;
        self.cta_slots[slot] = Some((cta, Stage::Offered));
        let (at, barriers) = (self.pins.at.clone(), plan.barriers as u64);
        let values = [(at.launch_valid, 1), (at.launch_cta, slot as u64), (at.launch_warps, mask), (at.launch_exited, 0)];
        values.iter().for_each(|(port, value)| self.pins.set(*port, *value));
        self.pins.set(at.launch_barriers, barriers);
        true
    }

    /// Lets one warp issue its next step, if any can.
    fn issue(&mut self) -> Result<bool, Contradiction> {
        let next = self.cycle + 1;
        let mut ready = vec![];
        for (slot, index) in self.warp_slots.iter().enumerate().filter_map(|(s, i)| Some((s, (*i)?))) {
            let blocked = self.blocked(&self.warps[index]);
            let warp = &mut self.warps[index];
            warp.settling &= !blocked;
            if !warp.started || warp.offered || warp.exited.is_some() || warp.ready_at > next || blocked {
                continue;
            }
            // Its own operations come in order, so it stops where the fault is, and not some steps further on.
            if warp.stopped.is_some() || warp.settling || warp.awaits_result() {
                continue;
            }
            if let Some(id) = warp.waits_at {
                let what = format!("warp {} of CTA {} goes on from barrier {id} without a release", warp.warp, warp.cta);
                return Err(Contradiction { cycle: self.cycle, what });
            }
            let free = match warp.action() {
                Action::Barrier { .. } => self.instr.is_none() && warp.performed_at <= next,
                Action::Exit => !warp.ends() || self.exit.is_none(),
                Action::Write(_) | Action::Busy { .. } | Action::Access { .. } => true,
            };
            if free {
                ready.push((slot, index as u64));
            }
        }
        let Some(index) = self.scheduler.pick(&ready).and_then(|slot| self.warp_slots[slot]) else { return Ok(false) };
        self.start(index, next);
        Ok(true)
    }

    /// A warp's next step issues in cycle `now`.
    fn start(&mut self, index: usize, now: u64) {
        let at = self.pins.at.clone();
        let warp = &mut self.warps[index];
        let program = warp.program.clone();
        let executing = warp.executing();
        match program.steps.get(warp.step).map_or(&Action::Exit, |step| &step.action) {
            Action::Barrier { .. } => {
                warp.offered = true;
                self.instr = Some(index);
                let form = warp.prepare(self.sizes.lanes);
                let issue = warp.issue;
                let words = issue.word.iter().enumerate().map(|(i, w)| (at.instr_word_0 + i, u64::from(*w)));
                let lanes =
                    [(at.instr_active, issue.active), (at.instr_guard, issue.guard), (at.instr_predicate, issue.predicate)];
                let operands = [(at.instr_ra, issue.ra.into()), (at.instr_rb, issue.rb.into())];
                let rest = [(at.instr_valid, 1), (at.instr_warp, warp.slot as u64), (at.instr_uniform, issue.uniform.into())];
                let form = self.pins.form.map(|port| (port, form as u64));
                let all = words.chain(lanes).chain(operands).chain(rest).chain(form);
                all.for_each(|(port, value)| self.pins.set(port, value));
                return;
            }
            Action::Exit if executing == warp.lanes => {
                warp.offered = true;
                self.exit = Some(index);
                self.pins.set(at.exit_valid, 1);
                self.pins.set(at.exit_warp, warp.slot as u64);
                return;
            }
            Action::Exit => {
                warp.lanes &= !executing;
                warp.ready_at = now + 1;
            }
            Action::Write(write) => {
                warp.registers.write(write, executing);
                warp.ready_at = now + 1;
            }
            Action::Busy { cycles } => warp.ready_at = now + u64::from((*cycles).max(1)),
            Action::Access { space, .. } => {
                let latency = match space {
                    Space::Shared => self.machine.latency.shared,
                    Space::Global => self.machine.latency.global,
                };
                if executing != 0 {
                    warp.performed_at = warp.performed_at.max(now + u64::from(latency.get()));
                }
                warp.ready_at = now + 1;
            }
        }
        warp.step += 1;
    }
}
