// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hub of clusters: detects when a phase of a cluster is complete over all multiprocessors, and when a cluster is closed.
//!
//! *Reads:* in each cycle at most one message of every multiprocessor. *Writes:* in each cycle at most one message about a cluster slot,
//! to the multiprocessors that have CTAs of that cluster. *Latency:* 3 from the last message of a phase to the message Complete. Implements
//! the hub of `docs/contract/clusters.md`.
//!
//! ```text
//!  cycle t                   |  t+1              |  t+2                        |  t+3
//!  from ─► messages ─► slots ┼─► due ─► turns ───┼─► completing, closing slot ─┼─► to
//! ```

pub mod message;
pub mod slot;

use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;
use crate::unit::cluster::ports::{ClusterMessage, HubKind, HubMessage};

/// Sizes: `M` multiprocessors, `KN` cluster slots with numbers of `KC` bits.
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
    messages: [message::ClusterMessageDecode<KC, KN>; M],
    /// The state of each cluster slot.
    slots: [slot::HubSlot<M>; KN],
    /// Chooses the cluster slot whose message is sent.
    turns: RoundRobin<KN>,
    /// Registers of the strobes `to`.
    to_registers: [StrobeRegister<HubMessage<KC>>; M],
    /// One-hot: cluster slot for which Complete is sent.
    #[reset]
    completing_slot: DFF<Bits<KN>>,
    /// One-hot: cluster slot for which Closed is sent.
    #[reset]
    closing_slot: DFF<Bits<KN>>,
    /// Multiprocessors whose message is a Present.
    present_sources: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is an Arrived.
    arrived_sources: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a Gone.
    gone_sources: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a GoneOdd.
    gone_odd_sources: Signal<Local, Bits<M>>,
    /// For each cluster slot: multiprocessors whose message names that cluster slot.
    named_sources: [Signal<Local, Bits<M>>; KN],
    /// Cluster slots for which a message is due.
    due_slots: Signal<Local, Bits<KN>>,
    /// Cluster slots with CTAs that have not ended.
    live_slots: Signal<Local, Bits<KN>>,
    /// One-hot: cluster slot whose message is sent.
    message_slot: Signal<Local, Bits<KN>>,
    /// The message that is sent.
    message: Signal<Local, HubMessage<KC>>,
    /// Multiprocessors that get the message.
    destinations: Signal<Local, Bits<M>>,
}

#[block]
impl Logic for ClusterHub {
    fn update(&mut self) {
        self.present_sources.next = 0.into();
        self.arrived_sources.next = 0.into();
        self.gone_sources.next = 0.into();
        self.gone_odd_sources.next = 0.into();
        for m in 0..M {
            Strobe::join(&mut self.from[m], &mut self.messages[m].from);
            self.present_sources.next = self.present_sources.val().replace_bit(m, self.messages[m].is_present.val());
            self.arrived_sources.next = self.arrived_sources.val().replace_bit(m, self.messages[m].is_arrived.val());
            self.gone_sources.next = self.gone_sources.val().replace_bit(m, self.messages[m].is_gone.val());
            self.gone_odd_sources.next = self.gone_odd_sources.val().replace_bit(m, self.messages[m].is_gone_odd.val());
        }
        self.due_slots.next = 0.into();
        self.live_slots.next = 0.into();
        for k in 0..KN {
            self.named_sources[k].next = 0.into();
            for i in 0..M {
                self.named_sources[k].next =
                    self.named_sources[k].val().replace_bit(i, self.messages[i].named_slot.val().get_bit(k));
                self.slots[k].sizes[i].next = self.messages[i].size.val();
            }
            self.slots[k].named_sources.next = self.named_sources[k].val();
            self.slots[k].present_sources.next = self.present_sources.val();
            self.slots[k].arrived_sources.next = self.arrived_sources.val();
            self.slots[k].gone_sources.next = self.gone_sources.val();
            self.slots[k].gone_odd_sources.next = self.gone_odd_sources.val();
            self.due_slots.next = self.due_slots.val().replace_bit(k, self.slots[k].is_due.val());
            self.live_slots.next = self.live_slots.val().replace_bit(k, self.slots[k].has_live_ctas.val());
        }
        self.turns.request.next = self.due_slots.val();
        self.turns.grant_taken.next = true;
        self.completing_slot.d.next = self.turns.grant.val() & self.live_slots.val();
        self.closing_slot.d.next = self.turns.grant.val() & !self.live_slots.val();

        self.message_slot.next = self.completing_slot.q.val() | self.closing_slot.q.val();
        self.message.next.cluster = 0.into();
        self.message.next.kind = HubKind::Complete;
        if self.closing_slot.q.val().any() {
            self.message.next.kind = HubKind::Closed;
        }
        self.destinations.next = 0.into();
        for j in 0..KN {
            self.slots[j].has_turn.next = self.turns.grant.val().get_bit(j);
            self.slots[j].sends_complete.next = self.completing_slot.q.val().get_bit(j);
            self.slots[j].sends_closed.next = self.closing_slot.q.val().get_bit(j);
            if self.message_slot.val().get_bit(j) {
                self.message.next.cluster = j.to_bits();
                self.destinations.next = self.destinations.val() | self.slots[j].members.val();
            }
        }
        for n in 0..M {
            self.to_registers[n].in_.valid.next = self.destinations.val().get_bit(n);
            self.to_registers[n].in_.payload.next = self.message.val();
            Strobe::join(&mut self.to_registers[n].out, &mut self.to[n]);
        }
    }
}
