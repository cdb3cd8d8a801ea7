// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of `gather`: the operation in each stage, the row of a warp, and the effects of an operation.

use super::kinds::GatheredKind;
use crate::prelude::*;
use crate::unit::folded::Folded;

/// The flags of the operation in the lookup stage. If the operation has a fault from upstream, only `valid` counts.
#[payload]
pub struct OpFlags {
    /// There is an operation. It is passed on or absorbed.
    pub valid: Bit,
    /// Launch, Release: the rows of the CTA's warps are reset.
    pub resets_rows: Bit,
    /// Launch of at least one warp: the row of the last warp is written, because some of its lanes may not be live.
    pub writes_last_row: Bit,
    /// The operation is an Exit.
    pub is_exit: Bit,
    /// The operation is an arrival of form Gathered, with uniform operands.
    pub is_gathered: Bit,
    /// The operation is an arrival of form WarpSync or Elect.
    pub is_warp_sync: Bit,
    /// The operation is of form Elect.
    pub is_elect: Bit,
}

/// The properties of an operation that only `check` reads.
#[payload]
pub struct CheckFlags {
    /// The operation is an arrival of form Aligned.
    pub is_aligned: Bit,
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
    /// Mbarrier: the operation is an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The votes of lanes, partly counted.
#[payload]
pub struct Polled<L> {
    /// The lanes form groups of four; the last group may have fewer. The bits of a group hold the number of its true predicates, in binary.
    pub digits: Bits<L>,
    /// The predicate of an executing lane is false.
    pub any_false: Bit,
    /// The predicate of an executing lane is true.
    pub any_true: Bit,
}

/// The operation in the lookup stage.
#[payload]
pub struct LookupOp<W, LW, LC, L> {
    /// All 0 while the operation waits or the pipeline stalls.
    pub flags: OpFlags,
    /// All 0 while the operation waits or the pipeline stalls.
    pub check_flags: CheckFlags,
    pub op: FoldedOp<W, LW, LC>,
    pub lanes: Bits<L>,
    /// WarpSync, Elect: the lanes that wait for each other.
    pub members: Bits<L>,
    /// Reduce, mbarrier: the votes of the operation's lanes, partly counted.
    pub polled: Polled<L>,
    /// The operation's kind has votes: Reduce, Mbarrier.
    pub has_votes: Bit,
    /// The operation's kind, encoded as a kind of gathering; meaningless for a kind that cannot
    /// gather.
    pub gathers_as: GatheredKind,
}

/// The warp whose state the operation in the lookup stage changes.
#[payload]
pub struct LookupTarget<LW> {
    /// An exit caused the operation, so `exit_pending` has the bit of its warp. This field stays 1 while the operation waits
    /// or the pipeline stalls, although `flags` of `LookupOp` are 0 then.
    pub from_exit: Bit,
    /// The warp whose row the operation changes: the warp of the operation; for a Launch or Release the last warp of the CTA.
    pub target_warp: Bits<LW>,
}

/// The warps of the operations before and after the lookup stage.
#[payload]
pub struct Neighbours<LW> {
    /// The warp of the operation that will be in the lookup stage in the next cycle, waiting or not.
    pub next_warp: Bits<LW>,
    /// The warp whose row the operation in the commit stage changes.
    pub commit_target: Bits<LW>,
}

/// The state of the lanes.
#[payload]
pub struct LaneStates<L> {
    /// Lanes that wait in this unit.
    pub waiting_lanes: Bits<L>,
    /// Live lanes that are at no rendezvous: they run, or wait at the gathering.
    pub not_in_rendezvous: Bits<L>,
}

/// Operands of the barrier instruction of a gathering.
#[payload]
pub struct Gathering {
    pub id: Bits<4>,
    pub count: Bits<12>,
}

/// The open gathering of a row.
#[payload]
pub struct GatheringTag<VW> {
    /// The gathering is open.
    pub open: Bit,
    /// Kind of the gathering's operation.
    pub kind: GatheredKind,
    /// Reduction of the gathering.
    pub redop: RedOp,
    /// Sum of the votes of the gathering's lanes.
    pub sum: Bits<VW>,
}

/// The open rendezvous of a row.
#[payload]
pub struct RendezvousTag {
    /// The first rendezvous is open.
    pub open_0: Bit,
    /// The first rendezvous is of form Elect, in which one lane leads; else WarpSync.
    pub elect_0: Bit,
    /// The second rendezvous is open.
    pub open_1: Bit,
    /// The second rendezvous is of form Elect.
    pub elect_1: Bit,
}

/// The open gathering and rendezvous of a row.
#[payload]
pub struct Tag<VW> {
    pub gathering_tag: GatheringTag<VW>,
    pub rendezvous_tag: RendezvousTag,
}

/// The row of a warp.
#[payload]
pub struct Row<L, VW> {
    /// The row is in its initial state: all lanes run, and `lane_states` is ignored.
    pub is_initial: Bit,
    pub lane_states: LaneStates<L>,
    /// Member mask of the first rendezvous.
    pub members_0: Bits<L>,
    /// Member mask of the second rendezvous.
    pub members_1: Bits<L>,
    pub gathering: Gathering,
    pub tag: Tag<VW>,
}

/// The new row of a warp, to be written.
#[payload]
pub struct NextRow<L, VW> {
    pub lane_states: LaneStates<L>,
    pub tag: Tag<VW>,
    /// The operation opens the gathering: `gathering` is written.
    pub opens_gathering: Bit,
    pub gathering: Gathering,
    /// The operation opens the first rendezvous: `members` is written as its member mask.
    pub opens_0: Bit,
    /// The operation opens the second rendezvous: `members` is written as its member mask.
    pub opens_1: Bit,
    pub members: Bits<L>,
}

/// The faults that the lanes of an operation cause. At most one bit is 1.
#[payload]
pub struct LaneFaults {
    /// Fault `not_resident`: no lane of the Exit is live.
    pub absent: Bit,
    /// Fault `warp_blocked`: a lane of the Exit waits.
    pub blocked: Bit,
    /// Fault `partial_mask`: not all live lanes take part in an operation of form Aligned.
    pub partial: Bit,
    /// Fault `gather_mismatch`: the operation does not fit the open gathering, or clashes with a
    /// rendezvous.
    pub mismatch: Bit,
}

/// The action of an operation.
#[payload]
pub struct Action {
    /// 1: the lanes of the operation join a gathering or rendezvous, exit, or must issue again. 0: the operation is
    /// passed on, and only `faults` and `all_live_lanes` of `Decision` count.
    pub acts_on_lanes: Bit,
    /// No rendezvous is free for the operation's lanes: they must issue again.
    pub retry: Bit,
    /// Lanes other than those of the operation run.
    pub others_run: Bit,
    /// The gathering is complete.
    pub gathering_complete: Bit,
}

/// The change of the two rendezvous.
#[payload]
pub struct RendezvousChange {
    /// The first rendezvous is complete.
    pub closing_0: Bit,
    /// The second rendezvous is complete.
    pub closing_1: Bit,
    /// The operation opens the first rendezvous.
    pub opens_0: Bit,
    /// The operation opens the second rendezvous.
    pub opens_1: Bit,
}

/// The faults or the action of an operation.
#[payload]
pub struct Decision {
    pub faults: LaneFaults,
    pub action: Action,
    pub rendezvous: RendezvousChange,
    /// The operation's lanes are all live lanes of the warp, and none of them waits.
    pub all_live_lanes: Bit,
    /// 1 = the highest lane leads, 0 = the lowest.
    pub highest_leads: Bit,
}

/// The effect of the operation in the commit stage on the lanes of its warp. The first three fields are valid for one cycle, the
/// other fields also in the next cycle.
#[payload]
pub struct LaneResult<LW, L> {
    /// A gathering with an arrive completes: its lanes resume.
    pub arrive_completes: Bit,
    /// No rendezvous is free: the operation's lanes must issue again.
    pub retries: Bit,
    /// A rendezvous closes: its lanes resume.
    pub rendezvous_closes: Bit,
    pub warp: Bits<LW>,
    /// Waiting lanes, with the operation's lanes if they join. For a retry: only the operation's lanes.
    pub waiting_lanes: Bits<L>,
    /// 1: the strobe `lanes` has all lanes in `waiting_lanes`. 0: the strobe has only the lanes of a rendezvous that closes.
    pub all_waiting: Bit,
    /// The rendezvous with the members `members_0` closes.
    pub closing_0: Bit,
    /// The rendezvous with the members `members_1` closes.
    pub closing_1: Bit,
    /// For a WarpSync or Elect: the member mask of the operation. For other operations: the member mask of the first rendezvous.
    pub members_0: Bits<L>,
    /// Member mask of the second rendezvous.
    pub members_1: Bits<L>,
    /// The rendezvous with the members `members_0` is of form Elect: one of its lanes leads.
    pub elect_0: Bit,
    /// The rendezvous with the members `members_1` is of form Elect: one of its lanes leads.
    pub elect_1: Bit,
    /// 1 = the highest lane leads, 0 = the lowest.
    pub highest_leads: Bit,
}

/// An operation in the form in which it is passed on.
#[payload]
pub struct PassedOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// Mbarrier: the number of lanes that execute the operation.
    pub value: Bits<VW>,
    /// 1 = caused by an instruction.
    pub from_instr: Bit,
    /// Mbarrier: the operation is an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The effects of the operation in the commit stage on its warp. In a cycle in which no operation takes effect, all bits but
/// `all_lanes_wait` are 0.
#[payload]
pub struct Effects {
    /// An operation takes effect in this cycle.
    pub valid: Bit,
    /// An operation is passed on.
    pub passes_op: Bit,
    /// The operation comes from an instruction, and no operation is passed on.
    pub absorbs_op: Bit,
    /// Launch or Release: the rows of the CTA's warps are reset.
    pub resets_rows: Bit,
    /// The lanes of the operation join a gathering or rendezvous, exit, or must issue again.
    pub acts_on_lanes: Bit,
    /// The operation writes a row.
    pub writes_row: Bit,
    /// All live lanes of the warp wait, and at least one lane is live. Valid only while `acts_on_lanes` is 1.
    pub all_lanes_wait: Bit,
}
