// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps as one bit each: those of the operations in the pipeline, and of each row who has arrived and who of them waits.
//!
//! *Reads:* the operation at the port; which rows those of the pipeline are; what the operation in its last cycle does to its row. *Writes:*
//! the warps of the operations; of the operation inside whether its warp has arrived, in two halves: what the masks as they were read say
//! (`raw`), and what the answer is if they say yes (`held`) or no (`forced`); of the operation in its last cycle who waits after it.
//! *Latency:* 1 from the port to `own`, and from row to `raw`. Implements the participants of spec 000 and bit 31 of `BARState` in spec 001.
//!
//! The number of a warp is decoded once instead of wherever its bit is needed. The masks change in the last cycle of an operation, so they
//! are read twice: early for one bit, to which what the operation before does is added as a single bit, and late to be changed. What
//! changes while it is read is forwarded, both times. In a row that is not open they are left over.

use super::{
    commit_stage::Ctrl,
    input_stage::Front,
    operands::Numbers,
    rows::{At, Row},
};
use crate::prelude::*;

/// The warps of a row.
#[payload]
pub struct RowMasks<W> {
    pub waiting: Bits<W>,
    pub arrived: Bits<W>,
}

/// The warp of the operation one cycle inside.
#[payload]
pub struct Own<W> {
    /// Its bit, if it has but one warp; the same if its arrival waits, or if it is to wait again.
    pub own_bit: Bits<W>,
    pub coming: Bits<W>,
    /// Whether it has arrived, if checks are built.
    pub raw: Bit,
    pub held: Bit,
    pub forced: Bit,
}

/// The warps of the operation in its last cycle.
#[payload]
pub struct Crowd<W> {
    /// Its warp, or all that a release names; after a reset all warps.
    pub acting: Bits<W>,
    /// Who waits after it.
    pub waiting: Bits<W>,
    /// The warp of the operation inside is one of those who wait.
    pub has_next: Bit,
}

#[block]
pub struct Masks<W, LW, CW, LC, LI, RA, AW, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Signal<In, NamedOp<W, LW, CW, LC, VW>>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub at: Signal<In, At<RA>>,
    pub numbers: Signal<In, Numbers<CW, AW>>,
    pub row: Signal<In, Row<CW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub own: Signal<Out, Own<W>>,
    pub crowd: Signal<Out, Crowd<W>>,
    early: Ram<Bits<W>, RA>,
    ram: Ram<Packed<RowMasks<W>>, RA>,
    own_bit: DFF<Bits<W>>,
    coming: DFF<Bits<W>>,
    acting: DFF<Bits<W>>,
    /// The operation inside is on the row of the one just before.
    near: DFF<Bit>,
    /// What was read early changed in that cycle.
    fresh: DFF<Bit>,
    /// The row of the one in its last cycle is open, and the operation just before has not changed it; what that has made of it, else
    /// nobody; its warp if it waits, and if its bit among those that have arrived changes.
    counts: DFF<Bit>,
    masks_q: DFF<RowMasks<W>>,
    added: DFF<RowMasks<W>>,
    /// Who has arrived in the row of the operation just before.
    last_arrived: DFF<Bits<W>>,
    one: Signal<Local, Bits<W>>,
    bits: Signal<Local, Bits<W>>,
    read: Signal<Local, RowMasks<W>>,
    new: Signal<Local, RowMasks<W>>,
    hit: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    has_arrived: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every: Constant<Bits<W>>,
    none: Constant<RowMasks<W>>,
}

#[block]
impl Logic for Masks<W, LW, CW, LC, LI, RA, AW, VW> {
    fn update(&mut self) {
        // The warps of the operation. A release does not wait, so its mask may stand there too.
        self.one.next = 0.into();
        self.one.next = self.one.val().with(self.op.val().op.warp, true);
        if self.op.val().op.request.kind == OpKind::Release {
            self.one.next = self.op.val().op.mask;
        }
        if !self.front.val().step.first_slot {
            self.own_bit.d.next = self.one.val();
        }
        self.coming.d.next = 0.into();
        if self.front.val().step.first_slot & !self.reset.val() {
            self.coming.d.next = self.coming.q.val();
        }
        if self.front.val().entering.will_wait {
            self.coming.d.next = self.one.val();
        }
        self.acting.d.next = self.own_bit.q.val();
        if self.reset.val() {
            self.acting.d.next = self.every.val();
        }
        self.own.next.own_bit = self.own_bit.q.val();
        self.own.next.coming = self.coming.q.val();
        self.crowd.next.acting = self.acting.q.val();

        // The rows' masks. A state word that leaves the bit of its warp as it is leaves them all.
        self.stays.next = self.ctrl.val().step.writes_row
            & self.ctrl.val().was_open
            & (self.ctrl.val().numbers.joins == self.ctrl.val().checked.has_arrived);
        self.writes.next = self.ctrl.val().checked.changes & !self.stays.val();
        self.early.read.next = true;
        self.early.read_address.next = self.at.val().next_at;
        self.early.write.next = self.writes.val();
        self.early.write_address.next = self.at.val().last_at;
        self.ram.read.next = true;
        self.ram.read_address.next = self.at.val().at;
        self.ram.write.next = self.writes.val();
        self.ram.write_address.next = self.at.val().last_at;

        // One bit, early. What the last operation but one has done is there by then, the last one's is added.
        self.bits.next = self.early.read_value.val() & self.own_bit.q.val();
        if self.fresh.q.val() {
            self.bits.next = self.last_arrived.q.val() & self.own_bit.q.val();
        }
        self.own.next.raw = self.bits.val().any();
        self.near.d.next = self.at.val().same;
        self.fresh.d.next = self.at.val().same_last & self.writes.val();
        self.hit.next = self.near.q.val() & self.writes.val();
        self.ends.next = self.hit.val() & (self.front.val().op.follows_own | !self.ctrl.val().was_open);
        self.has_arrived.next = self.front.val().op.follows_own & self.ctrl.val().numbers.joins;
        self.own.next.forced = self.ends.val() & self.has_arrived.val();
        self.own.next.held = !self.ends.val() | self.has_arrived.val();

        // All bits, late: an OR of what is there or 0, so that each bit is one gate.
        self.added.d.next = self.none.val();
        if self.numbers.val().waits {
            self.added.d.next.waiting = self.own_bit.q.val();
        }
        if !self.front.val().step.writes_warp
            & (!self.front.val().step.writes_row | self.numbers.val().joins | self.row.val().open)
        {
            self.added.d.next.arrived = self.own_bit.q.val();
        }
        self.counts.d.next = self.row.val().open & !self.hit.val();
        self.read.next = self.none.val();
        if self.counts.q.val() {
            self.read.next = self.ram.read_value.val().into();
        }
        self.new.next.waiting = self.read.val().waiting | self.masks_q.q.val().waiting | self.added.q.val().waiting;
        self.new.next.arrived = (self.read.val().arrived | self.masks_q.q.val().arrived) ^ self.added.q.val().arrived;
        if !self.front.val().parts.faults {
            self.new.next.arrived = 0.into();
        }
        self.masks_q.d.next = self.none.val();
        if self.hit.val() & self.ctrl.val().row.open {
            self.masks_q.d.next = self.new.val();
        }
        self.last_arrived.d.next = self.new.val().arrived;
        self.bits.next = self.new.val().waiting & self.own_bit.q.val();
        self.crowd.next.has_next = self.bits.val().any();
        self.early.write_value.next = self.new.val().arrived;
        self.ram.write_value.next = self.new.val().into();
        self.crowd.next.waiting = self.new.val().waiting;
    }
}
