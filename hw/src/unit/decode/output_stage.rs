// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second of the two registers of `decode`: the operation that is offered.
//!
//! *Reads:* the operation of the instruction in the first register, if that instruction becomes an operation. *Writes:* the operation
//! channel. *Latency:* 1. Implements the ports `op_*` of `docs/contract/decode.md`. Some fields of the channel share their bits; such
//! a field is valid only if the kind of the operation uses it, and has any value otherwise.

use super::payloads::StoredOp;
use crate::prelude::*;

/// Sizes: warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, `L` lanes; `LD` bits, the larger of 32 and `L`,
/// for a field that holds data or one bit per lane.
#[block]
pub struct OutputStage<LW, LC, L, LD> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The instruction in the first register becomes an operation.
    pub has_op: Signal<In, Bit>,
    /// The operation that the instruction becomes.
    pub operation: Signal<In, StoredOp<LW, LC, L, LD>>,
    pub op: Source<DecodedOp<LW, LC, L>>,
    /// An operation is offered.
    #[reset]
    offered: DFF<Bit>,
    op_q: DFF<StoredOp<LW, LC, L, LD>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for OutputStage {
    fn update(&mut self) {
        let op = self.op_q.q.val();
        if self.op.ready.val() {
            self.offered.d.next = self.has_op.val();
            self.op_q.d.next = self.operation.val();
        }
        self.op.valid.next = self.offered.q.val();
        self.op.payload.next.request.kind = op.kind;
        self.op.payload.next.request.fault = op.fault;
        self.op.payload.next.request.uniform = op.uniform;
        self.op.payload.next.request.cta = op.cta;
        self.op.payload.next.request.id = op.id;
        self.op.payload.next.request.count = bit_cast::<12, 21>(op.mbarrier_request.number);
        self.op.payload.next.request.redop = op.redop;
        self.op.payload.next.request.state = op.state;
        self.op.payload.next.request.data = bit_cast::<32, LD>(op.shared_bits);
        self.op.payload.next.warp = op.warp;
        self.op.payload.next.lane_set.form = op.form;
        self.op.payload.next.lane_set.lanes = op.lanes;
        self.op.payload.next.lane_set.votes = bit_cast::<L, LD>(op.shared_bits);
        if self.has_mbarrier.val() & (op.kind == OpKind::Mbarrier) {
            self.op.payload.next.lane_set.votes = op.lanes;
        }
        self.op.payload.next.lane_set.members = bit_cast::<L, LD>(op.shared_bits);
        self.op.payload.next.mbarrier_request = op.mbarrier_request;
        self.op.payload.next.release = op.release;
        self.op.payload.next.destination = op.destination;
    }
}
