// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations in front: a queue of two in registers, whose places take turns.
//!
//! *Reads:* `push` with an operation, `pop`. *Writes:* `valid` and the oldest operation (a gate); whether there are two, now and in the next cycle; the
//! warp of the oldest one of the next cycle, if it is not popped now (`stays`) and if it is (`follows`). *Latency:* one cycle from `push` when empty. The
//! caller pushes only while a place is free.
//!
//! `pop`, which comes late, moves no more than marks: no enable of a place waits for it.

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
    pub full: Signal<Out, Bit>,
    pub full_next: Signal<Out, Bit>,
    pub stays: Signal<Out, Bits<LW>>,
    pub follows: Signal<Out, Bits<LW>>,
    places: [DFF<FoldedOp<W, LW, LC, VW>>; 2],
    #[reset]
    one: DFF<Bit>,
    #[reset]
    two: DFF<Bit>,
    /// The place of the oldest operation, and the one that is free.
    #[reset]
    first: DFF<Bit>,
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

        // The place that is free is written whatever comes.
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
