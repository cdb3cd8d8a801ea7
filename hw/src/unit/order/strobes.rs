// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A pair of memory strobes, as bits of warps in each epoch.
//!
//! *Reads:* the strobes `issue` and `perform`; every warp's epoch. *Writes:* which warp issues an access in which epoch, of which one is
//! performed. *Latency:* 0, no state. Implements what the strobes name in `docs/interface.md`, section `order`.

use crate::prelude::*;

/// `W = 2^LW` warps.
#[block]
pub struct Strobes<W, LW> {
    pub issue: StrobeIn<Issue<LW>>,
    pub perform: StrobeIn<Perform<LW>>,
    pub epochs: Signal<In, Bits<W>>,
    pub up_0: Signal<Out, Bits<W>>,
    pub up_1: Signal<Out, Bits<W>>,
    pub down_0: Signal<Out, Bits<W>>,
    pub down_1: Signal<Out, Bits<W>>,
    issues: Signal<Local, Bits<W>>,
    performs: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for Strobes<W, LW> {
    fn update(&mut self) {
        self.issues.next = 0.into();
        if self.issue.valid.val() {
            self.issues.next = self.issues.val().with(self.issue.payload.val().warp, true);
        }
        self.up_0.next = self.issues.val() & !self.epochs.val();
        self.up_1.next = self.issues.val() & self.epochs.val();
        self.performs.next = 0.into();
        if self.perform.valid.val() {
            self.performs.next = self.performs.val().with(self.perform.payload.val().warp, true);
        }
        self.down_0.next = 0.into();
        self.down_1.next = 0.into();
        if self.perform.payload.val().epoch {
            self.down_1.next = self.performs.val();
        } else {
            self.down_0.next = self.performs.val();
        }
    }
}
