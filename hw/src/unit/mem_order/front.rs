// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of two operations in alternating registers.
//!
//! *Reads:* `push` with an operation, `pop`. *Writes:* `valid` and the oldest operation (a gate); whether there are two, now and
//! in the next cycle; the warp of the oldest one of the next cycle, if it is not popped now (`stays`) and if it is (`follows`).
//! *Latency:* one cycle from `push` when empty. The caller pushes only while an entry is free.
//!
//! `pop` is late in the cycle and changes flags only: no enable of an operation's register waits for it.

use super::folded::FoldedOp;
use crate::prelude::*;

/// Sizes as in [`WarpOp`].
#[block]
pub struct Front<W, LW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, FoldedOp<W, LW, LC, VW>>,
    pub pop: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, FoldedOp<W, LW, LC, VW>>,
    /// There are two operations.
    pub full: Signal<Out, Bit>,
    /// There will be two operations in the next cycle.
    pub full_next: Signal<Out, Bit>,
    /// Warp of the oldest operation of the next cycle, without a `pop`.
    pub stays: Signal<Out, Bits<LW>>,
    /// Warp of the oldest operation of the next cycle, with a `pop`.
    pub follows: Signal<Out, Bits<LW>>,
    places: [DFF<FoldedOp<W, LW, LC, VW>>; 2],
    /// There is an operation.
    #[reset]
    one: DFF<Bit>,
    /// There are two operations.
    #[reset]
    two: DFF<Bit>,
    /// The register of the oldest operation.
    #[reset]
    first: DFF<Bit>,
    /// The register that is written next.
    #[reset]
    free: DFF<Bit>,
    oldest: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    other: Signal<Local, FoldedOp<W, LW, LC, VW>>,
}

#[block]
impl Logic for Front<W, LW, LC, VW> {
    fn update(&mut self) {
        self.oldest.next = self.places[0].q.val();
        self.other.next = self.places[1].q.val();
        if self.first.q.val() {
            self.oldest.next = self.places[1].q.val();
            self.other.next = self.places[0].q.val();
        }
        self.head.next = self.oldest.val();
        self.valid.next = self.one.q.val();
        self.full.next = self.two.q.val();
        self.stays.next = self.data.val().warp;
        if self.one.q.val() {
            self.stays.next = self.oldest.val().warp;
        }
        self.follows.next = self.data.val().warp;
        if self.two.q.val() {
            self.follows.next = self.other.val().warp;
        }

        // The free register is written in every cycle, with or without a push.
        for i in 0..2 {
            if !self.two.q.val() & (self.free.q.val() == (i == 1)) {
                self.places[i].d.next = self.data.val();
            }
        }
        self.first.d.next = self.first.q.val() ^ self.pop.val();
        self.free.d.next = self.free.q.val() ^ self.push.val();
        self.one.d.next = self.push.val() | self.two.q.val() | (self.one.q.val() & !self.pop.val());
        self.full_next.next = (self.two.q.val() | (self.one.q.val() & self.push.val())) & !self.pop.val();
        self.two.d.next = self.full_next.val();
    }
}
