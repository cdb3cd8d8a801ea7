// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which grids are there, how far each is, and what it waits for.
//!
//! *Reads:* the host's requests, whether the CTAs of each grid have all issued and ended, what is flushed. *Writes:* the answers, the state of every
//! grid, which may be launched. *Latency:* 1. Implements *Host*, *Completion* and *Launches* of `docs/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridAnswer, GridOpen, NamedGrid};

/// `G = 2^KG` grids.
#[block]
pub struct GridSlots<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub open: Sink<GridOpen<KG, G>>,
    pub opened: StrobeOut<GridAnswer<KG>>,
    pub close: Sink<NamedGrid<KG>>,
    pub closed: StrobeOut<GridAnswer<KG>>,
    pub flushed: StrobeIn<NamedGrid<KG>>,
    pub all_issued: Signal<In, Bits<G>>,
    pub all_ended: Signal<In, Bits<G>>,
    /// The grid that is opened in this cycle.
    pub opens: Signal<Out, Bits<G>>,
    pub open_grids: Signal<Out, Bits<G>>,
    pub flushing_grids: Signal<Out, Bits<G>>,
    pub flushed_grids: Signal<Out, Bits<G>>,
    /// Those without prerequisites.
    pub unblocked: Signal<Out, Bits<G>>,
    pub may_launch: Signal<Out, Bits<G>>,
    #[reset]
    running: DFF<Bits<G>>,
    #[reset]
    flushing: DFF<Bits<G>>,
    #[reset]
    complete: DFF<Bits<G>>,
    #[reset]
    early: DFF<Bits<G>>,
    #[reset]
    prerequisites: [DFF<Bits<G>>; G],
    #[reset]
    launches: DFF<Bits<G>>,
    open_answer: StrobeRegister<GridAnswer<KG>>,
    close_answer: StrobeRegister<GridAnswer<KG>>,
    in_flight: Signal<Local, Bits<G>>,
    used: Signal<Local, Bits<G>>,
    can_open: Signal<Local, Bit>,
    can_close: Signal<Local, Bit>,
    newly_open: Signal<Local, Bits<G>>,
    freed: Signal<Local, Bits<G>>,
    ends: Signal<Local, Bits<G>>,
    done: Signal<Local, Bits<G>>,
    /// Prerequisites that a launch waits for.
    missing: [Signal<Local, Bits<G>>; G],
    can_launch: Signal<Local, Bits<G>>,
    nobody: Constant<Bits<G>>,
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
            self.newly_open.next = self.nobody.val().with(self.open.payload.val().grid, true);
        }
        self.freed.next = 0.into();
        if self.close.valid.val() & self.can_close.val() {
            self.freed.next = self.nobody.val().with(self.close.payload.val().grid, true);
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

        // From open to flushed.
        self.ends.next = self.running.q.val() & self.all_ended.val();
        self.done.next = 0.into();
        if self.flushed.valid.val() {
            self.done.next = self.flushing.q.val() & self.nobody.val().with(self.flushed.payload.val().grid, true);
        }
        self.running.d.next = (self.running.q.val() & !self.ends.val()) | self.newly_open.val();
        self.flushing.d.next = (self.flushing.q.val() & !self.done.val()) | self.ends.val();
        self.complete.d.next = (self.complete.q.val() & !self.freed.val()) | self.done.val();

        // What each waits for: of those that are named, whoever has not completed.
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
