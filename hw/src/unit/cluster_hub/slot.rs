// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One cluster slot: counts the CTAs of the cluster that have not ended, and those of them that have not arrived in the open
//! phase.
//!
//! *Reads:* the messages of this cycle that name the slot; whether the slot has its turn, and which message is sent. *Writes:*
//! whether a message is due, whether any CTA has not ended, and the multiprocessors that have CTAs of the cluster. *Latency:* 1.
//! Implements *Messages* and *Phases* of `docs/contract/clusters.md`, `cluster_hub`.

use crate::prelude::*;

/// `M` multiprocessors.
#[block]
pub struct HubSlot<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors whose message names this slot.
    pub named: Signal<In, Bits<M>>,
    /// Multiprocessors whose message is a Present of this slot.
    pub joins: Signal<In, Bits<M>>,
    /// The size in the Presents.
    pub ctas: Signal<In, Bits<5>>,
    /// Multiprocessors whose message, whatever slot it names, is an Arrived.
    pub arrived: Signal<In, Bits<M>>,
    /// Multiprocessors whose message, whatever slot it names, is a Gone.
    pub gone: Signal<In, Bits<M>>,
    /// Multiprocessors whose message, whatever slot it names, is a GoneOdd.
    pub gone_odd: Signal<In, Bits<M>>,
    /// The slot has its turn.
    pub turn: Signal<In, Bit>,
    /// The slot had its turn in the cycle before, and Complete is sent.
    pub completes: Signal<In, Bit>,
    /// The slot had its turn in the cycle before, and Closed is sent.
    pub closes: Signal<In, Bit>,
    /// A message about the cluster is due: a phase is complete, or all CTAs have ended.
    pub is_due: Signal<Out, Bit>,
    /// A CTA of the cluster has not ended.
    pub some_left: Signal<Out, Bit>,
    /// Multiprocessors that have CTAs of the cluster.
    pub members: Signal<Out, Bits<M>>,
    /// Multiprocessors that have CTAs of the cluster.
    #[reset]
    members_q: DFF<Bits<M>>,
    /// Number of CTAs of the cluster that have not ended.
    #[reset]
    living: DFF<Bits<5>>,
    /// Number of CTAs of the cluster that have not arrived in the open phase.
    #[reset]
    missing: DFF<Bits<5>>,
    /// The number of complete phases is odd.
    #[reset]
    odd: DFF<Bit>,
    /// A message about the cluster is due.
    #[reset]
    due: DFF<Bit>,
    /// Multiprocessors whose message reports the end of a CTA of this slot.
    goes: Signal<Local, Bits<M>>,
    /// Multiprocessors whose message decrements the count of missing CTAs.
    counts: Signal<Local, Bits<M>>,
    /// Number of ones in `goes`.
    living_decrement: Signal<Local, Bits<5>>,
    /// Number of ones in `counts`.
    decrement: Signal<Local, Bits<5>>,
    /// Count that `decrement` is subtracted from: missing CTAs, or, when the next phase opens, all CTAs that had not ended.
    base_count: Signal<Local, Bits<5>>,
}

#[block]
impl Logic for HubSlot<M> {
    fn update(&mut self) {
        self.goes.next = self.named.val() & (self.gone.val() | self.gone_odd.val());
        // A CTA that ends before it arrives in the open phase is no longer missing in that phase. In the cycle in which the next
        // phase opens, every CTA that ends is no longer missing.
        self.counts.next = self.goes.val();
        self.base_count.next = self.living.q.val();
        if !self.completes.val() {
            self.base_count.next = self.missing.q.val();
            self.counts.next = self.named.val() & (self.arrived.val() | self.gone.val());
            if self.odd.q.val() {
                self.counts.next = self.named.val() & (self.arrived.val() | self.gone_odd.val());
            }
        }
        self.decrement.next = 0.into();
        self.living_decrement.next = 0.into();
        for i in 0..M {
            self.decrement.next = self.decrement.val() + self.counts.val().get_bit(i);
            self.living_decrement.next = self.living_decrement.val() + self.goes.val().get_bit(i);
        }
        self.missing.d.next = self.base_count.val() - self.decrement.val();
        self.living.d.next = self.living.q.val() - self.living_decrement.val();
        if self.joins.val().any() & !self.members_q.q.val().any() {
            self.missing.d.next = self.ctas.val();
            self.living.d.next = self.ctas.val();
        }
        self.members_q.d.next = self.members_q.q.val() | self.joins.val();
        self.odd.d.next = self.odd.q.val() ^ self.completes.val();
        self.due.d.next = self.due.q.val() & !self.turn.val();
        if (self.base_count.val() == self.decrement.val()) & (self.completes.val() | self.counts.val().any()) {
            self.due.d.next = true;
        }
        if self.closes.val() {
            self.members_q.d.next = 0.into();
            self.odd.d.next = false;
        }
        self.is_due.next = self.due.q.val();
        self.some_left.next = self.living.q.val().any();
        self.members.next = self.members_q.q.val();
    }
}
