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

use super::front::{Entering, Front, Op, Step};
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
    pub room_next: Signal<In, Bit>,
    pub front: Signal<Out, Front<LW, LC, LI>>,
    #[reset]
    ready: DFF<Bit>,
    /// The fault queue has space for the entering operation or clear step.
    room: DFF<Bit>,
    #[reset]
    step: DFF<Step>,
    op_q: DFF<Op<LW, LC>>,
    /// A Write to Warp without a fault is in its first slot.
    #[reset]
    first_write: DFF<Bit>,
    /// An operation that has `warp_done` in its second slot is in its first slot.
    #[reset]
    first_warp_done: DFF<Bit>,
    /// A Release without a fault is in its first slot.
    #[reset]
    first_release: DFF<Bit>,
    /// A Release with a fault is in its first slot.
    #[reset]
    refused_release: DFF<Bit>,
    /// A Release with a fault is in its second slot.
    #[reset]
    second_refused: DFF<Bit>,
    request: Signal<Local, Request<LC>>,
    /// An operation is transferred.
    take: Signal<Local, Bit>,
    /// The transferred operation has no fault from upstream.
    go: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    /// The kind of the operation takes two slots.
    slow: Signal<Local, Bit>,
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
    last_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for InputStage<W, LW, CW, LC, LI, VW> {
    fn update(&mut self) {
        // The operation that is taken.
        self.request.next = self.op.payload.val().op.request;
        for _k in 0..self._spare {
            if (self.request.val().fault == FaultCode::None) & (self.request.val().cta > self.last_slot.val()) {
                self.request.next.fault = FaultCode::NotResident;
            }
        }
        self.take.next = self.op.valid.val() & self.ready.q.val();
        self.go.next = self.take.val() & (self.request.val().fault == FaultCode::None);
        self.waits.next = (self.request.val().kind == OpKind::Sync) | (self.request.val().kind == OpKind::Reduce);
        self.entering.next.arrival = self.waits.val() | (self.request.val().kind == OpKind::Arrive);
        self.waits.next = self.waits.val() & self.go.val() & !self.reset.val();
        self.reads.next = self.parts.val().state_words & self.go.val() & (self.request.val().kind == OpKind::Read);
        self.entering.next.to_row = self.parts.val().state_words
            & (self.request.val().kind == OpKind::Write)
            & (self.request.val().state == StateWord::Barrier);
        self.entering.next.to_warp = self.parts.val().state_words
            & (self.request.val().kind == OpKind::Write)
            & (self.request.val().state == StateWord::Warp);
        self.slow.next = self.entering.val().to_warp
            | (self.request.val().kind == OpKind::Exit)
            | (self.request.val().kind == OpKind::Launch)
            | (self.request.val().kind == OpKind::Release);
        self.entering.next.scrubs = self.scrub.val().active & self.room.q.val();
        self.entering.next.comes = self.take.val() | self.entering.val().scrubs | self.step.q.val().first_slot;
        self.entering.next.will_wait = self.waits.val()
            | (self.go.val() & self.entering.val().to_warp & self.request.val().data.get_bit(14) & !self.reset.val());
        self.entering.next.releasing = (self.go.val() & (self.request.val().kind == OpKind::Release))
            | self.first_release.q.val()
            | self.step.q.val().releases;

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
        if self.step.q.val().first_slot & self.parts.val().state_words {
            self.early_id.next = self.word_id.val();
        }
        if self.step.q.val().first_slot {
            self.entering.next.slot = self.op_q.q.val().entry;
        }
        self.entering.next.row_id_early = bit_cast::<LI, 4>(self.early_id.val());
        self.row_id.next = self.early_id.val();
        if self.step.q.val().first_slot_exit {
            self.row_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        self.entering.next.exit_row_id = self.last_id.val();
        self.entering.next.read_row_id = bit_cast::<LI, 4>(self.row_id.val());

        // The actions of the operation in the lookup stage; an operation that takes two slots acts in the second.
        self.entering.next.blank = self.scrub.val().all;
        self.front.next.parts = self.parts.val();
        self.front.next.entering = self.entering.val();
        self.front.next.step = self.step.q.val();
        self.front.next.op = self.op_q.q.val();
        self.step.d.next.acts = (self.take.val() & !self.slow.val()) | self.step.q.val().first_slot;
        self.step.d.next.warp_done = (self.take.val() & !self.slow.val()) | self.first_warp_done.q.val();
        self.step.d.next.arrives = self.go.val() & self.entering.val().arrival;
        self.step.d.next.writes_row = self.go.val() & self.entering.val().to_row;
        self.step.d.next.reads = self.reads.val();
        self.step.d.next.writes_warp = self.first_write.q.val();
        self.step.d.next.exits = self.step.q.val().first_slot_exit;
        self.step.d.next.launches = self.step.q.val().first_slot_launch;
        self.step.d.next.releases = self.first_release.q.val();
        self.step.d.next.waiter = self.waits.val();
        self.step.d.next.named = (self.go.val() & (self.entering.val().arrival | self.entering.val().to_row))
            | (self.reads.val() & (self.request.val().state == StateWord::Barrier));
        self.step.d.next.scrub = self.entering.val().scrubs;
        self.step.d.next.clears_cta_entry = self.entering.val().scrubs & self.scrub.val().all;
        self.step.d.next.first_slot = self.take.val() & self.slow.val();
        self.step.d.next.first_slot_exit = self.go.val() & (self.request.val().kind == OpKind::Exit);
        self.step.d.next.first_slot_launch = self.go.val() & (self.request.val().kind == OpKind::Launch);
        self.op_q.d.next.follows_own = self.op.payload.val().op.warp == self.op_q.q.val().warp;
        self.op_q.d.next.row_id = self.row_id.val();
        self.op_q.d.next.saved = self.op.payload.val().saved;
        self.op_q.d.next.silent = self.scrub.val().silent;
        if !self.step.q.val().first_slot {
            self.op_q.d.next.code = self.request.val().fault;
            self.op_q.d.next.exempt = (self.request.val().fault == FaultCode::NotResident)
                | (self.request.val().kind == OpKind::Launch)
                | (self.request.val().kind == OpKind::Release);
            self.op_q.d.next.of_warp =
                (self.request.val().kind != OpKind::Launch) & (self.request.val().kind != OpKind::Release);
            self.op_q.d.next.state = self.request.val().state;
            self.op_q.d.next.warp = self.op.payload.val().op.warp;
            self.op_q.d.next.cta = self.cta.val();
            self.op_q.d.next.entry = self.entering.val().entry_slot;
            self.op_q.d.next.id = self.port_id.val();
        }
        self.first_write.d.next = self.go.val() & self.entering.val().to_warp;
        self.first_warp_done.d.next =
            (self.take.val() & self.entering.val().to_warp) | (self.go.val() & (self.request.val().kind == OpKind::Exit));
        self.first_release.d.next = self.go.val() & (self.request.val().kind == OpKind::Release);
        self.refused_release.d.next = self.take.val() & !self.go.val() & (self.request.val().kind == OpKind::Release);
        self.second_refused.d.next = self.refused_release.q.val();

        // The conditions that stop the stream.
        self.room.d.next = self.room_next.val();
        self.ready.d.next = self.room_next.val()
            & !self.scrub_next.val()
            & !(self.take.val() & self.slow.val())
            & !self.first_release.q.val()
            & !self.step.q.val().releases
            & !self.refused_release.q.val()
            & !self.second_refused.q.val();
        self.op.ready.next = self.ready.q.val();

        if self.reset.val() {
            self.room.d.next = true;
        }
    }
}
