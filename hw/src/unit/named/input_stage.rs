// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input stage: entry of an operation of the stream or a clear step (one row that is to be cleared) into the pipeline.
//!
//! *Reads:* the operation channel; the row to clear; for an operation in its first slot the id of the row that it looks up;
//! whether the fault queue has space in the next cycle, and whether there are rows to clear. *Writes:* in the same cycle the
//! entering operation or clear step and which row and CTA entry are read; one cycle later the operation in the lookup stage.
//! `op_ready` is a register. *Latency:* 1. Implements the operation channel and the slots of `docs/contract/named.md`.
//!
//! An operation with a CTA slot that is not built is taken as one with the fault `not_resident`, so a row that was never cleared
//! has no effect.

use super::front::{Actions, Entering, Front, Op};
use super::parts::Parts;
use crate::prelude::*;
use crate::unit::clear::Scrub;

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
    /// The id of the row that an Exit in its first slot looks up.
    pub last_id: Signal<In, Bits<LI>>,
    /// The id of the row that a Write to Warp in its first slot looks up.
    pub word_id: Signal<In, Bits<4>>,
    /// In the next cycle the fault queue has space for the entering operation or clear step.
    pub fault_space_next: Signal<In, Bit>,
    pub front: Signal<Out, Front<LW, LC, LI>>,
    #[reset]
    ready: DFF<Bit>,
    /// The fault queue has space for the entering operation or clear step.
    fault_space: DFF<Bit>,
    #[reset]
    lookup_actions: DFF<Actions>,
    lookup_op: DFF<Op<LW, LC>>,
    /// A Write to Warp without a fault is in its first slot.
    #[reset]
    first_slot_warp_write: DFF<Bit>,
    /// An operation that has `warp_done` in its second slot is in its first slot.
    #[reset]
    first_slot_warp_done: DFF<Bit>,
    /// A Release without a fault is in its first slot.
    #[reset]
    first_slot_release: DFF<Bit>,
    /// A Release with a fault is in its first slot.
    #[reset]
    first_slot_refused_release: DFF<Bit>,
    /// A Release with a fault is in its second slot.
    #[reset]
    second_slot_refused_release: DFF<Bit>,
    request: Signal<Local, Request<LC>>,
    /// An operation is transferred.
    op_taken: Signal<Local, Bit>,
    /// The transferred operation has no fault from upstream.
    op_accepted: Signal<Local, Bit>,
    waiter: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    /// The kind of the operation takes two slots.
    needs_two_slots: Signal<Local, Bit>,
    cta: Signal<Local, Bits<LC>>,
    /// The id given at the port, or that of the row to clear.
    port_id: Signal<Local, Bits<4>>,
    /// The id that is looked up unless an Exit is in its first slot.
    early_id: Signal<Local, Bits<4>>,
    row_id: Signal<Local, Bits<4>>,
    entering: Signal<Local, Entering<LC, LI>>,
    /// Number of comparisons that are built: 1 if `cta` can exceed the slots that are built, else 0.
    #[init(usize::from(config.cta_slots < 1 << LC))]
    _spare: usize,
    /// 1 if only one slot is built, else 0.
    #[init(usize::from(config.cta_slots == 1))]
    _single: usize,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_cta_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for InputStage<W, LW, CW, LC, LI, VW> {
    fn update(&mut self) {
        // The operation that is taken.
        self.request.next = self.op.payload.val().op.request;
        for _k in 0..self._spare {
            if (self.request.val().fault == FaultCode::None) & (self.request.val().cta > self.last_cta_slot.val()) {
                self.request.next.fault = FaultCode::NotResident;
            }
        }
        self.op_taken.next = self.op.valid.val() & self.ready.q.val();
        self.op_accepted.next = self.op_taken.val() & (self.request.val().fault == FaultCode::None);
        self.waiter.next = (self.request.val().kind == OpKind::Sync) | (self.request.val().kind == OpKind::Reduce);
        self.entering.next.is_arrival = self.waiter.val() | (self.request.val().kind == OpKind::Arrive);
        self.waiter.next = self.waiter.val() & self.op_accepted.val() & !self.reset.val();
        self.reads.next = self.parts.val().state_words & self.op_accepted.val() & (self.request.val().kind == OpKind::Read);
        self.entering.next.is_row_write = self.parts.val().state_words
            & (self.request.val().kind == OpKind::Write)
            & (self.request.val().state == StateWord::Barrier);
        self.entering.next.is_warp_write = self.parts.val().state_words
            & (self.request.val().kind == OpKind::Write)
            & (self.request.val().state == StateWord::Warp);
        self.needs_two_slots.next = self.entering.val().is_warp_write
            | (self.request.val().kind == OpKind::Exit)
            | (self.request.val().kind == OpKind::Launch)
            | (self.request.val().kind == OpKind::Release);
        self.entering.next.scrubs = self.scrub.val().active & self.fault_space.q.val();
        self.entering.next.lookup_valid_next =
            self.op_taken.val() | self.entering.val().scrubs | self.lookup_actions.q.val().first_slot;
        self.entering.next.will_wait = self.waiter.val()
            | (self.op_accepted.val()
                & self.entering.val().is_warp_write
                & self.request.val().data.get_bit(14)
                & !self.reset.val());
        self.entering.next.releasing = (self.op_accepted.val() & (self.request.val().kind == OpKind::Release))
            | self.first_slot_release.q.val()
            | self.lookup_actions.q.val().releases;

        // The row and the CTA entry that are read.
        self.port_id.next = self.request.val().id;
        self.entering.next.entry_slot = self.request.val().cta;
        if self.scrub.val().active {
            self.port_id.next = bit_cast::<4, LI>(self.scrub.val().id);
            self.entering.next.entry_slot = self.scrub.val().slot;
        }
        self.cta.next = self.entering.val().entry_slot;
        for _n in 0..self._single {
            self.entering.next.entry_slot = 0.into();
        }
        self.early_id.next = self.port_id.val();
        self.entering.next.slot = self.entering.val().entry_slot;
        if self.lookup_actions.q.val().first_slot & self.parts.val().state_words {
            self.early_id.next = self.word_id.val();
        }
        if self.lookup_actions.q.val().first_slot {
            self.entering.next.slot = self.lookup_op.q.val().table_slot;
        }
        self.entering.next.row_id_early = bit_cast::<LI, 4>(self.early_id.val());
        self.row_id.next = self.early_id.val();
        if self.lookup_actions.q.val().first_slot_exit {
            self.row_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        self.entering.next.exit_row_id = self.last_id.val();
        self.entering.next.read_row_id = bit_cast::<LI, 4>(self.row_id.val());

        // The actions of the operation in the lookup stage; an operation that takes two slots acts in the second.
        self.entering.next.all_slots = self.scrub.val().all_slots;
        self.front.next.parts = self.parts.val();
        self.front.next.entering = self.entering.val();
        self.front.next.actions = self.lookup_actions.q.val();
        self.front.next.op = self.lookup_op.q.val();
        self.lookup_actions.d.next.last_slot =
            (self.op_taken.val() & !self.needs_two_slots.val()) | self.lookup_actions.q.val().first_slot;
        self.lookup_actions.d.next.warp_done =
            (self.op_taken.val() & !self.needs_two_slots.val()) | self.first_slot_warp_done.q.val();
        self.lookup_actions.d.next.arrives = self.op_accepted.val() & self.entering.val().is_arrival;
        self.lookup_actions.d.next.writes_row = self.op_accepted.val() & self.entering.val().is_row_write;
        self.lookup_actions.d.next.reads = self.reads.val();
        self.lookup_actions.d.next.writes_warp = self.first_slot_warp_write.q.val();
        self.lookup_actions.d.next.exits = self.lookup_actions.q.val().first_slot_exit;
        self.lookup_actions.d.next.launches = self.lookup_actions.q.val().first_slot_launch;
        self.lookup_actions.d.next.releases = self.first_slot_release.q.val();
        self.lookup_actions.d.next.waiter = self.waiter.val();
        self.lookup_actions.d.next.needs_declared_id = (self.op_accepted.val()
            & (self.entering.val().is_arrival | self.entering.val().is_row_write))
            | (self.reads.val() & (self.request.val().state == StateWord::Barrier));
        self.lookup_actions.d.next.is_scrub = self.entering.val().scrubs;
        self.lookup_actions.d.next.clears_cta_entry = self.entering.val().scrubs & self.scrub.val().all_slots;
        self.lookup_actions.d.next.first_slot = self.op_taken.val() & self.needs_two_slots.val();
        self.lookup_actions.d.next.first_slot_exit = self.op_accepted.val() & (self.request.val().kind == OpKind::Exit);
        self.lookup_actions.d.next.first_slot_launch = self.op_accepted.val() & (self.request.val().kind == OpKind::Launch);
        self.lookup_op.d.next.same_warp = self.op.payload.val().op.warp == self.lookup_op.q.val().warp;
        self.lookup_op.d.next.row_id = self.row_id.val();
        self.lookup_op.d.next.saved = self.op.payload.val().saved;
        self.lookup_op.d.next.silent = self.scrub.val().silent;
        if !self.lookup_actions.q.val().first_slot {
            self.lookup_op.d.next.fault_code = self.request.val().fault;
            self.lookup_op.d.next.exempt = (self.request.val().fault == FaultCode::NotResident)
                | (self.request.val().kind == OpKind::Launch)
                | (self.request.val().kind == OpKind::Release);
            self.lookup_op.d.next.has_warp =
                (self.request.val().kind != OpKind::Launch) & (self.request.val().kind != OpKind::Release);
            self.lookup_op.d.next.state = self.request.val().state;
            self.lookup_op.d.next.warp = self.op.payload.val().op.warp;
            self.lookup_op.d.next.cta = self.cta.val();
            self.lookup_op.d.next.table_slot = self.entering.val().entry_slot;
            self.lookup_op.d.next.id = self.port_id.val();
        }
        self.first_slot_warp_write.d.next = self.op_accepted.val() & self.entering.val().is_warp_write;
        self.first_slot_warp_done.d.next = (self.op_taken.val() & self.entering.val().is_warp_write)
            | (self.op_accepted.val() & (self.request.val().kind == OpKind::Exit));
        self.first_slot_release.d.next = self.op_accepted.val() & (self.request.val().kind == OpKind::Release);
        self.first_slot_refused_release.d.next =
            self.op_taken.val() & !self.op_accepted.val() & (self.request.val().kind == OpKind::Release);
        self.second_slot_refused_release.d.next = self.first_slot_refused_release.q.val();

        // The conditions that stop the stream.
        self.fault_space.d.next = self.fault_space_next.val();
        self.ready.d.next = self.fault_space_next.val()
            & !self.scrub_next.val()
            & !(self.op_taken.val() & self.needs_two_slots.val())
            & !self.first_slot_release.q.val()
            & !self.lookup_actions.q.val().releases
            & !self.first_slot_refused_release.q.val()
            & !self.second_slot_refused_release.q.val();
        self.op.ready.next = self.ready.q.val();

        if self.reset.val() {
            self.fault_space.d.next = true;
        }
    }
}
