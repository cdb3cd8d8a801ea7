// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which grids are ready, and which warps wait for their grid to become ready.
//!
//! *Reads:* the message of the hub and the wait that take effect in this cycle; live warps. *Writes:* the warps that wait, and the warps
//! that are released. *Latency:* 1. Implements the part of *Operations* of `docs/contract/grids.md` about waits.

use super::ports::{GridHubKind, GridHubMessage};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, `G` grid slots with numbers of `KG` bits.
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
    /// Warp of the wait that takes effect.
    pub warp: Signal<In, Bits<LW>>,
    /// The CTA of the warp in `warp` belongs to a grid.
    pub is_member: Signal<In, Bit>,
    /// Grid slot of the CTA of the warp in `warp`.
    pub grid: Signal<In, Bits<KG>>,
    /// Warps that resume after their wait.
    pub release: StrobeOut<Woken<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Grids whose prerequisites have completed (Ready was received).
    #[reset]
    ready_grids: DFF<Bits<G>>,
    /// Warps that wait.
    #[reset]
    waiting_q: DFF<Bits<W>>,
    /// Element k: bit k of the number of the grid slot for which each warp waits.
    grids: [DFF<Bits<W>>; KG],
    /// Register of `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Register of the payload of `release`.
    #[reset]
    released: DFF<Bits<W>>,
    /// `ready_grids` after the message of this cycle.
    ready_after_message: Signal<Local, Bits<G>>,
    /// One-hot: warp of the wait.
    warp_one_hot: Signal<Local, Bits<W>>,
    /// Warps whose grid slot in `grids` differs from that of the message.
    other_grid_warps: Signal<Local, Bits<W>>,
    /// Warps that the message releases.
    message_released: Signal<Local, Bits<W>>,
    /// The CTA of the warp belongs to a grid, and that grid is not ready.
    must_wait: Signal<Local, Bit>,
    /// One-hot: warp of the wait, if the warp need not wait; else 0.
    passing_warp: Signal<Local, Bits<W>>,
    /// One-hot: warp of the wait, if the warp must wait; else 0.
    new_waiting_warp: Signal<Local, Bits<W>>,
    /// Warps that resume after their wait.
    resuming_warps: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for GridWaits {
    fn update(&mut self) {
        // A message takes effect before a wait that takes effect in the same cycle.
        self.ready_after_message.next = self.ready_grids.q.val();
        self.other_grid_warps.next = 0.into();
        for i in 0..KG {
            if self.message.payload.val().grid.get_bit(i) {
                self.other_grid_warps.next = self.other_grid_warps.val() | !self.grids[i].q.val();
            } else {
                self.other_grid_warps.next = self.other_grid_warps.val() | self.grids[i].q.val();
            }
        }
        self.message_released.next = 0.into();
        if self.message.valid.val() {
            if self.message.payload.val().kind == GridHubKind::Ready {
                self.ready_after_message.next = self.ready_grids.q.val().with(self.message.payload.val().grid, true);
                self.message_released.next = self.waiting_q.q.val() & !self.other_grid_warps.val();
            } else {
                self.ready_after_message.next = self.ready_grids.q.val().with(self.message.payload.val().grid, false);
            }
        }
        self.ready_grids.d.next = self.ready_after_message.val();

        self.warp_one_hot.next = 0.into();
        if self.has_wait.val() {
            self.warp_one_hot.next = self.no_warps.val().with(self.warp.val(), true);
        }
        self.new_waiting_warp.next = 0.into();
        self.passing_warp.next = self.warp_one_hot.val();
        self.must_wait.next = self.is_member.val() & !self.ready_after_message.val().at(self.grid.val());
        if self.must_wait.val() {
            self.new_waiting_warp.next = self.warp_one_hot.val();
            self.passing_warp.next = 0.into();
        }
        for k in 0..KG {
            self.grids[k].d.next = self.grids[k].q.val() & !self.warp_one_hot.val();
            if self.grid.val().get_bit(k) {
                self.grids[k].d.next = self.grids[k].q.val() | self.warp_one_hot.val();
            }
        }

        self.waiting_q.d.next = ((self.waiting_q.q.val() & !self.message_released.val() & !self.warp_one_hot.val())
            | self.new_waiting_warp.val())
            & self.live.val();
        self.resuming_warps.next = (self.message_released.val() | self.passing_warp.val()) & self.live.val();
        self.releases.d.next = self.resuming_warps.val().any();
        self.released.d.next = self.resuming_warps.val();
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next.warps = self.released.q.val();
        self.waiting.next = self.waiting_q.q.val();
    }
}
