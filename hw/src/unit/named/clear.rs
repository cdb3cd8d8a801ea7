// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Takes rows to be cleared in turn: all that are built after reset, those of one CTA slot after a release that left some open.
//!
//! *Reads:* whether a row has its turn or a release is under way; the operation in its last cycle, and whether it is a release that leaves
//! rows open. *Writes:* the row whose turn it is; whether there is one in the next cycle, combinational, for the ready logic; `clearing`.
//! *Latency:* 1. Implements the explicit release of `docs/interface.md`.

use super::{effect::Deed, enter::Front};
use crate::prelude::*;

/// A row to be cleared.
#[payload]
pub struct Turn<LC, LI> {
    pub active: Bit,
    pub slot: Bits<LC>,
    pub id: Bits<LI>,
    pub silent: Bit,
    /// All slots that are built are cleared, with their entries.
    pub all: Bit,
}

#[block]
pub struct Clear<W, LW, CW, LC, LI, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub deed: Signal<In, Deed<W, LW, CW, LC, AW>>,
    /// It is a release, and there are rows to be cleared.
    pub dirty: Signal<In, Bit>,
    pub turn: Signal<Out, Turn<LC, LI>>,
    pub turn_next: Signal<Out, Bit>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    now: DFF<Turn<LC, LI>>,
    cleaning: DFF<Bit>,
    #[init(Constant::new((config.cta_slots as u64 - 1).into()))]
    last_slot: Constant<Bits<LC>>,
    #[init(Constant::new((config.ids() as u64 - 1).into()))]
    last_id: Constant<Bits<LI>>,
}

#[block]
impl Logic for Clear<W, LW, CW, LC, LI, AW> {
    fn update(&mut self) {
        self.turn_next.next = self.now.q.val().active;
        if self.front.val().entering.takes_turn {
            self.now.d.next.id = self.now.q.val().id + 1;
            if self.now.q.val().id == self.last_id.val() {
                self.now.d.next.id = 0.into();
                self.now.d.next.slot = self.now.q.val().slot + 1;
                if !self.now.q.val().all | (self.now.q.val().slot == self.last_slot.val()) {
                    self.turn_next.next = false;
                    self.now.d.next.all = false;
                }
            }
        }
        if self.dirty.val() {
            self.turn_next.next = true;
        }
        if self.deed.val().step.releases {
            self.now.d.next.slot = self.deed.val().op.cta;
            self.now.d.next.id = 0.into();
            self.now.d.next.silent = self.deed.val().op.saved;
        }
        if self.reset.val() {
            self.turn_next.next = true;
            self.now.d.next.slot = 0.into();
            self.now.d.next.id = 0.into();
            self.now.d.next.silent = true;
            self.now.d.next.all = true;
        }
        self.now.d.next.active = self.turn_next.val();
        self.cleaning.d.next = self.reset.val()
            | self.turn_next.val()
            | self.front.val().entering.takes_turn
            | self.front.val().entering.releasing;
        self.turn.next = self.now.q.val();
        self.clearing.next = self.cleaning.q.val();
    }
}
