// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The counter RAM: the numbers of one row per (CTA slot, barrier id), read-modify-write at one operation a cycle.
//!
//! *Reads:* slot and id of what enters; whether the operation inside will write its row; the row that the operation in its last cycle
//! makes, and whether that is written. *Writes:* the row of the operation that is one cycle inside; which rows those of the pipeline are.
//! *Latency:* 1. Implements the barrier state of spec 001 ("BARState"); its masks are in [`masks`](super::masks).
//!
//! A row is written in the last cycle of its operation, when it has long been known whether it is, so that no write enable waits for
//! that. Two rows are forwarded: of the operation just before, and of the one before that.

use super::{commit_stage::Ctrl, input_stage::Front, operands::Numbers};
use crate::prelude::*;

/// A row. Where it is not open all else is left over, and counts for nothing.
#[payload]
pub struct Row<CW, AW> {
    pub open: Bit,
    /// A warp waits.
    pub awaited: Bit,
    /// A count was given.
    pub with_count: Bit,
    /// Sum of the contributions; AND is kept as what speaks against it.
    pub sum: Bits<AW>,
    pub reduction: Reduction,
    /// Warps expected, and arrived.
    pub expected: Bits<CW>,
    pub count: Bits<CW>,
}

/// How the row of the operation inside was found.
#[payload]
pub struct Look {
    /// It is open and the operation inside goes on from it.
    pub adds: Bit,
    /// It expects another count or has another reduction than the operation.
    pub differs: Bit,
}

/// The row of what enters, of the operation inside, of the one in its last cycle; whether the first is the second, or the last. Not for an
/// exit.
#[payload]
pub struct At<RA> {
    pub next_at: Bits<RA>,
    pub at: Bits<RA>,
    pub last_at: Bits<RA>,
    pub same: Bit,
    pub same_last: Bit,
}

#[block]
pub struct Rows<W, LW, CW, LC, LI, RA, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub numbers: Signal<In, Numbers<CW, AW>>,
    /// The operation inside will write its row.
    pub writes: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub row: Signal<Out, Row<CW, AW>>,
    pub look: Signal<Out, Look>,
    pub at: Signal<Out, At<RA>>,
    ram: Ram<Packed<Row<CW, AW>>, RA>,
    now_at: DFF<Bits<RA>>,
    last_at: DFF<Bits<RA>>,
    /// The row was written by the operation just before; by the one before that, and what that made of it.
    first: DFF<Bit>,
    second: DFF<Bit>,
    second_row: DFF<Row<CW, AW>>,
    slot: Signal<Local, Bits<RA>>,
    guess: Signal<Local, Bits<RA>>,
    same: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    read: Signal<Local, Row<CW, AW>>,
    kept: Signal<Local, Row<CW, AW>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Rows<W, LW, CW, LC, LI, RA, AW> {
    fn update(&mut self) {
        self.slot.next = bit_cast::<RA, LC>(self.front.val().entering.slot) << self.id_bits.val();
        self.now_at.d.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.place);
        self.last_at.d.next = self.now_at.q.val();
        self.at.next.next_at = self.now_at.d.val();
        self.at.next.at = self.now_at.q.val();
        self.at.next.last_at = self.last_at.q.val();
        // For an exit nothing is inside but itself, and of the row only the numbers count.
        self.guess.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.other);
        self.same.next = self.guess.val() == self.now_at.q.val();
        self.at.next.same = self.same.val();
        self.behind.next = self.guess.val() == self.last_at.q.val();
        self.at.next.same_last = self.behind.val();
        if self.front.val().step.first_slot_exit {
            self.guess.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.late);
            self.behind.next = self.guess.val() == self.last_at.q.val();
        }
        self.ram.write.next = self.ctrl.val().checked.changes | self.ctrl.val().step.exits | self.ctrl.val().step.scrub;
        self.first.d.next = self.same.val() & self.writes.val();
        self.second.d.next = self.behind.val() & self.ram.write.val();
        self.second_row.d.next = self.ctrl.val().row;
        self.ram.read.next = true;
        self.ram.read_address.next = self.now_at.d.val();
        self.ram.write_address.next = self.last_at.q.val();
        self.ram.write_value.next = self.ctrl.val().row.into();

        self.read.next = self.ram.read_value.val().into();
        self.kept.next = self.second_row.q.val();
        if self.first.q.val() {
            self.kept.next = self.ctrl.val().row;
        }
        self.hit.next = self.first.q.val() | self.second.q.val();
        self.row.next = self.read.val();
        if self.hit.val() {
            self.row.next = self.kept.val();
        }
        // As a gate behind the memory, since the numbers of the row wait for it.
        self.look.next.adds = self.read.val().open;
        if self.hit.val() | self.front.val().step.writes_row {
            self.look.next.adds = self.kept.val().open & !self.front.val().step.writes_row;
        }
        self.look.next.differs = (self.row.val().expected != self.numbers.val().wanted)
            | (self.row.val().reduction != self.numbers.val().wanted_reduction);
    }
}
