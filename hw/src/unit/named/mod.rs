// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: one operation a cycle from one stream, releases as masks, faults on a channel.
//!
//! *Reads:* the operation channel, the fault policy. *Writes:* the strobes of releases, of reads, of tangles; `blocked`, `trapped`; the
//! fault channel. *Latency:* 2 from the transfer that completes a barrier to its release. Implements bar/barrier of specs 000 and 002 and
//! BAR, BAR_RED, B2R and R2B of spec 001; the exact ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  cycle t               |  cycle t+1                                            |  t+2
//!  op ─┬──► enter ───────┼─► rows, ctas ────────────┬─► judge ──► advance ─┬─► rows, ctas, results, places
//!      └──► operands ────┼─► results, places, stops ┘                      ├─► leave ──┼─► release, tangle
//!  clear ───► enter      │                                                 ├─► read ───┼─► read
//!                        │                                                 ├─► stops ──┼─► blocked, trapped
//!                        │                                                 └─► faults ─┼─► fault channel
//! ```

pub mod advance;
pub mod clear;
pub mod ctas;
pub mod enter;
pub mod faults;
pub mod judge;
pub mod leave;
pub mod operands;
pub mod places;
mod ports;
pub mod read;
pub mod results;
pub mod rows;
pub mod stops;

use crate::unit::op::{FaultCode, FaultPolicy, OpKind, RedOp, Reduction, StateWord};
use advance::Advance;
use clear::Clear;
use ctas::Ctas;
use enter::Enter;
use faults::Faults;
use judge::Judge;
use leave::Leave;
use operands::Operands;
use places::Places;
use read::Read;
use results::Results;
use rows::Rows;
use rust_hdl::prelude::*;
use stops::Stops;

/// `W` warps (index `LW` bits, count `CW` bits), `S = 2^LC` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`,
/// sums over all lanes of all warps in `AW` bits, over those of one warp in `VW`.
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
    const AW: usize,
    const VW: usize,
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
    pub op_redop: Signal<In, RedOp>,
    pub op_value: Signal<In, Bits<VW>>,
    pub op_state: Signal<In, StateWord>,
    pub op_data: Signal<In, Bits<32>>,
    pub op_warps: Signal<In, Bits<CW>>,
    pub op_live: Signal<In, Bits<CW>>,
    pub op_barriers: Signal<In, Bits<5>>,
    pub op_mask: Signal<In, Bits<W>>,
    pub op_saved: Signal<In, Bit>,
    pub fault_policy: Signal<In, FaultPolicy>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub release_reduction: Signal<Out, Reduction>,
    pub release_value: Signal<Out, Bits<12>>,
    pub read_valid: Signal<Out, Bit>,
    pub read_warp: Signal<Out, Bits<LW>>,
    pub read_value: Signal<Out, Bits<32>>,
    pub read_predicate: Signal<Out, Bit>,
    pub tangle_valid: Signal<Out, Bit>,
    pub tangle_cta: Signal<Out, Bits<LC>>,
    pub blocked: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    pub clearing: Signal<Out, Bit>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,

    clear: Clear<LC, LI>,
    enter: Enter<W, LW, CW, LC, LI>,
    operands: Operands<CW, AW, VW>,
    rows: Rows<W, CW, LC, LI, RA, AW>,
    ctas: Ctas<CW, LC, LI, S, IW>,
    results: Results<W, AW>,
    places: Places<LW>,
    stops: Stops<W>,
    judge: Judge<W, CW, IW, AW>,
    advance: Advance<W, CW, IW, AW>,
    faults: Faults<LW, LC>,
    leave: Leave<W, LC, AW>,
    read: Read<LW, CW, AW>,
    cleaning: DFF<Bit>,
    /// The exit inside looks at the row of the operation just before it, whose id is kept.
    follow: DFF<Bit>,
    before_id: DFF<Bits<4>>,
    waiter: Signal<Local, Bit>,
    restored: Signal<Local, Bit>,
    left_open: Signal<Local, Bit>,
    code: Signal<Local, FaultCode>,
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
        const AW: usize,
        const VW: usize,
    > Logic for Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cleaning, follow, before_id);
        self.clear.clock.next = self.clock.val();
        self.clear.reset.next = self.reset.val();
        self.enter.clock.next = self.clock.val();
        self.enter.reset.next = self.reset.val();
        self.operands.clock.next = self.clock.val();
        self.rows.clock.next = self.clock.val();
        self.ctas.clock.next = self.clock.val();
        self.results.clock.next = self.clock.val();
        self.places.clock.next = self.clock.val();
        self.stops.clock.next = self.clock.val();
        self.stops.reset.next = self.reset.val();
        self.faults.clock.next = self.clock.val();
        self.faults.reset.next = self.reset.val();
        self.leave.clock.next = self.clock.val();
        self.leave.reset.next = self.reset.val();
        self.read.clock.next = self.clock.val();
        self.read.reset.next = self.reset.val();

        // What enters.
        self.enter.op_valid.next = self.op_valid.val();
        self.enter.op_kind.next = self.op_kind.val();
        self.enter.op_fault.next = self.op_fault.val();
        self.enter.op_uniform.next = self.op_uniform.val();
        self.enter.op_warp.next = self.op_warp.val();
        self.enter.op_cta.next = self.op_cta.val();
        self.enter.op_id.next = self.op_id.val();
        self.enter.op_state.next = self.op_state.val();
        self.enter.op_warps.next = self.op_warps.val();
        self.enter.op_live.next = self.op_live.val();
        self.enter.op_barriers.next = self.op_barriers.val();
        self.enter.op_mask.next = self.op_mask.val();
        self.enter.op_saved.next = self.op_saved.val();
        self.operands.kind.next = self.op_kind.val();
        self.operands.count.next = self.op_count.val();
        self.operands.redop.next = self.op_redop.val();
        self.operands.value.next = self.op_value.val();
        self.operands.state.next = self.op_state.val();
        self.operands.data.next = self.op_data.val();
        self.enter.clear_active.next = self.clear.active.val();
        self.enter.clear_slot.next = self.clear.slot.val();
        self.enter.clear_id.next = self.clear.id.val();
        self.enter.clear_silent.next = self.clear.silent.val();
        self.enter.clear_all.next = self.clear.all.val();
        self.enter.clear_next.next = self.clear.active_next.val();
        self.enter.word_id.next = self.operands.word_id.val();
        self.enter.last_id.next = self.ctas.last_id.val();
        self.enter.room_next.next = self.faults.room.val();
        self.rows.slot.next = self.enter.slot.val();
        self.rows.id.next = self.enter.place.val();
        self.ctas.slot.next = self.enter.slot.val();
        self.places.warp.next = self.op_warp.val();

        // One cycle inside: its warp's state.
        self.results.mask.next = self.enter.mask.val();
        self.stops.mask.next = self.enter.mask.val();

        // What is wrong with it.
        self.judge.valid.next = self.enter.valid.val();
        self.judge.kind.next = self.enter.kind.val();
        self.judge.state.next = self.enter.state.val();
        self.judge.upstream.next = self.enter.fault.val();
        self.judge.uniform.next = self.enter.uniform.val();
        self.judge.mask.next = self.enter.mask.val();
        self.judge.id.next = self.enter.row.val();
        self.judge.writes_row.next = self.operands.writes_row.val();
        self.judge.writes_warp.next = self.operands.writes_warp.val();
        self.judge.wanted.next = self.operands.wanted.val();
        self.judge.huge.next = self.operands.huge.val();
        self.judge.zero.next = self.operands.zero.val();
        self.judge.ragged.next = self.operands.ragged.val();
        self.judge.steps.next = self.operands.steps.val();
        self.judge.reduction.next = self.operands.reduction.val();
        self.judge.waits.next = self.operands.waits.val();
        self.judge.result.next = self.operands.result.val();
        self.judge.result_of.next = self.operands.result_of.val();
        self.judge.bad.next = self.operands.bad.val();
        self.judge.arrived.next = self.rows.arrived.val();
        self.judge.waiting.next = self.rows.waiting.val();
        self.judge.count.next = self.rows.count.val();
        self.judge.expected.next = self.rows.expected.val();
        self.judge.row_reduction.next = self.rows.reduction.val();
        self.judge.warps.next = self.ctas.warps.val();
        self.judge.live.next = self.ctas.live.val();
        self.judge.barriers.next = self.ctas.barriers.val();
        self.judge.waits_now.next = self.stops.waits_now.val();
        self.judge.result_now.next = self.results.reduction.val();

        // What becomes of it.
        self.advance.good.next = self.judge.good.val();
        self.advance.kind.next = self.enter.kind.val();
        self.advance.clear.next = self.enter.turn.val();
        self.advance.clear_cta.next = self.enter.turn.val() & self.enter.turn_all.val();
        self.advance.mask.next = self.enter.mask.val();
        self.advance.writes_row.next = self.operands.writes_row.val();
        self.advance.writes_warp.next = self.operands.writes_warp.val();
        self.advance.wanted.next = self.operands.wanted.val();
        self.advance.steps.next = self.operands.steps.val();
        self.advance.amount.next = self.operands.amount.val();
        self.advance.reduction.next = self.operands.reduction.val();
        self.advance.arrives.next = self.operands.arrives.val();
        self.advance.waits.next = self.operands.waits.val();
        self.advance.idle.next = self.operands.idle.val();
        self.advance.launch_warps.next = self.enter.warps.val();
        self.advance.launch_live.next = self.enter.live.val();
        self.advance.launch_barriers.next = self.enter.barriers.val();
        self.advance.arrived.next = self.rows.arrived.val();
        self.advance.waiting.next = self.rows.waiting.val();
        self.advance.count.next = self.rows.count.val();
        self.advance.expected.next = self.rows.expected.val();
        self.advance.row_reduction.next = self.rows.reduction.val();
        self.advance.sum.next = self.rows.sum.val();
        self.advance.warps.next = self.ctas.warps.val();
        self.advance.live.next = self.ctas.live.val();
        self.advance.barriers.next = self.ctas.barriers.val();
        self.advance.open.next = self.ctas.open.val();
        self.advance.uncounted.next = self.ctas.uncounted.val();
        self.rows.follow.next = self.follow.q.val();
        self.rows.write.next = self.advance.row_write.val();
        self.rows.new_arrived.next = self.advance.new_arrived.val();
        self.rows.new_waiting.next = self.advance.new_waiting.val();
        self.rows.new_count.next = self.advance.new_count.val();
        self.rows.new_expected.next = self.advance.new_expected.val();
        self.rows.new_reduction.next = self.advance.new_reduction.val();
        self.rows.new_sum.next = self.advance.new_sum.val();
        self.ctas.write.next = self.advance.cta_write.val();
        self.ctas.new_warps.next = self.advance.new_warps.val();
        self.ctas.new_live.next = self.advance.new_live.val();
        self.ctas.new_barriers.next = self.advance.new_barriers.val();
        self.ctas.new_open.next = self.advance.new_open.val();
        self.ctas.new_uncounted.next = self.advance.new_uncounted.val();

        // An exit right behind the operation that records an id looks at its row: the id is not recorded yet.
        self.ctas.record.next = self.advance.record.val();
        self.ctas.record_id.next = bit_cast::<LI, 4>(self.enter.row.val());
        self.follow.d.next =
            self.advance.record.val() & self.enter.exits.val() & (self.enter.cta.val() == self.enter.slot.val());
        self.before_id.d.next = self.enter.row.val();

        // Its warp's state afterwards.
        self.waiter.next = self.enter.valid.val()
            & (self.enter.fault.val() == FaultCode::None)
            & ((self.enter.kind.val() == OpKind::Sync) | (self.enter.kind.val() == OpKind::Reduce));
        self.restored.next = self.judge.good.val() & self.operands.writes_warp.val();
        self.places.write.next = self.waiter.val() | (self.restored.val() & self.operands.waits.val());
        self.places.new_id.next = self.enter.row.val();
        self.results.go.next = self.advance.go.val();
        self.results.done.next = self.advance.done.val();
        self.results.done_value.next = self.advance.done_value.val();
        self.results.restored.next = self.restored.val();
        self.results.word.next = self.operands.result_of.val();
        self.results.word_value.next = self.operands.result.val();
        self.results.forgotten.next = self.enter.forgotten.val();
        self.stops.blocks.next = self.enter.blocks.val();
        self.stops.go.next = self.advance.go.val();
        self.stops.refused.next = self.enter.valid.val()
            & !self.judge.good.val()
            & (self.enter.fault.val() != FaultCode::NotResident)
            & (self.enter.kind.val() != OpKind::Launch)
            & (self.enter.kind.val() != OpKind::Release);
        self.stops.policy.next = self.fault_policy.val();
        self.stops.balked.next = self.waiter.val() & !self.judge.good.val();
        self.stops.forgotten.next = self.enter.forgotten.val();
        self.stops.restored.next = self.restored.val();
        self.stops.waits_again.next = self.operands.waits.val();
        self.stops.traps.next = self.operands.traps.val();

        // Rows to clear.
        self.clear.step.next = self.enter.step.val();
        self.clear.start.next = self.advance.dirty.val();
        self.clear.start_slot.next = self.enter.cta.val();
        self.clear.start_silent.next = self.enter.saved.val();
        self.left_open.next = self.enter.turn.val() & !self.enter.turn_silent.val() & self.rows.count.val().any();
        self.cleaning.d.next = self.clear.active_next.val() | self.enter.step.val() | self.enter.released.val();

        // Faults.
        self.code.next = self.judge.fault.val();
        self.faults.warp.next = self.enter.warp.val();
        if self.left_open.val() {
            self.code.next = FaultCode::BarrierLeftOpen;
            self.faults.warp.next = 0.into();
        }
        self.faults.code.next = self.code.val();
        self.faults.cta.next = self.enter.cta.val();
        self.faults.id.next = self.enter.id.val();
        self.faults.taken.next = self.enter.taken.val();
        self.faults.fault_ready.next = self.fault_ready.val();

        // What leaves.
        self.leave.complete.next = self.advance.complete.val();
        self.leave.go.next = self.advance.go.val();
        self.leave.cta.next = self.enter.cta.val();
        self.leave.id.next = self.enter.row.val();
        if self.follow.q.val() {
            self.leave.id.next = self.before_id.q.val();
        }
        self.leave.done.next = self.advance.done.val();
        self.leave.done_value.next = self.advance.done_value.val();
        self.leave.tangles.next = self.advance.tangles.val();
        self.read.good.next = self.judge.good.val();
        self.read.kind.next = self.enter.kind.val();
        self.read.state.next = self.enter.state.val();
        self.read.warp.next = self.enter.warp.val();
        self.read.count.next = self.rows.count.val();
        self.read.expected.next = self.rows.expected.val();
        self.read.reduction.next = self.rows.reduction.val();
        self.read.sum.next = self.rows.sum.val();
        self.read.arrived.next = self.judge.again.val();
        self.read.result.next = self.results.value.val();
        self.read.result_of.next = self.results.reduction.val();
        self.read.waits.next = self.stops.waits_now.val();
        self.read.place.next = self.places.id.val();
        self.read.trapped.next = self.stops.trapped_now.val();

        if self.reset.val() {
            self.follow.d.next = false;
            self.cleaning.d.next = true;
        }

        self.op_ready.next = self.enter.op_ready.val();
        self.clearing.next = self.cleaning.q.val();
        self.release_valid.next = self.leave.release_valid.val();
        self.release_cta.next = self.leave.release_cta.val();
        self.release_id.next = self.leave.release_id.val();
        self.release_warps.next = self.leave.release_warps.val();
        self.release_reduction.next = self.leave.release_reduction.val();
        self.release_value.next = self.leave.release_value.val();
        self.read_valid.next = self.read.read_valid.val();
        self.read_warp.next = self.read.read_warp.val();
        self.read_value.next = self.read.read_value.val();
        self.read_predicate.next = self.read.read_predicate.val();
        self.tangle_valid.next = self.leave.tangle_valid.val();
        self.tangle_cta.next = self.leave.tangle_cta.val();
        self.blocked.next = self.stops.blocked.val();
        self.trapped.next = self.stops.trapped.val();
        self.fault_valid.next = self.faults.fault_valid.val();
        self.fault_code.next = self.faults.fault_code.val();
        self.fault_warp.next = self.faults.fault_warp.val();
        self.fault_cta.next = self.faults.fault_cta.val();
        self.fault_id.next = self.faults.fault_id.val();
    }
}
