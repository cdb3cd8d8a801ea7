// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lookup cycles of operations: most operations take one, some take two. This block outputs the actions of an operation in its
//! last or only lookup cycle.
//!
//! *Reads:* whether an operation or a clear step enters, and the class of the operation. *Writes:* one cycle later whether the operation is
//! in the first of two lookup cycles, or the actions of its only lookup cycle; two cycles later the actions of its second lookup cycle.
//! *Latency:* 1 or 2. Implements the operations that occupy two cycles of `docs/contract/named.md`.
//!
//! `releasing` is 1 from the transfer of a Release without a fault through its second lookup cycle, because rows may have to be cleared
//! after the Release.

use super::entering_payloads::OpClass;
use super::lookup_payloads::{Actions, FirstSlot};
use crate::prelude::*;

#[block]
pub struct Slots {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation is transferred.
    pub op_taken: Signal<In, Bit>,
    /// The transferred operation has no fault from upstream.
    pub op_accepted: Signal<In, Bit>,
    /// The class of the operation at the port.
    pub class: Signal<In, OpClass>,
    /// The operation at the port has the state word of a barrier.
    pub is_row_state: Signal<In, Bit>,
    /// A Sync or Reduce without a fault from upstream is transferred; 0 during a reset.
    pub waiter: Signal<In, Bit>,
    /// A clear step enters.
    pub scrubs: Signal<In, Bit>,
    /// If a clear step enters: 1 = it follows a reset, after which the rows of all CTA slots are cleared; 0 = it follows a
    /// Release.
    pub all_slots: Signal<In, Bit>,
    pub actions: Signal<Out, Actions>,
    pub first_slot: Signal<Out, FirstSlot>,
    /// A Release without a fault is in its first lookup cycle.
    pub first_slot_release: Signal<Out, Bit>,
    /// A Release without a fault will be in the pipeline in the next cycle: rows may have to be cleared after it.
    pub releasing: Signal<Out, Bit>,
    #[reset]
    lookup_actions: DFF<Actions>,
    #[reset]
    lookup_first_slot: DFF<FirstSlot>,
    /// A Write to Warp without a fault is in its first lookup cycle.
    #[reset]
    first_slot_warp_write: DFF<Bit>,
    /// An operation is in its first lookup cycle, and will have `warp_done` in its second: a Write to Warp, or an Exit without a
    /// fault.
    #[reset]
    first_slot_warp_done: DFF<Bit>,
    /// Register of `first_slot_release`.
    #[reset]
    first_slot_release_q: DFF<Bit>,
    /// A Release without a fault is transferred.
    release_enters: Signal<Local, Bit>,
    /// The transferred operation takes one lookup cycle.
    single_slot: Signal<Local, Bit>,
}

#[block]
impl Logic for Slots {
    fn update(&mut self) {
        let class = self.class.val();
        let first_slot = self.lookup_first_slot.q.val();

        // The first lookup cycle of an operation that takes two.
        self.single_slot.next = self.op_taken.val() & !class.needs_two_slots;
        self.lookup_first_slot.d.next.occupied = self.op_taken.val() & class.needs_two_slots;
        self.lookup_first_slot.d.next.exit = self.op_accepted.val() & class.is_exit;
        self.lookup_first_slot.d.next.launch = self.op_accepted.val() & class.is_launch;
        self.first_slot_warp_write.d.next = self.op_accepted.val() & class.is_warp_write;
        self.first_slot_warp_done.d.next =
            (self.op_taken.val() & class.is_warp_write) | (self.op_accepted.val() & class.is_exit);
        self.release_enters.next = self.op_accepted.val() & class.is_release;
        self.first_slot_release_q.d.next = self.release_enters.val();

        // The actions of an operation with one lookup cycle come from the port; the actions of an operation with two come
        // from the flags of its first lookup cycle.
        self.lookup_actions.d.next.last_slot = self.single_slot.val() | first_slot.occupied;
        self.lookup_actions.d.next.warp_done = self.single_slot.val() | self.first_slot_warp_done.q.val();
        self.lookup_actions.d.next.arrives = self.op_accepted.val() & class.is_arrival;
        self.lookup_actions.d.next.writes_row = self.op_accepted.val() & class.is_row_write;
        self.lookup_actions.d.next.reads = self.op_accepted.val() & class.is_read;
        self.lookup_actions.d.next.writes_warp = self.first_slot_warp_write.q.val();
        self.lookup_actions.d.next.exits = first_slot.exit;
        self.lookup_actions.d.next.launches = first_slot.launch;
        self.lookup_actions.d.next.releases = self.first_slot_release_q.q.val();
        self.lookup_actions.d.next.waiter = self.waiter.val();
        self.lookup_actions.d.next.needs_declared_id =
            self.op_accepted.val() & (class.is_arrival | class.is_row_write | (class.is_read & self.is_row_state.val()));
        self.lookup_actions.d.next.is_scrub = self.scrubs.val();
        self.lookup_actions.d.next.clears_cta_entry = self.scrubs.val() & self.all_slots.val();

        self.actions.next = self.lookup_actions.q.val();
        self.first_slot.next = self.lookup_first_slot.q.val();
        self.first_slot_release.next = self.first_slot_release_q.q.val();
        self.releasing.next =
            self.release_enters.val() | self.first_slot_release_q.q.val() | self.lookup_actions.q.val().releases;
    }
}
