// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the message of one multiprocessor: the grid with a CTA that has issued launch_dependents, or has ended.
//!
//! *Reads:* the strobe `from` of the multiprocessor. *Writes:* the grid of a LaunchedDependents, and the grid of an Ended, each
//! one-hot. *Latency:* 1. Implements the first cycle of *Counts* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridMessage, GridMessageKind};

/// `G` grid slots with numbers of `KG` bits.
#[block]
pub struct GridMessageDecode<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Messages of the multiprocessor.
    pub from: StrobeIn<GridMessage<KG>>,
    /// One-hot: grid slot of a LaunchedDependents: a CTA of the grid has issued.
    pub issued_grid: Signal<Out, Bits<G>>,
    /// One-hot: grid slot of an Ended: a CTA of the grid has ended.
    pub ended_grid: Signal<Out, Bits<G>>,
    /// One-hot: grid slot of a LaunchedDependents: a CTA of the grid has issued.
    #[reset]
    issued_grid_q: DFF<Bits<G>>,
    /// One-hot: grid slot of an Ended: a CTA of the grid has ended.
    #[reset]
    ended_grid_q: DFF<Bits<G>>,
    /// The message is a LaunchedDependents.
    has_issued: Signal<Local, Bit>,
    /// The message is an Ended.
    has_ended: Signal<Local, Bit>,
    /// One-hot: grid slot in the payload of `from`, even if there is no message.
    grid_one_hot: Signal<Local, Bits<G>>,
    no_grids: Constant<Bits<G>>,
}

#[block]
impl Logic for GridMessageDecode {
    fn update(&mut self) {
        self.has_issued.next = self.from.valid.val() & (self.from.payload.val().kind == GridMessageKind::LaunchedDependents);
        self.has_ended.next = self.from.valid.val() & (self.from.payload.val().kind != GridMessageKind::LaunchedDependents);
        self.grid_one_hot.next = self.no_grids.val().with(self.from.payload.val().grid, true);
        self.issued_grid_q.d.next = 0.into();
        if self.has_issued.val() {
            self.issued_grid_q.d.next = self.grid_one_hot.val();
        }
        self.ended_grid_q.d.next = 0.into();
        if self.has_ended.val() {
            self.ended_grid_q.d.next = self.grid_one_hot.val();
        }
        self.issued_grid.next = self.issued_grid_q.q.val();
        self.ended_grid.next = self.ended_grid_q.q.val();
    }
}
