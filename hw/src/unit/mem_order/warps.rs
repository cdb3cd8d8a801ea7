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
    pub count: Bits<2>,
    /// Word, of the four of the warp, of the first parked operation.
    pub place: Bits<2>,
    /// A Sync, a Reduce or a wait was parked since the warp last had no parked operation.
    pub waits: Bit,
    /// A fence has not ended.
    pub fenced: Bit,
    /// The warp must not issue before the operation that was picked last takes effect.
    pub held_until_commit: Bit,
}

/// The state of the warp that was looked up in the cycle before.
#[payload]
pub struct Look<LW> {
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
    pub looked: Bit,
    /// The warp's state changes.
    pub shows: Bit,
    /// The warp's first parked operation is picked.
    pub passes: Bit,
    /// An operation of the warp was parked, or the warp's fence left the queue.
    pub sets_op_done: Bit,
}

/// The port outputs for all warps.
#[payload]
pub struct Shown<W> {
    pub epochs: Bits<W>,
    /// Warps with a parked operation, or fenced.
    pub parked: Bits<W>,
    /// Warps with two or more parked operations.
    pub full: Bits<W>,
    /// Warps that must not issue: fenced, or waiting for a parked operation.
    pub held: Bits<W>,
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
    pub parked: Bit,
    pub full: Bit,
    pub held: Bit,
    pub held_until_commit: Bit,
    pub picked_pending: Bit,
}

/// `W` warps of `LW` bits.
#[block]
pub struct Warps<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp to look up.
    pub asked: Signal<In, Bits<LW>>,
    /// For the warp looked up in the cycle before, by epoch: an access is outstanding.
    pub busy: [Signal<In, Bit>; 2],
    /// For the warp looked up in the cycle before, by epoch: the number is high, so further accesses may exceed the limit.
    pub high: [Signal<In, Bit>; 2],
    /// That warp issued an access in the cycle of its look-up.
    pub disturbed: Signal<In, Bit>,
    /// Warps that reach their access limit.
    pub reach_limit: Signal<In, Bits<W>>,
    /// Warps with an operation that takes effect.
    pub commit: Signal<In, Bits<W>>,
    /// The change of the warp looked up in the cycle before.
    pub change: StrobeIn<Change>,
    pub look: Signal<Out, Look<LW>>,
    pub shown: Signal<Out, Shown<W>>,
    pub op_done: Signal<Out, Bits<W>>,
    kept: Store<Packed<WarpState>, LW>,
    warp: DFF<Bits<LW>>,
    /// A parked operation of the warp was picked, and has not taken effect.
    was_picked_pending: DFF<Bit>,
    #[reset]
    stale: DFF<Bit>,
    port_update: DFF<PortUpdate<LW>>,
    #[reset]
    changes: DFF<Bit>,
    /// The warp in `port_update` is below its access limit in its present epoch.
    #[reset]
    has_room: DFF<Bit>,
    /// An operation of the warp in `port_update` was parked, or its fence left the queue.
    #[reset]
    sets_op_done: DFF<Bit>,
    /// Register of the port outputs.
    #[reset]
    now: DFF<Shown<W>>,
    /// The warp in `port_update` if it changes, one-hot.
    changed: Signal<Local, Bits<W>>,
    next: Signal<Local, Shown<W>>,
    some: Signal<Local, Bit>,
    some_before: Signal<Local, Bit>,
    place_bit: Signal<Local, Bit>,
    /// The present epoch before the change.
    epoch: Signal<Local, Bit>,
    /// The epoch flips.
    turns: Signal<Local, Bit>,
    /// The number of accesses in the present epoch is not high.
    low: Signal<Local, Bit>,
    /// The warp that is no longer at its access limit, one-hot.
    below_limit: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Warps<W, LW> {
    fn update(&mut self) {
        // The look-up.
        self.kept.read_address.next = self.asked.val();
        self.warp.d.next = self.asked.val();
        self.was_picked_pending.d.next = self.now.q.val().picked_pending.at(self.asked.val());
        self.look.next.busy = 0.into();
        for k in 0..2 {
            self.look.next.busy = self.look.val().busy.replace_bit(k, self.busy[k].val());
        }
        self.stale.d.next = (self.change.payload.val().shows & (self.asked.val() == self.warp.q.val()))
            | (self.changes.q.val() & (self.asked.val() == self.port_update.q.val().warp));
        self.look.next.warp = self.warp.q.val();
        self.look.next.warp_state = self.kept.read_value.val().into();
        self.look.next.picked_pending = self.was_picked_pending.q.val();
        self.look.next.stale = self.stale.q.val();

        // The change. The epoch is the lowest bit of the number of the first word, inverted while an operation is parked.
        self.kept.write.next = self.change.valid.val();
        self.kept.write_address.next = self.warp.q.val();
        self.kept.write_value.next = self.change.payload.val().warp_state.into();
        self.some.next = self.change.payload.val().warp_state.count != 0;
        self.place_bit.next = self.change.payload.val().warp_state.place.get_bit(0);
        self.changes.d.next = self.change.payload.val().shows;
        self.sets_op_done.d.next = self.change.payload.val().sets_op_done;
        self.port_update.d.next.warp = self.warp.q.val();
        self.port_update.d.next.epoch = self.place_bit.val() ^ self.some.val();
        self.some_before.next = self.look.val().warp_state.count != 0;
        self.epoch.next = self.some_before.val() ^ self.look.val().warp_state.place.get_bit(0);
        self.turns.next = self.epoch.val() ^ self.place_bit.val() ^ self.some.val();

        // An epoch has no outstanding accesses when it becomes the present one: the operation that was parked at the flip before
        // waited for all of them.
        self.low.next = !self.high[0].val();
        if self.epoch.val() {
            self.low.next = !self.high[1].val();
        }
        self.has_room.d.next = (self.change.payload.val().looked & self.low.val() & !self.disturbed.val())
            | (self.change.payload.val().shows & self.turns.val());
        self.port_update.d.next.parked = self.some.val() | self.change.payload.val().warp_state.fenced;
        self.port_update.d.next.full = self.change.payload.val().warp_state.count.get_bit(1);
        self.port_update.d.next.held = self.change.payload.val().warp_state.count.get_bit(1)
            | self.change.payload.val().warp_state.waits
            | self.change.payload.val().warp_state.fenced;
        self.port_update.d.next.picked_pending = self.change.payload.val().passes;
        self.port_update.d.next.held_until_commit = self.change.payload.val().warp_state.held_until_commit;

        // The port outputs. Only the bits of the changed warp are written, so these are registers with an enable. For a warp that is
        // merely no longer at its access limit the other bits are written unchanged.
        self.changed.next =
            self.no_warps.val().with(self.port_update.q.val().warp, self.changes.q.val() | self.has_room.q.val());
        self.next.next = self.now.q.val();
        for i in 0..W {
            if self.changed.val().get_bit(i) {
                self.next.next.epochs = self.next.val().epochs.replace_bit(i, self.port_update.q.val().epoch);
                self.next.next.parked = self.next.val().parked.replace_bit(i, self.port_update.q.val().parked);
                self.next.next.full = self.next.val().full.replace_bit(i, self.port_update.q.val().full);
                self.next.next.held = self.next.val().held.replace_bit(i, self.port_update.q.val().held);
                self.next.next.held_until_commit =
                    self.next.val().held_until_commit.replace_bit(i, self.port_update.q.val().held_until_commit);
            }
        }
        self.next.next.picked_pending = self.now.q.val().picked_pending & !self.commit.val();
        if self.port_update.q.val().picked_pending {
            self.next.next.picked_pending = self.next.val().picked_pending | self.changed.val();
        }
        self.below_limit.next = self.no_warps.val();
        if self.has_room.q.val() {
            self.below_limit.next = self.changed.val();
        }
        self.next.next.access_limit = self.reach_limit.val() | (self.now.q.val().access_limit & !self.below_limit.val());
        self.now.d.next = self.next.val();
        self.shown.next = self.now.q.val();
        self.op_done.next = self.no_warps.val();
        if self.sets_op_done.q.val() {
            self.op_done.next = self.changed.val();
        }
    }
}
