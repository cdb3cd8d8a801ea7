// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters the pipeline: an operation of the stream, or a row whose turn it is to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; for the second slot of an operation that takes two, the id of its row; for the next
//! cycle whether there is room and whether rows are cleared. *Writes:* in the same cycle what enters and where it looks; one cycle later the
//! operation, `first_slot` being the first of the two cycles of one that takes two slots (latency 1). `op_ready` is a register. An operation of a
//! CTA slot that is not built is taken as one of a warp that is not resident, so that it reads no row that was never cleared. Implements the
//! operation channel and the slots of `docs/interface.md`.

use super::Parts;
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// What enters, in the cycle in which it does.
#[payload]
pub struct Entering<LC, LI> {
    /// The operation at the port is a Sync, Arrive or Reduce; a Write to Barrier; to Warp.
    pub arrival: Bit,
    pub to_row: Bit,
    pub to_warp: Bit,
    /// Something enters, or an operation goes from its first slot to its second.
    pub comes: Bit,
    /// A row has its turn.
    pub scrubs: Bit,
    /// The warp of the operation is shown as waiting: it arrives and waits, or a state word lets it wait again.
    pub will_wait: Bit,
    /// A release without fault is in one of the cycles in which nobody knows whether it finds open rows.
    pub releasing: Bit,
    /// It is a row's turn after a reset, if it is a row's turn.
    pub blank: Bit,
    /// The row that is read; its id unless it is the row of an exit; its id if it is, which comes late.
    pub slot: Bits<LC>,
    pub place: Bits<LI>,
    pub other: Bits<LI>,
    pub late: Bits<LI>,
    /// The slot of what enters from outside alone, for what is read but once.
    pub entry_slot: Bits<LC>,
}

/// The operation one cycle inside: what it does in the cycle in which its row is there; all 0 does nothing.
#[payload]
pub struct Step {
    /// There is an operation, whatever is wrong with it.
    pub acts: Bit,
    /// It is one of a warp, and no exit that was refused before.
    pub settles: Bit,
    /// Sync, Arrive, Reduce; Write to Barrier; Read: without a fault from upstream.
    pub arrives: Bit,
    pub writes_row: Bit,
    pub reads: Bit,
    /// Those that took two slots, likewise.
    pub writes_warp: Bit,
    pub exits: Bit,
    pub launches: Bit,
    pub releases: Bit,
    /// Its warp is shown as waiting: Sync or Reduce without a fault from upstream.
    pub waiter: Bit,
    /// Its id must be declared.
    pub named: Bit,
    /// No operation: a row's turn to be cleared; with its CTA's entry.
    pub scrub: Bit,
    pub whole: Bit,
    /// It is in the first of its two slots; an exit, a launch without fault.
    pub first_slot: Bit,
    pub first_slot_exit: Bit,
    pub first_slot_launch: Bit,
}

/// The operation one cycle inside: what stays of it.
#[payload]
pub struct Op<LW, LC> {
    /// Its warp is that of the operation just before.
    pub follows_own: Bit,
    /// What is wrong with it; no fault policy applies to it.
    pub code: FaultCode,
    pub exempt: Bit,
    /// It is a warp's.
    pub of_warp: Bit,
    pub state: StateWord,
    pub warp: Bits<LW>,
    /// Its CTA slot for a fault, and for all else, which only looks at those that are built.
    pub cta: Bits<LC>,
    pub entry: Bits<LC>,
    /// The id for a fault, and that of the row it looks at.
    pub id: Bits<4>,
    pub row_id: Bits<4>,
    /// A release is of a CTA that was saved; a row's turn is silent.
    pub saved: Bit,
    pub silent: Bit,
}

/// What enters, and what is one cycle inside.
#[payload]
pub struct Front<LW, LC, LI> {
    pub parts: Parts,
    pub entering: Entering<LC, LI>,
    pub step: Step,
    pub op: Op<LW, LC>,
}

#[block]
pub struct InputStage<W, LW, CW, LC, LI, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// The row to be cleared; there is one in the next cycle.
    pub scrub: Signal<In, Scrub<LC, LI>>,
    pub scrub_next: Signal<In, Bit>,
    /// The id of the row of an exit that is in its first slot, and of a Write to Warp.
    pub last_id: Signal<In, Bits<LI>>,
    pub word_id: Signal<In, Bits<4>>,
    pub room_next: Signal<In, Bit>,
    pub front: Signal<Out, Front<LW, LC, LI>>,
    #[reset]
    ready: DFF<Bit>,
    room: DFF<Bit>,
    #[reset]
    step: DFF<Step>,
    op_q: DFF<Op<LW, LC>>,
    #[reset]
    first_write: DFF<Bit>,
    #[reset]
    first_settles: DFF<Bit>,
    #[reset]
    first_release: DFF<Bit>,
    #[reset]
    refused_release: DFF<Bit>,
    #[reset]
    second_refused: DFF<Bit>,
    request: Signal<Local, Request<LC>>,
    take: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    slow: Signal<Local, Bit>,
    cta: Signal<Local, Bits<LC>>,
    near: Signal<Local, Bits<4>>,
    far: Signal<Local, Bits<4>>,
    row_id: Signal<Local, Bits<4>>,
    entering: Signal<Local, Entering<LC, LI>>,
    /// Whether a slot number can be one that is not built: as many comparisons.
    #[init(usize::from(config.cta_slots < 1 << LC))]
    _spare: usize,
    /// Whether but one slot is built.
    #[init(usize::from(config.cta_slots == 1))]
    _single: usize,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_slot: Constant<Bits<LC>>,
}

#[block]
impl Logic for InputStage<W, LW, CW, LC, LI, VW> {
    fn update(&mut self) {
        // What is taken.
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

        // Where it looks.
        self.near.next = self.request.val().id;
        self.entering.next.entry_slot = self.request.val().cta;
        if self.scrub.val().active {
            self.near.next = bit_cast::<4, LI>(self.scrub.val().id);
            self.entering.next.entry_slot = self.scrub.val().slot;
        }
        self.cta.next = self.entering.val().entry_slot;
        for _n in 0..self._single {
            self.entering.next.entry_slot = 0.into();
        }
        self.far.next = self.near.val();
        self.entering.next.slot = self.entering.val().entry_slot;
        if self.step.q.val().first_slot & self.parts.val().state_words {
            self.far.next = self.word_id.val();
        }
        if self.step.q.val().first_slot {
            self.entering.next.slot = self.op_q.q.val().entry;
        }
        self.entering.next.other = bit_cast::<LI, 4>(self.far.val());
        self.row_id.next = self.far.val();
        if self.step.q.val().first_slot_exit {
            self.row_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        self.entering.next.late = self.last_id.val();
        self.entering.next.place = bit_cast::<LI, 4>(self.row_id.val());

        // What it does, and those that take two slots: what they do in the second.
        self.entering.next.blank = self.scrub.val().all;
        self.front.next.parts = self.parts.val();
        self.front.next.entering = self.entering.val();
        self.front.next.step = self.step.q.val();
        self.front.next.op = self.op_q.q.val();
        self.step.d.next.acts = (self.take.val() & !self.slow.val()) | self.step.q.val().first_slot;
        self.step.d.next.settles = (self.take.val() & !self.slow.val()) | self.first_settles.q.val();
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
        self.step.d.next.whole = self.entering.val().scrubs & self.scrub.val().all;
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
            self.op_q.d.next.id = self.near.val();
        }
        self.first_write.d.next = self.go.val() & self.entering.val().to_warp;
        self.first_settles.d.next =
            (self.take.val() & self.entering.val().to_warp) | (self.go.val() & (self.request.val().kind == OpKind::Exit));
        self.first_release.d.next = self.go.val() & (self.request.val().kind == OpKind::Release);
        self.refused_release.d.next = self.take.val() & !self.go.val() & (self.request.val().kind == OpKind::Release);
        self.second_refused.d.next = self.refused_release.q.val();

        // What stops the stream.
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
