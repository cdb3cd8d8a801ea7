// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The offers of the machine on the channels: retirements of CTAs, and the next instructions of the warps that the policy picks.

use super::super::execute::{begin, no_mbarrier, Stopped};
use super::super::memory::{AccessEffect, Bank, Memory, Part, Writer};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, From, Owed, Pending, Warp};
use super::requests::{operation, OFFSET};
use super::{copies, Sm, Stage};
use crate::execute::env::{Begun, Env};
use crate::run_error::RunError;
use crate::schedule_file::Execution;
use crate::uncore::Uncore;
use bcu_program::mbarrier::MbarrierOp;
use bcu_program::{is_polled, Instr, Op};
use std::rc::Rc;
use std::sync::Arc;

impl Sm<'_> {
    /// Sets the offers on the free channels for the next cycle; returns whether a warp issues or a
    /// CTA is to retire.
    pub(super) fn offer(&mut self, uncore: &mut Uncore) -> Result<bool, RunError> {
        self.copies_performed();
        self.look_at_constraints();
        let retire = self.offer_retire();
        self.launched();
        self.perform(self.cycle + 1);
        Ok(self.issue(&mut uncore.memory)? || retire)
    }

    /// Ends the constraints on operations that the unit has performed.
    fn look_at_constraints(&mut self) {
        let Some(constraints) = self.constraints.as_ref().filter(|constraints| !constraints.borrow().is_over()) else { return };
        let in_unit = self.pins.get(self.pins.at.busy) | self.pins.get(self.pins.at.waits_for_memory);
        let state = |index: usize| (self.warps[index].port.is_some(), in_unit >> self.warps[index].slot & 1 == 1);
        constraints.borrow_mut().look(self.number, self.cycle, state);
    }

    /// Permits the warps of a CTA to issue when the unit has reported the launch of the CTA.
    fn launched(&mut self) {
        let shown = self.pins.get(self.pins.at.launched_valid) == 1;
        let slot = self.pins.get(self.pins.at.launched_cta) as usize;
        let Some((cta, _)) = self.cta_slots.get(slot).copied().flatten().filter(|_| shown && self.cycle > 0) else { return };
        for slot in bits(self.resident_slots) {
            let Some(index) = self.warp_slots[slot] else { continue };
            let warp = &mut self.warps[index];
            warp.started |= warp.cta == cta;
        }
    }

    fn offer_retire(&mut self) -> bool {
        let busy = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Retiring))));
        // The unit retires a CTA only after the copies of this CTA, but does not wait for signals
        // of other CTAs to its mbarriers. So the machine offers the retirement only after these
        // signals.
        let is_quiet = |slot: usize| !self.objects.sent_to(slot);
        let is_over = |(slot, of): (usize, &Option<(usize, Stage)>)| matches!(of, Some((_, Stage::Resident)) if self.live_warps[slot] == 0 && is_quiet(slot));
        let slot = self.cta_slots.iter().enumerate().position(is_over);
        let Some(slot) = slot.filter(|_| !busy) else { return false };
        self.cta_slots[slot] = self.cta_slots[slot].map(|(cta, _)| (cta, Stage::Retiring));
        self.pins.set(self.pins.at.retire_valid, 1);
        self.pins.set(self.pins.at.retire_cta, slot as u64);
        true
    }

    /// Performs the accesses that are due in cycle `cycle`, at most as many as the unit has strobes.
    fn perform(&mut self, cycle: u64) {
        let at = self.pins.at.clone();
        self.performing.extend((0..at.accesses.len()).map_while(|_| self.pipe.due(cycle, self.constraints.as_ref())));
        // The next access of a warp may issue in this cycle, so the effect of an acquire is recorded first.
        if let Some(races) = &self.races {
            self.performing.iter().for_each(|access| races.borrow_mut().performed(self.issuer(access.warp), access));
        }
        for (access, strobe) in self.performing.iter().zip(&at.accesses) {
            if access.announced && !self.machine.unannounced {
                self.pins.set(strobe.perform_valid, 1);
                self.pins.set(strobe.perform_warp, access.slot as u64);
                self.pins.set(strobe.perform_epoch, access.epoch.into());
            }
        }
    }

    /// Executes the instruction of `chosen`, and records branches and changing values for the search for loops that only read memory.
    pub(super) fn begin(&mut self, index: usize, chosen: Chosen, memory: &mut Memory) -> Result<Begun, RunError> {
        self.executed = true;
        self.leave_await(index, chosen);
        let number = self.number_of(index);
        let assumptions = Some(&mut self.assumptions);
        let mut env = Env { cycle: self.cycle, index: number, memory: Some(memory), assumptions, scratch: &mut self.scratch };
        let warp = &mut self.warps[index];
        let begun = begin(warp, chosen, &mut env).and_then(|begun| {
            let is_mbarrier_op = || match &begun {
                Begun::Port => operation(&warp.issue).is_some(),
                begun => matches!(begun, Begun::Later(_)),
            };
            match warp.instr(chosen.at).filter(|_| !self.sizes.has_mbarrier() && is_mbarrier_op()) {
                Some(instr) => Err(no_mbarrier(instr, &self.sizes.name)),
                None => Ok(begun),
            }
        });
        let branches = |at| matches!(warp.instr(at).map(|instr| &instr.op), Some(Op::Branch { .. } | Op::Switch { .. }));
        let changes_by_itself =
            warp.is_watched() && (self.assumptions.are_random() || warp.instr(chosen.at).is_some_and(Instr::sees_time));
        if changes_by_itself {
            self.warps[index].end_spin();
        } else if let Some(changes) = self.unchanged.filter(|_| branches(chosen.at)) {
            self.warps[index].complete_round(chosen, changes);
        }
        begun.map_err(|stopped| self.stopped(index, stopped))
    }

    fn stopped(&self, index: usize, stopped: Stopped) -> RunError {
        let warp = &self.warps[index];
        let (cta, warp) = stopped.culprit.unwrap_or((warp.cta, warp.warp));
        RunError::Program { cta, warp, stopped: Box::new(stopped), report: None }
    }

    /// Records for the race detector that lanes have waited for their copies.
    fn copied(&mut self, index: usize, chosen: Chosen) {
        let issuer = self.issuer(index);
        let warp = &self.warps[index];
        let (Some(races), Some(Op::WaitCopies(wait))) = (&self.races, warp.instr(chosen.at).map(|instr| &instr.op)) else {
            return;
        };
        let lanes: Vec<_> = bits(chosen.lanes).map(|lane| (lane, warp.copies.end(lane, *wait))).collect();
        races.borrow_mut().copied(issuer, &lanes, wait.read);
    }

    /// Counts an execution of an instruction by a warp.
    fn count_execution(&mut self, index: usize, chosen: Chosen) -> Execution {
        let at = chosen.at;
        if !self.repeats_await(index, chosen) {
            self.warps[index].count_execution(at);
        }
        let warp = &self.warps[index];
        Execution::new((warp.cta, warp.warp), at, warp.executions(at))
    }

    /// The last execution of an instruction by a warp; `None` without race detection.
    pub(super) fn execution(&self, index: usize, at: At) -> Option<Execution> {
        let warp = &self.warps[index];
        self.races.as_ref().map(|_| Execution::new((warp.cta, warp.warp), at, warp.executions(at)))
    }

    /// Issues instruction `chosen` of a warp in cycle `cycle`.
    pub(super) fn start(&mut self, index: usize, chosen: Chosen, cycle: u64, memory: &mut Memory) -> Result<(), RunError> {
        self.warps[index].count(chosen);
        self.copied(index, chosen);
        let warp = &mut self.warps[index];
        warp.held_back = None;
        if let Some(Op::Registers { count, .. }) = warp.instr(chosen.at).map(|instr| &instr.op) {
            warp.registers = Some(*count);
        }
        self.in_warpgroup(index, chosen, cycle, memory).map_err(|stopped| self.stopped(index, stopped))?;
        self.tensor_core(index, chosen, memory)?;
        let begun = self.begin(index, chosen, memory)?;
        self.unknown_values.decided(&mut self.warps[index]);
        let executed = matches!(begun, Begun::Port | Begun::Later(_) | Begun::Access(_))
            && (self.races.is_some() || self.constraints.is_some());
        let execution = if executed { Some(self.count_execution(index, chosen)) } else { None };
        if executed || matches!(begun, Begun::Exit(_)) {
            self.counts_operation(index, chosen.at);
        }
        let at = self.pins.at.clone();
        let warp = &mut self.warps[index];
        match begun {
            Begun::Port => {
                let copy_lanes = match warp.instr(chosen.at).map(|instr| &instr.op) {
                    Some(Op::Mbarrier(mbarrier)) if mbarrier.later() => warp.issue.lanes().count_ones() as usize,
                    _ => 0,
                };
                warp.offer(chosen);
                if let (Some(constraints), Some(execution)) = (&self.constraints, execution) {
                    constraints.borrow_mut().offered(self.number, index, execution);
                }
                (self.instr, self.offered) = (Some(index), cycle);
                let issue = warp.issue;
                let words = at.instr_word.into_iter().zip(issue.word.map(u64::from));
                let lanes =
                    [(at.instr_active, issue.active), (at.instr_guard, issue.guard), (at.instr_predicate, issue.predicate)];
                let operands = [(at.instr_ra, issue.ra.into()), (at.instr_rb, issue.rb.into())];
                let control =
                    [(at.instr_valid, 1), (at.instr_warp, warp.slot as u64), (at.instr_uniform, issue.uniform.into())];
                let form = [(at.instr_form, issue.form as u64), (at.instr_members, issue.members)];
                let port_values = words.chain(lanes).chain(operands).chain(control).chain(form);
                port_values.for_each(|(port, value)| self.pins.set(port, value));
                if copy_lanes > 0 {
                    self.offered_copy = self.begin_copy((index, chosen.at), copy_lanes);
                }
            }
            Begun::Exit(lanes) => {
                warp.port = Some(chosen);
                self.exit = Some(index);
                let values = [(at.exit_valid, 1), (at.exit_warp, warp.slot as u64), (at.exit_lanes, lanes)];
                values.into_iter().for_each(|(port, value)| self.pins.set(port, value));
            }
            Begun::Time(cycles) => warp.ready_at = cycle + u64::from(cycles),
            Begun::Later(lanes) => {
                warp.ready_at = cycle + 1;
                let op = warp.instr(chosen.at).map(|instr| &instr.op);
                let is_commit = matches!(op, Some(Op::Mbarrier(mbarrier)) if matches!(mbarrier.op, MbarrierOp::Commit { .. }));
                let place = warp.place_of(chosen.at);
                if let Some(copy) = self.begin_copy((index, chosen.at), lanes.len()) {
                    lanes.into_iter().for_each(|arrival| self.arrive_later(index, arrival, copy, (&place, is_commit)));
                }
            }
            Begun::Access(mut access) => {
                access.warp = index;
                access.execution = execution;
                if access.others().next().is_some() {
                    access.place = Some(Rc::new(warp.place_of(chosen.at)));
                }
                // The output `blocked` shows in `cycle` + 2 whether this access brings the warp to its access limit. The next offer of the
                // warp is chosen before that cycle. Any offer but an access is safe; an access waits one cycle more if the limit is near.
                warp.ready_at = cycle + 2;
                let performing = self.performing.iter().filter(|pending| pending.slot == warp.slot).count();
                let outstanding = self.pipe.outstanding(warp.slot) + performing;
                let is_near = outstanding + 1 + 2 * self.sizes.accesses_per_cycle > self.sizes.max_outstanding;
                warp.access_at = cycle + if is_near { 3 } else { 2 };
                let registers = warp.owed(access.lanes(), access.slots());
                if !registers.is_empty() {
                    access.number = warp.threads.issued;
                    warp.expect(Pending { from: From::Memory(access.number), registers, predicates: Owed::new() });
                }
                let strobe = at.accesses[self.issued_accesses];
                self.issued_accesses += 1;
                self.unknown_values.issued(warp, chosen.at, &access);
                if self.unchanged.is_some() && access.is_for_result() {
                    self.warps[index].reads(chosen.at, &access);
                }
                let warp = &mut self.warps[index];
                memory.reads_unset(&access, (warp.cta, warp.warp), || warp.place_of(chosen.at));
                if access.stores() {
                    let Warp { cta, warp, .. } = *warp;
                    memory.written_by(&access, Writer { cta, warp, at: chosen.at, cycle });
                }
                // A copy that signals an mbarrier must be ordered after the init of this mbarrier, like any operation on it.
                let copies = matches!(access.effect, AccessEffect::BulkRead(_));
                let own_signal = |part: &Part| part.signal.filter(|_| part.to == Bank::Shared(access.cta));
                let signalled = access.parts.iter().find_map(own_signal).filter(|_| copies);
                let copy = signalled.map(|signal| (signal & OFFSET, warp.cta, warp.warp, warp.place_of(chosen.at)));
                if access.announced && !self.machine.unannounced {
                    self.pins.set(strobe.issue_valid, 1);
                    self.pins.set(strobe.issue_warp, warp.slot as u64);
                }
                if let Some((address, cta, warp, place)) = copy {
                    self.record.mbarriers.copies((cta, address), (warp, place), cycle);
                }
                self.overlays(index, &access, cycle);
                let issuer = self.issuer(index);
                // A strong store releases to other CTAs. This includes a store to the shared memory
                // of the warp's own CTA, since other CTAs of the cluster may read it.
                if access.is_strong() && access.stores() {
                    self.record.mbarriers.releases(issuer.cta, self.cycle);
                }
                self.enters(&access);
                self.relies_on_wait(index, &access, chosen.at);
                if let Some(races) = &self.races {
                    let has_constraints = self.constraints.as_ref().is_some_and(|constraints| !constraints.borrow().is_over());
                    races.borrow_mut().has_constraints(has_constraints);
                    let warp = &self.warps[index];
                    let at = (Arc::as_ptr(warp.code()) as usize, chosen.at.function, chosen.at.instr);
                    let place = || warp.place_of(chosen.at);
                    let function = warp.code().functions.get(chosen.at.function);
                    let is_used = || function.is_none_or(|function| function.uses_result(chosen.at.instr));
                    let is_polled = || function.is_some_and(|function| is_polled(function, chosen.at.instr));
                    access.strong = races.borrow_mut().access(issuer, &access, (at, place, is_polled, is_used), cycle);
                }
                let is_copy = !access.announced;
                let pieces = copies::pieces(&access);
                access.copy = if is_copy {
                    self.begin_copy((index, chosen.at), pieces.map_or(1, |(count, _)| count as usize))
                } else {
                    None
                };
                match pieces {
                    None => self.pipe.issue(cycle, access, self.constraints.as_ref()),
                    Some((count, bytes)) => (0..count).for_each(|piece| {
                        self.pipe.issue(cycle, copies::piece(&access, piece, bytes), self.constraints.as_ref())
                    }),
                }
            }
        }
        Ok(())
    }
}
