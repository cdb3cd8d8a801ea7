// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp: one warp is looked up in a cycle, and one is changed.
//!
//! *Reads:* the warp to look up; the accesses outstanding and the change of the warp that was looked up in the cycle before;
//! which warps reach their access limit; which have an operation that takes effect. *Writes:* the state that was looked up; the
//! port outputs for all warps. *Latency:* 1 from the look-up to its result, 2 from a change to the ports. Implements the state per
//! warp of `docs/contract/mem_order.md`.
//!
//! State that no port outputs is in a memory, one word per warp. The ports follow one cycle later, through one decoder for all of
//! them.

use crate::prelude::*;

/// The state of a warp in the memory.
#[payload]
pub struct WarpState {
    /// Number of parked operations.
    pub parked_count: Bits<2>,
    /// Word, of the four of the warp, of the first parked operation.
    pub first_word: Bits<2>,
    /// A Sync, a Reduce or a wait was parked since the warp last had no parked operation.
    pub holds_warp: Bit,
    /// A fence has not ended.
    pub fenced: Bit,
    /// The warp must not issue before the operation that was picked last takes effect.
    pub held_until_commit: Bit,
}

/// The state of the warp that was looked up in the cycle before.
#[payload]
pub struct WarpLookup<LW> {
    pub warp: Bits<LW>,
    pub warp_state: WarpState,
    /// A parked operation was picked, and has not taken effect.
    pub picked_pending: Bit,
    /// By epoch: an access is outstanding.
    pub busy: Bits<2>,
    /// The state was being changed: it is invalid.
    pub stale: Bit,
}

/// The change of the warp that was looked up.
#[payload]
pub struct Change {
    pub warp_state: WarpState,
    /// The warp was looked up, and its state is not `stale`.
    pub lookup_valid: Bit,
    /// The warp's state changes.
    pub changes_state: Bit,
    /// The warp's first parked operation is picked.
    pub picks: Bit,
    /// An operation of the warp was parked, or the warp's fence left the queue.
    pub sets_op_done: Bit,
}

/// The port outputs for all warps.
#[payload]
pub struct PortState<W> {
    pub epochs: Bits<W>,
    /// Warps with a parked operation, or fenced.
    pub parked: Bits<W>,
    /// Warps with two or more parked operations.
    pub two_parked: Bits<W>,
    /// Warps that must not issue: fenced, or waiting for a parked operation.
    pub held_warps: Bits<W>,
    /// Warps whose picked operation has not taken effect.
    pub picked_pending: Bits<W>,
    /// Warps that must not issue while they are `picked_pending`.
    pub held_until_commit: Bits<W>,
    /// Warps that must not issue because too many accesses are outstanding.
    pub access_limit: Bits<W>,
}

/// The new port outputs for the warp that changed.
#[payload]
pub struct PortUpdate<LW> {
    pub warp: Bits<LW>,
    pub epoch: Bit,
    pub has_parked: Bit,
    pub has_two_parked: Bit,
    pub is_held: Bit,
    pub held_until_commit: Bit,
    pub picked_pending: Bit,
}

/// `W` warps of `LW` bits.
#[block]
pub struct Warps<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp to look up.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// For the warp looked up in the cycle before, by epoch: an access is outstanding.
    pub busy: [Signal<In, Bit>; 2],
    /// For the warp looked up in the cycle before, by epoch: the number is near the limit, which further accesses may exceed.
    pub near_limit: [Signal<In, Bit>; 2],
    /// That warp issued an access in the cycle of its look-up.
    pub issue_during_lookup: Signal<In, Bit>,
    /// Warps that reach their access limit.
    pub reach_limit: Signal<In, Bits<W>>,
    /// Warps with an operation that takes effect.
    pub commit: Signal<In, Bits<W>>,
    /// The change of the warp looked up in the cycle before.
    pub change: StrobeIn<Change>,
    pub warp_lookup: Signal<Out, WarpLookup<LW>>,
    pub port_state: Signal<Out, PortState<W>>,
    pub op_done: Signal<Out, Bits<W>>,
    warp_states: Store<Packed<WarpState>, LW>,
    looked_up_warp: DFF<Bits<LW>>,
    /// A parked operation of the warp was picked, and has not taken effect.
    was_picked_pending: DFF<Bit>,
    #[reset]
    stale: DFF<Bit>,
    port_update: DFF<PortUpdate<LW>>,
    #[reset]
    has_update: DFF<Bit>,
    /// The warp in `port_update` is below its access limit in its present epoch.
    #[reset]
    is_below_limit: DFF<Bit>,
    /// An operation of the warp in `port_update` was parked, or its fence left the queue.
    #[reset]
    sets_op_done: DFF<Bit>,
    /// Register of the port outputs.
    #[reset]
    port_state_q: DFF<PortState<W>>,
    /// The warp in `port_update` if it changes, one-hot.
    updated_warp: Signal<Local, Bits<W>>,
    next_port_state: Signal<Local, PortState<W>>,
    any_parked: Signal<Local, Bit>,
    any_parked_before: Signal<Local, Bit>,
    first_word_bit: Signal<Local, Bit>,
    /// The present epoch before the change.
    epoch: Signal<Local, Bit>,
    /// The epoch flips.
    epoch_flips: Signal<Local, Bit>,
    /// The number of accesses in the present epoch is not near the limit.
    far_from_limit: Signal<Local, Bit>,
    /// The warp that is no longer at its access limit, one-hot.
    below_limit: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Warps<W, LW> {
    fn update(&mut self) {
        // The look-up.
        self.warp_states.read_address.next = self.lookup_warp.val();
        self.looked_up_warp.d.next = self.lookup_warp.val();
        self.was_picked_pending.d.next = self.port_state_q.q.val().picked_pending.at(self.lookup_warp.val());
        self.warp_lookup.next.busy = 0.into();
        for k in 0..2 {
            self.warp_lookup.next.busy = self.warp_lookup.val().busy.replace_bit(k, self.busy[k].val());
        }
        self.stale.d.next = (self.change.payload.val().changes_state & (self.lookup_warp.val() == self.looked_up_warp.q.val()))
            | (self.has_update.q.val() & (self.lookup_warp.val() == self.port_update.q.val().warp));
        self.warp_lookup.next.warp = self.looked_up_warp.q.val();
        self.warp_lookup.next.warp_state = self.warp_states.read_value.val().into();
        self.warp_lookup.next.picked_pending = self.was_picked_pending.q.val();
        self.warp_lookup.next.stale = self.stale.q.val();

        // The change. The epoch is the lowest bit of the number of the first word, inverted while an operation is parked.
        self.warp_states.write.next = self.change.valid.val();
        self.warp_states.write_address.next = self.looked_up_warp.q.val();
        self.warp_states.write_value.next = self.change.payload.val().warp_state.into();
        self.any_parked.next = self.change.payload.val().warp_state.parked_count != 0;
        self.first_word_bit.next = self.change.payload.val().warp_state.first_word.get_bit(0);
        self.has_update.d.next = self.change.payload.val().changes_state;
        self.sets_op_done.d.next = self.change.payload.val().sets_op_done;
        self.port_update.d.next.warp = self.looked_up_warp.q.val();
        self.port_update.d.next.epoch = self.first_word_bit.val() ^ self.any_parked.val();
        self.any_parked_before.next = self.warp_lookup.val().warp_state.parked_count != 0;
        self.epoch.next = self.any_parked_before.val() ^ self.warp_lookup.val().warp_state.first_word.get_bit(0);
        self.epoch_flips.next = self.epoch.val() ^ self.first_word_bit.val() ^ self.any_parked.val();

        // An epoch has no outstanding accesses when it becomes the present one: the operation that was parked at the flip before
        // waited for all of them.
        self.far_from_limit.next = !self.near_limit[0].val();
        if self.epoch.val() {
            self.far_from_limit.next = !self.near_limit[1].val();
        }
        self.is_below_limit.d.next =
            (self.change.payload.val().lookup_valid & self.far_from_limit.val() & !self.issue_during_lookup.val())
                | (self.change.payload.val().changes_state & self.epoch_flips.val());
        self.port_update.d.next.has_parked = self.any_parked.val() | self.change.payload.val().warp_state.fenced;
        self.port_update.d.next.has_two_parked = self.change.payload.val().warp_state.parked_count.get_bit(1);
        self.port_update.d.next.is_held = self.change.payload.val().warp_state.parked_count.get_bit(1)
            | self.change.payload.val().warp_state.holds_warp
            | self.change.payload.val().warp_state.fenced;
        self.port_update.d.next.picked_pending = self.change.payload.val().picks;
        self.port_update.d.next.held_until_commit = self.change.payload.val().warp_state.held_until_commit;

        // The port outputs. Only the bits of the changed warp are written, so these are registers with an enable. For a warp that is
        // merely no longer at its access limit the other bits are written unchanged.
        self.updated_warp.next =
            self.no_warps.val().with(self.port_update.q.val().warp, self.has_update.q.val() | self.is_below_limit.q.val());
        self.next_port_state.next = self.port_state_q.q.val();
        for i in 0..W {
            if self.updated_warp.val().get_bit(i) {
                self.next_port_state.next.epochs =
                    self.next_port_state.val().epochs.replace_bit(i, self.port_update.q.val().epoch);
                self.next_port_state.next.parked =
                    self.next_port_state.val().parked.replace_bit(i, self.port_update.q.val().has_parked);
                self.next_port_state.next.two_parked =
                    self.next_port_state.val().two_parked.replace_bit(i, self.port_update.q.val().has_two_parked);
                self.next_port_state.next.held_warps =
                    self.next_port_state.val().held_warps.replace_bit(i, self.port_update.q.val().is_held);
                self.next_port_state.next.held_until_commit =
                    self.next_port_state.val().held_until_commit.replace_bit(i, self.port_update.q.val().held_until_commit);
            }
        }
        self.next_port_state.next.picked_pending = self.port_state_q.q.val().picked_pending & !self.commit.val();
        if self.port_update.q.val().picked_pending {
            self.next_port_state.next.picked_pending = self.next_port_state.val().picked_pending | self.updated_warp.val();
        }
        self.below_limit.next = self.no_warps.val();
        if self.is_below_limit.q.val() {
            self.below_limit.next = self.updated_warp.val();
        }
        self.next_port_state.next.access_limit =
            self.reach_limit.val() | (self.port_state_q.q.val().access_limit & !self.below_limit.val());
        self.port_state_q.d.next = self.next_port_state.val();
        self.port_state.next = self.port_state_q.q.val();
        self.op_done.next = self.no_warps.val();
        if self.sets_op_done.q.val() {
            self.op_done.next = self.updated_warp.val();
        }
    }
}
