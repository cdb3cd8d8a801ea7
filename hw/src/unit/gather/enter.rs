// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters: the operation that is taken, one cycle later inside.
//!
//! *Reads:* the operation channel; `room_next`, whether another operation may enter in the next cycle. *Writes:* in the same cycle whether an
//! operation will be here, and its warp; one cycle later the operation and what it asks for (latency 1). `in_ready` is a register.
//!
//! An operation whose warp's row is still to be written by one before it waits here, and nothing is taken meanwhile. So no row is ever needed before
//! it is in the memory. In the whole unit that is rare: a warp issues when its last operation is through.

use crate::payload::payload;
use crate::prim::pick::Pick;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// An operation as it passes here, but its mask, in the widths of the largest configuration, since a struct has no parameters.
#[payload]
pub struct Passed {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub warp: Bits<6>,
    pub cta: Bits<5>,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub redop: RedOp,
    pub state: StateWord,
    pub data: Bits<32>,
    pub warps: Bits<7>,
    pub live: Bits<7>,
    pub barriers: Bits<5>,
    pub saved: Bit,
    pub lanes: Bits<32>,
    pub votes: Bits<32>,
    pub counted: Bit,
    pub rd: Bits<8>,
    pub pu: Bits<3>,
}

/// What an operation without a fault asks for; all 0 for one with a fault and for none.
#[payload]
pub struct Asks {
    /// To be looked at: it is passed on unless it is absorbed.
    pub valid: Bit,
    /// Launch, Release: rows begin anew; there is one, so the last one's is written.
    pub starts: Bit,
    pub writes: Bit,
    pub exit: Bit,
    /// Gathered, with operands that agree.
    pub gathered: Bit,
    pub aligned: Bit,
    /// WarpSync, Elect.
    pub among: Bit,
    pub elect: Bit,
    /// An executing lane is not among the members.
    pub stray: Bit,
    /// What it makes may be what an exit has caused.
    pub may_leave: Bit,
}

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[block]
pub struct Enter<W, LW, CW, LC, L> {
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
    pub room_next: Signal<In, Bit>,

    // For the next cycle: an operation will be here, and its warp.
    pub coming: Signal<Out, Bit>,
    pub warp: Signal<Out, Bits<LW>>,

    // One cycle inside. Nothing is asked while the operation waits.
    pub asks: Signal<Out, Asks>,
    /// What it makes, also if it still waits, may be what an exit has caused.
    pub may_leave: Signal<Out, Bit>,
    pub op: Signal<Out, Passed>,
    pub mask: Signal<Out, Bits<W>>,
    pub members: Signal<Out, Bits<L>>,
    /// The warp whose row it changes: its own; of a launch the last one.
    pub target: Signal<Out, Bits<LW>>,
    /// The same one cycle later.
    pub past: Signal<Out, Bits<LW>>,
    reg_asks: DFF<Asks>,
    reg_op: DFF<Passed>,
    reg_mask: DFF<Bits<W>>,
    reg_members: DFF<Bits<L>>,
    reg_target: DFF<Bits<LW>>,
    /// An operation that asked for something in the last cycle, if there was one.
    reg_past: DFF<Bits<LW>>,
    was: DFF<Bit>,
    waits: DFF<Bit>,
    ready: DFF<Bit>,
    #[init(Pick::highest())]
    last: Pick<W, LW>,
    accept: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    next_warp: Signal<Local, Bits<LW>>,
    must_wait: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    outside: Signal<Local, Bits<L>>,
    incoming: Signal<Local, Passed>,
    asked: Signal<Local, Asks>,
    nothing: Constant<Asks>,
}

#[block]
impl Logic for Enter<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.accept.next = self.in_valid.val() & self.ready.q.val();

        // It waits until what was looked at before it is in the memory: for two cycles if that is of its own warp.
        self.looks.next = self.reg_asks.q.val().valid & !self.waits.q.val();
        self.next_warp.next = self.in_warp.val();
        if self.waits.q.val() {
            self.next_warp.next = bit_cast::<LW, 6>(self.reg_op.q.val().warp);
        }
        self.reg_past.d.next = self.reg_target.q.val();
        self.was.d.next = self.looks.val();
        self.must_wait.next = (self.accept.val() | self.waits.q.val())
            & ((self.looks.val() & (self.next_warp.val() == self.reg_target.q.val()))
                | (self.was.q.val() & (self.next_warp.val() == self.reg_past.q.val())));
        self.waits.d.next = self.must_wait.val();
        self.coming.next = self.accept.val() | self.waits.q.val();
        self.warp.next = self.next_warp.val();

        // What it asks for.
        self.good.next = self.accept.val() & (self.in_fault.val() == FaultCode::None);
        self.arrival.next = self.good.val()
            & ((self.in_kind.val() == OpKind::Sync)
                | (self.in_kind.val() == OpKind::Arrive)
                | (self.in_kind.val() == OpKind::Reduce));
        self.starts.next = (self.in_kind.val() == OpKind::Launch) | (self.in_kind.val() == OpKind::Release);
        self.outside.next = self.in_lanes.val() & !self.in_members.val();
        self.asked.next = self.nothing.val();
        self.asked.next.valid = self.accept.val();
        self.asked.next.starts = self.good.val() & self.starts.val();
        self.asked.next.exit = self.good.val() & (self.in_kind.val() == OpKind::Exit);
        self.asked.next.writes = self.good.val() & self.starts.val() & self.in_mask.val().any();
        self.asked.next.gathered = self.arrival.val() & (self.in_form.val() == Form::Gathered) & self.in_uniform.val();
        self.asked.next.aligned = self.arrival.val() & (self.in_form.val() == Form::Aligned);
        self.asked.next.among =
            self.arrival.val() & ((self.in_form.val() == Form::WarpSync) | (self.in_form.val() == Form::Elect));
        self.asked.next.elect = self.in_form.val() == Form::Elect;
        self.asked.next.stray = self.outside.val().any();
        self.asked.next.may_leave =
            !self.in_counted.val() & (self.arrival.val() | (self.good.val() & (self.in_kind.val() == OpKind::Exit)));

        self.incoming.next = self.reg_op.q.val();
        self.incoming.next.kind = self.in_kind.val();
        self.incoming.next.fault = self.in_fault.val();
        self.incoming.next.uniform = self.in_uniform.val();
        self.incoming.next.warp = bit_cast::<6, LW>(self.in_warp.val());
        self.incoming.next.cta = bit_cast::<5, LC>(self.in_cta.val());
        self.incoming.next.id = self.in_id.val();
        self.incoming.next.count = self.in_count.val();
        self.incoming.next.redop = self.in_redop.val();
        self.incoming.next.state = self.in_state.val();
        self.incoming.next.data = self.in_data.val();
        self.incoming.next.warps = bit_cast::<7, CW>(self.in_warps.val());
        self.incoming.next.live = bit_cast::<7, CW>(self.in_live.val());
        self.incoming.next.barriers = self.in_barriers.val();
        self.incoming.next.saved = self.in_saved.val();
        self.incoming.next.lanes = bit_cast::<32, L>(self.in_lanes.val());
        self.incoming.next.votes = bit_cast::<32, L>(self.in_votes.val());
        self.incoming.next.counted = self.in_counted.val();
        self.incoming.next.rd = self.in_rd.val();
        self.incoming.next.pu = self.in_pu.val();
        self.last.bits.next = self.in_mask.val();
        self.last.marks.next = 0.into();
        if !self.waits.q.val() {
            self.reg_asks.d.next = self.asked.val();
            self.reg_op.d.next = self.incoming.val();
            self.reg_mask.d.next = self.in_mask.val();
            self.reg_members.d.next = self.in_members.val();
            self.reg_target.d.next = self.in_warp.val();
            if self.starts.val() {
                self.reg_target.d.next = self.last.index.val();
            }
        }
        self.ready.d.next = self.room_next.val() & !self.must_wait.val();

        if self.reset.val() {
            self.reg_asks.d.next = self.nothing.val();
            self.was.d.next = false;
            self.waits.d.next = false;
            self.ready.d.next = false;
        }
        self.in_ready.next = self.ready.q.val();
        self.asks.next = self.reg_asks.q.val();
        if self.waits.q.val() {
            self.asks.next = self.nothing.val();
        }
        self.may_leave.next = self.reg_asks.q.val().may_leave;
        self.past.next = self.reg_past.q.val();
        self.op.next = self.reg_op.q.val();
        self.mask.next = self.reg_mask.q.val();
        self.members.next = self.reg_members.q.val();
        self.target.next = self.reg_target.q.val();
    }
}
