// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The walk over the cache entries of a leaving CTA, one entry in a step; after reset, the clearing of all entries.
//!
//! *Reads:* the leaving CTAs whose walk may begin; which CTAs may have objects in the cache; whether the last step is done; whether
//! all memory requests are answered. *Writes:* the next step; the end of the walk; the entry to clear. *Latency:* 1. Implements
//! *CTAs* and *After reset* of `docs/contract/mbarrier.md`.
//!
//! One walk is in progress at a time: that of the lowest CTA slot whose walk may begin. Its steps are queued in order of the entries. A CTA
//! slot that is not touched has no object in the cache and has sent no remote operation, so its walk has no steps. The walk ends when all
//! steps are done and all memory requests are answered.

use super::item::Lookup;
use crate::prelude::*;

/// Sizes: `S` CTA slots with numbers of `LC` bits, cache entry numbers of `XI` bits.
#[block]
pub struct Walk<LC, S, XI> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slots of leaving CTAs without a remote operation in flight: their walk may begin.
    pub candidates: Signal<In, Bits<S>>,
    /// Touched CTA slots: they may have objects in the cache, or have sent a remote operation.
    pub touched_slots: Signal<In, Bits<S>>,
    /// The step for the last entry is done.
    pub last_step_done: Signal<In, Bit>,
    /// All memory requests are answered.
    pub requests_answered: Signal<In, Bit>,
    /// The next step of the walk; the payload is the entry of the step.
    pub walk_step: Source<Lookup<XI>>,
    /// CTA slot of the walk.
    pub walk_slot: Signal<Out, Bits<LC>>,
    /// All steps of the walk are done: the walk ends once all memory requests are answered.
    pub walk_done: Signal<Out, Bit>,
    /// The walk ends.
    pub walk_ends: Signal<Out, Bit>,
    /// After reset: all cache entries have been cleared.
    pub cleared: Signal<Out, Bit>,
    /// After reset: the last cache entry has been cleared, or is cleared in this cycle.
    pub cleared_next: Signal<Out, Bit>,
    /// Entry to clear after reset.
    pub clear_entry: Signal<Out, Bits<XI>>,
    /// A walk is in progress.
    #[reset]
    walk_active: DFF<Bit>,
    /// The first cycle of the walk, which determines whether the walk has steps, is over.
    #[reset]
    walk_begun: DFF<Bit>,
    /// The walk has steps that are not queued yet.
    #[reset]
    steps_pending: DFF<Bit>,
    /// All steps of the walk are done.
    #[reset]
    walk_done_q: DFF<Bit>,
    /// CTA slot of the walk.
    walk_slot_q: DFF<Bits<LC>>,
    /// Entry of the next step; after reset the entry to clear.
    #[reset]
    walk_entry: DFF<Bits<XI>>,
    /// After reset: all cache entries have been cleared.
    #[reset]
    cleared_q: DFF<Bit>,
    /// Lowest CTA slot whose walk may begin.
    next_walk_slot: Signal<Local, Bits<LC>>,
    /// The walk is in its first cycle.
    is_first_cycle: Signal<Local, Bit>,
    /// The CTA slot of the walk is touched, so the walk has steps.
    walk_has_steps: Signal<Local, Bit>,
    /// The step that is offered is taken into the item queue.
    step_queued: Signal<Local, Bit>,
    no_lookup: Constant<Lookup<XI>>,
}

#[block]
impl Logic for Walk {
    fn update(&mut self) {
        // The steps.
        self.walk_begun.d.next = self.walk_active.q.val();
        self.walk_has_steps.next = self.touched_slots.val().at(self.walk_slot_q.q.val());
        self.is_first_cycle.next = self.walk_active.q.val() & !self.walk_begun.q.val();
        if self.is_first_cycle.val() {
            self.steps_pending.d.next = self.walk_has_steps.val();
            self.walk_done_q.d.next = !self.walk_has_steps.val();
        }
        self.walk_step.valid.next = self.steps_pending.q.val();
        self.walk_step.payload.next = self.no_lookup.val();
        self.walk_step.payload.next.entry = self.walk_entry.q.val();
        self.step_queued.next = self.steps_pending.q.val() & self.walk_step.ready.val();
        if self.step_queued.val() & self.walk_entry.q.val().all() {
            self.steps_pending.d.next = false;
        }
        if self.last_step_done.val() {
            self.walk_done_q.d.next = true;
        }
        if self.step_queued.val() | !self.cleared_q.q.val() {
            self.walk_entry.d.next = self.walk_entry.q.val() + 1;
        }

        // The start and the end of a walk.
        self.next_walk_slot.next = 0.into();
        for i in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.candidates.val().get_bit(n - i) {
                    self.next_walk_slot.next = (n - i).to_bits();
                }
            }
        }
        if !self.walk_active.q.val() {
            self.walk_active.d.next = self.candidates.val().any();
            self.walk_slot_q.d.next = self.next_walk_slot.val();
        }
        self.walk_ends.next = self.walk_done_q.q.val() & self.requests_answered.val();
        if self.walk_ends.val() {
            self.walk_active.d.next = false;
            self.walk_begun.d.next = false;
            self.walk_done_q.d.next = false;
        }
        self.walk_done.next = self.walk_done_q.q.val();
        self.walk_slot.next = self.walk_slot_q.q.val();

        // The clearing of the entries after reset.
        self.cleared_next.next = self.cleared_q.q.val() | self.walk_entry.q.val().all();
        self.cleared_q.d.next = self.cleared_next.val();
        self.cleared.next = self.cleared_q.q.val();
        self.clear_entry.next = self.walk_entry.q.val();
    }
}
