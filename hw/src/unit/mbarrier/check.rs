// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks an operation against its object: whether it has a fault, and whether it completes the phase.
//!
//! *Reads:* the item in the decide stage, with its sums. *Writes:* in the same cycle the fault, if there is one, and whether the
//! phase is complete. *Latency:* 0, no state. Implements the table of faults of `docs/contract/mbarrier.md` from
//! `mbarrier_invalid` on; PTX leaves these cases undefined.

use super::item::{OpActions, Word};
use super::payloads::{Judgement, WordSums};
use crate::prelude::*;

#[block]
pub struct Check {
    /// The actions of the operation in the decide stage.
    pub actions: Signal<In, OpActions>,
    /// The word before the operation.
    pub word: Signal<In, Word>,
    /// Bit 0 of the word from memory: 1 = not an mbarrier object.
    pub bad_layout: Signal<In, Bit>,
    /// The sums of the operation.
    pub sums: Signal<In, WordSums>,
    /// The check: fault and completion.
    pub judgement: Signal<Out, Judgement>,
    /// The expected count is 0 after the operation.
    expected_zero: Signal<Local, Bit>,
    /// The pending count is 0 after the operation.
    pending_zero: Signal<Local, Bit>,
    /// The byte count after the operation, as it is stored (negated), without its sign bit.
    low_tx: Signal<Local, Bits<20>>,
    /// All bits of `low_tx` are 0.
    low_tx_zero: Signal<Local, Bit>,
    /// Pending count and byte count are 0 after the operation.
    pending_tx_zero: Signal<Local, Bit>,
    /// The word before the operation is an object that is not spent.
    object_valid: Signal<Local, Bit>,
    /// The word before the operation is a spent object, which only answers waits.
    is_spent: Signal<Local, Bit>,
    /// The pending count was not 0 before the operation.
    was_pending: Signal<Local, Bit>,
    /// The byte count after the operation, as it is stored (negated), is -2^20: out of range.
    tx_out_of_range: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Check {
    fn update(&mut self) {
        let actions = self.actions.val();
        let word = self.word.val();
        let sums = self.sums.val();
        self.expected_zero.next = !sums.new_word.new_expected.any();
        self.pending_zero.next = !sums.new_word.new_pending.any();
        self.low_tx.next = bit_cast::<20, 21>(sums.new_word.new_tx);
        self.low_tx_zero.next = !self.low_tx.val().any();
        self.pending_tx_zero.next = self.pending_zero.val() & self.low_tx_zero.val() & !sums.new_word.new_tx.get_bit(20);
        self.judgement.next.late_complete = self.pending_tx_zero.val() & actions.completes & actions.expects;
        self.judgement.next.complete = sums.complete | self.judgement.val().late_complete;
        self.judgement.next.spent = self.expected_zero.val();

        // The word before the operation is an object, or a spent object, or neither.
        self.was_pending.next = word.pending.any();
        self.object_valid.next = !self.bad_layout.val() & !word.spent & word.expected.any();
        self.is_spent.next =
            !self.bad_layout.val() & word.spent & !word.expected.any() & !self.was_pending.val() & !word.tx.any();
        self.tx_out_of_range.next = self.low_tx_zero.val() & sums.new_word.new_tx.get_bit(20);

        // The last assignment wins, so the causes are in reverse order of precedence.
        self.judgement.next.code = FaultCode::None;
        if self.checks.val() {
            if actions.only_expects & self.pending_tx_zero.val() {
                self.judgement.next.code = FaultCode::MbarrierExpectLate;
            }
            if actions.no_complete & self.pending_tx_zero.val() {
                self.judgement.next.code = FaultCode::MbarrierCompletes;
            }
            if actions.drops
                & sums.expected_carry
                & !(self.expected_zero.val() & self.pending_tx_zero.val() & actions.completes)
            {
                self.judgement.next.code = FaultCode::MbarrierDropToZero;
            }
            if actions.arrives & (!self.was_pending.val() | (sums.pending_carry & !self.pending_zero.val())) {
                self.judgement.next.code = FaultCode::MbarrierOverArrival;
            }
            if actions.moves_bytes & (self.tx_out_of_range.val() | (sums.tx_carry != actions.expects)) {
                self.judgement.next.code = FaultCode::MbarrierTxRange;
            }
            if actions.adds & self.was_pending.val() & (!sums.pending_carry | self.pending_zero.val()) {
                self.judgement.next.code = FaultCode::MbarrierCount;
            }
            if !self.object_valid.val() & !(actions.waits & self.is_spent.val()) {
                self.judgement.next.code = FaultCode::MbarrierInvalid;
            }
        }
        self.judgement.next.refused = self.judgement.val().code != FaultCode::None;
    }
}
