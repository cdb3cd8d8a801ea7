// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hub of clusters: detects when a phase of a cluster is complete over all multiprocessors, and when a cluster is closed.
//!
//! *Reads:* a message of every multiprocessor in every cycle. *Writes:* a message about one cluster slot in every cycle, to the
//! multiprocessors that have CTAs of that cluster. *Latency:* 3 from the last message of a phase to the message that the phase is
//! complete. Implements the hub of `docs/contract/clusters.md`.
//!
//! ```text
//!  cycle t                   |  t+1              |  t+2                        |  t+3
//!  from ─► messages ─► slots ┼─► due ─► turns ───┼─► completes, closes: leave ─┼─► to
//! ```

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

    /// The message of each multiprocessor, decoded.
    messages: [message::MessageOf<KC, KN>; M],
    /// The state of each cluster slot.
    slots: [slot::HubSlot<M>; KN],
    /// Chooses the slot whose message is sent.
    turns: RoundRobin<KN>,
    /// Registers of the strobes `to`.
    leave: [StrobeRegister<HubMessage<KC>>; M],
    /// One-hot: slot for which Complete is sent.
    #[reset]
    completes: DFF<Bits<KN>>,
    /// One-hot: slot for which Closed is sent.
    #[reset]
    closes: DFF<Bits<KN>>,
    /// Multiprocessors whose message is an Arrived.
    arrived: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a Gone.
    gone: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a GoneOdd.
    gone_odd: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message names a slot.
    named: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a Present of the slot.
    joins: Signal<Local, Bits<M>>,
    /// The size in the Presents of the slot.
    ctas: Signal<Local, Bits<5>>,
    /// Cluster slots for which a message is due.
    due: Signal<Local, Bits<KN>>,
    /// Cluster slots with CTAs that have not ended.
    left: Signal<Local, Bits<KN>>,
    /// One-hot: slot whose message is sent.
    told: Signal<Local, Bits<KN>>,
    /// The message that is sent.
    message: Signal<Local, HubMessage<KC>>,
    /// Multiprocessors that get the message.
    meant: Signal<Local, Bits<M>>,
}

#[block]
impl Logic for ClusterHub<KC, KN, M> {
    fn update(&mut self) {
        self.arrived.next = 0.into();
        self.gone.next = 0.into();
        self.gone_odd.next = 0.into();
        for m in 0..M {
            Strobe::join(&mut self.from[m], &mut self.messages[m].from);
            self.arrived.next = self.arrived.val().replace_bit(m, self.messages[m].arrived.val());
            self.gone.next = self.gone.val().replace_bit(m, self.messages[m].gone.val());
            self.gone_odd.next = self.gone_odd.val().replace_bit(m, self.messages[m].gone_odd.val());
        }
        self.due.next = 0.into();
        self.left.next = 0.into();
        for k in 0..KN {
            self.named.next = 0.into();
            self.joins.next = 0.into();
            self.ctas.next = 0.into();
            for i in 0..M {
                self.named.next = self.named.val().replace_bit(i, self.messages[i].named.val().get_bit(k));
                if self.messages[i].present.val() & self.messages[i].named.val().get_bit(k) {
                    self.joins.next = self.joins.val().replace_bit(i, true);
                    self.ctas.next = self.ctas.val() | self.messages[i].size.val();
                }
            }
            self.slots[k].named.next = self.named.val();
            self.slots[k].joins.next = self.joins.val();
            self.slots[k].ctas.next = self.ctas.val();
            self.slots[k].arrived.next = self.arrived.val();
            self.slots[k].gone.next = self.gone.val();
            self.slots[k].gone_odd.next = self.gone_odd.val();
            self.due.next = self.due.val().replace_bit(k, self.slots[k].is_due.val());
            self.left.next = self.left.val().replace_bit(k, self.slots[k].some_left.val());
        }
        self.turns.request.next = self.due.val();
        self.turns.grant_taken.next = true;
        self.completes.d.next = self.turns.grant.val() & self.left.val();
        self.closes.d.next = self.turns.grant.val() & !self.left.val();

        self.told.next = self.completes.q.val() | self.closes.q.val();
        self.message.next.cluster = 0.into();
        self.message.next.kind = HubKind::Complete;
        if self.closes.q.val().any() {
            self.message.next.kind = HubKind::Closed;
        }
        self.meant.next = 0.into();
        for j in 0..KN {
            self.slots[j].turn.next = self.turns.grant.val().get_bit(j);
            self.slots[j].completes.next = self.completes.q.val().get_bit(j);
            self.slots[j].closes.next = self.closes.q.val().get_bit(j);
            if self.told.val().get_bit(j) {
                self.message.next.cluster = j.to_bits();
                self.meant.next = self.meant.val() | self.slots[j].members.val();
            }
        }
        for n in 0..M {
            self.leave[n].in_.valid.next = self.meant.val().get_bit(n);
            self.leave[n].in_.payload.next = self.message.val();
            Strobe::join(&mut self.leave[n].out, &mut self.to[n]);
        }
    }
}
