// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle e of an operation, the last one, in which the operation takes effect.
//!
//! *Reads:* the operation one cycle after entry, or the row to clear; the fault of the operation; its row before and after the
//! operation. *Writes:* one cycle later the effects of the operation, the new row, whether that row was in use before the operation
//! and whether it is in use after the operation. *Latency:* 1. Implements cycle e of `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Actions, Clearing, Effects, Origin, PhaseConsumers, Row, RowUse, Verdict};
use crate::prelude::*;

/// `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct CommitStage<W, LW, CW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation, or a row to clear, is one cycle after entry.
    pub lookup_valid: Signal<In, Bit>,
    pub lookup_actions: Signal<In, Actions>,
    pub lookup_clearing: Signal<In, Clearing>,
    pub lookup_origin: Signal<In, Origin<LW, LC>>,
    /// Barrier id of the operation one cycle after entry.
    pub lookup_id: Signal<In, Bits<8>>,
    /// Mask of warps of the operation one cycle after entry: its warp, one-hot; for a Release the warp slots of the CTA.
    pub lookup_warps: Signal<In, Bits<W>>,
    /// Fault of the operation one cycle after entry; None = no fault.
    pub lookup_fault: Signal<In, FaultCode>,
    /// Row of the operation one cycle after entry, before the operation.
    pub lookup_row: Signal<In, Row<W, CW>>,
    /// The row after the operation.
    pub next_row: Signal<In, Row<W, CW>>,
    /// All participants of a signal have signalled: the phase is complete.
    pub phase_complete: Signal<In, Bit>,
    pub phase_consumers: Signal<In, PhaseConsumers<W>>,
    /// The warp of a wait has signalled as consumer in the open phase.
    pub signalled_consumer: Signal<In, Bit>,
    /// An operation takes effect, or is refused: this is its cycle e.
    pub valid: Signal<Out, Bit>,
    pub effects: Signal<Out, Effects>,
    pub origin: Signal<Out, Origin<LW, LC>>,
    pub verdict: Signal<Out, Verdict>,
    /// Barrier id of the operation in cycle e.
    pub id: Signal<Out, Bits<5>>,
    /// Mask of warps of the operation in cycle e: its warp, one-hot; for a Release the warp slots of the CTA.
    pub acting_warps: Signal<Out, Bits<W>>,
    pub consumers: Signal<Out, PhaseConsumers<W>>,
    /// `row` is written to the memory.
    pub writes_row: Signal<Out, Bit>,
    /// Row of the operation in cycle e, after the operation.
    pub row: Signal<Out, Row<W, CW>>,
    /// Whether `row` was in use before the operation, and whether `row` is in use after the operation.
    pub row_use: Signal<Out, RowUse>,
    /// The row that is cleared in this cycle was in use at the Release of its CTA: a fault.
    pub left_open: Signal<Out, Bit>,
    #[reset]
    commit_valid: DFF<Bit>,
    #[reset]
    commit_effects: DFF<Effects>,
    #[reset]
    commit_origin: DFF<Origin<LW, LC>>,
    #[reset]
    commit_verdict: DFF<Verdict>,
    #[reset]
    commit_id: DFF<Bits<5>>,
    #[reset]
    commit_warps: DFF<Bits<W>>,
    #[reset]
    commit_consumers: DFF<PhaseConsumers<W>>,
    #[reset]
    commit_writes_row: DFF<Bit>,
    commit_row: DFF<Row<W, CW>>,
    /// The row of the operation in cycle e was in use before the operation.
    was_used: DFF<Bit>,
    /// In this cycle a row is cleared after a Release (not after a reset).
    #[reset]
    clears_row: DFF<Bit>,
    /// The operation one cycle after entry has no fault.
    no_fault: Signal<Local, Bit>,
    /// The operation is a Wait that is not refused.
    wait_accepted: Signal<Local, Bit>,
}

#[block]
impl Logic for CommitStage {
    fn update(&mut self) {
        let actions = self.lookup_actions.val();
        let clearing = self.lookup_clearing.val();

        // The operation that takes effect.
        self.no_fault.next = self.lookup_fault.val() == FaultCode::None;
        self.wait_accepted.next = actions.waits & self.no_fault.val();
        self.commit_valid.d.next = self.lookup_valid.val() & !clearing.scrub;
        self.commit_effects.d.next.changes = (actions.signals | actions.waits) & self.no_fault.val();
        self.commit_effects.d.next.completes = actions.signals & self.no_fault.val() & self.phase_complete.val();
        self.commit_effects.d.next.takes_notification = self.wait_accepted.val() & !self.signalled_consumer.val();
        self.commit_effects.d.next.waits = self.wait_accepted.val() & self.signalled_consumer.val();
        self.commit_effects.d.next.cta_release = actions.cta_release;
        self.commit_origin.d.next = self.lookup_origin.val();
        self.commit_verdict.d.next.refused = self.lookup_valid.val() & !self.no_fault.val();
        self.commit_verdict.d.next.fault = self.lookup_fault.val();
        self.commit_id.d.next = bit_cast::<5, 8>(self.lookup_id.val());
        self.commit_warps.d.next = self.lookup_warps.val();
        self.commit_consumers.d.next = self.phase_consumers.val();
        self.valid.next = self.commit_valid.q.val();
        self.effects.next = self.commit_effects.q.val();
        self.origin.next = self.commit_origin.q.val();
        self.verdict.next = self.commit_verdict.q.val();
        self.id.next = self.commit_id.q.val();
        self.acting_warps.next = self.commit_warps.q.val();
        self.consumers.next = self.commit_consumers.q.val();

        // The row of the operation, or the row that is cleared.
        self.commit_row.d.next = self.next_row.val();
        self.commit_writes_row.d.next = self.commit_effects.d.val().changes | clearing.scrub;
        self.was_used.d.next = self.lookup_row.val().open | self.lookup_row.val().waiting_or_notified.any();
        self.clears_row.d.next = clearing.scrub & !clearing.all_slots;
        self.row.next = self.commit_row.q.val();
        self.writes_row.next = self.commit_writes_row.q.val();
        self.row_use.next.before = self.was_used.q.val();
        self.row_use.next.after = self.commit_row.q.val().open | self.commit_row.q.val().waiting_or_notified.any();
        self.left_open.next = self.clears_row.q.val() & self.was_used.q.val();
    }
}
