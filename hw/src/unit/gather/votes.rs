// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a warp adds to a reduction: one number, made of its lanes' predicates.
//!
//! *Reads:* the reduction of an operation that is passed on, the lanes that execute it and those whose predicate is true.
//! *Writes:* `value`. *Latency:* 0, no state. Implements the predicate of BAR.RED in spec 001 and of `bar.red` in spec 000.
//!
//! AND counts the other way round, whether a lane's predicate is false: then every reduction is a sum that starts at 0.

use crate::prelude::*;

/// `L` lanes, counted in `VW` bits.
#[block]
pub struct Votes<L, VW> {
    pub redop: Signal<In, RedOp>,
    pub lanes: Signal<In, Bits<L>>,
    /// Lanes whose predicate is true.
    pub yes: Signal<In, Bits<L>>,
    pub value: Signal<Out, Bits<VW>>,
    no: Signal<Local, Bits<L>>,
    zero: Constant<Bits<VW>>,
}

#[block]
impl Logic for Votes<L, VW> {
    fn update(&mut self) {
        self.no.next = self.lanes.val() & !self.yes.val();
        self.value.next = 0.into();
        for i in 0..L {
            self.value.next = self.value.val() + self.yes.val().get_bit(i);
        }
        if self.redop.val() == RedOp::And {
            self.value.next = self.zero.val().replace_bit(0, self.no.val().any());
        }
        if self.redop.val() == RedOp::Or {
            self.value.next = self.zero.val().replace_bit(0, self.yes.val().any());
        }
    }
}
