// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Takes the rows of barriers to be cleared in turn: all that are built after reset, those of one CTA slot after a release that left some in use.
//!
//! *Reads:* whether a row takes its turn or a release is under way; whether a release has its effects, its slot, and whether it leaves rows in use. *Writes:*
//! the row whose turn it is; whether there is one in the next cycle, combinational, for the ready logic; `clearing`. *Latency:* 1. Implements the
//! explicit release of `docs/interface.md`, and *Release* and `clearing` of `docs/gateway.md`.

use crate::prelude::*;

/// A row to be cleared.
#[payload]
pub struct Scrub<LC, LI> {
    pub active: Bit,
    pub slot: Bits<LC>,
    pub id: Bits<LI>,
    pub silent: Bit,
    /// All slots that are built are cleared, with their entries.
    pub all: Bit,
}

#[block]
pub struct Clear<LC, LI> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The row takes its turn.
    pub scrubs: Signal<In, Bit>,
    /// A release without fault will be under way in the next cycle.
    pub releasing: Signal<In, Bit>,
    /// A release has its effects, in this slot; what it leaves is no fault; there are rows to be cleared.
    pub releases: Signal<In, Bit>,
    pub cta: Signal<In, Bits<LC>>,
    pub silent: Signal<In, Bit>,
    pub dirty: Signal<In, Bit>,
    pub scrub: Signal<Out, Scrub<LC, LI>>,
    pub scrub_next: Signal<Out, Bit>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    now: DFF<Scrub<LC, LI>>,
    cleaning: DFF<Bit>,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for Clear<LC, LI> {
    fn update(&mut self) {
        self.scrub_next.next = self.now.q.val().active;
        if self.scrubs.val() {
            self.now.d.next.id = self.now.q.val().id + 1;
            if self.now.q.val().id.all() {
                self.now.d.next.slot = self.now.q.val().slot + 1;
                if !self.now.q.val().all | (self.now.q.val().slot == self.last_slot.val()) {
                    self.scrub_next.next = false;
                    self.now.d.next.all = false;
                }
            }
        }
        if self.dirty.val() {
            self.scrub_next.next = true;
        }
        if self.releases.val() {
            self.now.d.next.slot = self.cta.val();
            self.now.d.next.id = 0.into();
            self.now.d.next.silent = self.silent.val();
        }
        if self.reset.val() {
            self.scrub_next.next = true;
            self.now.d.next.slot = 0.into();
            self.now.d.next.id = 0.into();
            self.now.d.next.silent = true;
            self.now.d.next.all = true;
        }
        self.now.d.next.active = self.scrub_next.val();
        self.cleaning.d.next = self.reset.val() | self.scrub_next.val() | self.scrubs.val() | self.releasing.val();
        self.scrub.next = self.now.q.val();
        self.clearing.next = self.cleaning.q.val();
    }
}
