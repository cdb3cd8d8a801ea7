// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the message of one multiprocessor: its cluster slot and its kind.
//!
//! *Reads:* the strobe of a multiprocessor. *Writes:* in the same cycle the cluster slot, one-hot, and one bit for each kind of
//! message. *Latency:* 0, no state. Implements *Messages* of `docs/contract/clusters.md`, `cluster_hub`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, ClusterMessageKind};

/// `KN` cluster slots of `KC` bits.
#[block]
pub struct MessageOf<KC, KN> {
    /// Messages of the multiprocessor.
    pub from: StrobeIn<ClusterMessage<KC>>,
    /// One-hot: cluster slot of the message; 0 without a message.
    pub named: Signal<Out, Bits<KN>>,
    /// The kind is Present; don't care without a message.
    pub present: Signal<Out, Bit>,
    /// The kind is Arrived; don't care without a message.
    pub arrived: Signal<Out, Bit>,
    /// The kind is Gone; don't care without a message.
    pub gone: Signal<Out, Bit>,
    /// The kind is GoneOdd; don't care without a message.
    pub gone_odd: Signal<Out, Bit>,
    /// Number of CTAs of the cluster.
    pub size: Signal<Out, Bits<5>>,
    no_slot: Constant<Bits<KN>>,
}

#[block]
impl Logic for MessageOf<KC, KN> {
    fn update(&mut self) {
        self.named.next = 0.into();
        if self.from.valid.val() {
            self.named.next = self.no_slot.val().with(self.from.payload.val().cluster, true);
        }
        self.present.next = self.from.payload.val().kind == ClusterMessageKind::Present;
        self.arrived.next = self.from.payload.val().kind == ClusterMessageKind::Arrived;
        self.gone.next = self.from.payload.val().kind == ClusterMessageKind::Gone;
        self.gone_odd.next = self.from.payload.val().kind == ClusterMessageKind::GoneOdd;
        self.size.next = self.from.payload.val().size;
    }
}
