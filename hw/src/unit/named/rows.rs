// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The counter RAM: the numbers of one row per (CTA slot, barrier id), read-modify-write at one operation a cycle.
//!
//! *Reads:* slot and id of the entering operation or clear step; whether the operation in the lookup stage will write its row; the
//! new row of the operation in the commit stage, and whether it is written. *Writes:* the row of the operation in the lookup stage;
//! the row addresses of the pipeline. *Latency:* 1. Implements the barrier state of spec 001 ("BARState"); the masks of the rows
//! are in [`masks`](super::masks).
//!
//! A row is written in the commit stage, where registers hold the write enable, so the enable does not wait for the checks.
//! The rows of the two operations directly before are forwarded.

use super::ctrl::Ctrl;
use super::front::Front;
use super::inside::{Look, Numbers, Row};
use crate::prelude::*;

/// Row addresses (CTA slot, id) in the pipeline.
#[payload]
pub struct At<RA> {
    /// Of the entering operation or clear step.
    pub next_at: Bits<RA>,
    /// Of the operation in the lookup stage.
    pub at: Bits<RA>,
    /// Of the operation in the commit stage.
    pub last_at: Bits<RA>,
    /// The entering operation or clear step has the address of the lookup stage; does not hold for an Exit.
    pub same: Bit,
    /// The entering operation or clear step has the address of the commit stage; does not hold for an Exit.
    pub same_last: Bit,
}

#[block]
pub struct Rows<W, LW, CW, LC, LI, RA, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub numbers: Signal<In, Numbers<CW, AW>>,
    /// The operation in the lookup stage will write its row.
    pub writes: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub row: Signal<Out, Row<CW, AW>>,
    pub look: Signal<Out, Look>,
    pub at: Signal<Out, At<RA>>,
    ram: Ram<Packed<Row<CW, AW>>, RA>,
    now_at: DFF<Bits<RA>>,
    last_at: DFF<Bits<RA>>,
    /// The operation directly before, now in the commit stage, writes this row, which is forwarded.
    first: DFF<Bit>,
    /// The operation two before wrote this row while it was read: `second_row` is forwarded.
    second: DFF<Bit>,
    /// The row that the operation two before wrote.
    second_row: DFF<Row<CW, AW>>,
    /// Row address of id 0 of the CTA slot.
    slot: Signal<Local, Bits<RA>>,
    /// Row address of the entering operation or clear step.
    guess: Signal<Local, Bits<RA>>,
    /// The entering operation or clear step has the address of the lookup stage.
    same: Signal<Local, Bit>,
    /// The entering operation or clear step has the address of the commit stage.
    behind: Signal<Local, Bit>,
    /// A row is forwarded.
    hit: Signal<Local, Bit>,
    /// The row at the RAM output.
    read: Signal<Local, Row<CW, AW>>,
    /// The row that is forwarded.
    kept: Signal<Local, Row<CW, AW>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Rows<W, LW, CW, LC, LI, RA, AW> {
    fn update(&mut self) {
        self.slot.next = bit_cast::<RA, LC>(self.front.val().entering.slot) << self.id_bits.val();
        self.now_at.d.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.read_row_id);
        self.last_at.d.next = self.now_at.q.val();
        self.at.next.next_at = self.now_at.d.val();
        self.at.next.at = self.now_at.q.val();
        self.at.next.last_at = self.last_at.q.val();
        // The lookup stage holds an Exit while the row of that Exit is addressed, and writes nothing then; nor does an Exit need the
        // arrived mask. So `same` and `same_last` need not hold for an Exit; only its numbers are forwarded.
        self.guess.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.row_id_early);
        self.same.next = self.guess.val() == self.now_at.q.val();
        self.at.next.same = self.same.val();
        self.behind.next = self.guess.val() == self.last_at.q.val();
        self.at.next.same_last = self.behind.val();
        if self.front.val().step.first_slot_exit {
            self.guess.next = self.slot.val() | bit_cast::<RA, LI>(self.front.val().entering.exit_row_id);
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
        // A gate directly after the RAM, because the next row waits for it.
        self.look.next.adds = self.read.val().open;
        if self.hit.val() | self.front.val().step.writes_row {
            self.look.next.adds = self.kept.val().open & !self.front.val().step.writes_row;
        }
        self.look.next.differs = (self.row.val().expected != self.numbers.val().wanted)
            | (self.row.val().reduction != self.numbers.val().wanted_reduction);
    }
}
