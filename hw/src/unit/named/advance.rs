// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row and of its CTA's entry: counts an arrival or an exit, and sees completion.
//!
//! *Reads:* the operation one cycle inside if nothing is wrong with it, its row, its CTA's entry. *Writes:* the new row, the new
//! entry, `complete` with the warps that go on. *Latency:* 0, no state.
//!
//! One comparator serves all forms: arrivals + 1 against the target. For an arrival that is count or live warps; for an exit,
//! arrivals == live - 1 says the same as arrivals + 1 == live. Implements the completion conditions of spec 000 and of BAR.SYNC and
//! BAR.ARV in spec 001.

use crate::unit::op::OpKind;
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, ids in `IW`.
#[derive(LogicBlock)]
pub struct Advance<const W: usize, const CW: usize, const IW: usize> {
    /// There is an operation and nothing is wrong with it.
    pub good: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    /// It is a row's turn to be cleared; after reset its slot's entry as well.
    pub clear: Signal<In, Bit>,
    pub clear_cta: Signal<In, Bit>,
    pub warp_mask: Signal<In, Bits<W>>,
    pub wanted: Signal<In, Bits<CW>>,
    pub arrived: Signal<In, Bits<W>>,
    pub waiting: Signal<In, Bits<W>>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub warps: Signal<In, Bits<CW>>,
    pub live: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    pub open: Signal<In, Bits<IW>>,
    /// Launch: the entry to write.
    pub launch_warps: Signal<In, Bits<CW>>,
    pub launch_live: Signal<In, Bits<CW>>,
    pub launch_barriers: Signal<In, Bits<5>>,
    pub row_write: Signal<Out, Bit>,
    pub new_arrived: Signal<Out, Bits<W>>,
    pub new_waiting: Signal<Out, Bits<W>>,
    pub new_count: Signal<Out, Bits<CW>>,
    pub new_expected: Signal<Out, Bits<CW>>,
    pub cta_write: Signal<Out, Bit>,
    pub new_warps: Signal<Out, Bits<CW>>,
    pub new_live: Signal<Out, Bits<CW>>,
    pub new_barriers: Signal<Out, Bits<IW>>,
    pub new_open: Signal<Out, Bits<IW>>,
    pub complete: Signal<Out, Bit>,
    pub go: Signal<Out, Bits<W>>,
    /// A release finds open rows.
    pub dirty: Signal<Out, Bit>,
    arrival: Signal<Local, Bit>,
    exit: Signal<Local, Bit>,
    launch: Signal<Local, Bit>,
    release: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    reached: Signal<Local, Bit>,
    sum: Signal<Local, Bits<CW>>,
    target: Signal<Local, Bits<CW>>,
    joined: Signal<Local, Bits<W>>,
    built: Constant<Bits<5>>,
}

impl<const W: usize, const CW: usize, const IW: usize> Advance<W, CW, IW> {
    /// `built`: barriers built per CTA, at most 16; a launch that declares more gets these.
    pub fn new(built: usize) -> Self {
        crate::fresh!(Advance {
            good, kind, clear, clear_cta, warp_mask, wanted, arrived, waiting, count, expected, warps, live, barriers,
            open, launch_warps, launch_live, launch_barriers, row_write, new_arrived, new_waiting, new_count,
            new_expected, cta_write, new_warps, new_live, new_barriers, new_open, complete, go, dirty, arrival, exit,
            launch, release, is_open, reached, sum, target, joined;
            built: Constant::new((built as u64).into())
        })
    }
}

impl<const W: usize, const CW: usize, const IW: usize> Logic for Advance<W, CW, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.exit.next = self.good.val() & (self.kind.val() == OpKind::Exit);
        self.launch.next = self.good.val() & (self.kind.val() == OpKind::Launch);
        self.release.next = self.good.val() & (self.kind.val() == OpKind::Release);
        self.arrival.next = self.good.val() & ((self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive));

        // Completion.
        self.is_open.next = self.count.val().any();
        self.sum.next = self.count.val() + 1;
        self.target.next = self.wanted.val();
        if !self.wanted.val().any() {
            self.target.next = self.live.val();
        }
        self.reached.next = self.sum.val() == self.target.val();
        self.complete.next =
            self.reached.val() & (self.arrival.val() | (self.exit.val() & self.is_open.val() & !self.expected.val().any()));
        self.joined.next = self.waiting.val();
        if self.arrival.val() & (self.kind.val() == OpKind::Sync) {
            self.joined.next = self.waiting.val() | self.warp_mask.val();
        }
        self.go.next = self.joined.val();

        // The row.
        self.row_write.next = self.arrival.val() | self.complete.val() | self.clear.val();
        self.new_arrived.next = self.arrived.val() | self.warp_mask.val();
        self.new_waiting.next = self.joined.val();
        self.new_count.next = self.sum.val();
        self.new_expected.next = self.wanted.val();
        if self.complete.val() | self.clear.val() {
            self.new_arrived.next = 0.into();
            self.new_waiting.next = 0.into();
            self.new_count.next = 0.into();
            self.new_expected.next = 0.into();
        }

        // The CTA's entry.
        self.dirty.next = self.release.val() & self.open.val().any();
        self.cta_write.next =
            self.arrival.val() | self.exit.val() | self.launch.val() | self.release.val() | self.clear_cta.val();
        self.new_warps.next = self.warps.val();
        self.new_live.next = self.live.val();
        self.new_barriers.next = self.barriers.val();
        self.new_open.next = self.open.val();
        if self.exit.val() {
            self.new_live.next = self.live.val() - 1;
        }
        if self.complete.val() & self.is_open.val() {
            self.new_open.next = self.open.val() - 1;
        }
        if self.arrival.val() & !self.complete.val() & !self.is_open.val() {
            self.new_open.next = self.open.val() + 1;
        }
        if self.release.val() {
            self.new_open.next = 0.into();
        }
        if self.launch.val() | self.clear_cta.val() {
            self.new_warps.next = self.launch_warps.val();
            self.new_live.next = self.launch_live.val();
            self.new_barriers.next = bit_cast::<IW, 5>(self.launch_barriers.val());
            if self.launch_barriers.val() > self.built.val() {
                self.new_barriers.next = bit_cast::<IW, 5>(self.built.val());
            }
            self.new_open.next = 0.into();
        }
        if self.clear_cta.val() {
            self.new_warps.next = 0.into();
            self.new_live.next = 0.into();
            self.new_barriers.next = 0.into();
        }
    }
}
