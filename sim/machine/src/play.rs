// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a machine plays: cycle by cycle, until its programs have ended or nothing can change any more.
//!
//! A cycle has two phases. First units show what stands at their outputs, then everybody reacts to it: what is set at an input is seen
//! in the next cycle.

use super::cycle::Cycle;
use super::gpu::Gpu;
use super::interrupt::is_interrupted;
use super::patience::{Patience, COUNTED};
use super::report::HangCause;
use super::run_error::RunError;
use super::sm::{Mail, Sm};
use super::stuck::must_be_stuck;
use super::uncore::Uncore;
use super::unit::Unit;
use super::warp::Warp;
use bcu_model::Mbarrier;

/// Cycles without a change after which loops that only read are looked for.
const QUIET: u64 = 500;

impl Gpu<'_> {
    /// Clocks until every CTA has ended, nothing can change any more, or `max_cycles` have passed. Gives why the run did not end, and the cycles
    /// that it took.
    pub fn play(
        &mut self,
        patience: &Patience,
        max_cycles: u64,
        observe: &mut dyn FnMut(&Cycle),
    ) -> Result<(Option<HangCause>, u64), RunError> {
        let mut silent = 0;
        loop {
            let moved = self.step(observe)?;
            silent = if moved || self.running() { 0 } else { silent + 1 };
            if self.finished() && silent >= patience.drain {
                return Ok((None, self.cycle - silent + COUNTED));
            }
            if self.finished() && silent >= COUNTED {
                continue;
            }
            if silent >= patience.limit(self) {
                self.sms.iter().try_for_each(|sm| must_be_stuck(sm, self.unit.reference.unit(sm.number)))?;
                return Ok((Some(HangCause::NothingCanChange), self.cycle));
            }
            if self.only_asks() || self.only_spins(patience) {
                return Ok((Some(HangCause::NothingCanChange), self.cycle));
            }
            if is_interrupted() {
                return Ok((Some(HangCause::Interrupted), self.cycle));
            }
            if self.cycle >= max_cycles {
                return Ok((Some(HangCause::MaxCycles), self.cycle));
            }
        }
    }

    /// One clock cycle, the first of them a reset; true if anything happened or stands at a fault channel.
    pub fn step(&mut self, observe: &mut dyn FnMut(&Cycle)) -> Result<bool, RunError> {
        self.sms.iter_mut().for_each(Sm::drive);
        self.unit.cycle(self.cycle, self.sms.iter_mut().map(|sm| &mut sm.pins))?;
        let Unit { inputs, outputs, .. } = &self.unit;
        observe(&Cycle { inputs, outputs, sms: &self.sms });
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

    /// Has loops that only read looked for when nothing has changed for some time.
    fn watch(&mut self) {
        let transfers: u64 = self.sms.iter().map(|sm| sm.transfers).sum();
        let changes = self.uncore.memory.changes + transfers;
        if changes != self.changes {
            (self.changes, self.changed_at) = (changes, self.cycle);
        }
        let quiet = (self.cycle - self.changed_at > QUIET).then_some(changes);
        self.sms.iter_mut().for_each(|sm| sm.quiet = quiet);
    }

    /// Whether all that is left are warps that wait and warps that read, in loops, what nothing changes any more.
    fn only_spins(&self, patience: &Patience) -> bool {
        let is_late = self.cycle - self.changed_at >= patience.limit(self).max(QUIET);
        let spin = || self.sms.iter().any(Sm::only_spins) && self.sms.iter().all(|sm| !sm.is_stirred());
        let held = || self.sms.iter().all(|sm| sm.is_held(&|warp| self.awaits_others(warp)));
        is_late && spin() && held() && !self.has_remote() && !self.uncore.grids.flushes()
    }

    /// Every CTA has come and gone.
    pub fn finished(&self) -> bool {
        self.uncore.blocks.left() == 0 && self.uncore.grids.over() && self.sms.iter().all(Sm::is_empty)
    }

    /// Whether a warp can still do something by itself, or something that it has done is under way.
    pub fn running(&self) -> bool {
        self.sms.iter().any(Sm::running) || self.has_remote() || self.uncore.grids.flushes()
    }

    /// A warp waits at the barrier of its cluster, and another one has yet to arrive there; or for grids that have not ended.
    fn awaits_others(&self, waits: &Warp) -> bool {
        if waits.at_grid.is_some() {
            return !self.uncore.grids.before(waits.grid).is_empty() && !self.uncore.grids.flushes();
        }
        let missing = |warp: &Warp| warp.exited.is_none() && warp.phases < waits.phases && waits.ctas.contains(&warp.cta);
        waits.at_cluster.is_some() && self.sms.iter().flat_map(|sm| &sm.warps).any(missing)
    }

    /// An operation of a warp is on its way to an mbarrier of another CTA.
    fn has_remote(&self) -> bool {
        let remote = |sm: &Sm| self.unit.reference.unit(sm.number).mbarrier().is_some_and(Mbarrier::has_remote);
        self.sms.iter().any(remote)
    }

    /// What multiprocessors have for each other comes to them.
    fn deliver(&mut self) {
        for from in 0..self.sms.len() {
            for mail in self.sms[from].sends() {
                self.post(from, mail);
            }
        }
        // What is under way anywhere may be for those who ask here.
        if self.has_remote() || self.sms.iter().any(Sm::is_stirred) {
            self.sms.iter_mut().for_each(Sm::ask_anew);
        }
    }

    fn post(&mut self, from: usize, mail: Mail) {
        if let Mail::Done((sm, _)) = mail {
            self.sms[sm].receive(mail);
            return;
        }
        let mut left = Some(mail);
        for sm in &mut self.sms {
            left = left.and_then(|mail| sm.receive(mail));
        }
        // Nobody is there any more; that was told when the bytes came.
        if let Some(Mail::Tells { copy, .. }) = left {
            self.sms[from].receive(Mail::Done(copy));
        }
    }

    /// Whether all that is left are warps that ask mbarriers in loops, to which nothing comes any more.
    pub fn only_asks(&self) -> bool {
        self.sms.iter().any(Sm::polls) && self.sms.iter().all(|sm| sm.is_held(&|warp| self.awaits_others(warp)))
    }
}
