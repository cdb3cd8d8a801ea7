// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input stage: lets an operation of the stream, or a clear step, enter the pipeline. A clear step clears one row: it
//! passes the pipeline in place of an operation.
//!
//! *Reads:* the operation channel; the row to clear; for an operation in its first lookup cycle the barrier id of the row that it
//! looks up; whether in the next cycle the fault queue has space, and whether there is a row to clear. *Writes:* in the same cycle
//! the class of the operation at the port, whether an operation or clear step enters, and which row and CTA entry are read; one
//! cycle later the operation in the lookup stage. `op_ready` is a register. *Latency:* 1. Implements the operation channel, and the
//! operations that occupy two cycles, of `docs/contract/named.md`.
//!
//! If a CTA slot number can be above that of the last CTA slot of the configuration, the RAM also has rows for such numbers, and these
//! rows are never cleared. An operation with such a number gets the fault `not_resident`, so the content of its row has no effect.

use super::entering_payloads::{OpClass, ReadPlace};
use super::lookup_payloads::{Actions, FirstSlot, Origin, Target};
use super::op_classifier::OpClassifier;
use super::parts::Parts;
use super::read_address::ReadAddress;
use super::slots::Slots;
use super::stream_gate::StreamGate;
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// Sizes: `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of
/// `LI` bits, contributions of a warp to a reduction of `VW` bits.
#[block]
pub struct InputStage<W, LW, CW, LC, LI, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// The row to clear.
    pub scrub: Signal<In, Scrub<LC, LI>>,
    /// There is a row to clear in the next cycle.
    pub scrub_next: Signal<In, Bit>,
    /// The barrier id of the row that an Exit in its first lookup cycle looks up.
    pub last_id: Signal<In, Bits<LI>>,
    /// The barrier id of the row that a Write to Warp in its first lookup cycle looks up.
    pub word_id: Signal<In, Bits<4>>,
    /// In the next cycle the fault queue has space for the entering operation or clear step.
    pub fault_space_next: Signal<In, Bit>,
    /// The class of the operation at the port, whether or not the operation is taken.
    pub class: Signal<Out, OpClass>,
    pub place: Signal<Out, ReadPlace<LC, LI>>,
    /// A clear step enters.
    pub scrubs: Signal<Out, Bit>,
    /// The lookup stage is occupied in the next cycle: an operation or clear step enters, or an operation begins its second lookup cycle.
    pub lookup_valid_next: Signal<Out, Bit>,
    /// An operation enters that has no fault from upstream and makes its warp wait: a Sync, a Reduce, or a Write to Warp
    /// whose state word has the waiting bit.
    pub will_wait: Signal<Out, Bit>,
    /// A Release without a fault will be in the pipeline in the next cycle: rows may have to be cleared after it.
    pub releasing: Signal<Out, Bit>,
    pub lookup_actions: Signal<Out, Actions>,
    pub first_slot: Signal<Out, FirstSlot>,
    pub origin: Signal<Out, Origin<LW, LC>>,
    pub target: Signal<Out, Target<LC>>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<Out, FaultCode>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<Out, Bit>,
    /// For a Release in its first lookup cycle: its CTA was saved, so open rows are not a fault.
    pub saved: Signal<Out, Bit>,
    /// For a clear step in the lookup stage: an open row is not a fault.
    pub silent: Signal<Out, Bit>,
    classifier: OpClassifier,
    #[init(ReadAddress::new(config))]
    read_address: ReadAddress<LC, LI>,
    slots: Slots,
    gate: StreamGate,
    lookup_origin: DFF<Origin<LW, LC>>,
    lookup_target: DFF<Target<LC>>,
    lookup_fault: DFF<FaultCode>,
    lookup_same_warp: DFF<Bit>,
    lookup_saved: DFF<Bit>,
    lookup_silent: DFF<Bit>,
    request: Signal<Local, Request<LC>>,
    /// An operation is transferred.
    op_taken: Signal<Local, Bit>,
    /// The transferred operation has no fault from upstream.
    op_accepted: Signal<Local, Bit>,
    /// A Sync or Reduce without a fault from upstream is transferred.
    waiter: Signal<Local, Bit>,
    /// 1 if the port `cta` can name a CTA slot that is not built, else 0: the number of comparators that detect such a slot.
    #[init(usize::from(config.cta_slots < 1 << LC))]
    _spare: usize,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_cta_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for InputStage {
    fn update(&mut self) {
        let port = self.op.payload.val();
        let class = self.classifier.class.val();

        // Whether an operation is taken and which fault it has; whether a clear step enters.
        self.request.next = port.op.request;
        for _k in 0..self._spare {
            if (self.request.val().fault == FaultCode::None) & (self.request.val().cta > self.last_cta_slot.val()) {
                self.request.next.fault = FaultCode::NotResident;
            }
        }
        self.classifier.parts.next = self.parts.val();
        self.classifier.kind.next = self.request.val().kind;
        self.classifier.state.next = self.request.val().state;
        self.class.next = class;
        self.op_taken.next = self.op.valid.val() & self.gate.ready.val();
        self.op_accepted.next = self.op_taken.val() & (self.request.val().fault == FaultCode::None);
        self.waiter.next = class.is_wait & self.op_accepted.val() & !self.reset.val();
        self.scrubs.next = self.scrub.val().active & self.gate.fault_space.val();
        self.lookup_valid_next.next = self.op_taken.val() | self.scrubs.val() | self.slots.first_slot.val().occupied;
        self.will_wait.next = self.waiter.val()
            | (self.op_accepted.val() & class.is_warp_write & self.request.val().data.get_bit(14) & !self.reset.val());

        // The row and the CTA entry that are read.
        self.read_address.parts.next = self.parts.val();
        self.read_address.op_cta.next = self.request.val().cta;
        self.read_address.op_id.next = self.request.val().id;
        self.read_address.scrub.next = self.scrub.val();
        self.read_address.first_slot.next = self.slots.first_slot.val();
        self.read_address.lookup_slot.next = self.lookup_target.q.val().table_slot;
        self.read_address.last_id.next = self.last_id.val();
        self.read_address.word_id.next = self.word_id.val();
        self.place.next = self.read_address.place.val();

        // The actions of the operation in the lookup stage.
        self.slots.op_taken.next = self.op_taken.val();
        self.slots.op_accepted.next = self.op_accepted.val();
        self.slots.class.next = class;
        self.slots.is_row_state.next = self.request.val().state == StateWord::Barrier;
        self.slots.waiter.next = self.waiter.val();
        self.slots.scrubs.next = self.scrubs.val();
        self.slots.all_slots.next = self.scrub.val().all_slots;
        self.lookup_actions.next = self.slots.actions.val();
        self.first_slot.next = self.slots.first_slot.val();
        self.releasing.next = self.slots.releasing.val();

        // The fields of the operation in the lookup stage.
        self.lookup_same_warp.d.next = port.op.warp == self.lookup_origin.q.val().warp;
        self.lookup_target.d.next.row_id = self.read_address.row_id.val();
        self.lookup_saved.d.next = port.saved;
        self.lookup_silent.d.next = self.scrub.val().silent;
        if !self.slots.first_slot.val().occupied {
            self.lookup_fault.d.next = self.request.val().fault;
            self.lookup_origin.d.next.exempt =
                (self.request.val().fault == FaultCode::NotResident) | class.is_launch | class.is_release;
            self.lookup_origin.d.next.has_warp = !class.is_launch & !class.is_release;
            self.lookup_origin.d.next.warp = port.op.warp;
            self.lookup_origin.d.next.cta = self.read_address.port_cta.val();
            self.lookup_origin.d.next.id = self.read_address.port_id.val();
            self.lookup_target.d.next.state = self.request.val().state;
            self.lookup_target.d.next.table_slot = self.read_address.place.val().entry_slot;
        }
        self.origin.next = self.lookup_origin.q.val();
        self.target.next = self.lookup_target.q.val();
        self.upstream_fault.next = self.lookup_fault.q.val();
        self.same_warp.next = self.lookup_same_warp.q.val();
        self.saved.next = self.lookup_saved.q.val();
        self.silent.next = self.lookup_silent.q.val();

        // The inputs of `op_ready` for the next cycle.
        self.gate.fault_space_next.next = self.fault_space_next.val();
        self.gate.scrub_next.next = self.scrub_next.val();
        self.gate.op_taken.next = self.op_taken.val();
        self.gate.op_accepted.next = self.op_accepted.val();
        self.gate.class.next = class;
        self.gate.first_slot_release.next = self.slots.first_slot_release.val();
        self.gate.second_slot_release.next = self.slots.actions.val().releases;
        self.op.ready.next = self.gate.ready.val();
    }
}
