// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clears rows of barriers, at most one row a cycle: after a reset, and after a Release (the operation that ends a CTA) that
//! leaves rows in use.
//!
//! After a reset the rows of all CTA slots are cleared; after a Release the rows of its CTA slot.
//!
//! *Reads:* whether the row in `scrub` enters the pipeline of the unit of barriers; whether a Release is in flight; whether a
//! Release takes effect, with its CTA slot, and whether it leaves rows in use. *Writes:* the row to clear; whether there is a row
//! to clear in the next cycle (combinational, for the ready logic); `clearing`. *Latency:* 1. Implements the explicit release of
//! `docs/contract/named.md`, and *Release* and `clearing` of `docs/contract/gateway.md`.

use crate::prelude::*;

/// A row to clear.
#[payload]
pub struct Scrub<LC, LI> {
    /// There is a row to clear.
    pub active: Bit,
    /// CTA slot of the row.
    pub slot: Bits<LC>,
    /// Barrier id of the row.
    pub id: Bits<LI>,
    /// A row in use is not a fault: the CTA was saved, or the row is cleared after a reset.
    pub silent: Bit,
    /// 1: after a reset, the rows of all CTA slots are cleared, and the other state that the unit stores for each CTA slot. 0:
    /// after a Release, the rows of one CTA slot are cleared.
    pub all_slots: Bit,
}

/// CTA slot numbers of `LC` bits, barrier ids of `LI` bits.
#[block]
pub struct Clear<LC, LI> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The row in `scrub` enters the pipeline, in which it is cleared.
    pub scrubs: Signal<In, Bit>,
    /// A Release without a fault will be in flight in the next cycle.
    pub releasing: Signal<In, Bit>,
    /// A Release takes effect.
    pub releases: Signal<In, Bit>,
    /// CTA slot of the Release that takes effect.
    pub cta: Signal<In, Bits<LC>>,
    /// Rows that the Release leaves in use are not reported as faults.
    pub silent: Signal<In, Bit>,
    /// The Release leaves rows in use, which must be cleared.
    pub dirty: Signal<In, Bit>,
    /// The row to clear.
    pub scrub: Signal<Out, Scrub<LC, LI>>,
    /// There is a row to clear in the next cycle.
    pub scrub_next: Signal<Out, Bit>,
    /// A Release is in flight, or rows are being cleared after a Release or a reset.
    pub clearing: Signal<Out, Bit>,
    current_scrub: DFF<Scrub<LC, LI>>,
    clearing_q: DFF<Bit>,
    /// The CTA slot of the row to clear is the last CTA slot with rows to clear.
    is_last_slot: Signal<Local, Bit>,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_cta_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for Clear {
    fn update(&mut self) {
        // The next row to clear: the rows of a CTA slot in order of barrier id; after a reset, those of all CTA slots in order.
        self.is_last_slot.next =
            !self.current_scrub.q.val().all_slots | (self.current_scrub.q.val().slot == self.last_cta_slot.val());
        self.scrub_next.next = self.current_scrub.q.val().active;
        if self.scrubs.val() {
            self.current_scrub.d.next.id = self.current_scrub.q.val().id + 1;
            if self.current_scrub.q.val().id.all() {
                self.current_scrub.d.next.slot = self.current_scrub.q.val().slot + 1;
                if self.is_last_slot.val() {
                    self.scrub_next.next = false;
                    self.current_scrub.d.next.all_slots = false;
                }
            }
        }

        // A Release sets the CTA slot to clear, and clearing begins only if rows are in use.
        if self.dirty.val() {
            self.scrub_next.next = true;
        }
        if self.releases.val() {
            self.current_scrub.d.next.slot = self.cta.val();
            self.current_scrub.d.next.id = 0.into();
            self.current_scrub.d.next.silent = self.silent.val();
        }
        if self.reset.val() {
            self.scrub_next.next = true;
            self.current_scrub.d.next.slot = 0.into();
            self.current_scrub.d.next.id = 0.into();
            self.current_scrub.d.next.silent = true;
            self.current_scrub.d.next.all_slots = true;
        }
        self.current_scrub.d.next.active = self.scrub_next.val();
        self.clearing_q.d.next = self.scrub_next.val() | self.scrubs.val() | self.releasing.val();
        if self.reset.val() {
            self.clearing_q.d.next = true;
        }
        self.scrub.next = self.current_scrub.q.val();
        self.clearing.next = self.clearing_q.q.val();
    }
}
