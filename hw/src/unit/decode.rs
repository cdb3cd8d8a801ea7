// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From instruction word to operation: which barrier, which count, and whether the warp may do this at all.
//!
//! *Reads:* the instruction channel; who is live, who is blocked, each warp's CTA slot. *Writes:* the operation channel, from a queue of
//! two; `holding`. *Latency:* 1 from instruction to operation.
//!
//! A flat table of facts about the bits of BAR (spec 001): four forms, told apart by optype and stype; in each, every bit
//! that is not a field must be 0. Bits 127:109 are left to control information and ignored.

use crate::ports::Unit;
use crate::prim::queue::Queue;
use crate::unit::op::{FaultCode, OpKind};
use rust_hdl::prelude::*;

/// An arrival on its way; warp and slot in the widths of the largest configuration, since a struct has no parameters.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Operation {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub warp: Bits<6>,
    pub cta: Bits<5>,
    pub id: Bits<4>,
    pub count: Bits<12>,
}

/// `W = 2^LW` warps of `L` lanes, `LC` bits of CTA slot.
#[derive(LogicBlock)]
pub struct Decode<const W: usize, const LW: usize, const LC: usize, const L: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub instr_valid: Signal<In, Bit>,
    pub instr_ready: Signal<Out, Bit>,
    pub instr_word: [Signal<In, Bits<32>>; 4],
    pub instr_warp: Signal<In, Bits<LW>>,
    pub instr_active: Signal<In, Bits<L>>,
    pub instr_guard: Signal<In, Bits<L>>,
    pub instr_ra: Signal<In, Bits<32>>,
    pub instr_rb: Signal<In, Bits<32>>,
    pub instr_uniform: Signal<In, Bit>,
    pub live: Signal<In, Bits<W>>,
    pub blocked: Signal<In, Bits<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub op_valid: Signal<Out, Bit>,
    pub op_ready: Signal<In, Bit>,
    pub op_kind: Signal<Out, OpKind>,
    pub op_fault: Signal<Out, FaultCode>,
    pub op_uniform: Signal<Out, Bit>,
    pub op_warp: Signal<Out, Bits<LW>>,
    pub op_cta: Signal<Out, Bits<LC>>,
    pub op_id: Signal<Out, Bits<4>>,
    pub op_count: Signal<Out, Bits<12>>,
    pub holding: Signal<Out, Bits<W>>,
    queue: Queue<Operation, 2>,
    ready: DFF<Bit>,
    held: DFF<Bits<W>>,
    head: Signal<Local, Bits<12>>,
    form_i: Signal<Local, Bit>,
    form_rr: Signal<Local, Bit>,
    form_rri: Signal<Local, Bit>,
    form_rir: Signal<Local, Bit>,
    stray_0: Signal<Local, Bits<32>>,
    stray_1: Signal<Local, Bits<32>>,
    stray_2: Signal<Local, Bits<32>>,
    stray_3: Signal<Local, Bits<13>>,
    legal: Signal<Local, Bit>,
    executing: Signal<Local, Bits<L>>,
    cta: Signal<Local, Bits<LC>>,
    accept: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    operation: Signal<Local, Operation>,
    push_mask: Signal<Local, Bits<W>>,
    pop_mask: Signal<Local, Bits<W>>,
}

impl<const W: usize, const LW: usize, const LC: usize, const L: usize> Default for Decode<W, LW, LC, L> {
    fn default() -> Self {
        assert!(W == 1 << LW && LW <= 6 && LC <= 5);
        crate::fresh!(Decode {
            clock, reset, instr_valid, instr_ready, instr_word, instr_warp, instr_active, instr_guard, instr_ra,
            instr_rb, instr_uniform, live, blocked, op_valid, op_ready, op_kind, op_fault, op_uniform, op_warp, op_cta,
            op_id, op_count, holding, queue, ready, held, head, form_i, form_rr, form_rri, form_rir, stray_0, stray_1,
            stray_2, stray_3, legal, executing, cta, accept, push, pop, operation, push_mask, pop_mask;
            warp_cta: array_init::array_init(|_| Signal::default())
        })
    }
}

impl<const W: usize, const LW: usize, const LC: usize, const L: usize> Logic for Decode<W, LW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ready, held);

        // Which form, and does it have bits that it should not have.
        self.head.next = bit_cast::<12, 32>(self.instr_word[0].val());
        self.form_i.next = self.head.val() == 0xb1d;
        self.form_rr.next = self.head.val() == 0x31d;
        self.form_rri.next = self.head.val() == 0x51d;
        self.form_rir.next = self.head.val() == 0x91d;
        self.stray_0.next = self.instr_word[0].val() & 0xffff_0000_u64;
        self.stray_1.next = self.instr_word[1].val() & 0xff00_00ff_u64;
        if self.form_rr.val() {
            self.stray_0.next = self.instr_word[0].val() & 0x00ff_0000_u64;
            self.stray_1.next = self.instr_word[1].val() & 0xffff_ff00_u64;
        }
        if self.form_rri.val() {
            self.stray_1.next = self.instr_word[1].val() & 0xff00_0f00_u64;
        }
        if self.form_rir.val() {
            self.stray_1.next = self.instr_word[1].val() & 0xffff_f000_u64;
        }
        self.stray_2.next = self.instr_word[2].val() & 0xfffe_ffff_u64;
        self.stray_3.next = bit_cast::<13, 32>(self.instr_word[3].val());
        self.legal.next = (self.form_i.val() | self.form_rr.val() | self.form_rri.val() | self.form_rir.val())
            & !self.stray_0.val().any()
            & !self.stray_1.val().any()
            & !self.stray_2.val().any()
            & !self.stray_3.val().any();

        // The operation.
        self.cta.next = 0.into();
        for i in 0..LC {
            if self.warp_cta[i].val().get_bit(self.instr_warp.val().index()) {
                self.cta.next = self.cta.val().replace_bit(i, true);
            }
        }
        self.operation.next = self.queue.head.val();
        self.operation.next.kind = OpKind::Sync;
        self.operation.next.fault = FaultCode::None;
        self.operation.next.uniform = true;
        self.operation.next.warp = bit_cast::<6, LW>(self.instr_warp.val());
        self.operation.next.cta = bit_cast::<5, LC>(self.cta.val());
        self.operation.next.id = 0.into();
        self.operation.next.count = 0.into();
        if self.legal.val() {
            if self.instr_word[2].val().get_bit(16) {
                self.operation.next.kind = OpKind::Arrive;
            }
            self.operation.next.uniform = self.instr_uniform.val() | self.form_i.val();
            self.operation.next.id = self.instr_word[1].val().get_bits::<4>(8);
            self.operation.next.count = self.instr_word[1].val().get_bits::<12>(12);
            if self.form_rr.val() {
                self.operation.next.id = bit_cast::<4, 32>(self.instr_ra.val());
            }
            if self.form_rri.val() {
                self.operation.next.id = bit_cast::<4, 32>(self.instr_rb.val());
            }
            if self.form_rr.val() | self.form_rir.val() {
                self.operation.next.count = bit_cast::<12, 32>(self.instr_rb.val());
            }
        }

        // May the warp do this; the last assignment wins, so the causes stand in reverse order of precedence.
        if !self.legal.val() {
            self.operation.next.fault = FaultCode::IllegalInstruction;
        }
        if self.blocked.val().get_bit(self.instr_warp.val().index()) {
            self.operation.next.fault = FaultCode::WarpBlocked;
        }
        if !self.live.val().get_bit(self.instr_warp.val().index()) {
            self.operation.next.fault = FaultCode::NotResident;
        }

        // The queue.
        self.executing.next = self.instr_active.val() & self.instr_guard.val();
        self.accept.next = self.instr_valid.val() & self.ready.q.val();
        self.push.next = self.accept.val() & (self.executing.val().any() | (self.operation.val().fault != FaultCode::None));
        self.pop.next = self.queue.valid.val() & self.op_ready.val();
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.queue.push.next = self.push.val();
        self.queue.data.next = self.operation.val();
        self.queue.pop.next = self.pop.val();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // Whose wait is under way here.
        self.push_mask.next = 0.into();
        if self.push.val() & (self.operation.val().kind == OpKind::Sync) & (self.operation.val().fault == FaultCode::None) {
            self.push_mask.next = self.push_mask.val().replace_bit(self.instr_warp.val().index(), true);
        }
        self.op_warp.next = bit_cast::<LW, 6>(self.queue.head.val().warp);
        self.pop_mask.next = 0.into();
        if self.pop.val() & (self.queue.head.val().kind == OpKind::Sync) & (self.queue.head.val().fault == FaultCode::None) {
            self.pop_mask.next = self.pop_mask.val().replace_bit(self.op_warp.val().index(), true);
        }
        self.held.d.next = (self.held.q.val() & !self.pop_mask.val()) | self.push_mask.val();

        if self.reset.val() {
            self.held.d.next = 0.into();
        }

        self.instr_ready.next = self.ready.q.val();
        self.op_valid.next = self.queue.valid.val();
        self.op_kind.next = self.queue.head.val().kind;
        self.op_fault.next = self.queue.head.val().fault;
        self.op_uniform.next = self.queue.head.val().uniform;
        self.op_cta.next = bit_cast::<LC, 5>(self.queue.head.val().cta);
        self.op_id.next = self.queue.head.val().id;
        self.op_count.next = self.queue.head.val().count;
        self.holding.next = self.held.q.val();
    }
}

impl<const W: usize, const LW: usize, const LC: usize, const L: usize> Unit for Decode<W, LW, LC, L> {
    crate::ports! { "decode";
        "reset" { reset: "Synchronous, active high." }
        "instruction" {
            instr_valid: "An instruction is offered; it and its payload hold until it is taken.",
            instr_ready: "The instruction is taken at the end of this cycle if it is valid.",
            instr_word: "Instruction word, 32 bits each, bits 31:0 first.",
            instr_warp: "Warp that issues.",
            instr_active: "Active lanes.",
            instr_guard: "Lanes whose guard predicate is true.",
            instr_ra: "Value of the register named in bits 31:24, in the lowest executing lane.",
            instr_rb: "Value of the register named in bits 39:32, in the lowest executing lane.",
            instr_uniform: "All executing lanes hold the same values in these registers.",
        }
        "warps" {
            live: "Warps launched and not exited.",
            blocked: "Warps that may not issue.",
            warp_cta: "One bit of every warp's CTA slot.",
        }
        "operation" {
            op_valid: "An operation is offered; it and its payload hold until it is taken.",
            op_ready: "The operation is taken at the end of this cycle if it is valid.",
            op_kind: "What it does.",
            op_fault: "What is wrong with it; none = carry it out.",
            op_uniform: "All executing lanes gave the same id and count.",
            op_warp: "Warp.",
            op_cta: "CTA slot of the warp.",
            op_id: "Barrier id.",
            op_count: "Participants in threads; 0 = none given.",
            holding: "Warps whose arrival that waits is in the queue here.",
        }
    }
}
