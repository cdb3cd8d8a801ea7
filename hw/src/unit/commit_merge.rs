// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merges the commits of all units of barriers into the mask of the warps whose operation takes effect, and into the change of
//! the stopped warps.
//!
//! *Reads:* the commits of `named` and `gateway`; the warps whose operation in another unit takes effect. *Writes:* the warps whose
//! operation takes effect in any unit; the commit for `warp_status`. *Latency:* 0, no state. Implements *Commit and completion* of
//! `docs/contract/bcu.md`.
//!
//! A configuration has `named` or `gateway`, not both.

use super::gateway::ports::GatewayCommit;
use crate::prelude::*;

/// `W` warps.
#[block]
pub struct CommitMerge<W> {
    #[built(config.has_named())]
    pub named: StrobeIn<Commit<W>>,
    #[built(config.has_gateway())]
    pub gateway: StrobeIn<GatewayCommit<W>>,
    /// Warps with an operation that takes effect in a unit other than `named` and `gateway`.
    pub other_commits: Signal<In, Bits<W>>,
    /// Warps with an operation that takes effect.
    pub committed_warps: Signal<Out, Bits<W>>,
    pub stop_change: StrobeOut<StopChange<W>>,
}

#[block]
impl Logic for CommitMerge {
    fn update(&mut self) {
        let named = self.named.payload.val();
        let gateway = self.gateway.payload.val();
        self.committed_warps.next = self.other_commits.val();
        if self.named.valid.val() & named.warp_done {
            self.committed_warps.next = self.committed_warps.val() | named.change.warps;
        }
        if gateway.warp_done {
            self.committed_warps.next = self.committed_warps.val() | gateway.warps;
        }
        self.stop_change.valid.next = self.named.valid.val() | self.gateway.valid.val();
        self.stop_change.payload.next = named.change;
        if self.gateway.valid.val() {
            self.stop_change.payload.next.warps = gateway.warps;
            self.stop_change.payload.next.refused = gateway.refused;
            self.stop_change.payload.next.cta_release = gateway.cta_release;
        }
    }
}
