// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters: the operation that is taken, one cycle later inside.
//!
//! *Reads:* the operation channel; `room_next`, whether another operation may enter in the next cycle. *Writes:* `taken` in the same
//! cycle; one cycle later the operation and the row that it changes (latency 1). `in_ready` is a register.

use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use rust_hdl::prelude::*;

/// An operation as it passes here, but its mask, in the widths of the largest configuration, since a struct has no parameters.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
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

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[derive(LogicBlock, Default)]
pub struct Enter<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> {
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

    // In the same cycle.
    pub taken: Signal<Out, Bit>,

    // One cycle inside.
    pub valid: Signal<Out, Bit>,
    pub op: Signal<Out, Passed>,
    pub mask: Signal<Out, Bits<W>>,
    pub form: Signal<Out, Form>,
    pub members: Signal<Out, Bits<L>>,
    /// The warp whose row it changes: its own; of a launch the last one.
    pub target: Signal<Out, Bits<LW>>,
    reg_valid: DFF<Bit>,
    reg_op: DFF<Passed>,
    reg_mask: DFF<Bits<W>>,
    reg_form: DFF<Form>,
    reg_members: DFF<Bits<L>>,
    reg_target: DFF<Bits<LW>>,
    ready: DFF<Bit>,
    accept: Signal<Local, Bit>,
    incoming: Signal<Local, Passed>,
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> Logic for Enter<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reg_valid, reg_op, reg_mask, reg_form, reg_members, reg_target, ready);
        self.accept.next = self.in_valid.val() & self.ready.q.val();
        self.taken.next = self.accept.val();

        self.reg_valid.d.next = self.accept.val();
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
        self.reg_op.d.next = self.incoming.val();
        self.reg_mask.d.next = self.in_mask.val();
        self.reg_form.d.next = self.in_form.val();
        self.reg_members.d.next = self.in_members.val();
        self.reg_target.d.next = self.in_warp.val();
        if (self.in_kind.val() == OpKind::Launch) | (self.in_kind.val() == OpKind::Release) {
            for i in 0_usize..W {
                if self.in_mask.val().get_bit(i) {
                    self.reg_target.d.next = i.to_bits();
                }
            }
        }
        self.ready.d.next = self.room_next.val();

        if self.reset.val() {
            self.reg_valid.d.next = false;
            self.ready.d.next = false;
        }
        self.in_ready.next = self.ready.q.val();
        self.valid.next = self.reg_valid.q.val();
        self.op.next = self.reg_op.q.val();
        self.mask.next = self.reg_mask.q.val();
        self.form.next = self.reg_form.q.val();
        self.members.next = self.reg_members.q.val();
        self.target.next = self.reg_target.q.val();
    }
}
