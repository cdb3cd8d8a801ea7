// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids that depend on each other, in one multiprocessor: reports to the hub which CTAs have issued launch_dependents and which
//! have ended, and holds the warps that wait for the prerequisites of their grid.
//!
//! *Reads:* launches; live warps; CTAs that have ended; operations; the messages of `grid_hub`. *Writes:* the messages to it;
//! warps that wait and that are released; faults; the CTA slots that are freed. *Latency:* 2 from an operation or a message to
//! its effect on warps, 3 from an operation to a message. Implements `docs/contract/grids.md`, section `grid`.

pub mod ctas;
pub mod ports;
pub mod waits;

use crate::prelude::*;
use ports::{GridHubKind, GridHubMessage, GridKind, GridLaunch, GridMessage, GridOp, NamedGrid};

/// `W` warps of `LW` bits, `S` CTA slots, `G = 2^KG` grids.
#[block(unit = "grid")]
pub struct Grid<W, LW, LC, S, KG, G> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("CTAs")]
    pub launch: StrobeIn<GridLaunch<LC, KG>>,
    /// Launched warps that have not exited, of CTAs that are not retired.
    #[group("CTAs")]
    pub live: Signal<In, Bits<W>>,
    /// CTA slots whose CTA has ended: it has no live warp, and none of its operations is in flight.
    pub ended: Signal<In, Bits<S>>,
    pub op: Sink<GridOp<LW, LC>>,
    #[group("hub")]
    pub grid_in: StrobeIn<GridHubMessage<KG>>,
    #[group("hub")]
    pub grid_out: Source<GridMessage<KG>>,
    pub commit: StrobeOut<UnitCommit<W>>,
    pub release: StrobeOut<Woken<W>>,
    /// Warps that wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    pub fault: Source<Refusal<LW, LC>>,
    /// A grid is open: its CTAs may be launched on this multiprocessor.
    #[group("scheduler")]
    pub opened: StrobeOut<NamedGrid<KG>>,
    /// CTA slots without state in this unit: no message is due.
    #[group("scheduler")]
    pub freed: Signal<Out, Bits<S>>,

    /// An operation is in the unit.
    #[reset]
    has_op: DFF<Bit>,
    /// The operation in the unit.
    inside: DFF<GridOp<LW, LC>>,
    /// The message of the hub, one cycle later.
    arrived: StrobeRegister<GridHubMessage<KG>>,
    /// The state of each CTA in its grid.
    ctas: ctas::GridCtas<LC, S, KG>,
    /// The warps that wait.
    waits: waits::GridWaits<W, LW, KG, G>,
    /// Register of the strobe `opened`.
    shown: StrobeRegister<NamedGrid<KG>>,
    /// `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// The fault that is offered.
    faults: Buffer<Refusal<LW, LC>>,
    /// The operation in the unit has a fault.
    faulty: Signal<Local, Bit>,
    /// The fault of the operation in the unit is to be reported.
    reports: Signal<Local, Bit>,
    /// The fault is to be reported, and another one waits at the channel: the operation stays in the unit.
    stays: Signal<Local, Bit>,
    /// The operation in the unit takes effect.
    goes: Signal<Local, Bit>,
    /// One-hot: the warp of the operation that takes effect.
    one: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Grid<W, LW, LC, S, KG, G> {
    fn update(&mut self) {
        // The operation, in the unit for one cycle unless its fault has to wait.
        self.faulty.next = self.inside.q.val().fault != FaultCode::None;
        self.reports.next = self.has_op.q.val() & self.faulty.val() & self.checks.val();
        self.stays.next = self.reports.val() & !self.faults.in_.ready.val();
        self.goes.next = self.has_op.q.val() & !self.stays.val();
        self.op.ready.next = !self.stays.val();
        if !self.stays.val() {
            self.has_op.d.next = self.op.valid.val();
            self.inside.d.next = self.op.payload.val();
        }

        // A fault.
        self.faults.in_.valid.next = self.reports.val();
        self.faults.in_.payload.next.code = self.inside.q.val().fault;
        self.faults.in_.payload.next.has_warp = true;
        self.faults.in_.payload.next.warp = self.inside.q.val().warp;
        self.faults.in_.payload.next.cta = self.inside.q.val().cta;
        Channel::join(&mut self.faults.out, &mut self.fault);
        self.one.next = 0.into();
        if self.goes.val() {
            self.one.next = self.no_warps.val().with(self.inside.q.val().warp, true);
        }
        self.commits.d.next = self.goes.val();
        self.committed.d.next.warps = self.one.val();
        self.committed.d.next.refused =
            self.goes.val() & self.reports.val() & (self.inside.q.val().fault != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();

        // The messages of the CTA to the hub.
        Strobe::join(&mut self.launch, &mut self.ctas.launch);
        self.ctas.ended.next = self.ended.val();
        self.ctas.cta.next = self.inside.q.val().cta;
        self.ctas.asks.next = self.goes.val() & !self.faulty.val() & (self.inside.q.val().kind == GridKind::LaunchDependents);
        Channel::join(&mut self.ctas.grid_out, &mut self.grid_out);
        self.freed.next = self.ctas.freed.val();

        // Warps that wait.
        Strobe::join(&mut self.grid_in, &mut self.arrived.in_);
        Strobe::join(&mut self.arrived.out, &mut self.waits.message);
        self.waits.live.next = self.live.val();
        self.waits.has_wait.next = self.goes.val() & !self.faulty.val() & (self.inside.q.val().kind == GridKind::Wait);
        self.waits.warp.next = self.inside.q.val().warp;
        self.waits.is_member.next = self.ctas.is_member.val();
        self.waits.grid.next = self.ctas.grid.val();
        Strobe::join(&mut self.waits.release, &mut self.release);
        self.waiting.next = self.waits.waiting.val();
        self.shown.in_.valid.next = self.grid_in.valid.val() & (self.grid_in.payload.val().kind == GridHubKind::Opened);
        self.shown.in_.payload.next.grid = self.grid_in.payload.val().grid;
        Strobe::join(&mut self.shown.out, &mut self.opened);
    }
}
