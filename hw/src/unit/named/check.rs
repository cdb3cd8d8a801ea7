// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether an operation has a fault, and whether it may change its row or its warp.
//!
//! *Reads:* the operation in the lookup stage, with its row, the entry of its CTA and whether its warp waits. *Writes:* in the
//! same cycle whether its row will be written; one cycle later the faults that were found, and whether it changes its row or its
//! warp's state. *Latency:* 1. Implements the part of the fault table of `docs/contract/faults.md` that depends on rows and CTAs: the
//! cases that specs 000 to 002 call undefined, unpredictable or a run-time exception.
//!
//! Whether the warp has arrived is the last input in the cycle, so all results are computed for both values, and selected then.
//! Whether a Write to Warp has a result that is too large is computed in the first of its two slots.

use super::ctrl::Checked;
use super::lookup_op::LookupOp;
use super::more_than::MoreThan;
use crate::prelude::*;

#[block]
pub struct Check<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    /// The row of the operation in the lookup stage will be written.
    pub lookup_writes_row: Signal<Out, Bit>,
    pub checked: Signal<Out, Checked>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    /// The POPC result of a Write to Warp is more than the lanes of its CTA.
    #[init(MoreThan::new(config))]
    result_excess: MoreThan,
    /// The output of `result_excess` in the cycle before: the first slot of the Write.
    excess_first_slot: DFF<Bit>,
    checked_q: DFF<Checked>,
    /// `has_arrived_if` of the cycle before.
    has_arrived_if_q: [DFF<Bit>; 2],
    checks_built: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    /// A Write to Warp that makes its warp wait again.
    restores_wait: Signal<Local, Bit>,
    /// The count exceeds the warps launched.
    count_exceeds: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    /// The operation has a fault from upstream.
    has_upstream_fault: Signal<Local, Bit>,
    /// The operation has a fault that does not depend on whether the warp has arrived.
    always_rejected: Signal<Local, Bit>,
    checked_row_open: Signal<Local, Bit>,
    /// Whether the warp has arrived: [0] if its bit in the mask as read is 0, [1] if it is 1.
    has_arrived_if: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation changes its row.
    changes_row_if: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation writes the state of its warp.
    restores_warp_if: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation has a fault.
    rejected_if: [Signal<Local, Bit>; 2],
    changes_row: Signal<Local, Bit>,
}

#[block]
impl Logic for Check<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.checks_built.next = self.lookup_op.val().parts.faults;
        self.arrives.next = self.lookup_op.val().actions.arrives;
        self.writes_row.next = self.lookup_op.val().actions.writes_row;
        self.writes_warp.next = self.lookup_op.val().actions.writes_warp;
        self.waits.next = self.lookup_op.val().numbers.waits;
        self.restores_wait.next = self.writes_warp.val() & self.waits.val();

        // Faults that do not depend on whether the warp has arrived.
        self.above_ids.a.next = bit_cast::<5, 4>(self.lookup_op.val().op.row_id);
        self.above_ids.b.next = bit_cast::<5, IW>(self.lookup_op.val().sizes.barriers);
        self.above_warps.a.next = self.lookup_op.val().numbers.expected_minus_one;
        self.above_warps.b.next = self.lookup_op.val().sizes.warps;
        self.result_excess.threads.next = bit_cast::<13, AW>(self.lookup_op.val().numbers.result);
        self.result_excess.warps.next = bit_cast::<7, CW>(self.lookup_op.val().sizes.warps);
        self.excess_first_slot.d.next =
            self.lookup_op.val().parts.reductions & self.lookup_op.val().parts.state_words & self.result_excess.is_more.val();
        self.count_exceeds.next = self.lookup_op.val().numbers.has_count
            & (((self.arrives.val() | self.writes_row.val()) & self.above_warps.is_at_least.val())
                | (self.writes_warp.val() & self.excess_first_slot.q.val()));
        self.within_live.a.next = self.lookup_op.val().live_warps.live;
        self.within_live.b.next = self.lookup_op.val().numbers.arrivals;
        self.always_rejected.next = self.checks_built.val()
            & ((self.lookup_op.val().operand_fault.has_fault & self.lookup_op.val().actions.last_slot)
                | (self.writes_warp.val() & self.lookup_op.val().commit_warp_waits)
                | (self.writes_row.val() & self.lookup_op.val().row.open & self.lookup_op.val().row.has_waiter)
                | (self.arrives.val() & self.lookup_op.val().row.open & self.lookup_op.val().row_match.row_mismatch)
                | ((self.lookup_op.val().actions.needs_declared_id | self.restores_wait.val())
                    & self.above_ids.is_at_least.val())
                | self.count_exceeds.val()
                | (self.writes_row.val() & !self.lookup_op.val().numbers.has_count & !self.within_live.is_at_least.val()));

        // For both values of `has_arrived`: whether the row changes, and whether the warp's state does.
        self.has_upstream_fault.next = self.checks_built.val()
            & self.lookup_op.val().actions.last_slot
            & (self.lookup_op.val().op.fault_code != FaultCode::None);
        self.checked_row_open.next = self.checks_built.val() & self.lookup_op.val().row.open;
        self.has_arrived_if[0].next = self.checked_row_open.val() & self.lookup_op.val().op_warp.arrived_if_clear;
        self.has_arrived_if[1].next = self.checked_row_open.val() & self.lookup_op.val().op_warp.arrived_if_set;
        for i in 0..2 {
            self.changes_row_if[i].next = self.writes_row.val()
                | (self.arrives.val() & !self.has_arrived_if[i].val())
                | (self.restores_wait.val() & self.has_arrived_if[i].val());
            self.restores_warp_if[i].next = self.writes_warp.val() & (!self.waits.val() | self.has_arrived_if[i].val());
            self.rejected_if[i].next = self.has_upstream_fault.val()
                | (self.arrives.val() & self.has_arrived_if[i].val())
                | (self.checks_built.val() & self.restores_wait.val() & !self.has_arrived_if[i].val());
            self.has_arrived_if_q[i].d.next = self.has_arrived_if[i].val();
        }
        self.checked_q.d.next.id_undeclared =
            self.checks_built.val() & self.lookup_op.val().actions.needs_declared_id & self.above_ids.is_at_least.val();
        self.checked_q.d.next.count_exceeds = self.count_exceeds.val();
        self.checked_q.d.next.kind_mismatch = self.lookup_op.val().row.reduction != self.lookup_op.val().numbers.op_reduction;
        self.changes_row.next = self.changes_row_if[0].val();
        self.checked_q.d.next.restores_warp = self.restores_warp_if[0].val() & !self.always_rejected.val();
        self.checked_q.d.next.rejected = self.rejected_if[0].val() | self.always_rejected.val();
        if self.checks_built.val() & self.lookup_op.val().op_warp.raw_arrived {
            self.changes_row.next = self.changes_row_if[1].val();
            self.checked_q.d.next.restores_warp = self.restores_warp_if[1].val() & !self.always_rejected.val();
            self.checked_q.d.next.rejected = self.rejected_if[1].val() | self.always_rejected.val();
        }
        self.checked_q.d.next.changes_row = self.changes_row.val() & !self.always_rejected.val();
        // An Exit writes its row in any case, even unchanged; so does a clear step.
        self.lookup_writes_row.next =
            (self.lookup_op.val().actions.exits | self.lookup_op.val().actions.is_scrub | self.changes_row.val())
                & !self.always_rejected.val();
        // `has_arrived` is selected one cycle later, off the path to `lookup_writes_row`.
        self.checked_q.d.next.has_arrived = self.lookup_op.val().op_warp.raw_arrived;
        if self.reset.val() {
            self.checked_q.d.next.id_undeclared = false;
            self.checked_q.d.next.changes_row = false;
            self.checked_q.d.next.restores_warp = false;
            self.checked_q.d.next.rejected = false;
        }
        self.checked.next = self.checked_q.q.val();
        self.checked.next.has_arrived = self.has_arrived_if_q[0].q.val();
        if self.checked_q.q.val().has_arrived {
            self.checked.next.has_arrived = self.has_arrived_if_q[1].q.val();
        }
    }
}
