// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages to all multiprocessors: a grid is opened, or its prerequisites have completed.
//!
//! *Reads:* grids that are open; grids without prerequisites; the grid that is opened in this cycle. *Writes:* the strobe `to`.
//! *Latency:* 1. Implements *Messages* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridHubKind, GridHubMessage};

/// `G = 2^KG` grids.
#[block]
pub struct GridNotify<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// One-hot: grid that is opened in this cycle.
    pub opens: Signal<In, Bits<G>>,
    /// Grids that are open.
    pub open_grids: Signal<In, Bits<G>>,
    /// Grids whose prerequisites have all completed.
    pub unblocked: Signal<In, Bits<G>>,
    /// Messages to all multiprocessors.
    pub to: StrobeOut<GridHubMessage<KG>>,
    /// Grids whose Opened has been sent.
    #[reset]
    told: DFF<Bits<G>>,
    /// Grids whose Ready has been sent.
    #[reset]
    told_ready: DFF<Bits<G>>,
    /// Chooses the grid whose message is sent.
    turns: RoundRobin<G>,
    /// Register of the strobe `to`.
    message: StrobeRegister<GridHubMessage<KG>>,
    /// Grids whose Opened is due.
    opened: Signal<Local, Bits<G>>,
    /// Grids whose Ready is due.
    ready: Signal<Local, Bits<G>>,
    /// One-hot: grid whose Ready is sent.
    second: Signal<Local, Bits<G>>,
    /// Slot of the grid whose message is sent.
    number: Signal<Local, Bits<KG>>,
}

#[block]
impl Logic for GridNotify<KG, G> {
    fn update(&mut self) {
        self.opened.next = self.open_grids.val() & !self.told.q.val();
        self.ready.next = self.open_grids.val() & self.unblocked.val() & self.told.q.val() & !self.told_ready.q.val();
        self.turns.request.next = self.opened.val() | self.ready.val();
        self.turns.grant_taken.next = true;
        self.second.next = self.turns.grant.val() & self.told.q.val();
        self.told.d.next = (self.told.q.val() | self.turns.grant.val()) & !self.opens.val();
        self.told_ready.d.next = (self.told_ready.q.val() | self.second.val()) & !self.opens.val();

        self.number.next = 0.into();
        for i in 0..G {
            if self.turns.grant.val().get_bit(i) {
                self.number.next = self.number.val() | i.to_bits();
            }
        }
        self.message.in_.valid.next = self.turns.grant.val().any();
        self.message.in_.payload.next.kind = GridHubKind::Opened;
        if self.second.val().any() {
            self.message.in_.payload.next.kind = GridHubKind::Ready;
        }
        self.message.in_.payload.next.grid = self.number.val();
        Strobe::join(&mut self.message.out, &mut self.to);
    }
}
