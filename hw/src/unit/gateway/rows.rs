// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barriers: one row per (CTA slot, id), read-modify-write at one operation a cycle.
//!
//! *Reads:* the row address of the entering operation or row; for the operation in cycle e its new row, and whether that row
//! is written. *Writes:* the row of the operation one cycle after entry. *Latency:* 1. Implements the state of a row of
//! `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.
//!
//! A row is written in cycle e of its operation. So the rows of the two preceding operations are not in the memory yet when
//! a row is read, and are forwarded.

use super::payloads::Row;
use crate::prelude::*;

/// `W` warps, counts of warps of `CW` bits, row addresses of `RA` bits.
#[block]
pub struct Rows<W, CW, RA> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// Row address of the entering operation or row.
    pub entering_address: Signal<In, Bits<RA>>,
    /// The row of the operation in cycle e is written.
    pub writes: Signal<In, Bit>,
    /// Row of the operation in cycle e, after the operation.
    pub commit_row: Signal<In, Row<W, CW>>,
    /// Row of the operation one cycle after entry.
    pub lookup_row: Signal<Out, Row<W, CW>>,
    /// One word per row.
    ram: Ram<Packed<Row<W, CW>>, RA>,
    /// Row address of the operation one cycle after entry.
    lookup_address: DFF<Bits<RA>>,
    /// Address of the row of the operation in cycle e.
    commit_address: DFF<Bits<RA>>,
    /// The operation one cycle after entry and the operation in cycle e use one row.
    same_as_commit: DFF<Bit>,
    /// The row of the operation one cycle after entry was written in the cycle before.
    same_as_written: DFF<Bit>,
    /// `commit_row` of the cycle before.
    written_row: DFF<Row<W, CW>>,
}

#[block]
impl Logic for Rows {
    fn update(&mut self) {
        self.lookup_address.d.next = self.entering_address.val();
        self.commit_address.d.next = self.lookup_address.q.val();
        self.same_as_commit.d.next = self.entering_address.val() == self.lookup_address.q.val();
        self.same_as_written.d.next = self.writes.val() & (self.entering_address.val() == self.commit_address.q.val());
        self.written_row.d.next = self.commit_row.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.entering_address.val();
        self.ram.write.next = self.writes.val();
        self.ram.write_address.next = self.commit_address.q.val();
        self.ram.write_value.next = self.commit_row.val().into();

        self.lookup_row.next = self.ram.read_value.val().into();
        if self.same_as_written.q.val() {
            self.lookup_row.next = self.written_row.q.val();
        }
        if self.same_as_commit.q.val() & self.writes.val() {
            self.lookup_row.next = self.commit_row.val();
        }
    }
}
