// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of some lanes leads, the lowest or the highest, in each of two sets.
//!
//! *Reads:* the sets, whether a leader of each is asked for, which end leads. *Writes:* the leaders, a bit for each set that is asked for and
//! not empty. *Latency:* 1. Implements the leader of `elect.sync`.
//!
//! Of each set the first four of lanes that has one is looked for, from the end that leads, and only then the lane in that four: two short
//! ways in both directions are fewer gates than turning whole sets round.

use crate::prelude::*;

/// `L` lanes, a multiple of four.
#[block]
pub struct Leaders<L> {
    pub clock: Signal<In, Clock>,
    pub sets: [Signal<In, Bits<L>>; 2],
    pub asked: [Signal<In, Bit>; 2],
    pub highest: Signal<In, Bit>,
    pub leaders: Signal<Out, Bits<L>>,
    /// Of each set, at every lane of a four: the four has a lane of it; one below it has; one above it; it is the first.
    some: [Signal<Local, Bits<L>>; 2],
    below: [Signal<Local, Bits<L>>; 2],
    above: [Signal<Local, Bits<L>>; 2],
    first: [Signal<Local, Bits<L>>; 2],
    /// The lanes of the first four; the one that leads.
    four: [Signal<Local, Bits<4>>; 2],
    lead: [Signal<Local, Bits<4>>; 2],
    /// The same one cycle later.
    past_first: [DFF<Bits<L>>; 2],
    past_lead: [DFF<Bits<4>>; 2],
    no_lane: Constant<Bits<4>>,
}

#[block]
impl Logic for Leaders<L> {
    fn update(&mut self) {
        self.leaders.next = 0.into();
        for k in 0..2 {
            self.some[k].next = 0.into();
            for i in 0..(L / 4) {
                for j in 0..4 {
                    self.some[k].next = self.some[k].val().replace_bit(
                        4 * i + j,
                        self.sets[k].val().get_bit(4 * i)
                            | self.sets[k].val().get_bit(4 * i + 1)
                            | self.sets[k].val().get_bit(4 * i + 2)
                            | self.sets[k].val().get_bit(4 * i + 3),
                    );
                }
            }
            self.below[k].next = 0.into();
            for l in 4..L {
                self.below[k].next =
                    self.below[k].val().replace_bit(l, self.below[k].val().get_bit(l - 4) | self.some[k].val().get_bit(l - 4));
            }
            self.above[k].next = 0.into();
            for n in L..(L + 1) {
                for m in 5..(L + 1) {
                    self.above[k].next = self.above[k]
                        .val()
                        .replace_bit(n - m, self.above[k].val().get_bit(n - m + 4) | self.some[k].val().get_bit(n - m + 4));
                }
            }
            self.first[k].next = self.some[k].val() & !self.below[k].val();
            if self.highest.val() {
                self.first[k].next = self.some[k].val() & !self.above[k].val();
            }
            self.four[k].next = 0.into();
            for p in 0..(L / 4) {
                for q in 0..4 {
                    self.four[k].next = self.four[k].val().replace_bit(
                        q,
                        self.four[k].val().get_bit(q)
                            | (self.sets[k].val().get_bit(4 * p + q) & self.first[k].val().get_bit(4 * p + q)),
                    );
                }
            }
            self.lead[k].next = self.no_lane.val();
            if self.asked[k].val() {
                self.lead[k].next = self.no_lane.val().replace_bit(0, self.four[k].val().get_bit(0));
                for r in 1..4 {
                    if self.four[k].val().get_bit(r) & (self.highest.val() | !self.lead[k].val().any()) {
                        self.lead[k].next = self.no_lane.val().replace_bit(r, true);
                    }
                }
            }
            self.past_first[k].d.next = self.first[k].val();
            self.past_lead[k].d.next = self.lead[k].val();
            for s in 0..(L / 4) {
                for t in 0..4 {
                    self.leaders.next = self.leaders.val().replace_bit(
                        4 * s + t,
                        self.leaders.val().get_bit(4 * s + t)
                            | (self.past_first[k].q.val().get_bit(4 * s + t) & self.past_lead[k].q.val().get_bit(t)),
                    );
                }
            }
        }
    }
}
