// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters the pipeline: an operation of the stream, or a row whose turn it is to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; the last id of the exit's CTA; `room` and `clear_next` for the next cycle.
//! *Writes:* in the same cycle the place to read (`slot`, `id`) and what was taken; one cycle later the operation with its count in warps
//! (latency 1). `op_ready` is a register. Implements the operation channel of `docs/interface.md`.

use crate::unit::op::{FaultCode, OpKind};
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
    pub op_count: Signal<In, Bits<12>>,
    pub op_warps: Signal<In, Bits<CW>>,
    pub op_live: Signal<In, Bits<CW>>,
    pub op_barriers: Signal<In, Bits<5>>,
    pub op_saved: Signal<In, Bit>,
    pub clear_active: Signal<In, Bit>,
    pub clear_slot: Signal<In, Bits<LC>>,
    pub clear_id: Signal<In, Bits<LI>>,
    pub clear_silent: Signal<In, Bit>,
    pub clear_all: Signal<In, Bit>,
    pub clear_next: Signal<In, Bit>,
    pub last_id: Signal<In, Bits<LI>>,
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
    pub warp_mask: Signal<Out, Bits<W>>,
    pub cta: Signal<Out, Bits<LC>>,
    pub id: Signal<Out, Bits<4>>,
    pub wanted: Signal<Out, Bits<CW>>,
    pub zero: Signal<Out, Bit>,
    pub ragged: Signal<Out, Bit>,
    pub huge: Signal<Out, Bit>,
    pub warps: Signal<Out, Bits<CW>>,
    pub live: Signal<Out, Bits<CW>>,
    pub barriers: Signal<Out, Bits<5>>,
    pub saved: Signal<Out, Bit>,
    pub turn: Signal<Out, Bit>,
    pub turn_silent: Signal<Out, Bit>,
    pub turn_all: Signal<Out, Bit>,
    reg_valid: DFF<Bit>,
    reg_kind: DFF<OpKind>,
    reg_fault: DFF<FaultCode>,
    reg_uniform: DFF<Bit>,
    reg_warp: DFF<Bits<LW>>,
    reg_warp_mask: DFF<Bits<W>>,
    reg_cta: DFF<Bits<LC>>,
    reg_id: DFF<Bits<4>>,
    reg_wanted: DFF<Bits<CW>>,
    reg_zero: DFF<Bit>,
    reg_ragged: DFF<Bit>,
    reg_huge: DFF<Bit>,
    reg_warps: DFF<Bits<CW>>,
    reg_live: DFF<Bits<CW>>,
    reg_barriers: DFF<Bits<5>>,
    reg_saved: DFF<Bit>,
    reg_turn: DFF<Bit>,
    reg_turn_silent: DFF<Bit>,
    reg_turn_all: DFF<Bit>,
    ready: DFF<Bit>,
    room: DFF<Bit>,
    accept: Signal<Local, Bit>,
    full_id: Signal<Local, Bits<4>>,
    threads: Signal<Local, Bits<12>>,
    groups: Signal<Local, Bits<12>>,
    lane_bits: Constant<Bits<3>>,
    lane_mask: Constant<Bits<12>>,
    all_warps: Constant<Bits<12>>,
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const LI: usize> Enter<W, LW, CW, LC, LI> {
    /// `lanes` of a warp, a power of two of at most 64.
    pub fn new(lanes: usize) -> Self {
        assert!(W == 1 << LW && lanes.is_power_of_two() && lanes <= 64 && LI <= 4);
        crate::fresh!(Enter {
            clock, reset, op_valid, op_ready, op_kind, op_fault, op_uniform, op_warp, op_cta, op_id, op_count, op_warps,
            op_live, op_barriers, op_saved, clear_active, clear_slot, clear_id, clear_silent, clear_all, clear_next,
            last_id, room_next, slot, place, exits, step, taken, released, blocks, valid, kind, fault, uniform, warp,
            warp_mask, cta, id, wanted, zero, ragged, huge, warps, live, barriers, saved, turn, turn_silent, turn_all,
            reg_valid, reg_kind, reg_fault, reg_uniform, reg_warp, reg_warp_mask, reg_cta, reg_id, reg_wanted, reg_zero,
            reg_ragged, reg_huge, reg_warps, reg_live, reg_barriers, reg_saved, reg_turn, reg_turn_silent, reg_turn_all,
            ready, room, accept, full_id, threads, groups;
            lane_bits: Constant::new((lanes.trailing_zeros() as u64).into()),
            lane_mask: Constant::new((lanes as u64 - 1).into()),
            all_warps: Constant::new((W as u64).into())
        })
    }
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const LI: usize> Logic for Enter<W, LW, CW, LC, LI> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            ready,
            room,
            reg_valid,
            reg_kind,
            reg_fault,
            reg_uniform,
            reg_warp,
            reg_warp_mask,
            reg_cta,
            reg_id,
            reg_wanted,
            reg_zero,
            reg_ragged,
            reg_huge,
            reg_warps,
            reg_live,
            reg_barriers,
            reg_saved,
            reg_turn,
            reg_turn_silent,
            reg_turn_all
        );

        // What is taken, and which row and entry it needs.
        self.accept.next = self.op_valid.val() & self.ready.q.val();
        self.step.next = self.clear_active.val() & self.room.q.val();
        self.taken.next = self.accept.val() | self.step.val();
        self.exits.next = (self.op_kind.val() == OpKind::Exit) & (self.op_fault.val() == FaultCode::None);
        self.slot.next = self.op_cta.val();
        self.full_id.next = self.op_id.val();
        if self.exits.val() {
            self.full_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        if self.clear_active.val() {
            self.slot.next = self.clear_slot.val();
            self.full_id.next = bit_cast::<4, LI>(self.clear_id.val());
        }
        self.place.next = bit_cast::<LI, 4>(self.full_id.val());

        // The count in warps; an exit counts like an arrival without a count.
        self.threads.next = self.op_count.val();
        if self.op_kind.val() == OpKind::Exit {
            self.threads.next = 0.into();
        }
        self.groups.next = self.threads.val() >> self.lane_bits.val();
        self.reg_zero.d.next = !self.threads.val().any();
        self.threads.next = self.threads.val() & self.lane_mask.val();
        self.reg_ragged.d.next = self.threads.val().any();
        self.reg_huge.d.next = self.groups.val() > self.all_warps.val();
        self.reg_wanted.d.next = bit_cast::<CW, 12>(self.groups.val());

        self.reg_valid.d.next = self.accept.val();
        self.reg_kind.d.next = self.op_kind.val();
        self.reg_fault.d.next = self.op_fault.val();
        self.reg_uniform.d.next = self.op_uniform.val();
        self.reg_warp.d.next = self.op_warp.val();
        self.blocks.next = 0.into();
        self.blocks.next = self.blocks.val().replace_bit(self.op_warp.val().index(), true);
        self.reg_warp_mask.d.next = self.blocks.val();
        self.reg_cta.d.next = self.slot.val();
        self.reg_id.d.next = self.full_id.val();
        self.reg_warps.d.next = self.op_warps.val();
        self.reg_live.d.next = self.op_live.val();
        self.reg_barriers.d.next = self.op_barriers.val();
        self.reg_saved.d.next = self.op_saved.val();
        self.reg_turn.d.next = self.step.val();
        self.reg_turn_silent.d.next = self.clear_silent.val();
        self.reg_turn_all.d.next = self.clear_all.val();

        // Whose wait begins, and what stops the stream.
        if !self.accept.val() | (self.op_kind.val() != OpKind::Sync) | (self.op_fault.val() != FaultCode::None) {
            self.blocks.next = 0.into();
        }
        self.released.next = self.accept.val() & (self.op_kind.val() == OpKind::Release);
        self.room.d.next = self.room_next.val();
        self.ready.d.next = self.room_next.val() & !self.clear_next.val() & !self.released.val();
        self.released.next = self.released.val() & (self.op_fault.val() == FaultCode::None);

        if self.reset.val() {
            self.reg_valid.d.next = false;
            self.reg_turn.d.next = false;
            self.ready.d.next = false;
            self.room.d.next = true;
        }
        self.op_ready.next = self.ready.q.val();
        self.valid.next = self.reg_valid.q.val();
        self.kind.next = self.reg_kind.q.val();
        self.fault.next = self.reg_fault.q.val();
        self.uniform.next = self.reg_uniform.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.warp_mask.next = self.reg_warp_mask.q.val();
        self.cta.next = self.reg_cta.q.val();
        self.id.next = self.reg_id.q.val();
        self.wanted.next = self.reg_wanted.q.val();
        self.zero.next = self.reg_zero.q.val();
        self.ragged.next = self.reg_ragged.q.val();
        self.huge.next = self.reg_huge.q.val();
        self.warps.next = self.reg_warps.q.val();
        self.live.next = self.reg_live.q.val();
        self.barriers.next = self.reg_barriers.q.val();
        self.saved.next = self.reg_saved.q.val();
        self.turn.next = self.reg_turn.q.val();
        self.turn_silent.next = self.reg_turn_silent.q.val();
        self.turn_all.next = self.reg_turn_all.q.val();
    }
}
