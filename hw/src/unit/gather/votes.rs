// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contribution of an operation's lanes to a reduction: two partial sums, computed from the predicates of the lanes.
//!
//! *Reads:* the lanes of an operation that enters, and the lanes whose predicate is true; one cycle later the partial count and the
//! reduction. *Writes:* the partial count, which the caller keeps in a register; one cycle later the contribution as two numbers,
//! which the caller adds another cycle later. *Latency:* 0, no state. Implements the predicate of BAR.RED in spec 001 and of `bar.red`
//! in spec 000.
//!
//! `Poll` counts the true predicates of each group of four lanes; `Votes`, one cycle later, adds up the groups of the lower and of
//! the upper lanes. The contribution to an AND is inverted (1 if a predicate is false), so that the sum starts at 0 for every
//! reduction. The contribution to an AND or OR is in the first number alone.

use super::payloads::Polled;
use crate::prelude::*;

/// `L` lanes; `LP` is `L` rounded up to a multiple of four.
#[block]
pub struct Poll<L, LP> {
    pub lanes: Signal<In, Bits<L>>,
    /// Lanes whose predicate is true.
    pub true_lanes: Signal<In, Bits<L>>,
    pub polled: Signal<Out, Polled<L>>,
    /// Executing lanes whose predicate is false.
    false_lanes: Signal<Local, Bits<L>>,
    /// `true_lanes` in `LP` bits.
    votes: Signal<Local, Bits<LP>>,
    /// `polled.digits` in `LP` bits.
    digits: Signal<Local, Bits<LP>>,
}

#[block]
impl Logic for Poll {
    fn update(&mut self) {
        self.false_lanes.next = self.lanes.val() & !self.true_lanes.val();
        self.votes.next = bit_cast::<LP, L>(self.true_lanes.val());
        self.digits.next = 0.into();
        for i in 0..(LP / 4) {
            self.digits.next = self.digits.val().replace_bit(
                4 * i,
                (self.votes.val().get_bit(4 * i) ^ self.votes.val().get_bit(4 * i + 1))
                    ^ (self.votes.val().get_bit(4 * i + 2) ^ self.votes.val().get_bit(4 * i + 3)),
            );
            self.digits.next = self.digits.val().replace_bit(
                4 * i + 1,
                ((self.votes.val().get_bit(4 * i) & self.votes.val().get_bit(4 * i + 1))
                    ^ (self.votes.val().get_bit(4 * i + 2) & self.votes.val().get_bit(4 * i + 3)))
                    ^ ((self.votes.val().get_bit(4 * i) ^ self.votes.val().get_bit(4 * i + 1))
                        & (self.votes.val().get_bit(4 * i + 2) ^ self.votes.val().get_bit(4 * i + 3))),
            );
            self.digits.next = self.digits.val().replace_bit(
                4 * i + 2,
                (self.votes.val().get_bit(4 * i) & self.votes.val().get_bit(4 * i + 1))
                    & (self.votes.val().get_bit(4 * i + 2) & self.votes.val().get_bit(4 * i + 3)),
            );
        }
        self.polled.next.digits = bit_cast::<L, LP>(self.digits.val());
        self.polled.next.any_false = self.false_lanes.val().any();
        self.polled.next.any_true = self.true_lanes.val().any();
    }
}

/// `L` lanes; `LP` is `L` rounded up to a multiple of four; the parts of the contribution have `VW` bits.
#[block]
pub struct Votes<L, LP, VW> {
    pub redop: Signal<In, RedOp>,
    pub polled: Signal<In, Polled<L>>,
    /// Two numbers, whose sum is the contribution.
    pub parts: [Signal<Out, Bits<VW>>; 2],
    /// `polled.digits` in `LP` bits.
    digits: Signal<Local, Bits<LP>>,
    /// In the loops over the groups: the number of true predicates in the loop's group.
    count: Signal<Local, Bits<VW>>,
    zero: Constant<Bits<VW>>,
}

#[block]
impl Logic for Votes {
    fn update(&mut self) {
        self.digits.next = bit_cast::<LP, L>(self.polled.val().digits);
        self.count.next = 0.into();
        self.parts[0].next = 0.into();
        for i in 0..(LP / 4).div_ceil(2) {
            for j in 0..3 {
                self.count.next = self.count.val().replace_bit(j, self.digits.val().get_bit(4 * i + j));
            }
            self.parts[0].next = self.parts[0].val() + self.count.val();
        }
        self.parts[1].next = 0.into();
        for k in (LP / 4).div_ceil(2)..(LP / 4) {
            for l in 0..3 {
                self.count.next = self.count.val().replace_bit(l, self.digits.val().get_bit(4 * k + l));
            }
            self.parts[1].next = self.parts[1].val() + self.count.val();
        }
        if self.redop.val() == RedOp::And {
            self.parts[0].next = self.zero.val().replace_bit(0, self.polled.val().any_false);
        }
        if self.redop.val() == RedOp::Or {
            self.parts[0].next = self.zero.val().replace_bit(0, self.polled.val().any_true);
        }
        if self.redop.val() != RedOp::Popc {
            self.parts[1].next = 0.into();
        }
    }
}
