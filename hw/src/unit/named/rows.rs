// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows: a RAM with one row for each CTA slot and barrier id, and the read-modify-write of one row a cycle.
//!
//! *Reads:* CTA slot and barrier id of the row to read; whether the operation in the lookup stage will write its row; the new row
//! of the operation in the commit stage, and whether that row is written. *Writes:* the row of the operation in the lookup stage;
//! the row addresses of the pipeline. *Latency:* 1. Implements the barrier state of spec 001 (`BARState`); the masks of the rows
//! are in [`masks`](super::masks).
//!
//! A row is written in the commit stage, where the write enable comes from registers and does not wait for the checks. So the rows
//! of the two preceding operations are not in the RAM yet when a row is read, and are forwarded.

use super::entering_payloads::{ReadPlace, RowAddresses};
use super::lookup_payloads::{Row, RowMatch, RowOperands};
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of `LI` bits, row addresses of `RA` bits,
/// sums of a reduction of `AW` bits.
#[block]
pub struct Rows<CW, LC, LI, RA, AW> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    pub place: Signal<In, ReadPlace<LC, LI>>,
    /// An Exit without a fault from upstream is in its first lookup cycle.
    pub first_slot_exit: Signal<In, Bit>,
    /// The operation in the lookup stage is a Write to Barrier without a fault from upstream.
    pub lookup_writes_word: Signal<In, Bit>,
    pub row_operands: Signal<In, RowOperands<CW, AW>>,
    /// The operation in the lookup stage will write its row.
    pub lookup_writes_row: Signal<In, Bit>,
    /// The operation in the commit stage writes its row.
    pub commit_writes_row: Signal<In, Bit>,
    /// The new row of the operation in the commit stage.
    pub commit_row: Signal<In, Row<CW, AW>>,
    pub lookup_row: Signal<Out, Row<CW, AW>>,
    pub row_match: Signal<Out, RowMatch>,
    pub addresses: Signal<Out, RowAddresses<RA>>,
    ram: Ram<Packed<Row<CW, AW>>, RA>,
    lookup_address: DFF<Bits<RA>>,
    commit_address: DFF<Bits<RA>>,
    /// The operation in the commit stage writes the row of the operation in the lookup stage: `commit_row` is forwarded.
    forward_commit: DFF<Bit>,
    /// The row of the operation in the lookup stage was written at the clock edge of the read: `commit_row` of the
    /// previous cycle is forwarded.
    forward_earlier: DFF<Bit>,
    /// `commit_row` of the previous cycle.
    earlier_row: DFF<Row<CW, AW>>,
    /// Row address of barrier id 0 of the CTA slot that is read.
    slot_address: Signal<Local, Bits<RA>>,
    /// Row address of the entering operation or clear step, from the barrier id that is available early.
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
impl Logic for Rows {
    fn update(&mut self) {
        self.slot_address.next = bit_cast::<RA, LC>(self.place.val().slot) << self.id_bits.val();
        self.lookup_address.d.next = self.slot_address.val() | bit_cast::<RA, LI>(self.place.val().read_row_id);
        self.commit_address.d.next = self.lookup_address.q.val();
        self.addresses.next.entering = self.lookup_address.d.val();
        self.addresses.next.lookup = self.lookup_address.q.val();
        self.addresses.next.commit = self.commit_address.q.val();
        // While the row of an Exit is addressed, that Exit is in the lookup stage and writes no row. An Exit does not need the
        // arrived mask either. So `matches_lookup` and `matches_commit` of `addresses` need not be valid for an Exit. The row
        // of the Exit may have to be forwarded from the commit stage, so its address is compared separately.
        self.compared_address.next = self.slot_address.val() | bit_cast::<RA, LI>(self.place.val().row_id_early);
        self.matches_lookup.next = self.compared_address.val() == self.lookup_address.q.val();
        self.addresses.next.matches_lookup = self.matches_lookup.val();
        self.matches_commit.next = self.compared_address.val() == self.commit_address.q.val();
        self.addresses.next.matches_commit = self.matches_commit.val();
        if self.first_slot_exit.val() {
            self.compared_address.next = self.slot_address.val() | bit_cast::<RA, LI>(self.place.val().exit_row_id);
            self.matches_commit.next = self.compared_address.val() == self.commit_address.q.val();
        }
        self.ram.write.next = self.commit_writes_row.val();
        self.forward_commit.d.next = self.matches_lookup.val() & self.lookup_writes_row.val();
        self.forward_earlier.d.next = self.matches_commit.val() & self.ram.write.val();
        self.earlier_row.d.next = self.commit_row.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.lookup_address.d.val();
        self.ram.write_address.next = self.commit_address.q.val();
        self.ram.write_value.next = self.commit_row.val().into();

        self.stored_row.next = self.ram.read_value.val().into();
        self.forwarded_row.next = self.earlier_row.q.val();
        if self.forward_commit.q.val() {
            self.forwarded_row.next = self.commit_row.val();
        }
        self.is_forwarded.next = self.forward_commit.q.val() | self.forward_earlier.q.val();
        self.lookup_row.next = self.stored_row.val();
        if self.is_forwarded.val() {
            self.lookup_row.next = self.forwarded_row.val();
        }
        // `adds_to_row` has a separate selection, one gate after the RAM, because it is on the longest path, to the next row.
        self.row_match.next.adds_to_row = self.stored_row.val().open;
        if self.is_forwarded.val() | self.lookup_writes_word.val() {
            self.row_match.next.adds_to_row = self.forwarded_row.val().open & !self.lookup_writes_word.val();
        }
        self.row_match.next.row_mismatch = (self.lookup_row.val().expected != self.row_operands.val().op_expected)
            | (self.lookup_row.val().reduction != self.row_operands.val().op_reduction);
    }
}
