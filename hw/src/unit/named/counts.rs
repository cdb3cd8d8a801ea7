// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the open rows of each CTA, and the open rows without a count; outputs the strobe of implicit conflicts.
//!
//! *Reads:* the CTA slot of the operation in the lookup stage; one cycle later the row before and after the operation. *Writes:*
//! whether a Release finds open rows; the strobe of implicit conflicts, when a second row without a count opens. *Latency:* 0 to
//! `dirty`, 1 to the strobe. Implements the numbers of open rows and the implicit conflict of `docs/contract/named.md`.

use super::commit_payloads::RowBefore;
use super::lookup_payloads::Actions;
use crate::prelude::*;

/// The numbers of open rows of a CTA.
#[payload]
pub struct OpenRows<IW> {
    /// Number of open rows without a count.
    pub uncounted: Bits<IW>,
    /// Number of open rows, with or without a count.
    pub open: Bits<IW>,
}

/// Sizes: CTA slot numbers of `LC` bits, counts of barriers of `IW` bits.
#[block]
pub struct Counts<LC, IW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slot of the operation in the lookup stage.
    pub lookup_slot: Signal<In, Bits<LC>>,
    pub commit_actions: Signal<In, Actions>,
    /// CTA slot of the operation in the commit stage.
    pub commit_slot: Signal<In, Bits<LC>>,
    /// The operation in the commit stage is an arrival, a Write to Barrier or an Exit that changes its row.
    pub row_changes: Signal<In, Bit>,
    pub row_before: Signal<In, RowBefore>,
    /// The row is open after the operation in the commit stage.
    pub is_open: Signal<In, Bit>,
    /// The row has a count after the operation. Meaningless if the row is not open.
    pub has_count: Signal<In, Bit>,
    /// The operation in the commit stage is a Release, and rows of its CTA are open.
    pub dirty: Signal<Out, Bit>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    ram: Ram<Packed<OpenRows<IW>>, LC>,
    /// The RAM was written at the clock edge at which it was read, at the same address: the numbers of the previous
    /// cycle are used instead of the read value.
    forward: DFF<Bit>,
    /// The numbers that were computed in the previous cycle.
    open_rows_q: DFF<OpenRows<IW>>,
    /// In the previous cycle a second row without a count opened: the strobe is output.
    #[reset]
    second_row_opened: DFF<Bit>,
    /// The CTA slot of the second row without a count.
    second_row_cta: DFF<Bits<LC>>,
    stored_rows: Signal<Local, OpenRows<IW>>,
    /// The numbers before the operation; for an operation that sets the numbers to 0, they are 0.
    rows_before: Signal<Local, OpenRows<IW>>,
    /// What the operation adds to the numbers: 0, 1 or -1.
    count_change: Signal<Local, OpenRows<IW>>,
    /// A row closes.
    row_closes: Signal<Local, Bit>,
    /// A row that was open without a count closes or gets a count.
    uncounted_falls: Signal<Local, Bit>,
    /// The numbers become 0.
    clears_counts: Signal<Local, Bit>,
    /// The row was open without a count.
    was_uncounted: Signal<Local, Bit>,
    /// The row is open without a count.
    is_uncounted: Signal<Local, Bit>,
    /// A row of the CTA of the operation in the commit stage is open.
    any_open: Signal<Local, Bit>,
    /// A second row without a count opens: the number of these rows rises from a value of 1 or more. The value -1 is excepted, because
    /// it rises to 0. The number can be -1 only after a Launch to a CTA slot with open rows, which breaks the promise that the Release
    /// of a CTA comes after all its other operations and before the next Launch: the Launch sets the number to 0, and a row that was
    /// open closes later.
    second_row_opens: Signal<Local, Bit>,
    no_open_rows: Constant<OpenRows<IW>>,
    #[init(Constant::new(!Bits::<IW>::default()))]
    minus_one: Constant<Bits<IW>>,
}

#[block]
impl Logic for Counts {
    fn update(&mut self) {
        let actions = self.commit_actions.val();
        let before = self.row_before.val();

        self.stored_rows.next = self.ram.read_value.val().into();
        self.any_open.next = self.stored_rows.val().open.any();
        if self.forward.q.val() {
            self.any_open.next = self.open_rows_q.q.val().open.any();
        }

        // The new numbers. A Release, a Launch and a clear step after a reset set the numbers to 0.
        self.clears_counts.next = actions.releases | actions.launches | actions.clears_cta_entry;
        self.rows_before.next = self.stored_rows.val();
        if self.forward.q.val() {
            self.rows_before.next = self.open_rows_q.q.val();
        }
        if self.clears_counts.val() {
            self.rows_before.next = self.no_open_rows.val();
        }
        // `open` changes by 1 if a row opens and by -1 if it closes. `uncounted` changes by 1 if a row opens without a count,
        // and by -1 if a row without a count closes or gets a count.
        self.count_change.next = self.no_open_rows.val();
        self.row_closes.next = !self.is_open.val() & before.was_open & !self.clears_counts.val();
        if (self.is_open.val() ^ before.was_open) & !self.clears_counts.val() {
            self.count_change.next.open = 1.into();
        }
        if self.row_closes.val() {
            self.count_change.next.open = self.minus_one.val();
        }
        self.was_uncounted.next = before.was_open & !before.had_count;
        self.is_uncounted.next = self.is_open.val() & !self.has_count.val();
        self.uncounted_falls.next = !self.is_uncounted.val() & self.was_uncounted.val() & !self.clears_counts.val();
        if (self.is_uncounted.val() ^ self.was_uncounted.val()) & !self.clears_counts.val() {
            self.count_change.next.uncounted = 1.into();
        }
        if self.uncounted_falls.val() {
            self.count_change.next.uncounted = self.minus_one.val();
        }
        self.open_rows_q.d.next.open = self.rows_before.val().open + self.count_change.val().open;
        self.open_rows_q.d.next.uncounted = self.rows_before.val().uncounted + self.count_change.val().uncounted;
        self.dirty.next = actions.releases & self.any_open.val();
        self.ram.write.next = self.row_changes.val() | self.clears_counts.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.lookup_slot.val();
        self.ram.write_address.next = self.commit_slot.val();
        self.ram.write_value.next = self.open_rows_q.d.val().into();
        self.forward.d.next = self.ram.write.val() & (self.lookup_slot.val() == self.commit_slot.val());

        // A second row without a count opens if the sum `uncounted` + 1 is more than 1. This test reads `uncounted` before the
        // addition, because a test of the sum would wait for the adder. If `uncounted` is -1 (all ones), the sum is 0.
        self.second_row_opens.next = self.row_changes.val()
            & self.is_uncounted.val()
            & !self.was_uncounted.val()
            & self.rows_before.val().uncounted.any()
            & !self.rows_before.val().uncounted.all();
        self.second_row_opened.d.next = self.second_row_opens.val();
        self.second_row_cta.d.next = self.commit_slot.val();
        self.implicit_conflict.valid.next = self.second_row_opened.q.val();
        self.implicit_conflict.payload.next.cta = self.second_row_cta.q.val();
    }
}
