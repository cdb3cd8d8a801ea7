// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Entry into the pipeline: an operation of the stream, or a row to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; whether the next cycle has space for a fault, and a row to clear.
//! *Writes:* in the same cycle the entering operation or row, and its row address; one cycle later the operation. *Latency:* 1;
//! `op_ready` is a register. An operation of a CTA slot that is not built gets the fault `not_resident`. Implements *Cycles* and
//! `op_ready` of `docs/contract/gateway.md`.

use super::ports::{GatewayKind, GatewayMessage, GatewayOp};
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// The operation one cycle after entry; with `valid` = 0 it has no effect.
#[payload]
pub struct LookupOp<W, LW, CW, LC> {
    /// An operation, or a row to clear.
    pub valid: Bit,
    /// A row to clear.
    pub scrub: Bit,
    /// A row to clear after reset, when the rows of all slots are; with the first row of a slot, the slot's entry is also cleared.
    pub all_slots: Bit,
    /// A Signal without a fault so far.
    pub signals: Bit,
    /// A Wait without a fault so far.
    pub waits: Bit,
    /// A Launch without a fault.
    pub launches: Bit,
    /// A Release without a fault.
    pub cta_release: Bit,
    /// An operation of a warp: all but Launch and Release.
    pub has_warp: Bit,
    /// Once the operation takes effect, no operation of its warp is in flight any more.
    pub warp_done: Bit,
    /// Fault from upstream, or `not_resident`; None = no fault.
    pub fault: FaultCode,
    /// All executing lanes gave the same message.
    pub uniform: Bit,
    /// One-hot: warp of the operation. Release: the warp slots of the CTA.
    pub acting_warps: Bits<W>,
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Signal, Wait: the message.
    pub message: GatewayMessage,
    /// Launch: warps launched.
    pub warps: Bits<CW>,
    /// Launch: barriers declared.
    pub barriers: Bits<6>,
}

#[block]
pub struct InputStage<W, LW, CW, LC, LI, RA> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Operations.
    pub op: Sink<GatewayOp<W, LW, CW, LC>>,
    /// The row to clear next, if there is one.
    pub scrub: Signal<In, Scrub<LC, LI>>,
    /// There is a row to clear in the next cycle.
    pub scrub_next: Signal<In, Bit>,
    /// In the next cycle the fault queue has space for the entering operation or row.
    pub fault_space_next: Signal<In, Bit>,
    /// An operation, or a row to clear, enters.
    pub lookup_valid_next: Signal<Out, Bit>,
    /// A row to clear enters.
    pub scrubs: Signal<Out, Bit>,
    /// A Release without a fault will be in flight in the next cycle.
    pub releasing: Signal<Out, Bit>,
    /// Row address of the entering operation or row.
    pub entering_address: Signal<Out, Bits<RA>>,
    /// CTA slot of the entering operation or row.
    pub entering_slot: Signal<Out, Bits<LC>>,
    /// The operation one cycle after entry.
    pub lookup_op: Signal<Out, LookupOp<W, LW, CW, LC>>,
    /// `op_ready`.
    #[reset]
    ready: DFF<Bit>,
    /// The fault queue has space for the entering operation or row.
    fault_space: DFF<Bit>,
    /// Register of `lookup_op`.
    #[reset]
    lookup_op_q: DFF<LookupOp<W, LW, CW, LC>>,
    /// A Release, with or without a fault, was taken in the cycle before.
    #[reset]
    release_taken: DFF<Bit>,
    /// Fault of the operation at the port, from upstream or `not_resident`.
    fault: Signal<Local, FaultCode>,
    /// An operation is taken.
    op_taken: Signal<Local, Bit>,
    /// An operation without a fault is taken.
    op_accepted: Signal<Local, Bit>,
    /// The operation at the port is a Release.
    is_release: Signal<Local, Bit>,
    /// Barrier id of the entering operation or row.
    entering_id: Signal<Local, Bits<LI>>,
    no_warps: Constant<Bits<W>>,
    /// Number of comparisons for a slot that is not built: 1 if a slot number can exceed the slots that are built, else 0.
    #[init(usize::from(config.cta_slots < 1 << LC))]
    _spare: usize,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_slot: Constant<Bits<LC>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for InputStage<W, LW, CW, LC, LI, RA> {
    fn update(&mut self) {
        // The operation that is taken, or the row that enters.
        self.fault.next = self.op.payload.val().fault;
        for _k in 0..self._spare {
            if (self.fault.val() == FaultCode::None) & (self.op.payload.val().cta > self.last_slot.val()) {
                self.fault.next = FaultCode::NotResident;
            }
        }
        self.op_taken.next = self.op.valid.val() & self.ready.q.val();
        self.op_accepted.next = self.op_taken.val() & (self.fault.val() == FaultCode::None);
        self.is_release.next = self.op.payload.val().kind == GatewayKind::Release;
        self.scrubs.next = self.scrub.val().active & self.fault_space.q.val();
        self.lookup_valid_next.next = self.op_taken.val() | self.scrubs.val();
        self.releasing.next = (self.op_accepted.val() & self.is_release.val()) | self.lookup_op_q.q.val().cta_release;

        // Address of its row.
        self.entering_slot.next = self.op.payload.val().cta;
        self.entering_id.next = bit_cast::<LI, 8>(self.op.payload.val().message.id);
        if self.scrub.val().active {
            self.entering_slot.next = self.scrub.val().slot;
            self.entering_id.next = self.scrub.val().id;
        }
        self.entering_address.next =
            (bit_cast::<RA, LC>(self.entering_slot.val()) << self.id_bits.val()) | bit_cast::<RA, LI>(self.entering_id.val());

        // One cycle after entry.
        self.lookup_op_q.d.next.valid = self.lookup_valid_next.val();
        self.lookup_op_q.d.next.scrub = self.scrubs.val();
        self.lookup_op_q.d.next.all_slots = self.scrubs.val() & self.scrub.val().all_slots;
        self.lookup_op_q.d.next.signals = self.op_accepted.val() & (self.op.payload.val().kind == GatewayKind::Signal);
        self.lookup_op_q.d.next.waits = self.op_accepted.val() & (self.op.payload.val().kind == GatewayKind::Wait);
        self.lookup_op_q.d.next.launches = self.op_accepted.val() & (self.op.payload.val().kind == GatewayKind::Launch);
        self.lookup_op_q.d.next.cta_release = self.op_accepted.val() & self.is_release.val();
        self.lookup_op_q.d.next.has_warp =
            self.op_taken.val() & !self.is_release.val() & (self.op.payload.val().kind != GatewayKind::Launch);
        self.lookup_op_q.d.next.warp_done = self.lookup_op_q.d.val().has_warp
            & ((self.op.payload.val().kind != GatewayKind::Exit) | (self.fault.val() == FaultCode::None));
        self.lookup_op_q.d.next.fault = FaultCode::None;
        if self.op_taken.val() {
            self.lookup_op_q.d.next.fault = self.fault.val();
        }
        self.lookup_op_q.d.next.uniform = self.op.payload.val().uniform;
        self.lookup_op_q.d.next.acting_warps = self.no_warps.val().with(self.op.payload.val().warp, true);
        if self.is_release.val() {
            self.lookup_op_q.d.next.acting_warps = self.op.payload.val().mask;
        }
        self.lookup_op_q.d.next.warp = self.op.payload.val().warp;
        self.lookup_op_q.d.next.cta = self.entering_slot.val();
        self.lookup_op_q.d.next.message = self.op.payload.val().message;
        if self.scrubs.val() {
            self.lookup_op_q.d.next.warp = 0.into();
            self.lookup_op_q.d.next.message.id = bit_cast::<8, LI>(self.entering_id.val());
        }
        self.lookup_op_q.d.next.warps = self.op.payload.val().warps;
        self.lookup_op_q.d.next.barriers = self.op.payload.val().barriers;
        self.lookup_op.next = self.lookup_op_q.q.val();

        // The cases in which no operation is taken in the next cycle.
        self.release_taken.d.next = self.op_taken.val() & self.is_release.val();
        self.fault_space.d.next = self.fault_space_next.val();
        self.ready.d.next = self.fault_space_next.val()
            & !self.scrub_next.val()
            & !(self.op_taken.val() & (self.op.payload.val().kind == GatewayKind::Launch))
            & !(self.op_taken.val() & self.is_release.val())
            & !self.release_taken.q.val();
        self.op.ready.next = self.ready.q.val();
        if self.reset.val() {
            self.fault_space.d.next = true;
        }
    }
}
