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

use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
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
    /// An operation is offered; it and its payload hold until it is taken.
    #[group("input")]
    pub in_valid: Signal<In, Bit>,
    /// The operation is taken at the end of this cycle if it is valid.
    pub in_ready: Signal<Out, Bit>,
    /// What it does.
    pub in_kind: Signal<In, OpKind>,
    /// Fault found upstream; none = carry it out.
    pub in_fault: Signal<In, FaultCode>,
    /// All executing lanes gave the same id, count and state word.
    pub in_uniform: Signal<In, Bit>,
    /// Warp.
    pub in_warp: Signal<In, Bits<LW>>,
    /// CTA slot.
    pub in_cta: Signal<In, Bits<LC>>,
    /// Barrier id.
    pub in_id: Signal<In, Bits<4>>,
    /// Participants in threads; 0 = none given.
    pub in_count: Signal<In, Bits<12>>,
    /// Reduce: what is to be reduced.
    pub in_redop: Signal<In, RedOp>,
    /// Read, write: which state.
    pub in_state: Signal<In, StateWord>,
    /// Write: the state word.
    pub in_data: Signal<In, Bits<32>>,
    /// Launch: warps launched.
    pub in_warps: Signal<In, Bits<CW>>,
    /// Launch: warps that have not exited.
    pub in_live: Signal<In, Bits<CW>>,
    /// Launch: barriers declared, 0 to 16.
    pub in_barriers: Signal<In, Bits<5>>,
    /// Launch, release: the CTA's warp slots.
    pub in_mask: Signal<In, Bits<W>>,
    /// Release: open barriers were saved and are no fault.
    pub in_saved: Signal<In, Bit>,
    /// Arrivals: what is asked of the warp's lanes.
    pub in_form: Signal<In, Form>,
    /// Executing lanes; exit: the lanes that exit; launch: the live lanes of the last warp.
    pub in_lanes: Signal<In, Bits<L>>,
    /// Reduce: executing lanes whose predicate is true.
    pub in_votes: Signal<In, Bits<L>>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub in_members: Signal<In, Bits<L>>,
    /// 1 = from an instruction.
    pub in_counted: Signal<In, Bit>,
    /// Read: destination register; 255 = none.
    pub in_rd: Signal<In, Bits<8>>,
    /// Read: destination predicate; 7 = none.
    pub in_pu: Signal<In, Bits<3>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    /// An operation is offered; it and its payload hold until it is taken.
    #[group("operation")]
    pub op_valid: Signal<Out, Bit>,
    /// The operation is taken at the end of this cycle if it is valid.
    pub op_ready: Signal<In, Bit>,
    /// What it does.
    pub op_kind: Signal<Out, OpKind>,
    /// What is wrong with it; none = carry it out.
    pub op_fault: Signal<Out, FaultCode>,
    /// All executing lanes gave the same id, count and state word.
    pub op_uniform: Signal<Out, Bit>,
    /// Warp.
    pub op_warp: Signal<Out, Bits<LW>>,
    /// CTA slot.
    pub op_cta: Signal<Out, Bits<LC>>,
    /// Barrier id.
    pub op_id: Signal<Out, Bits<4>>,
    /// Participants in threads; 0 = none given.
    pub op_count: Signal<Out, Bits<12>>,
    /// Reduce: what is to be reduced.
    pub op_redop: Signal<Out, RedOp>,
    /// Read, write: which state.
    pub op_state: Signal<Out, StateWord>,
    /// Write: the state word.
    pub op_data: Signal<Out, Bits<32>>,
    /// Launch: warps launched.
    pub op_warps: Signal<Out, Bits<CW>>,
    /// Launch: warps that have not exited.
    pub op_live: Signal<Out, Bits<CW>>,
    /// Launch: barriers declared, 0 to 16.
    pub op_barriers: Signal<Out, Bits<5>>,
    /// Launch, release: the CTA's warp slots.
    pub op_mask: Signal<Out, Bits<W>>,
    /// Release: open barriers were saved and are no fault.
    pub op_saved: Signal<Out, Bit>,
    /// Lanes for which it stands.
    pub op_lanes: Signal<Out, Bits<L>>,
    /// Reduce: those of them whose predicate is true.
    pub op_votes: Signal<Out, Bits<L>>,
    /// 1 = caused by an instruction.
    pub op_counted: Signal<Out, Bit>,
    /// Read: destination register; 255 = none.
    pub op_rd: Signal<Out, Bits<8>>,
    /// Read: destination predicate; 7 = none.
    pub op_pu: Signal<Out, Bits<3>>,
    /// One cycle: lanes go on, or must issue their instruction again.
    #[group("lanes")]
    pub lanes_valid: Signal<Out, Bit>,
    /// Their warp.
    pub lanes_warp: Signal<Out, Bits<LW>>,
    /// The lanes.
    pub lanes_mask: Signal<Out, Bits<L>>,
    /// Those of them that lead (elect).
    pub lanes_leaders: Signal<Out, Bits<L>>,
    /// 1 = they must issue their instruction again.
    pub lanes_retry: Signal<Out, Bit>,
    /// One cycle: the last lanes of a warp have exited.
    #[group("warps")]
    pub gone_valid: Signal<Out, Bit>,
    /// The warp.
    pub gone_warp: Signal<Out, Bits<LW>>,
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
