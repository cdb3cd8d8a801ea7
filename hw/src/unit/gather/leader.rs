// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of some lanes leads: the lowest or the highest.
//!
//! *Reads:* the lanes, which end leads. *Writes:* the leader, one bit; 0 if there is no lane. *Latency:* 0, no state. Implements the leader
//! of `elect.sync`.

use rust_hdl::prelude::*;

/// `L` lanes.
#[derive(LogicBlock)]
pub struct Leader<const L: usize> {
    pub lanes: Signal<In, Bits<L>>,
    pub highest: Signal<In, Bit>,
    pub leader: Signal<Out, Bits<L>>,
    turned: Signal<Local, Bits<L>>,
    minus: Signal<Local, Bits<L>>,
    lowest: Signal<Local, Bits<L>>,
    zero: Constant<Bits<L>>,
}

impl<const L: usize> Default for Leader<L> {
    fn default() -> Self {
        crate::fresh!(Leader { lanes, highest, leader, turned, minus, lowest; zero: Constant::new(Bits::default()) })
    }
}

impl<const L: usize> Logic for Leader<L> {
    #[hdl_gen]
    fn update(&mut self) {
        // The lowest bit of a number is what it has in common with its negation; for the highest the number is turned round.
        self.turned.next = self.lanes.val();
        if self.highest.val() {
            for n in L..(L + 1) {
                for i in 0..L {
                    self.turned.next = self.turned.val().replace_bit(i, self.lanes.val().get_bit(n - 1 - i));
                }
            }
        }
        self.minus.next = self.zero.val() - self.turned.val();
        self.lowest.next = self.turned.val() & self.minus.val();
        self.leader.next = self.lowest.val();
        if self.highest.val() {
            for m in L..(L + 1) {
                for j in 0..L {
                    self.leader.next = self.leader.val().replace_bit(j, self.lowest.val().get_bit(m - 1 - j));
                }
            }
        }
    }
}
