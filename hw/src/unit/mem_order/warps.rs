// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp: one warp is looked up in a cycle, and one is changed.
//!
//! *Reads:* the warp to look up; for the warp that was looked up in the previous cycle, whether accesses are outstanding, and the
//! change of its state; masks of the warps that reach their access limit, and of the warps with an operation that takes effect.
//! *Writes:* the state that was looked up; the port outputs for all warps. *Latency:* 1 from the look-up to its result, 2 from a
//! change to the ports. Implements the state per warp of `docs/contract/mem_order.md`.
//!
//! The state that decisions need is in a memory, one word per warp. The port outputs are registers in `port_states`, which change
//! one cycle later.

use super::payloads::{Change, PortState, PortUpdate, WarpLookup, WarpState};
use super::port_states::PortStates;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits.
#[block]
pub struct Warps<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp to look up.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// For the warp looked up in the previous cycle, by epoch: the number of outstanding accesses is near the limit, so further
    /// accesses may exceed the limit.
    pub near_limit: [Signal<In, Bit>; 2],
    /// In the previous cycle, the warp that was looked up issued an access.
    pub issue_during_lookup: Signal<In, Bit>,
    /// Warps that reach their access limit.
    pub reach_limit: Signal<In, Bits<W>>,
    /// Warps with an operation that takes effect.
    pub commit: Signal<In, Bits<W>>,
    /// The change of the warp looked up in the previous cycle.
    pub change: StrobeIn<Change>,
    pub warp_lookup: Signal<Out, WarpLookup<LW>>,
    pub port_state: Signal<Out, PortState<W>>,
    pub op_done: Signal<Out, Bits<W>>,
    warp_states: Store<Packed<WarpState>, LW>,
    #[reset]
    looked_up_warp: DFF<Bits<LW>>,
    /// When the warp `looked_up_warp` was looked up, one of its parked operations had been picked and had not taken effect.
    was_picked_pending: DFF<Bit>,
    #[reset]
    stale: DFF<Bit>,
    #[reset]
    port_update: DFF<PortUpdate<LW>>,
    #[reset]
    has_update: DFF<Bit>,
    /// The warp in `port_update` is below its access limit in its present epoch.
    #[reset]
    is_below_limit: DFF<Bit>,
    /// An operation of the warp in `port_update` was parked, or the warp's fence left the queue.
    #[reset]
    sets_op_done: DFF<Bit>,
    port_states: PortStates<W, LW>,
    /// An operation of the warp is parked after the change.
    any_parked: Signal<Local, Bit>,
    /// An operation of the warp is parked before the change.
    any_parked_before: Signal<Local, Bit>,
    /// The lowest bit of `first_word` after the change.
    first_word_bit: Signal<Local, Bit>,
    /// The present epoch before the change.
    epoch: Signal<Local, Bit>,
    /// The epoch flips.
    epoch_flips: Signal<Local, Bit>,
    /// The number of outstanding accesses in the present epoch is not near the limit.
    far_from_limit: Signal<Local, Bit>,
}

#[block]
impl Logic for Warps {
    fn update(&mut self) {
        let change = self.change.payload.val();
        let new_state = self.change.payload.val().warp_state;
        // The look-up.
        self.warp_states.read_address.next = self.lookup_warp.val();
        self.looked_up_warp.d.next = self.lookup_warp.val();
        self.was_picked_pending.d.next = self.port_states.port_state.val().picked_pending.at(self.lookup_warp.val());
        self.stale.d.next = (change.changes_state & (self.lookup_warp.val() == self.looked_up_warp.q.val()))
            | (self.has_update.q.val() & (self.lookup_warp.val() == self.port_update.q.val().warp));
        self.warp_lookup.next.warp = self.looked_up_warp.q.val();
        self.warp_lookup.next.warp_state = self.warp_states.read_value.val().into();
        self.warp_lookup.next.picked_pending = self.was_picked_pending.q.val();
        self.warp_lookup.next.stale = self.stale.q.val();

        // The change of the state. The warp's epoch is the lowest bit of `first_word`, inverted while an operation is parked.
        self.warp_states.write.next = self.change.valid.val();
        self.warp_states.write_address.next = self.looked_up_warp.q.val();
        self.warp_states.write_value.next = new_state.into();
        self.any_parked.next = new_state.parked_count != 0;
        self.first_word_bit.next = new_state.first_word.get_bit(0);
        self.has_update.d.next = change.changes_state;
        self.sets_op_done.d.next = change.sets_op_done;
        self.port_update.d.next.warp = self.looked_up_warp.q.val();
        self.port_update.d.next.epoch = self.first_word_bit.val() ^ self.any_parked.val();
        self.any_parked_before.next = self.warp_lookup.val().warp_state.parked_count != 0;
        self.epoch.next = self.any_parked_before.val() ^ self.warp_lookup.val().warp_state.first_word.get_bit(0);
        self.epoch_flips.next = self.epoch.val() ^ self.first_word_bit.val() ^ self.any_parked.val();

        // A flip takes the warp below its limit: the new epoch has no outstanding accesses, because the operation that caused the
        // previous flip has waited for all accesses of that epoch.
        self.far_from_limit.next = !self.near_limit[0].val();
        if self.epoch.val() {
            self.far_from_limit.next = !self.near_limit[1].val();
        }
        self.is_below_limit.d.next = (change.lookup_valid & self.far_from_limit.val() & !self.issue_during_lookup.val())
            | (change.changes_state & self.epoch_flips.val());
        self.port_update.d.next.has_parked = self.any_parked.val() | new_state.fenced;
        self.port_update.d.next.has_two_parked = new_state.parked_count.get_bit(1);
        self.port_update.d.next.is_held = new_state.parked_count.get_bit(1) | new_state.holds_warp | new_state.fenced;
        self.port_update.d.next.picked_pending = change.picks;
        self.port_update.d.next.held_until_commit = new_state.held_until_commit;

        // The port outputs.
        self.port_states.port_update.next = self.port_update.q.val();
        self.port_states.has_update.next = self.has_update.q.val();
        self.port_states.is_below_limit.next = self.is_below_limit.q.val();
        self.port_states.sets_op_done.next = self.sets_op_done.q.val();
        self.port_states.reach_limit.next = self.reach_limit.val();
        self.port_states.commit.next = self.commit.val();
        self.port_state.next = self.port_states.port_state.val();
        self.op_done.next = self.port_states.op_done.val();
    }
}
