// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which CTAs are present and which are leaving; the walk over the cache entries of a leaving CTA; the clearing of all entries
//! after reset.
//!
//! *Reads:* launches and retirements; the item in the decide stage, and whether a step of the walk is done; whether memory requests
//! are unanswered. *Writes:* in the same cycle whether the CTA of the item in the sums stage is present, and the state of the CTA
//! whose object is in the entry of the decide stage; the next step of the walk, the end of a walk, the entry to clear. *Latency:* 0
//! and 1. Implements *CTAs* and *After reset* of `docs/contract/mbarrier.md`.

use super::item::Place;
use super::sums::Ctrl;
use crate::prelude::*;

/// The state of the CTA whose object an entry holds.
#[payload]
pub struct Known {
    /// The CTA leaves without `saved`: its objects are dropped unwritten, and its suspended warps get no result.
    pub lost: Bit,
    /// The walk is over the entries of this CTA.
    pub walked: Bit,
}

/// `S` CTA slots.
#[block]
pub struct Ctas<W, LW, LC, S, XW, XI, XT, XL, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// The CTA of a slot leaves.
    pub retire: StrobeIn<Departure<W, LC>>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// The item in the decide stage is a step of the walk, and is done.
    pub stepped: Signal<In, Bit>,
    /// No memory request is unanswered.
    pub quiet: Signal<In, Bit>,
    /// A remote operation of the CTA `sender` is queued for the network.
    #[built(config.has_clusters())]
    pub sends: Signal<In, Bit>,
    /// CTA slot of the operation on `op`.
    #[built(config.has_clusters())]
    pub sender: Signal<In, Bits<LC>>,
    /// CTA slots with remote operations in flight.
    #[built(config.has_clusters())]
    pub busy: Signal<In, Bits<S>>,
    /// The state of the CTA whose object is in the entry of the decide stage.
    pub known: Signal<Out, Known>,
    /// CTA slot of the item in the sums stage.
    pub inside_cta: Signal<In, Bits<LC>>,
    /// The CTA of the item in the sums stage is present.
    pub inside_present: Signal<Out, Bit>,
    /// The next step of the walk: one entry.
    pub step: Source<Place<XI>>,
    /// The walk of a CTA has ended: the unit holds no state of that CTA.
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// Slots of leaving CTAs.
    pub leaving: Signal<Out, Bits<S>>,
    /// All steps of the walk are done: the walk ends once no memory request is unanswered.
    pub walk_done: Signal<Out, Bit>,
    /// The entries have been cleared after reset.
    pub cleared: Signal<Out, Bit>,
    /// From the next cycle on, the entries have been cleared after reset.
    pub cleared_next: Signal<Out, Bit>,
    /// Entry to clear after reset.
    pub clear_entry: Signal<Out, Bits<XI>>,
    /// CTA slots with a CTA that is not leaving.
    #[reset]
    present: DFF<Bits<S>>,
    /// Slots of leaving CTAs.
    #[reset]
    leaving_q: DFF<Bits<S>>,
    /// Slots of leaving CTAs whose objects are to be written to memory.
    #[reset]
    saved: DFF<Bits<S>>,
    /// CTA slots with objects that may be in the cache, or that have sent a remote operation.
    #[reset]
    touched: DFF<Bits<S>>,
    /// A walk is in progress.
    #[reset]
    active: DFF<Bit>,
    /// The first cycle of the walk, which determines whether the walk has steps, is done.
    #[reset]
    begun: DFF<Bit>,
    /// The walk has steps that are not queued yet.
    #[reset]
    steps: DFF<Bit>,
    /// All steps of the walk are done.
    #[reset]
    walk_done_q: DFF<Bit>,
    /// CTA slot of the walk.
    slot: DFF<Bits<LC>>,
    /// Entry of the next step; after reset the entry to clear.
    #[reset]
    entry: DFF<Bits<XI>>,
    /// The entries have been cleared after reset.
    #[reset]
    clear: DFF<Bit>,
    /// Register of the strobe `retired`.
    gone: StrobeRegister<RetiredCta<LC>>,
    /// CTA slot of the object in the entry of the decide stage.
    cta: Signal<Local, Bits<LC>>,
    /// Lowest CTA slot whose walk may begin.
    lowest: Signal<Local, Bits<LC>>,
    /// One-hot: slot of the launch.
    comes: Signal<Local, Bits<S>>,
    /// One-hot: slot of the retirement.
    leaves: Signal<Local, Bits<S>>,
    /// One-hot: slot of the operation in the decide stage, whose object enters the cache.
    touches: Signal<Local, Bits<S>>,
    /// One-hot: slot that sends a remote operation; the slot counts as touched, so that its walk has steps.
    sent: Signal<Local, Bits<S>>,
    /// Slots of leaving CTAs without a remote operation in flight.
    can_go: Signal<Local, Bits<S>>,
    /// The slot of the walk is touched: the walk has steps.
    walked: Signal<Local, Bit>,
    /// A step is taken into the queue.
    goes_on: Signal<Local, Bit>,
    /// The walk ends.
    ends: Signal<Local, Bit>,
    /// One-hot: slot whose walk ends.
    ended: Signal<Local, Bits<S>>,
    no_slots: Constant<Bits<S>>,
    nowhere: Constant<Place<XI>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Ctas<W, LW, LC, S, XW, XI, XT, XL, KC> {
    fn update(&mut self) {
        self.cta.next = bit_cast::<LC, XT>(self.ctrl.val().found.tag >> self.high_bits.val());
        self.inside_present.next = self.present.q.val().at(self.inside_cta.val());
        self.known.next.lost = self.leaving_q.q.val().at(self.cta.val()) & !self.saved.q.val().at(self.cta.val());
        self.known.next.walked = self.cta.val() == self.slot.q.val();

        // The walk.
        self.begun.d.next = self.active.q.val();
        self.walked.next = self.touched.q.val().at(self.slot.q.val());
        if self.active.q.val() & !self.begun.q.val() {
            self.steps.d.next = self.walked.val();
            self.walk_done_q.d.next = !self.walked.val();
        }
        self.step.valid.next = self.steps.q.val();
        self.step.payload.next = self.nowhere.val();
        self.step.payload.next.entry = self.entry.q.val();
        self.goes_on.next = self.steps.q.val() & self.step.ready.val();
        if self.goes_on.val() & self.entry.q.val().all() {
            self.steps.d.next = false;
        }
        if self.stepped.val() & self.ctrl.val().entry.all() {
            self.walk_done_q.d.next = true;
        }
        if self.goes_on.val() | !self.clear.q.val() {
            self.entry.d.next = self.entry.q.val() + 1;
        }
        self.can_go.next = self.leaving_q.q.val() & !self.busy.val();
        self.lowest.next = 0.into();
        for i in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.can_go.val().get_bit(n - i) {
                    self.lowest.next = (n - i).to_bits();
                }
            }
        }
        if !self.active.q.val() {
            self.active.d.next = self.can_go.val().any();
            self.slot.d.next = self.lowest.val();
        }
        self.ends.next = self.walk_done_q.q.val() & self.quiet.val();
        if self.ends.val() {
            self.active.d.next = false;
            self.begun.d.next = false;
            self.walk_done_q.d.next = false;
        }
        self.walk_done.next = self.walk_done_q.q.val();
        self.gone.in_.valid.next = self.ends.val();
        self.gone.in_.payload.next.cta = self.slot.q.val();
        Strobe::join(&mut self.gone.out, &mut self.retired);

        // Which CTAs are present, and which are leaving.
        self.comes.next = 0.into();
        if self.launch.valid.val() {
            self.comes.next = self.no_slots.val().with(self.launch.payload.val().cta, true);
        }
        self.leaves.next = 0.into();
        if self.retire.valid.val() {
            self.leaves.next = self.no_slots.val().with(self.retire.payload.val().cta, true);
        }
        self.ended.next = 0.into();
        if self.ends.val() {
            self.ended.next = self.no_slots.val().with(self.slot.q.val(), true);
        }
        self.present.d.next = (self.present.q.val() | self.comes.val()) & !self.leaves.val();
        self.leaving_q.d.next = (self.leaving_q.q.val() & !self.ended.val()) | self.leaves.val();
        self.saved.d.next = self.saved.q.val() & !self.leaves.val();
        if self.retire.payload.val().saved {
            self.saved.d.next = self.saved.q.val() | self.leaves.val();
        }
        self.leaving.next = self.leaving_q.q.val();
        self.touches.next = 0.into();
        if self.ctrl.val().valid & (self.ctrl.val().case.inits | self.ctrl.val().case.here) {
            self.touches.next = self.no_slots.val().with(self.ctrl.val().item.cta, true);
        }
        self.sent.next = 0.into();
        if self.sends.val() {
            self.sent.next = self.no_slots.val().with(self.sender.val(), true);
        }
        self.touched.d.next = (self.touched.q.val() & !self.ended.val()) | self.touches.val() | self.sent.val();

        self.cleared_next.next = self.clear.q.val() | self.entry.q.val().all();
        self.clear.d.next = self.cleared_next.val();
        self.cleared.next = self.clear.q.val();
        self.clear_entry.next = self.entry.q.val();
    }
}
