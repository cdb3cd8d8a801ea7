// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barriers: the rows with their masks, the check of an operation against its row, and the next state of that row.
//!
//! *Reads:* the row that is read; the operation in the lookup stage with its operands and its warp; the sizes and the live warps of
//! the operation's CTA; the new row of the operation in the commit stage. *Writes:* the row of the operation in the lookup stage,
//! and the next state of that row; one cycle later the results of the checks, and the warps that wait at the row. *Latency:* 1.
//! Implements bar/barrier of specs 000 and 002, and the barrier state of spec 001.

use super::check::Check;
use super::commit_payloads::{Checked, Findings, Outcome, RowWaiters};
use super::entering_payloads::ReadPlace;
use super::lookup_payloads::{Actions, LiveWarps, OperandFault, Row, RowOperands, Sizes, WarpState};
use super::masks::Masks;
use super::next_row::NextRow;
use super::parts::Parts;
use super::rows::Rows;
use crate::prelude::*;

/// Sizes: `W` warps, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of `LI` bits, row addresses of
/// `RA` bits, counts of barriers of `IW` bits, sums of a reduction of `AW` bits.
#[block]
pub struct Barriers<W, CW, LC, LI, RA, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub place: Signal<In, ReadPlace<LC, LI>>,
    /// An Exit without a fault from upstream is in its first lookup cycle.
    pub first_slot_exit: Signal<In, Bit>,
    pub lookup_actions: Signal<In, Actions>,
    /// Barrier id of the row that the operation in the lookup stage looks up.
    pub row_id: Signal<In, Bits<4>>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<In, FaultCode>,
    pub operand_fault: Signal<In, OperandFault>,
    pub row_operands: Signal<In, RowOperands<CW, AW>>,
    pub lookup_warp_state: Signal<In, WarpState>,
    /// For a Write to Warp in the lookup stage: the result in its state word.
    pub word_result: Signal<In, Bits<AW>>,
    /// The warp of the operation in the lookup stage, one-hot.
    pub warp_mask: Signal<In, Bits<W>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    /// The warp of the operation that was in the lookup stage in the previous cycle waits.
    pub commit_warp_waits: Signal<In, Bit>,
    pub sizes: Signal<In, Sizes<CW, IW>>,
    pub live_warps: Signal<In, LiveWarps<CW>>,
    /// The operation in the commit stage writes its row.
    pub commit_writes_row: Signal<In, Bit>,
    /// The new row of the operation in the commit stage.
    pub commit_row: Signal<In, Row<CW, AW>>,
    /// The row of the operation in the commit stage was open before the operation.
    pub was_open: Signal<In, Bit>,
    /// The operation in the commit stage is a Write to Barrier without a fault from upstream.
    pub commit_writes_word: Signal<In, Bit>,
    /// The arrived bit of the warp of the operation in the commit stage is 1 after that operation.
    pub commit_sets_arrived: Signal<In, Bit>,
    pub lookup_row: Signal<Out, Row<CW, AW>>,
    pub outcome: Signal<Out, Outcome<CW, AW>>,
    pub checked: Signal<Out, Checked>,
    pub findings: Signal<Out, Findings>,
    pub row_waiters: Signal<Out, RowWaiters<W>>,
    rows: Rows<CW, LC, LI, RA, AW>,
    masks: Masks<W, RA>,
    #[init(Check::new(config))]
    check: Check<CW, IW, AW>,
    next_row: NextRow<CW, AW>,
}

#[block]
impl Logic for Barriers {
    fn update(&mut self) {
        // The rows.
        self.rows.place.next = self.place.val();
        self.rows.first_slot_exit.next = self.first_slot_exit.val();
        self.rows.lookup_writes_word.next = self.lookup_actions.val().writes_row;
        self.rows.row_operands.next = self.row_operands.val();
        self.rows.lookup_writes_row.next = self.check.lookup_writes_row.val();
        self.rows.commit_writes_row.next = self.commit_writes_row.val();
        self.rows.commit_row.next = self.commit_row.val();
        self.lookup_row.next = self.rows.lookup_row.val();

        // The masks of the rows.
        self.masks.parts.next = self.parts.val();
        self.masks.addresses.next = self.rows.addresses.val();
        self.masks.warp_mask.next = self.warp_mask.val();
        self.masks.same_warp.next = self.same_warp.val();
        self.masks.lookup_actions.next = self.lookup_actions.val();
        self.masks.lookup_warp_state.next = self.lookup_warp_state.val();
        self.masks.lookup_open.next = self.rows.lookup_row.val().open;
        self.masks.checked.next = self.check.checked.val();
        self.masks.commit_writes_word.next = self.commit_writes_word.val();
        self.masks.was_open.next = self.was_open.val();
        self.masks.commit_open.next = self.commit_row.val().open;
        self.masks.commit_sets_arrived.next = self.commit_sets_arrived.val();
        self.row_waiters.next = self.masks.row_waiters.val();

        // The checks.
        self.check.parts.next = self.parts.val();
        self.check.lookup_actions.next = self.lookup_actions.val();
        self.check.upstream_fault.next = self.upstream_fault.val();
        self.check.operand_fault.next = self.operand_fault.val();
        self.check.row_id.next = self.row_id.val();
        self.check.row_operands.next = self.row_operands.val();
        self.check.word_result.next = self.word_result.val();
        self.check.waits.next = self.lookup_warp_state.val().waits;
        self.check.commit_warp_waits.next = self.commit_warp_waits.val();
        self.check.lookup_row.next = self.rows.lookup_row.val();
        self.check.row_match.next = self.rows.row_match.val();
        self.check.sizes.next = self.sizes.val();
        self.check.live_warps.next = self.live_warps.val();
        self.check.warp_arrival.next = self.masks.warp_arrival.val();
        self.checked.next = self.check.checked.val();
        self.findings.next = self.check.findings.val();

        // The next row.
        self.next_row.parts.next = self.parts.val();
        self.next_row.lookup_actions.next = self.lookup_actions.val();
        self.next_row.row_operands.next = self.row_operands.val();
        self.next_row.waits.next = self.lookup_warp_state.val().waits;
        self.next_row.lookup_row.next = self.rows.lookup_row.val();
        self.next_row.adds_to_row.next = self.rows.row_match.val().adds_to_row;
        self.next_row.live_warps.next = self.live_warps.val();
        self.outcome.next = self.next_row.outcome.val();
    }
}
