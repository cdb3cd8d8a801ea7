// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA: its sizes, its live warps, the barrier id used last without a count, the numbers of its open rows.
//!
//! *Reads:* the CTA slot of the entering operation, with the sizes of a Launch; the operation in the lookup stage; for the operation
//! in the commit stage the effect on its row. *Writes:* the entry of the CTA of the operation in the lookup stage; the barrier id of
//! the row that an Exit looks up; whether a Release finds open rows; the strobe of implicit conflicts. *Latency:* 1. Implements the
//! state of a CTA of `docs/contract/named.md`.

use super::commit_payloads::{Completion, RowBefore};
use super::counts::Counts;
use super::ctas::Ctas;
use super::lookup_payloads::{Actions, FirstSlot, LiveWarps, Row, Sizes, Target};
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of `LI` bits, counts of barriers of `IW`
/// bits, sums of a reduction of `AW` bits.
#[block]
pub struct CtaStates<CW, LC, LI, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slot of the entering operation or clear step.
    pub entry_slot: Signal<In, Bits<LC>>,
    /// The sizes of a Launch that enters.
    pub launch: Signal<In, CtaSizes<CW>>,
    /// If a clear step enters: 1 = it follows a reset, after which the rows of all CTA slots are cleared; 0 = it follows a
    /// Release.
    pub all_slots: Signal<In, Bit>,
    pub first_slot: Signal<In, FirstSlot>,
    pub lookup_actions: Signal<In, Actions>,
    /// CTA slot of the operation in the lookup stage.
    pub lookup_slot: Signal<In, Bits<LC>>,
    pub commit_actions: Signal<In, Actions>,
    pub commit_target: Signal<In, Target<LC>>,
    /// The operation in the commit stage has no fault and changes its row.
    pub changes_row: Signal<In, Bit>,
    pub completion: Signal<In, Completion>,
    /// The operation in the commit stage is an arrival, a Write to Barrier or an Exit that changes its row.
    pub row_changes: Signal<In, Bit>,
    pub row_before: Signal<In, RowBefore>,
    pub commit_row: Signal<In, Row<CW, AW>>,
    pub sizes: Signal<Out, Sizes<CW, IW>>,
    pub live_warps: Signal<Out, LiveWarps<CW>>,
    /// The barrier id of the row that an Exit in its first lookup cycle looks up.
    pub last_id: Signal<Out, Bits<LI>>,
    /// The operation in the commit stage is a Release, and rows of its CTA are open.
    pub dirty: Signal<Out, Bit>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    #[init(Ctas::new(config))]
    ctas: Ctas<CW, LC, LI, IW>,
    counts: Counts<LC, IW>,
}

#[block]
impl Logic for CtaStates {
    fn update(&mut self) {
        self.ctas.entry_slot.next = self.entry_slot.val();
        self.ctas.launch.next = self.launch.val();
        self.ctas.all_slots.next = self.all_slots.val();
        self.ctas.first_slot.next = self.first_slot.val();
        self.ctas.lookup_clears_entry.next = self.lookup_actions.val().clears_cta_entry;
        self.ctas.lookup_slot.next = self.lookup_slot.val();
        self.ctas.changes_row.next = self.changes_row.val();
        self.ctas.completion.next = self.completion.val();
        self.ctas.commit_clears_entry.next = self.commit_actions.val().clears_cta_entry;
        self.ctas.commit_slot.next = self.commit_target.val().table_slot;
        self.ctas.commit_row_id.next = self.commit_target.val().row_id;
        self.sizes.next = self.ctas.sizes.val();
        self.live_warps.next = self.ctas.live_warps.val();
        self.last_id.next = self.ctas.last_id.val();

        self.counts.lookup_slot.next = self.lookup_slot.val();
        self.counts.commit_actions.next = self.commit_actions.val();
        self.counts.commit_slot.next = self.commit_target.val().table_slot;
        self.counts.row_changes.next = self.row_changes.val();
        self.counts.row_before.next = self.row_before.val();
        self.counts.is_open.next = self.commit_row.val().open;
        self.counts.has_count.next = self.commit_row.val().with_count;
        self.dirty.next = self.counts.dirty.val();
        Strobe::join(&mut self.counts.implicit_conflict, &mut self.implicit_conflict);
    }
}
