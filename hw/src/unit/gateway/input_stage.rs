// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters the pipeline: an operation of the stream, or a row whose turn it is to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; for the next cycle whether there is room and whether rows are cleared. *Writes:* in the same cycle
//! what enters and where it looks; one cycle later the operation. *Latency:* 1; `op_ready` is a register. An operation of a CTA slot that is not built is
//! taken as one of a warp that is not resident. Implements *Cycles* and `op_ready` of `docs/gateway.md`.

use super::ports::{GatewayKind, GatewayMessage, GatewayOp};
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// The operation one cycle inside; with `there` = 0 it does nothing.
#[payload]
pub struct Inside<W, LW, CW, LC> {
    /// An operation, or a row's turn.
    pub there: Bit,
    /// A row's turn, after a release; after a reset, with the entry of its slot.
    pub scrub: Bit,
    pub blank: Bit,
    /// Without a fault from upstream: what it does.
    pub signals: Bit,
    pub waits: Bit,
    pub launches: Bit,
    pub leaves: Bit,
    /// It is of a warp; nothing of that is on its way when it has its effects.
    pub of_warp: Bit,
    pub settles: Bit,
    pub fault: FaultCode,
    pub uniform: Bit,
    /// The bit of its warp; of a release those of its CTA.
    pub acting: Bits<W>,
    pub warp: Bits<LW>,
    pub cta: Bits<LC>,
    pub message: GatewayMessage,
    pub warps: Bits<CW>,
    pub barriers: Bits<6>,
}

#[block]
pub struct InputStage<W, LW, CW, LC, LI, RA> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Sink<GatewayOp<W, LW, CW, LC>>,
    /// The row to be cleared; there is one in the next cycle.
    pub scrub: Signal<In, Scrub<LC, LI>>,
    pub scrub_next: Signal<In, Bit>,
    /// There will be room for another fault.
    pub room_next: Signal<In, Bit>,
    /// Something enters; a row takes its turn; a release without fault will be under way.
    pub comes: Signal<Out, Bit>,
    pub scrubs: Signal<Out, Bit>,
    pub releasing: Signal<Out, Bit>,
    /// The row and the slot of what enters.
    pub row: Signal<Out, Bits<RA>>,
    pub slot: Signal<Out, Bits<LC>>,
    pub inside: Signal<Out, Inside<W, LW, CW, LC>>,
    #[reset]
    ready: DFF<Bit>,
    room: DFF<Bit>,
    #[reset]
    inside_q: DFF<Inside<W, LW, CW, LC>>,
    /// A release was taken in the cycle before, with or without a fault.
    #[reset]
    released: DFF<Bit>,
    fault: Signal<Local, FaultCode>,
    take: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    is_release: Signal<Local, Bit>,
    id: Signal<Local, Bits<LI>>,
    nobody: Constant<Bits<W>>,
    /// Whether a slot number can be one that is not built: as many comparisons.
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
        // What is taken.
        self.fault.next = self.op.payload.val().fault;
        for _k in 0..self._spare {
            if (self.fault.val() == FaultCode::None) & (self.op.payload.val().cta > self.last_slot.val()) {
                self.fault.next = FaultCode::NotResident;
            }
        }
        self.take.next = self.op.valid.val() & self.ready.q.val();
        self.good.next = self.take.val() & (self.fault.val() == FaultCode::None);
        self.is_release.next = self.op.payload.val().kind == GatewayKind::Release;
        self.scrubs.next = self.scrub.val().active & self.room.q.val();
        self.comes.next = self.take.val() | self.scrubs.val();
        self.releasing.next = (self.good.val() & self.is_release.val()) | self.inside_q.q.val().leaves;

        // Where it looks.
        self.slot.next = self.op.payload.val().cta;
        self.id.next = bit_cast::<LI, 8>(self.op.payload.val().message.id);
        if self.scrub.val().active {
            self.slot.next = self.scrub.val().slot;
            self.id.next = self.scrub.val().id;
        }
        self.row.next = (bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val()) | bit_cast::<RA, LI>(self.id.val());

        // One cycle inside.
        self.inside_q.d.next.there = self.comes.val();
        self.inside_q.d.next.scrub = self.scrubs.val();
        self.inside_q.d.next.blank = self.scrubs.val() & self.scrub.val().all;
        self.inside_q.d.next.signals = self.good.val() & (self.op.payload.val().kind == GatewayKind::Signal);
        self.inside_q.d.next.waits = self.good.val() & (self.op.payload.val().kind == GatewayKind::Wait);
        self.inside_q.d.next.launches = self.good.val() & (self.op.payload.val().kind == GatewayKind::Launch);
        self.inside_q.d.next.leaves = self.good.val() & self.is_release.val();
        self.inside_q.d.next.of_warp =
            self.take.val() & !self.is_release.val() & (self.op.payload.val().kind != GatewayKind::Launch);
        self.inside_q.d.next.settles = self.inside_q.d.val().of_warp
            & ((self.op.payload.val().kind != GatewayKind::Exit) | (self.fault.val() == FaultCode::None));
        self.inside_q.d.next.fault = FaultCode::None;
        if self.take.val() {
            self.inside_q.d.next.fault = self.fault.val();
        }
        self.inside_q.d.next.uniform = self.op.payload.val().uniform;
        self.inside_q.d.next.acting = self.nobody.val().with(self.op.payload.val().warp, true);
        if self.is_release.val() {
            self.inside_q.d.next.acting = self.op.payload.val().mask;
        }
        self.inside_q.d.next.warp = self.op.payload.val().warp;
        self.inside_q.d.next.cta = self.slot.val();
        self.inside_q.d.next.message = self.op.payload.val().message;
        if self.scrubs.val() {
            self.inside_q.d.next.warp = 0.into();
            self.inside_q.d.next.message.id = bit_cast::<8, LI>(self.id.val());
        }
        self.inside_q.d.next.warps = self.op.payload.val().warps;
        self.inside_q.d.next.barriers = self.op.payload.val().barriers;
        self.inside.next = self.inside_q.q.val();

        // What stops the stream.
        self.released.d.next = self.take.val() & self.is_release.val();
        self.room.d.next = self.room_next.val();
        self.ready.d.next = self.room_next.val()
            & !self.scrub_next.val()
            & !(self.take.val() & (self.op.payload.val().kind == GatewayKind::Launch))
            & !(self.take.val() & self.is_release.val())
            & !self.released.q.val();
        self.op.ready.next = self.ready.q.val();
        if self.reset.val() {
            self.room.d.next = true;
        }
    }
}
