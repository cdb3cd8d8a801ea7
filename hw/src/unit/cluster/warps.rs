// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each warp has to do with the phases of its cluster: it has arrived, the phase is over, it waits.
//!
//! *Reads:* the operations, who is live, the warps of CTAs of which a phase is completed. *Writes:* who has arrived and who waits, the strobes
//! of commits and of warps that go on, the fault channel. *Latency:* 1. Implements *Operations*, *Warps that are not live* and what a phase
//! that is completed does to its warps, of `docs/clusters.md`.

use super::ports::{ClusterKind, ClusterOp};
use crate::prelude::*;

/// `W` warps of `LW` bits, `S` CTA slots of `LC` bits.
#[block]
pub struct Warps<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub live: Signal<In, Bits<W>>,
    pub op: Sink<ClusterOp<LW, LC>>,
    /// Warps of which a phase is completed.
    pub completed: Signal<In, Bits<W>>,
    /// Those that have arrived in the phase that is open.
    pub arrivals: Signal<Out, Bits<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    pub commit: StrobeOut<UnitCommit<W>>,
    pub release: StrobeOut<Woken<W>>,
    pub fault: Source<Refusal<LW, LC>>,
    #[reset]
    arrived: DFF<Bits<W>>,
    /// The phase in which it arrived is over.
    #[reset]
    passed: DFF<Bits<W>>,
    #[reset]
    waits: DFF<Bits<W>>,
    #[reset]
    commits: DFF<Bit>,
    #[reset]
    committed: DFF<UnitCommit<W>>,
    #[reset]
    releases: DFF<Bit>,
    #[reset]
    released: DFF<Woken<W>>,
    faults: Buffer<Refusal<LW, LC>>,
    takes: Signal<Local, Bit>,
    has_arrived: Signal<Local, Bit>,
    is_armed: Signal<Local, Bit>,
    code: Signal<Local, FaultCode>,
    refused: Signal<Local, Bit>,
    /// The bit of the operation's warp; the same if the operation is accepted.
    one: Signal<Local, Bits<W>>,
    good: Signal<Local, Bits<W>>,
    arrives: Signal<Local, Bits<W>>,
    stays: Signal<Local, Bits<W>>,
    at_once: Signal<Local, Bits<W>>,
    will_wait: Signal<Local, Bits<W>>,
    over: Signal<Local, Bits<W>>,
    goes: Signal<Local, Bits<W>>,
    nobody: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::default()))]
    built: Constant<Bits<S>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Warps<W, LW, LC, S> {
    fn update(&mut self) {
        // What is wrong with the operation, from the last that applies to the first.
        self.has_arrived.next = self.arrived.q.val().at(self.op.payload.val().warp);
        self.is_armed.next = self.has_arrived.val() | self.passed.q.val().at(self.op.payload.val().warp);
        self.code.next = FaultCode::None;
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Wait) & !self.is_armed.val() {
            self.code.next = FaultCode::ClusterWaitWithoutArrival;
        }
        if self.checks.val() & (self.op.payload.val().kind == ClusterKind::Arrive) & self.is_armed.val() {
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
            self.one.next = self.nobody.val().with(self.op.payload.val().warp, true);
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

        // What the operation does.
        self.good.next = 0.into();
        if !self.refused.val() {
            self.good.next = self.one.val();
        }
        self.arrives.next = 0.into();
        self.stays.next = 0.into();
        self.at_once.next = 0.into();
        if self.op.payload.val().kind == ClusterKind::Arrive {
            self.arrives.next = self.good.val();
        } else {
            self.stays.next = self.good.val() & self.arrived.q.val();
            self.at_once.next = self.good.val() & !self.arrived.q.val();
        }

        // What the end of a phase does behind it. Who is not live is forgotten.
        self.over.next = self.arrived.q.val() & self.completed.val();
        self.will_wait.next = self.waits.q.val() | self.stays.val();
        self.goes.next = (self.at_once.val() | (self.over.val() & self.will_wait.val())) & self.live.val();
        self.arrived.d.next = (self.arrived.q.val() | self.arrives.val()) & !self.over.val() & self.live.val();
        self.passed.d.next =
            ((self.passed.q.val() & !self.good.val()) | (self.over.val() & !self.will_wait.val())) & self.live.val();
        self.waits.d.next = self.will_wait.val() & !self.over.val() & self.live.val();
        self.releases.d.next = self.goes.val().any();
        self.released.d.next.warps = self.goes.val();
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.released.q.val();
        self.arrivals.next = self.arrived.q.val();
        self.waiting.next = self.waits.q.val();
    }
}
