// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts the numbers of an operation to addends, the form in which the sums stage adds them to the word of the object.
//!
//! *Reads:* the actions of the operation; its numbers; whether it comes from `op`. *Writes:* in the same cycle the addends and the
//! carries. *Latency:* 0, no state. Implements the sums of `docs/contract/mbarrier.md`.
//!
//! A word holds negated counts, so arrivals and completed bytes are added as they are, and expected bytes are negated first. A number is
//! negated in two steps: this block inverts it, and its sum has a carry-in of 1.

use super::payloads::Numbers;
use crate::prelude::*;
use crate::unit::mbarrier::item::{Addends, OpActions};

#[block]
pub struct Operands {
    /// The operation comes from `op`.
    pub is_warp_op: Signal<In, Bit>,
    /// The actions of the operation.
    pub actions: Signal<In, OpActions>,
    /// The numbers of the operation; 0 if no operation is taken.
    pub numbers: Signal<In, Numbers>,
    /// The addends of the item.
    pub addends: Signal<Out, Addends>,
    /// The number of arrivals is negated: the operation is an Init or AddPending.
    negates: Signal<Local, Bit>,
    /// The number of arrivals as an addend: inverted if it is negated. Only an operation from `op` can be an Init or
    /// AddPending, so a number from another source is never inverted.
    count_operand: Signal<Local, Bits<20>>,
}

#[block]
impl Logic for Operands {
    fn update(&mut self) {
        let actions = self.actions.val();
        let numbers = self.numbers.val();
        self.negates.next = actions.init | actions.adds;
        self.count_operand.next = numbers.count;
        if self.is_warp_op.val() & self.negates.val() {
            self.count_operand.next = !numbers.count;
        }
        self.addends.next.add_pending = self.count_operand.val();
        self.addends.next.pending_carry_in = self.negates.val();
        self.addends.next.add_expected = 0.into();
        if actions.drops | actions.init {
            self.addends.next.add_expected = self.count_operand.val();
        }
        self.addends.next.expected_carry_in = actions.init;

        // The carry into the sum of `tx` is `expects`.
        self.addends.next.add_tx = numbers.bytes;
        if actions.expects {
            self.addends.next.add_tx = !numbers.bytes;
        }
    }
}
