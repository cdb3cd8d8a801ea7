// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The output stage: the operation that is passed on, and the ports with the state of each warp.
//!
//! *Reads:* the operation in the lookup stage, the effects of the operation in the commit stage. *Writes:* the operation channel and
//! the warps (`exit_pending` includes, as a gate, operations that may be added to it); in the same cycle whether the pipeline
//! stalls. *Latency:* 1.
//!
//! While the register at `op` is occupied, an operation that is to be passed on stays in the commit stage, and all later ones
//! stall.

use super::{
    commit_stage::{Outcome, PassedOp},
    input_stage::Inside,
};
use crate::prelude::*;
use crate::unit::folded::Unfold;

/// The state of each warp at the ports.
#[payload]
pub struct Warps<W> {
    pub op_absorbed: Bits<W>,
    pub gathering: Bits<W>,
    pub exit_pending: Bits<W>,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct OutputStage<W, LW, LC, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, LC, L>>,
    pub outcome: Signal<In, Outcome<W, LW, LC, VW>>,
    /// Warps whose row is still the initial one: none of their lanes waits.
    pub initial_rows: Signal<In, Bits<W>>,
    pub op_done: Signal<In, Bits<W>>,
    /// The lanes strobe of the operation in the commit stage takes two cycles.
    pub second_strobe_follows: Signal<In, Bit>,
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub warps: Signal<Out, Warps<W>>,
    /// The warp whose row the operation in the commit stage changes, one-hot.
    pub own_row: Signal<Out, Bits<W>>,
    /// The output register has no space for an operation that is passed on, unless `op` is taken.
    pub full: Signal<Out, Bit>,
    /// The pipeline stalls: the output register has no space, or the lanes strobe takes two cycles.
    pub stall: Signal<Out, Bit>,
    /// The register at `op` is occupied.
    #[reset]
    offered: DFF<Bit>,
    /// The operation at `op`.
    passed: DFF<PassedOp<W, LW, LC, VW>>,
    #[init(Unfold::new(config))]
    unfold: Unfold<W, LC>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    /// The output register had no space for an operation to be passed on in the cycle before.
    #[reset]
    waits: DFF<Bit>,
    /// The state of each warp at the ports, but for gates.
    #[reset]
    known: DFF<Warps<W>>,
    /// The warp of the operation in the commit stage, one-hot; for a Launch the last warp, for a Release 0.
    own: DFF<Bits<W>>,
    /// That warp if the operation may be added to `exit_pending`, else 0.
    #[reset]
    shows: DFF<Bits<W>>,
    /// The warp of the operation in the lookup stage, one-hot.
    next_own: Signal<Local, Bits<W>>,
    /// That warp if the operation may be added to `exit_pending`, else 0.
    next_shows: Signal<Local, Bits<W>>,
    /// The warp whose operation is added to `exit_pending`.
    added: Signal<Local, Bits<W>>,
    /// An operation is to be passed on.
    passes: Signal<Local, Bit>,
    /// The operation at `op` is not taken.
    stays: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for OutputStage<W, LW, LC, L, VW> {
    fn update(&mut self) {
        // The operation passed on.
        self.passes.next = self.outcome.val().passes | self.waits.q.val();
        self.stays.next = self.offered.q.val() & !self.op.ready.val();
        self.full.next = self.passes.val() & self.offered.q.val();
        self.stall.next = (self.full.val() & !self.op.ready.val()) | self.second_strobe_follows.val();
        self.waits.d.next = self.passes.val() & self.stays.val();
        if !self.stays.val() {
            self.offered.d.next = self.passes.val();
            self.passed.d.next = self.outcome.val().op;
        }
        self.op.valid.next = self.offered.q.val();
        self.unfold.folded.next = self.passed.q.val().folded;
        self.op.payload.next.op.request = self.unfold.fields.val().request;
        self.op.payload.next.op.warp = self.passed.q.val().warp;
        self.op.payload.next.op.value = self.passed.q.val().folded.body.wide.get_bits::<VW>(12);
        if self.has_mbarrier.val() & (self.passed.q.val().folded.body.kind == OpKind::Mbarrier) {
            self.op.payload.next.op.value = self.passed.q.val().value;
        }
        self.op.payload.next.op.mask = self.unfold.fields.val().mask;
        self.op.payload.next.from_instr = self.passed.q.val().from_instr;
        self.op.payload.next.mbarrier_request = self.unfold.fields.val().mbarrier_request;
        self.op.payload.next.release = self.passed.q.val().release;
        self.op.payload.next.all_live_lanes = self.unfold.fields.val().all_live_lanes;
        self.op.payload.next.destination = self.unfold.fields.val().destination;

        // The warp of the operation.
        self.next_own.next = self.no_warps.val().with(self.inside.val().target, true);
        self.own.d.next = self.next_own.val();
        if self.inside.val().asks.starts & !self.inside.val().asks.writes {
            self.own.d.next = 0.into();
        }
        self.own_row.next = self.own.q.val();
        self.next_shows.next = 0.into();
        if self.inside.val().from_exit {
            self.next_shows.next = self.next_own.val();
        }
        self.shows.d.next = 0.into();
        if self.inside.val().asks.valid & self.inside.val().from_exit {
            self.shows.d.next = self.next_own.val();
        }

        // The warps.
        self.known.d.next.op_absorbed = 0.into();
        if self.outcome.val().ends {
            self.known.d.next.op_absorbed = self.own.q.val();
        }
        if self.outcome.val().acts | self.outcome.val().starts {
            self.known.d.next.gathering = self.known.q.val().gathering & !self.initial_rows.val() & !self.own.q.val();
            if self.outcome.val().acts & self.outcome.val().all_wait {
                self.known.d.next.gathering =
                    (self.known.q.val().gathering & !self.initial_rows.val() & !self.own.q.val()) | self.own.q.val();
            }
        }
        self.added.next = 0.into();
        if self.passes.val() & (self.outcome.val().op.folded.body.fault == FaultCode::None) {
            self.added.next = self.shows.q.val();
        }
        self.known.d.next.exit_pending = (self.known.q.val().exit_pending & !self.op_done.val()) | self.added.val();
        self.warps.next = self.known.q.val();
        self.warps.next.exit_pending = self.known.q.val().exit_pending | self.shows.q.val() | self.next_shows.val();
    }
}
