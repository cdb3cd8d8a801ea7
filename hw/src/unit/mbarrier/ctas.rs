// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the CTAs: which are present, and which are leaving. Its part `walk` steps through the cache entries of a
//! leaving CTA, and clears all entries after reset.
//!
//! *Reads:* launches and retirements; the item in the decide stage, and whether a step of the walk is done; whether all memory
//! requests are answered. *Writes:* in the same cycle whether the CTA of the item in the sums stage is present, and the state of
//! the CTA whose object is in the entry of the decide stage; the next step of the walk, the end of a walk, the entry to clear.
//! *Latency:* 0 and 1. Implements *CTAs* and *After reset* of `docs/contract/mbarrier.md`.
//!
//! A CTA is present from its launch to its retirement, and leaving from its retirement to the end of its walk.

use super::item::Lookup;
use super::payloads::{Ctrl, EntryCta};
use super::walk::Walk;
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits, shared memory
/// word numbers of `XW` bits, cache entry numbers of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits.
#[block]
pub struct Ctas<W, LW, LC, S, XW, XI, XT, XL, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a CTA slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// A CTA retires, and is leaving from the next cycle on.
    pub retire: StrobeIn<Departure<W, LC>>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// The item in the decide stage is a step of the walk, and is done.
    pub walk_step_done: Signal<In, Bit>,
    /// All memory requests are answered.
    pub requests_answered: Signal<In, Bit>,
    /// A remote operation of the CTA `sender` is queued for the network.
    #[built(config.has_clusters())]
    pub remote_push: Signal<In, Bit>,
    /// CTA slot of the operation on `op`.
    #[built(config.has_clusters())]
    pub sender: Signal<In, Bits<LC>>,
    /// CTA slots with remote operations in flight.
    #[built(config.has_clusters())]
    pub busy: Signal<In, Bits<S>>,
    /// The state of the CTA whose object is in the entry of the decide stage.
    pub entry_cta: Signal<Out, EntryCta>,
    /// CTA slot of the item in the sums stage.
    pub sums_cta: Signal<In, Bits<LC>>,
    /// The CTA of the item in the sums stage is present.
    pub sums_cta_present: Signal<Out, Bit>,
    /// The next step of the walk; the payload is the entry of the step.
    pub walk_step: Source<Lookup<XI>>,
    /// The walk of a CTA has ended: the unit holds no state of that CTA.
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// CTA slots of leaving CTAs.
    pub leaving: Signal<Out, Bits<S>>,
    /// All steps of the walk are done: the walk ends once all memory requests are answered.
    pub walk_done: Signal<Out, Bit>,
    /// After reset: all cache entries have been cleared.
    pub cleared: Signal<Out, Bit>,
    /// After reset: the last cache entry has been cleared, or is cleared in this cycle.
    pub cleared_next: Signal<Out, Bit>,
    /// Entry to clear after reset.
    pub clear_entry: Signal<Out, Bits<XI>>,
    /// CTA slots with a CTA that is not leaving.
    #[reset]
    present_slots: DFF<Bits<S>>,
    /// CTA slots of leaving CTAs.
    #[reset]
    leaving_q: DFF<Bits<S>>,
    /// CTA slots of leaving CTAs that retired with `saved`: their changed objects are written to memory.
    #[reset]
    saved_slots: DFF<Bits<S>>,
    /// CTA slots that may have objects in the cache, or that have sent a remote operation: their walk has steps.
    #[reset]
    touched_slots: DFF<Bits<S>>,
    walk: Walk<LC, S, XI>,
    /// Register of the strobe `retired`.
    retired_register: StrobeRegister<RetiredCta<LC>>,
    /// CTA slot of the object in the entry of the decide stage.
    object_cta: Signal<Local, Bits<LC>>,
    /// One-hot: CTA slot of the launch.
    launched_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the retirement.
    retired_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the operation in the decide stage, if its object may enter the cache; else 0.
    cached_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot that sends a remote operation; 0 if no slot sends. The slot becomes touched, so that the walk of its
    /// CTA has steps.
    sender_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot whose walk ends.
    ended_slot: Signal<Local, Bits<S>>,
    no_slots: Constant<Bits<S>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Ctas {
    fn update(&mut self) {
        let ctrl = self.ctrl.val();
        self.object_cta.next = bit_cast::<LC, XT>(ctrl.entry_data.tag >> self.high_bits.val());
        self.sums_cta_present.next = self.present_slots.q.val().at(self.sums_cta.val());
        self.entry_cta.next.unsaved =
            self.leaving_q.q.val().at(self.object_cta.val()) & !self.saved_slots.q.val().at(self.object_cta.val());
        self.entry_cta.next.in_walk = self.object_cta.val() == self.walk.walk_slot.val();

        // The walk.
        self.walk.candidates.next = self.leaving_q.q.val() & !self.busy.val();
        self.walk.touched_slots.next = self.touched_slots.q.val();
        self.walk.last_step_done.next = self.walk_step_done.val() & ctrl.entry.all();
        self.walk.requests_answered.next = self.requests_answered.val();
        Channel::join(&mut self.walk.walk_step, &mut self.walk_step);
        self.walk_done.next = self.walk.walk_done.val();
        self.cleared_next.next = self.walk.cleared_next.val();
        self.cleared.next = self.walk.cleared.val();
        self.clear_entry.next = self.walk.clear_entry.val();
        self.retired_register.in_.valid.next = self.walk.walk_ends.val();
        self.retired_register.in_.payload.next.cta = self.walk.walk_slot.val();
        Strobe::join(&mut self.retired_register.out, &mut self.retired);

        // Which CTAs are present, and which are leaving.
        self.launched_slot.next = 0.into();
        if self.launch.valid.val() {
            self.launched_slot.next = self.no_slots.val().with(self.launch.payload.val().cta, true);
        }
        self.retired_slot.next = 0.into();
        if self.retire.valid.val() {
            self.retired_slot.next = self.no_slots.val().with(self.retire.payload.val().cta, true);
        }
        self.ended_slot.next = 0.into();
        if self.walk.walk_ends.val() {
            self.ended_slot.next = self.no_slots.val().with(self.walk.walk_slot.val(), true);
        }
        self.present_slots.d.next = (self.present_slots.q.val() | self.launched_slot.val()) & !self.retired_slot.val();
        self.leaving_q.d.next = (self.leaving_q.q.val() & !self.ended_slot.val()) | self.retired_slot.val();
        self.saved_slots.d.next = self.saved_slots.q.val() & !self.retired_slot.val();
        if self.retire.payload.val().saved {
            self.saved_slots.d.next = self.saved_slots.q.val() | self.retired_slot.val();
        }
        self.leaving.next = self.leaving_q.q.val();
        self.cached_slot.next = 0.into();
        if ctrl.valid & (ctrl.case.inits | ctrl.case.available) {
            self.cached_slot.next = self.no_slots.val().with(ctrl.item.place.cta, true);
        }
        self.sender_slot.next = 0.into();
        if self.remote_push.val() {
            self.sender_slot.next = self.no_slots.val().with(self.sender.val(), true);
        }
        self.touched_slots.d.next =
            (self.touched_slots.q.val() & !self.ended_slot.val()) | self.cached_slot.val() | self.sender_slot.val();
    }
}
