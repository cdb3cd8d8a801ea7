// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One cluster slot: how many of its CTAs are not gone, and how many of these have not arrived.
//!
//! *Reads:* the messages of this cycle that name it, whether it has its turn, and what came of that. *Writes:* whether something is due, whether a
//! CTA is left, and the multiprocessors that have members. *Latency:* 1. Implements *Messages* and *Phases* of `docs/clusters.md`,
//! `cluster_hub`.

use crate::prelude::*;

/// `M` multiprocessors.
#[block]
pub struct HubSlot<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors whose message names the slot.
    pub named: Signal<In, Bits<M>>,
    /// Those of them that say Present, and the size that they say.
    pub joins: Signal<In, Bits<M>>,
    pub ctas: Signal<In, Bits<5>>,
    /// Who says the others.
    pub arrived: Signal<In, Bits<M>>,
    pub gone: Signal<In, Bits<M>>,
    pub gone_odd: Signal<In, Bits<M>>,
    /// It has its turn.
    pub turn: Signal<In, Bit>,
    /// It had it in the cycle before, and Complete, or Closed, goes out.
    pub completes: Signal<In, Bit>,
    pub closes: Signal<In, Bit>,
    pub is_due: Signal<Out, Bit>,
    pub some_left: Signal<Out, Bit>,
    pub of: Signal<Out, Bits<M>>,
    #[reset]
    members: DFF<Bits<M>>,
    #[reset]
    living: DFF<Bits<5>>,
    #[reset]
    missing: DFF<Bits<5>>,
    /// The number of phases that are over is odd.
    #[reset]
    odd: DFF<Bit>,
    #[reset]
    due: DFF<Bit>,
    goes: Signal<Local, Bits<M>>,
    counts: Signal<Local, Bits<M>>,
    /// They are as many.
    less_living: Signal<Local, Bits<5>>,
    less: Signal<Local, Bits<5>>,
    from: Signal<Local, Bits<5>>,
}

#[block]
impl Logic for HubSlot<M> {
    fn update(&mut self) {
        self.goes.next = self.named.val() & (self.gone.val() | self.gone_odd.val());
        // Who goes without having arrived in the phase that is open counts for it; in the cycle in which the next one is opened, all who go.
        self.counts.next = self.goes.val();
        self.from.next = self.living.q.val();
        if !self.completes.val() {
            self.from.next = self.missing.q.val();
            self.counts.next = self.named.val() & (self.arrived.val() | self.gone.val());
            if self.odd.q.val() {
                self.counts.next = self.named.val() & (self.arrived.val() | self.gone_odd.val());
            }
        }
        self.less.next = 0.into();
        self.less_living.next = 0.into();
        for i in 0..M {
            self.less.next = self.less.val() + self.counts.val().get_bit(i);
            self.less_living.next = self.less_living.val() + self.goes.val().get_bit(i);
        }
        self.missing.d.next = self.from.val() - self.less.val();
        self.living.d.next = self.living.q.val() - self.less_living.val();
        if self.joins.val().any() & !self.members.q.val().any() {
            self.missing.d.next = self.ctas.val();
            self.living.d.next = self.ctas.val();
        }
        self.members.d.next = self.members.q.val() | self.joins.val();
        self.odd.d.next = self.odd.q.val() ^ self.completes.val();
        self.due.d.next = self.due.q.val() & !self.turn.val();
        if (self.from.val() == self.less.val()) & (self.completes.val() | self.counts.val().any()) {
            self.due.d.next = true;
        }
        if self.closes.val() {
            self.members.d.next = 0.into();
            self.odd.d.next = false;
        }
        self.is_due.next = self.due.q.val();
        self.some_left.next = self.living.q.val().any();
        self.of.next = self.members.q.val();
    }
}
