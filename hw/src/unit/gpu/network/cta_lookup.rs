// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTA slots of one multiprocessor: which slots the network can reach, with the cluster slot and rank of their CTA.
//!
//! *Reads:* CTA launches; the messages of the multiprocessor to the hub of clusters; for each multiprocessor the cluster slot and rank of
//! the target CTA of its operation. *Writes:* for each multiprocessor, in the same cycle, whether that target CTA is on this
//! multiprocessor, and its slot. *Latency:* 1 from a launch or a Gone. Implements *Network* of `docs/contract/multiprocessors.md`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, ClusterMessageKind};

/// Sizes: `M` multiprocessors that request a lookup, `W` warps, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits,
/// grid slot numbers of `KG` bits.
#[block]
pub struct CtaLookup<W, LC, S, KC, KG, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched.
    pub launched: StrobeIn<NewCta<W, LC, KC, KG>>,
    /// Message to the hub of clusters.
    pub cluster_message: StrobeIn<ClusterMessage<KC>>,
    /// Cluster slot of the target of each multiprocessor's operation.
    pub cluster: [Signal<In, Bits<KC>>; M],
    /// Rank of the target of each multiprocessor's operation.
    pub rank: [Signal<In, Bits<4>>; M],
    /// Multiprocessors whose operation has its target CTA on this multiprocessor.
    pub target_found: Signal<Out, Bits<M>>,
    /// CTA slot of the target of each multiprocessor's operation; 0 if the target is not on this multiprocessor.
    pub target_cta: [Signal<Out, Bits<LC>>; M],
    /// CTA slots that are reachable: a CTA of a cluster of several CTAs was launched, and its Gone or GoneOdd has not been sent.
    #[reset]
    reachable: DFF<Bits<S>>,
    /// Cluster slot of the CTA in each CTA slot.
    clusters: [DFF<Bits<KC>>; S],
    /// Rank of the CTA in each CTA slot.
    ranks: [DFF<Bits<4>>; S],
    /// The kind of the message to the hub is Gone or GoneOdd.
    is_gone_kind: Signal<Local, Bit>,
    /// The message to the hub is a Gone or GoneOdd.
    is_gone_message: Signal<Local, Bit>,
    /// CTA slots for which a Gone or GoneOdd is sent.
    gone_slots: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the launched CTA.
    launched_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the launched CTA, if its cluster has several CTAs; else 0.
    joining_slot: Signal<Local, Bits<S>>,
    /// For each multiprocessor: CTA slots whose CTA is the target of its operation.
    matching_slots: [Signal<Local, Bits<S>>; M],
    no_slots: Constant<Bits<S>>,
}

#[block]
impl Logic for CtaLookup {
    fn update(&mut self) {
        self.is_gone_kind.next = (self.cluster_message.payload.val().kind == ClusterMessageKind::Gone)
            | (self.cluster_message.payload.val().kind == ClusterMessageKind::GoneOdd);
        self.is_gone_message.next = self.cluster_message.valid.val() & self.is_gone_kind.val();
        self.gone_slots.next = 0.into();
        self.launched_slot.next = 0.into();
        if self.launched.valid.val() {
            self.launched_slot.next = self.no_slots.val().with(self.launched.payload.val().cta, true);
        }
        self.joining_slot.next = 0.into();
        if self.launched.payload.val().peer.size > 1 {
            self.joining_slot.next = self.launched_slot.val();
        }
        for s in 0..S {
            self.gone_slots.next = self.gone_slots.val().replace_bit(
                s,
                self.is_gone_message.val()
                    & (self.clusters[s].q.val() == self.cluster_message.payload.val().cluster)
                    & (self.ranks[s].q.val() == self.cluster_message.payload.val().rank),
            );
            if self.launched_slot.val().get_bit(s) {
                self.clusters[s].d.next = self.launched.payload.val().peer.cluster;
                self.ranks[s].d.next = self.launched.payload.val().peer.rank;
            }
        }
        self.reachable.d.next =
            (self.reachable.q.val() & !self.gone_slots.val() & !self.launched_slot.val()) | self.joining_slot.val();

        // The inner loop over `k` runs from the last CTA slot to the first: the last assignment wins, so the lowest CTA slot is chosen.
        self.target_found.next = 0.into();
        for i in 0..M {
            self.matching_slots[i].next = 0.into();
            for j in 0..S {
                self.matching_slots[i].next = self.matching_slots[i].val().replace_bit(
                    j,
                    self.reachable.q.val().get_bit(j)
                        & (self.clusters[j].q.val() == self.cluster[i].val())
                        & (self.ranks[j].q.val() == self.rank[i].val()),
                );
            }
            self.target_found.next = self.target_found.val().replace_bit(i, self.matching_slots[i].val().any());
            self.target_cta[i].next = 0.into();
            for n in S..(S + 1) {
                for k in 0_usize..S {
                    if self.matching_slots[i].val().get_bit(n - 1 - k) {
                        self.target_cta[i].next = (n - 1 - k).to_bits();
                    }
                }
            }
        }
    }
}
