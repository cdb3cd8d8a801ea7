// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs for warps: notifications, warps that wait, operations that have taken effect.
//!
//! *Reads:* the operation in its last cycle. *Writes:* the strobes `release` and `commit`, and `waiting`. *Latency:* 1.
//! Implements these ports of `docs/contract/gateway.md`.

use super::next_row::Ctrl;
use super::ports::{GatewayCommit, Notification};
use crate::prelude::*;

#[block]
pub struct OutputStage<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The operation in its last cycle.
    pub ctrl: Signal<In, Ctrl<W, LW, LC>>,
    /// A phase is complete, or a wait has taken its notification.
    pub release: StrobeOut<Notification<W, LC>>,
    /// An operation takes effect, or is refused.
    pub commit: StrobeOut<GatewayCommit<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Warps that wait.
    #[reset]
    waiters: DFF<Bits<W>>,
    /// `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Payload of `release`.
    #[reset]
    notification: DFF<Notification<W, LC>>,
    /// `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Payload of `commit`.
    #[reset]
    committed: DFF<GatewayCommit<W>>,
    /// Warps that resume after their wait.
    resuming_warps: Signal<Local, Bits<W>>,
    /// One-hot: the warp that waits from the next cycle on.
    new_waiting_warp: Signal<Local, Bits<W>>,
    /// Warps of the CTA that is released.
    leaving_warps: Signal<Local, Bits<W>>,
    no_commit: Constant<GatewayCommit<W>>,
}

#[block]
impl Logic for OutputStage<W, LW, LC> {
    fn update(&mut self) {
        self.resuming_warps.next = 0.into();
        self.notification.d.next.notified = 0.into();
        if self.ctrl.val().completes {
            self.resuming_warps.next = self.ctrl.val().woken_warps;
            self.notification.d.next.notified = self.ctrl.val().notified_warps;
        }
        if self.ctrl.val().takes_notification {
            self.resuming_warps.next = self.ctrl.val().acting_warps;
        }
        self.notification.d.next.warps = self.resuming_warps.val();
        self.releases.d.next = self.ctrl.val().completes | self.ctrl.val().takes_notification;
        if self.releases.d.val() {
            self.notification.d.next.cta = self.ctrl.val().cta;
            self.notification.d.next.id = self.ctrl.val().id;
        }
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.notification.q.val();

        self.new_waiting_warp.next = 0.into();
        if self.ctrl.val().waits {
            self.new_waiting_warp.next = self.ctrl.val().acting_warps;
        }
        self.leaving_warps.next = 0.into();
        if self.ctrl.val().cta_release {
            self.leaving_warps.next = self.ctrl.val().acting_warps;
        }
        self.waiters.d.next =
            (self.waiters.q.val() | self.new_waiting_warp.val()) & !self.resuming_warps.val() & !self.leaving_warps.val();
        self.waiting.next = self.waiters.q.val();

        self.commits.d.next = self.ctrl.val().valid;
        self.committed.d.next = self.no_commit.val();
        if self.ctrl.val().valid {
            self.committed.d.next.warps = self.ctrl.val().acting_warps;
            self.committed.d.next.refused =
                self.ctrl.val().refused & self.ctrl.val().has_warp & (self.ctrl.val().fault != FaultCode::NotResident);
            self.committed.d.next.cta_release = self.ctrl.val().cta_release;
            self.committed.d.next.warp_done = self.ctrl.val().warp_done;
        }
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();
    }
}
