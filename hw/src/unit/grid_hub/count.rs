// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTAs of one grid: how many have not issued, and how many have issued and not ended.
//!
//! *Reads:* which multiprocessors tell of one that has issued, or ended; the number of CTAs of a new grid. *Writes:* whether all have issued, and
//! ended. *Latency:* 1 to the counts, 2 to what is seen of them. Implements *Counts* of `docs/grids.md`.

use crate::prelude::*;

/// `M` multiprocessors, at most 64.
#[block]
pub struct GridCount<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issues: Signal<In, Bits<M>>,
    pub ends: Signal<In, Bits<M>>,
    pub opens: Signal<In, Bit>,
    pub ctas: Signal<In, Bits<32>>,
    pub all_issued: Signal<Out, Bit>,
    pub all_ended: Signal<Out, Bit>,
    #[reset]
    unissued: DFF<Bits<32>>,
    /// Those that have issued and not ended: at most as many as the multiprocessors hold, 64 each.
    #[reset]
    running: DFF<Bits<13>>,
    #[reset]
    issued: DFF<Bit>,
    #[reset]
    ended: DFF<Bit>,
    more: Signal<Local, Bits<7>>,
    fewer: Signal<Local, Bits<7>>,
    sum: Signal<Local, Bits<13>>,
    none_left: Signal<Local, Bit>,
}

#[block]
impl Logic for GridCount<M> {
    fn update(&mut self) {
        self.more.next = 0.into();
        self.fewer.next = 0.into();
        for i in 0..M {
            self.more.next = self.more.val() + self.issues.val().get_bit(i);
            self.fewer.next = self.fewer.val() + self.ends.val().get_bit(i);
        }
        self.unissued.d.next = self.unissued.q.val() - bit_cast::<32, 7>(self.more.val());
        self.sum.next = self.running.q.val() + bit_cast::<13, 7>(self.more.val());
        self.running.d.next = self.sum.val() - bit_cast::<13, 7>(self.fewer.val());
        self.none_left.next = !self.unissued.q.val().any();
        self.issued.d.next = self.none_left.val();
        self.ended.d.next = self.none_left.val() & !self.running.q.val().any();
        if self.opens.val() {
            self.unissued.d.next = self.ctas.val();
            self.running.d.next = 0.into();
            // Of a grid that is opened in this cycle nobody asks in the next one whether all have issued: nobody depends on it yet.
            self.ended.d.next = false;
        }
        self.all_issued.next = self.issued.q.val();
        self.all_ended.next = self.ended.q.val();
    }
}
