// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA in its cluster: which messages about the CTA have been sent to the hub, and which message is next.
//!
//! *Reads:* launches; the messages of the hub; CTAs that have ended; CTAs whose live warps have all arrived. *Writes:* the messages to the
//! hub, the strobe of closed clusters, the CTA slots that are freed, the CTA slots whose phase completes. *Latency:* 1.
//! Implements *Messages*, *Launch*, *Closed* and, with `per_cta`, *Phases* of `docs/contract/clusters.md`.

use super::ports::{ClusterMessage, ClusterMessageKind, HubKind, HubMessage, NamedCluster};
use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;

/// Sizes: `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits.
#[block]
pub struct ClusterCtas<LC, S, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a CTA slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// Messages of the hub.
    pub cluster_in: StrobeIn<HubMessage<KC>>,
    /// CTA slots whose CTA has ended.
    pub ended: Signal<In, Bits<S>>,
    /// CTA slots that have live warps, all of which have arrived in the open phase.
    pub arrived_slots: Signal<In, Bits<S>>,
    /// CTA slots whose CTA completes its phase of the cluster barrier in this cycle.
    pub completed_slots: Signal<Out, Bits<S>>,
    /// Messages to the hub.
    pub cluster_out: Source<ClusterMessage<KC>>,
    /// A cluster is closed: the hub has sent its Closed.
    pub closed: StrobeOut<NamedCluster<KC>>,
    /// CTA slots without state in this unit: their CTA is not joined.
    pub freed: Signal<Out, Bits<S>>,
    /// For each CTA slot, the position of its CTA: cluster slot, rank, and size of the cluster.
    peers: [DFF<Peer<KC>>; S],
    /// CTA slots of joined CTAs. A CTA whose cluster has several CTAs is joined from its launch to the Closed of its cluster.
    #[reset]
    joined: DFF<Bits<S>>,
    /// CTA slots whose Present is still to be sent.
    #[reset]
    present_due: DFF<Bits<S>>,
    /// CTA slots whose Arrived has been sent in the open phase.
    #[reset]
    arrived_sent: DFF<Bits<S>>,
    /// CTA slots whose Gone or GoneOdd has been sent.
    #[reset]
    gone_sent: DFF<Bits<S>>,
    /// CTA slots that have sent an odd number of Arrived messages. A CTA has sent one Arrived for each complete phase, and
    /// one more if it has arrived in the open phase; so when the CTA ends, this parity, as Gone or GoneOdd, shows the hub whether the CTA
    /// is still missing in the open phase.
    odd_arrivals: DFF<Bits<S>>,
    /// `arrived_slots` of the previous cycle, without the CTA slots that completed their phase in that cycle.
    #[reset]
    ready_slots: DFF<Bits<S>>,
    /// CTA slots for which the hub sent Complete in the previous cycle.
    #[reset]
    complete_received: DFF<Bits<S>>,
    /// Chooses the CTA slot whose message is sent.
    turns: RoundRobin<S>,
    /// The message that is offered.
    out_buffer: Buffer<ClusterMessage<KC>>,
    /// Register of the strobe of closed clusters.
    closed_register: StrobeRegister<NamedCluster<KC>>,
    /// One-hot: CTA slot of the launch.
    launched_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the launch, if the cluster of the CTA has several CTAs; else 0.
    joining_slot: Signal<Local, Bits<S>>,
    /// CTA slots whose CTA has the cluster slot in the message of the hub.
    named_slots: Signal<Local, Bits<S>>,
    /// CTA slots whose CTA completes its phase of the cluster barrier in this cycle.
    completing_slots: Signal<Local, Bits<S>>,
    /// CTA slots that are freed by Closed.
    freed_slots: Signal<Local, Bits<S>>,
    /// CTA slots for which a Present is due.
    present_requests: Signal<Local, Bits<S>>,
    /// CTA slots for which a Gone or GoneOdd is due.
    gone_requests: Signal<Local, Bits<S>>,
    /// CTA slots for which an Arrived is due.
    arrived_requests: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot whose message is sent.
    granted_slot: Signal<Local, Bits<S>>,
    /// The position of the CTA whose message is sent: cluster slot, rank, and size of the cluster.
    message_peer: Signal<Local, Peer<KC>>,
    /// Kind of the message that is sent.
    message_kind: Signal<Local, ClusterMessageKind>,
    no_slots: Constant<Bits<S>>,
    no_peer: Constant<Peer<KC>>,
}

#[block]
impl Logic for ClusterCtas {
    fn update(&mut self) {
        // Phases: a joined CTA completes its phase when the hub has sent Complete. A CTA that is not joined completes its phase
        // as soon as all its live warps have arrived.
        self.completing_slots.next = self.complete_received.q.val() | (self.ready_slots.q.val() & !self.joined.q.val());
        self.completed_slots.next = self.completing_slots.val();
        self.ready_slots.d.next = self.arrived_slots.val() & !self.completing_slots.val();

        // The message of the hub: Complete ends the phase of each CTA of the cluster, Closed frees the CTA slots of these CTAs.
        self.named_slots.next = 0.into();
        for i in 0..S {
            self.message_peer.next = self.peers[i].q.val();
            self.named_slots.next =
                self.named_slots.val().replace_bit(i, self.message_peer.val().cluster == self.cluster_in.payload.val().cluster);
        }
        self.complete_received.d.next = 0.into();
        self.freed_slots.next = 0.into();
        self.closed_register.in_.valid.next = false;
        if self.cluster_in.valid.val() {
            if self.cluster_in.payload.val().kind == HubKind::Complete {
                self.complete_received.d.next = self.named_slots.val() & self.joined.q.val() & !self.gone_sent.q.val();
            } else {
                self.freed_slots.next = self.named_slots.val() & self.joined.q.val() & self.gone_sent.q.val();
                self.closed_register.in_.valid.next = true;
            }
        }
        self.closed_register.in_.payload.next.cluster = self.cluster_in.payload.val().cluster;
        Strobe::join(&mut self.closed_register.out, &mut self.closed);

        // Messages to the hub: one at a time, round robin.
        self.present_requests.next = self.joined.q.val() & self.present_due.q.val();
        self.gone_requests.next = self.joined.q.val() & !self.present_due.q.val() & !self.gone_sent.q.val() & self.ended.val();
        self.arrived_requests.next = self.joined.q.val()
            & !self.present_due.q.val()
            & !self.gone_sent.q.val()
            & !self.ended.val()
            & !self.arrived_sent.q.val()
            & self.ready_slots.q.val();
        self.turns.request.next = self.present_requests.val() | self.gone_requests.val() | self.arrived_requests.val();
        self.turns.grant_taken.next = self.out_buffer.in_.ready.val();
        self.granted_slot.next = 0.into();
        if self.out_buffer.in_.ready.val() {
            self.granted_slot.next = self.turns.grant.val();
        }
        self.message_peer.next = self.no_peer.val();
        for k in 0..S {
            if self.turns.grant.val().get_bit(k) {
                self.message_peer.next = self.peers[k].q.val();
            }
        }
        self.message_kind.next = ClusterMessageKind::Arrived;
        if (self.turns.grant.val() & self.present_requests.val()).any() {
            self.message_kind.next = ClusterMessageKind::Present;
        }
        if (self.turns.grant.val() & self.gone_requests.val()).any() {
            self.message_kind.next = ClusterMessageKind::Gone;
            if (self.turns.grant.val() & self.odd_arrivals.q.val()).any() {
                self.message_kind.next = ClusterMessageKind::GoneOdd;
            }
        }
        self.out_buffer.in_.valid.next = self.turns.grant.val().any();
        self.out_buffer.in_.payload.next.kind = self.message_kind.val();
        self.out_buffer.in_.payload.next.cluster = self.message_peer.val().cluster;
        self.out_buffer.in_.payload.next.rank = self.message_peer.val().rank;
        self.out_buffer.in_.payload.next.size = self.message_peer.val().size;
        Channel::join(&mut self.out_buffer.out, &mut self.cluster_out);

        // The state of each CTA slot, which a launch sets and messages change.
        self.launched_slot.next = 0.into();
        if self.launch.valid.val() {
            self.launched_slot.next = self.no_slots.val().with(self.launch.payload.val().cta, true);
        }
        self.joining_slot.next = 0.into();
        if self.launch.payload.val().peer.size > 1 {
            self.joining_slot.next = self.launched_slot.val();
        }
        for j in 0..S {
            if self.launched_slot.val().get_bit(j) {
                self.peers[j].d.next = self.launch.payload.val().peer;
            }
        }
        self.joined.d.next =
            (self.joined.q.val() & !self.freed_slots.val() & !self.launched_slot.val()) | self.joining_slot.val();
        self.present_due.d.next =
            (self.present_due.q.val() & !self.granted_slot.val() & !self.launched_slot.val()) | self.joining_slot.val();
        self.arrived_sent.d.next = (self.arrived_sent.q.val() | (self.granted_slot.val() & self.arrived_requests.val()))
            & !self.completing_slots.val()
            & !self.launched_slot.val();
        self.gone_sent.d.next =
            (self.gone_sent.q.val() | (self.granted_slot.val() & self.gone_requests.val())) & !self.launched_slot.val();
        self.odd_arrivals.d.next =
            (self.odd_arrivals.q.val() ^ (self.granted_slot.val() & self.arrived_requests.val())) & !self.launched_slot.val();
        self.freed.next = !self.joined.q.val();
    }
}
