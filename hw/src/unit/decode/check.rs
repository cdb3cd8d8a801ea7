// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether a warp may execute its instruction: the fault of the instruction, and whether the instruction becomes an
//! operation.
//!
//! *Reads:* the warp of the instruction that is offered; masks of the warps that are live, blocked, and barred from state
//! accesses (`full`); whether the word is legal and whether a lane executes it. *Writes:* the fault of the instruction in the
//! first of the two registers of `decode`, and whether that instruction becomes an operation. *Latency:* 1. Implements the faults
//! in `docs/contract/decode.md`.
//!
//! An instruction is offered until it is taken, and its warp may issue if the warp is not blocked in the first cycle of the offer.
//! So the warp's bits of `blocked` and `full` are sampled in that first cycle.

use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits.
#[block]
pub struct Check<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An instruction is offered.
    pub offered: Signal<In, Bit>,
    /// The first register takes the instruction that is offered, or becomes empty.
    pub enable: Signal<In, Bit>,
    /// The warp of the instruction that is offered.
    pub warp: Signal<In, Bits<LW>>,
    /// Launched warps that have not exited.
    pub live: Signal<In, Bits<W>>,
    /// Warps whose instructions are refused. For B2R, B2R_RESULT and R2B `full` decides instead.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps whose B2R, B2R_RESULT and R2B are refused: they must not even read or write state.
    pub full: Signal<In, Bits<W>>,
    /// The word is legal, or is ignored because the form is WarpSync or Elect.
    pub is_legal: Signal<In, Bit>,
    /// The instruction reads or writes state: B2R, B2R_RESULT or R2B.
    pub accesses_state: Signal<In, Bit>,
    /// A lane executes the instruction.
    pub has_lanes: Signal<In, Bit>,
    /// The first register has an instruction, and that instruction becomes an operation.
    pub has_op: Signal<Out, Bit>,
    /// The instruction that was taken last becomes an operation.
    pub becomes_op: Signal<Out, Bit>,
    /// The word of the instruction that was taken last is illegal.
    pub illegal: Signal<Out, Bit>,
    /// The fault of the instruction that was taken last, or none.
    pub fault: Signal<Out, FaultCode>,
    /// The first register has an instruction.
    #[reset]
    has_instr: DFF<Bit>,
    /// The warp of the instruction in the first register is not live.
    not_live: DFF<Bit>,
    /// A lane executes the instruction in the first register, or the warp of that instruction is not live. A warp that is not
    /// live is a fault even without an executing lane.
    any_lane: DFF<Bit>,
    /// The warp of the instruction in the first register was blocked in the first cycle of the offer.
    is_blocked: DFF<Bit>,
    /// The warp of the instruction in the first register was in `full` in the first cycle of the offer.
    is_full: DFF<Bit>,
    accesses_state_q: DFF<Bit>,
    illegal_q: DFF<Bit>,
    /// An instruction was offered in the previous cycle and not taken.
    #[reset]
    offer_holds: DFF<Bit>,
    /// `offer_blocked` of the previous cycle.
    offer_blocked_q: DFF<Bit>,
    /// `offer_full` of the previous cycle.
    offer_full_q: DFF<Bit>,
    /// The warp of the instruction that is offered is not live.
    absent: Signal<Local, Bit>,
    /// The warp of the instruction that is offered was blocked in the first cycle of the offer.
    offer_blocked: Signal<Local, Bit>,
    /// The warp of the instruction that is offered was in `full` in the first cycle of the offer.
    offer_full: Signal<Local, Bit>,
    /// The instruction that was taken last must not issue. Its fault is `warp_blocked`, or `not_resident` if its warp is not live.
    refused: Signal<Local, Bit>,
}

#[block]
impl Logic for Check {
    fn update(&mut self) {
        // The bits of the warp in the first cycle of the offer; they are kept while the offer holds.
        self.absent.next = !self.live.val().at(self.warp.val());
        self.offer_blocked.next = self.blocked.val().at(self.warp.val());
        self.offer_full.next = self.full.val().at(self.warp.val());
        if self.offer_holds.q.val() {
            self.offer_blocked.next = self.offer_blocked_q.q.val();
            self.offer_full.next = self.offer_full_q.q.val();
        }
        self.offer_holds.d.next = self.offered.val() & !self.enable.val();
        self.offer_blocked_q.d.next = self.offer_blocked.val();
        self.offer_full_q.d.next = self.offer_full.val();

        if self.enable.val() {
            self.has_instr.d.next = self.offered.val();
            self.not_live.d.next = self.absent.val();
            self.any_lane.d.next = self.has_lanes.val() | self.absent.val();
            self.is_blocked.d.next = self.offer_blocked.val();
            self.is_full.d.next = self.offer_full.val();
            self.accesses_state_q.d.next = self.accesses_state.val();
            self.illegal_q.d.next = !self.is_legal.val();
        }

        // The instruction in the first register. An instruction without an executing lane becomes an operation only if it has a
        // fault, which is then reported.
        self.refused.next = self.is_blocked.q.val();
        if self.accesses_state_q.q.val() & !self.illegal_q.q.val() {
            self.refused.next = self.is_full.q.val();
        }
        self.becomes_op.next = self.any_lane.q.val() | self.illegal_q.q.val() | self.refused.val();
        self.has_op.next = self.has_instr.q.val() & self.becomes_op.val();
        self.illegal.next = self.illegal_q.q.val();
        // The last assignment wins, so the cause with the highest precedence is the last.
        self.fault.next = FaultCode::None;
        if self.illegal_q.q.val() {
            self.fault.next = FaultCode::IllegalInstruction;
        }
        if self.refused.val() {
            self.fault.next = FaultCode::WarpBlocked;
        }
        if self.not_live.q.val() {
            self.fault.next = FaultCode::NotResident;
        }
    }
}
