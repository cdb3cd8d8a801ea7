// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Entry into the pipeline: an operation of the stream, or a row to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; whether in the next cycle the queue has space for a fault, and whether there
//! is a row to clear. *Writes:* in the same cycle the entering operation or row, and its row address; one cycle later the
//! operation. *Latency:* 1; `op_ready` is a register. An operation of a CTA slot that is not built gets the fault `not_resident`.
//! Implements *Cycles* and `op_ready` of `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Actions, Clearing, LaunchCounts, Origin};
use super::ports::{GatewayKind, GatewayMessage, GatewayOp};
use super::stream_gate::StreamGate;
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of `LI` bits, row
/// addresses of `RA` bits.
#[block]
pub struct InputStage<W, LW, CW, LC, LI, RA> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Operations for the gateway.
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
    /// An operation, or a row to clear, is one cycle after entry.
    pub lookup_valid: Signal<Out, Bit>,
    /// The actions of the operation one cycle after entry.
    pub lookup_actions: Signal<Out, Actions>,
    /// The row to clear that is one cycle after entry.
    pub lookup_clearing: Signal<Out, Clearing>,
    /// The source of the operation one cycle after entry.
    pub lookup_origin: Signal<Out, Origin<LW, LC>>,
    /// Signal, Wait: the message of the operation one cycle after entry.
    pub lookup_message: Signal<Out, GatewayMessage>,
    /// All executing lanes gave equal messages.
    pub lookup_uniform: Signal<Out, Bit>,
    /// Fault of the operation one cycle after entry, from upstream or `not_resident`; None = no fault.
    pub lookup_fault: Signal<Out, FaultCode>,
    /// Mask of warps of the operation one cycle after entry: its warp, one-hot; for a Release the warp slots of the CTA.
    pub lookup_warps: Signal<Out, Bits<W>>,
    /// Launch: the counts of the operation one cycle after entry.
    pub lookup_launch: Signal<Out, LaunchCounts<CW>>,
    gate: StreamGate,
    #[reset]
    lookup_valid_q: DFF<Bit>,
    #[reset]
    lookup_actions_q: DFF<Actions>,
    #[reset]
    lookup_clearing_q: DFF<Clearing>,
    #[reset]
    lookup_origin_q: DFF<Origin<LW, LC>>,
    #[reset]
    lookup_message_q: DFF<GatewayMessage>,
    #[reset]
    lookup_uniform_q: DFF<Bit>,
    #[reset]
    lookup_fault_q: DFF<FaultCode>,
    #[reset]
    lookup_warps_q: DFF<Bits<W>>,
    #[reset]
    lookup_launch_q: DFF<LaunchCounts<CW>>,
    /// Fault of the operation at the port, from upstream or `not_resident`.
    fault: Signal<Local, FaultCode>,
    /// An operation is transferred at `op`.
    op_taken: Signal<Local, Bit>,
    /// An operation without a fault is taken.
    op_accepted: Signal<Local, Bit>,
    /// The operation at the port is a Launch.
    is_launch: Signal<Local, Bit>,
    /// The operation at the port is a Release.
    is_release: Signal<Local, Bit>,
    /// Barrier id of the entering operation or row.
    entering_id: Signal<Local, Bits<LI>>,
    no_warps: Constant<Bits<W>>,
    /// Number of comparisons that detect a CTA slot that is not built: 1 if the number of a CTA slot can exceed that of the last
    /// slot built, else 0.
    #[init(usize::from(config.cta_slots < 1 << LC))]
    _spare: usize,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_slot: Constant<Bits<LC>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for InputStage {
    fn update(&mut self) {
        let port = self.op.payload.val();
        let scrub = self.scrub.val();

        // Whether an operation is taken, with its fault, and whether a row to clear enters.
        self.fault.next = port.fault;
        for _k in 0..self._spare {
            if (self.fault.val() == FaultCode::None) & (port.cta > self.last_slot.val()) {
                self.fault.next = FaultCode::NotResident;
            }
        }
        self.op_taken.next = self.op.valid.val() & self.gate.ready.val();
        self.op_accepted.next = self.op_taken.val() & (self.fault.val() == FaultCode::None);
        self.is_launch.next = port.kind == GatewayKind::Launch;
        self.is_release.next = port.kind == GatewayKind::Release;
        self.scrubs.next = scrub.active & self.gate.fault_space.val();
        self.lookup_valid_next.next = self.op_taken.val() | self.scrubs.val();
        self.releasing.next = (self.op_accepted.val() & self.is_release.val()) | self.lookup_actions_q.q.val().cta_release;

        // The address of the row of the operation, or of the row to clear.
        self.entering_slot.next = port.cta;
        self.entering_id.next = bit_cast::<LI, 8>(port.message.id);
        if scrub.active {
            self.entering_slot.next = scrub.slot;
            self.entering_id.next = scrub.id;
        }
        self.entering_address.next =
            (bit_cast::<RA, LC>(self.entering_slot.val()) << self.id_bits.val()) | bit_cast::<RA, LI>(self.entering_id.val());

        // The registers of the operation, or of the row to clear, one cycle after entry. With no operation taken, the fault is
        // None.
        self.lookup_valid_q.d.next = self.lookup_valid_next.val();
        self.lookup_clearing_q.d.next.scrub = self.scrubs.val();
        self.lookup_clearing_q.d.next.all_slots = self.scrubs.val() & scrub.all_slots;
        self.lookup_actions_q.d.next.signals = self.op_accepted.val() & (port.kind == GatewayKind::Signal);
        self.lookup_actions_q.d.next.waits = self.op_accepted.val() & (port.kind == GatewayKind::Wait);
        self.lookup_actions_q.d.next.launches = self.op_accepted.val() & self.is_launch.val();
        self.lookup_actions_q.d.next.cta_release = self.op_accepted.val() & self.is_release.val();
        self.lookup_origin_q.d.next.has_warp = self.op_taken.val() & !self.is_release.val() & !self.is_launch.val();
        self.lookup_origin_q.d.next.warp_done =
            self.lookup_origin_q.d.val().has_warp & ((port.kind != GatewayKind::Exit) | (self.fault.val() == FaultCode::None));
        self.lookup_fault_q.d.next = FaultCode::None;
        if self.op_taken.val() {
            self.lookup_fault_q.d.next = self.fault.val();
        }
        self.lookup_uniform_q.d.next = port.uniform;
        self.lookup_warps_q.d.next = self.no_warps.val().with(port.warp, true);
        if self.is_release.val() {
            self.lookup_warps_q.d.next = port.mask;
        }
        self.lookup_origin_q.d.next.warp = port.warp;
        self.lookup_origin_q.d.next.cta = self.entering_slot.val();
        self.lookup_message_q.d.next = port.message;
        if self.scrubs.val() {
            self.lookup_origin_q.d.next.warp = 0.into();
            self.lookup_message_q.d.next.id = bit_cast::<8, LI>(self.entering_id.val());
        }
        self.lookup_launch_q.d.next.warps = port.warps;
        self.lookup_launch_q.d.next.barriers = port.barriers;
        self.lookup_valid.next = self.lookup_valid_q.q.val();
        self.lookup_actions.next = self.lookup_actions_q.q.val();
        self.lookup_clearing.next = self.lookup_clearing_q.q.val();
        self.lookup_origin.next = self.lookup_origin_q.q.val();
        self.lookup_message.next = self.lookup_message_q.q.val();
        self.lookup_uniform.next = self.lookup_uniform_q.q.val();
        self.lookup_fault.next = self.lookup_fault_q.q.val();
        self.lookup_warps.next = self.lookup_warps_q.q.val();
        self.lookup_launch.next = self.lookup_launch_q.q.val();

        // The inputs of `op_ready` for the next cycle.
        self.gate.fault_space_next.next = self.fault_space_next.val();
        self.gate.scrub_next.next = self.scrub_next.val();
        self.gate.op_taken.next = self.op_taken.val();
        self.gate.is_launch.next = self.is_launch.val();
        self.gate.is_release.next = self.is_release.val();
        self.op.ready.next = self.gate.ready.val();
    }
}
