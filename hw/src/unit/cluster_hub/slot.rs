// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One cluster slot: which of its ranks have arrived and are gone, and what its multiprocessors are to be told.
//!
//! *Reads:* what the messages of this cycle say of it, and whether it has its turn. *Writes:* what is due, and the multiprocessors that have
//! members. *Latency:* 2 from a message to what is due. Implements *Phases* of `docs/clusters.md`, `cluster_hub`.

use crate::prelude::*;

/// `M` multiprocessors.
#[block]
pub struct HubSlot<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub arrives: Signal<In, Bits<16>>,
    pub goes: Signal<In, Bits<16>>,
    pub joins: Signal<In, Bits<M>>,
    pub ranks: Signal<In, Bits<16>>,
    /// What is due leaves, Complete first.
    pub turn: Signal<In, Bit>,
    pub complete: Signal<Out, Bit>,
    pub closed: Signal<Out, Bit>,
    pub members: Signal<Out, Bits<M>>,
    #[reset]
    all: DFF<Bits<16>>,
    #[reset]
    arrived: DFF<Bits<16>>,
    #[reset]
    gone: DFF<Bits<16>>,
    #[reset]
    sms: DFF<Bits<M>>,
    #[reset]
    complete_due: DFF<Bit>,
    #[reset]
    closed_due: DFF<Bit>,
    /// Ranks that keep the phase, and the slot, open.
    missing: Signal<Local, Bits<16>>,
    there: Signal<Local, Bits<16>>,
    completes: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    stay: Signal<Local, Bits<16>>,
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for HubSlot<M> {
    fn update(&mut self) {
        self.there.next = self.all.q.val() & !self.gone.q.val();
        self.missing.next = self.there.val() & !self.arrived.q.val();
        self.completes.next = self.arrived.q.val().any() & !self.missing.val().any();
        self.closes.next = self.gone.q.val().any() & !self.there.val().any();
        self.ends.next = self.turn.val() & !self.complete_due.q.val();

        self.stay.next = self.arrived.q.val();
        if self.completes.val() {
            self.stay.next = 0.into();
        }
        self.arrived.d.next = (self.stay.val() | self.arrives.val()) & !self.goes.val();
        self.gone.d.next = self.gone.q.val() | self.goes.val();
        if self.joins.val().any() {
            self.all.d.next = self.ranks.val();
        }
        self.sms.d.next = self.sms.q.val() | self.joins.val();
        self.complete_due.d.next = (self.complete_due.q.val() & !self.turn.val()) | self.completes.val();
        self.closed_due.d.next = self.closed_due.q.val() | self.closes.val();
        if self.ends.val() {
            self.all.d.next = 0.into();
            self.arrived.d.next = 0.into();
            self.gone.d.next = 0.into();
            self.sms.d.next = 0.into();
            self.complete_due.d.next = false;
            self.closed_due.d.next = false;
        }
        self.complete.next = self.complete_due.q.val();
        self.closed.next = self.closed_due.q.val();
        self.members.next = self.sms.q.val();
    }
}
