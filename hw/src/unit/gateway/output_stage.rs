// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs for warps: notifications, warps that wait, operations that have taken effect.
//!
//! *Reads:* the operation in cycle e. *Writes:* the strobes `release` and `commit`, and `waiting`. *Latency:* 1. Implements
//! the ports `release_…`, `commit_…` and `waiting` of `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Effects, Origin, PhaseConsumers, Verdict};
use super::ports::{GatewayCommit, Notification};
use crate::prelude::*;

/// `W` warps, warp numbers of `LW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct OutputStage<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation takes effect, or is refused: this is its cycle e.
    pub commit_valid: Signal<In, Bit>,
    /// The effects of the operation in cycle e.
    pub effects: Signal<In, Effects>,
    /// The source of the operation in cycle e.
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    /// Whether the operation in cycle e is refused, and its fault.
    pub verdict: Signal<In, Verdict>,
    /// Barrier id of the operation in cycle e.
    pub commit_id: Signal<In, Bits<5>>,
    /// Mask of warps of the operation in cycle e: its warp, one-hot; for a Release the warp slots of the CTA.
    pub acting_warps: Signal<In, Bits<W>>,
    /// The consumers of the phase that the operation in cycle e completes.
    pub phase_consumers: Signal<In, PhaseConsumers<W>>,
    /// A phase is complete, or a wait has taken its notification.
    pub release: StrobeOut<Notification<W, LC>>,
    /// An operation takes effect, or is refused.
    pub commit: StrobeOut<GatewayCommit<W>>,
    /// Warps that wait.
    pub waiting: Signal<Out, Bits<W>>,
    /// Warps that wait.
    #[reset]
    waiters: DFF<Bits<W>>,
    /// Register of `release_valid`.
    #[reset]
    releases: DFF<Bit>,
    /// Register of the payload of `release`.
    #[reset]
    notification: DFF<Notification<W, LC>>,
    /// Register of `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Register of the payload of `commit`.
    #[reset]
    committed: DFF<GatewayCommit<W>>,
    /// Warps that resume after their wait.
    resuming_warps: Signal<Local, Bits<W>>,
    /// The warp that waits from the next cycle on, one-hot.
    new_waiting_warp: Signal<Local, Bits<W>>,
    /// The warp slots of the CTA that a Release ends.
    leaving_warps: Signal<Local, Bits<W>>,
    no_commit: Constant<GatewayCommit<W>>,
}

#[block]
impl Logic for OutputStage {
    fn update(&mut self) {
        let effects = self.effects.val();
        let origin = self.commit_origin.val();
        let verdict = self.verdict.val();

        // The release strobe: a phase completes, which wakes its waiting consumers, or a wait takes its notification at once.
        self.resuming_warps.next = 0.into();
        self.notification.d.next.notified = 0.into();
        if effects.completes {
            self.resuming_warps.next = self.phase_consumers.val().woken_warps;
            self.notification.d.next.notified = self.phase_consumers.val().notified_warps;
        }
        if effects.takes_notification {
            self.resuming_warps.next = self.acting_warps.val();
        }
        self.notification.d.next.warps = self.resuming_warps.val();
        self.releases.d.next = effects.completes | effects.takes_notification;
        if self.releases.d.val() {
            self.notification.d.next.cta = origin.cta;
            self.notification.d.next.id = self.commit_id.val();
        }
        self.release.valid.next = self.releases.q.val();
        self.release.payload.next = self.notification.q.val();

        // The warps that wait. A Release ends the waits of its CTA.
        self.new_waiting_warp.next = 0.into();
        if effects.waits {
            self.new_waiting_warp.next = self.acting_warps.val();
        }
        self.leaving_warps.next = 0.into();
        if effects.cta_release {
            self.leaving_warps.next = self.acting_warps.val();
        }
        self.waiters.d.next =
            (self.waiters.q.val() | self.new_waiting_warp.val()) & !self.resuming_warps.val() & !self.leaving_warps.val();
        self.waiting.next = self.waiters.q.val();

        // The commit strobe. The fault policy does not apply to `not_resident`, a Launch or a Release.
        self.commits.d.next = self.commit_valid.val();
        self.committed.d.next = self.no_commit.val();
        if self.commit_valid.val() {
            self.committed.d.next.warps = self.acting_warps.val();
            self.committed.d.next.refused = verdict.refused & origin.has_warp & (verdict.fault != FaultCode::NotResident);
            self.committed.d.next.cta_release = effects.cta_release;
            self.committed.d.next.warp_done = origin.warp_done;
        }
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();
    }
}
