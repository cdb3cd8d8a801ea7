// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of each row: who has arrived, who of them waits.
//!
//! *Reads:* the row of what enters, of the operation inside and of the one in its last cycle, with their warps; whether what
//! enters is on the row of either; what the operation in its last cycle does to its row. *Writes:* of the operation inside whether its warp has
//! arrived, in two halves: what the masks as they were read say (`raw`), and what the answer is if they say yes (`held`) or no (`forced`);
//! of the operation in its last cycle who waits after it. *Latency:* 1 from row to `raw`.
//!
//! The masks change in the last cycle of an operation, so they are read twice: early for one bit, to which what the operation before
//! does is added as a single bit, and late to be changed. What changes while it is read is forwarded, both times. In a row that is not open
//! they are left over. Implements the participants of spec 000 and bit 31 of `BARState` in spec 001.

use crate::prim::ram::{Ram1, Ram2};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W` warps of `LW` bits, rows of `RA` bits.
#[block]
pub struct Masks<W, LW, RA> {
    pub clock: Signal<In, Clock>,
    /// Checks are built: without, nobody asks who has arrived.
    pub checks: Signal<In, Bit>,
    pub next_at: Signal<In, Bits<RA>>,
    pub at: Signal<In, Bits<RA>>,
    pub last_at: Signal<In, Bits<RA>>,
    /// What enters is on the row of the operation inside, of the one in its last cycle.
    pub same: Signal<In, Bit>,
    pub same_last: Signal<In, Bit>,
    pub next_warp: Signal<In, Bits<LW>>,
    pub warp: Signal<In, Bits<LW>>,
    pub inside: Signal<In, Bits<W>>,
    pub acting: Signal<In, Bits<W>>,
    /// The operation in its last cycle changes its masks: which were open; its warp has then arrived; waits.
    pub changes: Signal<In, Bit>,
    pub was_open: Signal<In, Bit>,
    pub arrives: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    /// The operation inside is of the same warp as the one just before.
    pub follows_own: Signal<Out, Bit>,
    /// One cycle later: its warp waited in the row of the one just before, if that was open.
    pub waited: Signal<Out, Bit>,
    pub raw: Signal<Out, Bit>,
    pub held: Signal<Out, Bit>,
    pub forced: Signal<Out, Bit>,
    /// Who waits after it; who waited before it.
    pub waiting: Signal<Out, Bits<W>>,
    pub before: Signal<Out, Bits<W>>,
    early: Ram1<RA, W>,
    ram: Ram2<RA, W, W>,
    /// The operation inside is on the row of the one just before, and of the same warp.
    near: DFF<Bit>,
    twin: DFF<Bit>,
    /// What was read early changed in that cycle.
    fresh: DFF<Bit>,
    /// The operation just before changed the row of the one in its last cycle.
    hit: DFF<Bit>,
    reg_waited: DFF<Bit>,
    kept_arrived: DFF<Bits<W>>,
    kept_waiting: DFF<Bits<W>>,
    own: Signal<Local, Bits<W>>,
    next_own: Signal<Local, Bits<W>>,
    arrived: Signal<Local, Bits<W>>,
    new_waiting: Signal<Local, Bits<W>>,
    old: Signal<Local, Bits<W>>,
    above: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for Masks<W, LW, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.read.next = true;
        self.early.read_address.next = self.next_at.val();
        self.early.write.next = self.changes.val();
        self.early.write_address.next = self.last_at.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.at.val();
        self.ram.write.next = self.changes.val();
        self.ram.write_address.next = self.last_at.val();

        // One bit, early. What the last operation but one has done is there by then, the last one's is added.
        self.own.next = self.early.read_0.val() & self.inside.val();
        if self.fresh.q.val() {
            self.own.next = self.kept_arrived.q.val() & self.inside.val();
        }
        self.raw.next = self.own.val().any();
        self.near.d.next = self.same.val();
        self.follows_own.next = self.twin.q.val();
        self.twin.d.next = self.next_warp.val() == self.warp.val();
        self.fresh.d.next = self.same_last.val() & self.changes.val();
        self.above.next = self.near.q.val() & self.changes.val();
        self.ends.next = self.above.val() & (self.twin.q.val() | !self.was_open.val());
        self.forced.next = self.ends.val() & self.twin.q.val() & self.arrives.val();
        self.held.next = !self.ends.val() | (self.twin.q.val() & self.arrives.val());

        // All bits, late.
        self.hit.d.next = self.above.val();
        self.arrived.next = self.ram.read_0.val();
        self.old.next = self.ram.read_1.val();
        if self.hit.q.val() {
            self.arrived.next = self.kept_arrived.q.val();
            self.old.next = self.kept_waiting.q.val();
        }
        self.new_waiting.next = 0.into();
        if self.was_open.val() {
            self.new_waiting.next = self.old.val();
        } else {
            self.arrived.next = 0.into();
        }
        self.before.next = self.new_waiting.val();
        self.next_own.next = self.old.val() & self.inside.val();
        self.reg_waited.d.next = self.next_own.val().any();
        self.waited.next = self.reg_waited.q.val();
        self.arrived.next = self.arrived.val() & !self.acting.val();
        if self.arrives.val() {
            self.arrived.next = self.arrived.val() | self.acting.val();
        }
        if self.waits.val() {
            self.new_waiting.next = self.new_waiting.val() | self.acting.val();
        }
        if !self.checks.val() {
            self.arrived.next = 0.into();
        }
        self.kept_arrived.d.next = self.arrived.val();
        self.kept_waiting.d.next = self.new_waiting.val();
        self.early.write_0.next = self.arrived.val();
        self.ram.write_0.next = self.arrived.val();
        self.ram.write_1.next = self.new_waiting.val();
        self.waiting.next = self.new_waiting.val();
    }
}
