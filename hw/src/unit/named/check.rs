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
use super::inside::Inside;
use super::more_than::MoreThan;
use crate::prelude::*;

#[block]
pub struct Check<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    /// The row of the operation in the lookup stage will be written.
    pub writes: Signal<Out, Bit>,
    pub checked: Signal<Out, Checked>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    /// The POPC result of a Write to Warp is more than the lanes of its CTA.
    #[init(MoreThan::new(config))]
    excess: MoreThan,
    /// The output of `excess` in the cycle before: the first slot of the Write.
    excess_first_slot: DFF<Bit>,
    checked_q: DFF<Checked>,
    /// `has_arrived_if` of the cycle before.
    has_arrived_if_q: [DFF<Bit>; 2],
    checks: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    /// A Write to Warp that makes its warp wait again.
    rejoins: Signal<Local, Bit>,
    /// The count exceeds the warps launched.
    exceeds: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    /// The operation has a fault from upstream.
    coded: Signal<Local, Bit>,
    /// The operation has a fault that does not depend on whether the warp has arrived.
    rejects: Signal<Local, Bit>,
    if_open: Signal<Local, Bit>,
    /// Whether the warp has arrived: [0] if its bit in the mask as read is 0, [1] if it is 1.
    has_arrived_if: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation changes its row.
    row_changes: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation writes the state of its warp.
    warp_changes: [Signal<Local, Bit>; 2],
    /// For each value of `has_arrived`: the operation has a fault.
    rejected_if: [Signal<Local, Bit>; 2],
    changes: Signal<Local, Bit>,
}

#[block]
impl Logic for Check<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.checks.next = self.inside.val().parts.faults;
        self.arrives.next = self.inside.val().step.arrives;
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.waits.next = self.inside.val().numbers.waits;
        self.rejoins.next = self.writes_warp.val() & self.waits.val();

        // Faults that do not depend on whether the warp has arrived.
        self.above_ids.a.next = bit_cast::<5, 4>(self.inside.val().op.row_id);
        self.above_ids.b.next = bit_cast::<5, IW>(self.inside.val().sizes.barriers);
        self.above_warps.a.next = self.inside.val().numbers.before_last;
        self.above_warps.b.next = self.inside.val().sizes.warps;
        self.excess.threads.next = bit_cast::<13, AW>(self.inside.val().numbers.result);
        self.excess.warps.next = bit_cast::<7, CW>(self.inside.val().sizes.warps);
        self.excess_first_slot.d.next =
            self.inside.val().parts.reductions & self.inside.val().parts.state_words & self.excess.yes.val();
        self.exceeds.next = self.inside.val().numbers.has_count
            & (((self.arrives.val() | self.writes_row.val()) & self.above_warps.is_at_least.val())
                | (self.writes_warp.val() & self.excess_first_slot.q.val()));
        self.within_live.a.next = self.inside.val().present.live;
        self.within_live.b.next = self.inside.val().numbers.steps;
        self.rejects.next = self.checks.val()
            & ((self.inside.val().flaw.flawed & self.inside.val().step.acts)
                | (self.writes_warp.val() & self.inside.val().waits_now)
                | (self.writes_row.val() & self.inside.val().row.open & self.inside.val().row.awaited)
                | (self.arrives.val() & self.inside.val().row.open & self.inside.val().look.differs)
                | ((self.inside.val().step.named | self.rejoins.val()) & self.above_ids.is_at_least.val())
                | self.exceeds.val()
                | (self.writes_row.val() & !self.inside.val().numbers.has_count & !self.within_live.is_at_least.val()));

        // For both values of `has_arrived`: whether the row changes, and whether the warp's state does.
        self.coded.next = self.checks.val() & self.inside.val().step.acts & (self.inside.val().op.code != FaultCode::None);
        self.if_open.next = self.checks.val() & self.inside.val().row.open;
        self.has_arrived_if[0].next = self.if_open.val() & self.inside.val().own.arrived_if_raw_0;
        self.has_arrived_if[1].next = self.if_open.val() & self.inside.val().own.arrived_if_raw_1;
        for i in 0..2 {
            self.row_changes[i].next = self.writes_row.val()
                | (self.arrives.val() & !self.has_arrived_if[i].val())
                | (self.rejoins.val() & self.has_arrived_if[i].val());
            self.warp_changes[i].next = self.writes_warp.val() & (!self.waits.val() | self.has_arrived_if[i].val());
            self.rejected_if[i].next = self.coded.val()
                | (self.arrives.val() & self.has_arrived_if[i].val())
                | (self.checks.val() & self.rejoins.val() & !self.has_arrived_if[i].val());
            self.has_arrived_if_q[i].d.next = self.has_arrived_if[i].val();
        }
        self.checked_q.d.next.undeclared = self.checks.val() & self.inside.val().step.named & self.above_ids.is_at_least.val();
        self.checked_q.d.next.exceeds = self.exceeds.val();
        self.checked_q.d.next.kind_mismatch = self.inside.val().row.reduction != self.inside.val().numbers.wanted_reduction;
        self.changes.next = self.row_changes[0].val();
        self.checked_q.d.next.restores = self.warp_changes[0].val() & !self.rejects.val();
        self.checked_q.d.next.rejected = self.rejected_if[0].val() | self.rejects.val();
        if self.checks.val() & self.inside.val().own.raw {
            self.changes.next = self.row_changes[1].val();
            self.checked_q.d.next.restores = self.warp_changes[1].val() & !self.rejects.val();
            self.checked_q.d.next.rejected = self.rejected_if[1].val() | self.rejects.val();
        }
        self.checked_q.d.next.changes = self.changes.val() & !self.rejects.val();
        // An Exit writes its row in any case, even unchanged; so does a clear step.
        self.writes.next =
            (self.inside.val().step.exits | self.inside.val().step.scrub | self.changes.val()) & !self.rejects.val();
        // `has_arrived` is selected one cycle later, off the path to `writes`.
        self.checked_q.d.next.has_arrived = self.inside.val().own.raw;
        if self.reset.val() {
            self.checked_q.d.next.undeclared = false;
            self.checked_q.d.next.changes = false;
            self.checked_q.d.next.restores = false;
            self.checked_q.d.next.rejected = false;
        }
        self.checked.next = self.checked_q.q.val();
        self.checked.next.has_arrived = self.has_arrived_if_q[0].q.val();
        if self.checked_q.q.val().has_arrived {
            self.checked.next.has_arrived = self.has_arrived_if_q[1].q.val();
        }
    }
}
