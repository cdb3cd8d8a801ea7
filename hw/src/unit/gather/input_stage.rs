// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input stage: takes an operation, which is in the lookup stage one cycle later.
//!
//! *Reads:* the operation, which is taken unless an operation waits in the lookup stage or the pipeline stalls. *Writes:* in the
//! same cycle the warp whose row is read next; one cycle later the operation and its requests; two cycles later the warp whose row
//! it changes. *Latency:* 1.
//!
//! An operation waits in the lookup stage while an earlier one has yet to write the same row; no operation is taken meanwhile. So
//! a row is in the memory before it is needed. In the whole unit such a wait is rare: a warp issues when its last operation is done.

use super::{
    kinds::{GatheredKind, GatheredOf},
    last_warp::LastWarp,
    votes::{Poll, Polled},
};
use crate::prelude::*;
use crate::unit::folded::{Fold, Folded};

/// The requests of the operation in the lookup stage. If it has a fault, `valid` alone counts.
#[payload]
pub struct OpFlags {
    /// There is an operation, which is passed on unless it is absorbed.
    pub valid: Bit,
    /// Launch, Release: the rows of its warps are reset.
    pub resets_rows: Bit,
    /// Launch of at least one warp: the row of the last warp is written, because not all of its lanes may be live.
    pub writes_last_row: Bit,
    /// Exit.
    pub is_exit: Bit,
    /// Form Gathered, with uniform operands.
    pub is_gathered: Bit,
    /// Form Aligned.
    pub is_aligned: Bit,
    /// Form WarpSync or Elect.
    pub is_warp_sync: Bit,
    /// Form Elect.
    pub is_elect: Bit,
    /// An executing lane is not in the member mask.
    pub has_stray_lane: Bit,
    /// The operation has an executing lane.
    pub any_lane: Bit,
    /// All lanes of the warp execute the operation.
    pub all_lanes: Bit,
}

/// An operation in its stored form.
#[payload]
pub struct FoldedOp<W, LW, LC> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// 1 = from an instruction, 0 = from `cta_table`.
    pub from_instr: Bit,
    /// Mbarrier: an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The operation in the lookup stage.
#[payload]
pub struct LookupOp<W, LW, LC, L> {
    /// All 0 while the operation waits or the pipeline stalls.
    pub flags: OpFlags,
    pub op: FoldedOp<W, LW, LC>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
    /// Reduce, mbarrier: the votes of its lanes, partly counted.
    pub polled: Polled<L>,
    /// The operation's kind has votes: Reduce, Mbarrier.
    pub has_votes: Bit,
    /// The operation's kind as the kind of a gathering, if it can gather.
    pub gathers_as: GatheredKind,
    /// The operation comes from an exit: the operation that it passes on is output in `exit_pending`. Also set while it waits.
    pub from_exit: Bit,
    /// The warp whose row the operation changes: its warp, or the last warp of a Launch or Release.
    pub target_warp: Bits<LW>,
}

/// The warps of the operations before and after the lookup stage.
#[payload]
pub struct Neighbours<LW> {
    /// An operation will be in the lookup stage in the next cycle, waiting or not.
    pub lookup_valid_next: Bit,
    /// The warp of that operation.
    pub next_warp: Bits<LW>,
    /// The warp whose row the operation in the commit stage changes.
    pub commit_target: Bits<LW>,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits.
#[block]
pub struct InputStage<W, LW, LC, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// The pipeline stalls: every operation stays in its stage.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<Out, Neighbours<LW>>,
    pub lookup_op: Signal<Out, LookupOp<W, LW, LC, L>>,
    /// The operation in the lookup stage waits, and none is taken.
    pub lookup_waits: Signal<Out, Bit>,
    /// The operation in the lookup stage.
    lookup_op_q: DFF<LookupOp<W, LW, LC, L>>,
    /// The warp whose row the operation in the commit stage changes.
    commit_target: DFF<Bits<LW>>,
    /// An operation left the lookup stage in the last cycle.
    #[reset]
    commit_valid: DFF<Bit>,
    /// The operation in the lookup stage waits.
    #[reset]
    lookup_waits_q: DFF<Bit>,
    last_warp: LastWarp<W, LW>,
    /// An operation is taken.
    op_taken: Signal<Local, Bit>,
    /// The taken operation has no fault.
    op_accepted: Signal<Local, Bit>,
    is_arrival: Signal<Local, Bit>,
    gathered_of: GatheredOf,
    is_exit: Signal<Local, Bit>,
    resets_rows: Signal<Local, Bit>,
    /// Executing lanes that are not in the member mask.
    stray_lanes: Signal<Local, Bits<L>>,
    poll: Poll<L, LP>,
    #[init(Fold::new(config))]
    fold: Fold<W, LC>,
    op: Signal<Local, FoldedOp<W, LW, LC>>,
    no_flags: Constant<OpFlags>,
}

#[block]
impl Logic for InputStage<W, LW, LC, L, LP> {
    fn update(&mut self) {
        self.op_taken.next = self.in_.valid.val() & !self.lookup_waits_q.q.val() & !self.stall.val();

        // There are no requests while the operation waits or the pipeline stalls.
        self.lookup_op.next = self.lookup_op_q.q.val();
        if self.lookup_waits_q.q.val() | self.stall.val() {
            self.lookup_op.next.flags = self.no_flags.val();
        }

        // An operation waits until the row that it needs is written: for two cycles if the operation directly before it changes
        // that row.
        self.neighbours.next.lookup_valid_next = self.op_taken.val() | self.lookup_waits_q.q.val();
        self.neighbours.next.commit_target = self.commit_target.q.val();
        self.neighbours.next.next_warp = self.in_.payload.val().warp;
        if self.lookup_waits_q.q.val() {
            self.neighbours.next.next_warp = self.lookup_op_q.q.val().op.warp;
        }
        self.commit_target.d.next = self.lookup_op_q.q.val().target_warp;
        self.commit_valid.d.next = self.lookup_op.val().flags.valid;
        self.lookup_waits_q.d.next = self.neighbours.val().lookup_valid_next
            & ((self.lookup_op.val().flags.valid & (self.neighbours.val().next_warp == self.lookup_op_q.q.val().target_warp))
                | (self.commit_valid.q.val() & (self.neighbours.val().next_warp == self.commit_target.q.val())));
        if self.stall.val() {
            self.lookup_waits_q.d.next = self.lookup_waits_q.q.val();
        }

        // The requests of the operation.
        self.op_accepted.next = self.op_taken.val() & (self.in_.payload.val().request.fault == FaultCode::None);
        self.is_arrival.next = self.op_accepted.val()
            & ((self.in_.payload.val().request.kind == OpKind::Sync)
                | (self.in_.payload.val().request.kind == OpKind::Arrive)
                | (self.in_.payload.val().request.kind == OpKind::Reduce)
                | (self.in_.payload.val().request.kind == OpKind::ClusterArrive)
                | (self.in_.payload.val().request.kind == OpKind::ClusterArriveRelaxed)
                | (self.in_.payload.val().request.kind == OpKind::ClusterWait));
        self.gathered_of.kind.next = self.in_.payload.val().request.kind;
        self.is_exit.next = self.op_accepted.val() & (self.in_.payload.val().request.kind == OpKind::Exit);
        self.resets_rows.next =
            (self.in_.payload.val().request.kind == OpKind::Launch) | (self.in_.payload.val().request.kind == OpKind::Release);
        self.stray_lanes.next = self.in_.payload.val().lane_set.lanes & !self.in_.payload.val().lane_set.members;
        self.last_warp.cta_warps.next = self.in_.payload.val().mask;
        self.fold.fields.next.request = self.in_.payload.val().request;
        self.fold.fields.next.mask = self.in_.payload.val().mask;
        self.fold.fields.next.mbarrier_request = self.in_.payload.val().mbarrier_request;
        self.fold.fields.next.all_live_lanes = false;
        self.fold.fields.next.destination = self.in_.payload.val().destination;
        self.op.next.folded = self.fold.folded.val();
        self.op.next.warp = self.in_.payload.val().warp;
        self.poll.lanes.next = self.in_.payload.val().lane_set.lanes;
        self.poll.true_lanes.next = self.in_.payload.val().lane_set.votes;
        self.op.next.release = self.in_.payload.val().release;
        self.op.next.from_instr = self.in_.payload.val().from_instr;
        if !self.lookup_waits_q.q.val() & !self.stall.val() {
            self.lookup_op_q.d.next.flags.valid = self.op_taken.val();
            self.lookup_op_q.d.next.flags.resets_rows = self.op_accepted.val() & self.resets_rows.val();
            self.lookup_op_q.d.next.flags.writes_last_row = self.op_accepted.val()
                & (self.in_.payload.val().request.kind == OpKind::Launch)
                & self.in_.payload.val().mask.any();
            self.lookup_op_q.d.next.flags.is_exit = self.is_exit.val();
            self.lookup_op_q.d.next.flags.is_gathered = self.is_arrival.val()
                & (self.in_.payload.val().lane_set.form == Form::Gathered)
                & self.in_.payload.val().request.uniform;
            self.lookup_op_q.d.next.flags.is_aligned =
                self.is_arrival.val() & (self.in_.payload.val().lane_set.form == Form::Aligned);
            self.lookup_op_q.d.next.flags.is_warp_sync = self.is_arrival.val()
                & ((self.in_.payload.val().lane_set.form == Form::WarpSync)
                    | (self.in_.payload.val().lane_set.form == Form::Elect));
            self.lookup_op_q.d.next.flags.is_elect = self.in_.payload.val().lane_set.form == Form::Elect;
            self.lookup_op_q.d.next.flags.has_stray_lane = self.stray_lanes.val().any();
            self.lookup_op_q.d.next.flags.any_lane = self.in_.payload.val().lane_set.lanes.any();
            self.lookup_op_q.d.next.flags.all_lanes = self.in_.payload.val().lane_set.lanes.all();
            self.lookup_op_q.d.next.from_exit =
                !self.in_.payload.val().from_instr & (self.is_arrival.val() | self.is_exit.val());
            self.lookup_op_q.d.next.op = self.op.val();
            self.lookup_op_q.d.next.lanes = self.in_.payload.val().lane_set.lanes;
            self.lookup_op_q.d.next.polled = self.poll.polled.val();
            self.lookup_op_q.d.next.has_votes = (self.in_.payload.val().request.kind == OpKind::Reduce)
                | (self.in_.payload.val().request.kind == OpKind::Mbarrier);
            self.lookup_op_q.d.next.members = self.in_.payload.val().lane_set.members;
            self.lookup_op_q.d.next.gathers_as = self.gathered_of.gathered.val();
            self.lookup_op_q.d.next.target_warp = self.in_.payload.val().warp;
            if self.resets_rows.val() {
                self.lookup_op_q.d.next.target_warp = self.last_warp.index.val();
            }
        }
        self.lookup_waits.next = self.lookup_waits_q.q.val();

        if self.reset.val() {
            self.lookup_op_q.d.next.flags = self.no_flags.val();
            self.lookup_op_q.d.next.from_exit = false;
        }
    }
}
