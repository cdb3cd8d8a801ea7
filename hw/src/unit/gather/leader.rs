// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of some lanes leads, the lowest or the highest, in each of two sets.
//!
//! *Reads:* the sets, which end leads. *Writes:* the leaders, a bit for each set that is not empty. *Latency:* 0, no state. Implements the
//! leader of `elect.sync`.

use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct Leaders<L> {
    pub sets: [Signal<In, Bits<L>>; 2],
    pub highest: Signal<In, Bit>,
    pub leaders: Signal<Out, Bits<L>>,
    turned: [Signal<Local, Bits<L>>; 2],
    minus: [Signal<Local, Bits<L>>; 2],
    lowest: Signal<Local, Bits<L>>,
    zero: Constant<Bits<L>>,
}

#[block]
impl Logic for Leaders<L> {
    fn update(&mut self) {
        // The lowest bit of a number is what it has in common with its negation; for the highest the number is turned round.
        self.turned[0].next = self.sets[0].val();
        self.turned[1].next = self.sets[1].val();
        if self.highest.val() {
            for n in L..(L + 1) {
                for i in 0..L {
                    self.turned[0].next = self.turned[0].val().replace_bit(i, self.sets[0].val().get_bit(n - 1 - i));
                    self.turned[1].next = self.turned[1].val().replace_bit(i, self.sets[1].val().get_bit(n - 1 - i));
                }
            }
        }
        self.minus[0].next = self.zero.val() - self.turned[0].val();
        self.minus[1].next = self.zero.val() - self.turned[1].val();
        self.lowest.next = (self.turned[0].val() & self.minus[0].val()) | (self.turned[1].val() & self.minus[1].val());
        self.leaders.next = self.lowest.val();
        if self.highest.val() {
            for m in L..(L + 1) {
                for j in 0..L {
                    self.leaders.next = self.leaders.val().replace_bit(j, self.lowest.val().get_bit(m - 1 - j));
                }
            }
        }
    }
}
