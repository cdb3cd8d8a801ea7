// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arbiter of the item queue: selects the source whose offer is taken, and drives `op_ready`.
//!
//! *Reads:* the sources with an offer; how full the item queue and the queue of remote operations are; whether the cache
//! entries are cleared. *Writes:* in the same cycle the source whose offer is taken; `op_ready`, a register. *Latency:* 0; 1
//! for `op_ready`. Implements *Turns* of `docs/contract/mbarrier.md`.
//!
//! An operation that is offered on `op` is taken whenever `op` is ready, and begins a round. In a round the other sources have
//! their turns, each in a cycle in which no operation is taken from `op`. So while another source with an offer is due in the
//! round and the queue has space for its item, `op` is not ready.

use super::payloads::Sources;
use crate::prelude::*;
use crate::unit::mbarrier::turns::Turns;

#[block]
pub struct Arbiter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Sources with an offer.
    pub offering: Signal<In, Sources>,
    /// Number of items in the queue divided by W / 2, rounded down.
    pub fill_level: Signal<In, Bits<3>>,
    /// W remote operations wait for the network: their queue is full.
    pub remote_full: Signal<In, Bit>,
    /// After reset: all cache entries have been cleared.
    pub cleared: Signal<In, Bit>,
    /// After reset: the last cache entry has been cleared, or is cleared in this cycle.
    pub cleared_next: Signal<In, Bit>,
    /// `op_ready`: an operation that is offered on `op` in this cycle is taken.
    pub op_ready: Signal<Out, Bit>,
    /// The source whose offer is taken, one-hot; 0 if no offer is taken.
    pub take: Signal<Out, Sources>,
    /// The offer of a source other than `op` is taken.
    pub other_taken: Signal<Out, Bit>,
    /// Turns among three sources: internal items together, `tx`, `net_in`.
    turns: Turns<3>,
    /// Turns among the internal items: time-out, remote result, absent target, step of the walk.
    internal_turns: Turns<4>,
    /// Register of `op_ready`.
    #[reset]
    ready: DFF<Bit>,
    /// In the previous cycle, fewer than 2 W items were in the queue, and the entries had been cleared after reset.
    #[reset]
    has_queue_space: DFF<Bit>,
    /// Internal items that are offered: time-out, remote result, absent target, step of the walk.
    internal_offers: Signal<Local, Bits<4>>,
    /// Sources with an offer: internal items, `tx`, `net_in`.
    offers: Signal<Local, Bits<3>>,
    /// A source other than `op` may have its turn in this cycle.
    others_allowed: Signal<Local, Bit>,
    /// An internal item is taken.
    take_internal: Signal<Local, Bit>,
}

#[block]
impl Logic for Arbiter {
    fn update(&mut self) {
        let offering = self.offering.val();
        self.internal_offers.next = 0.into();
        self.internal_offers.next = self.internal_offers.val().replace_bit(0, offering.time_out);
        self.internal_offers.next = self.internal_offers.val().replace_bit(1, offering.remote_result);
        self.internal_offers.next = self.internal_offers.val().replace_bit(2, offering.absent_target);
        self.internal_offers.next = self.internal_offers.val().replace_bit(3, offering.walk_step);
        self.offers.next = 0.into();
        self.offers.next = self.offers.val().replace_bit(0, self.internal_offers.val().any());
        self.offers.next = self.offers.val().replace_bit(1, offering.tx);
        self.offers.next = self.offers.val().replace_bit(2, offering.net);

        self.has_queue_space.d.next = self.cleared.val() & !self.fill_level.val().get_bit(2);
        self.take.next.op = offering.op & self.ready.q.val() & !self.reset.val();
        self.others_allowed.next = self.has_queue_space.q.val() & !self.take.val().op;
        self.turns.request.next = self.offers.val();
        self.turns.grant_taken.next = self.others_allowed.val();
        // An operation from `op` that is taken while `has_queue_space` is 0 does not count as a turn, so it begins no new round for the
        // other sources.
        self.turns.new_round.next = self.take.val().op & self.has_queue_space.q.val();
        self.take_internal.next = self.turns.grant.val().get_bit(0) & self.others_allowed.val();
        self.take.next.tx = self.turns.grant.val().get_bit(1) & self.others_allowed.val();
        self.take.next.net = self.turns.grant.val().get_bit(2) & self.others_allowed.val();
        self.internal_turns.request.next = self.internal_offers.val();
        self.internal_turns.grant_taken.next = self.take_internal.val();
        self.internal_turns.new_round.next = false;
        self.ready.d.next = self.cleared_next.val()
            & !self.fill_level.val().all()
            & !self.remote_full.val()
            & !(self.has_queue_space.d.val() & self.turns.is_due.val());
        self.op_ready.next = self.ready.q.val();

        self.take.next.time_out = self.internal_turns.grant.val().get_bit(0) & self.take_internal.val();
        self.take.next.remote_result = self.internal_turns.grant.val().get_bit(1) & self.take_internal.val();
        self.take.next.absent_target = self.internal_turns.grant.val().get_bit(2) & self.take_internal.val();
        self.take.next.walk_step = self.internal_turns.grant.val().get_bit(3) & self.take_internal.val();
        self.other_taken.next = self.take_internal.val() | self.take.val().tx | self.take.val().net;
    }
}
