// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From lanes to warps: collects the lanes of a warp that arrive at a barrier one after the other, and lets lanes of one warp wait
//! for each other.
//!
//! *Reads:* the operation `in`; which lane leads; the warps whose operation is parked or takes effect. *Writes:* the operation
//! channel `op`; whether an operation can be taken; the lanes strobe; the warp that has exited; masks of the warps whose lanes all
//! wait, of the warp whose operation was absorbed, and of the warps with an operation that an exit caused. *Latency:* 2 from `in`
//! to `op`, 3 to the strobes, 4 to the lanes strobe. Implements `barrier` without `.aligned` in spec 000, `bar.warp.sync` and
//! `elect.sync`; the exact ports and cycles are in `docs/contract/gather.md`.
//!
//! A gathering holds lanes of a warp until all live lanes of the warp have executed the same barrier instruction; then one
//! operation of the warp is passed on. A rendezvous holds lanes of a member mask until all live members have arrived (WarpSync,
//! Elect). A warp has at most one gathering and two rendezvous, in its row. The input stage takes an operation in cycle t. In the
//! lookup stage (t+1) the row of the operation's warp has been read, and `check` decides the action of the operation. The commit
//! stage (t+2) writes the row and passes the operation on.
//!
//! ```text
//!  cycle t          │  t+1              │  t+2                            │  t+3              │  t+4
//!  in ─► input_stage┼─► rows ─► check ──┼─► commit_stage ─► rows          │                   │
//!                   │                   │     ├──► output_stage ─► op     │                   │
//!                   │                   │     │        └──────────────────┼─► op_absorbed, gathering
//!                   │                   │     ├───────────────────────────┼─► warp_exited     │
//!                   │                   │     └───────────────────────────┼─► lane_strobe ────┼─► lanes
//! ```

pub mod check;
pub mod commit_stage;
pub mod effects;
pub mod input_stage;
pub mod joined_lanes;
pub mod kinds;
pub mod lane_action;
pub mod lane_sets;
pub mod lane_strobe;
pub mod last_warp;
pub mod leader;
pub mod op_decode;
pub mod outgoing_op;
pub mod output_stage;
pub mod payloads;
pub mod released_lanes;
pub mod rendezvous_match;
pub mod row_hazard;
pub mod rows;
pub mod tag_update;
pub mod votes;

use crate::prelude::*;
use check::Check;
use commit_stage::CommitStage;
use input_stage::InputStage;
use lane_strobe::LaneStrobe;
use output_stage::OutputStage;
use rows::Rows;

/// `W` warps with numbers of `LW` bits, `L` lanes each (`LP`: `L` rounded up to a multiple of four), CTA slots with numbers of `LC`
/// bits, contributions to a reduction of `VW` bits.
#[block(unit = "gather")]
pub struct Gather<W, LW, LC, L, LP, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The operation; taken in a cycle in which `entry_waits` is 0, and `full` is 0 or `op_ready` 1.
    #[group("input")]
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// No operation is taken in this cycle, whatever `op_ready` is: the operation that was taken last stays in its stage.
    #[group("input")]
    pub entry_waits: Signal<Out, Bit>,
    /// An operation is taken only if `op_ready` is 1: there is an operation in the commit stage, which may have to stay there.
    #[group("input")]
    pub full: Signal<Out, Bit>,
    /// Lane that leads an Elect: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    #[group("operation")]
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    #[group("warps")]
    pub warp_exited: StrobeOut<WarpExit<LW>>,
    /// For one cycle, one-hot: the warp of an instruction that `gather` has absorbed, so that no operation is passed on.
    pub op_absorbed: Signal<Out, Bits<W>>,
    /// Warps with at least one live lane, whose live lanes all wait in this unit.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps with an operation that an exit caused: the Exit itself, or the operation of a gathering that the Exit completes. The
    /// bit of a warp is 1 from the entry of the Exit until that operation is parked or takes effect. If the Exit causes no
    /// operation, or an operation with a fault, the bit falls after the first cycle of the Exit in the commit stage.
    pub exit_pending: Signal<Out, Bits<W>>,
    /// For one cycle: warps with an operation that is parked or takes effect.
    pub op_done: Signal<In, Bits<W>>,

    #[init(InputStage::new(config))]
    input_stage: InputStage<W, LW, LC, L, LP>,
    rows: Rows<W, LW, L, VW>,
    check: Check<L, VW>,
    #[init(CommitStage::new(config))]
    commit_stage: CommitStage<W, LW, LC, L, LP, VW>,
    lane_strobe: LaneStrobe<LW, L, LP>,
    #[init(OutputStage::new(config))]
    output_stage: OutputStage<W, LW, LC, VW>,
    lanes_register: StrobeRegister<LaneRelease<LW, L>>,
    exit_register: StrobeRegister<WarpExit<LW>>,
}

#[block]
impl Logic for Gather {
    fn update(&mut self) {
        let lookup_op = self.input_stage.lookup_op.val();
        let warps = self.output_stage.warps.val();
        // The input stage.
        Strobe::join(&mut self.in_, &mut self.input_stage.in_);
        self.entry_waits.next = self.input_stage.lookup_waits.val() | self.lane_strobe.second_strobe_follows.val();
        self.full.next = self.output_stage.full.val();
        self.input_stage.stall.next = self.output_stage.stall.val();
        self.rows.stall.next = self.output_stage.stall.val();

        // The lookup stage: the fault and the action of the operation.
        self.rows.neighbours.next = self.input_stage.neighbours.val();
        self.rows.resets_rows.next = lookup_op.flags.resets_rows;
        self.rows.reset_warps.next = bit_cast::<W, 32>(lookup_op.op.folded.body.shared_bits) | lookup_op.op.folded.upper_mask;
        self.check.op.next.flags = lookup_op.flags;
        self.check.op.next.check_flags = lookup_op.check_flags;
        self.check.op.next.gathers_as = lookup_op.gathers_as;
        self.check.op.next.redop = lookup_op.op.folded.body.redop;
        self.check.op.next.id = lookup_op.op.folded.body.id;
        self.check.op.next.count = lookup_op.op.folded.body.shared_bits.get_bits::<12>(0);
        self.check.op.next.lanes = lookup_op.lanes;
        self.check.op.next.members = lookup_op.members;
        self.check.row.next = self.rows.row.val();
        self.check.leader_policy.next = self.leader_policy.val();

        // The commit stage: the effects.
        self.commit_stage.lookup_op.next = lookup_op;
        self.commit_stage.row.next = self.rows.row.val();
        self.commit_stage.decision.next = self.check.decision.val();
        self.commit_stage.other_lanes.next = self.check.other_lanes.val();
        self.commit_stage.rendezvous_members.next = self.check.rendezvous_members.val();
        self.rows.next_row.next = self.commit_stage.next_row.val();
        self.rows.write.next = self.commit_stage.effects.val().writes_row;
        self.rows.commit_warp.next = self.output_stage.commit_warp.val();

        // The outputs.
        self.output_stage.lookup_flags.next = lookup_op.flags;
        self.output_stage.lookup_target.next = self.input_stage.lookup_target.val();
        self.output_stage.passed_op.next = self.commit_stage.passed_op.val();
        self.output_stage.effects.next = self.commit_stage.effects.val();
        self.output_stage.initial_rows.next = self.rows.initial_rows.val();
        self.output_stage.op_done.next = self.op_done.val();
        Channel::join(&mut self.output_stage.op, &mut self.op);
        self.lane_strobe.lane_result.next = self.commit_stage.lane_result.val();
        self.output_stage.second_strobe_follows.next = self.lane_strobe.second_strobe_follows.val();
        Strobe::join(&mut self.lane_strobe.lanes, &mut self.lanes_register.in_);
        self.lanes.valid.next = self.lanes_register.out.valid.val();
        self.lanes.payload.next = self.lanes_register.out.payload.val();
        self.lanes.payload.next.leaders = self.lane_strobe.leader.val();
        Strobe::join(&mut self.commit_stage.warp_exited, &mut self.exit_register.in_);
        Strobe::join(&mut self.exit_register.out, &mut self.warp_exited);
        self.op_absorbed.next = warps.op_absorbed;
        self.gathering.next = warps.gathering;
        self.exit_pending.next = warps.exit_pending;
    }
}
