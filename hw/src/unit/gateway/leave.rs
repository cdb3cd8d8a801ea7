// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves the pipeline for warps: notifications, who waits, operations that have had their effects.
//!
//! *Reads:* the operation in its last cycle. *Writes:* the strobes `release` and `commit`, `waiting`. *Latency:* 1. Implements these ports of
//! `docs/gateway.md`.

use super::advance::Effect;
use super::ports::{GatewayCommit, Notification};
use crate::prelude::*;

#[block]
pub struct Leave<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub effect: Signal<In, Effect<W, LW, LC>>,
    pub release: StrobeOut<Notification<W, LC>>,
    pub commit: StrobeOut<GatewayCommit<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    #[reset]
    waiters: DFF<Bits<W>>,
    #[reset]
    releases: DFF<Bit>,
    #[reset]
    notification: DFF<Notification<W, LC>>,
    #[reset]
    commits: DFF<Bit>,
    #[reset]
    committed: DFF<GatewayCommit<W>>,
    goes: Signal<Local, Bits<W>>,
    waits: Signal<Local, Bits<W>>,
    leaves: Signal<Local, Bits<W>>,
    nothing: Constant<GatewayCommit<W>>,
}

#[block]
impl Logic for Leave<W, LW, LC> {
    fn update(&mut self) {
        self.goes.next = 0.into();
        self.notification.d.next.notified = 0.into();
        if self.effect.val().completes {
            self.goes.next = self.effect.val().woken;
            self.notification.d.next.notified = self.effect.val().notified;
        }
        if self.effect.val().takes {
            self.goes.next = self.effect.val().acting;
        }
        self.notification.d.next.warps = self.goes.val();
        self.releases.d.next = self.effect.val().completes | self.effect.val().takes;
        if self.releases.d.val() {
            self.notification.d.next.cta = self.effect.val().cta;
            self.notification.d.next.id = self.effect.val().id;
        }
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.notification.q.val();

        self.waits.next = 0.into();
        if self.effect.val().waits {
            self.waits.next = self.effect.val().acting;
        }
        self.leaves.next = 0.into();
        if self.effect.val().leaves {
            self.leaves.next = self.effect.val().acting;
        }
        self.waiters.d.next = (self.waiters.q.val() | self.waits.val()) & !self.goes.val() & !self.leaves.val();
        self.waiting.next = self.waiters.q.val();

        self.commits.d.next = self.effect.val().acts;
        self.committed.d.next = self.nothing.val();
        if self.effect.val().acts {
            self.committed.d.next.warps = self.effect.val().acting;
            self.committed.d.next.refused =
                self.effect.val().refused & self.effect.val().of_warp & (self.effect.val().fault != FaultCode::NotResident);
            self.committed.d.next.leaves = self.effect.val().leaves;
            self.committed.d.next.settles = self.effect.val().settles;
        }
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();
    }
}
