// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The output stage: the commit strobe for each operation, the release strobe for a generation that completes, the read strobe
//! with the result of a Read.
//!
//! *Reads:* the operation in the commit stage: whether it completes a generation, the mask of warps that wait at its row, the value
//! of the reduction; for a Read its row and its warp's state; the mask of trapped warps; the warp of the operation in the lookup
//! stage. *Writes:* the release and the read strobe (latency 1); the commit strobe (a gate). *Latency:* 1 and 0. Implements
//! "restarted without delay" of spec 000, and the result of BAR.RED and B2R of spec 001.

use super::arrival_ids::ArrivalIds;
use super::commit_payloads::{Checked, RowWaiters, WarpResult};
use super::lookup_payloads::{Actions, Origin, Row, Target, WarpState};
use super::parts::Parts;
use super::state_word_reader::StateWordReader;
use crate::prelude::*;

/// Sizes: `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, sums of a
/// reduction of `AW` bits.
#[block]
pub struct OutputStage<W, LW, CW, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub trapped: Signal<In, Bits<W>>,
    /// Warp of the operation in the lookup stage.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    pub commit_actions: Signal<In, Actions>,
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    pub commit_target: Signal<In, Target<LC>>,
    pub commit_warp_state: Signal<In, WarpState>,
    pub commit_row: Signal<In, Row<CW, AW>>,
    /// The row of the operation in the commit stage was open before the operation.
    pub was_open: Signal<In, Bit>,
    pub checked: Signal<In, Checked>,
    /// The operation in the commit stage is refused.
    pub refused: Signal<In, Bit>,
    /// The operation in the commit stage completes a generation of its row.
    pub complete: Signal<In, Bit>,
    /// The value of the row's reduction, over the arrivals up to this operation.
    pub reduction_value: Signal<In, Bits<AW>>,
    /// The warps of the operation in the commit stage.
    pub acting_warps: Signal<In, Bits<W>>,
    pub row_waiters: Signal<In, RowWaiters<W>>,
    pub warp_result: Signal<In, WarpResult<AW>>,
    /// The warp of the operation in the commit stage waits.
    pub commit_warp_waits: Signal<In, Bit>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub commit: StrobeOut<Commit<W>>,
    arrival_ids: ArrivalIds<LW>,
    reader: StateWordReader<CW, AW>,
    /// A generation was completed in the previous cycle.
    #[reset]
    completed: DFF<Bit>,
    #[reset]
    released: DFF<Release<W, LC>>,
    /// A Read without a fault was in the commit stage in the previous cycle: its result is output.
    #[reset]
    outputs_read: DFF<Bit>,
    read_result: DFF<ReadResult<LW>>,
    /// If the warp of the operation in the commit stage is trapped: that warp, one-hot; else 0.
    trapped_warp: Signal<Local, Bits<W>>,
    no_read_result: Constant<ReadResult<LW>>,
}

#[block]
impl Logic for OutputStage {
    fn update(&mut self) {
        let actions = self.commit_actions.val();
        let warp_state = self.commit_warp_state.val();
        let restores_warp = self.checked.val().restores_warp;

        // The commit strobe.
        self.commit.valid.next = actions.last_slot;
        self.commit.payload.next.change.warps = self.acting_warps.val();
        self.commit.payload.next.warp_done = actions.warp_done;
        self.commit.payload.next.change.refused = self.refused.val() & !self.commit_origin.val().exempt;
        self.commit.payload.next.change.traps = restores_warp & warp_state.sets_trapped;
        self.commit.payload.next.change.untraps = restores_warp & !warp_state.sets_trapped;
        self.commit.payload.next.change.cta_release = actions.releases;

        // The release strobe.
        self.completed.d.next = self.complete.val();
        self.released.d.next.cta = self.commit_target.val().table_slot;
        self.released.d.next.id = self.commit_target.val().row_id;
        self.released.d.next.reduction = self.commit_row.val().reduction;
        self.released.d.next.value = bit_cast::<12, AW>(self.reduction_value.val());
        self.released.d.next.warps = 0.into();
        if self.complete.val() {
            self.released.d.next.warps = self.row_waiters.val().waiting_warps;
        }
        self.release.valid.next = self.completed.q.val();
        self.release.payload.next = self.released.q.val();

        // The read strobe.
        self.arrival_ids.lookup_warp.next = self.lookup_warp.val();
        self.arrival_ids.same_warp.next = self.same_warp.val();
        self.arrival_ids.commit_warp.next = self.commit_origin.val().warp;
        self.arrival_ids.commit_id.next = self.commit_target.val().row_id;
        self.arrival_ids.write.next = actions.waiter | (restores_warp & warp_state.waits);
        self.trapped_warp.next = self.trapped.val() & self.acting_warps.val();
        self.reader.state.next = self.commit_target.val().state;
        self.reader.was_open.next = self.was_open.val();
        self.reader.commit_row.next = self.commit_row.val();
        self.reader.reduction_value.next = self.reduction_value.val();
        self.reader.has_arrived.next = self.checked.val().has_arrived;
        self.reader.warp_result.next = self.warp_result.val();
        self.reader.warp_waits.next = self.commit_warp_waits.val();
        self.reader.arrival_id.next = self.arrival_ids.arrival_id.val();
        self.reader.is_trapped.next = self.trapped_warp.val().any();
        self.outputs_read.d.next = actions.reads & !self.refused.val();
        self.read_result.d.next.warp = self.commit_origin.val().warp;
        self.read_result.d.next.value = self.reader.word.val();
        self.read_result.d.next.predicate = self.reader.predicate.val();
        if !self.parts.val().state_words {
            self.read_result.d.next = self.no_read_result.val();
        }
        self.read.valid.next = self.outputs_read.q.val();
        self.read.payload.next = self.read_result.q.val();
    }
}
