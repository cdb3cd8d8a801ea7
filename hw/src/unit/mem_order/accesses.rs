// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A pair of memory strobes as it comes in: of which warp an access is issued in which epoch, and of which one is performed.
//!
//! *Reads:* the strobes `issue` and `perform`; every warp's epoch; whether accesses count yet, else the warp whose numbers are cleared. *Writes:* both
//! strobes with their epochs, in this cycle (gates) and in the next one; whether the warp that was looked up in the cycle before issued then.
//! *Latency:* 0 and 1. Implements what the strobes name in `docs/interface.md`, section `mem_order`.

use crate::prelude::*;

/// Whether there is an access, and whose it is.
#[payload]
pub struct Access<LW> {
    pub valid: Bit,
    /// There is none: the numbers of this warp are cleared.
    pub clears: Bit,
    pub warp: Bits<LW>,
    pub epoch: Bit,
}

/// `W` warps of `LW` bits.
#[block]
pub struct Accesses<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issue: StrobeIn<Issue<LW>>,
    pub perform: StrobeIn<Perform<LW>>,
    pub epochs: Signal<In, Bits<W>>,
    /// Accesses count; the warp to clear while they do not.
    pub open: Signal<In, Bit>,
    pub to_clear: Signal<In, Bits<LW>>,
    /// The warp that was looked up in the cycle before.
    pub looked: Signal<In, Bits<LW>>,
    pub issues: Signal<Out, Access<LW>>,
    pub performs: Signal<Out, Access<LW>>,
    pub issued: Signal<Out, Access<LW>>,
    pub performed: Signal<Out, Access<LW>>,
    pub disturbs: Signal<Out, Bit>,
    /// The warp of the access that was performed in the cycle before.
    pub any_performed: Signal<Out, Bit>,
    pub performer: Signal<Out, Bits<LW>>,
    #[reset]
    issued_before: DFF<Access<LW>>,
    #[reset]
    performed_before: DFF<Access<LW>>,
}

#[block]
impl Logic for Accesses<W, LW> {
    fn update(&mut self) {
        self.issues.next.valid = self.issue.valid.val() & self.open.val();
        self.issues.next.clears = !self.open.val();
        self.issues.next.warp = self.to_clear.val();
        self.issues.next.epoch = self.epochs.val().at(self.issue.payload.val().warp);
        self.performs.next.valid = self.perform.valid.val() & self.open.val();
        self.performs.next.clears = !self.open.val();
        self.performs.next.warp = self.to_clear.val();
        self.performs.next.epoch = self.perform.payload.val().epoch;
        if self.open.val() {
            self.issues.next.warp = self.issue.payload.val().warp;
            self.performs.next.warp = self.perform.payload.val().warp;
        }
        self.issued_before.d.next = self.issues.val();
        self.performed_before.d.next = self.performs.val();
        self.issued.next = self.issued_before.q.val();
        self.performed.next = self.performed_before.q.val();
        self.disturbs.next = self.issued_before.q.val().valid & (self.issued_before.q.val().warp == self.looked.val());
        self.any_performed.next = self.performed_before.q.val().valid;
        self.performer.next = self.performed_before.q.val().warp;
    }
}
