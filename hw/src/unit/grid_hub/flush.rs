// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests the flush of the writes of each grid whose CTAs have all ended: once for each grid, one grid at a time.
//!
//! *Reads:* grids that are flushing; the grid that is opened. *Writes:* the channel `flush`. *Latency:* 1. Implements the
//! requests of *Completion* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::NamedGrid;

/// `G` grid slots with numbers of `KG` bits.
#[block]
pub struct GridFlush<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// One-hot: grid that is opened in this cycle.
    pub new_grid: Signal<In, Bits<G>>,
    /// Grids whose CTAs have all ended, and which are not flushed.
    pub flushing_grids: Signal<In, Bits<G>>,
    /// Requests to flush.
    pub flush: Source<NamedGrid<KG>>,
    /// Grids whose flush has been requested.
    #[reset]
    requested: DFF<Bits<G>>,
    /// Chooses the grid whose flush is requested.
    turns: RoundRobin<G>,
    /// The request that is offered.
    request: Buffer<NamedGrid<KG>>,
    /// One-hot: grid whose flush is requested.
    requested_grid: Signal<Local, Bits<G>>,
    /// Slot of the grid whose flush is requested.
    grid_number: Signal<Local, Bits<KG>>,
}

#[block]
impl Logic for GridFlush {
    fn update(&mut self) {
        self.turns.request.next = self.flushing_grids.val() & !self.requested.q.val();
        self.turns.grant_taken.next = self.request.in_.ready.val();
        self.requested_grid.next = 0.into();
        if self.request.in_.ready.val() {
            self.requested_grid.next = self.turns.grant.val();
        }
        self.requested.d.next = (self.requested.q.val() | self.requested_grid.val()) & !self.new_grid.val();
        self.grid_number.next = 0.into();
        for i in 0..G {
            if self.turns.grant.val().get_bit(i) {
                self.grid_number.next = self.grid_number.val() | i.to_bits();
            }
        }
        self.request.in_.valid.next = self.turns.grant.val().any();
        self.request.in_.payload.next.grid = self.grid_number.val();
        Channel::join(&mut self.request.out, &mut self.flush);
    }
}
