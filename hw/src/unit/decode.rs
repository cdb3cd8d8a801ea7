// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From instruction word to operation: which barrier, which count, and whether the warp may do this at all.
//!
//! *Reads:* the instruction channel; who is live, who is blocked, each warp's CTA slot; whose operation has settled. *Writes:* the operation
//! channel, from a queue of two; `front`, `holding`. *Latency:* 1 from instruction to operation.
//!
//! What the word says is found in `forms`; here stands who may say it. Implements issue in spec 001, and the exact rules of
//! `docs/interface.md`.

use crate::payload::payload;
use crate::prim::queue::Queue;
use crate::unit::forms::Forms;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// An operation on its way; warp, slot and lanes in the widths of the largest configuration, since a struct has no parameters.
#[payload]
pub struct Operation {
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
    pub lanes: Bits<32>,
    pub votes: Bits<32>,
    pub form: Form,
    pub members: Bits<32>,
    pub rd: Bits<8>,
    pub pu: Bits<3>,
}

/// `W = 2^LW` warps of `L` lanes, `LC` bits of CTA slot.
#[block(unit = "decode")]
pub struct Decode<W, LW, LC, L> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// An instruction is offered; it and its payload hold until it is taken.
    #[group("instruction")]
    pub instr_valid: Signal<In, Bit>,
    /// The instruction is taken at the end of this cycle if it is valid.
    pub instr_ready: Signal<Out, Bit>,
    /// Instruction word, 32 bits each, bits 31:0 first.
    pub instr_word: [Signal<In, Bits<32>>; 4],
    /// Warp that issues.
    pub instr_warp: Signal<In, Bits<LW>>,
    /// What is asked of the warp's lanes.
    pub instr_form: Signal<In, Form>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub instr_members: Signal<In, Bits<L>>,
    /// Active lanes.
    pub instr_active: Signal<In, Bits<L>>,
    /// Lanes whose guard predicate is true.
    pub instr_guard: Signal<In, Bits<L>>,
    /// Lanes in which the predicate named in bits 100:98 is true, before negation.
    pub instr_predicate: Signal<In, Bits<L>>,
    /// Value of the register named in bits 31:24, in the lowest executing lane.
    pub instr_ra: Signal<In, Bits<32>>,
    /// Value of the register named in bits 39:32, in the lowest executing lane.
    pub instr_rb: Signal<In, Bits<32>>,
    /// All executing lanes hold the same values in these registers.
    pub instr_uniform: Signal<In, Bit>,
    /// Warps launched and not exited.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// Warps that may not issue.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps that may not even read or write state.
    pub full: Signal<In, Bits<W>>,
    /// Warps whose operation has ended, is parked or has reached the barriers.
    pub settled: Signal<In, Bits<W>>,
    /// One bit of every warp's CTA slot.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
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
    /// CTA slot of the warp.
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
    /// Executing lanes.
    pub op_lanes: Signal<Out, Bits<L>>,
    /// Reduce: executing lanes whose predicate is true.
    pub op_votes: Signal<Out, Bits<L>>,
    /// Read: destination register; 255 = none.
    pub op_rd: Signal<Out, Bits<8>>,
    /// Read: destination predicate; 7 = none.
    pub op_pu: Signal<Out, Bits<3>>,
    /// Arrivals: what is asked of the warp's lanes.
    pub op_form: Signal<Out, Form>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub op_members: Signal<Out, Bits<L>>,
    /// Warps whose operation is on its way.
    pub front: Signal<Out, Bits<W>>,
    /// Warps whose arrival that waits for the whole warp is on its way.
    pub holding: Signal<Out, Bits<W>>,
    forms: Forms,
    queue: Queue<Operation, 2>,
    ready: DFF<Bit>,
    on_way: DFF<Bits<W>>,
    held: DFF<Bits<W>>,
    among: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    executing: Signal<Local, Bits<L>>,
    votes: Signal<Local, Bits<L>>,
    cta: Signal<Local, Bits<LC>>,
    moves: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    operation: Signal<Local, Operation>,
    push_mask: Signal<Local, Bits<W>>,
    hold_mask: Signal<Local, Bits<W>>,
}

#[block]
impl Decode<W, LW, LC, L> {
    /// `pack_lsb` as in [`Forms::new`].
    pub fn new(pack_lsb: usize) -> Self {
        assert!(W == 1 << LW && LW <= 6 && LC <= 5 && L <= 32);
        Decode { forms: Forms::new(pack_lsb), ..Default::default() }
    }
}

#[block]
impl Logic for Decode<W, LW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        // Lanes that wait for each other come without a word: 0 is no form, so every field is unused.
        self.among.next = (self.instr_form.val() == Form::WarpSync) | (self.instr_form.val() == Form::Elect);
        for i in 0..4 {
            self.forms.word[i].next = self.instr_word[i].val();
            if self.among.val() {
                self.forms.word[i].next = 0.into();
            }
        }
        self.forms.ra.next = self.instr_ra.val();
        self.forms.rb.next = self.instr_rb.val();
        self.forms.registers_uniform.next = self.instr_uniform.val();

        // The operation.
        self.executing.next = self.instr_active.val() & self.instr_guard.val();
        self.votes.next = 0.into();
        if self.forms.kind.val() == OpKind::Reduce {
            self.votes.next = self.executing.val() & self.instr_predicate.val();
            if self.forms.negated.val() {
                self.votes.next = self.executing.val() & !self.instr_predicate.val();
            }
        }
        self.cta.next = 0.into();
        for i in 0..LC {
            if self.warp_cta[i].val().get_bit(self.instr_warp.val().index()) {
                self.cta.next = self.cta.val().replace_bit(i, true);
            }
        }
        self.operation.next = self.queue.head.val();
        self.operation.next.kind = self.forms.kind.val();
        self.operation.next.fault = FaultCode::None;
        self.operation.next.uniform = self.forms.uniform.val();
        self.operation.next.warp = bit_cast::<6, LW>(self.instr_warp.val());
        self.operation.next.cta = bit_cast::<5, LC>(self.cta.val());
        self.operation.next.id = self.forms.id.val();
        self.operation.next.count = self.forms.count.val();
        self.operation.next.redop = self.forms.redop.val();
        self.operation.next.state = self.forms.state.val();
        self.operation.next.data = self.forms.data.val();
        self.operation.next.lanes = bit_cast::<32, L>(self.executing.val());
        self.operation.next.votes = bit_cast::<32, L>(self.votes.val());
        self.moves.next = (self.forms.kind.val() == OpKind::Read) | (self.forms.kind.val() == OpKind::Write);
        self.operation.next.form = Form::Raw;
        if self.among.val() | (self.forms.legal.val() & !self.moves.val()) {
            self.operation.next.form = self.instr_form.val();
        }
        self.operation.next.members = 0.into();
        if self.among.val() {
            self.operation.next.members = bit_cast::<32, L>(self.instr_members.val());
        }
        self.operation.next.rd = self.forms.rd.val();
        self.operation.next.pu = self.forms.pu.val();

        // May the warp do this; the last assignment wins, so the causes stand in reverse order of precedence.
        if !self.forms.legal.val() & !self.among.val() {
            self.operation.next.fault = FaultCode::IllegalInstruction;
        }
        self.stops.next = self.blocked.val().get_bit(self.instr_warp.val().index());
        if self.moves.val() {
            self.stops.next = self.full.val().get_bit(self.instr_warp.val().index());
        }
        if self.stops.val() {
            self.operation.next.fault = FaultCode::WarpBlocked;
        }
        if !self.live.val().get_bit(self.instr_warp.val().index()) {
            self.operation.next.fault = FaultCode::NotResident;
        }

        // The queue.
        self.accept.next = self.instr_valid.val() & self.ready.q.val();
        self.push.next = self.accept.val() & (self.executing.val().any() | (self.operation.val().fault != FaultCode::None));
        self.pop.next = self.queue.valid.val() & self.op_ready.val();
        self.queue.push.next = self.push.val();
        self.queue.data.next = self.operation.val();
        self.queue.pop.next = self.pop.val();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // Whose operation is under way, and whose wait.
        self.push_mask.next = 0.into();
        if self.push.val() {
            self.push_mask.next = self.push_mask.val().replace_bit(self.instr_warp.val().index(), true);
        }
        self.hold_mask.next = 0.into();
        if ((self.forms.kind.val() == OpKind::Sync) | (self.forms.kind.val() == OpKind::Reduce))
            & ((self.operation.val().form == Form::Raw) | (self.operation.val().form == Form::Aligned))
            & (self.operation.val().fault == FaultCode::None)
        {
            self.hold_mask.next = self.push_mask.val();
        }
        self.on_way.d.next = (self.on_way.q.val() & !self.settled.val()) | self.push_mask.val();
        self.held.d.next = (self.held.q.val() & !self.settled.val()) | self.hold_mask.val();

        if self.reset.val() {
            self.on_way.d.next = 0.into();
            self.held.d.next = 0.into();
        }

        self.instr_ready.next = self.ready.q.val();
        self.op_valid.next = self.queue.valid.val();
        self.op_kind.next = self.queue.head.val().kind;
        self.op_fault.next = self.queue.head.val().fault;
        self.op_uniform.next = self.queue.head.val().uniform;
        self.op_warp.next = bit_cast::<LW, 6>(self.queue.head.val().warp);
        self.op_cta.next = bit_cast::<LC, 5>(self.queue.head.val().cta);
        self.op_id.next = self.queue.head.val().id;
        self.op_count.next = self.queue.head.val().count;
        self.op_redop.next = self.queue.head.val().redop;
        self.op_state.next = self.queue.head.val().state;
        self.op_data.next = self.queue.head.val().data;
        self.op_lanes.next = bit_cast::<L, 32>(self.queue.head.val().lanes);
        self.op_votes.next = bit_cast::<L, 32>(self.queue.head.val().votes);
        self.op_form.next = self.queue.head.val().form;
        self.op_members.next = bit_cast::<L, 32>(self.queue.head.val().members);
        self.op_rd.next = self.queue.head.val().rd;
        self.op_pu.next = self.queue.head.val().pu;
        self.front.next = self.on_way.q.val();
        self.holding.next = self.held.q.val();
    }
}
