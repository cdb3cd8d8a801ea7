// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warp masks of every row, which warps have arrived and which wait, and the warps of the operations in the pipeline as
//! one-hot masks.
//!
//! *Reads:* the operation at the port; the row addresses of the pipeline; the effect of the operation in the commit stage on its
//! row. *Writes:* the warps of the operations; whether the warp of the operation in the lookup stage has arrived, in two
//! halves: its bit in the mask as read (`raw_arrived`), and the answer for a bit of 1 (`arrived_if_set`) and of 0
//! (`arrived_if_clear`); the warps that wait at the row of the operation in the commit stage. *Latency:* 1 from the port to
//! `op_warp`, and from row to `raw_arrived`. Implements the participants of spec 000 and bit 31 of `BARState` in spec 001.
//!
//! A warp number is decoded once, not at every use of its bit. The masks change in the commit stage, so they are read twice:
//! early for `raw_arrived`, to which the effect of the operation directly before is added as a single bit, and late to be changed. Both
//! reads are forwarded from a write at the same edge. The masks of a row that is not open are stale and ignored.

use super::ctrl::{CommitWarps, Ctrl};
use super::front::Front;
use super::lookup_op::{Numbers, OpWarp, Row};
use super::rows::RowAddresses;
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
    pub addresses: Signal<In, RowAddresses<RA>>,
    pub numbers: Signal<In, Numbers<CW, AW>>,
    pub row: Signal<In, Row<CW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub op_warp: Signal<Out, OpWarp<W>>,
    pub commit_warps: Signal<Out, CommitWarps<W>>,
    /// The arrived masks, read early.
    early_ram: Ram<Bits<W>, RA>,
    /// Both masks, read late.
    ram: Ram<Packed<RowMasks<W>>, RA>,
    warp_mask: DFF<Bits<W>>,
    waiter_mask: DFF<Bits<W>>,
    acting_warps: DFF<Bits<W>>,
    /// The operation in the lookup stage has the row of the operation in the commit stage.
    same_row: DFF<Bit>,
    /// The word read early was written at the same edge: `earlier_arrived` is used instead.
    forward_early: DFF<Bit>,
    /// The word read late is valid: its row is open, and the operation directly before has not changed it.
    late_valid: DFF<Bit>,
    /// If the operation directly before has changed the row, and it is open: the masks that it wrote; else 0.
    forwarded_masks: DFF<RowMasks<W>>,
    /// The changes by the operation in the commit stage: `waiting`: its warp if it waits; `arrived`: its warp if its bit toggles.
    mask_changes: DFF<RowMasks<W>>,
    /// The arrived mask that the commit stage had in the cycle before.
    earlier_arrived: DFF<Bits<W>>,
    /// The warp of the operation at the port, one-hot; for a Release the mask of its CTA.
    port_warp: Signal<Local, Bits<W>>,
    selected_bits: Signal<Local, Bits<W>>,
    /// The masks as read late; 0 if they are not valid.
    stored_masks: Signal<Local, RowMasks<W>>,
    /// The masks after the operation in the commit stage.
    new_masks: Signal<Local, RowMasks<W>>,
    /// The operation in the commit stage changes the row of the one in the lookup stage.
    commit_changes_row: Signal<Local, Bit>,
    /// A state word leaves the arrived bit of its warp unchanged.
    masks_unchanged: Signal<Local, Bit>,
    /// The masks are written.
    writes_masks: Signal<Local, Bit>,
    /// `raw_arrived` is ignored: the operation in the commit stage determines whether the warp has arrived.
    overrides_raw: Signal<Local, Bit>,
    /// Whether the warp has arrived according to the operation in the commit stage.
    commit_arrived: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
    no_masks: Constant<RowMasks<W>>,
}

#[block]
impl Logic for Masks<W, LW, CW, LC, LI, RA, AW, VW> {
    fn update(&mut self) {
        // The warps of the operation. A Release does not wait, so the same register may hold its mask.
        self.port_warp.next = 0.into();
        self.port_warp.next = self.port_warp.val().with(self.op.val().op.warp, true);
        if self.op.val().op.request.kind == OpKind::Release {
            self.port_warp.next = self.op.val().op.mask;
        }
        if !self.front.val().actions.first_slot {
            self.warp_mask.d.next = self.port_warp.val();
        }
        self.waiter_mask.d.next = 0.into();
        if self.front.val().actions.first_slot & !self.reset.val() {
            self.waiter_mask.d.next = self.waiter_mask.q.val();
        }
        if self.front.val().entering.will_wait {
            self.waiter_mask.d.next = self.port_warp.val();
        }
        self.acting_warps.d.next = self.warp_mask.q.val();
        if self.reset.val() {
            self.acting_warps.d.next = self.every_warp.val();
        }
        self.op_warp.next.warp_mask = self.warp_mask.q.val();
        self.op_warp.next.waiter_mask = self.waiter_mask.q.val();
        self.commit_warps.next.acting_warps = self.acting_warps.q.val();

        // The masks of the rows. A state word that leaves the arrived bit of its warp unchanged changes no mask.
        self.masks_unchanged.next = self.ctrl.val().actions.writes_row
            & self.ctrl.val().was_open
            & (self.ctrl.val().numbers.sets_arrived == self.ctrl.val().checked.has_arrived);
        self.writes_masks.next = self.ctrl.val().checked.changes_row & !self.masks_unchanged.val();
        self.early_ram.read.next = true;
        self.early_ram.read_address.next = self.addresses.val().entering;
        self.early_ram.write.next = self.writes_masks.val();
        self.early_ram.write_address.next = self.addresses.val().commit;
        self.ram.read.next = true;
        self.ram.read_address.next = self.addresses.val().lookup;
        self.ram.write.next = self.writes_masks.val();
        self.ram.write_address.next = self.addresses.val().commit;

        // The early read, one bit. It includes the operation two before; the effect of the one directly before is added here.
        self.selected_bits.next = self.early_ram.read_value.val() & self.warp_mask.q.val();
        if self.forward_early.q.val() {
            self.selected_bits.next = self.earlier_arrived.q.val() & self.warp_mask.q.val();
        }
        self.op_warp.next.raw_arrived = self.selected_bits.val().any();
        self.same_row.d.next = self.addresses.val().matches_lookup;
        self.forward_early.d.next = self.addresses.val().matches_commit & self.writes_masks.val();
        self.commit_changes_row.next = self.same_row.q.val() & self.writes_masks.val();
        self.overrides_raw.next = self.commit_changes_row.val() & (self.front.val().op.same_warp | !self.ctrl.val().was_open);
        self.commit_arrived.next = self.front.val().op.same_warp & self.ctrl.val().numbers.sets_arrived;
        self.op_warp.next.arrived_if_clear = self.overrides_raw.val() & self.commit_arrived.val();
        self.op_warp.next.arrived_if_set = !self.overrides_raw.val() | self.commit_arrived.val();

        // The late read, all bits: an OR of values that are 0 if they do not apply, so each bit is one gate.
        self.mask_changes.d.next = self.no_masks.val();
        if self.numbers.val().waits {
            self.mask_changes.d.next.waiting = self.warp_mask.q.val();
        }
        if !self.front.val().actions.writes_warp
            & (!self.front.val().actions.writes_row | self.numbers.val().sets_arrived | self.row.val().open)
        {
            self.mask_changes.d.next.arrived = self.warp_mask.q.val();
        }
        self.late_valid.d.next = self.row.val().open & !self.commit_changes_row.val();
        self.stored_masks.next = self.no_masks.val();
        if self.late_valid.q.val() {
            self.stored_masks.next = self.ram.read_value.val().into();
        }
        self.new_masks.next.waiting =
            self.stored_masks.val().waiting | self.forwarded_masks.q.val().waiting | self.mask_changes.q.val().waiting;
        self.new_masks.next.arrived =
            (self.stored_masks.val().arrived | self.forwarded_masks.q.val().arrived) ^ self.mask_changes.q.val().arrived;
        if !self.front.val().parts.faults {
            self.new_masks.next.arrived = 0.into();
        }
        self.forwarded_masks.d.next = self.no_masks.val();
        if self.commit_changes_row.val() & self.ctrl.val().row.open {
            self.forwarded_masks.d.next = self.new_masks.val();
        }
        self.earlier_arrived.d.next = self.new_masks.val().arrived;
        self.selected_bits.next = self.new_masks.val().waiting & self.warp_mask.q.val();
        self.commit_warps.next.lookup_warp_waits = self.selected_bits.val().any();
        self.early_ram.write_value.next = self.new_masks.val().arrived;
        self.ram.write_value.next = self.new_masks.val().into();
        self.commit_warps.next.waiting_warps = self.new_masks.val().waiting;
    }
}
