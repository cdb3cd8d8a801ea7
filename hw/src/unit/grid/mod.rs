// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids that depend on each other, in one multiprocessor: reports to the hub which CTAs have issued launch_dependents and which have
//! ended, and blocks each warp that waits for the prerequisites of its grid until they have completed.
//!
//! *Reads:* launches; live warps; CTAs that have ended; operations; the messages of `grid_hub`. *Writes:* the messages to `grid_hub`;
//! warps that wait and warps that are released; faults; the CTA slots that are freed. *Latency:* 2 from an operation or a message to its
//! effect on warps, 3 from an operation to a message. Implements `docs/contract/grids.md`, section `grid`.

pub mod ctas;
pub mod ports;
pub mod waits;

use crate::prelude::*;
use ports::{GridHubKind, GridHubMessage, GridKind, GridLaunch, GridMessage, GridOp, NamedGrid};

/// Sizes: `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits, `G` grid slots with numbers of `KG` bits.
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
    /// CTA slots whose CTA has ended: it has no live warp, and no access, copy or remote operation
    /// outstanding.
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
    op_q: DFF<GridOp<LW, LC>>,
    /// The message of the hub, one cycle later.
    grid_in_register: StrobeRegister<GridHubMessage<KG>>,
    /// The state of each CTA in its grid.
    ctas: ctas::GridCtas<LC, S, KG>,
    /// The warps that wait.
    waits: waits::GridWaits<W, LW, KG, G>,
    /// Register of the strobe `opened`.
    opened_register: StrobeRegister<NamedGrid<KG>>,
    /// Register of `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Register of the payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// The fault that is offered.
    faults: Buffer<Refusal<LW, LC>>,
    /// The operation in the unit has a fault.
    has_fault: Signal<Local, Bit>,
    /// The fault of the operation in the unit is to be reported.
    reports_fault: Signal<Local, Bit>,
    /// The fault is to be reported, but an earlier fault waits at the channel: the operation stays in the unit.
    op_stalled: Signal<Local, Bit>,
    /// The operation in the unit takes effect.
    op_commits: Signal<Local, Bit>,
    /// One-hot: the warp of the operation that takes effect.
    warp_one_hot: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Grid {
    fn update(&mut self) {
        // The operation is in the unit for one cycle, or longer while its fault waits for the fault channel.
        self.has_fault.next = self.op_q.q.val().fault != FaultCode::None;
        self.reports_fault.next = self.has_op.q.val() & self.has_fault.val() & self.checks.val();
        self.op_stalled.next = self.reports_fault.val() & !self.faults.in_.ready.val();
        self.op_commits.next = self.has_op.q.val() & !self.op_stalled.val();
        self.op.ready.next = !self.op_stalled.val();
        if !self.op_stalled.val() {
            self.has_op.d.next = self.op.valid.val();
            self.op_q.d.next = self.op.payload.val();
        }

        // The fault of the operation.
        self.faults.in_.valid.next = self.reports_fault.val();
        self.faults.in_.payload.next.code = self.op_q.q.val().fault;
        self.faults.in_.payload.next.has_warp = true;
        self.faults.in_.payload.next.warp = self.op_q.q.val().warp;
        self.faults.in_.payload.next.cta = self.op_q.q.val().cta;
        Channel::join(&mut self.faults.out, &mut self.fault);
        self.warp_one_hot.next = 0.into();
        if self.op_commits.val() {
            self.warp_one_hot.next = self.no_warps.val().with(self.op_q.q.val().warp, true);
        }
        self.commits.d.next = self.op_commits.val();
        self.committed.d.next.warps = self.warp_one_hot.val();
        self.committed.d.next.refused =
            self.op_commits.val() & self.reports_fault.val() & (self.op_q.q.val().fault != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();

        // The messages about CTAs to the hub.
        Strobe::join(&mut self.launch, &mut self.ctas.launch);
        self.ctas.ended.next = self.ended.val();
        self.ctas.op_cta.next = self.op_q.q.val().cta;
        self.ctas.is_launch_dependents.next =
            self.op_commits.val() & !self.has_fault.val() & (self.op_q.q.val().kind == GridKind::LaunchDependents);
        Channel::join(&mut self.ctas.grid_out, &mut self.grid_out);
        self.freed.next = self.ctas.freed.val();

        // Warps that wait.
        Strobe::join(&mut self.grid_in, &mut self.grid_in_register.in_);
        Strobe::join(&mut self.grid_in_register.out, &mut self.waits.message);
        self.waits.live.next = self.live.val();
        self.waits.has_wait.next = self.op_commits.val() & !self.has_fault.val() & (self.op_q.q.val().kind == GridKind::Wait);
        self.waits.warp.next = self.op_q.q.val().warp;
        self.waits.is_member.next = self.ctas.is_member.val();
        self.waits.grid.next = self.ctas.grid.val();
        Strobe::join(&mut self.waits.release, &mut self.release);
        self.waiting.next = self.waits.waiting.val();
        self.opened_register.in_.valid.next =
            self.grid_in.valid.val() & (self.grid_in.payload.val().kind == GridHubKind::Opened);
        self.opened_register.in_.payload.next.grid = self.grid_in.payload.val().grid;
        Strobe::join(&mut self.opened_register.out, &mut self.opened);
    }
}
