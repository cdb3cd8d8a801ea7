// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: one operation a cycle from one stream, releases as masks, faults on a channel.
//!
//! *Reads:* the operation channel. *Writes:* the release strobe, `blocked`, the fault channel. *Latency:* 2 from the transfer that
//! completes a barrier to its release. Implements bar/barrier of specs 000 and 002 and BAR of spec 001 without reductions; the exact
//! ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  cycle t           |  cycle t+1                                    |  t+2
//!  op ──┬─ address ──┼─► row  ─┬─► judge ──► advance ─┬─► row, entry │
//!       │            │         │                      ├──────────────┼─► release, blocked
//!  clear┘            ├─► entry ┘                      └─► faults ────┼─► fault channel
//! ```

pub mod advance;
pub mod clear;
pub mod ctas;
pub mod faults;
pub mod judge;
pub mod rows;

use crate::ports::Unit;
use crate::unit::op::{FaultCode, OpKind};
use advance::Advance;
use clear::Clear;
use ctas::Ctas;
use faults::Faults;
use judge::Judge;
use rows::Rows;
use rust_hdl::prelude::*;

/// `W` warps (index `LW` bits, count `CW` bits), `S = 2^LC` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`.
#[derive(LogicBlock)]
pub struct Named<
    const W: usize,
    const LW: usize,
    const CW: usize,
    const LC: usize,
    const S: usize,
    const LI: usize,
    const RA: usize,
    const IW: usize,
> {
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
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub blocked: Signal<Out, Bits<W>>,
    pub clearing: Signal<Out, Bit>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,

    rows: Rows<W, CW, LC, LI, RA>,
    ctas: Ctas<CW, LC, LI, S, IW>,
    judge: Judge<W, CW, IW>,
    advance: Advance<W, CW, IW>,
    clear: Clear<LC, LI>,
    faults: Faults<LW, LC>,

    // The operation one cycle inside.
    valid: DFF<Bit>,
    kind: DFF<OpKind>,
    upstream: DFF<FaultCode>,
    uniform: DFF<Bit>,
    warp: DFF<Bits<LW>>,
    warp_mask: DFF<Bits<W>>,
    cta: DFF<Bits<LC>>,
    id: DFF<Bits<4>>,
    wanted: DFF<Bits<CW>>,
    zero: DFF<Bit>,
    ragged: DFF<Bit>,
    huge: DFF<Bit>,
    warps: DFF<Bits<CW>>,
    live: DFF<Bits<CW>>,
    barriers: DFF<Bits<5>>,
    saved: DFF<Bit>,
    turn: DFF<Bit>,
    turn_silent: DFF<Bit>,
    turn_all: DFF<Bit>,
    follow: DFF<Bit>,
    before_id: DFF<Bits<4>>,

    // State and outputs.
    ready: DFF<Bit>,
    room: DFF<Bit>,
    waits: DFF<Bits<W>>,
    cleaning: DFF<Bit>,
    strobe: DFF<Bit>,
    strobe_cta: DFF<Bits<LC>>,
    strobe_id: DFF<Bits<4>>,
    strobe_warps: DFF<Bits<W>>,

    accept: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    enter_slot: Signal<Local, Bits<LC>>,
    enter_id: Signal<Local, Bits<4>>,
    enter_mask: Signal<Local, Bits<W>>,
    blocking: Signal<Local, Bit>,
    threads: Signal<Local, Bits<12>>,
    groups: Signal<Local, Bits<12>>,
    good: Signal<Local, Bit>,
    nocount: Signal<Local, Bit>,
    found_id: Signal<Local, Bits<4>>,
    left_open: Signal<Local, Bit>,
    unblock: Signal<Local, Bits<W>>,
    code: Signal<Local, FaultCode>,
    lane_bits: Constant<Bits<3>>,
    lane_mask: Constant<Bits<12>>,
    all_warps: Constant<Bits<12>>,
}

impl<
        const W: usize,
        const LW: usize,
        const CW: usize,
        const LC: usize,
        const S: usize,
        const LI: usize,
        const RA: usize,
        const IW: usize,
    > Named<W, LW, CW, LC, S, LI, RA, IW>
{
    /// `lanes` of a warp, a power of two of at most 64.
    pub fn new(lanes: usize) -> Self {
        assert!(W == 1 << LW && lanes.is_power_of_two() && lanes <= 64 && LI <= 4 && IW == LI + 1);
        crate::fresh!(Named {
            clock, reset, op_valid, op_ready, op_kind, op_fault, op_uniform, op_warp, op_cta, op_id, op_count,
            op_warps, op_live, op_barriers, op_saved, release_valid, release_cta, release_id, release_warps, blocked,
            clearing, fault_valid, fault_ready, fault_code, fault_warp, fault_cta, fault_id, rows, ctas, judge, clear,
            faults, valid, kind, upstream, uniform, warp, warp_mask, cta, id, wanted, zero, ragged, huge, warps, live,
            barriers, saved, turn, turn_silent, turn_all, follow, before_id, ready, room, waits, cleaning, strobe,
            strobe_cta, strobe_id, strobe_warps, accept, step, enter_slot, enter_id, enter_mask, blocking, threads,
            groups, good, nocount, found_id, left_open, unblock, code;
            advance: Advance::new(1 << LI),
            lane_bits: Constant::new((lanes.trailing_zeros() as u64).into()),
            lane_mask: Constant::new((lanes as u64 - 1).into()),
            all_warps: Constant::new((W as u64).into())
        })
    }
}

impl<
        const W: usize,
        const LW: usize,
        const CW: usize,
        const LC: usize,
        const S: usize,
        const LI: usize,
        const RA: usize,
        const IW: usize,
    > Logic for Named<W, LW, CW, LC, S, LI, RA, IW>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, kind, upstream, uniform, warp, warp_mask, cta, id, wanted, zero, ragged, huge);
        dff_setup!(self, clock, warps, live, barriers, saved, turn, turn_silent, turn_all, follow, before_id);
        dff_setup!(self, clock, ready, room, waits, cleaning, strobe, strobe_cta, strobe_id, strobe_warps);
        self.rows.clock.next = self.clock.val();
        self.ctas.clock.next = self.clock.val();
        self.ctas.reset.next = self.reset.val();
        self.clear.clock.next = self.clock.val();
        self.clear.reset.next = self.reset.val();
        self.faults.clock.next = self.clock.val();
        self.faults.reset.next = self.reset.val();
        self.faults.fault_ready.next = self.fault_ready.val();

        // What enters: an operation, or a row whose turn it is to be cleared.
        self.accept.next = self.op_valid.val() & self.ready.q.val();
        self.step.next = self.clear.active.val() & self.room.q.val();
        self.enter_slot.next = self.op_cta.val();
        self.enter_id.next = self.op_id.val();
        if (self.op_kind.val() == OpKind::Exit) & (self.op_fault.val() == FaultCode::None) {
            self.enter_id.next = bit_cast::<4, LI>(self.ctas.last_id.val());
        }
        if self.clear.active.val() {
            self.enter_slot.next = self.clear.slot.val();
            self.enter_id.next = bit_cast::<4, LI>(self.clear.id.val());
        }
        self.rows.slot.next = self.enter_slot.val();
        self.rows.id.next = bit_cast::<LI, 4>(self.enter_id.val());
        self.ctas.slot.next = self.enter_slot.val();
        self.clear.step.next = self.step.val();
        self.enter_mask.next = 0.into();
        self.enter_mask.next = self.enter_mask.val().replace_bit(self.op_warp.val().index(), true);
        self.threads.next = self.op_count.val();
        if self.op_kind.val() == OpKind::Exit {
            self.threads.next = 0.into();
        }
        self.groups.next = self.threads.val() >> self.lane_bits.val();

        self.valid.d.next = self.accept.val();
        self.kind.d.next = self.op_kind.val();
        self.upstream.d.next = self.op_fault.val();
        self.uniform.d.next = self.op_uniform.val();
        self.warp.d.next = self.op_warp.val();
        self.warp_mask.d.next = self.enter_mask.val();
        self.cta.d.next = self.enter_slot.val();
        self.id.d.next = self.enter_id.val();
        self.wanted.d.next = bit_cast::<CW, 12>(self.groups.val());
        self.zero.d.next = !self.threads.val().any();
        self.threads.next = self.threads.val() & self.lane_mask.val();
        self.ragged.d.next = self.threads.val().any();
        self.huge.d.next = self.groups.val() > self.all_warps.val();
        self.warps.d.next = self.op_warps.val();
        self.live.d.next = self.op_live.val();
        self.barriers.d.next = self.op_barriers.val();
        self.saved.d.next = self.op_saved.val();
        self.turn.d.next = self.step.val();
        self.turn_silent.d.next = self.clear.silent.val();
        self.turn_all.d.next = self.clear.all.val();

        // One cycle inside: what is wrong with it.
        self.judge.valid.next = self.valid.q.val();
        self.judge.kind.next = self.kind.q.val();
        self.judge.upstream.next = self.upstream.q.val();
        self.judge.uniform.next = self.uniform.q.val();
        self.judge.id.next = self.id.q.val();
        self.judge.zero.next = self.zero.q.val();
        self.judge.ragged.next = self.ragged.q.val();
        self.judge.huge.next = self.huge.q.val();
        self.judge.wanted.next = self.wanted.q.val();
        self.judge.warp_mask.next = self.warp_mask.q.val();
        self.judge.arrived.next = self.rows.arrived.val();
        self.judge.count.next = self.rows.count.val();
        self.judge.expected.next = self.rows.expected.val();
        self.judge.warps.next = self.ctas.warps.val();
        self.judge.barriers.next = self.ctas.barriers.val();

        // What becomes of it.
        self.good.next = self.valid.q.val() & (self.judge.fault.val() == FaultCode::None);
        self.advance.good.next = self.good.val();
        self.advance.kind.next = self.kind.q.val();
        self.advance.clear.next = self.turn.q.val();
        self.advance.clear_cta.next = self.turn.q.val() & self.turn_all.q.val();
        self.advance.warp_mask.next = self.warp_mask.q.val();
        self.advance.wanted.next = self.wanted.q.val();
        self.advance.arrived.next = self.rows.arrived.val();
        self.advance.waiting.next = self.rows.waiting.val();
        self.advance.count.next = self.rows.count.val();
        self.advance.expected.next = self.rows.expected.val();
        self.advance.warps.next = self.ctas.warps.val();
        self.advance.live.next = self.ctas.live.val();
        self.advance.barriers.next = self.ctas.barriers.val();
        self.advance.open.next = self.ctas.open.val();
        self.advance.launch_warps.next = self.warps.q.val();
        self.advance.launch_live.next = self.live.q.val();
        self.advance.launch_barriers.next = self.barriers.q.val();
        self.rows.follow.next = self.follow.q.val();
        self.rows.write.next = self.advance.row_write.val();
        self.rows.new_arrived.next = self.advance.new_arrived.val();
        self.rows.new_waiting.next = self.advance.new_waiting.val();
        self.rows.new_count.next = self.advance.new_count.val();
        self.rows.new_expected.next = self.advance.new_expected.val();
        self.ctas.write.next = self.advance.cta_write.val();
        self.ctas.new_warps.next = self.advance.new_warps.val();
        self.ctas.new_live.next = self.advance.new_live.val();
        self.ctas.new_barriers.next = self.advance.new_barriers.val();
        self.ctas.new_open.next = self.advance.new_open.val();

        // An exit right behind an arrival without a count looks at that arrival's row: its id is not recorded yet.
        self.nocount.next = self.good.val()
            & !self.wanted.q.val().any()
            & ((self.kind.q.val() == OpKind::Sync) | (self.kind.q.val() == OpKind::Arrive));
        self.ctas.record.next = self.nocount.val();
        self.ctas.record_id.next = bit_cast::<LI, 4>(self.id.q.val());
        self.follow.d.next =
            self.nocount.val() & (self.op_kind.val() == OpKind::Exit) & (self.cta.q.val() == self.enter_slot.val());
        self.before_id.d.next = self.id.q.val();
        self.found_id.next = self.id.q.val();
        if self.follow.q.val() {
            self.found_id.next = self.before_id.q.val();
        }

        // Rows to clear.
        self.clear.start.next = self.advance.dirty.val();
        self.clear.start_slot.next = self.cta.q.val();
        self.clear.start_silent.next = self.saved.q.val();
        self.left_open.next = self.turn.q.val() & !self.turn_silent.q.val() & self.rows.count.val().any();

        // Faults.
        self.code.next = self.judge.fault.val();
        self.faults.warp.next = self.warp.q.val();
        if self.left_open.val() {
            self.code.next = FaultCode::BarrierLeftOpen;
            self.faults.warp.next = 0.into();
        }
        self.faults.code.next = self.code.val();
        self.faults.cta.next = self.cta.q.val();
        self.faults.id.next = self.id.q.val();
        self.faults.taken.next = self.accept.val() | self.step.val();
        self.room.d.next = self.faults.room.val();

        // Who waits.
        self.blocking.next =
            self.accept.val() & (self.op_kind.val() == OpKind::Sync) & (self.op_fault.val() == FaultCode::None);
        self.unblock.next = 0.into();
        if self.advance.complete.val() {
            self.unblock.next = self.advance.go.val();
        }
        if self.turn.q.val() {
            self.unblock.next = self.rows.waiting.val();
        }
        if self.valid.q.val()
            & !self.good.val()
            & (self.kind.q.val() == OpKind::Sync)
            & (self.upstream.q.val() == FaultCode::None)
        {
            self.unblock.next = self.warp_mask.q.val();
        }
        self.waits.d.next = self.waits.q.val() & !self.unblock.val();
        if self.blocking.val() {
            self.waits.d.next = (self.waits.q.val() & !self.unblock.val()) | self.enter_mask.val();
        }

        // The release strobe.
        self.strobe.d.next = self.advance.complete.val();
        self.strobe_warps.d.next = 0.into();
        if self.advance.complete.val() {
            self.strobe_cta.d.next = self.cta.q.val();
            self.strobe_id.d.next = self.found_id.val();
            self.strobe_warps.d.next = self.advance.go.val();
        }

        self.ready.d.next = self.faults.room.val() & !self.clear.active_next.val();
        if self.accept.val() & (self.op_kind.val() == OpKind::Release) {
            self.ready.d.next = false;
        }
        self.cleaning.d.next = self.clear.active_next.val()
            | self.step.val()
            | (self.accept.val() & (self.op_kind.val() == OpKind::Release) & (self.op_fault.val() == FaultCode::None));

        if self.reset.val() {
            self.valid.d.next = false;
            self.turn.d.next = false;
            self.follow.d.next = false;
            self.ready.d.next = false;
            self.room.d.next = true;
            self.waits.d.next = 0.into();
            self.cleaning.d.next = true;
            self.strobe.d.next = false;
            self.strobe_cta.d.next = 0.into();
            self.strobe_id.d.next = 0.into();
            self.strobe_warps.d.next = 0.into();
        }

        self.op_ready.next = self.ready.q.val();
        self.release_valid.next = self.strobe.q.val();
        self.release_cta.next = self.strobe_cta.q.val();
        self.release_id.next = self.strobe_id.q.val();
        self.release_warps.next = self.strobe_warps.q.val();
        self.blocked.next = self.waits.q.val();
        self.clearing.next = self.cleaning.q.val();
        self.fault_valid.next = self.faults.fault_valid.val();
        self.fault_code.next = self.faults.fault_code.val();
        self.fault_warp.next = self.faults.fault_warp.val();
        self.fault_cta.next = self.faults.fault_cta.val();
        self.fault_id.next = self.faults.fault_id.val();
    }
}

impl<
        const W: usize,
        const LW: usize,
        const CW: usize,
        const LC: usize,
        const S: usize,
        const LI: usize,
        const RA: usize,
        const IW: usize,
    > Unit for Named<W, LW, CW, LC, S, LI, RA, IW>
{
    crate::ports! { "named";
        "reset" { reset: "Synchronous, active high; the tables are cleared after it." }
        "operation" {
            op_valid: "An operation is offered; it and its payload hold until it is taken.",
            op_ready: "The operation is taken at the end of this cycle if it is valid.",
            op_kind: "What it does.",
            op_fault: "Fault found upstream, reported here in order; none = carry the operation out.",
            op_uniform: "All executing lanes gave the same id and count.",
            op_warp: "Warp.",
            op_cta: "CTA slot of the warp, or the slot launched or released.",
            op_id: "Barrier id.",
            op_count: "Participants in threads, a multiple of the lanes; 0 = all live warps of the CTA.",
            op_warps: "Launch: warps launched.",
            op_live: "Launch: warps that have not exited.",
            op_barriers: "Launch: barriers declared, 0 to 16.",
            op_saved: "Release: open barriers were saved and are no fault.",
        }
        "release" {
            release_valid: "One cycle: a barrier has completed.",
            release_cta: "Its CTA slot.",
            release_id: "Its id.",
            release_warps: "The warps that waited at it and go on; 0 without release_valid.",
        }
        "warps" {
            blocked: "Warps that wait at a barrier or have an arrival under way that waits.",
            clearing: "A release (or reset) is still clearing rows.",
        }
        "fault" {
            fault_valid: "A fault is offered; it holds until it is taken.",
            fault_ready: "The fault is taken at the end of this cycle if it is valid.",
            fault_code: "What was wrong.",
            fault_warp: "Warp, 0 if the fault has none.",
            fault_cta: "CTA slot.",
            fault_id: "Barrier id.",
        }
    }
}
