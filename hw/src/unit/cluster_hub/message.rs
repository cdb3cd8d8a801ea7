// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the message of one multiprocessor: its cluster slot and its kind.
//!
//! *Reads:* the strobe of a multiprocessor. *Writes:* in the same cycle the cluster slot, one-hot, and one bit for each kind of
//! message. *Latency:* 0, no state. Implements *Messages* of `docs/contract/clusters.md`, `cluster_hub`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, ClusterMessageKind};

/// Sizes: `KN` cluster slots with numbers of `KC` bits.
#[block]
pub struct ClusterMessageDecode<KC, KN> {
    /// Messages of the multiprocessor.
    pub from: StrobeIn<ClusterMessage<KC>>,
    /// One-hot: cluster slot of the message; 0 if there is no message.
    pub named_slot: Signal<Out, Bits<KN>>,
    /// The kind is Present; don't care if there is no message.
    pub is_present: Signal<Out, Bit>,
    /// The kind is Arrived; don't care if there is no message.
    pub is_arrived: Signal<Out, Bit>,
    /// The kind is Gone; don't care if there is no message.
    pub is_gone: Signal<Out, Bit>,
    /// The kind is GoneOdd; don't care if there is no message.
    pub is_gone_odd: Signal<Out, Bit>,
    /// Number of CTAs of the cluster; don't care if there is no message.
    pub size: Signal<Out, Bits<5>>,
    no_slot: Constant<Bits<KN>>,
}

#[block]
impl Logic for ClusterMessageDecode {
    fn update(&mut self) {
        self.named_slot.next = 0.into();
        if self.from.valid.val() {
            self.named_slot.next = self.no_slot.val().with(self.from.payload.val().cluster, true);
        }
        self.is_present.next = self.from.payload.val().kind == ClusterMessageKind::Present;
        self.is_arrived.next = self.from.payload.val().kind == ClusterMessageKind::Arrived;
        self.is_gone.next = self.from.payload.val().kind == ClusterMessageKind::Gone;
        self.is_gone_odd.next = self.from.payload.val().kind == ClusterMessageKind::GoneOdd;
        self.size.next = self.from.payload.val().size;
    }
}
