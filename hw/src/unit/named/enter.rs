// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters the pipeline: an operation of the stream, or a row whose turn it is to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; the last id of the exit's CTA; `room` and `clear_next` for the next cycle.
//! *Writes:* in the same cycle the place to read (`slot`, `place`) and what was taken; one cycle later the operation, but for the numbers
//! that `operands` makes of it (latency 1). `op_ready` is a register. Implements the operation channel of `docs/interface.md`.

use crate::unit::op::{FaultCode, OpKind, StateWord};
use rust_hdl::prelude::*;

/// `W = 2^LW` warps counted in `CW` bits, slots of `LC` bits, ids of `LI` bits.
#[derive(LogicBlock)]
pub struct Enter<const W: usize, const LW: usize, const CW: usize, const LC: usize, const LI: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op_valid: Signal<In, Bit>,
    pub op_ready: Signal<Out, Bit>,
    pub op_kind: Signal<In, OpKind>,
    pub op_fault: Signal<In, FaultCode>,
    pub op_uniform: Signal<In, Bit>,
    pub op_warp: Signal<In, Bits<LW>>,
    pub op_cta: Signal<In, Bits<LC>>,
    pub op_id: Signal<In, Bits<4>>,
    pub op_state: Signal<In, StateWord>,
    pub op_warps: Signal<In, Bits<CW>>,
    pub op_live: Signal<In, Bits<CW>>,
    pub op_barriers: Signal<In, Bits<5>>,
    pub op_mask: Signal<In, Bits<W>>,
    pub op_saved: Signal<In, Bit>,
    pub clear_active: Signal<In, Bit>,
    pub clear_slot: Signal<In, Bits<LC>>,
    pub clear_id: Signal<In, Bits<LI>>,
    pub clear_silent: Signal<In, Bit>,
    pub clear_all: Signal<In, Bit>,
    pub clear_next: Signal<In, Bit>,
    pub last_id: Signal<In, Bits<LI>>,
    /// Id in the state word of a warp.
    pub word_id: Signal<In, Bits<4>>,
    pub room_next: Signal<In, Bit>,

    // In the same cycle.
    pub slot: Signal<Out, Bits<LC>>,
    pub place: Signal<Out, Bits<LI>>,
    pub exits: Signal<Out, Bit>,
    pub step: Signal<Out, Bit>,
    pub taken: Signal<Out, Bit>,
    pub released: Signal<Out, Bit>,
    pub blocks: Signal<Out, Bits<W>>,

    // One cycle inside.
    pub valid: Signal<Out, Bit>,
    pub kind: Signal<Out, OpKind>,
    pub fault: Signal<Out, FaultCode>,
    pub uniform: Signal<Out, Bit>,
    pub warp: Signal<Out, Bits<LW>>,
    /// The warp, or all warps that a release names.
    pub mask: Signal<Out, Bits<W>>,
    pub cta: Signal<Out, Bits<LC>>,
    /// The id for a fault, and that of the row it looks at.
    pub id: Signal<Out, Bits<4>>,
    pub row: Signal<Out, Bits<4>>,
    pub state: Signal<Out, StateWord>,
    pub warps: Signal<Out, Bits<CW>>,
    pub live: Signal<Out, Bits<CW>>,
    pub barriers: Signal<Out, Bits<5>>,
    pub saved: Signal<Out, Bit>,
    pub turn: Signal<Out, Bit>,
    pub turn_silent: Signal<Out, Bit>,
    pub turn_all: Signal<Out, Bit>,
    /// The warps of `mask` lose their state: a release is inside, or a reset was.
    pub forgotten: Signal<Out, Bit>,
    reg_valid: DFF<Bit>,
    reg_kind: DFF<OpKind>,
    reg_fault: DFF<FaultCode>,
    reg_uniform: DFF<Bit>,
    reg_warp: DFF<Bits<LW>>,
    reg_mask: DFF<Bits<W>>,
    reg_cta: DFF<Bits<LC>>,
    reg_id: DFF<Bits<4>>,
    reg_row: DFF<Bits<4>>,
    reg_state: DFF<StateWord>,
    reg_warps: DFF<Bits<CW>>,
    reg_live: DFF<Bits<CW>>,
    reg_barriers: DFF<Bits<5>>,
    reg_saved: DFF<Bit>,
    reg_turn: DFF<Bit>,
    reg_turn_silent: DFF<Bit>,
    reg_turn_all: DFF<Bit>,
    reg_forgotten: DFF<Bit>,
    ready: DFF<Bit>,
    room: DFF<Bit>,
    accept: Signal<Local, Bit>,
    row_id: Signal<Local, Bits<4>>,
    one: Signal<Local, Bits<W>>,
    every: Constant<Bits<W>>,
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const LI: usize> Default for Enter<W, LW, CW, LC, LI> {
    fn default() -> Self {
        assert!(W == 1 << LW && LI <= 4);
        crate::fresh!(Enter {
            clock, reset, op_valid, op_ready, op_kind, op_fault, op_uniform, op_warp, op_cta, op_id, op_state, op_warps,
            op_live, op_barriers, op_mask, op_saved, clear_active, clear_slot, clear_id, clear_silent, clear_all, clear_next,
            last_id, word_id, room_next, slot, place, exits, step, taken, released, blocks, valid, kind, fault, uniform, warp, mask, cta,
            id, row, state, warps, live, barriers, saved, turn, turn_silent, turn_all, forgotten, reg_valid, reg_kind, reg_fault,
            reg_uniform, reg_warp, reg_mask, reg_cta, reg_id, reg_row, reg_state, reg_warps, reg_live, reg_barriers, reg_saved,
            reg_turn, reg_turn_silent, reg_turn_all, reg_forgotten, ready, room, accept, row_id, one;
            every: Constant::new((u64::MAX >> (64 - W)).into())
        })
    }
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const LI: usize> Logic for Enter<W, LW, CW, LC, LI> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ready, room, reg_valid, reg_kind, reg_fault, reg_uniform, reg_warp, reg_mask, reg_cta, reg_id);
        dff_setup!(self, clock, reg_row, reg_state, reg_warps, reg_live, reg_barriers, reg_saved, reg_turn, reg_turn_silent);
        dff_setup!(self, clock, reg_turn_all, reg_forgotten);

        // What is taken, and which row and entry it needs.
        self.accept.next = self.op_valid.val() & self.ready.q.val();
        self.step.next = self.clear_active.val() & self.room.q.val();
        self.taken.next = self.accept.val() | self.step.val();
        self.exits.next = (self.op_kind.val() == OpKind::Exit) & (self.op_fault.val() == FaultCode::None);
        self.slot.next = self.op_cta.val();
        self.row_id.next = self.op_id.val();
        if self.exits.val() {
            self.row_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        if (self.op_kind.val() == OpKind::Write) & (self.op_state.val() == StateWord::Warp) {
            self.row_id.next = self.word_id.val();
        }
        self.reg_id.d.next = self.op_id.val();
        if self.clear_active.val() {
            self.slot.next = self.clear_slot.val();
            self.row_id.next = bit_cast::<4, LI>(self.clear_id.val());
            self.reg_id.d.next = bit_cast::<4, LI>(self.clear_id.val());
        }
        self.place.next = bit_cast::<LI, 4>(self.row_id.val());

        self.reg_valid.d.next = self.accept.val();
        self.reg_kind.d.next = self.op_kind.val();
        self.reg_fault.d.next = self.op_fault.val();
        self.reg_uniform.d.next = self.op_uniform.val();
        self.reg_warp.d.next = self.op_warp.val();
        self.one.next = 0.into();
        self.one.next = self.one.val().replace_bit(self.op_warp.val().index(), true);
        self.reg_mask.d.next = self.one.val();
        if self.op_kind.val() == OpKind::Release {
            self.reg_mask.d.next = self.op_mask.val();
        }
        self.reg_cta.d.next = self.slot.val();
        self.reg_row.d.next = self.row_id.val();
        self.reg_state.d.next = self.op_state.val();
        self.reg_warps.d.next = self.op_warps.val();
        self.reg_live.d.next = self.op_live.val();
        self.reg_barriers.d.next = self.op_barriers.val();
        self.reg_saved.d.next = self.op_saved.val();
        self.reg_turn.d.next = self.step.val();
        self.reg_turn_silent.d.next = self.clear_silent.val();
        self.reg_turn_all.d.next = self.clear_all.val();

        // Whose wait begins, and what stops the stream.
        self.blocks.next = 0.into();
        if self.accept.val()
            & ((self.op_kind.val() == OpKind::Sync) | (self.op_kind.val() == OpKind::Reduce))
            & (self.op_fault.val() == FaultCode::None)
        {
            self.blocks.next = self.one.val();
        }
        self.released.next = self.accept.val() & (self.op_kind.val() == OpKind::Release);
        self.room.d.next = self.room_next.val();
        self.ready.d.next = self.room_next.val() & !self.clear_next.val() & !self.released.val();
        self.released.next = self.released.val() & (self.op_fault.val() == FaultCode::None);
        self.reg_forgotten.d.next = self.released.val();

        if self.reset.val() {
            self.reg_valid.d.next = false;
            self.reg_turn.d.next = false;
            self.ready.d.next = false;
            self.room.d.next = true;
            self.reg_mask.d.next = self.every.val();
            self.reg_forgotten.d.next = true;
        }
        self.op_ready.next = self.ready.q.val();
        self.valid.next = self.reg_valid.q.val();
        self.kind.next = self.reg_kind.q.val();
        self.fault.next = self.reg_fault.q.val();
        self.uniform.next = self.reg_uniform.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.mask.next = self.reg_mask.q.val();
        self.cta.next = self.reg_cta.q.val();
        self.id.next = self.reg_id.q.val();
        self.row.next = self.reg_row.q.val();
        self.state.next = self.reg_state.q.val();
        self.warps.next = self.reg_warps.q.val();
        self.live.next = self.reg_live.q.val();
        self.barriers.next = self.reg_barriers.q.val();
        self.saved.next = self.reg_saved.q.val();
        self.turn.next = self.reg_turn.q.val();
        self.turn_silent.next = self.reg_turn_silent.q.val();
        self.turn_all.next = self.reg_turn_all.q.val();
        self.forgotten.next = self.reg_forgotten.q.val();
    }
}
