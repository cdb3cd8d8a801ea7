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
use super::lookup_op::{Numbers, Row, RowMatch};
use crate::prelude::*;

/// Row addresses (CTA slot, id) in the pipeline.
#[payload]
pub struct RowAddresses<RA> {
    /// Of the entering operation or clear step.
    pub entering: Bits<RA>,
    /// Of the operation in the lookup stage.
    pub lookup: Bits<RA>,
    /// Of the operation in the commit stage.
    pub commit: Bits<RA>,
    /// The entering operation or clear step has the address of the lookup stage; does not hold for an Exit.
    pub matches_lookup: Bit,
    /// The entering operation or clear step has the address of the commit stage; does not hold for an Exit.
    pub matches_commit: Bit,
}

#[block]
pub struct Rows<W, LW, CW, LC, LI, RA, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub numbers: Signal<In, Numbers<CW, AW>>,
    /// The operation in the lookup stage will write its row.
    pub lookup_writes_row: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub row: Signal<Out, Row<CW, AW>>,
    pub row_match: Signal<Out, RowMatch>,
    pub addresses: Signal<Out, RowAddresses<RA>>,
    ram: Ram<Packed<Row<CW, AW>>, RA>,
    lookup_address: DFF<Bits<RA>>,
    commit_address: DFF<Bits<RA>>,
    /// The operation directly before, now in the commit stage, writes this row, which is forwarded.
    forward_commit: DFF<Bit>,
    /// The operation two before wrote this row while it was read: `earlier_row` is forwarded.
    forward_earlier: DFF<Bit>,
    /// The row that the operation two before wrote.
    earlier_row: DFF<Row<CW, AW>>,
    /// Row address of id 0 of the CTA slot.
    slot_address: Signal<Local, Bits<RA>>,
    /// Row address of the entering operation or clear step.
    compared_address: Signal<Local, Bits<RA>>,
    /// The entering operation or clear step has the address of the lookup stage.
    matches_lookup: Signal<Local, Bit>,
    /// The entering operation or clear step has the address of the commit stage.
    matches_commit: Signal<Local, Bit>,
    /// A row is forwarded.
    is_forwarded: Signal<Local, Bit>,
    /// The row at the RAM output.
    stored_row: Signal<Local, Row<CW, AW>>,
    /// The row that is forwarded.
    forwarded_row: Signal<Local, Row<CW, AW>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Rows<W, LW, CW, LC, LI, RA, AW> {
    fn update(&mut self) {
        self.slot_address.next = bit_cast::<RA, LC>(self.front.val().entering.slot) << self.id_bits.val();
        self.lookup_address.d.next = self.slot_address.val() | bit_cast::<RA, LI>(self.front.val().entering.read_row_id);
        self.commit_address.d.next = self.lookup_address.q.val();
        self.addresses.next.entering = self.lookup_address.d.val();
        self.addresses.next.lookup = self.lookup_address.q.val();
        self.addresses.next.commit = self.commit_address.q.val();
        // The lookup stage holds an Exit while the row of that Exit is addressed, and writes nothing then; nor does an Exit need the
        // arrived mask. So `matches_lookup` and `matches_commit` need not hold for an Exit; only its numbers are forwarded.
        self.compared_address.next = self.slot_address.val() | bit_cast::<RA, LI>(self.front.val().entering.row_id_early);
        self.matches_lookup.next = self.compared_address.val() == self.lookup_address.q.val();
        self.addresses.next.matches_lookup = self.matches_lookup.val();
        self.matches_commit.next = self.compared_address.val() == self.commit_address.q.val();
        self.addresses.next.matches_commit = self.matches_commit.val();
        if self.front.val().actions.first_slot_exit {
            self.compared_address.next = self.slot_address.val() | bit_cast::<RA, LI>(self.front.val().entering.exit_row_id);
            self.matches_commit.next = self.compared_address.val() == self.commit_address.q.val();
        }
        self.ram.write.next =
            self.ctrl.val().checked.changes_row | self.ctrl.val().actions.exits | self.ctrl.val().actions.is_scrub;
        self.forward_commit.d.next = self.matches_lookup.val() & self.lookup_writes_row.val();
        self.forward_earlier.d.next = self.matches_commit.val() & self.ram.write.val();
        self.earlier_row.d.next = self.ctrl.val().row;
        self.ram.read.next = true;
        self.ram.read_address.next = self.lookup_address.d.val();
        self.ram.write_address.next = self.commit_address.q.val();
        self.ram.write_value.next = self.ctrl.val().row.into();

        self.stored_row.next = self.ram.read_value.val().into();
        self.forwarded_row.next = self.earlier_row.q.val();
        if self.forward_commit.q.val() {
            self.forwarded_row.next = self.ctrl.val().row;
        }
        self.is_forwarded.next = self.forward_commit.q.val() | self.forward_earlier.q.val();
        self.row.next = self.stored_row.val();
        if self.is_forwarded.val() {
            self.row.next = self.forwarded_row.val();
        }
        // A gate directly after the RAM, because the next row waits for it.
        self.row_match.next.adds_to_row = self.stored_row.val().open;
        if self.is_forwarded.val() | self.front.val().actions.writes_row {
            self.row_match.next.adds_to_row = self.forwarded_row.val().open & !self.front.val().actions.writes_row;
        }
        self.row_match.next.row_mismatch = (self.row.val().expected != self.numbers.val().op_expected)
            | (self.row.val().reduction != self.numbers.val().op_reduction);
    }
}
