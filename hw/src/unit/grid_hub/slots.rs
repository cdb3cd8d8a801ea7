// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of every grid, from its open by the host to its close, and the prerequisites that it still waits for.
//!
//! *Reads:* the requests of the host; whether all CTAs of each grid have issued, and ended; which grid is flushed. *Writes:*
//! the answers to the host; the state of every grid; the grids that may be launched. *Latency:* 1. Implements *Host*,
//! *Completion* and *Launches* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridAnswer, GridOpen, NamedGrid};

/// `G = 2^KG` grids.
#[block]
pub struct GridSlots<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The host opens a grid.
    pub open: Sink<GridOpen<KG, G>>,
    /// Answer to an open.
    pub opened: StrobeOut<GridAnswer<KG>>,
    /// The host closes a grid.
    pub close: Sink<NamedGrid<KG>>,
    /// Answer to a close.
    pub closed: StrobeOut<GridAnswer<KG>>,
    /// A grid is flushed.
    pub flushed: StrobeIn<NamedGrid<KG>>,
    /// Grids whose CTAs have all issued.
    pub all_issued: Signal<In, Bits<G>>,
    /// Grids whose CTAs have all ended.
    pub all_ended: Signal<In, Bits<G>>,
    /// One-hot: grid that is opened in this cycle.
    pub opens: Signal<Out, Bits<G>>,
    /// Grids that are open: not all their CTAs have ended.
    pub open_grids: Signal<Out, Bits<G>>,
    /// Grids whose CTAs have all ended, and which are not flushed.
    pub flushing_grids: Signal<Out, Bits<G>>,
    /// Grids that are flushed.
    pub flushed_grids: Signal<Out, Bits<G>>,
    /// Grids whose prerequisites have all completed.
    pub unblocked: Signal<Out, Bits<G>>,
    /// Grids whose CTAs may be launched.
    pub may_launch: Signal<Out, Bits<G>>,
    /// Grids that are open: not all their CTAs have ended.
    #[reset]
    running: DFF<Bits<G>>,
    /// Grids whose CTAs have all ended, and which are not flushed.
    #[reset]
    flushing: DFF<Bits<G>>,
    /// Grids that are flushed.
    #[reset]
    complete: DFF<Bits<G>>,
    /// Grids that may be launched once all CTAs of their prerequisites have issued.
    #[reset]
    early: DFF<Bits<G>>,
    /// Prerequisites of each grid that have not completed.
    #[reset]
    prerequisites: [DFF<Bits<G>>; G],
    /// Grids whose CTAs may be launched.
    #[reset]
    launches: DFF<Bits<G>>,
    /// Register of the strobe `opened`.
    open_answer: StrobeRegister<GridAnswer<KG>>,
    /// Register of the strobe `closed`.
    close_answer: StrobeRegister<GridAnswer<KG>>,
    /// Grids that are open or flushing.
    in_flight: Signal<Local, Bits<G>>,
    /// Grid slots that are not free.
    used: Signal<Local, Bits<G>>,
    /// The open is accepted.
    can_open: Signal<Local, Bit>,
    /// The close is accepted.
    can_close: Signal<Local, Bit>,
    /// One-hot: grid that is opened.
    newly_open: Signal<Local, Bits<G>>,
    /// One-hot: grid that is closed.
    freed: Signal<Local, Bits<G>>,
    /// Grids whose last CTA has ended.
    ends: Signal<Local, Bits<G>>,
    /// One-hot: grid that is flushed now.
    done: Signal<Local, Bits<G>>,
    /// Prerequisites that the launch of each grid still waits for.
    missing: [Signal<Local, Bits<G>>; G],
    /// Grids whose CTAs may be launched.
    can_launch: Signal<Local, Bits<G>>,
    no_grids: Constant<Bits<G>>,
}

#[block]
impl Logic for GridSlots<KG, G> {
    fn update(&mut self) {
        // The host.
        self.in_flight.next = self.running.q.val() | self.flushing.q.val();
        self.used.next = self.in_flight.val() | self.complete.q.val();
        self.can_open.next = !self.used.val().at(self.open.payload.val().grid) & self.open.payload.val().ctas.any();
        self.can_close.next = self.complete.q.val().at(self.close.payload.val().grid);
        self.newly_open.next = 0.into();
        if self.open.valid.val() & self.can_open.val() {
            self.newly_open.next = self.no_grids.val().with(self.open.payload.val().grid, true);
        }
        self.freed.next = 0.into();
        if self.close.valid.val() & self.can_close.val() {
            self.freed.next = self.no_grids.val().with(self.close.payload.val().grid, true);
        }
        self.open.ready.next = true;
        self.open_answer.in_.valid.next = self.open.valid.val();
        self.open_answer.in_.payload.next.grid = self.open.payload.val().grid;
        self.open_answer.in_.payload.next.refused = !self.can_open.val();
        Strobe::join(&mut self.open_answer.out, &mut self.opened);
        self.close.ready.next = true;
        self.close_answer.in_.valid.next = self.close.valid.val();
        self.close_answer.in_.payload.next.grid = self.close.payload.val().grid;
        self.close_answer.in_.payload.next.refused = !self.can_close.val();
        Strobe::join(&mut self.close_answer.out, &mut self.closed);

        // The states from open to flushed.
        self.ends.next = self.running.q.val() & self.all_ended.val();
        self.done.next = 0.into();
        if self.flushed.valid.val() {
            self.done.next = self.flushing.q.val() & self.no_grids.val().with(self.flushed.payload.val().grid, true);
        }
        self.running.d.next = (self.running.q.val() & !self.ends.val()) | self.newly_open.val();
        self.flushing.d.next = (self.flushing.q.val() & !self.done.val()) | self.ends.val();
        self.complete.d.next = (self.complete.q.val() & !self.freed.val()) | self.done.val();

        // Prerequisites: those of the grids named by the host that have not completed.
        self.early.d.next = self.early.q.val() & !self.newly_open.val();
        if self.open.payload.val().early {
            self.early.d.next = self.early.q.val() | self.newly_open.val();
        }
        self.unblocked.next = 0.into();
        self.can_launch.next = 0.into();
        for i in 0..G {
            self.prerequisites[i].d.next = self.prerequisites[i].q.val() & !self.done.val();
            if self.newly_open.val().get_bit(i) {
                self.prerequisites[i].d.next = self.open.payload.val().prerequisites & self.in_flight.val() & !self.done.val();
            }
            self.missing[i].next = self.prerequisites[i].q.val();
            self.unblocked.next = self.unblocked.val().replace_bit(i, !self.missing[i].val().any());
            if self.early.q.val().get_bit(i) {
                self.missing[i].next = self.prerequisites[i].q.val() & !self.all_issued.val();
            }
            self.can_launch.next =
                self.can_launch.val().replace_bit(i, self.running.q.val().get_bit(i) & !self.missing[i].val().any());
        }
        self.launches.d.next = self.can_launch.val();

        self.opens.next = self.newly_open.val();
        self.open_grids.next = self.running.q.val();
        self.flushing_grids.next = self.flushing.q.val();
        self.flushed_grids.next = self.complete.q.val();
        self.may_launch.next = self.launches.q.val();
    }
}
