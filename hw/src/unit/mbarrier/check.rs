// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks an operation against its object: whether it has a fault, and whether it completes the phase.
//!
//! *Reads:* the item in the decide stage, with its sums. *Writes:* in the same cycle the fault, if there is one, and whether the
//! phase is complete. *Latency:* 0, no state. Implements the faults of `docs/contract/mbarrier.md` from `mbarrier_invalid` on: the
//! cases that PTX leaves undefined.

use super::sums::Ctrl;
use crate::prelude::*;

/// The check of an operation against its object.
#[payload]
pub struct Judgement {
    /// The operation is refused.
    pub refused: Bit,
    /// The fault; None if the operation is not refused.
    pub code: FaultCode,
    /// The phase is complete.
    pub complete: Bit,
    /// The completion is detected only in this cycle (forms that expect bytes): the later items restart.
    pub late_complete: Bit,
    /// The expected count is 0 after the operation: if it completes the phase, the object is spent.
    pub spent: Bit,
}

#[block]
pub struct Check<W, LW, LC, XW, XI, XT, XL> {
    /// The item in the decide stage, with its sums.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// The check: fault and completion.
    pub judgement: Signal<Out, Judgement>,
    /// The expected count is 0 after the operation.
    expected_zero: Signal<Local, Bit>,
    /// The pending count is 0 after the operation.
    pending_zero: Signal<Local, Bit>,
    /// The byte count after the operation without its sign bit.
    low_tx: Signal<Local, Bits<20>>,
    /// `low_tx` is 0.
    low_tx_zero: Signal<Local, Bit>,
    /// Pending count and byte count are 0 after the operation.
    pending_tx_zero: Signal<Local, Bit>,
    /// The word before the operation is an object that is not spent.
    object_valid: Signal<Local, Bit>,
    /// The word before the operation is a spent object, which only answers waits.
    is_spent: Signal<Local, Bit>,
    /// The pending count was not 0 before the operation.
    was_pending: Signal<Local, Bit>,
    /// The byte count is -2^20 after the operation: out of range.
    tx_out_of_range: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Check<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.expected_zero.next = !self.ctrl.val().new_word.new_expected.any();
        self.pending_zero.next = !self.ctrl.val().new_word.new_pending.any();
        self.low_tx.next = bit_cast::<20, 21>(self.ctrl.val().new_word.new_tx);
        self.low_tx_zero.next = !self.low_tx.val().any();
        self.pending_tx_zero.next =
            self.pending_zero.val() & self.low_tx_zero.val() & !self.ctrl.val().new_word.new_tx.get_bit(20);
        self.judgement.next.late_complete =
            self.pending_tx_zero.val() & self.ctrl.val().item.actions.op.completes & self.ctrl.val().item.actions.op.expects;
        self.judgement.next.complete = self.ctrl.val().complete | self.judgement.val().late_complete;
        self.judgement.next.spent = self.expected_zero.val();

        // The word before the operation: an object, or a spent one, which only answers waits.
        self.was_pending.next = self.ctrl.val().entry_data.word.pending.any();
        self.object_valid.next = !self.ctrl.val().bad_layout
            & !self.ctrl.val().entry_data.word.spent
            & self.ctrl.val().entry_data.word.expected.any();
        self.is_spent.next = !self.ctrl.val().bad_layout
            & self.ctrl.val().entry_data.word.spent
            & !self.ctrl.val().entry_data.word.expected.any()
            & !self.was_pending.val()
            & !self.ctrl.val().entry_data.word.tx.any();
        self.tx_out_of_range.next = self.low_tx_zero.val() & self.ctrl.val().new_word.new_tx.get_bit(20);

        // The last assignment wins, so the causes are in reverse order of precedence.
        self.judgement.next.code = FaultCode::None;
        if self.checks.val() {
            if self.ctrl.val().item.actions.op.only_expects & self.pending_tx_zero.val() {
                self.judgement.next.code = FaultCode::MbarrierExpectLate;
            }
            if self.ctrl.val().item.actions.op.no_complete & self.pending_tx_zero.val() {
                self.judgement.next.code = FaultCode::MbarrierCompletes;
            }
            if self.ctrl.val().item.actions.op.drops
                & self.ctrl.val().expected_carry
                & !(self.expected_zero.val() & self.pending_tx_zero.val() & self.ctrl.val().item.actions.op.completes)
            {
                self.judgement.next.code = FaultCode::MbarrierDropToZero;
            }
            if self.ctrl.val().item.actions.op.arrives
                & (!self.was_pending.val() | (self.ctrl.val().pending_carry & !self.pending_zero.val()))
            {
                self.judgement.next.code = FaultCode::MbarrierOverArrival;
            }
            if self.ctrl.val().item.actions.op.moves_bytes
                & (self.tx_out_of_range.val() | (self.ctrl.val().tx_carry != self.ctrl.val().item.actions.op.expects))
            {
                self.judgement.next.code = FaultCode::MbarrierTxRange;
            }
            if self.ctrl.val().item.actions.op.adds
                & self.was_pending.val()
                & (!self.ctrl.val().pending_carry | self.pending_zero.val())
            {
                self.judgement.next.code = FaultCode::MbarrierCount;
            }
            if !self.object_valid.val() & !(self.ctrl.val().item.actions.op.waits & self.is_spent.val()) {
                self.judgement.next.code = FaultCode::MbarrierInvalid;
            }
        }
        self.judgement.next.refused = self.judgement.val().code != FaultCode::None;
    }
}
