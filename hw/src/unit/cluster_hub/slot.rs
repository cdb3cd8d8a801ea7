// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One cluster slot: counts the CTAs of the cluster that have not ended, and the CTAs that have not arrived in the open phase.
//!
//! *Reads:* the messages of this cycle that name the cluster slot; whether the slot has its turn, and which message is sent. *Writes:*
//! whether a message is due, whether any CTA has not ended, and the multiprocessors that have CTAs of the cluster. *Latency:* 1.
//! Implements *Messages* and *Phases* of `docs/contract/clusters.md`, `cluster_hub`.

use crate::prelude::*;

/// Sizes: `M` multiprocessors.
#[block]
pub struct HubSlot<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors whose message names this cluster slot.
    pub named_sources: Signal<In, Bits<M>>,
    /// Multiprocessors whose message is a Present, for any cluster slot.
    pub present_sources: Signal<In, Bits<M>>,
    /// Size of the cluster in the message of each multiprocessor. Read only if the message is a Present.
    pub sizes: [Signal<In, Bits<5>>; M],
    /// Multiprocessors whose message is an Arrived, for any cluster slot.
    pub arrived_sources: Signal<In, Bits<M>>,
    /// Multiprocessors whose message is a Gone, for any cluster slot.
    pub gone_sources: Signal<In, Bits<M>>,
    /// Multiprocessors whose message is a GoneOdd, for any cluster slot.
    pub gone_odd_sources: Signal<In, Bits<M>>,
    /// The cluster slot has its turn to send a message.
    pub has_turn: Signal<In, Bit>,
    /// The cluster slot had its turn in the previous cycle, and Complete is sent.
    pub sends_complete: Signal<In, Bit>,
    /// The cluster slot had its turn in the previous cycle, and Closed is sent.
    pub sends_closed: Signal<In, Bit>,
    /// A message about the cluster is due: a phase is complete, or all CTAs have ended.
    pub is_due: Signal<Out, Bit>,
    /// A CTA of the cluster has not ended.
    pub has_live_ctas: Signal<Out, Bit>,
    /// Multiprocessors that have CTAs of the cluster.
    pub members: Signal<Out, Bits<M>>,
    /// Multiprocessors that have CTAs of the cluster.
    #[reset]
    members_q: DFF<Bits<M>>,
    /// Number of CTAs of the cluster that have not ended.
    #[reset]
    live_ctas: DFF<Bits<5>>,
    /// Number of CTAs of the cluster that have not arrived in the open phase.
    #[reset]
    missing_ctas: DFF<Bits<5>>,
    /// The number of phases that are complete is odd.
    #[reset]
    odd_phase: DFF<Bit>,
    /// A message about the cluster is due.
    #[reset]
    is_due_q: DFF<Bit>,
    /// Multiprocessors whose message reports that a CTA of this cluster has ended.
    ended_sources: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message decrements `missing_ctas`.
    counted_sources: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message is a Present of this cluster slot.
    joining_sources: Signal<Local, Bits<M>>,
    /// Cluster size in the Present messages of this cycle for this cluster slot; 0 if there are none. These messages are all of
    /// one cluster, so their sizes are equal.
    cluster_size: Signal<Local, Bits<5>>,
    /// Number of ones in `ended_sources`.
    live_decrement: Signal<Local, Bits<5>>,
    /// Number of ones in `counted_sources`.
    missing_decrement: Signal<Local, Bits<5>>,
    /// Number from which `missing_decrement` is subtracted: `missing_ctas`, or `live_ctas` in the cycle in which the next phase opens.
    base_count: Signal<Local, Bits<5>>,
}

#[block]
impl Logic for HubSlot {
    fn update(&mut self) {
        self.ended_sources.next = self.named_sources.val() & (self.gone_sources.val() | self.gone_odd_sources.val());
        // A CTA that ends before it arrives in the open phase is no longer missing in that phase. It has sent one Arrived for
        // each complete phase, so its message is Gone if `odd_phase` is 0, and GoneOdd if `odd_phase` is 1. The next phase
        // opens in the cycle with `sends_complete`: no CTA has arrived in the new phase yet, so every CTA that ends in this
        // cycle is subtracted from the missing CTAs.
        self.counted_sources.next = self.ended_sources.val();
        self.base_count.next = self.live_ctas.q.val();
        if !self.sends_complete.val() {
            self.base_count.next = self.missing_ctas.q.val();
            self.counted_sources.next = self.named_sources.val() & (self.arrived_sources.val() | self.gone_sources.val());
            if self.odd_phase.q.val() {
                self.counted_sources.next =
                    self.named_sources.val() & (self.arrived_sources.val() | self.gone_odd_sources.val());
            }
        }
        self.missing_decrement.next = 0.into();
        self.live_decrement.next = 0.into();
        for i in 0..M {
            self.missing_decrement.next = self.missing_decrement.val() + self.counted_sources.val().get_bit(i);
            self.live_decrement.next = self.live_decrement.val() + self.ended_sources.val().get_bit(i);
        }
        self.missing_ctas.d.next = self.base_count.val() - self.missing_decrement.val();
        self.live_ctas.d.next = self.live_ctas.q.val() - self.live_decrement.val();
        self.joining_sources.next = self.named_sources.val() & self.present_sources.val();
        self.cluster_size.next = 0.into();
        for k in 0..M {
            if self.joining_sources.val().get_bit(k) {
                self.cluster_size.next = self.cluster_size.val() | self.sizes[k].val();
            }
        }
        if self.joining_sources.val().any() & !self.members_q.q.val().any() {
            self.missing_ctas.d.next = self.cluster_size.val();
            self.live_ctas.d.next = self.cluster_size.val();
        }
        self.members_q.d.next = self.members_q.q.val() | self.joining_sources.val();
        self.odd_phase.d.next = self.odd_phase.q.val() ^ self.sends_complete.val();
        self.is_due_q.d.next = self.is_due_q.q.val() & !self.has_turn.val();
        if (self.base_count.val() == self.missing_decrement.val())
            & (self.sends_complete.val() | self.counted_sources.val().any())
        {
            self.is_due_q.d.next = true;
        }
        if self.sends_closed.val() {
            self.members_q.d.next = 0.into();
            self.odd_phase.d.next = false;
        }
        self.is_due.next = self.is_due_q.q.val();
        self.has_live_ctas.next = self.live_ctas.q.val().any();
        self.members.next = self.members_q.q.val();
    }
}
