// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From lanes to warps: collects the lanes of a warp that arrive one after the other, and lets lanes of one warp wait for each other.
//!
//! *Reads:* the operation `in`; which of the two ends leads; what has arrived at `order`. *Writes:* the operation channel `op`;
//! whether an operation can be taken; the lanes strobe; who is gone; whose lanes all wait; whose operations an exit caused. *Latency:* 3 from `in` to
//! `op` and to the strobes. Implements the thread forms of `barrier` in spec 000 (not `.aligned`), `bar.warp.sync` and `elect.sync`; the
//! exact ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  cycle t    │  t+1              │  t+2              │  t+3
//!  in ─► enter┼─► rows ─► judge ──┼─► effect ─► rows  │
//!             │                   │     ├────► leave ─┼─► op, gone
//!             │                   │     └────► go_on ─┼─► lanes
//! ```

pub mod effect;
pub mod enter;
pub mod go_on;
pub mod judge;
pub mod kinds;
pub mod last;
pub mod leader;
pub mod leave;
pub mod rows;
pub mod votes;

use crate::prelude::*;
use effect::Effect;
use enter::Enter;
use go_on::GoOn;
use judge::Judge;
use leave::Leave;
use rows::Rows;

/// `W = 2^LW` warps of `L` lanes, slots of `LC` bits, contributions of `VW` bits.
#[block(unit = "gather")]
pub struct Gather<W, LW, LC, L, VW> {
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
    pub gone: StrobeOut<WarpExit<LW>>,
    /// One cycle: the warp whose instruction ended here.
    pub swallowed: Signal<Out, Bits<W>>,
    /// Warps that have live lanes, all of which wait here.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps of which an operation that an exit caused was passed on and has neither been parked nor had its effects.
    pub leaving: Signal<Out, Bits<W>>,
    /// One cycle: the warp of such an operation, now parked or with its effects.
    pub settled: Signal<In, Bits<W>>,

    #[init(Enter::new(config))]
    enter: Enter<W, LW, LC, L>,
    rows: Rows<W, LW, L, VW>,
    judge: Judge<L, VW>,
    #[init(Effect::new(config))]
    effect: Effect<W, LW, LC, L, VW>,
    go_on: GoOn<LW, L>,
    #[init(Leave::new(config))]
    leave: Leave<W, LW, LC, L, VW>,
    released: StrobeRegister<LaneRelease<LW, L>>,
    exited: StrobeRegister<WarpExit<LW>>,
}

#[block]
impl Logic for Gather<W, LW, LC, L, VW> {
    fn update(&mut self) {
        // What enters.
        Strobe::join(&mut self.in_, &mut self.enter.in_);
        self.entry_waits.next = self.enter.waiting.val() | self.go_on.twice.val();
        self.full.next = self.leave.full.val();
        self.enter.stall.next = self.leave.stall.val();
        self.rows.stall.next = self.leave.stall.val();

        // One cycle inside: what is wrong with it, what it does, what becomes of its warp's row.
        self.rows.neighbours.next = self.enter.neighbours.val();
        self.rows.starts.next = self.enter.inside.val().asks.starts;
        self.rows.starting.next =
            bit_cast::<W, 32>(self.enter.inside.val().op.folded.body.wide) | self.enter.inside.val().op.folded.high;
        self.judge.op.next.asks = self.enter.inside.val().asks;
        self.judge.op.next.gathers_as = self.enter.inside.val().gathers_as;
        self.judge.op.next.redop = self.enter.inside.val().op.folded.body.redop;
        self.judge.op.next.id = self.enter.inside.val().op.folded.body.id;
        self.judge.op.next.count = self.enter.inside.val().op.folded.body.wide.get_bits::<12>(0);
        self.judge.op.next.lanes = self.enter.inside.val().lanes;
        self.judge.op.next.members = self.enter.inside.val().members;
        self.judge.row.next = self.rows.row.val();
        self.judge.leader_policy.next = self.leader_policy.val();

        // Two cycles inside: what comes of it.
        self.effect.inside.next = self.enter.inside.val();
        self.effect.row.next = self.rows.row.val();
        self.effect.decision.next = self.judge.decision.val();
        self.effect.others.next = self.judge.others.val();
        self.effect.sought.next = self.judge.sought.val();
        self.rows.made.next = self.effect.made.val();
        self.rows.write.next = self.effect.outcome.val().writes;
        self.rows.own.next = self.leave.own_row.val();

        // What leaves.
        self.leave.inside.next = self.enter.inside.val();
        self.leave.outcome.next = self.effect.outcome.val();
        self.leave.untouched.next = self.rows.begun.val();
        self.leave.settled.next = self.settled.val();
        Channel::join(&mut self.leave.op, &mut self.op);
        self.go_on.fate.next = self.effect.fate.val();
        self.leave.twice.next = self.go_on.twice.val();
        Strobe::join(&mut self.go_on.lanes, &mut self.released.in_);
        self.lanes.valid.next = self.released.out.valid.val();
        self.lanes.payload.next = self.released.out.payload.val();
        self.lanes.payload.next.leaders = self.go_on.leader.val();
        Strobe::join(&mut self.effect.gone, &mut self.exited.in_);
        Strobe::join(&mut self.exited.out, &mut self.gone);
        self.swallowed.next = self.leave.warps.val().swallowed;
        self.gathering.next = self.leave.warps.val().gathering;
        self.leaving.next = self.leave.warps.val().leaving;
    }
}
