// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation that is offered: an Exit, a Launch, or a Release.
//!
//! *Reads:* the channel `exit`; the state of the exit's warp, as read in the cycle before; whether that warp is blocked or has an
//! operation in transit; the Launch or the Release that is to be offered. *Writes:* the operation channel; the warp whose exit is
//! examined; the warps whose exit was taken and is not yet transferred as an operation. *Latency:* 2 from `exit` to the operation, 1
//! from a Launch or a Release. Implements the exits of `docs/contract/cta_table.md`.

use super::payloads::{LaunchOp, ReleaseOp};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `L` lanes each, CTA slots with numbers of `LC` bits.
#[block]
pub struct Offer<W, LW, LC, L> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub exit: Sink<Exit<LW, L>>,
    /// Warps that must not exit.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps with an operation in `decode` or in transit from it; their exits wait for that operation.
    pub in_decode: Signal<In, Bits<W>>,
    /// CTA slot of the warp that was read in the cycle before.
    pub read_cta: Signal<In, Bits<LC>>,
    /// The warp that was read in the cycle before is live.
    pub is_live: Signal<In, Bit>,
    /// A Launch is to be offered.
    pub launch_op: StrobeIn<LaunchOp<LC, L>>,
    /// A Release is to be offered; never valid in a cycle with `launch_op`.
    pub release_op: StrobeIn<ReleaseOp<LC>>,
    /// The mask of the operation: the warps of the CTA of a Launch or Release.
    pub mask: Signal<In, Bits<W>>,
    pub op: Source<CtaOp<W, LW, LC, L>>,
    /// An exit is taken; the payload is its warp.
    pub exit_taken: StrobeOut<Bits<LW>>,
    /// An exit is examined: the state of its warp was read in the cycle before.
    pub exit_examined: Signal<Out, Bit>,
    /// The warp of the exit that is examined.
    pub examined_warp: Signal<Out, Bits<LW>>,
    /// A Launch or a Release may be offered: the operation register is free, and there is no
    /// exit. An exit has precedence.
    pub accepts_host_op: Signal<Out, Bit>,
    /// An operation is offered.
    pub offered: Signal<Out, Bit>,
    /// Warps whose exit was taken and is not yet transferred as an operation.
    pub exits: Signal<Out, Bits<W>>,
    /// An operation is offered.
    #[reset]
    valid: DFF<Bit>,
    /// An exit is examined.
    #[reset]
    exit_examined_q: DFF<Bit>,
    kind: DFF<OpKind>,
    fault: DFF<FaultCode>,
    op_warp: DFF<Bits<LW>>,
    op_cta: DFF<Bits<LC>>,
    lanes: DFF<Bits<L>>,
    /// An exit is taken.
    exit_accepted: Signal<Local, Bit>,
    /// The exit waits for an operation of its warp that is in transit.
    exit_waits: Signal<Local, Bit>,
    /// A Launch or a Release is to be offered.
    has_host_op: Signal<Local, Bit>,
}

#[block]
impl Logic for Offer {
    fn update(&mut self) {
        let launch_op = self.launch_op.payload.val();
        let release_op = self.release_op.payload.val();
        self.exit.ready.next = !self.valid.q.val() & !self.exit_examined_q.q.val();
        self.exit_accepted.next = self.exit.valid.val() & !self.valid.q.val() & !self.exit_examined_q.q.val();
        self.accepts_host_op.next = !self.exit.valid.val() & !self.valid.q.val() & !self.exit_examined_q.q.val();
        // The exit waits until its warp's operation in transit is done, because that operation decides whether the warp may exit.
        // While the exit waits, its warp is read again in every cycle.
        self.exit_waits.next = self.exit_examined_q.q.val() & self.in_decode.val().at(self.op_warp.q.val());
        self.exit_examined_q.d.next = self.exit_accepted.val() | self.exit_waits.val();
        if self.exit_accepted.val() {
            self.op_warp.d.next = self.exit.payload.val().warp;
            self.lanes.d.next = self.exit.payload.val().lanes;
        }
        if self.launch_op.valid.val() {
            self.lanes.d.next = launch_op.lanes;
        }
        self.has_host_op.next = self.launch_op.valid.val() | self.release_op.valid.val();
        if self.has_host_op.val() {
            // A Launch and a Release belong to no warp; their warp number is 0.
            self.op_warp.d.next = 0.into();
        }
        if self.exit_examined_q.q.val() | self.has_host_op.val() {
            self.valid.d.next = !self.exit_waits.val();
            self.op_cta.d.next = launch_op.cta;
            self.fault.d.next = launch_op.fault;
            self.kind.d.next = OpKind::Launch;
            if self.release_op.valid.val() {
                self.op_cta.d.next = release_op.cta;
                self.fault.d.next = release_op.fault;
                self.kind.d.next = OpKind::Release;
            }
            if self.exit_examined_q.q.val() {
                self.kind.d.next = OpKind::Exit;
                self.op_cta.d.next = self.read_cta.val();
                self.fault.d.next = FaultCode::None;
                if self.blocked.val().at(self.op_warp.q.val()) {
                    self.fault.d.next = FaultCode::WarpBlocked;
                }
                if !self.is_live.val() {
                    self.fault.d.next = FaultCode::NotResident;
                }
            }
        }
        if self.valid.q.val() & self.op.ready.val() {
            self.valid.d.next = false;
        }
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next.kind = self.kind.q.val();
        self.op.payload.next.fault = self.fault.q.val();
        self.op.payload.next.warp = self.op_warp.q.val();
        self.op.payload.next.cta = self.op_cta.q.val();
        self.op.payload.next.mask = self.mask.val();
        self.op.payload.next.lanes = self.lanes.q.val();
        self.exit_taken.valid.next = self.exit_accepted.val();
        self.exit_taken.payload.next = self.exit.payload.val().warp;
        self.exit_examined.next = self.exit_examined_q.q.val();
        self.examined_warp.next = self.op_warp.q.val();
        self.offered.next = self.valid.q.val();
        self.exits.next = 0.into();
        if self.exit_examined_q.q.val() | (self.valid.q.val() & (self.kind.q.val() == OpKind::Exit)) {
            self.exits.next = self.exits.val().with(self.op_warp.q.val(), true);
        }
    }
}
