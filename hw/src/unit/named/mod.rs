// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: one operation a cycle from one stream, releases as masks, faults on a channel.
//!
//! *Reads:* the operation channel, the fault policy. *Writes:* the strobes of releases, of reads, of tangles; `blocked`, `trapped`; the
//! fault channel. *Latency:* 3 from the transfer that completes a barrier to its release, 4 for an exit. Implements bar/barrier of specs 000
//! and 002 and BAR, BAR_RED, B2R and R2B of spec 001; the exact ports and cycles are in `docs/interface.md`.
//!
//! Three stages: what the operation says by itself; what its row becomes; what follows from that. An operation that takes two slots stays
//! in the second stage for two cycles: it finds its row in the first of them, and reads it.
//!
//! ```text
//!  cycle t               |  t+1                          |  t+2 = e                   |  t+3
//!  op ─┬──► enter ───────┼─► rows, ctas ─► judge ──┬─────┼─► effect ─┬─► leave ───────┼─► release
//!      ├──► operands ────┼──────────────► advance ─┴► rows           ├─► read ────────┼─► read
//!      └──► marks ───────┼─► places                      │           ├─► counts ──────┼─► tangle, clear
//!                        │                               │           ├─► results      │
//!  clear ───► enter      │                               │           ├─► stops ───────┼─► blocked, trapped
//!                        │                               │           └─► verdict ─► faults ─► fault channel
//! ```

pub mod advance;
pub mod clear;
pub mod counts;
pub mod ctas;
pub mod effect;
pub mod enter;
pub mod faults;
pub mod judge;
pub mod leave;
pub mod marks;
pub mod masks;
pub mod operands;
pub mod places;
mod ports;
pub mod read;
pub mod results;
pub mod rows;
pub mod stops;
pub mod verdict;

use self::{
    advance::Advance, clear::Clear, counts::Counts, ctas::Ctas, effect::Effect, enter::Enter, faults::Faults, judge::Judge,
    leave::Leave, marks::Marks, masks::Masks, operands::Operands, places::Places, read::Read, results::Results, rows::Rows,
    stops::Stops, verdict::Verdict,
};
use crate::prim::channel::{Sink, Source, StrobeOut};
use crate::unit::channels::{Fault, NamedOp, ReadResult, Release, Tangle};
use crate::unit::op::{FaultCode, FaultPolicy, OpKind};
use bcu_derive::block;
pub use ports::Parts;
use rust_hdl::prelude::*;

/// `W` warps (index `LW` bits, count `CW` bits), `S = 2^LC` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`,
/// sums over all lanes of all warps in `AW` bits, over those of one warp in `VW`.
#[block(unit = "named")]
pub struct Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// An operation
    #[group("operation")]
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// What becomes of a warp whose operation is refused, beside the fault.
    #[group("policy")]
    pub fault_policy: Signal<In, FaultPolicy>,
    /// a barrier has completed
    #[group("release")]
    pub release: StrobeOut<Release<W, LC>>,
    /// a Read has its result
    #[group("read")]
    pub read: StrobeOut<ReadResult<LW>>,
    /// a second id without a count is open in a CTA
    #[group("tangle")]
    pub tangle: StrobeOut<Tangle<LC>>,
    /// Warps that wait at a barrier, have an arrival under way that waits, are trapped or hang.
    #[group("warps")]
    pub blocked: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    pub trapped: Signal<Out, Bits<W>>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    /// A fault
    #[group("fault")]
    pub fault: Source<Fault<LW, LC>>,

    clear: Clear<LC, LI>,
    enter: Enter<LW, LC, LI>,
    marks: Marks<W, LW>,
    operands: Operands<CW, AW, VW>,
    rows: Rows<CW, LC, LI, RA, AW>,
    masks: Masks<W, LW, RA>,
    ctas: Ctas<CW, LC, LI, IW>,
    places: Places<LW>,
    judge: Judge<CW, IW>,
    advance: Advance<CW, AW>,
    effect: Effect<LW, LC, AW>,
    counts: Counts<LC, IW>,
    results: Results<W, AW>,
    stops: Stops<W>,
    verdict: Verdict,
    faults: Faults<LW, LC>,
    leave: Leave<W, LC, AW>,
    reader: Read<LW, CW, AW>,
    cleaning: DFF<Bit>,
    /// The parts that are built: what hangs on them vanishes in synthesis.
    reduces: Constant<Bit>,
    checks: Constant<Bit>,
    words: Constant<Bit>,
    complete: Signal<Local, Bit>,
}

#[block]
impl Logic for Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.enter.words.next = self.words.val();
        self.operands.reduces.next = self.reduces.val();
        self.operands.checks.next = self.checks.val();
        self.operands.words.next = self.words.val();
        self.judge.checks.next = self.checks.val();
        self.masks.checks.next = self.checks.val();
        self.advance.reduces.next = self.reduces.val();
        self.advance.checks.next = self.checks.val();
        self.advance.words.next = self.words.val();
        self.results.built.next = self.reduces.val() & self.words.val();
        self.stops.checks.next = self.checks.val();
        self.verdict.checks.next = self.checks.val();
        self.faults.checks.next = self.checks.val();
        // What enters.
        self.enter.op_valid.next = self.op.valid.val();
        self.enter.op_kind.next = self.op.payload.val().request.kind;
        self.enter.op_fault.next = self.op.payload.val().request.fault;
        self.enter.op_warp.next = self.op.payload.val().warp;
        self.enter.op_cta.next = self.op.payload.val().request.cta;
        self.enter.op_id.next = self.op.payload.val().request.id;
        self.enter.op_state.next = self.op.payload.val().request.state;
        self.enter.op_saved.next = self.op.payload.val().cta_warps.saved;
        self.enter.clear_active.next = self.clear.active.val();
        self.enter.clear_slot.next = self.clear.slot.val();
        self.enter.clear_id.next = self.clear.id.val();
        self.enter.clear_silent.next = self.clear.silent.val();
        self.enter.clear_all.next = self.clear.all.val();
        self.enter.clear_next.next = self.clear.active_next.val();
        self.enter.stored.next = self.ctas.stored.val();
        self.enter.stored_id.next = self.ctas.stored_id.val();
        self.enter.recent_id.next = self.ctas.recent_id.val();
        self.enter.word_id.next = self.operands.word_id.val();
        self.enter.room_next.next = self.faults.room.val();
        self.operands.kind.next = self.op.payload.val().request.kind;
        self.operands.uniform.next = self.op.payload.val().request.uniform;
        self.operands.count.next = self.op.payload.val().request.count;
        self.operands.redop.next = self.op.payload.val().request.redop;
        self.operands.value.next = self.op.payload.val().value;
        self.operands.state.next = self.op.payload.val().request.state;
        self.operands.data.next = self.op.payload.val().request.data;
        self.operands.beat.next = self.enter.beat.val();
        self.marks.warp.next = self.op.payload.val().warp;
        self.marks.releases.next = self.op.payload.val().request.kind == OpKind::Release;
        self.marks.mask.next = self.op.payload.val().cta_warps.mask;
        self.marks.waits.next = self.enter.waits.val();
        self.marks.beat.next = self.enter.beat.val();
        self.rows.slot.next = self.enter.slot.val();
        self.rows.id.next = self.enter.place.val();
        self.rows.exits.next = self.enter.beat_exit.val();
        self.rows.other.next = self.enter.other.val();
        self.rows.late.next = self.ctas.last_id.val();
        self.ctas.entry.next = self.enter.entry.val();
        self.ctas.op_warps.next = self.op.payload.val().cta_warps.warps;
        self.ctas.op_live.next = self.op.payload.val().cta_warps.live;
        self.ctas.op_barriers.next = self.op.payload.val().cta_warps.barriers;
        self.ctas.blank.next = self.clear.all.val();

        // What stands against it.
        self.judge.doing.next = self.enter.doing.val();
        self.judge.coded.next = self.enter.code.val() != FaultCode::None;
        self.judge.flawed.next = self.operands.flawed.val();
        self.judge.id.next = self.enter.row.val();
        self.judge.traits.next = self.operands.marks.val();
        self.judge.wanted.next = self.operands.wanted.val();
        self.judge.before_last.next = self.operands.before_last.val();
        self.judge.steps.next = self.operands.steps.val();
        self.judge.reduction.next = self.operands.reduction.val();
        self.judge.forwarded.next = self.rows.forwarded.val();
        self.judge.kept_expected.next = self.rows.kept_expected.val();
        self.judge.kept_reduction.next = self.rows.kept_reduction.val();
        self.judge.read_expected.next = self.rows.read_expected.val();
        self.judge.read_reduction.next = self.rows.read_reduction.val();
        self.judge.row_reduction.next = self.rows.reduction.val();
        self.judge.marks.next = self.rows.marks.val();
        self.judge.raw.next = self.masks.raw.val();
        self.judge.held.next = self.masks.held.val();
        self.judge.forced.next = self.masks.forced.val();
        self.judge.warps.next = self.ctas.warps.val();
        self.judge.live.next = self.ctas.live.val();
        self.judge.barriers.next = self.ctas.barriers.val();
        self.judge.waits_now.next = self.stops.waits_now.val();
        self.judge.same.next = self.rows.same.val();

        // What becomes of its row.
        self.advance.doing.next = self.enter.doing.val();
        self.advance.traits.next = self.operands.marks.val();
        self.advance.wanted.next = self.operands.wanted.val();
        self.advance.before_last.next = self.operands.before_last.val();
        self.advance.steps.next = self.operands.steps.val();
        self.advance.amount.next = self.operands.amount.val();
        self.advance.reduction.next = self.operands.reduction.val();
        self.advance.count.next = self.rows.count.val();
        self.advance.expected.next = self.rows.expected.val();
        self.advance.row_reduction.next = self.rows.reduction.val();
        self.advance.sum.next = self.rows.sum.val();
        self.advance.marks.next = self.rows.marks.val();
        self.advance.adds.next = self.rows.adds.val();
        self.advance.live.next = self.ctas.live.val();
        self.advance.others.next = self.ctas.others.val();
        self.rows.follows.next = self.judge.follows.val();
        self.rows.anew.next = self.enter.doing.val().writes_row;
        self.rows.new_count.next = self.advance.new_count.val();
        self.rows.new_expected.next = self.advance.new_expected.val();
        self.rows.new_reduction.next = self.advance.new_reduction.val();
        self.rows.new_sum.next = self.advance.new_sum.val();
        self.rows.new_marks.next = self.advance.new_marks.val();
        self.masks.next_at.next = self.rows.next_at.val();
        self.masks.at.next = self.rows.at.val();
        self.masks.last_at.next = self.rows.last_at.val();
        self.masks.same.next = self.rows.same.val();
        self.masks.same_last.next = self.rows.same_last.val();
        self.masks.next_warp.next = self.op.payload.val().warp;
        self.masks.warp.next = self.enter.warp.val();
        self.masks.inside.next = self.marks.inside.val();
        self.masks.acting.next = self.marks.acting.val();
        self.ctas.cta.next = self.enter.cta.val();
        self.ctas.beat.next = self.enter.beat.val();
        self.ctas.beat_exit.next = self.enter.beat_exit.val();
        self.ctas.beat_launch.next = self.enter.beat_launch.val();
        self.ctas.whole.next = self.enter.doing.val().whole;
        self.places.warp.next = self.enter.warp.val();
        self.places.last_warp.next = self.effect.warp.val();
        self.places.follows_own.next = self.masks.follows_own.val();
        self.places.write.next =
            self.effect.doing.val().waiter | (self.judge.against.val().restores & self.effect.doing.val().waits);
        self.places.new_id.next = self.effect.row.val();

        // Its effects.
        self.effect.in_doing.next = self.enter.doing.val();
        self.effect.in_code.next = self.enter.code.val();
        self.effect.in_exempt.next = self.enter.exempt.val();
        self.effect.in_saved.next = self.enter.saved.val();
        self.effect.beat.next = self.enter.beat.val();
        self.effect.flaw.next = self.operands.flaw.val();
        self.effect.flawed.next = self.operands.flawed.val();
        self.effect.traits.next = self.operands.marks.val();
        self.effect.marks.next = self.rows.marks.val();
        self.effect.full.next = self.advance.full.val();
        self.effect.records.next = self.advance.records.val();
        self.effect.departs.next = self.advance.departs.val();
        self.effect.in_state.next = self.enter.state.val();
        self.effect.in_warp.next = self.enter.warp.val();
        self.effect.in_cta.next = self.enter.cta.val();
        self.effect.in_id.next = self.enter.id.val();
        self.effect.in_row.next = self.enter.row.val();
        self.effect.in_result.next = self.operands.result.val();
        self.complete.next =
            (self.judge.against.val().changes & self.effect.doing.val().full) | self.effect.doing.val().departs;
        self.rows.write.next = self.judge.against.val().changes | self.effect.doing.val().exits | self.effect.doing.val().turn;
        self.masks.changes.next = self.judge.against.val().changes;
        self.masks.was_open.next = self.effect.doing.val().was_open;
        self.masks.arrives.next = self.effect.doing.val().joins;
        self.masks.waits.next = self.effect.doing.val().waits;
        self.ctas.last_cta.next = self.effect.cta.val();
        self.ctas.record.next = self.judge.against.val().changes & self.effect.doing.val().records;
        self.ctas.row.next = bit_cast::<LI, 4>(self.effect.row.val());
        self.ctas.last_whole.next = self.effect.doing.val().whole;
        self.counts.next_cta.next = self.enter.cta.val();
        self.counts.cta.next = self.effect.cta.val();
        self.counts.moves.next =
            (self.judge.against.val().changes & self.effect.doing.val().lands) | self.effect.doing.val().departs;
        self.counts.was_open.next = self.effect.doing.val().was_open;
        self.counts.was_counted.next = self.effect.doing.val().was_counted;
        self.counts.now_open.next = self.rows.last_marks.val().get_bit(0);
        self.counts.now_counted.next = self.rows.last_marks.val().get_bit(2);
        self.counts.releases.next = self.effect.doing.val().releases;
        self.counts.empties.next = self.effect.doing.val().launches | self.effect.doing.val().whole;

        self.results.mask.next = self.marks.acting.val();
        self.results.complete.next = self.complete.val();
        self.results.inside.next = self.marks.inside.val();
        self.results.follows_own.next = self.masks.follows_own.val();
        self.results.asks.next = self.effect.asks.val();
        self.results.waited.next = self.masks.waited.val();
        self.results.was_open.next = self.effect.doing.val().was_open;
        self.results.waits.next = self.effect.doing.val().waits;
        self.results.before.next = self.masks.before.val();
        self.results.done.next = self.rows.last_reduction.val();
        self.results.done_value.next = self.rows.last_value.val();
        self.results.restored.next = self.judge.against.val().restores;
        self.results.word.next = self.effect.result.val();
        self.results.forgotten.next = self.effect.forgets.val();
        self.stops.coming.next = self.marks.coming.val();
        self.stops.mask.next = self.marks.acting.val();
        self.stops.complete.next = self.complete.val();
        self.stops.inside.next = self.marks.inside.val();
        self.stops.follows_own.next = self.masks.follows_own.val();
        self.stops.waited.next = self.masks.waited.val();
        self.stops.was_open.next = self.effect.doing.val().was_open;
        self.stops.before.next = self.masks.before.val();
        self.stops.policy.next = self.fault_policy.val();
        self.stops.exempt.next = self.effect.doing.val().exempt;
        self.stops.refused.next = self.verdict.refused.val();
        self.stops.waiter.next = self.effect.doing.val().waiter;
        self.stops.changes.next = self.judge.against.val().changes;
        self.stops.full.next = self.effect.doing.val().full;
        self.stops.forgets.next = self.effect.forgets.val();
        self.stops.restores.next = self.judge.against.val().restores;
        self.stops.waits_then.next = self.effect.doing.val().waits;
        self.stops.traps.next = self.effect.doing.val().traps;

        // Rows to clear.
        self.clear.step.next = self.enter.step.val();
        self.clear.load.next = self.effect.doing.val().releases;
        self.clear.start.next = self.counts.dirty.val();
        self.clear.start_slot.next = self.effect.cta.val();
        self.clear.start_silent.next = self.effect.doing.val().saved;
        self.cleaning.d.next =
            self.reset.val() | self.clear.active_next.val() | self.enter.step.val() | self.enter.released.val();

        // Faults.
        self.verdict.doing.next = self.effect.doing.val();
        self.verdict.code.next = self.effect.code.val();
        self.verdict.against.next = self.judge.against.val();
        self.verdict.lacks.next = self.results.lacks.val();
        self.faults.push.next = self.verdict.faulty.val();
        self.faults.code.next = self.verdict.fault.val();
        self.faults.warp.next = self.effect.warp.val();
        self.faults.cta.next = self.effect.cta.val();
        self.faults.id.next = self.effect.id.val();
        self.faults.next_inside.next = self.enter.comes.val();
        self.faults.next_last.next = self.enter.doing.val().acts | self.enter.doing.val().turn;
        self.faults.fault_ready.next = self.fault.ready.val();

        // What leaves.
        self.leave.complete.next = self.complete.val();
        self.leave.waiting.next = self.masks.waiting.val();
        self.leave.cta.next = self.effect.cta.val();
        self.leave.id.next = self.effect.row.val();
        self.leave.done.next = self.rows.last_reduction.val();
        self.leave.done_value.next = self.rows.last_value.val();
        self.leave.tangles.next = self.counts.tangles.val();
        self.reader.reads.next = self.verdict.reads.val();
        self.reader.state.next = self.effect.state.val();
        self.reader.warp.next = self.effect.warp.val();
        self.reader.open.next = self.effect.doing.val().was_open;
        self.reader.count.next = self.rows.last_count.val();
        self.reader.expected.next = self.rows.last_expected.val();
        self.reader.reduction.next = self.rows.last_reduction.val();
        self.reader.sum.next = self.rows.last_sum.val();
        self.reader.arrived.next = self.judge.against.val().again;
        self.reader.result.next = self.results.value.val();
        self.reader.special.next = self.results.special.val();
        self.reader.counts.next = self.results.counts.val();
        self.reader.either.next = self.results.either.val();
        self.reader.waits.next = self.stops.waits_now.val();
        self.reader.place.next = self.places.id.val();
        self.reader.trapped.next = self.stops.trapped_now.val();

        self.op.ready.next = self.enter.op_ready.val();
        self.clearing.next = self.cleaning.q.val();
        self.release.valid.next = self.leave.release_valid.val();
        self.release.payload.next.cta = self.leave.release_cta.val();
        self.release.payload.next.id = self.leave.release_id.val();
        self.release.payload.next.warps = self.leave.release_warps.val();
        self.release.payload.next.reduction = self.leave.release_reduction.val();
        self.release.payload.next.value = self.leave.release_value.val();
        self.read.valid.next = self.reader.read_valid.val();
        self.read.payload.next.warp = self.reader.read_warp.val();
        self.read.payload.next.value = self.reader.read_value.val();
        self.read.payload.next.predicate = self.reader.read_predicate.val();
        self.tangle.valid.next = self.leave.tangle_valid.val();
        self.tangle.payload.next.cta = self.leave.tangle_cta.val();
        self.blocked.next = self.stops.blocked.val();
        self.trapped.next = self.stops.trapped.val();
        self.fault.valid.next = self.faults.fault_valid.val();
        self.fault.payload.next.code = self.faults.fault_code.val();
        self.fault.payload.next.warp = self.faults.fault_warp.val();
        self.fault.payload.next.cta = self.faults.fault_cta.val();
        self.fault.payload.next.id = self.faults.fault_id.val();
    }
}
