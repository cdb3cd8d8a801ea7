// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row and of its CTA's entry: counts an arrival or an exit, puts a row where a state word wants it, sees completion.
//!
//! *Reads:* the operation one cycle inside if nothing is wrong with it, its row, its CTA's entry. *Writes:* the new row, the new
//! entry, `complete` with the warps that go on and the result. *Latency:* 0, no state.
//!
//! A row written by a state word is one at which so many warps arrive at once, after it was empty. One comparator serves all forms:
//! arrivals afterwards against the target. For an arrival that is count or live warps; for an exit, arrivals == live - 1 says the same as
//! arrivals + 1 == live. AND is the number of warps that spoke against it, so the result of every reduction comes from one sum.
//! Implements the completion conditions of spec 000 and of BAR and BAR_RED in spec 001.

use crate::unit::op::OpKind;
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, ids in `IW`, sums of `AW` bits.
#[derive(LogicBlock)]
pub struct Advance<const W: usize, const CW: usize, const IW: usize, const AW: usize> {
    /// There is an operation and nothing is wrong with it.
    pub good: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    /// It is a row's turn to be cleared; after reset its slot's entry as well.
    pub clear: Signal<In, Bit>,
    pub clear_cta: Signal<In, Bit>,
    pub mask: Signal<In, Bits<W>>,
    // Its numbers, as in `Operands`.
    pub writes_row: Signal<In, Bit>,
    pub writes_warp: Signal<In, Bit>,
    pub wanted: Signal<In, Bits<CW>>,
    pub steps: Signal<In, Bits<CW>>,
    pub amount: Signal<In, Bits<AW>>,
    pub reduction: Signal<In, Bits<2>>,
    pub arrives: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub idle: Signal<In, Bit>,
    // Its row.
    pub arrived: Signal<In, Bits<W>>,
    pub waiting: Signal<In, Bits<W>>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub row_reduction: Signal<In, Bits<2>>,
    pub sum: Signal<In, Bits<AW>>,
    // Its CTA.
    pub warps: Signal<In, Bits<CW>>,
    pub live: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    pub open: Signal<In, Bits<IW>>,
    pub uncounted: Signal<In, Bits<IW>>,
    /// Launch: the entry to write.
    pub launch_warps: Signal<In, Bits<CW>>,
    pub launch_live: Signal<In, Bits<CW>>,
    pub launch_barriers: Signal<In, Bits<5>>,
    pub row_write: Signal<Out, Bit>,
    pub new_arrived: Signal<Out, Bits<W>>,
    pub new_waiting: Signal<Out, Bits<W>>,
    pub new_count: Signal<Out, Bits<CW>>,
    pub new_expected: Signal<Out, Bits<CW>>,
    pub new_reduction: Signal<Out, Bits<2>>,
    pub new_sum: Signal<Out, Bits<AW>>,
    pub cta_write: Signal<Out, Bit>,
    pub new_warps: Signal<Out, Bits<CW>>,
    pub new_live: Signal<Out, Bits<CW>>,
    pub new_barriers: Signal<Out, Bits<IW>>,
    pub new_open: Signal<Out, Bits<IW>>,
    pub new_uncounted: Signal<Out, Bits<IW>>,
    /// A generation is complete: who goes on, what was reduced (0 = nothing), the result.
    pub complete: Signal<Out, Bit>,
    pub go: Signal<Out, Bits<W>>,
    pub done: Signal<Out, Bits<2>>,
    pub done_value: Signal<Out, Bits<AW>>,
    /// Its row is now the CTA's last one without a count.
    pub record: Signal<Out, Bit>,
    /// A second row without a count opens.
    pub tangles: Signal<Out, Bit>,
    /// A release finds open rows.
    pub dirty: Signal<Out, Bit>,
    lands: Signal<Local, Bit>,
    exit: Signal<Local, Bit>,
    launch: Signal<Local, Bit>,
    release: Signal<Local, Bit>,
    was_open: Signal<Local, Bit>,
    was_uncounted: Signal<Local, Bit>,
    now_open: Signal<Local, Bit>,
    now_uncounted: Signal<Local, Bit>,
    changes: Signal<Local, Bit>,
    before: Signal<Local, Bits<CW>>,
    after: Signal<Local, Bits<CW>>,
    target: Signal<Local, Bits<CW>>,
    reached: Signal<Local, Bit>,
    total: Signal<Local, Bits<AW>>,
    joined: Signal<Local, Bits<W>>,
    empties: Signal<Local, Bit>,
    open_step: Signal<Local, Bits<IW>>,
    uncounted_step: Signal<Local, Bits<IW>>,
    built: Constant<Bits<5>>,
    minus_one: Constant<Bits<IW>>,
}

impl<const W: usize, const CW: usize, const IW: usize, const AW: usize> Advance<W, CW, IW, AW> {
    /// `built`: barriers built per CTA, at most 16; a launch that declares more gets these.
    pub fn new(built: usize) -> Self {
        crate::fresh!(Advance {
            good, kind, clear, clear_cta, mask, writes_row, writes_warp, wanted, steps, amount, reduction, arrives, waits, idle,
            arrived, waiting, count, expected, row_reduction, sum, warps, live, barriers, open, uncounted, launch_warps,
            launch_live, launch_barriers, row_write, new_arrived, new_waiting, new_count, new_expected, new_reduction, new_sum,
            cta_write, new_warps, new_live, new_barriers, new_open, new_uncounted, complete, go, done, done_value, record,
            tangles, dirty, lands, exit, launch, release, was_open, was_uncounted, now_open, now_uncounted, changes, before,
            after, target, reached, total, joined, empties, open_step, uncounted_step;
            built: Constant::new((built as u64).into()),
            minus_one: Constant::new(((1u64 << IW) - 1).into())
        })
    }
}

impl<const W: usize, const CW: usize, const IW: usize, const AW: usize> Logic for Advance<W, CW, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.exit.next = self.good.val() & (self.kind.val() == OpKind::Exit);
        self.launch.next = self.good.val() & (self.kind.val() == OpKind::Launch);
        self.release.next = self.good.val() & (self.kind.val() == OpKind::Release);
        self.lands.next = self.good.val()
            & (self.writes_row.val()
                | (self.kind.val() == OpKind::Sync)
                | (self.kind.val() == OpKind::Arrive)
                | (self.kind.val() == OpKind::Reduce));

        // What is there with it.
        self.before.next = self.count.val();
        self.total.next = self.sum.val();
        self.done.next = self.row_reduction.val();
        if self.writes_row.val() {
            self.before.next = 0.into();
            self.total.next = 0.into();
            self.done.next = 0.into();
        }
        self.after.next = self.before.val() + self.steps.val();
        self.total.next = self.total.val() + self.amount.val();
        self.done.next = self.done.val() | self.reduction.val();
        self.joined.next = self.waiting.val();
        if self.waits.val() {
            self.joined.next = self.waiting.val() | self.mask.val();
        }

        // Completion.
        self.was_open.next = self.count.val().any();
        self.was_uncounted.next = self.was_open.val() & !self.expected.val().any();
        self.target.next = self.wanted.val();
        if !self.wanted.val().any() {
            self.target.next = self.live.val();
        }
        self.reached.next = self.after.val() == self.target.val();
        self.complete.next =
            self.reached.val() & ((self.lands.val() & !self.idle.val()) | (self.exit.val() & self.was_uncounted.val()));
        self.go.next = 0.into();
        if self.complete.val() {
            self.go.next = self.joined.val();
        }
        self.done_value.next = 0.into();
        if ((self.done.val() == 1) & !self.total.val().any()) | ((self.done.val() == 2) & self.total.val().any()) {
            self.done_value.next = 1.into();
        }
        if self.done.val() == 3 {
            self.done_value.next = self.total.val();
        }

        // The row; a warp that waits again changes nothing but that.
        self.row_write.next = self.lands.val()
            | self.complete.val()
            | self.clear.val()
            | (self.good.val() & self.writes_warp.val() & self.waits.val());
        self.empties.next = self.complete.val() | self.clear.val() | self.idle.val();
        self.new_arrived.next = self.arrived.val() & !self.mask.val();
        if self.arrives.val() {
            self.new_arrived.next = self.arrived.val() | self.mask.val();
        }
        self.new_waiting.next = self.joined.val();
        self.new_count.next = self.after.val();
        self.new_expected.next = self.wanted.val();
        if self.writes_warp.val() {
            self.new_expected.next = self.expected.val();
        }
        self.new_reduction.next = self.done.val();
        self.new_sum.next = self.total.val();
        if self.empties.val() {
            self.new_arrived.next = 0.into();
            self.new_waiting.next = 0.into();
            self.new_count.next = 0.into();
            self.new_expected.next = 0.into();
            self.new_reduction.next = 0.into();
            self.new_sum.next = 0.into();
        }

        // How many rows are open, with a count or without.
        self.changes.next = self.lands.val() | self.complete.val();
        self.now_open.next = self.lands.val() & !self.empties.val();
        self.now_uncounted.next = self.now_open.val() & !self.wanted.val().any();
        self.record.next = self.lands.val() & !self.idle.val() & !self.wanted.val().any();
        self.open_step.next = 0.into();
        if self.now_open.val() & !self.was_open.val() {
            self.open_step.next = 1.into();
        }
        if self.changes.val() & !self.now_open.val() & self.was_open.val() {
            self.open_step.next = self.minus_one.val();
        }
        self.uncounted_step.next = 0.into();
        if self.now_uncounted.val() & !self.was_uncounted.val() {
            self.uncounted_step.next = 1.into();
        }
        if self.changes.val() & !self.now_uncounted.val() & self.was_uncounted.val() {
            self.uncounted_step.next = self.minus_one.val();
        }

        // The CTA's entry.
        self.dirty.next = self.release.val() & self.open.val().any();
        self.cta_write.next = self.good.val() | self.clear_cta.val();
        self.new_warps.next = self.warps.val();
        self.new_live.next = self.live.val();
        self.new_barriers.next = self.barriers.val();
        self.new_open.next = self.open.val() + self.open_step.val();
        self.new_uncounted.next = self.uncounted.val() + self.uncounted_step.val();
        // As `new_uncounted > 1`, wrap-around included, but without waiting for the sum.
        self.tangles.next =
            self.now_uncounted.val() & !self.was_uncounted.val() & self.uncounted.val().any() & !self.uncounted.val().all();
        if self.exit.val() {
            self.new_live.next = self.live.val() - 1;
        }
        if self.launch.val() | self.clear_cta.val() {
            self.new_warps.next = self.launch_warps.val();
            self.new_live.next = self.launch_live.val();
            self.new_barriers.next = bit_cast::<IW, 5>(self.launch_barriers.val());
            if self.launch_barriers.val() > self.built.val() {
                self.new_barriers.next = bit_cast::<IW, 5>(self.built.val());
            }
        }
        if self.release.val() | self.launch.val() | self.clear_cta.val() {
            self.new_open.next = 0.into();
            self.new_uncounted.next = 0.into();
        }
        // Without barriers nothing counts live warps, but a warp's state may name a result before any launch.
        if self.clear_cta.val() {
            self.new_warps.next = 0.into();
            self.new_barriers.next = 0.into();
        }
    }
}
