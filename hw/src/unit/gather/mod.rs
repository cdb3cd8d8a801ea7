// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From lanes to warps: collects the lanes of a warp that arrive one after the other, and lets lanes of one warp wait for each other.
//!
//! *Reads:* the operation channel `in`; which of the two ends leads; what has arrived at `order`. *Writes:* the operation channel `op`,
//! from a queue of four; the lanes strobe; who is gone; whose lanes all wait; whose operations an exit caused. *Latency:* 3 from `in` to `op` and
//! to the strobes. Implements the thread forms of `barrier` in spec 000 (not `.aligned`), `bar.warp.sync` and `elect.sync`; the exact ports
//! and cycles are in `docs/interface.md`.
//!
//! ```text
//!  cycle t    |  t+1                            |  t+2                 |  t+3
//!  in ─► enter┼─► rows ─► judge ─► advance ─────┼─► rows               │
//!             │                                 └─► effect ─► leave ───┼─► op, lanes, gone
//! ```

pub mod advance;
pub mod effect;
pub mod enter;
pub mod judge;
pub mod leader;
pub mod leave;
pub mod rows;

use crate::prim::channel::{Sink, Source, StrobeOut};
use crate::unit::channels::{GatheredOp, LaneOp, LaneRelease, WarpExit};
use advance::Advance;
use bcu_derive::block;
use effect::{Decided, Effect};
use enter::Enter;
use judge::Judge;
use leave::Leave;
use rows::Rows;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[block(unit = "gather")]
pub struct Gather<W, LW, CW, LC, L> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// An operation
    #[group("input")]
    pub in_: Sink<LaneOp<W, LW, CW, LC, L>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    /// An operation
    #[group("operation")]
    pub op: Source<GatheredOp<W, LW, CW, LC, L>>,
    /// lanes go on, or must issue their instruction again
    #[group("lanes")]
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    /// the last lanes of a warp have exited
    #[group("warps")]
    pub gone: StrobeOut<WarpExit<LW>>,
    /// One cycle: the warp whose instruction ended here.
    pub swallowed: Signal<Out, Bits<W>>,
    /// Warps that have live lanes, all of which wait here.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps of which an operation that an exit caused is between here and the order unit.
    pub leaving: Signal<Out, Bits<W>>,
    /// One cycle: the warp of such an operation that has arrived at the order unit.
    pub left: Signal<In, Bits<W>>,

    enter: Enter<W, LW, CW, LC, L>,
    rows: Rows<W, LW, L>,
    judge: Judge<L>,
    advance: Advance<L>,
    effect: Effect<W, L>,
    leave: Leave<W, LW, L>,
    decided: Signal<Local, Decided>,
    nothing: Constant<Decided>,
}

#[block]
impl Logic for Gather<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        // What enters.
        self.enter.in_valid.next = self.in_.valid.val();
        self.enter.in_kind.next = self.in_.payload.val().request.kind;
        self.enter.in_fault.next = self.in_.payload.val().request.fault;
        self.enter.in_uniform.next = self.in_.payload.val().request.uniform;
        self.enter.in_warp.next = self.in_.payload.val().warp;
        self.enter.in_cta.next = self.in_.payload.val().request.cta;
        self.enter.in_id.next = self.in_.payload.val().request.id;
        self.enter.in_count.next = self.in_.payload.val().request.count;
        self.enter.in_redop.next = self.in_.payload.val().request.redop;
        self.enter.in_state.next = self.in_.payload.val().request.state;
        self.enter.in_data.next = self.in_.payload.val().request.data;
        self.enter.in_warps.next = self.in_.payload.val().cta_warps.warps;
        self.enter.in_live.next = self.in_.payload.val().cta_warps.live;
        self.enter.in_barriers.next = self.in_.payload.val().cta_warps.barriers;
        self.enter.in_mask.next = self.in_.payload.val().cta_warps.mask;
        self.enter.in_saved.next = self.in_.payload.val().cta_warps.saved;
        self.enter.in_form.next = self.in_.payload.val().lane_set.form;
        self.enter.in_lanes.next = self.in_.payload.val().lane_set.lanes;
        self.enter.in_votes.next = self.in_.payload.val().lane_set.votes;
        self.enter.in_members.next = self.in_.payload.val().lane_set.members;
        self.enter.in_counted.next = self.in_.payload.val().counted;
        self.enter.in_rd.next = self.in_.payload.val().destination.rd;
        self.enter.in_pu.next = self.in_.payload.val().destination.pu;
        self.enter.room_next.next = self.leave.room.val();
        self.rows.warp.next = self.enter.warp.val();

        // One cycle inside: what is wrong with it, and what it does.
        self.judge.asks.next = self.enter.asks.val();
        self.judge.kind.next = self.enter.op.val().kind;
        self.judge.id.next = self.enter.op.val().id;
        self.judge.count.next = self.enter.op.val().count;
        self.judge.redop.next = self.enter.op.val().redop;
        self.judge.executing.next = bit_cast::<L, 32>(self.enter.op.val().lanes);
        self.judge.members.next = self.enter.members.val();
        self.judge.live.next = self.rows.live.val();
        self.judge.gathered_count.next = self.rows.count.val();
        self.judge.tag.next = self.rows.tag.val();

        // What becomes of its warp's row.
        self.advance.asks.next = self.enter.asks.val();
        self.advance.kind.next = self.enter.op.val().kind;
        self.advance.id.next = self.enter.op.val().id;
        self.advance.count.next = self.enter.op.val().count;
        self.advance.redop.next = self.enter.op.val().redop;
        self.advance.executing.next = bit_cast::<L, 32>(self.enter.op.val().lanes);
        self.advance.its_votes.next = bit_cast::<L, 32>(self.enter.op.val().votes);
        self.advance.members.next = self.enter.members.val();
        self.advance.live.next = self.rows.live.val();
        self.advance.votes.next = self.rows.votes.val();
        self.advance.gathered_count.next = self.rows.count.val();
        self.advance.tag.next = self.rows.tag.val();
        for i in 0..2 {
            self.judge.at[i].next = self.rows.at[i].val();
            self.judge.met[i].next = self.rows.met[i].val();
            self.advance.at[i].next = self.rows.at[i].val();
            self.advance.met[i].next = self.rows.met[i].val();
            self.advance.meets[i].next = self.judge.meets[i].val();
            self.rows.new_at[i].next = self.advance.new_at[i].val();
            self.rows.new_met[i].next = self.advance.new_met[i].val();
            self.effect.at[i].next = self.rows.made_at[i].val();
        }
        self.rows.inside.next = self.enter.asks.val().valid;
        self.rows.write.next = self.effect.changes.val() | self.effect.now.val().writes;
        self.rows.target.next = self.enter.past.val();
        self.rows.begin.next = self.enter.mask.val();
        self.rows.starts.next = self.enter.asks.val().starts;
        self.rows.new_live.next = self.advance.new_live.val();
        self.rows.new_votes.next = self.advance.new_votes.val();
        self.rows.new_count.next = self.advance.new_count.val();
        self.rows.new_tag.next = self.advance.new_tag.val();

        // Two cycles inside: what comes of it.
        self.decided.next = self.nothing.val();
        self.decided.next.acts = self.judge.acts.val();
        self.decided.next.complete = self.advance.complete.val();
        self.decided.next.closing_0 = self.advance.closing[0].val();
        self.decided.next.closing_1 = self.advance.closing[1].val();
        self.decided.next.lead_0 = self.advance.new_tag.val().elect_0;
        self.decided.next.lead_1 = self.advance.new_tag.val().elect_1;
        self.decided.next.retry = self.judge.retry.val();
        self.decided.next.gone = self.advance.gone.val();
        self.decided.next.highest = self.leader_policy.val();
        self.effect.op.next = self.enter.op.val();
        self.effect.mask.next = self.enter.mask.val();
        self.effect.asks.next = self.enter.asks.val();
        self.effect.wrong.next = self.judge.wrong.val();
        self.effect.decided.next = self.decided.val();
        self.effect.live.next = self.rows.made_live.val();
        self.effect.votes.next = self.rows.made_votes.val();
        self.effect.count.next = self.rows.made_count.val();
        self.effect.tag.next = self.rows.made_tag.val();
        self.effect.full.next = self.leave.full.val();

        // What leaves.
        self.leave.passes.next = self.effect.passes.val();
        self.leave.stays.next = self.effect.stays.val();
        self.leave.passed.next = self.effect.passed.val();
        self.leave.mask.next = self.effect.passed_mask.val();
        self.leave.now.next = self.effect.now.val();
        self.leave.changes.next = self.effect.changes.val();
        self.leave.gone.next = self.effect.gone.val();
        self.leave.all_wait.next = self.effect.all_wait.val();
        self.leave.strobe.next = self.effect.strobe.val();
        self.leave.going.next = self.effect.going.val();
        self.leave.leaders.next = self.effect.leaders.val();
        self.leave.retry.next = self.effect.retry.val();
        self.leave.inside.next = self.enter.asks.val().valid;
        self.leave.coming.next = self.enter.coming.val();
        self.leave.entered.next = bit_cast::<LW, 6>(self.enter.op.val().warp);
        self.leave.may_leave.next = self.enter.may_leave.val();
        self.leave.op_ready.next = self.op.ready.val();
        self.leave.left.next = self.left.val();

        self.in_.ready.next = self.enter.in_ready.val();
        self.op.valid.next = self.leave.op_valid.val();
        self.op.payload.next.request.kind = self.leave.head.val().kind;
        self.op.payload.next.request.fault = self.leave.head.val().fault;
        self.op.payload.next.request.uniform = self.leave.head.val().uniform;
        self.op.payload.next.warp = bit_cast::<LW, 6>(self.leave.head.val().warp);
        self.op.payload.next.request.cta = bit_cast::<LC, 5>(self.leave.head.val().cta);
        self.op.payload.next.request.id = self.leave.head.val().id;
        self.op.payload.next.request.count = self.leave.head.val().count;
        self.op.payload.next.request.redop = self.leave.head.val().redop;
        self.op.payload.next.request.state = self.leave.head.val().state;
        self.op.payload.next.request.data = self.leave.head.val().data;
        self.op.payload.next.cta_warps.warps = bit_cast::<CW, 7>(self.leave.head.val().warps);
        self.op.payload.next.cta_warps.live = bit_cast::<CW, 7>(self.leave.head.val().live);
        self.op.payload.next.cta_warps.barriers = self.leave.head.val().barriers;
        self.op.payload.next.cta_warps.mask = self.leave.head_mask.val();
        self.op.payload.next.cta_warps.saved = self.leave.head.val().saved;
        self.op.payload.next.lanes = bit_cast::<L, 32>(self.leave.head.val().lanes);
        self.op.payload.next.votes = bit_cast::<L, 32>(self.leave.head.val().votes);
        self.op.payload.next.counted = self.leave.head.val().counted;
        self.op.payload.next.destination.rd = self.leave.head.val().rd;
        self.op.payload.next.destination.pu = self.leave.head.val().pu;
        self.lanes.valid.next = self.leave.lanes_valid.val();
        self.lanes.payload.next.warp = self.leave.lanes_warp.val();
        self.lanes.payload.next.mask = self.leave.lanes_mask.val();
        self.lanes.payload.next.leaders = self.leave.lanes_leaders.val();
        self.lanes.payload.next.retry = self.leave.lanes_retry.val();
        self.gone.valid.next = self.leave.gone_valid.val();
        self.gone.payload.next.warp = self.leave.gone_warp.val();
        self.swallowed.next = self.leave.swallowed.val();
        self.gathering.next = self.leave.gathering.val();
        self.leaving.next = self.leave.leaving.val();
    }
}
