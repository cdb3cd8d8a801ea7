// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input stage: takes an operation, which is in the lookup stage one cycle later.
//!
//! *Reads:* the operation at the port, which is taken if no operation waits in the lookup stage and the pipeline does not stall.
//! *Writes:* in the same cycle the warp whose row is read next; one cycle later the operation, its flags, and the warp whose row
//! the operation changes. *Latency:* 1. Implements the part of *Cycles* of `docs/contract/gather.md` before the
//! evaluation.
//!
//! An operation needs the row of its warp. The operation waits in the lookup stage until each earlier operation has written or reset
//! this row; no operation is transferred meanwhile. So every row is read from the memory, and a row in the pipeline is never
//! forwarded. In the whole unit such a wait is rare: a warp issues its next instruction only after its operation is done.

use super::last_warp::LastWarp;
use super::op_decode::OpDecode;
use super::payloads::{CheckFlags, FoldedOp, LookupOp, LookupTarget, Neighbours, OpFlags};
use super::row_hazard::RowHazard;
use super::votes::Poll;
use crate::prelude::*;
use crate::unit::fold::Fold;

/// `W` warps with numbers of `LW` bits, `L` lanes each (`LP`: `L` rounded up to a multiple of four), CTA slots with numbers of `LC`
/// bits.
#[block]
pub struct InputStage<W, LW, LC, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// The pipeline stalls: every operation stays in its stage.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<Out, Neighbours<LW>>,
    pub lookup_op: Signal<Out, LookupOp<W, LW, LC, L>>,
    pub lookup_target: Signal<Out, LookupTarget<LW>>,
    /// The operation in the lookup stage waits for its row, and no operation is taken.
    pub lookup_waits: Signal<Out, Bit>,
    /// The operation in the lookup stage.
    lookup_op_q: DFF<LookupOp<W, LW, LC, L>>,
    lookup_target_q: DFF<LookupTarget<LW>>,
    row_hazard: RowHazard<LW>,
    op_decode: OpDecode<L>,
    last_warp: LastWarp<W, LW>,
    poll: Poll<L, LP>,
    #[init(Fold::new(config))]
    fold: Fold<W, LC>,
    /// The operation in the lookup stage waits for its row.
    waits: Signal<Local, Bit>,
    /// The operation in the lookup stage stays there: it waits, or the pipeline stalls.
    stays: Signal<Local, Bit>,
    /// An operation is transferred at `in`.
    op_taken: Signal<Local, Bit>,
    op: Signal<Local, FoldedOp<W, LW, LC>>,
    no_flags: Constant<OpFlags>,
    no_check_flags: Constant<CheckFlags>,
}

#[block]
impl Logic for InputStage {
    fn update(&mut self) {
        let entering = self.in_.payload.val();
        self.waits.next = self.row_hazard.lookup_waits.val();
        self.lookup_waits.next = self.waits.val();
        self.stays.next = self.waits.val() | self.stall.val();
        self.op_taken.next = self.in_.valid.val() & !self.stays.val();

        // While the operation waits or the pipeline stalls, its flags are 0, so the operation has no effect yet.
        self.lookup_op.next = self.lookup_op_q.q.val();
        if self.stays.val() {
            self.lookup_op.next.flags = self.no_flags.val();
            self.lookup_op.next.check_flags = self.no_check_flags.val();
        }
        self.lookup_target.next = self.lookup_target_q.q.val();

        // The warp whose row is read next.
        self.row_hazard.stall.next = self.stall.val();
        self.row_hazard.op_taken.next = self.op_taken.val();
        self.row_hazard.entering_warp.next = entering.warp;
        self.row_hazard.lookup_leaves.next = self.lookup_op.val().flags.valid;
        self.row_hazard.resets_rows.next = self.lookup_op.val().flags.resets_rows;
        self.row_hazard.lookup_warp.next = self.lookup_op_q.q.val().op.warp;
        self.row_hazard.target_warp.next = self.lookup_target_q.q.val().target_warp;
        self.neighbours.next = self.row_hazard.neighbours.val();

        // The operation in its stored form, and its flags.
        self.fold.fields.next.request = entering.request;
        self.fold.fields.next.mask = entering.mask;
        self.fold.fields.next.mbarrier_request = entering.mbarrier_request;
        self.fold.fields.next.all_live_lanes = false;
        self.fold.fields.next.destination = entering.destination;
        self.op.next.folded = self.fold.folded.val();
        self.op.next.warp = entering.warp;
        self.op.next.release = entering.release;
        self.op.next.from_instr = entering.from_instr;
        self.op_decode.op_taken.next = self.op_taken.val();
        self.op_decode.kind.next = entering.request.kind;
        self.op_decode.fault.next = entering.request.fault;
        self.op_decode.uniform.next = entering.request.uniform;
        self.op_decode.lane_set.next = entering.lane_set;
        self.op_decode.any_warp.next = entering.mask.any();
        self.op_decode.from_instr.next = entering.from_instr;
        self.last_warp.cta_warps.next = entering.mask;
        self.poll.lanes.next = entering.lane_set.lanes;
        self.poll.true_lanes.next = entering.lane_set.votes;
        if !self.stays.val() {
            self.lookup_op_q.d.next.flags = self.op_decode.flags.val();
            self.lookup_op_q.d.next.check_flags = self.op_decode.check_flags.val();
            self.lookup_op_q.d.next.op = self.op.val();
            self.lookup_op_q.d.next.lanes = entering.lane_set.lanes;
            self.lookup_op_q.d.next.members = entering.lane_set.members;
            self.lookup_op_q.d.next.polled = self.poll.polled.val();
            self.lookup_op_q.d.next.has_votes = self.op_decode.has_votes.val();
            self.lookup_op_q.d.next.gathers_as = self.op_decode.gathers_as.val();
            self.lookup_target_q.d.next.from_exit = self.op_decode.from_exit.val();
            self.lookup_target_q.d.next.target_warp = entering.warp;
            if self.op_decode.is_cta_op.val() {
                self.lookup_target_q.d.next.target_warp = self.last_warp.index.val();
            }
        }

        if self.reset.val() {
            self.lookup_op_q.d.next.flags = self.no_flags.val();
            self.lookup_op_q.d.next.check_flags = self.no_check_flags.val();
            self.lookup_target_q.d.next.from_exit = false;
        }
    }
}
