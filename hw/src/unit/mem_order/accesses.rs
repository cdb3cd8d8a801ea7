// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes one pair of memory strobes: an access that is issued and an access that is performed, each with its warp and epoch.
//!
//! *Reads:* the strobes `issue` and `perform`; the epoch of each warp; after a reset, the warp whose numbers are cleared, and
//! whether all numbers are cleared, so that accesses are counted. *Writes:* both accesses with their epochs, in this cycle (gates)
//! and in the next cycle; whether the warp that was looked up in the previous cycle issued an access in that cycle. *Latency:* 0
//! and 1. Implements the fields of the strobes in `docs/contract/mem_order.md`.

use super::payloads::Access;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits.
#[block]
pub struct Accesses<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issue: StrobeIn<Issue<LW>>,
    pub perform: StrobeIn<Perform<LW>>,
    /// The present epoch of each warp.
    pub epochs: Signal<In, Bits<W>>,
    /// 1: all words have been cleared since the last reset, and accesses are counted. 0: accesses
    /// are ignored.
    pub words_cleared: Signal<In, Bit>,
    /// The warp whose numbers are cleared while `words_cleared` is 0.
    pub warp_to_clear: Signal<In, Bits<LW>>,
    /// The warp that was looked up in the previous cycle.
    pub looked_up_warp: Signal<In, Bits<LW>>,
    /// The access issued in this cycle.
    pub issues: Signal<Out, Access<LW>>,
    /// The access performed in this cycle.
    pub performs: Signal<Out, Access<LW>>,
    /// The access issued in the previous cycle.
    pub issued: Signal<Out, Access<LW>>,
    /// The access performed in the previous cycle.
    pub performed: Signal<Out, Access<LW>>,
    /// In the previous cycle, the warp that was looked up issued an access.
    pub issue_during_lookup: Signal<Out, Bit>,
    /// An access was performed in the previous cycle.
    pub any_performed: Signal<Out, Bit>,
    /// The warp of the access performed in the previous cycle.
    pub performer: Signal<Out, Bits<LW>>,
    #[reset]
    issued_q: DFF<Access<LW>>,
    #[reset]
    performed_q: DFF<Access<LW>>,
}

#[block]
impl Logic for Accesses {
    fn update(&mut self) {
        self.issues.next.valid = self.issue.valid.val() & self.words_cleared.val();
        self.issues.next.clears = !self.words_cleared.val();
        self.issues.next.warp = self.warp_to_clear.val();
        self.issues.next.epoch = self.epochs.val().at(self.issue.payload.val().warp);
        self.performs.next.valid = self.perform.valid.val() & self.words_cleared.val();
        self.performs.next.clears = !self.words_cleared.val();
        self.performs.next.warp = self.warp_to_clear.val();
        self.performs.next.epoch = self.perform.payload.val().epoch;
        if self.words_cleared.val() {
            self.issues.next.warp = self.issue.payload.val().warp;
            self.performs.next.warp = self.perform.payload.val().warp;
        }
        self.issued_q.d.next = self.issues.val();
        self.performed_q.d.next = self.performs.val();
        self.issued.next = self.issued_q.q.val();
        self.performed.next = self.performed_q.q.val();
        self.issue_during_lookup.next = self.issued_q.q.val().valid & (self.issued_q.q.val().warp == self.looked_up_warp.val());
        self.any_performed.next = self.performed_q.q.val().valid;
        self.performer.next = self.performed_q.q.val().warp;
    }
}
