// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warp masks of every row, which warps have arrived and which wait, and the warps of the operations in the pipeline as
//! one-hot masks.
//!
//! *Reads:* the operation at the port; the row addresses of the pipeline; the effect of the operation in the commit stage on its
//! row. *Writes:* the warps of the operations; whether the warp of the operation in the lookup stage has arrived, in two
//! halves: its bit in the mask as read (`raw`), and the answer for a `raw` of 1 (`arrived_if_raw_1`) and of 0
//! (`arrived_if_raw_0`); the warps that wait at the row of the operation in the commit stage. *Latency:* 1 from the port to
//! `own`, and from row to `raw`. Implements the participants of spec 000 and bit 31 of `BARState` in spec 001.
//!
//! A warp number is decoded once, not at every use of its bit. The masks change in the commit stage, so they are read twice:
//! early for `raw`, to which the effect of the operation directly before is added as a single bit, and late to be changed. Both
//! reads are forwarded from a write at the same edge. The masks of a row that is not open are stale and ignored.

use super::ctrl::{CommitWarps, Ctrl};
use super::front::Front;
use super::inside::{Numbers, Own, Row};
use super::rows::At;
use crate::prelude::*;

/// The masks of a row.
#[payload]
pub struct RowMasks<W> {
    /// Warps that wait.
    pub waiting: Bits<W>,
    /// Warps that have arrived.
    pub arrived: Bits<W>,
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
    pub commit_warps: Signal<Out, CommitWarps<W>>,
    /// The arrived masks, read early.
    early: Ram<Bits<W>, RA>,
    /// Both masks, read late.
    ram: Ram<Packed<RowMasks<W>>, RA>,
    own_bit: DFF<Bits<W>>,
    will_wait: DFF<Bits<W>>,
    acting: DFF<Bits<W>>,
    /// The operation in the lookup stage has the row of the operation in the commit stage.
    near: DFF<Bit>,
    /// The word read early was written at the same edge: `last_arrived` is used instead.
    fresh: DFF<Bit>,
    /// The word read late is valid: its row is open, and the operation directly before has not changed it.
    counts: DFF<Bit>,
    /// If the operation directly before has changed the row, and it is open: the masks that it wrote; else 0.
    masks_q: DFF<RowMasks<W>>,
    /// The changes by the operation in the commit stage: `waiting`: its warp if it waits; `arrived`: its warp if its bit toggles.
    added: DFF<RowMasks<W>>,
    /// The arrived mask that the commit stage had in the cycle before.
    last_arrived: DFF<Bits<W>>,
    /// The warp of the operation at the port, one-hot; for a Release the mask of its CTA.
    one: Signal<Local, Bits<W>>,
    bits: Signal<Local, Bits<W>>,
    /// The masks as read late; 0 if they are not valid.
    read: Signal<Local, RowMasks<W>>,
    /// The masks after the operation in the commit stage.
    new: Signal<Local, RowMasks<W>>,
    /// The operation in the commit stage changes the row of the one in the lookup stage.
    hit: Signal<Local, Bit>,
    /// A state word leaves the arrived bit of its warp unchanged.
    stays: Signal<Local, Bit>,
    /// The masks are written.
    writes: Signal<Local, Bit>,
    /// `raw` is ignored: the operation in the commit stage determines whether the warp has arrived.
    ends: Signal<Local, Bit>,
    /// Whether the warp has arrived according to the operation in the commit stage.
    has_arrived: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every: Constant<Bits<W>>,
    none: Constant<RowMasks<W>>,
}

#[block]
impl Logic for Masks<W, LW, CW, LC, LI, RA, AW, VW> {
    fn update(&mut self) {
        // The warps of the operation. A Release does not wait, so the same register may hold its mask.
        self.one.next = 0.into();
        self.one.next = self.one.val().with(self.op.val().op.warp, true);
        if self.op.val().op.request.kind == OpKind::Release {
            self.one.next = self.op.val().op.mask;
        }
        if !self.front.val().step.first_slot {
            self.own_bit.d.next = self.one.val();
        }
        self.will_wait.d.next = 0.into();
        if self.front.val().step.first_slot & !self.reset.val() {
            self.will_wait.d.next = self.will_wait.q.val();
        }
        if self.front.val().entering.will_wait {
            self.will_wait.d.next = self.one.val();
        }
        self.acting.d.next = self.own_bit.q.val();
        if self.reset.val() {
            self.acting.d.next = self.every.val();
        }
        self.own.next.own_bit = self.own_bit.q.val();
        self.own.next.will_wait = self.will_wait.q.val();
        self.commit_warps.next.acting = self.acting.q.val();

        // The masks of the rows. A state word that leaves the arrived bit of its warp unchanged changes no mask.
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

        // The early read, one bit. It includes the operation two before; the effect of the one directly before is added here.
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
        self.own.next.arrived_if_raw_0 = self.ends.val() & self.has_arrived.val();
        self.own.next.arrived_if_raw_1 = !self.ends.val() | self.has_arrived.val();

        // The late read, all bits: an OR of values that are 0 if they do not apply, so each bit is one gate.
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
        self.commit_warps.next.has_next = self.bits.val().any();
        self.early.write_value.next = self.new.val().arrived;
        self.ram.write_value.next = self.new.val().into();
        self.commit_warps.next.waiting = self.new.val().waiting;
    }
}
