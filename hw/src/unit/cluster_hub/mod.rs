// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hub of clusters: it sees the phases of each cluster completed, over all multiprocessors, and clusters closed.
//!
//! *Reads:* a message of every multiprocessor in every cycle. *Writes:* a message of one cluster slot in every cycle, to its
//! multiprocessors. *Latency:* 3 from the last message of a phase to the message that it is complete. Implements the hub of
//! `docs/clusters.md`.
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

    messages: [message::MessageOf<KC, KN>; M],
    slots: [slot::HubSlot<M>; KN],
    turns: RoundRobin<KN>,
    leave: [StrobeRegister<HubMessage<KC>>; M],
    /// The slot that had its turn, and what it tells.
    #[reset]
    completes: DFF<Bits<KN>>,
    #[reset]
    closes: DFF<Bits<KN>>,
    /// By multiprocessor, what this cycle's message says.
    arrived: Signal<Local, Bits<M>>,
    gone: Signal<Local, Bits<M>>,
    gone_odd: Signal<Local, Bits<M>>,
    /// Whose message names a slot, who of them says Present, and the size that they say.
    named: Signal<Local, Bits<M>>,
    joins: Signal<Local, Bits<M>>,
    ctas: Signal<Local, Bits<5>>,
    due: Signal<Local, Bits<KN>>,
    left: Signal<Local, Bits<KN>>,
    told: Signal<Local, Bits<KN>>,
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
        self.turns.asks.next = self.due.val();
        self.turns.takes.next = true;
        self.completes.d.next = self.turns.turn.val() & self.left.val();
        self.closes.d.next = self.turns.turn.val() & !self.left.val();

        self.told.next = self.completes.q.val() | self.closes.q.val();
        self.message.next.cluster = 0.into();
        self.message.next.kind = HubKind::Complete;
        if self.closes.q.val().any() {
            self.message.next.kind = HubKind::Closed;
        }
        self.meant.next = 0.into();
        for j in 0..KN {
            self.slots[j].turn.next = self.turns.turn.val().get_bit(j);
            self.slots[j].completes.next = self.completes.q.val().get_bit(j);
            self.slots[j].closes.next = self.closes.q.val().get_bit(j);
            if self.told.val().get_bit(j) {
                self.message.next.cluster = j.to_bits();
                self.meant.next = self.meant.val() | self.slots[j].of.val();
            }
        }
        for n in 0..M {
            self.leave[n].in_.valid.next = self.meant.val().get_bit(n);
            self.leave[n].in_.payload.next = self.message.val();
            Strobe::join(&mut self.leave[n].out, &mut self.to[n]);
        }
    }
}
