// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From an operation of a warp to a release: what waits for memory accesses, the barriers, deadlocks, and where results go. Wiring, and who
//! goes first where two ways meet.
//!
//! *Reads:* the operation channel; the memory system's strobes; who is live, gathers or has something on its way; the fault policy. *Writes:* the release
//! and writeback strobes, the fault channel; who waits, is trapped, held or has something parked. *Latency:* 4 from operation to release or writeback, no state
//! of its own. Implements the way from `order` on of `docs/interface.md`, section `bcu`.

use super::{named::Named, order::Order, stops::Stops, watch::Watch, writeback::ReadDestination};
use crate::prelude::*;

/// Sizes as in [`Named`] and [`Order`].
#[block]
pub struct Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, PW, OB, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub in_: Sink<WarpOp<W, LW, CW, LC, VW>>,
    pub issue_status: Signal<In, IssueStatus<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub issue: [StrobeIn<Issue<LW>>; P],
    pub perform: [StrobeIn<Perform<LW>>; P],
    pub fault_policy: Signal<In, FaultPolicy>,
    pub epoch: Signal<Out, Bits<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub writeback: StrobeOut<Writeback<LW>>,
    pub fault: Source<Fault<LW, LC>>,
    pub lost_faults: Signal<Out, Bits<16>>,
    pub trapped: Signal<Out, Bits<W>>,

    pub barrier_status: Signal<Out, BarrierStatus<W>>,
    #[init(Order::new(config))]
    order: Order<W, LW, CW, LC, VW, PW, OB, P>,
    #[init(Named::new(config))]
    named: Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>,
    watch: Watch<W, LC, S>,
    stops: Stops<W>,
    /// Of `named`, and of `watch`.
    faults: Merge<Fault<LW, LC>>,
    destination: ReadDestination<LW>,
    /// Warps that wait at a barrier or are stopped.
    halted: Signal<Local, Bits<W>>,
    nothing: Constant<Fault<LW, LC>>,
}

#[block]
impl Logic for Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, PW, OB, P> {
    fn update(&mut self) {
        // Into order.
        Channel::join(&mut self.in_, &mut self.order.in_);
        for k in 0..P {
            self.order.issue[k].valid.next = self.issue[k].valid.val();
            self.order.issue[k].payload.next = self.issue[k].payload.val();
            self.order.perform[k].valid.next = self.perform[k].valid.val();
            self.order.perform[k].payload.next = self.perform[k].payload.val();
        }

        // Into named, and back who has settled.
        self.named.op.valid.next = self.order.op.valid.val();
        self.named.op.payload.next = self.order.op.payload.val().op;
        self.order.op.ready.next = self.named.op.ready.val();
        self.order.commit.next = 0.into();
        if self.named.commit.valid.val() & self.named.commit.payload.val().settles {
            self.order.commit.next = self.named.commit.payload.val().change.warps;
        }
        self.barrier_status.next.settled = self.order.settled.val() | (self.order.commit.val() & !self.order.passed.val());

        // Stops, and the faults of both.
        self.stops.commit.valid.next = self.named.commit.valid.val();
        self.stops.commit.payload.next = self.named.commit.payload.val().change;
        self.stops.fault_policy.next = self.fault_policy.val();
        self.named.trapped.next = self.stops.trapped.val();
        self.halted.next = self.named.waiting.val() | self.stops.stopped.val();
        Channel::join(&mut self.named.fault, &mut self.faults.a);
        self.faults.b.valid.next = self.watch.dead.valid.val();
        self.faults.b.payload.next = self.nothing.val();
        self.faults.b.payload.next.code = FaultCode::Deadlock;
        self.faults.b.payload.next.cta = self.watch.dead.payload.val().cta;
        self.watch.dead.ready.next = self.faults.b.ready.val();
        Channel::join(&mut self.faults.out, &mut self.fault);

        // Deadlocks.
        self.watch.live.next = self.issue_status.val().live;
        for i in 0..LC {
            self.watch.warp_cta[i].next = self.warp_cta[i].val();
        }
        self.watch.stalled.next = self.halted.val() | self.issue_status.val().gathering;
        self.watch.moving.next = self.issue_status.val().in_flight;
        self.watch.taken.valid.next = self.order.op.valid.val() & self.named.op.ready.val();
        self.watch.taken.payload.next.kind = self.order.op.payload.val().op.request.kind;
        self.watch.taken.payload.next.fault = self.order.op.payload.val().op.request.fault;
        self.watch.taken.payload.next.cta = self.order.op.payload.val().op.request.cta;
        Strobe::join(&mut self.named.tangle, &mut self.watch.tangle);

        // Out of named.
        Strobe::join(&mut self.named.release, &mut self.release);
        self.lost_faults.next = self.named.lost_faults.val();
        self.destination.op.next = self.order.op.payload.val().destination;
        Strobe::join(&mut self.named.read, &mut self.destination.read);
        Strobe::join(&mut self.destination.writeback, &mut self.writeback);
        self.trapped.next = self.stops.trapped.val();
        self.barrier_status.next.halted = self.halted.val();
        self.barrier_status.next.clearing = self.named.clearing.val();
        self.barrier_status.next.through = self.order.op.valid.val()
            & self.named.op.ready.val()
            & (self.order.op.payload.val().op.request.kind == OpKind::Release)
            & (self.order.op.payload.val().op.request.fault == FaultCode::None);
        self.epoch.next = self.order.epoch.val();
        self.barrier_status.next.held = self.order.held.val();
        self.barrier_status.next.full = self.order.full.val();
        self.barrier_status.next.parked = self.order.parked.val();
    }
}
