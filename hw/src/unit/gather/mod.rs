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
pub mod ports;
pub mod rows;

use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use advance::Advance;
use effect::{Decided, Effect};
use enter::Enter;
use judge::Judge;
use leave::Leave;
use rows::Rows;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[derive(LogicBlock)]
pub struct Gather<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_valid: Signal<In, Bit>,
    pub in_ready: Signal<Out, Bit>,
    pub in_kind: Signal<In, OpKind>,
    pub in_fault: Signal<In, FaultCode>,
    pub in_uniform: Signal<In, Bit>,
    pub in_warp: Signal<In, Bits<LW>>,
    pub in_cta: Signal<In, Bits<LC>>,
    pub in_id: Signal<In, Bits<4>>,
    pub in_count: Signal<In, Bits<12>>,
    pub in_redop: Signal<In, RedOp>,
    pub in_state: Signal<In, StateWord>,
    pub in_data: Signal<In, Bits<32>>,
    pub in_warps: Signal<In, Bits<CW>>,
    pub in_live: Signal<In, Bits<CW>>,
    pub in_barriers: Signal<In, Bits<5>>,
    pub in_mask: Signal<In, Bits<W>>,
    pub in_saved: Signal<In, Bit>,
    pub in_form: Signal<In, Form>,
    pub in_lanes: Signal<In, Bits<L>>,
    pub in_votes: Signal<In, Bits<L>>,
    pub in_members: Signal<In, Bits<L>>,
    pub in_counted: Signal<In, Bit>,
    pub in_rd: Signal<In, Bits<8>>,
    pub in_pu: Signal<In, Bits<3>>,
    pub leader_policy: Signal<In, Bit>,
    pub op_valid: Signal<Out, Bit>,
    pub op_ready: Signal<In, Bit>,
    pub op_kind: Signal<Out, OpKind>,
    pub op_fault: Signal<Out, FaultCode>,
    pub op_uniform: Signal<Out, Bit>,
    pub op_warp: Signal<Out, Bits<LW>>,
    pub op_cta: Signal<Out, Bits<LC>>,
    pub op_id: Signal<Out, Bits<4>>,
    pub op_count: Signal<Out, Bits<12>>,
    pub op_redop: Signal<Out, RedOp>,
    pub op_state: Signal<Out, StateWord>,
    pub op_data: Signal<Out, Bits<32>>,
    pub op_warps: Signal<Out, Bits<CW>>,
    pub op_live: Signal<Out, Bits<CW>>,
    pub op_barriers: Signal<Out, Bits<5>>,
    pub op_mask: Signal<Out, Bits<W>>,
    pub op_saved: Signal<Out, Bit>,
    pub op_lanes: Signal<Out, Bits<L>>,
    pub op_votes: Signal<Out, Bits<L>>,
    pub op_counted: Signal<Out, Bit>,
    pub op_rd: Signal<Out, Bits<8>>,
    pub op_pu: Signal<Out, Bits<3>>,
    pub lanes_valid: Signal<Out, Bit>,
    pub lanes_warp: Signal<Out, Bits<LW>>,
    pub lanes_mask: Signal<Out, Bits<L>>,
    pub lanes_leaders: Signal<Out, Bits<L>>,
    pub lanes_retry: Signal<Out, Bit>,
    pub gone_valid: Signal<Out, Bit>,
    pub gone_warp: Signal<Out, Bits<LW>>,
    pub swallowed: Signal<Out, Bits<W>>,
    pub gathering: Signal<Out, Bits<W>>,
    pub leaving: Signal<Out, Bits<W>>,
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

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> Default for Gather<W, LW, CW, LC, L> {
    fn default() -> Self {
        assert!(W == 1 << LW && LW <= 6 && CW <= 7 && LC <= 5 && L <= 32);
        crate::fresh!(Gather {
            clock, reset, in_valid, in_ready, in_kind, in_fault, in_uniform, in_warp, in_cta, in_id, in_count,
            in_redop, in_state, in_data, in_warps, in_live, in_barriers, in_mask, in_saved, in_form, in_lanes,
            in_votes, in_members, in_counted, in_rd, in_pu, leader_policy, op_valid, op_ready, op_kind,
            op_fault, op_uniform, op_warp, op_cta, op_id, op_count, op_redop, op_state, op_data, op_warps,
            op_live, op_barriers, op_mask, op_saved, op_lanes, op_votes, op_counted, op_rd, op_pu, lanes_valid,
            lanes_warp, lanes_mask, lanes_leaders, lanes_retry, gone_valid, gone_warp, swallowed, gathering,
            leaving, left, enter, rows, judge, advance, effect, leave, decided;
            nothing: Constant::new(Decided::default())
        })
    }
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> Logic for Gather<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.enter.clock.next = self.clock.val();
        self.enter.reset.next = self.reset.val();
        self.rows.clock.next = self.clock.val();
        self.rows.reset.next = self.reset.val();
        self.leave.clock.next = self.clock.val();
        self.leave.reset.next = self.reset.val();

        // What enters.
        self.enter.in_valid.next = self.in_valid.val();
        self.enter.in_kind.next = self.in_kind.val();
        self.enter.in_fault.next = self.in_fault.val();
        self.enter.in_uniform.next = self.in_uniform.val();
        self.enter.in_warp.next = self.in_warp.val();
        self.enter.in_cta.next = self.in_cta.val();
        self.enter.in_id.next = self.in_id.val();
        self.enter.in_count.next = self.in_count.val();
        self.enter.in_redop.next = self.in_redop.val();
        self.enter.in_state.next = self.in_state.val();
        self.enter.in_data.next = self.in_data.val();
        self.enter.in_warps.next = self.in_warps.val();
        self.enter.in_live.next = self.in_live.val();
        self.enter.in_barriers.next = self.in_barriers.val();
        self.enter.in_mask.next = self.in_mask.val();
        self.enter.in_saved.next = self.in_saved.val();
        self.enter.in_form.next = self.in_form.val();
        self.enter.in_lanes.next = self.in_lanes.val();
        self.enter.in_votes.next = self.in_votes.val();
        self.enter.in_members.next = self.in_members.val();
        self.enter.in_counted.next = self.in_counted.val();
        self.enter.in_rd.next = self.in_rd.val();
        self.enter.in_pu.next = self.in_pu.val();
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
        self.effect.clock.next = self.clock.val();
        self.effect.reset.next = self.reset.val();
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
        self.leave.op_ready.next = self.op_ready.val();
        self.leave.left.next = self.left.val();

        self.in_ready.next = self.enter.in_ready.val();
        self.op_valid.next = self.leave.op_valid.val();
        self.op_kind.next = self.leave.head.val().kind;
        self.op_fault.next = self.leave.head.val().fault;
        self.op_uniform.next = self.leave.head.val().uniform;
        self.op_warp.next = bit_cast::<LW, 6>(self.leave.head.val().warp);
        self.op_cta.next = bit_cast::<LC, 5>(self.leave.head.val().cta);
        self.op_id.next = self.leave.head.val().id;
        self.op_count.next = self.leave.head.val().count;
        self.op_redop.next = self.leave.head.val().redop;
        self.op_state.next = self.leave.head.val().state;
        self.op_data.next = self.leave.head.val().data;
        self.op_warps.next = bit_cast::<CW, 7>(self.leave.head.val().warps);
        self.op_live.next = bit_cast::<CW, 7>(self.leave.head.val().live);
        self.op_barriers.next = self.leave.head.val().barriers;
        self.op_mask.next = self.leave.head_mask.val();
        self.op_saved.next = self.leave.head.val().saved;
        self.op_lanes.next = bit_cast::<L, 32>(self.leave.head.val().lanes);
        self.op_votes.next = bit_cast::<L, 32>(self.leave.head.val().votes);
        self.op_counted.next = self.leave.head.val().counted;
        self.op_rd.next = self.leave.head.val().rd;
        self.op_pu.next = self.leave.head.val().pu;
        self.lanes_valid.next = self.leave.lanes_valid.val();
        self.lanes_warp.next = self.leave.lanes_warp.val();
        self.lanes_mask.next = self.leave.lanes_mask.val();
        self.lanes_leaders.next = self.leave.lanes_leaders.val();
        self.lanes_retry.next = self.leave.lanes_retry.val();
        self.gone_valid.next = self.leave.gone_valid.val();
        self.gone_warp.next = self.leave.gone_warp.val();
        self.swallowed.next = self.leave.swallowed.val();
        self.gathering.next = self.leave.gathering.val();
        self.leaving.next = self.leave.leaving.val();
    }
}
