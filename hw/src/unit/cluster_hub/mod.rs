// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hub of clusters: it sees the phases of each cluster completed, over all multiprocessors, and clusters closed.
//!
//! *Reads:* a message of every multiprocessor in every cycle. *Writes:* a message of one cluster slot in every cycle, to its
//! multiprocessors. *Latency:* 3 from the last message of a phase to the message that it is complete. Implements the hub of
//! `docs/clusters.md`.

pub mod message;
pub mod slot;

use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;
use crate::unit::cluster::ports::{ClusterMessage, HubKind, HubMessage};

/// `M` multiprocessors, `KN` cluster slots of `KC` bits.
#[block(unit = "cluster_hub")]
pub struct ClusterHub<KC, KN, M> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("multiprocessors")]
    pub from: [StrobeIn<ClusterMessage<KC>>; M],
    #[group("multiprocessors")]
    pub to: [StrobeOut<HubMessage<KC>>; M],

    messages: [message::MessageOf<KC, KN>; M],
    slots: [slot::HubSlot<M>; KN],
    turns: RoundRobin<KN>,
    leave: [StrobeRegister<HubMessage<KC>>; M],
    /// What this cycle's messages say of a slot: ranks that arrive, ranks that go, multiprocessors that have new members, and the ranks
    /// that the last of these names.
    arrives: Signal<Local, Bits<16>>,
    goes: Signal<Local, Bits<16>>,
    joins: Signal<Local, Bits<M>>,
    ranks: Signal<Local, Bits<16>>,
    due: Signal<Local, Bits<KN>>,
    message: Signal<Local, HubMessage<KC>>,
    /// Multiprocessors that get the message.
    meant: Signal<Local, Bits<M>>,
}

#[block]
impl Logic for ClusterHub<KC, KN, M> {
    fn update(&mut self) {
        for m in 0..M {
            Strobe::join(&mut self.from[m], &mut self.messages[m].from);
        }
        self.due.next = 0.into();
        for k in 0..KN {
            self.arrives.next = 0.into();
            self.goes.next = 0.into();
            self.joins.next = 0.into();
            self.ranks.next = 0.into();
            for i in 0..M {
                self.joins.next = self.joins.val().replace_bit(i, self.messages[i].present.val().get_bit(k));
                if self.messages[i].present.val().get_bit(k) {
                    self.ranks.next = self.messages[i].below.val();
                }
                if self.messages[i].arrived.val().get_bit(k) {
                    self.arrives.next = self.arrives.val() | self.messages[i].rank.val();
                }
                if self.messages[i].gone.val().get_bit(k) {
                    self.goes.next = self.goes.val() | self.messages[i].rank.val();
                }
            }
            self.slots[k].arrives.next = self.arrives.val();
            self.slots[k].goes.next = self.goes.val();
            self.slots[k].joins.next = self.joins.val();
            self.slots[k].ranks.next = self.ranks.val();
            self.due.next = self.due.val().replace_bit(k, self.slots[k].complete.val() | self.slots[k].closed.val());
        }
        self.turns.asks.next = self.due.val();
        self.turns.takes.next = true;

        self.message.next.cluster = 0.into();
        self.message.next.kind = HubKind::Closed;
        self.meant.next = 0.into();
        for j in 0..KN {
            self.slots[j].turn.next = self.turns.turn.val().get_bit(j);
            if self.turns.turn.val().get_bit(j) {
                self.message.next.cluster = j.to_bits();
                self.meant.next = self.slots[j].members.val();
                if self.slots[j].complete.val() {
                    self.message.next.kind = HubKind::Complete;
                }
            }
        }
        for n in 0..M {
            self.leave[n].in_.valid.next = self.meant.val().get_bit(n);
            self.leave[n].in_.payload.next = self.message.val();
            Strobe::join(&mut self.leave[n].out, &mut self.to[n]);
        }
    }
}
