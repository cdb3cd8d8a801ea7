// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp, and the outputs for warps: the mask of waiting warps, the results of reductions, and the strobes.
//!
//! *Reads:* the warps of the operation in the lookup stage; the effects of the operation in the commit stage, and the mask of warps
//! that wait at its row; the mask of trapped warps. *Writes:* the strobes `release`, `read` and `commit`; `waiting`; for the
//! operation in the commit stage, whether its warp waits, and whether a result is missing. *Latency:* 1; 0 to `commit`, and from
//! `waiter_mask` to `waiting`. Implements "restarted without delay" of spec 000, the results of BAR.RED, and B2R of spec 001.

use super::commit_payloads::{Checked, RowWaiters};
use super::lookup_payloads::{Actions, Origin, Row, Target, WarpState};
use super::output_stage::OutputStage;
use super::parts::Parts;
use super::results::Results;
use super::waits::Waits;
use crate::prelude::*;

/// Sizes: `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, sums of a
/// reduction of `AW` bits.
#[block]
pub struct WarpStates<W, LW, CW, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub trapped: Signal<In, Bits<W>>,
    pub lookup_actions: Signal<In, Actions>,
    /// Warp of the operation in the lookup stage.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// The kind of state word of a Read in the lookup stage.
    pub lookup_state: Signal<In, StateWord>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    /// Warps of the operation in the lookup stage: its warp, one-hot; for a Release all warp slots of its CTA.
    pub warp_mask: Signal<In, Bits<W>>,
    /// If the operation in the lookup stage makes its warp wait: `warp_mask`; else 0.
    pub waiter_mask: Signal<In, Bits<W>>,
    /// Warps of the operation in the commit stage: its warp, one-hot; for a Release all warp slots of its CTA; after a reset all
    /// warps.
    pub acting_warps: Signal<In, Bits<W>>,
    pub commit_actions: Signal<In, Actions>,
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    pub commit_target: Signal<In, Target<LC>>,
    pub commit_warp_state: Signal<In, WarpState>,
    /// For a Write to Warp in the commit stage: the result that it restores, encoded as it is stored.
    pub word_result: Signal<In, Bits<AW>>,
    pub commit_row: Signal<In, Row<CW, AW>>,
    /// The row of the operation in the commit stage was open before the operation.
    pub was_open: Signal<In, Bit>,
    pub checked: Signal<In, Checked>,
    /// The operation in the commit stage is refused.
    pub refused: Signal<In, Bit>,
    /// The warps of the operation in the commit stage stop waiting and lose their results: the operation is a Release, or
    /// `reset` was 1 in the previous cycle.
    pub clears_warps: Signal<In, Bit>,
    /// The operation in the commit stage completes a generation of its row.
    pub complete: Signal<In, Bit>,
    /// The value of the reduction of the row in the commit stage, over the arrivals up to this operation.
    pub reduction_value: Signal<In, Bits<AW>>,
    pub row_waiters: Signal<In, RowWaiters<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub commit: StrobeOut<Commit<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    /// The warp of the operation that was in the lookup stage in the previous cycle waits.
    pub commit_warp_waits: Signal<Out, Bit>,
    /// The operation in the commit stage is a Read of Result, and its warp has no result: it has the fault `no_result`.
    pub no_result: Signal<Out, Bit>,
    waits: Waits<W>,
    results: Results<W, AW>,
    output_stage: OutputStage<W, LW, CW, LC, AW>,
}

#[block]
impl Logic for WarpStates {
    fn update(&mut self) {
        // The warps that wait.
        self.waits.warp_mask.next = self.warp_mask.val();
        self.waits.waiter_mask.next = self.waiter_mask.val();
        self.waits.same_warp.next = self.same_warp.val();
        self.waits.commit_actions.next = self.commit_actions.val();
        self.waits.checked.next = self.checked.val();
        self.waits.clears_warps.next = self.clears_warps.val();
        self.waits.acting_warps.next = self.acting_warps.val();
        self.waits.complete.next = self.complete.val();
        self.waits.row_waiters.next = self.row_waiters.val();
        self.waiting.next = self.waits.waiting.val();
        self.commit_warp_waits.next = self.waits.commit_warp_waits.val();

        // The results.
        self.results.parts.next = self.parts.val();
        self.results.warp_mask.next = self.warp_mask.val();
        self.results.same_warp.next = self.same_warp.val();
        self.results.reads_result.next = self.lookup_actions.val().reads & (self.lookup_state.val() == StateWord::Result);
        self.results.acting_warps.next = self.acting_warps.val();
        self.results.restores_warp.next = self.checked.val().restores_warp;
        self.results.word_result.next = self.word_result.val();
        self.results.clears_warps.next = self.clears_warps.val();
        self.results.complete.next = self.complete.val();
        self.results.reduction.next = self.commit_row.val().reduction;
        self.results.reduction_value.next = self.reduction_value.val();
        self.results.row_waiters.next = self.row_waiters.val();
        self.no_result.next = self.results.no_result.val();

        // The strobes.
        self.output_stage.parts.next = self.parts.val();
        self.output_stage.trapped.next = self.trapped.val();
        self.output_stage.lookup_warp.next = self.lookup_warp.val();
        self.output_stage.same_warp.next = self.same_warp.val();
        self.output_stage.commit_actions.next = self.commit_actions.val();
        self.output_stage.commit_origin.next = self.commit_origin.val();
        self.output_stage.commit_target.next = self.commit_target.val();
        self.output_stage.commit_warp_state.next = self.commit_warp_state.val();
        self.output_stage.commit_row.next = self.commit_row.val();
        self.output_stage.was_open.next = self.was_open.val();
        self.output_stage.checked.next = self.checked.val();
        self.output_stage.refused.next = self.refused.val();
        self.output_stage.complete.next = self.complete.val();
        self.output_stage.reduction_value.next = self.reduction_value.val();
        self.output_stage.acting_warps.next = self.acting_warps.val();
        self.output_stage.row_waiters.next = self.row_waiters.val();
        self.output_stage.warp_result.next = self.results.warp_result.val();
        self.output_stage.commit_warp_waits.next = self.waits.commit_warp_waits.val();
        Strobe::join(&mut self.output_stage.release, &mut self.release);
        Strobe::join(&mut self.output_stage.read, &mut self.read);
        Strobe::join(&mut self.output_stage.commit, &mut self.commit);
    }
}
