// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contribution of an operation's lanes to a reduction: two partial sums, computed from the predicates of the lanes in two steps.

use super::payloads::Polled;
use crate::prelude::*;

/// The first of two steps from the predicates of an operation's lanes to its contribution to a reduction: counts the true predicates of
/// each group of four lanes.
///
/// *Reads:* the executing lanes of the operation that enters, and its lanes whose predicate is true. *Writes:* four bits (a digit) for each
/// group of four lanes: the number of its true predicates; whether an executing lane has a true or a false predicate. *Latency:* 0, no
/// state; the outputs are stored with the operation. Implements the predicate of BAR.RED in spec 001 and of `bar.red` in spec 000.
///
/// The second step is the block `votes`, in the next stage.
///
/// Sizes: `L` lanes; `LP` is `L` rounded up to a multiple of four.
#[block]
pub struct Poll<L, LP> {
    pub lanes: Signal<In, Bits<L>>,
    /// Lanes whose predicate is true.
    pub true_lanes: Signal<In, Bits<L>>,
    pub polled: Signal<Out, Polled<L>>,
    /// Executing lanes whose predicate is false.
    false_lanes: Signal<Local, Bits<L>>,
    /// `true_lanes`, extended with zeros to whole groups of four lanes.
    votes: Signal<Local, Bits<LP>>,
    /// The digits of all groups, the lowest group in the lowest four bits.
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

/// The second of two steps from the predicates of an operation's lanes to its contribution to a reduction: adds up the numbers of true
/// predicates of the groups of four lanes, those of the lower and those of the upper lanes.
///
/// *Reads:* the kind of reduction; what the block `poll` found one cycle before: a digit (four bits) for each group of four lanes, and
/// whether an executing lane has a true or a false predicate. *Writes:* two numbers, which are added in the next cycle to the contribution.
/// *Latency:* 0, no state. Implements the predicate of BAR.RED in spec 001 and of `bar.red` in spec 000.
///
/// For POPC the contribution is the number of true predicates, for OR it is 1 if a predicate is true. The contribution to an AND is
/// inverted (1 if a predicate is false), so that the sum of a gathering starts at 0 for every reduction. The contribution to an AND or OR
/// is in the first number alone.
///
/// Sizes: `L` lanes; `LP` is `L` rounded up to a multiple of four; the parts of the contribution have `VW` bits.
#[block]
pub struct Votes<L, LP, VW> {
    pub redop: Signal<In, RedOp>,
    pub polled: Signal<In, Polled<L>>,
    /// Two numbers, whose sum is the contribution.
    pub parts: [Signal<Out, Bits<VW>>; 2],
    /// The digits of all groups of four lanes, the lowest group in the lowest four bits.
    digits: Signal<Local, Bits<LP>>,
    /// The number of true predicates of a group of four lanes, for one group after the other.
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
