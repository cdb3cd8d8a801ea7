// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The leader of a set of lanes: the lowest or the highest.
//!
//! *Reads:* the lanes, whether a leader is requested, whether the lowest or the highest lane leads. *Writes:* the leader, one-hot; 0
//! if none is requested or there are no lanes. *Latency:* 1. Implements the leader of `elect.sync`.
//!
//! It finds the first group of four lanes with a lane of the set, counted from the end that leads, then the lane in that group.
//! Two short searches in both directions are fewer gates than reversing the set.

use crate::prelude::*;

/// `L` lanes; `LP` is `L` rounded up to a multiple of four.
#[block]
pub struct Leader<L, LP> {
    pub clock: Signal<In, Clock>,
    /// The lanes.
    pub set: Signal<In, Bits<L>>,
    /// A leader is requested.
    pub asked: Signal<In, Bit>,
    /// The highest lane leads.
    pub highest: Signal<In, Bit>,
    pub leader: Signal<Out, Bits<L>>,
    /// The set in `LP` bits.
    lanes: Signal<Local, Bits<LP>>,
    /// The leader in `LP` bits.
    led: Signal<Local, Bits<LP>>,
    /// At each lane of a group: the group has a lane of the set.
    some: Signal<Local, Bits<LP>>,
    /// At each lane of a group: a lower group has a lane of the set.
    below: Signal<Local, Bits<LP>>,
    /// At each lane of a group: a higher group has a lane of the set.
    above: Signal<Local, Bits<LP>>,
    /// At each lane of a group: the group is the first with a lane of the set.
    first: Signal<Local, Bits<LP>>,
    /// The set within the first group.
    four: Signal<Local, Bits<4>>,
    /// The leader within the first group.
    lead: Signal<Local, Bits<4>>,
    /// `first` of the cycle before.
    past_first: DFF<Bits<LP>>,
    /// `lead` of the cycle before.
    past_lead: DFF<Bits<4>>,
    no_lane: Constant<Bits<4>>,
}

#[block]
impl Logic for Leader<L, LP> {
    fn update(&mut self) {
        self.led.next = 0.into();
        self.lanes.next = bit_cast::<LP, L>(self.set.val());
        self.some.next = 0.into();
        for i in 0..(LP / 4) {
            for j in 0..4 {
                self.some.next = self.some.val().replace_bit(
                    4 * i + j,
                    self.lanes.val().get_bit(4 * i)
                        | self.lanes.val().get_bit(4 * i + 1)
                        | self.lanes.val().get_bit(4 * i + 2)
                        | self.lanes.val().get_bit(4 * i + 3),
                );
            }
        }
        self.below.next = 0.into();
        for l in 4..LP {
            self.below.next = self.below.val().replace_bit(l, self.below.val().get_bit(l - 4) | self.some.val().get_bit(l - 4));
        }
        self.above.next = 0.into();
        for n in LP..(LP + 1) {
            for m in 5..(LP + 1) {
                self.above.next = self
                    .above
                    .val()
                    .replace_bit(n - m, self.above.val().get_bit(n - m + 4) | self.some.val().get_bit(n - m + 4));
            }
        }
        self.first.next = self.some.val() & !self.below.val();
        if self.highest.val() {
            self.first.next = self.some.val() & !self.above.val();
        }
        self.four.next = 0.into();
        for p in 0..(LP / 4) {
            for q in 0..4 {
                self.four.next = self.four.val().replace_bit(
                    q,
                    self.four.val().get_bit(q) | (self.lanes.val().get_bit(4 * p + q) & self.first.val().get_bit(4 * p + q)),
                );
            }
        }
        self.lead.next = self.no_lane.val();
        if self.asked.val() {
            self.lead.next = self.no_lane.val().replace_bit(0, self.four.val().get_bit(0));
            for r in 1..4 {
                if self.four.val().get_bit(r) & (self.highest.val() | !self.lead.val().any()) {
                    self.lead.next = self.no_lane.val().replace_bit(r, true);
                }
            }
        }
        self.past_first.d.next = self.first.val();
        self.past_lead.d.next = self.lead.val();
        for s in 0..(LP / 4) {
            for t in 0..4 {
                self.led.next = self.led.val().replace_bit(
                    4 * s + t,
                    self.led.val().get_bit(4 * s + t)
                        | (self.past_first.q.val().get_bit(4 * s + t) & self.past_lead.q.val().get_bit(t)),
                );
            }
        }
        self.leader.next = bit_cast::<L, LP>(self.led.val());
    }
}
