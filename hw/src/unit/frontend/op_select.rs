// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation that enters `gather`: the operation of `cta_table` if there is one, else the operation of `decode`.
//!
//! *Reads:* the operation channels of `cta_table` and `decode`; whether `gather` takes an operation. *Writes:* the operation at the input
//! of `gather`; a strobe with the CTA slot of the operation that enters `gather`. *Latency:* 0, no state. Implements `op_ready` of
//! `cta_table` and `decode` in `docs/contract/bcu.md`.
//!
//! `cta_table` has precedence, so a stream of instructions cannot block the launch or retirement of a CTA.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, `L` lanes.
#[block]
pub struct OpSelect<W, LW, LC, L> {
    pub cta_op: Sink<CtaOp<W, LW, LC, L>>,
    pub decoded_op: Sink<DecodedOp<LW, LC, L>>,
    /// `gather` takes the operation that is offered.
    pub gather_takes: Signal<In, Bit>,
    /// The operation that is offered to `gather`; a field that the operation's kind does not use has any value.
    pub op: StrobeOut<LaneOp<W, LW, LC, L>>,
    /// An operation enters `gather`; the payload is its CTA slot.
    pub entered: StrobeOut<OpCta<LC>>,
}

#[block]
impl Logic for OpSelect {
    fn update(&mut self) {
        let cta_op = self.cta_op.payload.val();
        let decoded_op = self.decoded_op.payload.val();
        self.op.valid.next = self.cta_op.valid.val() | self.decoded_op.valid.val();
        self.op.payload.next.request = decoded_op.request;
        self.op.payload.next.warp = decoded_op.warp;
        self.op.payload.next.mask = cta_op.mask;
        self.op.payload.next.lane_set = decoded_op.lane_set;
        self.op.payload.next.mbarrier_request = decoded_op.mbarrier_request;
        self.op.payload.next.release = decoded_op.release;
        self.op.payload.next.from_instr = !self.cta_op.valid.val();
        self.op.payload.next.destination = decoded_op.destination;
        self.entered.valid.next = self.gather_takes.val() & (self.cta_op.valid.val() | self.decoded_op.valid.val());
        self.entered.payload.next.cta = decoded_op.request.cta;
        if self.cta_op.valid.val() {
            self.op.payload.next.request.kind = cta_op.kind;
            self.op.payload.next.request.fault = cta_op.fault;
            self.op.payload.next.request.uniform = true;
            self.op.payload.next.request.cta = cta_op.cta;
            self.op.payload.next.request.id = 0.into();
            self.op.payload.next.warp = cta_op.warp;
            self.op.payload.next.lane_set.lanes = cta_op.lanes;
            self.entered.payload.next.cta = cta_op.cta;
        }
        self.cta_op.ready.next = self.gather_takes.val();
        self.decoded_op.ready.next = self.gather_takes.val() & !self.cta_op.valid.val();
    }
}
