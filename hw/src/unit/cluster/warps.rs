// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp at the barrier of its cluster: whether it has arrived, whether the phase in which it arrived is
//! complete, whether it waits.
//!
//! *Reads:* the operations; the live warps; the warps of CTAs whose phase completes. *Writes:* the warps that have arrived, the
//! warps that wait, the strobes of commits and of released warps, the fault channel. *Latency:* 1. Implements *Operations*,
//! *Warps that are not live* and the effect of a completed phase on its warps, of `docs/contract/clusters.md`.

use super::ports::{ClusterKind, ClusterOp};
use crate::prelude::*;

/// `W` warps of `LW` bits, `S` CTA slots of `LC` bits.
#[block]
pub struct Warps<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Live warps.
    pub live: Signal<In, Bits<W>>,
    /// Operations.
    pub op: Sink<ClusterOp<LW, LC>>,
    /// Warps of CTAs whose phase completes.
    pub completed: Signal<In, Bits<W>>,
    /// Warps that have arrived in the open phase.
    pub arrivals: Signal<Out, Bits<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Operations that take effect, or are refused.
    pub commit: StrobeOut<UnitCommit<W>>,
    /// Warps that resume after their wait.
    pub release: StrobeOut<Woken<W>>,
    /// Faults.
    pub fault: Source<Refusal<LW, LC>>,
    /// Warps that have arrived in the open phase.
    #[reset]
    arrived: DFF<Bits<W>>,
    /// Warps that have not waited since they arrived, and whose phase is complete.
    #[reset]
    passed: DFF<Bits<W>>,
    /// Warps that wait.
    #[reset]
    waits: DFF<Bits<W>>,
    /// `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Payload of `release`.
    #[reset]
    released: DFF<Woken<W>>,
    /// The fault that is offered.
    faults: Buffer<Refusal<LW, LC>>,
    /// An operation is taken.
    takes: Signal<Local, Bit>,
    /// The operation's warp has arrived in the open phase.
    has_arrived: Signal<Local, Bit>,
    /// The warp has arrived, or the phase in which it arrived is complete: it may wait, and must not arrive.
    may_wait: Signal<Local, Bit>,
    /// Fault of the operation.
    code: Signal<Local, FaultCode>,
    /// The operation is refused.
    refused: Signal<Local, Bit>,
    /// One-hot: the warp of the operation that is taken.
    one: Signal<Local, Bits<W>>,
    /// One-hot: the warp of the operation, if the operation is not refused.
    accepted: Signal<Local, Bits<W>>,
    /// One-hot: the warp of an Arrive.
    arrives: Signal<Local, Bits<W>>,
    /// One-hot: the warp of a Wait for an open phase.
    stays: Signal<Local, Bits<W>>,
    /// One-hot: the warp of a Wait for a complete phase: it resumes at once.
    wait_passes: Signal<Local, Bits<W>>,
    /// Warps that wait, including the warp whose Wait is taken in this cycle.
    will_wait: Signal<Local, Bits<W>>,
    /// Warps whose phase is completed in this cycle.
    over: Signal<Local, Bits<W>>,
    /// Warps that resume after their wait.
    goes: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::default()))]
    built: Constant<Bits<S>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Warps<W, LW, LC, S> {
    fn update(&mut self) {
        // The fault of the operation. The last assignment wins, so the causes are in reverse order of precedence.
        self.has_arrived.next = self.arrived.q.val().at(self.op.payload.val().warp);
        self.may_wait.next = self.has_arrived.val() | self.passed.q.val().at(self.op.payload.val().warp);
        self.code.next = FaultCode::None;
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Wait) & !self.may_wait.val() {
            self.code.next = FaultCode::ClusterWaitWithoutArrival;
        }
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Arrive) & self.may_wait.val() {
            self.code.next = FaultCode::ClusterDoubleArrival;
        }
        if !self.built.val().at(self.op.payload.val().cta) {
            self.code.next = FaultCode::NotResident;
        }
        if self.op.payload.val().fault != FaultCode::None {
            self.code.next = self.op.payload.val().fault;
        }
        self.refused.next = self.code.val() != FaultCode::None;

        self.op.ready.next = self.faults.in_.ready.val();
        self.takes.next = self.op.valid.val() & self.faults.in_.ready.val();
        self.one.next = 0.into();
        if self.takes.val() {
            self.one.next = self.no_warps.val().with(self.op.payload.val().warp, true);
        }
        self.commits.d.next = self.takes.val();
        self.committed.d.next.warps = self.one.val();
        self.committed.d.next.refused =
            self.takes.val() & self.checks.val() & self.refused.val() & (self.code.val() != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();
        self.faults.in_.valid.next = self.op.valid.val() & self.checks.val() & self.refused.val();
        self.faults.in_.payload.next.code = self.code.val();
        self.faults.in_.payload.next.has_warp = true;
        self.faults.in_.payload.next.warp = self.op.payload.val().warp;
        self.faults.in_.payload.next.cta = self.op.payload.val().cta;
        Channel::join(&mut self.faults.out, &mut self.fault);

        // The effect of the operation.
        self.accepted.next = 0.into();
        if !self.refused.val() {
            self.accepted.next = self.one.val();
        }
        self.arrives.next = 0.into();
        self.stays.next = 0.into();
        self.wait_passes.next = 0.into();
        if self.op.payload.val().kind == ClusterKind::Arrive {
            self.arrives.next = self.accepted.val();
        } else {
            self.stays.next = self.accepted.val() & self.arrived.q.val();
            self.wait_passes.next = self.accepted.val() & !self.arrived.q.val();
        }

        // The completion of a phase, which comes after the operation. Warps that are not live lose their state.
        self.over.next = self.arrived.q.val() & self.completed.val();
        self.will_wait.next = self.waits.q.val() | self.stays.val();
        self.goes.next = (self.wait_passes.val() | (self.over.val() & self.will_wait.val())) & self.live.val();
        self.arrived.d.next = (self.arrived.q.val() | self.arrives.val()) & !self.over.val() & self.live.val();
        self.passed.d.next =
            ((self.passed.q.val() & !self.accepted.val()) | (self.over.val() & !self.will_wait.val())) & self.live.val();
        self.waits.d.next = self.will_wait.val() & !self.over.val() & self.live.val();
        self.releases.d.next = self.goes.val().any();
        self.released.d.next.warps = self.goes.val();
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.released.q.val();
        self.arrivals.next = self.arrived.q.val();
        self.waiting.next = self.waits.q.val();
    }
}
