// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the operation in the lookup stage against its row, its CTA and its warp.
//!
//! *Reads:* the operation in the lookup stage with its operands, and its faults from upstream and of the operands; the
//! operation's row, and whether its warp has arrived at that row; the sizes and the live warps of its CTA. *Writes:* in the
//! same cycle whether the row will be written; one cycle later whether the operation changes its row and its warp, and the
//! faults found. *Latency:* 0 and 1. Implements the part of the fault table of `docs/contract/faults.md` that depends on the
//! row, the CTA or the warp.
//!
//! The input that reports whether the warp has arrived comes last in the cycle. So each result is computed for both values
//! of this input, and then selected. A Write to Warp has two lookup cycles; in the first, its result is compared with the
//! maximum.

use super::commit_payloads::{Checked, Findings};
use super::lookup_payloads::{Actions, LiveWarps, OperandFault, Row, RowMatch, RowOperands, Sizes, WarpArrival};
use super::more_than::MoreThan;
use super::parts::Parts;
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, counts of barriers of `IW` bits, sums of a reduction of `AW` bits.
#[block]
pub struct Check<CW, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub lookup_actions: Signal<In, Actions>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<In, FaultCode>,
    pub operand_fault: Signal<In, OperandFault>,
    /// Barrier id of the row that the operation in the lookup stage looks up.
    pub row_id: Signal<In, Bits<4>>,
    pub row_operands: Signal<In, RowOperands<CW, AW>>,
    /// For a Write to Warp in the lookup stage: the result in its state word.
    pub word_result: Signal<In, Bits<AW>>,
    /// The warp of the operation waits after the operation.
    pub waits: Signal<In, Bit>,
    /// For a Write to Warp in its second lookup cycle: its warp waited in the first.
    pub commit_warp_waits: Signal<In, Bit>,
    pub lookup_row: Signal<In, Row<CW, AW>>,
    pub row_match: Signal<In, RowMatch>,
    pub sizes: Signal<In, Sizes<CW, IW>>,
    pub live_warps: Signal<In, LiveWarps<CW>>,
    pub warp_arrival: Signal<In, WarpArrival>,
    /// The row of the operation in the lookup stage will be written.
    pub lookup_writes_row: Signal<Out, Bit>,
    pub checked: Signal<Out, Checked>,
    pub findings: Signal<Out, Findings>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    /// Compares the POPC result of a Write to Warp with the number of lanes of its CTA: a larger result is a fault.
    #[init(MoreThan::new(config))]
    result_excess: MoreThan,
    /// The output of `result_excess` in the previous cycle, which is the first lookup cycle of a Write to Warp.
    excess_first_slot: DFF<Bit>,
    commit_checked: DFF<Checked>,
    commit_findings: DFF<Findings>,
    /// For both values of the warp's bit in the mask as read: whether the warp had arrived, of the previous cycle.
    commit_has_arrived_if: [DFF<Bit>; 2],
    /// The operation is a Write to Warp that makes its warp wait again.
    restores_wait: Signal<Local, Bit>,
    /// The number of expected warps is above the number of warps launched, or the result of a Write to Warp is too large. Valid
    /// only if a count is given or the result is of POPC.
    is_above_limit: Signal<Local, Bit>,
    /// The count is above the number of warps launched, or the POPC result of a Write to Warp is too large.
    count_exceeds: Signal<Local, Bit>,
    /// The operation is in its last lookup cycle and has a fault from upstream.
    has_upstream_fault: Signal<Local, Bit>,
    /// The operation has a fault that is not from upstream and does not depend on whether the warp has arrived.
    always_rejected: Signal<Local, Bit>,
    checked_row_open: Signal<Local, Bit>,
    /// Whether the warp has arrived. Element 0 is valid if the warp's bit in the mask as read is 0, element 1 if the bit is 1.
    has_arrived_if: [Signal<Local, Bit>; 2],
    /// If the warp's bit in the mask as read is 0 (element 0) or 1 (element 1): the operation changes its row.
    changes_row_if: [Signal<Local, Bit>; 2],
    /// If the warp's bit in the mask as read is 0 (element 0) or 1 (element 1): the operation writes the state of its
    /// warp.
    restores_warp_if: [Signal<Local, Bit>; 2],
    /// If the warp's bit in the mask as read is 0 (element 0) or 1 (element 1): the operation has a fault from upstream,
    /// or one that depends on whether the warp has arrived.
    rejected_if: [Signal<Local, Bit>; 2],
    changes_row: Signal<Local, Bit>,
}

#[block]
impl Logic for Check {
    fn update(&mut self) {
        let checks_built = self.parts.val().faults;
        let actions = self.lookup_actions.val();
        let operands = self.row_operands.val();
        let row = self.lookup_row.val();

        self.restores_wait.next = actions.writes_warp & self.waits.val();

        // Faults that do not depend on whether the warp has arrived.
        self.above_ids.a.next = bit_cast::<5, 4>(self.row_id.val());
        self.above_ids.b.next = bit_cast::<5, IW>(self.sizes.val().barriers);
        self.above_warps.a.next = operands.expected_minus_one;
        self.above_warps.b.next = self.sizes.val().warps;
        self.result_excess.threads.next = bit_cast::<13, AW>(self.word_result.val());
        self.result_excess.warps.next = bit_cast::<7, CW>(self.sizes.val().warps);
        self.excess_first_slot.d.next =
            self.parts.val().reductions & self.parts.val().state_words & self.result_excess.is_more.val();
        self.is_above_limit.next = ((actions.arrives | actions.writes_row) & self.above_warps.is_at_least.val())
            | (actions.writes_warp & self.excess_first_slot.q.val());
        self.count_exceeds.next = operands.has_count & self.is_above_limit.val();
        self.within_live.a.next = self.live_warps.val().live;
        self.within_live.b.next = operands.arrivals;
        self.always_rejected.next = checks_built
            & ((self.operand_fault.val().has_fault & actions.last_slot)
                | (actions.writes_warp & self.commit_warp_waits.val())
                | (actions.writes_row & row.open & row.has_waiter)
                | (actions.arrives & row.open & self.row_match.val().row_mismatch)
                | ((actions.needs_declared_id | self.restores_wait.val()) & self.above_ids.is_at_least.val())
                | self.count_exceeds.val()
                | (actions.writes_row & !operands.has_count & !self.within_live.is_at_least.val()));

        // For both values of the warp's bit in the arrived mask: whether the row changes, whether the warp's state changes,
        // and whether the operation has a fault.
        self.has_upstream_fault.next = checks_built & actions.last_slot & (self.upstream_fault.val() != FaultCode::None);
        self.checked_row_open.next = checks_built & row.open;
        self.has_arrived_if[0].next = self.checked_row_open.val() & self.warp_arrival.val().arrived_if_clear;
        self.has_arrived_if[1].next = self.checked_row_open.val() & self.warp_arrival.val().arrived_if_set;
        for i in 0..2 {
            self.changes_row_if[i].next = actions.writes_row
                | (actions.arrives & !self.has_arrived_if[i].val())
                | (self.restores_wait.val() & self.has_arrived_if[i].val());
            self.restores_warp_if[i].next = actions.writes_warp & (!self.waits.val() | self.has_arrived_if[i].val());
            self.rejected_if[i].next = self.has_upstream_fault.val()
                | (actions.arrives & self.has_arrived_if[i].val())
                | (checks_built & self.restores_wait.val() & !self.has_arrived_if[i].val());
            self.commit_has_arrived_if[i].d.next = self.has_arrived_if[i].val();
        }
        self.commit_findings.d.next.id_undeclared = checks_built & actions.needs_declared_id & self.above_ids.is_at_least.val();
        self.commit_findings.d.next.count_exceeds = self.count_exceeds.val();
        self.commit_findings.d.next.kind_mismatch = row.reduction != operands.op_reduction;
        self.changes_row.next = self.changes_row_if[0].val();
        self.commit_checked.d.next.restores_warp = self.restores_warp_if[0].val() & !self.always_rejected.val();
        self.commit_findings.d.next.rejected = self.rejected_if[0].val() | self.always_rejected.val();
        if checks_built & self.warp_arrival.val().raw_arrived {
            self.changes_row.next = self.changes_row_if[1].val();
            self.commit_checked.d.next.restores_warp = self.restores_warp_if[1].val() & !self.always_rejected.val();
            self.commit_findings.d.next.rejected = self.rejected_if[1].val() | self.always_rejected.val();
        }
        self.commit_checked.d.next.changes_row = self.changes_row.val() & !self.always_rejected.val();
        // An Exit writes its row even if it leaves the row unchanged. A clear step always writes its row.
        self.lookup_writes_row.next = (actions.exits | actions.is_scrub | self.changes_row.val()) & !self.always_rejected.val();
        // `has_arrived` itself is selected one cycle later, so it is not on the path to `lookup_writes_row`.
        self.commit_checked.d.next.has_arrived = self.warp_arrival.val().raw_arrived;
        if self.reset.val() {
            self.commit_findings.d.next.id_undeclared = false;
            self.commit_checked.d.next.changes_row = false;
            self.commit_checked.d.next.restores_warp = false;
            self.commit_findings.d.next.rejected = false;
        }
        self.findings.next = self.commit_findings.q.val();
        self.checked.next = self.commit_checked.q.val();
        self.checked.next.has_arrived = self.commit_has_arrived_if[0].q.val();
        if self.commit_checked.q.val().has_arrived {
            self.checked.next.has_arrived = self.commit_has_arrived_if[1].q.val();
        }
    }
}
