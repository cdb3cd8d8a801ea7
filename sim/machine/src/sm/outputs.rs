// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs of the unit that the machine processes in a cycle: memory accesses, releases, results, lanes, faults, and internal effects.

use super::super::memory::{AccessEffect, Loaded};
use super::super::race::Races;
use super::super::record::{self, Event, Passed};
use super::super::reference::Contradiction;
use super::super::refused::has_no_program;
use super::super::report::Fault;
use super::super::warp::threads::bits;
use super::Sm;
use crate::schedule_file::Execution;
use crate::uncore::{Blocks, Uncore};
use bcu_model::op::{Code, Kind};
use bcu_model::{Bcu, Mbarrier};
use std::collections::BTreeSet;

impl Sm<'_> {
    /// Processes the effects in the unit at the clock edge that ends this cycle; returns whether
    /// there are any.
    pub(super) fn effects(&mut self, unit: &Bcu, blocks: &mut Blocks) -> Result<bool, Contradiction> {
        let gathered = self.record.gathers(unit);
        let (index, event) = self.record.effect(self.cycle, unit)?;
        let gateway = self.record.at_gateway(self.cycle, self.machine.fault_policy.stop(), unit)?;
        let index = index.or(gateway.index);
        if unit.named().loses() {
            self.record.count_lost_fault();
        }
        self.record.record_deadlock(unit);
        for event in [gathered, event, gateway.event].into_iter().flatten() {
            match event {
                Event::Refused { warp, lanes } | Event::Whole { warp, lanes } => self.warps[warp].end_wait(lanes),
                Event::Gathered { warp, lanes, id } => {
                    self.warps[warp].end_wait(lanes);
                    self.warps[warp].waits_at = Some(id);
                }
                Event::Resumes { warp } => self.warps[warp].waits_at = None,
                Event::Waits { warp, id } => self.warps[warp].waits_at = Some(id),
                Event::NoResult { warp, result } => drop(self.warps[warp].forget(result)),
            }
        }
        if let Some(warp) = index.map(|index| &mut self.warps[index]) {
            warp.stopped = gateway.stopped.or(record::stop(unit, warp.slot));
        }
        for passed in &gateway.passed {
            self.races.iter().for_each(|races| pass_to_races(&mut races.borrow_mut(), passed));
        }
        let decided = unit.mbarrier().and_then(|mbarrier| mbarrier.done().copied());
        let done = unit.gather().looked_at().is_some() || unit.named().done().is_some() || gateway.done;
        let mut done = done || decided.is_some();
        for (slot, code) in unit.done_at_cluster_or_grid() {
            self.done_at_cluster_or_grid(usize::from(slot), code, unit);
            done = true;
        }
        if let Some(done) = decided {
            self.decided(&done, blocks);
        }
        let sent_op = unit.mbarrier().and_then(Mbarrier::remote_sent);
        if let Some((index, op)) = sent_op.and_then(|op| Some(((*self.warp_slots.get(usize::from(op.warp))?)?, op))) {
            self.record.record_remote_op(index, op);
        }
        Ok(done || sent_op.is_some())
    }

    /// Processes an operation of the warp in slot `slot` that took effect at the barrier of its cluster or on its grid.
    fn done_at_cluster_or_grid(&mut self, slot: usize, code: Code, unit: &Bcu) {
        let Some(index) = self.warp_slots.get(slot).copied().flatten() else { return };
        // The commit of the operation follows this clock edge. The outputs of the unit show a stopped warp only after the commit, so the
        // state of the warp is computed here.
        let refused = !matches!(code, Code::None | Code::NotResident);
        let stopped = if refused { self.machine.fault_policy.stop() } else { None };
        let Some(kind) = self.record.done_at_cluster_or_grid(index, code, stopped, unit) else { return };
        if stopped.is_some() {
            self.warps[index].stopped = stopped;
        }
        self.at_cluster(index, kind, code);
        if code == Code::None {
            self.warps[index].at_grid = (kind == Kind::GridWait).then_some(self.cycle);
        }
    }

    /// Processes memory in this cycle: accesses that were issued get their epochs, and performed accesses take effect.
    pub(super) fn accesses(&mut self, uncore: &mut Uncore) {
        let at = self.pins.at.clone();
        self.pipe.epoch(std::mem::take(&mut self.issued_accesses), self.pins.get(at.epoch));
        for strobe in at.accesses.iter() {
            self.pins.set(strobe.issue_valid, 0);
            self.pins.set(strobe.perform_valid, 0);
        }
        let mut performing = std::mem::take(&mut self.performing);
        for access in performing.drain(..) {
            let warp = &mut self.warps[access.warp];
            warp.loaded(access.number);
            let then = uncore
                .memory
                .perform(&access, |Loaded { register, lane, value }| warp.values.set_partial(register, lane, value));
            then.into_iter().for_each(|access| self.pipe.follow(access));
            warp.copies.performed(&access);
            let is_awaited = |of: &Execution| warp.awaits.as_ref().is_some_and(|awaits| of.is_at(awaits.at));
            if let (Some(constraints), Some(execution)) = (&self.constraints, access.execution.filter(|of| !is_awaited(of))) {
                constraints.borrow_mut().done(execution);
            }
            self.reaches(&access, uncore);
            if access.arrives() {
                self.arrived(&access);
            }
            // A bulk copy is done when its bytes are stored.
            if let Some(copy) = access.copy.filter(|_| !matches!(access.effect, AccessEffect::BulkRead(_))) {
                self.copying.done(copy);
            }
            uncore.memory.recycle(access);
        }
        self.performing = performing;
        let waits_for_memory = self.pins.get(at.waits_for_memory);
        let changed = waits_for_memory ^ std::mem::replace(&mut self.waits_for_memory, waits_for_memory);
        for slot in bits(changed) {
            if let Some(index) = self.warp_slots.get(slot).copied().flatten() {
                self.warps[index].waits_for_memory = waits_for_memory >> slot & 1 == 1;
            }
        }
    }

    /// Processes releases, results, faults and the lanes that resume; returns whether there are any.
    pub(super) fn strobes(&mut self, exited_ctas: &BTreeSet<usize>) -> bool {
        let at = self.pins.at.clone();
        let (release, writeback) = (self.pins.is_set(at.release_valid), self.pins.is_set(at.writeback_valid));
        let (fault, lanes) = (self.pins.is_set(at.fault_valid), self.pins.is_set(at.lanes_valid));
        let notification = self.pins.is_set(at.gateway_release_valid);
        if release {
            self.released();
        }
        if notification {
            self.notified();
        }
        if writeback {
            self.written_back();
        }
        if fault && self.pins.transfer(at.fault_ready, at.fault_valid) {
            let (cycle, code, slot) = (self.cycle, self.pins.get(at.fault_code), self.pins.get(at.fault_warp) as usize);
            let code = Code::from_value(code);
            let absent = code == Code::RankAbsent && self.pins.get(at.fault_has_warp) == 0;
            let fault_cta = || self.cta_slots.get(self.pins.get(at.fault_cta) as usize).copied().flatten();
            let fault = match fault_cta().filter(|_| absent) {
                // A `RankAbsent` fault without a warp is the fault of a network operation whose target CTA is absent.
                Some((cta, _)) => self.record.reported(code, slot).or_else(|| Some(self.absent(cta, exited_ctas))),
                None => self.record.reported(code, slot),
            };
            // A code that no program can cause belongs to an operation that was in flight when an
            // earlier fault stopped its warp. This fault is only a consequence of the earlier one,
            // and is not reported.
            self.faults.extend(fault.filter(|_| !has_no_program(code)).map(|fault| Fault { cycle, ..fault }));
        }
        if lanes {
            self.resume_lanes();
        }
        release || writeback || fault || lanes || notification
    }

    /// The fault of a network operation of CTA `cta` whose target CTA is absent.
    fn absent(&self, cta: usize, exited_ctas: &BTreeSet<usize>) -> Fault {
        let peers = self.warps.iter().find(|warp| warp.cta == cta).map(|warp| warp.ctas.clone());
        let has_exited =
            |rank: usize| peers.as_ref().and_then(|peers| peers.get(rank)).is_some_and(|cta| exited_ctas.contains(cta));
        self.record.absent(cta, &has_exited)
    }

    /// Writes the result of a read to its registers.
    fn written_back(&mut self) {
        let at = &self.pins.at;
        let [slot, rd, pu] = [at.writeback_warp, at.writeback_rd, at.writeback_pu].map(|port| self.pins.get(port));
        let [value, predicate] = [at.writeback_value, at.writeback_predicate].map(|port| self.pins.get(port));
        let Some(index) = self.warp_slots.get(slot as usize).copied().flatten() else { return };
        let warp = &mut self.warps[index];
        let Some(due) = warp.forget((rd as u8, pu as u8)) else { return };
        due.registers.iter().for_each(|(register, lanes)| warp.values.set_all(*register, *lanes, Some(value)));
        due.predicates.iter().for_each(|(register, lanes)| warp.values.set_all(*register, *lanes, Some(predicate)));
    }

    /// Processes the strobe for lanes that waited for other lanes of their warp: the lanes resume, or must issue their instruction again.
    fn resume_lanes(&mut self) {
        let at = &self.pins.at;
        let ports = [at.lanes_warp, at.lanes_mask, at.lanes_leaders, at.lanes_retry];
        let [slot, mask, leaders, retry] = ports.map(|port| self.pins.get(port));
        let Some(index) = self.warp_slots.get(slot as usize).copied().flatten() else { return };
        if retry == 1 {
            self.warps[index].retry(mask);
            return;
        }
        let issuer = self.issuer(index);
        self.races.iter().for_each(|races| races.borrow_mut().meets(issuer, mask));
        self.warps[index].resume_lanes(mask, leaders);
    }

    /// Resumes the warps whose wait at the gateway has ended.
    fn notified(&mut self) {
        for slot in bits(self.pins.get(self.pins.at.gateway_release_warps)) {
            let Some(index) = self.warp_slots.get(slot).copied().flatten() else { continue };
            let warp = &mut self.warps[index];
            warp.waits_at = None;
            let since = self.record.ctas.get(warp.cta).and_then(|cta| cta.warps.get(warp.warp)).map(|member| member.since());
            warp.waited += self.cycle - since.unwrap_or(self.cycle);
        }
    }

    /// A thread of CTA `cta` that has exited, as warp and lane.
    fn exited_thread(&self, cta: usize) -> Option<(usize, usize)> {
        let of_cta = self.warps.iter().filter(|warp| warp.cta == cta);
        let exited = of_cta.map(|warp| (warp.warp, warp.launched & !warp.lanes)).find(|(_, exited)| *exited != 0);
        exited.map(|(warp, lanes)| (warp, lanes.trailing_zeros() as usize))
    }

    /// Resumes the waiting warps of a completed generation.
    fn released(&mut self) {
        let Some(mut generation) = self.record.release.take() else { return };
        generation.exited_thread = self.exited_thread(generation.cta);
        if let Some(races) = &self.races {
            let arrived: Vec<usize> = generation.arrivals.iter().map(|arrival| arrival.warp).collect();
            let waiting: Vec<usize> = generation.waits.iter().map(|wait| wait.warp).collect();
            races.borrow_mut().released(generation.cta, generation.id, &arrived, &waiting);
        }
        for wait in &generation.waits {
            // A waiting warp has not exited, so its CTA still holds the slot.
            let slot = self.record.ctas[generation.cta].warps[wait.warp].slot;
            if let Some(index) = self.warp_slots[slot] {
                let warp = &mut self.warps[index];
                warp.waits_at = None;
                warp.waited += wait.cycles;
            }
        }
        self.generations.push(generation);
    }
}

/// Passes the step of an operation at the gateway to the race detector.
fn pass_to_races(races: &mut Races, passed: &Passed) {
    match passed {
        Passed::Nothing { cta, warp } => races.signals(*cta, *warp, None),
        Passed::Signals { cta, warp, id } => races.signals(*cta, *warp, Some(*id)),
        Passed::Completes { cta, id, woken, notified } => races.completes(*cta, *id, woken, notified),
        Passed::Takes { cta, warp, id } => races.takes(*cta, *warp, *id),
    }
}
