// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barriers: one row per (CTA slot, id), read-modify-write at one operation a cycle.
//!
//! *Reads:* the row that what enters looks at; the row that the operation in its last cycle makes, and whether it is written. *Writes:* the row of the
//! operation that is one cycle inside. *Latency:* 1. Implements the state of a row of `docs/gateway.md`.
//!
//! A row is written in the last cycle of its operation. Two rows are forwarded: of the operation just before, and of the one before that.

use crate::prelude::*;

/// A row. Where it is not open the numbers and the two masks of signals are 0.
#[payload]
pub struct Row<W, CW> {
    pub open: Bit,
    /// Producers and consumers that take part, and that have signalled.
    pub producers_expected: Bits<CW>,
    pub consumers_expected: Bits<CW>,
    pub producers_come: Bits<CW>,
    pub consumers_come: Bits<CW>,
    /// Warps that have signalled.
    pub producers: Bits<W>,
    pub consumers: Bits<W>,
    /// Of a consumer that has signalled: it waits; of another warp: it is notified.
    pub marked: Bits<W>,
}

#[block]
pub struct Rows<W, CW, RA> {
    pub clock: Signal<In, Clock>,
    pub enters: Signal<In, Bits<RA>>,
    pub writes: Signal<In, Bit>,
    pub made: Signal<In, Row<W, CW>>,
    pub row: Signal<Out, Row<W, CW>>,
    ram: Ram<Packed<Row<W, CW>>, RA>,
    inside_at: DFF<Bits<RA>>,
    last_at: DFF<Bits<RA>>,
    /// The row is that of the operation just before; of the one before that, which wrote it.
    same: DFF<Bit>,
    behind: DFF<Bit>,
    row_q: DFF<Row<W, CW>>,
}

#[block]
impl Logic for Rows<W, CW, RA> {
    fn update(&mut self) {
        self.inside_at.d.next = self.enters.val();
        self.last_at.d.next = self.inside_at.q.val();
        self.same.d.next = self.enters.val() == self.inside_at.q.val();
        self.behind.d.next = self.writes.val() & (self.enters.val() == self.last_at.q.val());
        self.row_q.d.next = self.made.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.enters.val();
        self.ram.write.next = self.writes.val();
        self.ram.write_address.next = self.last_at.q.val();
        self.ram.write_value.next = self.made.val().into();

        self.row.next = self.ram.read_value.val().into();
        if self.behind.q.val() {
            self.row.next = self.row_q.q.val();
        }
        if self.same.q.val() & self.writes.val() {
            self.row.next = self.made.val();
        }
    }
}
