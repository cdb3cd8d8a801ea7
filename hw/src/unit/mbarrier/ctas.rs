// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which CTAs are there, which go, and the walk over the entries of one that goes; the clearing of all entries after reset.
//!
//! *Reads:* the strobes of launches and retires, the item that is decided and whether a step of the walk is done, whether requests are
//! unanswered. *Writes:* in the same cycle what is known of the CTAs of the item inside and of the entry of the one that is decided; the step
//! that there is, the end of a walk, the entry to clear (latency 1). Implements *CTAs* and *After reset* of `docs/mbarrier.md`.

use super::item::Place;
use super::sums::Ctrl;
use crate::prelude::*;

/// What is known of the CTA of an entry.
#[payload]
pub struct Known {
    /// It goes, and nobody wants its objects; it is the one that is walked.
    pub lost: Bit,
    pub walked: Bit,
}

/// `S` CTA slots.
#[block]
pub struct Ctas<W, LW, LC, S, XW, XI, XT, XL, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    pub retire: StrobeIn<Departure<W, LC>>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    pub stepped: Signal<In, Bit>,
    pub quiet: Signal<In, Bit>,
    /// An operation of this CTA leaves for the network; CTAs of which some are under way there.
    #[built(config.has_clusters())]
    pub sends: Signal<In, Bit>,
    #[built(config.has_clusters())]
    pub sender: Signal<In, Bits<LC>>,
    #[built(config.has_clusters())]
    pub busy: Signal<In, Bits<S>>,
    pub known: Signal<Out, Known>,
    /// Whether the CTA of the item inside is there.
    pub inside_cta: Signal<In, Bits<LC>>,
    pub inside_present: Signal<Out, Bit>,
    pub step: Source<Place<XI>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    pub leaving: Signal<Out, Bits<S>>,
    /// A walk has come to its end, and waits for memory.
    pub closing: Signal<Out, Bit>,
    /// The entries are cleared; they will be in the next cycle; the entry to clear.
    pub cleared: Signal<Out, Bit>,
    pub cleared_next: Signal<Out, Bit>,
    pub clear_entry: Signal<Out, Bits<XI>>,
    #[reset]
    present: DFF<Bits<S>>,
    #[reset]
    goes: DFF<Bits<S>>,
    #[reset]
    saved: DFF<Bits<S>>,
    /// An object of the CTA may be in the cache.
    #[reset]
    touched: DFF<Bits<S>>,
    #[reset]
    active: DFF<Bit>,
    /// The slot is known for a cycle already; there are steps to offer.
    #[reset]
    begun: DFF<Bit>,
    #[reset]
    steps: DFF<Bit>,
    #[reset]
    through: DFF<Bit>,
    slot: DFF<Bits<LC>>,
    /// The entry of the step, and after reset the one that is cleared.
    #[reset]
    entry: DFF<Bits<XI>>,
    #[reset]
    clear: DFF<Bit>,
    gone: StrobeRegister<RetiredCta<LC>>,
    cta: Signal<Local, Bits<LC>>,
    lowest: Signal<Local, Bits<LC>>,
    comes: Signal<Local, Bits<S>>,
    leaves: Signal<Local, Bits<S>>,
    touches: Signal<Local, Bits<S>>,
    /// One of a CTA that sends is one as well: with its walk it waits for what the network says.
    sent: Signal<Local, Bits<S>>,
    can_go: Signal<Local, Bits<S>>,
    walked: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    ended: Signal<Local, Bits<S>>,
    nobody: Constant<Bits<S>>,
    nowhere: Constant<Place<XI>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Ctas<W, LW, LC, S, XW, XI, XT, XL, KC> {
    fn update(&mut self) {
        self.cta.next = bit_cast::<LC, XT>(self.ctrl.val().found.tag >> self.high_bits.val());
        self.inside_present.next = self.present.q.val().at(self.inside_cta.val());
        self.known.next.lost = self.goes.q.val().at(self.cta.val()) & !self.saved.q.val().at(self.cta.val());
        self.known.next.walked = self.cta.val() == self.slot.q.val();

        // The walk.
        self.begun.d.next = self.active.q.val();
        self.walked.next = self.touched.q.val().at(self.slot.q.val());
        if self.active.q.val() & !self.begun.q.val() {
            self.steps.d.next = self.walked.val();
            self.through.d.next = !self.walked.val();
        }
        self.step.valid.next = self.steps.q.val();
        self.step.payload.next = self.nowhere.val();
        self.step.payload.next.entry = self.entry.q.val();
        self.goes_on.next = self.steps.q.val() & self.step.ready.val();
        if self.goes_on.val() & self.entry.q.val().all() {
            self.steps.d.next = false;
        }
        if self.stepped.val() & self.ctrl.val().entry.all() {
            self.through.d.next = true;
        }
        if self.goes_on.val() | !self.clear.q.val() {
            self.entry.d.next = self.entry.q.val() + 1;
        }
        self.can_go.next = self.goes.q.val() & !self.busy.val();
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
        self.ends.next = self.through.q.val() & self.quiet.val();
        if self.ends.val() {
            self.active.d.next = false;
            self.begun.d.next = false;
            self.through.d.next = false;
        }
        self.closing.next = self.through.q.val();
        self.gone.in_.valid.next = self.ends.val();
        self.gone.in_.payload.next.cta = self.slot.q.val();
        Strobe::join(&mut self.gone.out, &mut self.retired);

        // Who is there, and who goes.
        self.comes.next = 0.into();
        if self.launch.valid.val() {
            self.comes.next = self.nobody.val().with(self.launch.payload.val().cta, true);
        }
        self.leaves.next = 0.into();
        if self.retire.valid.val() {
            self.leaves.next = self.nobody.val().with(self.retire.payload.val().cta, true);
        }
        self.ended.next = 0.into();
        if self.ends.val() {
            self.ended.next = self.nobody.val().with(self.slot.q.val(), true);
        }
        self.present.d.next = (self.present.q.val() | self.comes.val()) & !self.leaves.val();
        self.goes.d.next = (self.goes.q.val() & !self.ended.val()) | self.leaves.val();
        self.saved.d.next = self.saved.q.val() & !self.leaves.val();
        if self.retire.payload.val().saved {
            self.saved.d.next = self.saved.q.val() | self.leaves.val();
        }
        self.leaving.next = self.goes.q.val();
        self.touches.next = 0.into();
        if self.ctrl.val().valid & (self.ctrl.val().case.inits | self.ctrl.val().case.here) {
            self.touches.next = self.nobody.val().with(self.ctrl.val().item.cta, true);
        }
        self.sent.next = 0.into();
        if self.sends.val() {
            self.sent.next = self.nobody.val().with(self.sender.val(), true);
        }
        self.touched.d.next = (self.touched.q.val() & !self.ended.val()) | self.touches.val() | self.sent.val();

        self.cleared_next.next = self.clear.q.val() | self.entry.q.val().all();
        self.clear.d.next = self.cleared_next.val();
        self.cleared.next = self.clear.q.val();
        self.clear_entry.next = self.entry.q.val();
    }
}
