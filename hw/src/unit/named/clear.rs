// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Takes rows to be cleared in turn: all of them after reset, those of one CTA slot after a release that left some open.
//!
//! *Reads:* `load` and perhaps `start` with `start_slot` and `start_silent`; `step` when a row has had its turn. *Writes:* `active`, the row whose turn it
//! is, whether it is cleared silently and with its CTA's entry; `active_next`, combinational, for the ready logic. *Latency:* 1.
//! Implements the explicit release of `docs/interface.md`.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `LC` bits of slot, `LI` bits of id.
#[block]
pub struct Clear<LC, LI> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A release, which says what is to be cleared; it is to be cleared.
    pub load: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub start_slot: Signal<In, Bits<LC>>,
    pub start_silent: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub active: Signal<Out, Bit>,
    pub active_next: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<LC>>,
    pub id: Signal<Out, Bits<LI>>,
    pub silent: Signal<Out, Bit>,
    /// All slots are cleared, with their entries.
    pub all: Signal<Out, Bit>,
    busy: DFF<Bit>,
    now_slot: DFF<Bits<LC>>,
    now_id: DFF<Bits<LI>>,
    quiet: DFF<Bit>,
    whole: DFF<Bit>,
    busy_next: Signal<Local, Bit>,
}

#[block]
impl Logic for Clear<LC, LI> {
    #[hdl_gen]
    fn update(&mut self) {
        self.active.next = self.busy.q.val();
        self.slot.next = self.now_slot.q.val();
        self.id.next = self.now_id.q.val();
        self.silent.next = self.quiet.q.val();
        self.all.next = self.whole.q.val();

        self.busy_next.next = self.busy.q.val();
        if self.step.val() {
            self.now_id.d.next = self.now_id.q.val() + 1;
            if self.now_id.q.val().all() {
                self.now_slot.d.next = self.now_slot.q.val() + 1;
                if !self.whole.q.val() | self.now_slot.q.val().all() {
                    self.busy_next.next = false;
                    self.whole.d.next = false;
                }
            }
        }
        if self.start.val() {
            self.busy_next.next = true;
        }
        if self.load.val() {
            self.now_slot.d.next = self.start_slot.val();
            self.now_id.d.next = 0.into();
            self.quiet.d.next = self.start_silent.val();
        }
        if self.reset.val() {
            self.busy_next.next = true;
            self.now_slot.d.next = 0.into();
            self.now_id.d.next = 0.into();
            self.quiet.d.next = true;
            self.whole.d.next = true;
        }
        self.busy.d.next = self.busy_next.val();
        self.active_next.next = self.busy_next.val();
    }
}
