// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A pair of memory strobes as it comes in: of which warp an access is issued in which epoch, and of which one is performed.
//!
//! *Reads:* the strobes `issue` and `perform`; every warp's epoch. *Writes:* both strobes with their epochs, in this cycle (gates) and in the next one.
//! *Latency:* 0 and 1. Implements what the strobes name in `docs/interface.md`, section `order`.

use crate::prelude::*;

/// Whether there is an access, and whose it is.
#[payload]
pub struct Access<LW, CW> {
    pub valid: Bit,
    pub warp: Bits<LW>,
    pub epoch: Bit,
    /// Both as a number, the epoch in its highest bit.
    pub of: Bits<CW>,
}

/// `W = 2^LW` warps, `CW = LW + 1`.
#[block]
pub struct Accesses<W, LW, CW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issue: StrobeIn<Issue<LW>>,
    pub perform: StrobeIn<Perform<LW>>,
    pub epochs: Signal<In, Bits<W>>,
    pub issues: Signal<Out, Access<LW, CW>>,
    pub performs: Signal<Out, Access<LW, CW>>,
    pub issued: Signal<Out, Access<LW, CW>>,
    pub performed: Signal<Out, Access<LW, CW>>,
    /// The warp of the access that was performed in the cycle before.
    pub any_performed: Signal<Out, Bit>,
    pub performer: Signal<Out, Bits<LW>>,
    #[reset]
    issued_before: DFF<Access<LW, CW>>,
    #[reset]
    performed_before: DFF<Access<LW, CW>>,
}

#[block]
impl Logic for Accesses<W, LW, CW> {
    fn update(&mut self) {
        self.issues.next.valid = self.issue.valid.val();
        self.issues.next.warp = self.issue.payload.val().warp;
        self.issues.next.epoch = self.epochs.val().at(self.issue.payload.val().warp);
        self.performs.next.valid = self.perform.valid.val();
        self.performs.next.warp = self.perform.payload.val().warp;
        self.performs.next.epoch = self.perform.payload.val().epoch;
        self.issues.next.of = bit_cast::<CW, LW>(self.issues.val().warp);
        self.performs.next.of = bit_cast::<CW, LW>(self.performs.val().warp);
        for i in LW..CW {
            self.issues.next.of = self.issues.val().of.replace_bit(i, self.issues.val().epoch);
            self.performs.next.of = self.performs.val().of.replace_bit(i, self.performs.val().epoch);
        }
        self.issued_before.d.next = self.issues.val();
        self.performed_before.d.next = self.performs.val();
        self.issued.next = self.issued_before.q.val();
        self.performed.next = self.performed_before.q.val();
        self.any_performed.next = self.performed_before.q.val().valid;
        self.performer.next = self.performed_before.q.val().warp;
    }
}
