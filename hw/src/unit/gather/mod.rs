// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From lanes to warps: collects the lanes of a warp that arrive one after the other, and lets lanes of one warp wait for each other.
//!
//! *Reads:* the operation `in`; which of the two ends leads; what has arrived at `mem_order`. *Writes:* the operation channel `op`;
//! whether an operation can be taken; the lanes strobe; which warp has exited; whose lanes all wait; whose operations an exit caused. *Latency:* 3 from `in` to
//! `op` and to the strobes. Implements the thread forms of `barrier` in spec 000 (not `.aligned`), `bar.warp.sync` and `elect.sync`; the
//! exact ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  cycle t          │  t+1              │  t+2                            │  t+3
//!  in ─► input_stage┼─► rows ─► check ──┼─► commit_stage ─► rows          │
//!                   │                   │     ├──────────► output_stage ──┼─► op, warp_exited
//!                   │                   │     └──────────► go_on ─────────┼─► lanes
//! ```

pub mod check;
pub mod commit_stage;
pub mod go_on;
pub mod input_stage;
pub mod kinds;
pub mod last;
pub mod leader;
pub mod output_stage;
pub mod rows;
pub mod votes;

use crate::prelude::*;
use check::Check;
use commit_stage::CommitStage;
use go_on::GoOn;
use input_stage::InputStage;
use output_stage::OutputStage;
use rows::Rows;

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits, contributions of `VW` bits.
#[block(unit = "gather")]
pub struct Gather<W, LW, LC, L, LP, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Taken in a cycle in which `entry_waits` is 0, and `full` is 0 or `op_ready` 1.
    #[group("input")]
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// What was taken last is not looked at in this cycle, whatever `op_ready` is: nothing is taken.
    #[group("input")]
    pub entry_waits: Signal<Out, Bit>,
    /// What is passed on finds no place unless `op_ready` is 1: nothing is taken then.
    #[group("input")]
    pub full: Signal<Out, Bit>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    #[group("operation")]
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    #[group("warps")]
    pub warp_exited: StrobeOut<WarpExit<LW>>,
    /// One cycle: the warp whose instruction ended here.
    pub op_absorbed: Signal<Out, Bits<W>>,
    /// Warps that have live lanes, all of which wait here.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps of which an operation that an exit caused was passed on and has neither been parked nor had its effects.
    pub leaving: Signal<Out, Bits<W>>,
    /// One cycle: the warp of such an operation, now parked or with its effects.
    pub op_done: Signal<In, Bits<W>>,

    #[init(InputStage::new(config))]
    input_stage: InputStage<W, LW, LC, L, LP>,
    rows: Rows<W, LW, L, VW>,
    check: Check<L, VW>,
    #[init(CommitStage::new(config))]
    commit_stage: CommitStage<W, LW, LC, L, LP, VW>,
    go_on: GoOn<LW, L, LP>,
    #[init(OutputStage::new(config))]
    output_stage: OutputStage<W, LW, LC, L, VW>,
    released: StrobeRegister<LaneRelease<LW, L>>,
    exited: StrobeRegister<WarpExit<LW>>,
}

#[block]
impl Logic for Gather<W, LW, LC, L, LP, VW> {
    fn update(&mut self) {
        // What enters.
        Strobe::join(&mut self.in_, &mut self.input_stage.in_);
        self.entry_waits.next = self.input_stage.waiting.val() | self.go_on.twice.val();
        self.full.next = self.output_stage.full.val();
        self.input_stage.stall.next = self.output_stage.stall.val();
        self.rows.stall.next = self.output_stage.stall.val();

        // One cycle inside: what is wrong with it, what it does, what becomes of its warp's row.
        self.rows.neighbours.next = self.input_stage.neighbours.val();
        self.rows.starts.next = self.input_stage.inside.val().asks.starts;
        self.rows.starting.next =
            bit_cast::<W, 32>(self.input_stage.inside.val().op.folded.body.wide) | self.input_stage.inside.val().op.folded.high;
        self.check.op.next.asks = self.input_stage.inside.val().asks;
        self.check.op.next.gathers_as = self.input_stage.inside.val().gathers_as;
        self.check.op.next.redop = self.input_stage.inside.val().op.folded.body.redop;
        self.check.op.next.id = self.input_stage.inside.val().op.folded.body.id;
        self.check.op.next.count = self.input_stage.inside.val().op.folded.body.wide.get_bits::<12>(0);
        self.check.op.next.lanes = self.input_stage.inside.val().lanes;
        self.check.op.next.members = self.input_stage.inside.val().members;
        self.check.row.next = self.rows.row.val();
        self.check.leader_policy.next = self.leader_policy.val();

        // Two cycles inside: what comes of it.
        self.commit_stage.inside.next = self.input_stage.inside.val();
        self.commit_stage.row.next = self.rows.row.val();
        self.commit_stage.decision.next = self.check.decision.val();
        self.commit_stage.others.next = self.check.others.val();
        self.commit_stage.sought.next = self.check.sought.val();
        self.rows.made.next = self.commit_stage.made.val();
        self.rows.write.next = self.commit_stage.outcome.val().writes;
        self.rows.own.next = self.output_stage.own_row.val();

        // What leaves.
        self.output_stage.inside.next = self.input_stage.inside.val();
        self.output_stage.outcome.next = self.commit_stage.outcome.val();
        self.output_stage.untouched.next = self.rows.begun.val();
        self.output_stage.op_done.next = self.op_done.val();
        Channel::join(&mut self.output_stage.op, &mut self.op);
        self.go_on.fate.next = self.commit_stage.fate.val();
        self.output_stage.twice.next = self.go_on.twice.val();
        Strobe::join(&mut self.go_on.lanes, &mut self.released.in_);
        self.lanes.valid.next = self.released.out.valid.val();
        self.lanes.payload.next = self.released.out.payload.val();
        self.lanes.payload.next.leaders = self.go_on.leader.val();
        Strobe::join(&mut self.commit_stage.warp_exited, &mut self.exited.in_);
        Strobe::join(&mut self.exited.out, &mut self.warp_exited);
        self.op_absorbed.next = self.output_stage.warps.val().op_absorbed;
        self.gathering.next = self.output_stage.warps.val().gathering;
        self.leaving.next = self.output_stage.warps.val().leaving;
    }
}
