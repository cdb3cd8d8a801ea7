// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters the pipeline: an operation of the stream, or a row whose turn it is to be cleared.
//!
//! *Reads:* the operation channel; the row to clear; for the second slot of an operation that
//! takes two, the id of its row; `room` and `clear_next` for the next cycle. *Writes:* in the same cycle the place to read (`slot`,
//! `place`); one cycle later the operation, `beat` being the first of the two cycles of one that takes two slots (latency 1). `op_ready` is
//! a register. Implements the operation channel and the slots of `docs/interface.md`.

use crate::payload::payload;
use crate::unit::op::{FaultCode, OpKind, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What an operation does in the cycle in which its row is there; all 0 does nothing.
#[payload]
pub struct Step {
    /// There is an operation, whatever is wrong with it.
    pub acts: Bit,
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
    /// No operation: a row's turn to be cleared; silently; with its CTA's entry.
    pub turn: Bit,
    pub silent: Bit,
    pub whole: Bit,
}

/// Warps of `LW` bits, slots of `LC` bits, ids of `LI` bits.
#[block]
pub struct Enter<LW, LC, LI> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// State words are built.
    pub words: Signal<In, Bit>,
    pub op_valid: Signal<In, Bit>,
    pub op_ready: Signal<Out, Bit>,
    pub op_kind: Signal<In, OpKind>,
    pub op_fault: Signal<In, FaultCode>,
    pub op_warp: Signal<In, Bits<LW>>,
    pub op_cta: Signal<In, Bits<LC>>,
    pub op_id: Signal<In, Bits<4>>,
    pub op_state: Signal<In, StateWord>,
    pub op_saved: Signal<In, Bit>,
    pub clear_active: Signal<In, Bit>,
    pub clear_slot: Signal<In, Bits<LC>>,
    pub clear_id: Signal<In, Bits<LI>>,
    pub clear_silent: Signal<In, Bit>,
    pub clear_all: Signal<In, Bit>,
    pub clear_next: Signal<In, Bit>,
    /// The id of the row of an exit that is in its first slot, and of a Write to Warp.
    pub stored: Signal<In, Bit>,
    pub stored_id: Signal<In, Bits<LI>>,
    pub recent_id: Signal<In, Bits<LI>>,
    pub word_id: Signal<In, Bits<4>>,
    pub room_next: Signal<In, Bit>,

    // In the same cycle.
    pub slot: Signal<Out, Bits<LC>>,
    pub place: Signal<Out, Bits<LI>>,
    /// The same unless it is the row of an exit.
    pub other: Signal<Out, Bits<LI>>,
    /// Of what enters from outside alone, for what is read but once.
    pub entry: Signal<Out, Bits<LC>>,
    /// A row has its turn.
    pub step: Signal<Out, Bit>,
    /// Something enters, or an operation goes from its first slot to its second.
    pub comes: Signal<Out, Bit>,
    /// The warp of the operation is shown as waiting.
    pub waits: Signal<Out, Bit>,
    /// A release without fault is in one of the cycles in which nobody knows whether it finds open rows.
    pub released: Signal<Out, Bit>,

    // One cycle inside.
    /// The operation inside is in the first of its two slots.
    pub beat: Signal<Out, Bit>,
    /// It is an exit, a launch without fault.
    pub beat_exit: Signal<Out, Bit>,
    pub beat_launch: Signal<Out, Bit>,
    pub doing: Signal<Out, Step>,
    /// Its fault from upstream.
    pub code: Signal<Out, FaultCode>,
    /// No fault policy applies to it.
    pub exempt: Signal<Out, Bit>,
    pub state: Signal<Out, StateWord>,
    pub warp: Signal<Out, Bits<LW>>,
    pub cta: Signal<Out, Bits<LC>>,
    /// The id for a fault, and that of the row it looks at.
    pub id: Signal<Out, Bits<4>>,
    pub row: Signal<Out, Bits<4>>,
    pub saved: Signal<Out, Bit>,
    ready: DFF<Bit>,
    room: DFF<Bit>,
    reg_beat: DFF<Bit>,
    first_exit: DFF<Bit>,
    first_write: DFF<Bit>,
    first_launch: DFF<Bit>,
    first_release: DFF<Bit>,
    refused_release: DFF<Bit>,
    second_refused: DFF<Bit>,
    reg_doing: DFF<Step>,
    reg_code: DFF<FaultCode>,
    reg_exempt: DFF<Bit>,
    reg_state: DFF<StateWord>,
    reg_warp: DFF<Bits<LW>>,
    reg_cta: DFF<Bits<LC>>,
    reg_id: DFF<Bits<4>>,
    reg_row: DFF<Bits<4>>,
    reg_saved: DFF<Bit>,
    take: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    to_row: Signal<Local, Bit>,
    to_warp: Signal<Local, Bit>,
    slow: Signal<Local, Bit>,
    stepping: Signal<Local, Bit>,
    near: Signal<Local, Bits<4>>,
    far: Signal<Local, Bits<4>>,
    row_id: Signal<Local, Bits<4>>,
}

#[block]
impl Logic for Enter<LW, LC, LI> {
    #[hdl_gen]
    fn update(&mut self) {
        // What is taken.
        self.take.next = self.op_valid.val() & self.ready.q.val();
        self.go.next = self.take.val() & (self.op_fault.val() == FaultCode::None);
        self.waits.next = (self.op_kind.val() == OpKind::Sync) | (self.op_kind.val() == OpKind::Reduce);
        self.arrival.next = self.waits.val() | (self.op_kind.val() == OpKind::Arrive);
        self.waits.next = self.waits.val() & self.go.val();
        self.to_row.next =
            self.words.val() & (self.op_kind.val() == OpKind::Write) & (self.op_state.val() == StateWord::Barrier);
        self.to_warp.next = self.words.val() & (self.op_kind.val() == OpKind::Write) & (self.op_state.val() == StateWord::Warp);
        self.slow.next = self.to_warp.val()
            | (self.op_kind.val() == OpKind::Exit)
            | (self.op_kind.val() == OpKind::Launch)
            | (self.op_kind.val() == OpKind::Release);
        self.stepping.next = self.clear_active.val() & self.room.q.val();
        self.step.next = self.stepping.val();

        // Where it looks.
        self.near.next = self.op_id.val();
        self.entry.next = self.op_cta.val();
        if self.clear_active.val() {
            self.near.next = bit_cast::<4, LI>(self.clear_id.val());
            self.entry.next = self.clear_slot.val();
        }
        self.far.next = self.near.val();
        self.slot.next = self.entry.val();
        if self.reg_beat.q.val() {
            self.far.next = self.word_id.val();
            self.slot.next = self.reg_cta.q.val();
        }
        self.other.next = bit_cast::<LI, 4>(self.far.val());
        self.row_id.next = self.far.val();
        if self.first_exit.q.val() {
            self.row_id.next = bit_cast::<4, LI>(self.recent_id.val());
        }
        if self.first_exit.q.val() & self.stored.val() {
            self.row_id.next = bit_cast::<4, LI>(self.stored_id.val());
        }
        self.place.next = bit_cast::<LI, 4>(self.row_id.val());
        self.reg_row.d.next = self.row_id.val();

        // What it does, and those that take two slots: what they do in the second.
        self.reg_doing.d.next.acts = (self.take.val() & !self.slow.val()) | self.reg_beat.q.val();
        self.reg_doing.d.next.arrives = self.go.val() & self.arrival.val();
        self.reg_doing.d.next.writes_row = self.go.val() & self.to_row.val();
        self.reg_doing.d.next.reads = self.words.val() & self.go.val() & (self.op_kind.val() == OpKind::Read);
        self.reg_doing.d.next.writes_warp = self.first_write.q.val();
        self.reg_doing.d.next.exits = self.first_exit.q.val();
        self.reg_doing.d.next.launches = self.first_launch.q.val();
        self.reg_doing.d.next.releases = self.first_release.q.val();
        self.reg_doing.d.next.waiter = self.waits.val();
        self.reg_doing.d.next.named = self.go.val()
            & (self.arrival.val()
                | self.to_row.val()
                | (self.words.val() & (self.op_kind.val() == OpKind::Read) & (self.op_state.val() == StateWord::Barrier)));
        self.reg_doing.d.next.turn = self.stepping.val();
        self.reg_doing.d.next.silent = self.clear_silent.val();
        self.reg_doing.d.next.whole = self.stepping.val() & self.clear_all.val();
        self.reg_beat.d.next = self.take.val() & self.slow.val();
        self.first_exit.d.next = self.go.val() & (self.op_kind.val() == OpKind::Exit);
        self.first_write.d.next = self.go.val() & self.to_warp.val();
        self.first_launch.d.next = self.go.val() & (self.op_kind.val() == OpKind::Launch);
        self.first_release.d.next = self.go.val() & (self.op_kind.val() == OpKind::Release);
        self.refused_release.d.next = self.take.val() & !self.go.val() & (self.op_kind.val() == OpKind::Release);
        self.second_refused.d.next = self.refused_release.q.val();
        if !self.reg_beat.q.val() {
            self.reg_code.d.next = self.op_fault.val();
            self.reg_exempt.d.next = (self.op_fault.val() == FaultCode::NotResident)
                | (self.op_kind.val() == OpKind::Launch)
                | (self.op_kind.val() == OpKind::Release);
            self.reg_state.d.next = self.op_state.val();
            self.reg_warp.d.next = self.op_warp.val();
            self.reg_cta.d.next = self.entry.val();
            self.reg_id.d.next = self.near.val();
        }
        self.reg_saved.d.next = self.op_saved.val();

        // What stops the stream.
        self.comes.next = self.take.val() | self.stepping.val() | self.reg_beat.q.val();
        self.released.next = (self.go.val() & (self.op_kind.val() == OpKind::Release))
            | self.first_release.q.val()
            | self.reg_doing.q.val().releases;
        self.room.d.next = self.room_next.val();
        self.ready.d.next = self.room_next.val()
            & !self.clear_next.val()
            & !(self.take.val() & self.slow.val())
            & !self.first_release.q.val()
            & !self.reg_doing.q.val().releases
            & !self.refused_release.q.val()
            & !self.second_refused.q.val();

        if self.reset.val() {
            self.ready.d.next = false;
            self.room.d.next = true;
            self.reg_beat.d.next = false;
            self.first_exit.d.next = false;
            self.first_write.d.next = false;
            self.first_launch.d.next = false;
            self.first_release.d.next = false;
            self.refused_release.d.next = false;
            self.second_refused.d.next = false;
            self.reg_doing.d.next.acts = false;
            self.reg_doing.d.next.arrives = false;
            self.reg_doing.d.next.writes_row = false;
            self.reg_doing.d.next.reads = false;
            self.reg_doing.d.next.writes_warp = false;
            self.reg_doing.d.next.exits = false;
            self.reg_doing.d.next.launches = false;
            self.reg_doing.d.next.releases = false;
            self.reg_doing.d.next.waiter = false;
            self.reg_doing.d.next.named = false;
            self.reg_doing.d.next.turn = false;
            self.reg_doing.d.next.whole = false;
            self.waits.next = false;
        }
        self.op_ready.next = self.ready.q.val();
        self.beat.next = self.reg_beat.q.val();
        self.beat_exit.next = self.first_exit.q.val();
        self.beat_launch.next = self.first_launch.q.val();
        self.doing.next = self.reg_doing.q.val();
        self.code.next = self.reg_code.q.val();
        self.exempt.next = self.reg_exempt.q.val();
        self.state.next = self.reg_state.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.cta.next = self.reg_cta.q.val();
        self.id.next = self.reg_id.q.val();
        self.row.next = self.reg_row.q.val();
        self.saved.next = self.reg_saved.q.val();
    }
}
