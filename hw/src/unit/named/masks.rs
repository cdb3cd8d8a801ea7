// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warp masks of every row: a mask of the warps that have arrived, and a mask of the warps that wait.
//!
//! *Reads:* the row addresses of the pipeline; the warp of the operation in the lookup stage; the effect of the operation in the
//! commit stage on its row. *Writes:* whether the warp of the operation in the lookup stage has arrived, as three bits: the warp's
//! bit in the mask as read (`raw_arrived`), and the result if that bit is 1 (`arrived_if_set`) and if it is 0 (`arrived_if_clear`);
//! the warps that wait at the row of the operation in the commit stage. *Latency:* 1 from row address to `raw_arrived`. Implements
//! the participants of spec 000 and bit 31 of `BARState` in spec 001.
//!
//! The masks change in the commit stage, so they are read twice. The early read gives `raw_arrived`, for the lookup stage; the
//! effect of the preceding operation is added to it as a single bit. The late read gives the masks that the commit stage
//! changes. A word that is written at the clock edge of a read is forwarded, for both reads. The masks of a row that is not
//! open are stale and ignored.

use super::commit_payloads::{Checked, RowWaiters};
use super::entering_payloads::RowAddresses;
use super::lookup_payloads::{Actions, WarpArrival, WarpState};
use super::parts::Parts;
use crate::prelude::*;

/// The masks of a row.
#[payload]
pub struct RowMasks<W> {
    /// Warps that wait.
    pub waiting: Bits<W>,
    /// Warps that have arrived.
    pub arrived: Bits<W>,
}

/// Sizes: `W` warps, row addresses of `RA` bits.
#[block]
pub struct Masks<W, RA> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub addresses: Signal<In, RowAddresses<RA>>,
    /// The warp of the operation in the lookup stage, one-hot.
    pub warp_mask: Signal<In, Bits<W>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    pub lookup_actions: Signal<In, Actions>,
    pub lookup_warp_state: Signal<In, WarpState>,
    /// The row of the operation in the lookup stage is open.
    pub lookup_open: Signal<In, Bit>,
    pub checked: Signal<In, Checked>,
    /// The operation in the commit stage is a Write to Barrier without a fault from upstream.
    pub commit_writes_word: Signal<In, Bit>,
    /// The row of the operation in the commit stage was open before the operation.
    pub was_open: Signal<In, Bit>,
    /// The row of the operation in the commit stage is open after the operation, if the operation writes the row.
    pub commit_open: Signal<In, Bit>,
    /// The arrived bit of the warp of the operation in the commit stage is 1 after that operation.
    pub commit_sets_arrived: Signal<In, Bit>,
    pub warp_arrival: Signal<Out, WarpArrival>,
    pub row_waiters: Signal<Out, RowWaiters<W>>,
    /// The arrived masks, read early.
    early_ram: Ram<Bits<W>, RA>,
    /// Both masks, read late.
    ram: Ram<Packed<RowMasks<W>>, RA>,
    /// The operations in the lookup stage and in the commit stage have the same row.
    same_row: DFF<Bit>,
    /// The word of the early read was written at the clock edge of the read: the arrived mask that was written is used
    /// instead.
    forward_early: DFF<Bit>,
    /// The word of the late read is valid: its row is open, and the preceding operation has not changed the row.
    late_valid: DFF<Bit>,
    /// If the preceding operation has changed the row and left it open: the masks that it wrote; else 0.
    forwarded_masks: DFF<RowMasks<W>>,
    /// If the warp of the operation in the commit stage waits after the operation: that warp, one-hot; else 0.
    added_waiter: DFF<Bits<W>>,
    /// If the operation in the commit stage toggles the arrived bit of its warp: that warp, one-hot; else 0. An arrival sets a bit that
    /// is 0, and a Write to Barrier sets or clears the bit, so one XOR per bit does both. A Write to Barrier to an open row also sets this
    /// register if it leaves the arrived bit unchanged, but then the masks are not written.
    toggled_arrival: DFF<Bits<W>>,
    /// The arrived mask after the operation that was in the commit stage in the previous cycle.
    earlier_arrived: DFF<Bits<W>>,
    /// If the warp of the operation in the lookup stage has its bit set in the arrived mask of the early read: that warp, one-hot;
    /// else 0.
    arrived_warp: Signal<Local, Bits<W>>,
    /// If the warp of the operation in the lookup stage waits at the row of the operation in the commit stage: that warp, one-hot;
    /// else 0.
    waiting_warp: Signal<Local, Bits<W>>,
    /// The operation in the lookup stage toggles the arrived bit of its warp.
    toggles_arrival: Signal<Local, Bit>,
    /// The masks of the late read; 0 if they are not valid.
    stored_masks: Signal<Local, RowMasks<W>>,
    /// The masks after the operation in the commit stage.
    new_masks: Signal<Local, RowMasks<W>>,
    /// The operation in the commit stage changes the masks of the row of the operation in the lookup stage.
    commit_changes_row: Signal<Local, Bit>,
    /// The operation in the commit stage is a Write to Barrier to an open row, and leaves the arrived bit of its warp unchanged.
    masks_unchanged: Signal<Local, Bit>,
    /// The masks are written.
    writes_masks: Signal<Local, Bit>,
    /// `raw_arrived` is ignored: the operation in the commit stage determines whether the warp has arrived.
    overrides_raw: Signal<Local, Bit>,
    /// If `overrides_raw` is 1: the warp of the operation in the lookup stage has arrived.
    commit_arrived: Signal<Local, Bit>,
    no_masks: Constant<RowMasks<W>>,
}

#[block]
impl Logic for Masks {
    fn update(&mut self) {
        // The masks of the rows. A Write to Barrier to an open row that leaves the arrived bit of its warp unchanged changes no
        // mask.
        self.masks_unchanged.next = self.commit_writes_word.val()
            & self.was_open.val()
            & (self.commit_sets_arrived.val() == self.checked.val().has_arrived);
        self.writes_masks.next = self.checked.val().changes_row & !self.masks_unchanged.val();
        self.early_ram.read.next = true;
        self.early_ram.read_address.next = self.addresses.val().entering;
        self.early_ram.write.next = self.writes_masks.val();
        self.early_ram.write_address.next = self.addresses.val().commit;
        self.ram.read.next = true;
        self.ram.read_address.next = self.addresses.val().lookup;
        self.ram.write.next = self.writes_masks.val();
        self.ram.write_address.next = self.addresses.val().commit;

        // The early read, one bit. The mask read includes the effect of all operations but the preceding one, whose effect is
        // added here.
        self.arrived_warp.next = self.early_ram.read_value.val() & self.warp_mask.val();
        if self.forward_early.q.val() {
            self.arrived_warp.next = self.earlier_arrived.q.val() & self.warp_mask.val();
        }
        self.warp_arrival.next.raw_arrived = self.arrived_warp.val().any();
        self.same_row.d.next = self.addresses.val().matches_lookup;
        self.forward_early.d.next = self.addresses.val().matches_commit & self.writes_masks.val();
        self.commit_changes_row.next = self.same_row.q.val() & self.writes_masks.val();
        self.overrides_raw.next = self.commit_changes_row.val() & (self.same_warp.val() | !self.was_open.val());
        self.commit_arrived.next = self.same_warp.val() & self.commit_sets_arrived.val();
        self.warp_arrival.next.arrived_if_clear = self.overrides_raw.val() & self.commit_arrived.val();
        self.warp_arrival.next.arrived_if_set = !self.overrides_raw.val() | self.commit_arrived.val();

        // The late read, all bits. The values that form a new mask are 0 if they do not apply, so no multiplexer is needed and
        // each bit takes one gate.
        self.added_waiter.d.next = 0.into();
        if self.lookup_warp_state.val().waits {
            self.added_waiter.d.next = self.warp_mask.val();
        }
        self.toggles_arrival.next = !self.lookup_actions.val().writes_warp
            & (!self.lookup_actions.val().writes_row | self.lookup_warp_state.val().sets_arrived | self.lookup_open.val());
        self.toggled_arrival.d.next = 0.into();
        if self.toggles_arrival.val() {
            self.toggled_arrival.d.next = self.warp_mask.val();
        }
        self.late_valid.d.next = self.lookup_open.val() & !self.commit_changes_row.val();
        self.stored_masks.next = self.no_masks.val();
        if self.late_valid.q.val() {
            self.stored_masks.next = self.ram.read_value.val().into();
        }
        self.new_masks.next.waiting =
            self.stored_masks.val().waiting | self.forwarded_masks.q.val().waiting | self.added_waiter.q.val();
        self.new_masks.next.arrived =
            (self.stored_masks.val().arrived | self.forwarded_masks.q.val().arrived) ^ self.toggled_arrival.q.val();
        if !self.parts.val().faults {
            self.new_masks.next.arrived = 0.into();
        }
        self.forwarded_masks.d.next = self.no_masks.val();
        if self.commit_changes_row.val() & self.commit_open.val() {
            self.forwarded_masks.d.next = self.new_masks.val();
        }
        self.earlier_arrived.d.next = self.new_masks.val().arrived;
        self.waiting_warp.next = self.new_masks.val().waiting & self.warp_mask.val();
        self.row_waiters.next.lookup_warp_waits = self.waiting_warp.val().any();
        self.early_ram.write_value.next = self.new_masks.val().arrived;
        self.ram.write_value.next = self.new_masks.val().into();
        self.row_waiters.next.waiting_warps = self.new_masks.val().waiting;
    }
}
