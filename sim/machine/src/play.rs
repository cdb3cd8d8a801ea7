// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The main loop of the machine: it runs cycle by cycle until the programs have ended or no further change is possible.
//!
//! A cycle has two phases. First the units drive their outputs. Then all parts of the machine react: an input that they change takes effect
//! in the next cycle.

use super::constraints::{SharedConstraints, MOST_UNCHANGED};
use super::cycle::{Cycle, Observer};
use super::gpu::Gpu;
use super::hang_check::check_hang;
use super::interrupt::is_interrupted;
use super::patience::{Patience, COUNTED};
use super::report::HangCause;
use super::run_error::RunError;
use super::sm::{Message, Sm};
use super::uncore::Uncore;
use super::unit::Unit;
use super::warp::Warp;
use bcu_model::Mbarrier;

/// The number of cycles without a change after which the machine searches for loops that only read memory.
pub(super) const MIN_UNCHANGED: u64 = 500;

impl Gpu<'_> {
    /// Clocks until every CTA has ended, no further change is possible, or `max_cycles` have passed. Returns the number of cycles and, if
    /// the run did not end, the reason.
    pub fn play(
        &mut self,
        patience: &Patience,
        max_cycles: u64,
        observer: &mut Observer,
    ) -> Result<(Option<HangCause>, u64), RunError> {
        let mut silent = 0;
        loop {
            let moved = self.run_cycle(observer)?;
            self.grant(patience.drain);
            silent = if moved || self.running() { 0 } else { silent + 1 };
            if self.finished() && silent >= patience.drain {
                return Ok((None, self.cycle - silent + COUNTED));
            }
            if self.finished() && silent >= COUNTED {
                continue;
            }
            let is_hung = silent >= patience.limit(self) || self.only_polls() || self.only_spins(patience);
            if is_hung && self.give_up_constraints() {
                silent = 0;
                continue;
            }
            if silent >= patience.limit(self) {
                self.sms.iter().try_for_each(|sm| check_hang(sm, self.unit.reference.unit(sm.number)))?;
                return Ok((Some(HangCause::NothingCanChange), self.cycle));
            }
            if is_hung {
                return Ok((Some(HangCause::NothingCanChange), self.cycle));
            }
            if is_interrupted() {
                return Ok((Some(HangCause::Interrupted), self.cycle));
            }
            if self.cycle >= max_cycles {
                return Ok((Some(HangCause::MaxCycles), self.cycle));
            }
            if !moved && !observer.needs_all {
                silent += self.skip_idle_cycles(patience, silent, max_cycles);
            }
        }
    }

    /// Runs one clock cycle; the first cycle is a reset. Returns whether there was an event; a fault that is offered on a fault channel is
    /// also an event.
    pub fn run_cycle(&mut self, observer: &mut Observer) -> Result<bool, RunError> {
        let reference = &self.unit.reference;
        self.sms.iter_mut().for_each(|sm| sm.is_skipped = reference.is_asleep(sm.number) && sm.is_unused());
        self.sms.iter_mut().for_each(Sm::drive);
        self.unit.cycle(self.cycle, &mut self.sms)?;
        let Unit { inputs, outputs, .. } = &self.unit;
        (observer.observe)(&Cycle { number: self.cycle, inputs, outputs, sms: &self.sms, memory: &self.uncore.memory });
        let mut moved = false;
        for sm in &mut self.sms {
            moved |= sm.react(&mut self.uncore, self.unit.reference.unit(sm.number))?;
        }
        self.deliver();
        let Uncore { blocks, grids, .. } = &mut self.uncore;
        moved |= self.unit.hub().is_some_and(|mut hub| grids.react(self.cycle, &mut hub));
        moved |= blocks.launch(&mut self.sms[..self.used], grids, self.cycle);
        self.sms.iter_mut().for_each(Sm::offer_launch);
        self.cycle += 1;
        self.watch();
        Ok(moved)
    }

    /// Records whether the machine has changed. When it has not changed for some time, starts the search for loops that only read memory.
    fn watch(&mut self) {
        let transfers: u64 = self.sms.iter().map(|sm| sm.transfers).sum();
        let changes = self.uncore.memory.changes + transfers;
        if changes != self.changes {
            (self.changes, self.changed_at) = (changes, self.cycle);
        }
        let has_delayed =
            self.constraints().is_some_and(|constraints| std::mem::take(&mut constraints.borrow_mut().has_delayed));
        let sleeps = |warp: &Warp| warp.exited.is_none() && warp.awaits.is_none() && warp.ready_at > self.cycle;
        let is_late = has_delayed && self.cycle - self.changed_at > MOST_UNCHANGED;
        if is_late && !self.sms.iter().flat_map(|sm| &sm.warps).any(sleeps) {
            self.give_up_constraints();
        }
        let unchanged = (self.cycle - self.changed_at > MIN_UNCHANGED).then_some(changes);
        self.sms.iter_mut().for_each(|sm| sm.unchanged = unchanged);
    }

    /// The constraints of the schedule, if the run follows one.
    fn constraints(&self) -> Option<&SharedConstraints> {
        self.sms.first().and_then(|sm| sm.constraints.as_ref())
    }

    /// Gives up the constraints of the schedule; returns whether there are any.
    fn give_up_constraints(&mut self) -> bool {
        let constraints = self.constraints().filter(|constraints| !constraints.borrow().is_over());
        let has_constraints = constraints.is_some();
        constraints.iter().for_each(|constraints| constraints.borrow_mut().give_up());
        if has_constraints {
            self.changed_at = self.cycle;
        }
        has_constraints
    }

    /// Whether each remaining warp either waits, or reads memory in a loop although no warp changes this memory any more.
    fn only_spins(&self, patience: &Patience) -> bool {
        let is_late = self.cycle - self.changed_at >= patience.limit(self).max(MIN_UNCHANGED);
        let is_idle = |sm: &Sm| !sm.has_work_in_flight() && !sm.has_operations();
        let spin = || self.sms.iter().any(Sm::only_spins) && self.sms.iter().all(is_idle);
        let is_held = || self.sms.iter().all(|sm| sm.is_held(&|warp| self.awaits_others(warp)));
        is_late && spin() && is_held() && !self.has_remote() && !self.uncore.grids.flushes()
    }

    /// Whether every CTA has retired, and every grid is closed.
    pub fn finished(&self) -> bool {
        self.uncore.blocks.unplaced_ctas() == 0 && self.uncore.grids.over() && self.sms.iter().all(Sm::is_empty)
    }

    /// Whether a warp can make progress without an action of another warp, an operation is in
    /// flight, or a grid is being flushed.
    pub fn running(&self) -> bool {
        self.sms.iter().any(Sm::running) || self.has_remote() || self.uncore.grids.flushes()
    }

    /// Whether a warp waits at the barrier of its cluster for another warp to arrive, or waits for grids that have not ended.
    fn awaits_others(&self, waits: &Warp) -> bool {
        if waits.at_grid.is_some() {
            return !self.uncore.grids.before(waits.grid).is_empty() && !self.uncore.grids.flushes();
        }
        let missing = |warp: &Warp| warp.exited.is_none() && warp.phases < waits.phases && waits.ctas.contains(&warp.cta);
        waits.at_cluster.is_some() && self.sms.iter().flat_map(|sm| &sm.warps).any(missing)
    }

    /// Whether an operation of a warp is in flight to an mbarrier of another CTA.
    pub(super) fn has_remote(&self) -> bool {
        let remote = |sm: &Sm| self.unit.reference.unit(sm.number).mbarrier().is_some_and(Mbarrier::has_remote);
        self.sms.iter().any(remote)
    }

    /// Delivers the messages between multiprocessors.
    fn deliver(&mut self) {
        for from in 0..self.sms.len() {
            for message in self.sms[from].take_messages() {
                self.forward(from, message);
            }
        }
        // An operation in flight on any multiprocessor may change an mbarrier that a warp polls on another one.
        if self.has_remote() || self.sms.iter().any(Sm::has_work_in_flight) {
            self.sms.iter_mut().for_each(Sm::restart_polls);
        }
    }

    fn forward(&mut self, from: usize, message: Message) {
        if let Message::CopyDone((sm, _)) = message {
            self.sms[sm].receive(message);
            return;
        }
        let mut remaining = Some(message);
        for sm in &mut self.sms {
            remaining = remaining.and_then(|message| sm.receive(message));
        }
        // If the message remains, no multiprocessor has its target CTA, so that CTA has ended. The access to its memory was reported when
        // the bytes were written.
        if let Some(Message::Signal { copy, .. }) = remaining {
            self.sms[from].receive(Message::CopyDone(copy));
        }
    }

    /// Whether at least one warp polls an mbarrier in a loop, and every warp that has not exited is held (`Sm::is_held`).
    pub fn only_polls(&self) -> bool {
        let is_held = |sm: &Sm| sm.is_held(&|warp| self.awaits_others(warp)) && !sm.has_operations();
        self.sms.iter().any(Sm::has_polling_warp) && self.sms.iter().all(is_held)
    }
}
