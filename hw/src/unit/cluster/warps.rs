// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp at the barrier of its cluster: whether the warp has arrived, whether the phase in which it arrived is complete,
//! whether it waits.
//!
//! *Reads:* the operations; the live warps; the warps of CTAs whose phase completes. *Writes:* the warps that have arrived, the
//! warps that wait, the strobes of commits and of released warps, the fault channel. *Latency:* 1. Implements *Operations*,
//! *Warps that are not live* and the effect of a completed phase on its warps, of `docs/contract/clusters.md`.

use super::ports::{ClusterKind, ClusterOp};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Warps<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Live warps.
    pub live: Signal<In, Bits<W>>,
    /// Operations of warps.
    pub op: Sink<ClusterOp<LW, LC>>,
    /// Warps of the CTAs that complete their phase in this cycle.
    pub completing_warps: Signal<In, Bits<W>>,
    /// Warps that have arrived in the open phase.
    pub arrived_warps: Signal<Out, Bits<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Operations that take effect, or are refused.
    pub commit: StrobeOut<UnitCommit<W>>,
    /// Warps that resume after their wait.
    pub release: StrobeOut<Woken<W>>,
    /// The faults of refused operations.
    pub fault: Source<Refusal<LW, LC>>,
    /// Warps that have arrived in the open phase.
    #[reset]
    arrived: DFF<Bits<W>>,
    /// Warps that have arrived in a phase that is complete, and have not executed the Wait for that phase.
    #[reset]
    passed_warps: DFF<Bits<W>>,
    /// Warps that wait.
    #[reset]
    waiting_q: DFF<Bits<W>>,
    /// Register of `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Register of the payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// Register of `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Register of the payload of the strobe by which waiting warps resume.
    #[reset]
    released: DFF<Woken<W>>,
    /// The fault that is offered on `fault`.
    faults: Buffer<Refusal<LW, LC>>,
    /// An operation is transferred at `op`.
    op_taken: Signal<Local, Bit>,
    /// The operation's warp has arrived in the open phase.
    has_arrived: Signal<Local, Bit>,
    /// The operation's warp has arrived in the open phase, or is in `passed_warps`: the warp may wait, and must not arrive.
    may_wait: Signal<Local, Bit>,
    /// Fault of the operation.
    code: Signal<Local, FaultCode>,
    /// The operation is refused.
    refused: Signal<Local, Bit>,
    /// An operation is taken and not refused.
    op_accepted: Signal<Local, Bit>,
    /// One-hot: the warp of the operation.
    warp_one_hot: Signal<Local, Bits<W>>,
    /// One-hot: the warp of the operation that is taken.
    taken_warp: Signal<Local, Bits<W>>,
    /// One-hot: the warp of the operation, if the operation is not refused.
    accepted_warp: Signal<Local, Bits<W>>,
    /// One-hot: the warp of an Arrive that takes effect.
    arriving_warp: Signal<Local, Bits<W>>,
    /// One-hot: the warp whose Wait is for the open phase: this warp begins to wait.
    new_waiting_warp: Signal<Local, Bits<W>>,
    /// One-hot: the warp whose Wait is for a complete phase: this warp resumes at once.
    passing_warp: Signal<Local, Bits<W>>,
    /// Warps that wait, including the warp that begins to wait in this cycle.
    will_wait: Signal<Local, Bits<W>>,
    /// Warps that have arrived in a phase that completes in this cycle.
    completing_arrivals: Signal<Local, Bits<W>>,
    /// Warps that resume after their wait.
    resuming_warps: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::default()))]
    built_slots: Constant<Bits<S>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Warps {
    fn update(&mut self) {
        // The fault of the operation. The last assignment wins, so the causes are in reverse order of precedence.
        self.has_arrived.next = self.arrived.q.val().at(self.op.payload.val().warp);
        self.may_wait.next = self.has_arrived.val() | self.passed_warps.q.val().at(self.op.payload.val().warp);
        self.code.next = FaultCode::None;
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Wait) & !self.may_wait.val() {
            self.code.next = FaultCode::ClusterWaitWithoutArrival;
        }
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Arrive) & self.may_wait.val() {
            self.code.next = FaultCode::ClusterDoubleArrival;
        }
        if !self.built_slots.val().at(self.op.payload.val().cta) {
            self.code.next = FaultCode::NotResident;
        }
        if self.op.payload.val().fault != FaultCode::None {
            self.code.next = self.op.payload.val().fault;
        }
        self.refused.next = self.code.val() != FaultCode::None;

        self.op.ready.next = self.faults.in_.ready.val();
        self.op_taken.next = self.op.valid.val() & self.faults.in_.ready.val();
        self.warp_one_hot.next = self.no_warps.val().with(self.op.payload.val().warp, true);
        self.taken_warp.next = 0.into();
        if self.op_taken.val() {
            self.taken_warp.next = self.warp_one_hot.val();
        }
        self.commits.d.next = self.op_taken.val();
        self.committed.d.next.warps = self.taken_warp.val();
        self.committed.d.next.refused =
            self.op_taken.val() & self.checks.val() & self.refused.val() & (self.code.val() != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();
        self.faults.in_.valid.next = self.op.valid.val() & self.checks.val() & self.refused.val();
        self.faults.in_.payload.next.code = self.code.val();
        self.faults.in_.payload.next.has_warp = true;
        self.faults.in_.payload.next.warp = self.op.payload.val().warp;
        self.faults.in_.payload.next.cta = self.op.payload.val().cta;
        Channel::join(&mut self.faults.out, &mut self.fault);

        // The effect of the operation.
        self.op_accepted.next = self.op_taken.val() & !self.refused.val();
        self.accepted_warp.next = 0.into();
        if self.op_accepted.val() {
            self.accepted_warp.next = self.warp_one_hot.val();
        }
        self.arriving_warp.next = 0.into();
        self.new_waiting_warp.next = 0.into();
        self.passing_warp.next = 0.into();
        if self.op.payload.val().kind == ClusterKind::Arrive {
            self.arriving_warp.next = self.accepted_warp.val();
        } else {
            self.new_waiting_warp.next = self.accepted_warp.val() & self.arrived.q.val();
            self.passing_warp.next = self.accepted_warp.val() & !self.arrived.q.val();
        }

        // If the phase of a warp completes in the cycle in which its Wait is taken, the Wait takes effect first, so the warp
        // resumes too. The state of warps that are not live is cleared.
        self.completing_arrivals.next = self.arrived.q.val() & self.completing_warps.val();
        self.will_wait.next = self.waiting_q.q.val() | self.new_waiting_warp.val();
        self.resuming_warps.next =
            (self.passing_warp.val() | (self.completing_arrivals.val() & self.will_wait.val())) & self.live.val();
        self.arrived.d.next =
            (self.arrived.q.val() | self.arriving_warp.val()) & !self.completing_arrivals.val() & self.live.val();
        self.passed_warps.d.next = ((self.passed_warps.q.val() & !self.accepted_warp.val())
            | (self.completing_arrivals.val() & !self.will_wait.val()))
            & self.live.val();
        self.waiting_q.d.next = self.will_wait.val() & !self.completing_arrivals.val() & self.live.val();
        self.releases.d.next = self.resuming_warps.val().any();
        self.released.d.next.warps = self.resuming_warps.val();
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.released.q.val();
        self.arrived_warps.next = self.arrived.q.val();
        self.waiting.next = self.waiting_q.q.val();
    }
}
