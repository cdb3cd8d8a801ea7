// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What stands against an operation on an object, and whether it completes the phase after all.
//!
//! *Reads:* the item that is decided, with its sums. *Writes:* in the same cycle the fault, if there is one; whether the phase is complete.
//! *Latency:* 0, no state. Implements the faults of `docs/mbarrier.md` from `mbarrier_invalid` on: what PTX leaves undefined.

use super::sums::Ctrl;
use crate::prelude::*;

/// What the object says to an operation.
#[payload]
pub struct Judgement {
    pub refused: Bit,
    pub code: FaultCode,
    /// The phase is complete; found only now; and nobody is expected any more.
    pub complete: Bit,
    pub late: Bit,
    pub spent: Bit,
}

#[block]
pub struct Check<W, LW, LC, XW, XI, XT, XL> {
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    pub judgement: Signal<Out, Judgement>,
    none_expected: Signal<Local, Bit>,
    none_pending: Signal<Local, Bit>,
    low_tx: Signal<Local, Bits<20>>,
    no_low_tx: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    was_pending: Signal<Local, Bit>,
    range: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Check<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.none_expected.next = !self.ctrl.val().after.new_expected.any();
        self.none_pending.next = !self.ctrl.val().after.new_pending.any();
        self.low_tx.next = bit_cast::<20, 21>(self.ctrl.val().after.new_tx);
        self.no_low_tx.next = !self.low_tx.val().any();
        self.empty.next = self.none_pending.val() & self.no_low_tx.val() & !self.ctrl.val().after.new_tx.get_bit(20);
        self.judgement.next.late = self.empty.val() & self.ctrl.val().item.does.completes & self.ctrl.val().item.does.expects;
        self.judgement.next.complete = self.ctrl.val().complete | self.judgement.val().late;
        self.judgement.next.spent = self.none_expected.val();

        // What it is before: an object, or one that answers waits only.
        self.was_pending.next = self.ctrl.val().found.word.pending.any();
        self.valid.next =
            !self.ctrl.val().foreign & !self.ctrl.val().found.word.spent & self.ctrl.val().found.word.expected.any();
        self.over.next = !self.ctrl.val().foreign
            & self.ctrl.val().found.word.spent
            & !self.ctrl.val().found.word.expected.any()
            & !self.was_pending.val()
            & !self.ctrl.val().found.word.tx.any();
        self.range.next = self.no_low_tx.val() & self.ctrl.val().after.new_tx.get_bit(20);

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.judgement.next.code = FaultCode::None;
        if self.checks.val() {
            if self.ctrl.val().item.does.only_expects & self.empty.val() {
                self.judgement.next.code = FaultCode::MbarrierExpectLate;
            }
            if self.ctrl.val().item.does.must_not & self.empty.val() {
                self.judgement.next.code = FaultCode::MbarrierCompletes;
            }
            if self.ctrl.val().item.does.drops
                & self.ctrl.val().expected_carry
                & !(self.none_expected.val() & self.empty.val() & self.ctrl.val().item.does.completes)
            {
                self.judgement.next.code = FaultCode::MbarrierDropToZero;
            }
            if self.ctrl.val().item.does.arrives
                & (!self.was_pending.val() | (self.ctrl.val().pending_carry & !self.none_pending.val()))
            {
                self.judgement.next.code = FaultCode::MbarrierOverArrival;
            }
            if self.ctrl.val().item.does.moves_bytes
                & (self.range.val() | (self.ctrl.val().tx_carry != self.ctrl.val().item.does.expects))
            {
                self.judgement.next.code = FaultCode::MbarrierTxRange;
            }
            if self.ctrl.val().item.does.adds
                & self.was_pending.val()
                & (!self.ctrl.val().pending_carry | self.none_pending.val())
            {
                self.judgement.next.code = FaultCode::MbarrierCount;
            }
            if !self.valid.val() & !(self.ctrl.val().item.does.waits & self.over.val()) {
                self.judgement.next.code = FaultCode::MbarrierInvalid;
            }
        }
        self.judgement.next.refused = self.judgement.val().code != FaultCode::None;
    }
}
