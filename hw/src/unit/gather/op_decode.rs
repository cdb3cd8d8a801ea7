// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Makes flags from the operation that enters. The flags select the actions on the lanes of its warp.
//!
//! *Reads:* the kind, the fault and the lanes of the operation; whether it is taken. *Writes:* the flags of the operation, and
//! the properties that `check` reads. *Latency:* 0, no state. Implements *Operations passed on unchanged* of
//! `docs/contract/gather.md`: such an operation has only the flag `valid`.

use super::kinds::{GatheredKind, GatheredOf};
use super::payloads::{CheckFlags, OpFlags};
use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct OpDecode<L> {
    /// An operation is transferred at `in` of the unit.
    pub op_taken: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub fault: Signal<In, FaultCode>,
    /// All executing lanes gave equal operands.
    pub uniform: Signal<In, Bit>,
    pub lane_set: Signal<In, LaneSet<L>>,
    /// The operation's mask of warps is not 0.
    pub any_warp: Signal<In, Bit>,
    /// 1 = from an instruction, 0 = from `cta_table`.
    pub from_instr: Signal<In, Bit>,
    pub flags: Signal<Out, OpFlags>,
    pub check_flags: Signal<Out, CheckFlags>,
    /// The kind is Launch or Release.
    pub is_cta_op: Signal<Out, Bit>,
    /// The kind has votes: Reduce, Mbarrier.
    pub has_votes: Signal<Out, Bit>,
    /// The operation's kind, encoded as a kind of gathering; meaningless for a kind that cannot
    /// gather.
    pub gathers_as: Signal<Out, GatheredKind>,
    /// An exit caused the operation, so `exit_pending` includes the warp of the operation that is passed on.
    pub from_exit: Signal<Out, Bit>,
    gathered_of: GatheredOf,
    /// An operation without a fault is taken.
    op_accepted: Signal<Local, Bit>,
    /// The kind can gather: Sync, Arrive, Reduce, ClusterArrive, ClusterArriveRelaxed or ClusterWait.
    can_gather: Signal<Local, Bit>,
    /// The accepted operation is of a kind that can gather.
    is_arrival: Signal<Local, Bit>,
    is_exit: Signal<Local, Bit>,
    /// Executing lanes outside the member mask.
    stray_lanes: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for OpDecode {
    fn update(&mut self) {
        let kind = self.kind.val();
        let lane_set = self.lane_set.val();
        self.op_accepted.next = self.op_taken.val() & (self.fault.val() == FaultCode::None);
        self.can_gather.next = (kind == OpKind::Sync)
            | (kind == OpKind::Arrive)
            | (kind == OpKind::Reduce)
            | (kind == OpKind::ClusterArrive)
            | (kind == OpKind::ClusterArriveRelaxed)
            | (kind == OpKind::ClusterWait);
        self.is_arrival.next = self.op_accepted.val() & self.can_gather.val();
        self.is_exit.next = self.op_accepted.val() & (kind == OpKind::Exit);
        self.is_cta_op.next = (kind == OpKind::Launch) | (kind == OpKind::Release);
        self.stray_lanes.next = lane_set.lanes & !lane_set.members;

        self.flags.next.valid = self.op_taken.val();
        self.flags.next.resets_rows = self.op_accepted.val() & self.is_cta_op.val();
        self.flags.next.writes_last_row = self.op_accepted.val() & (kind == OpKind::Launch) & self.any_warp.val();
        self.flags.next.is_exit = self.is_exit.val();
        self.flags.next.is_gathered = self.is_arrival.val() & (lane_set.form == Form::Gathered) & self.uniform.val();
        self.flags.next.is_warp_sync =
            self.is_arrival.val() & ((lane_set.form == Form::WarpSync) | (lane_set.form == Form::Elect));
        self.flags.next.is_elect = lane_set.form == Form::Elect;
        self.check_flags.next.is_aligned = self.is_arrival.val() & (lane_set.form == Form::Aligned);
        self.check_flags.next.has_stray_lane = self.stray_lanes.val().any();
        self.check_flags.next.any_lane = lane_set.lanes.any();
        self.check_flags.next.all_lanes = lane_set.lanes.all();
        self.has_votes.next = (kind == OpKind::Reduce) | (kind == OpKind::Mbarrier);
        self.gathered_of.kind.next = kind;
        self.gathers_as.next = self.gathered_of.gathered.val();
        self.from_exit.next = !self.from_instr.val() & (self.is_arrival.val() | self.is_exit.val());
    }
}
