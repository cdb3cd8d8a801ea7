// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of every grid, from the host's open to the host's close, and the prerequisites of every grid that have not completed.
//!
//! *Reads:* the requests of the host; whether all CTAs of each grid have issued, and ended; which grid is flushed. *Writes:*
//! the answers to the host; the state of every grid; the grids that may be launched. *Latency:* 1. Implements *Host*,
//! *Completion* and *Launches* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridAnswer, GridOpen, NamedGrid};

/// `G` grid slots with numbers of `KG` bits.
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
    pub new_grid: Signal<Out, Bits<G>>,
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
    open_grids_q: DFF<Bits<G>>,
    /// Grids whose CTAs have all ended, and which are not flushed.
    #[reset]
    flushing_grids_q: DFF<Bits<G>>,
    /// Grids that are flushed.
    #[reset]
    flushed_grids_q: DFF<Bits<G>>,
    /// Grids that may be launched once all CTAs of their prerequisites have issued.
    #[reset]
    early_grids: DFF<Bits<G>>,
    /// Prerequisites of each grid that have not completed.
    #[reset]
    prerequisites: [DFF<Bits<G>>; G],
    /// Grids whose CTAs may be launched.
    #[reset]
    may_launch_q: DFF<Bits<G>>,
    /// Register of the strobe `opened`.
    open_answer: StrobeRegister<GridAnswer<KG>>,
    /// Register of the strobe `closed`.
    close_answer: StrobeRegister<GridAnswer<KG>>,
    /// Grids that are open or flushing.
    unfinished_grids: Signal<Local, Bits<G>>,
    /// Grid slots in use: open, flushing or flushed.
    used_slots: Signal<Local, Bits<G>>,
    /// The open that the host offers is acceptable: its grid slot is free, and its number of CTAs is not 0.
    can_open: Signal<Local, Bit>,
    /// The close that the host offers is acceptable: its grid is flushed.
    can_close: Signal<Local, Bit>,
    /// One-hot: grid slot of the open that is accepted.
    opening_grid: Signal<Local, Bits<G>>,
    /// One-hot: grid slot of the close that is accepted.
    freed_slot: Signal<Local, Bits<G>>,
    /// Grids whose last CTA has ended.
    ending_grids: Signal<Local, Bits<G>>,
    /// One-hot: grid whose flush is done.
    done_grid: Signal<Local, Bits<G>>,
    /// Prerequisites that still prevent the launch of each grid: those that have not completed or, for a grid in `early_grids`, those with
    /// a CTA that has not issued.
    missing_prerequisites: [Signal<Local, Bits<G>>; G],
    /// Grids whose CTAs may be launched.
    can_launch: Signal<Local, Bits<G>>,
    no_grids: Constant<Bits<G>>,
}

#[block]
impl Logic for GridSlots {
    fn update(&mut self) {
        // The requests of the host, and their answers.
        self.unfinished_grids.next = self.open_grids_q.q.val() | self.flushing_grids_q.q.val();
        self.used_slots.next = self.unfinished_grids.val() | self.flushed_grids_q.q.val();
        self.can_open.next = !self.used_slots.val().at(self.open.payload.val().grid) & self.open.payload.val().ctas.any();
        self.can_close.next = self.flushed_grids_q.q.val().at(self.close.payload.val().grid);
        self.opening_grid.next = 0.into();
        if self.open.valid.val() & self.can_open.val() {
            self.opening_grid.next = self.no_grids.val().with(self.open.payload.val().grid, true);
        }
        self.freed_slot.next = 0.into();
        if self.close.valid.val() & self.can_close.val() {
            self.freed_slot.next = self.no_grids.val().with(self.close.payload.val().grid, true);
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

        // The states of a grid slot: open, flushing, flushed.
        self.ending_grids.next = self.open_grids_q.q.val() & self.all_ended.val();
        self.done_grid.next = 0.into();
        if self.flushed.valid.val() {
            self.done_grid.next =
                self.flushing_grids_q.q.val() & self.no_grids.val().with(self.flushed.payload.val().grid, true);
        }
        self.open_grids_q.d.next = (self.open_grids_q.q.val() & !self.ending_grids.val()) | self.opening_grid.val();
        self.flushing_grids_q.d.next = (self.flushing_grids_q.q.val() & !self.done_grid.val()) | self.ending_grids.val();
        self.flushed_grids_q.d.next = (self.flushed_grids_q.q.val() & !self.freed_slot.val()) | self.done_grid.val();

        // The prerequisites of a grid are the grids that the host names and that have not completed.
        self.early_grids.d.next = self.early_grids.q.val() & !self.opening_grid.val();
        if self.open.payload.val().early {
            self.early_grids.d.next = self.early_grids.q.val() | self.opening_grid.val();
        }
        self.unblocked.next = 0.into();
        self.can_launch.next = 0.into();
        for i in 0..G {
            self.prerequisites[i].d.next = self.prerequisites[i].q.val() & !self.done_grid.val();
            if self.opening_grid.val().get_bit(i) {
                self.prerequisites[i].d.next =
                    self.open.payload.val().prerequisites & self.unfinished_grids.val() & !self.done_grid.val();
            }
            self.missing_prerequisites[i].next = self.prerequisites[i].q.val();
            self.unblocked.next = self.unblocked.val().replace_bit(i, !self.missing_prerequisites[i].val().any());
            if self.early_grids.q.val().get_bit(i) {
                self.missing_prerequisites[i].next = self.prerequisites[i].q.val() & !self.all_issued.val();
            }
            self.can_launch.next = self
                .can_launch
                .val()
                .replace_bit(i, self.open_grids_q.q.val().get_bit(i) & !self.missing_prerequisites[i].val().any());
        }
        self.may_launch_q.d.next = self.can_launch.val();

        self.new_grid.next = self.opening_grid.val();
        self.open_grids.next = self.open_grids_q.q.val();
        self.flushing_grids.next = self.flushing_grids_q.q.val();
        self.flushed_grids.next = self.flushed_grids_q.q.val();
        self.may_launch.next = self.may_launch_q.q.val();
    }
}
