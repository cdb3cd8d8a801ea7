// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages to all multiprocessors: a grid is opened, or its prerequisites have completed.
//!
//! At most one message a cycle is sent, round robin over the grids; the Ready of a grid follows its Opened.
//!
//! *Reads:* grids that are open; grids whose prerequisites have completed; the grid that is opened in this cycle. *Writes:* the strobe
//! `to`. *Latency:* 1. Implements *Messages* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridHubKind, GridHubMessage};

/// `G` grid slots with numbers of `KG` bits.
#[block]
pub struct GridNotify<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// One-hot: grid that is opened in this cycle.
    pub new_grid: Signal<In, Bits<G>>,
    /// Grids that are open.
    pub open_grids: Signal<In, Bits<G>>,
    /// Grids whose prerequisites have all completed.
    pub unblocked: Signal<In, Bits<G>>,
    /// Messages to all multiprocessors.
    pub to: StrobeOut<GridHubMessage<KG>>,
    /// Grids whose Opened has been sent.
    #[reset]
    opened_sent: DFF<Bits<G>>,
    /// Grids whose Ready has been sent.
    #[reset]
    ready_sent: DFF<Bits<G>>,
    /// Chooses the grid whose message is sent.
    turns: RoundRobin<G>,
    /// Register of the strobe `to`.
    to_register: StrobeRegister<GridHubMessage<KG>>,
    /// Grids whose Opened is due.
    opened_due: Signal<Local, Bits<G>>,
    /// Grids whose Ready is due.
    ready_due: Signal<Local, Bits<G>>,
    /// One-hot: grid whose Ready is sent.
    ready_grant: Signal<Local, Bits<G>>,
    /// Slot of the grid whose message is sent.
    grid_number: Signal<Local, Bits<KG>>,
}

#[block]
impl Logic for GridNotify {
    fn update(&mut self) {
        self.opened_due.next = self.open_grids.val() & !self.opened_sent.q.val();
        self.ready_due.next =
            self.open_grids.val() & self.unblocked.val() & self.opened_sent.q.val() & !self.ready_sent.q.val();
        self.turns.request.next = self.opened_due.val() | self.ready_due.val();
        self.turns.grant_taken.next = true;
        self.ready_grant.next = self.turns.grant.val() & self.opened_sent.q.val();
        self.opened_sent.d.next = (self.opened_sent.q.val() | self.turns.grant.val()) & !self.new_grid.val();
        self.ready_sent.d.next = (self.ready_sent.q.val() | self.ready_grant.val()) & !self.new_grid.val();

        self.grid_number.next = 0.into();
        for i in 0..G {
            if self.turns.grant.val().get_bit(i) {
                self.grid_number.next = self.grid_number.val() | i.to_bits();
            }
        }
        self.to_register.in_.valid.next = self.turns.grant.val().any();
        self.to_register.in_.payload.next.kind = GridHubKind::Opened;
        if self.ready_grant.val().any() {
            self.to_register.in_.payload.next.kind = GridHubKind::Ready;
        }
        self.to_register.in_.payload.next.grid = self.grid_number.val();
        Strobe::join(&mut self.to_register.out, &mut self.to);
    }
}
