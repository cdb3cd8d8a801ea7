// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port outputs: masks with one bit per warp, in registers. A change of the state of a warp writes the bits of that warp.
//!
//! *Reads:* the new outputs of the warp that was looked up two cycles before; masks of the warps that reach their access limit, and
//! of the warps with an operation that takes effect. *Writes:* the port outputs. *Latency:* 1. Implements the state per warp of
//! `docs/contract/mem_order.md`.
//!
//! One decoder of the changed warp is the write enable of all masks. If a warp is only released from its access limit, its bits in
//! the other masks are written with their old values.

use super::payloads::{PortState, PortUpdate};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits.
#[block]
pub struct PortStates<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The outputs of the warp after its change.
    pub port_update: Signal<In, PortUpdate<LW>>,
    /// The state of the warp in `port_update` has changed.
    pub has_update: Signal<In, Bit>,
    /// The warp in `port_update` is below its access limit in its present epoch.
    pub is_below_limit: Signal<In, Bit>,
    /// An operation of the warp in `port_update` was parked, or the warp's fence left the queue.
    pub sets_op_done: Signal<In, Bit>,
    /// Warps that reach their access limit.
    pub reach_limit: Signal<In, Bits<W>>,
    /// Warps with an operation that takes effect.
    pub commit: Signal<In, Bits<W>>,
    pub port_state: Signal<Out, PortState<W>>,
    /// The warp of `port_update` if `sets_op_done`, one-hot.
    pub op_done: Signal<Out, Bits<W>>,
    #[reset]
    port_state_q: DFF<PortState<W>>,
    /// The warp of `port_update` if one of its outputs changes, one-hot; else 0.
    updated_warp: Signal<Local, Bits<W>>,
    next_port_state: Signal<Local, PortState<W>>,
    /// The warp that is below its access limit, one-hot; else 0.
    below_limit: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for PortStates {
    fn update(&mut self) {
        let update = self.port_update.val();

        // The masks that are written for one warp.
        self.updated_warp.next = self.no_warps.val().with(update.warp, self.has_update.val() | self.is_below_limit.val());
        self.next_port_state.next = self.port_state_q.q.val();
        for i in 0..W {
            if self.updated_warp.val().get_bit(i) {
                self.next_port_state.next.epochs = self.next_port_state.val().epochs.replace_bit(i, update.epoch);
                self.next_port_state.next.parked = self.next_port_state.val().parked.replace_bit(i, update.has_parked);
                self.next_port_state.next.two_parked =
                    self.next_port_state.val().two_parked.replace_bit(i, update.has_two_parked);
                self.next_port_state.next.held_warps = self.next_port_state.val().held_warps.replace_bit(i, update.is_held);
                self.next_port_state.next.held_until_commit =
                    self.next_port_state.val().held_until_commit.replace_bit(i, update.held_until_commit);
            }
        }

        // The masks that also change for other warps: an operation takes effect, or a warp reaches its limit.
        self.next_port_state.next.picked_pending = self.port_state_q.q.val().picked_pending & !self.commit.val();
        if update.picked_pending {
            self.next_port_state.next.picked_pending = self.next_port_state.val().picked_pending | self.updated_warp.val();
        }
        self.below_limit.next = self.no_warps.val();
        if self.is_below_limit.val() {
            self.below_limit.next = self.updated_warp.val();
        }
        self.next_port_state.next.access_limit =
            self.reach_limit.val() | (self.port_state_q.q.val().access_limit & !self.below_limit.val());
        self.port_state_q.d.next = self.next_port_state.val();
        self.port_state.next = self.port_state_q.q.val();
        self.op_done.next = self.no_warps.val();
        if self.sets_op_done.val() {
            self.op_done.next = self.updated_warp.val();
        }
    }
}
