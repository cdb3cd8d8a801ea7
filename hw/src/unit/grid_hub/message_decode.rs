// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the message of one multiprocessor: the grid with a CTA that has issued launch_dependents, or has ended.
//!
//! *Reads:* the strobe `from` of the multiprocessor. *Writes:* the grid of a LaunchedDependents, and the grid of an Ended, each
//! one-hot. *Latency:* 1. Implements the first cycle of *Counts* of `docs/contract/grids.md`.

use crate::prelude::*;
use crate::unit::grid::ports::{GridMessage, GridMessageKind};

/// `G = 2^KG` grids.
#[block]
pub struct GridMessageDecode<KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Messages of the multiprocessor.
    pub from: StrobeIn<GridMessage<KG>>,
    /// One-hot: grid with a CTA that has issued.
    pub issues: Signal<Out, Bits<G>>,
    /// One-hot: grid with a CTA that has ended.
    pub ends: Signal<Out, Bits<G>>,
    /// One-hot: grid with a CTA that has issued.
    #[reset]
    issued: DFF<Bits<G>>,
    /// One-hot: grid with a CTA that has ended.
    #[reset]
    ended: DFF<Bits<G>>,
    /// One-hot: grid of the message.
    one: Signal<Local, Bits<G>>,
    no_grids: Constant<Bits<G>>,
}

#[block]
impl Logic for GridMessageDecode<KG, G> {
    fn update(&mut self) {
        self.one.next = 0.into();
        if self.from.valid.val() {
            self.one.next = self.no_grids.val().with(self.from.payload.val().grid, true);
        }
        self.issued.d.next = 0.into();
        self.ended.d.next = 0.into();
        if self.from.payload.val().kind == GridMessageKind::LaunchedDependents {
            self.issued.d.next = self.one.val();
        } else {
            self.ended.d.next = self.one.val();
        }
        self.issues.next = self.issued.q.val();
        self.ends.next = self.ended.q.val();
    }
}
