// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation that is offered: an exit, a launch, or a release.
//!
//! *Reads:* the channel `exit`; the state that was read of its warp, whether the warp is blocked or has an operation in transit; the
//! launch or the release that is to be offered. *Writes:* the operation channel; the warp whose exit is examined; the warps whose
//! exit is in the unit. *Latency:* 2 from `exit` to the operation, 1 from a launch or a release. Implements the exits of
//! `docs/contract/cta_table.md`.

use crate::prelude::*;

/// A launch or a release as an operation.
#[payload]
pub struct HostOp<LC, L> {
    /// 1 = a release, 0 = a launch.
    pub release: Bit,
    pub fault: FaultCode,
    pub cta: Bits<LC>,
    /// Launch: the live lanes of the last warp.
    pub lanes: Bits<L>,
}

/// `W` warps of `LW` bits, `L` lanes each, `LC` bits of CTA slot.
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
    /// That warp is live.
    pub is_live: Signal<In, Bit>,
    /// A launch or a release to be offered.
    pub host: StrobeIn<HostOp<LC, L>>,
    /// The mask of the operation: the warps of the CTA.
    pub mask: Signal<In, Bits<W>>,
    pub op: Source<CtaOp<W, LW, LC, L>>,
    /// An exit is taken; its warp.
    pub exit_taken: StrobeOut<Bits<LW>>,
    /// An exit is examined.
    pub exit_examined: Signal<Out, Bit>,
    /// The warp of that exit.
    pub examined_warp: Signal<Out, Bits<LW>>,
    /// The operation register is free, and no exit has precedence.
    pub accepts_host: Signal<Out, Bit>,
    /// An operation is offered.
    pub offered: Signal<Out, Bit>,
    /// Warps whose exit was taken and has not been passed on.
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
    /// The exit waits for an operation of its warp.
    exit_waits: Signal<Local, Bit>,
}

#[block]
impl Logic for Offer<W, LW, LC, L> {
    fn update(&mut self) {
        self.exit.ready.next = !self.valid.q.val() & !self.exit_examined_q.q.val();
        self.exit_accepted.next = self.exit.valid.val() & !self.valid.q.val() & !self.exit_examined_q.q.val();
        self.accepts_host.next = !self.exit.valid.val() & !self.valid.q.val() & !self.exit_examined_q.q.val();
        // The exit waits until the operation in transit of its warp is done, which also decides whether the warp may exit;
        // meanwhile the warp is read again.
        self.exit_waits.next = self.exit_examined_q.q.val() & self.in_decode.val().at(self.op_warp.q.val());
        self.exit_examined_q.d.next = self.exit_accepted.val() | self.exit_waits.val();
        if self.exit_accepted.val() {
            self.op_warp.d.next = self.exit.payload.val().warp;
            self.lanes.d.next = self.exit.payload.val().lanes;
        }
        if self.host.valid.val() {
            // A launch and a release pass `gather` as operations of warp 0.
            self.op_warp.d.next = 0.into();
            if !self.host.payload.val().release {
                self.lanes.d.next = self.host.payload.val().lanes;
            }
        }
        if self.exit_examined_q.q.val() | self.host.valid.val() {
            self.valid.d.next = !self.exit_waits.val();
            self.op_cta.d.next = self.host.payload.val().cta;
            self.fault.d.next = self.host.payload.val().fault;
            self.kind.d.next = OpKind::Launch;
            if self.host.payload.val().release {
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
