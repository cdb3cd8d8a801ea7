// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which grids are ready, and which warps wait for their grid to become ready.
//!
//! *Reads:* the message of the hub and the wait that take effect in this cycle; live warps. *Writes:* the warps that wait, and
//! those that are released. *Latency:* 1. Implements the part of *Operations* of `docs/contract/grids.md` about waits.

use super::ports::{GridHubKind, GridHubMessage};
use crate::prelude::*;

/// `W` warps, `G = 2^KG` grids.
#[block]
pub struct GridWaits<W, LW, KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Live warps.
    pub live: Signal<In, Bits<W>>,
    /// Message of the hub.
    pub message: StrobeIn<GridHubMessage<KG>>,
    /// A wait takes effect.
    pub has_wait: Signal<In, Bit>,
    /// Warp of the wait.
    pub warp: Signal<In, Bits<LW>>,
    /// The wait's CTA belongs to a grid.
    pub is_member: Signal<In, Bit>,
    /// Grid slot of the wait's CTA.
    pub grid: Signal<In, Bits<KG>>,
    /// Warps that resume after their wait.
    pub release: StrobeOut<Woken<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Grids whose prerequisites have completed (Ready was received).
    #[reset]
    ready: DFF<Bits<G>>,
    /// Warps that wait.
    #[reset]
    waits_q: DFF<Bits<W>>,
    /// One bit of the grid slot that each warp waits for.
    grids: [DFF<Bits<W>>; KG],
    /// `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Payload of `release`.
    #[reset]
    released: DFF<Bits<W>>,
    /// `ready` after the message of this cycle.
    is_ready: Signal<Local, Bits<G>>,
    /// One-hot: warp of the wait.
    one: Signal<Local, Bits<W>>,
    /// Warps that wait for a grid other than that of the message.
    others: Signal<Local, Bits<W>>,
    /// Warps that the message releases.
    woken: Signal<Local, Bits<W>>,
    /// One-hot: warp of the wait, if it need not wait.
    passes: Signal<Local, Bits<W>>,
    /// One-hot: warp of the wait, if it must wait.
    stays: Signal<Local, Bits<W>>,
    /// Warps that resume after their wait.
    goes: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for GridWaits<W, LW, KG, G> {
    fn update(&mut self) {
        // The message takes effect before the wait.
        self.is_ready.next = self.ready.q.val();
        self.others.next = 0.into();
        for i in 0..KG {
            if self.message.payload.val().grid.get_bit(i) {
                self.others.next = self.others.val() | !self.grids[i].q.val();
            } else {
                self.others.next = self.others.val() | self.grids[i].q.val();
            }
        }
        self.woken.next = 0.into();
        if self.message.valid.val() {
            if self.message.payload.val().kind == GridHubKind::Ready {
                self.is_ready.next = self.ready.q.val().with(self.message.payload.val().grid, true);
                self.woken.next = self.waits_q.q.val() & !self.others.val();
            } else {
                self.is_ready.next = self.ready.q.val().with(self.message.payload.val().grid, false);
            }
        }
        self.ready.d.next = self.is_ready.val();

        self.one.next = 0.into();
        if self.has_wait.val() {
            self.one.next = self.no_warps.val().with(self.warp.val(), true);
        }
        self.stays.next = 0.into();
        self.passes.next = self.one.val();
        if self.is_member.val() & !self.is_ready.val().at(self.grid.val()) {
            self.stays.next = self.one.val();
            self.passes.next = 0.into();
        }
        for k in 0..KG {
            self.grids[k].d.next = self.grids[k].q.val() & !self.one.val();
            if self.grid.val().get_bit(k) {
                self.grids[k].d.next = self.grids[k].q.val() | self.one.val();
            }
        }

        self.waits_q.d.next =
            ((self.waits_q.q.val() & !self.woken.val() & !self.one.val()) | self.stays.val()) & self.live.val();
        self.goes.next = (self.woken.val() | self.passes.val()) & self.live.val();
        self.releases.d.next = self.goes.val().any();
        self.released.d.next = self.goes.val();
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next.warps = self.released.q.val();
        self.waiting.next = self.waits_q.q.val();
    }
}
