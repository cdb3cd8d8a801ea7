// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commit stage: the operation in the cycle in which it takes effect, and its fault.
//!
//! *Reads:* the operation in the lookup stage with its next row; one cycle later the results of the checks, and whether a Read finds
//! no result. *Writes:* the effects of the operation, which all blocks with state read; the fault channel. *Latency:* 1 from the
//! lookup stage, 0 from the checks. Implements cycle e of `docs/contract/named.md`.

use super::coded::Coded;
use super::commit_payloads::{Checked, Completion, Findings, Outcome, RowBefore};
use super::lookup_payloads::{Actions, FirstSlot, OperandFault, Origin, Row, Target, WarpState};
use super::parts::Parts;
use super::refusals::Refusals;
use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, sums of a reduction of `AW`
/// bits.
#[block]
pub struct CommitStage<LW, CW, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    /// The lookup stage is occupied in the next cycle.
    pub lookup_valid_next: Signal<In, Bit>,
    pub lookup_actions: Signal<In, Actions>,
    pub first_slot: Signal<In, FirstSlot>,
    pub lookup_origin: Signal<In, Origin<LW, LC>>,
    pub lookup_target: Signal<In, Target<LC>>,
    /// For a Release in its first lookup cycle: its CTA was saved, so open rows are not a fault.
    pub lookup_saved: Signal<In, Bit>,
    /// For a clear step in the lookup stage: an open row is not a fault.
    pub lookup_silent: Signal<In, Bit>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<In, FaultCode>,
    pub operand_fault: Signal<In, OperandFault>,
    pub lookup_warp_state: Signal<In, WarpState>,
    /// For a Write to Warp in the lookup stage: the result in its state word.
    pub lookup_result: Signal<In, Bits<AW>>,
    /// For a Write to Warp in the lookup stage: the kind of reduction (AND, OR, POPC, or None) of the result in its state word.
    pub lookup_reduction: Signal<In, Reduction>,
    pub lookup_row: Signal<In, Row<CW, AW>>,
    pub outcome: Signal<In, Outcome<CW, AW>>,
    pub checked: Signal<In, Checked>,
    pub findings: Signal<In, Findings>,
    /// The operation in the commit stage is a Read of Result, and its warp has no result.
    pub no_result: Signal<In, Bit>,
    pub actions: Signal<Out, Actions>,
    /// The source of the operation in the commit stage; for a clear step `warp` and `has_warp` are 0.
    pub origin: Signal<Out, Origin<LW, LC>>,
    pub target: Signal<Out, Target<LC>>,
    /// For a Release in the commit stage: its CTA was saved, so open rows are not a fault.
    pub saved: Signal<Out, Bit>,
    pub warp_state: Signal<Out, WarpState>,
    /// For a Write to Warp in the commit stage: the result that it restores, as `result_code` encodes it.
    pub result: Signal<Out, Bits<AW>>,
    pub row_before: Signal<Out, RowBefore>,
    /// The row of the operation in the commit stage after the operation; valid if `writes_row` is 1.
    pub row: Signal<Out, Row<CW, AW>>,
    pub completion: Signal<Out, Completion>,
    /// The operation writes its row: it changes the row, or is an Exit or a clear step.
    pub writes_row: Signal<Out, Bit>,
    /// The operation is an arrival, a Write to Barrier or an Exit that changes its row.
    pub row_changes: Signal<Out, Bit>,
    /// The warps of the operation stop waiting and lose their results: the operation is a Release, or `reset` was 1 in the
    /// previous cycle.
    pub clears_warps: Signal<Out, Bit>,
    /// The operation completes a generation of its row.
    pub complete: Signal<Out, Bit>,
    /// The value of the row's reduction, over the arrivals up to this operation.
    pub reduction_value: Signal<Out, Bits<AW>>,
    /// The operation is refused.
    pub refused: Signal<Out, Bit>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// In the next cycle the fault queue has space for the entering operation or clear step.
    pub fault_space_next: Signal<Out, Bit>,
    /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in
    /// the configuration.
    pub lost_faults: Signal<Out, Bits<16>>,
    refusals: Refusals<LW, LC>,
    /// Encodes the result that a Write to Warp restores for its warp.
    result_code: Coded<AW>,
    /// The actions of the operation in the commit stage. The bits for a Launch and for the clearing of a CTA entry need no reset: they
    /// cause only a write to the state of a CTA slot, and the clear steps after a reset set that state for all CTA slots before the next
    /// operation is taken.
    commit_actions: DFF<Actions>,
    commit_origin: DFF<Origin<LW, LC>>,
    commit_target: DFF<Target<LC>>,
    commit_saved: DFF<Bit>,
    commit_warp_state: DFF<WarpState>,
    commit_result: DFF<Bits<AW>>,
    commit_row_before: DFF<RowBefore>,
    commit_row: DFF<Row<CW, AW>>,
    commit_completion: DFF<Completion>,
    /// The operation is an arrival or a Write to Barrier.
    commit_targets_row: DFF<Bit>,
    commit_clears_warps: DFF<Bit>,
}

#[block]
impl Logic for CommitStage {
    fn update(&mut self) {
        let actions = self.commit_actions.q.val();
        let changes_row = self.checked.val().changes_row;
        let row = self.commit_row.q.val();
        let completion = self.commit_completion.q.val();

        // The operation moves here from the lookup stage.
        self.commit_actions.d.next = self.lookup_actions.val();
        self.commit_origin.d.next = self.lookup_origin.val();
        if self.lookup_actions.val().is_scrub {
            self.commit_origin.d.next.warp = 0.into();
            self.commit_origin.d.next.has_warp = false;
        }
        self.commit_target.d.next = self.lookup_target.val();
        // A Release takes two lookup cycles; `lookup_saved` is valid in the first.
        if self.first_slot.val().occupied {
            self.commit_saved.d.next = self.lookup_saved.val();
        }
        self.commit_warp_state.d.next = self.lookup_warp_state.val();
        self.result_code.reduction.next = self.lookup_reduction.val();
        self.result_code.value.next = self.lookup_result.val();
        self.commit_result.d.next = self.result_code.code.val();
        self.commit_row_before.d.next.was_open = self.lookup_row.val().open;
        self.commit_row_before.d.next.had_count = self.lookup_row.val().with_count;
        self.commit_row.d.next = self.outcome.val().row;
        self.commit_completion.d.next = self.outcome.val().completion;
        self.commit_targets_row.d.next = self.lookup_actions.val().arrives | self.lookup_actions.val().writes_row;
        self.commit_clears_warps.d.next = self.lookup_actions.val().releases;
        if self.reset.val() {
            self.commit_actions.d.next.last_slot = false;
            self.commit_actions.d.next.warp_done = false;
            self.commit_actions.d.next.reads = false;
            self.commit_actions.d.next.exits = false;
            self.commit_actions.d.next.releases = false;
            self.commit_actions.d.next.waiter = false;
            self.commit_actions.d.next.is_scrub = false;
            self.commit_completion.d.next.exit_completes = false;
            self.commit_clears_warps.d.next = true;
        }

        // The fault.
        self.refusals.parts.next = self.parts.val();
        self.refusals.lookup_valid_next.next = self.lookup_valid_next.val();
        self.refusals.lookup_actions.next = self.lookup_actions.val();
        self.refusals.upstream_fault.next = self.upstream_fault.val();
        self.refusals.operand_fault.next = self.operand_fault.val();
        self.refusals.lookup_open.next = self.lookup_row.val().open;
        self.refusals.silent.next = self.lookup_silent.val();
        self.refusals.commit_actions.next = actions;
        self.refusals.commit_origin.next = self.commit_origin.q.val();
        self.refusals.targets_row.next = self.commit_targets_row.q.val();
        self.refusals.checked.next = self.checked.val();
        self.refusals.findings.next = self.findings.val();
        self.refusals.no_result.next = self.no_result.val();
        self.refused.next = self.refusals.refused.val();
        self.fault_space_next.next = self.refusals.fault_space_next.val();
        self.lost_faults.next = self.refusals.lost_faults.val();
        Channel::join(&mut self.refusals.fault, &mut self.fault);

        // The effects.
        self.actions.next = actions;
        self.origin.next = self.commit_origin.q.val();
        self.target.next = self.commit_target.q.val();
        self.saved.next = self.commit_saved.q.val();
        self.warp_state.next = self.commit_warp_state.q.val();
        self.result.next = self.commit_result.q.val();
        self.row_before.next = self.commit_row_before.q.val();
        self.row.next = row;
        self.completion.next = completion;
        self.clears_warps.next = self.commit_clears_warps.q.val();
        self.writes_row.next = changes_row | actions.exits | actions.is_scrub;
        self.row_changes.next = (changes_row & self.commit_targets_row.q.val()) | completion.exit_completes;
        self.complete.next = (changes_row & completion.completes_if_written) | completion.exit_completes;
        self.reduction_value.next = row.sum;
        if row.reduction == Reduction::And {
            self.reduction_value.next = row.sum ^ 1;
        }
    }
}
