// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA in its cluster: which messages about it have been sent to the hub, and which one is next.
//!
//! *Reads:* launches; the messages of the hub; CTAs that have ended; CTAs whose live warps have all arrived. *Writes:* the
//! messages to the hub, the strobe of closed clusters, the CTA slots that are freed; in the same cycle the CTA slots whose phase
//! completes. *Latency:* 1. Implements *Messages*, *Launch*, *Closed* and the rest of *Phases* of
//! `docs/contract/clusters.md`.

use super::ports::{ClusterMessage, ClusterMessageKind, HubKind, HubMessage, NamedCluster};
use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;

/// `S` CTA slots of `LC` bits, cluster slots of `KC` bits.
#[block]
pub struct ClusterCtas<LC, S, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// Messages of the hub.
    pub cluster_in: StrobeIn<HubMessage<KC>>,
    /// CTA slots whose CTA has ended.
    pub ended: Signal<In, Bits<S>>,
    /// CTA slots with live warps, all of which have arrived.
    pub full: Signal<In, Bits<S>>,
    /// CTA slots whose phase completes.
    pub completed: Signal<Out, Bits<S>>,
    /// Messages to the hub.
    pub cluster_out: Source<ClusterMessage<KC>>,
    /// The cluster of a slot is closed.
    pub closed: StrobeOut<NamedCluster<KC>>,
    /// CTA slots without state in this unit.
    pub freed: Signal<Out, Bits<S>>,
    /// Cluster slot, rank and size of the CTA in each slot.
    places: [DFF<Peer<KC>>; S],
    /// CTAs of a cluster of several CTAs, whose Present has been or will be sent to the hub.
    #[reset]
    joined: DFF<Bits<S>>,
    /// CTAs whose Present is still to be sent.
    #[reset]
    present_due: DFF<Bits<S>>,
    /// CTAs whose Arrived has been sent in this phase.
    #[reset]
    sent: DFF<Bits<S>>,
    /// CTAs whose Gone has been sent.
    #[reset]
    gone: DFF<Bits<S>>,
    /// CTAs that have sent Arrived an odd number of times.
    odd: DFF<Bits<S>>,
    /// `full` of the cycle before, without the slots whose phase completed in that cycle.
    #[reset]
    ready: DFF<Bits<S>>,
    /// CTA slots for which the hub sent Complete in the cycle before.
    #[reset]
    complete_seen: DFF<Bits<S>>,
    /// Chooses the slot whose message is sent.
    turns: RoundRobin<S>,
    /// The message that is offered.
    out: Buffer<ClusterMessage<KC>>,
    /// Register of the strobe `closed`.
    closes: StrobeRegister<NamedCluster<KC>>,
    /// One-hot: slot of the launch.
    comes: Signal<Local, Bits<S>>,
    /// One-hot: slot of the launch, if the CTA has a cluster of several CTAs.
    joins: Signal<Local, Bits<S>>,
    /// CTA slots whose cluster slot is that of the hub's message.
    named: Signal<Local, Bits<S>>,
    /// CTA slots whose phase completes.
    over: Signal<Local, Bits<S>>,
    /// CTA slots that are freed by Closed.
    leaves: Signal<Local, Bits<S>>,
    /// CTA slots with a Present to send.
    presents: Signal<Local, Bits<S>>,
    /// CTA slots with a Gone to send.
    ends: Signal<Local, Bits<S>>,
    /// CTA slots with an Arrived to send.
    arrives: Signal<Local, Bits<S>>,
    /// One-hot: slot whose message is sent.
    turn: Signal<Local, Bits<S>>,
    /// Cluster slot, rank and size of the CTA whose message is sent.
    one: Signal<Local, Peer<KC>>,
    /// Kind of that message.
    kind: Signal<Local, ClusterMessageKind>,
    no_slots: Constant<Bits<S>>,
    nothing: Constant<Peer<KC>>,
}

#[block]
impl Logic for ClusterCtas<LC, S, KC> {
    fn update(&mut self) {
        // Phases.
        self.over.next = self.complete_seen.q.val() | (self.ready.q.val() & !self.joined.q.val());
        self.completed.next = self.over.val();
        self.ready.d.next = self.full.val() & !self.over.val();

        // The hub's message.
        self.named.next = 0.into();
        for i in 0..S {
            self.one.next = self.places[i].q.val();
            self.named.next = self.named.val().replace_bit(i, self.one.val().cluster == self.cluster_in.payload.val().cluster);
        }
        self.complete_seen.d.next = 0.into();
        self.leaves.next = 0.into();
        self.closes.in_.valid.next = false;
        if self.cluster_in.valid.val() {
            if self.cluster_in.payload.val().kind == HubKind::Complete {
                self.complete_seen.d.next = self.named.val() & self.joined.q.val() & !self.gone.q.val();
            } else {
                self.leaves.next = self.named.val() & self.joined.q.val() & self.gone.q.val();
                self.closes.in_.valid.next = true;
            }
        }
        self.closes.in_.payload.next.cluster = self.cluster_in.payload.val().cluster;
        Strobe::join(&mut self.closes.out, &mut self.closed);

        // Messages to the hub: one at a time, round robin.
        self.presents.next = self.joined.q.val() & self.present_due.q.val();
        self.ends.next = self.joined.q.val() & !self.present_due.q.val() & !self.gone.q.val() & self.ended.val();
        self.arrives.next = self.joined.q.val()
            & !self.present_due.q.val()
            & !self.gone.q.val()
            & !self.ended.val()
            & !self.sent.q.val()
            & self.ready.q.val();
        self.turns.request.next = self.presents.val() | self.ends.val() | self.arrives.val();
        self.turns.grant_taken.next = self.out.in_.ready.val();
        self.turn.next = 0.into();
        if self.out.in_.ready.val() {
            self.turn.next = self.turns.grant.val();
        }
        self.one.next = self.nothing.val();
        for k in 0..S {
            if self.turns.grant.val().get_bit(k) {
                self.one.next = self.places[k].q.val();
            }
        }
        self.kind.next = ClusterMessageKind::Arrived;
        if (self.turns.grant.val() & self.presents.val()).any() {
            self.kind.next = ClusterMessageKind::Present;
        }
        if (self.turns.grant.val() & self.ends.val()).any() {
            self.kind.next = ClusterMessageKind::Gone;
            if (self.turns.grant.val() & self.odd.q.val()).any() {
                self.kind.next = ClusterMessageKind::GoneOdd;
            }
        }
        self.out.in_.valid.next = self.turns.grant.val().any();
        self.out.in_.payload.next.kind = self.kind.val();
        self.out.in_.payload.next.cluster = self.one.val().cluster;
        self.out.in_.payload.next.rank = self.one.val().rank;
        self.out.in_.payload.next.size = self.one.val().size;
        Channel::join(&mut self.out.out, &mut self.cluster_out);

        // State that a launch sets.
        self.comes.next = 0.into();
        if self.launch.valid.val() {
            self.comes.next = self.no_slots.val().with(self.launch.payload.val().cta, true);
        }
        self.joins.next = 0.into();
        if self.launch.payload.val().peer.size > 1 {
            self.joins.next = self.comes.val();
        }
        for j in 0..S {
            if self.comes.val().get_bit(j) {
                self.places[j].d.next = self.launch.payload.val().peer;
            }
        }
        self.joined.d.next = (self.joined.q.val() & !self.leaves.val() & !self.comes.val()) | self.joins.val();
        self.present_due.d.next = (self.present_due.q.val() & !self.turn.val() & !self.comes.val()) | self.joins.val();
        self.sent.d.next = (self.sent.q.val() | (self.turn.val() & self.arrives.val())) & !self.over.val() & !self.comes.val();
        self.gone.d.next = (self.gone.q.val() | (self.turn.val() & self.ends.val())) & !self.comes.val();
        self.odd.d.next = (self.odd.q.val() ^ (self.turn.val() & self.arrives.val())) & !self.comes.val();
        self.freed.next = !self.joined.q.val();
    }
}
