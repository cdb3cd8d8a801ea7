// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a message of one multiprocessor says: of which slot, and what.
//!
//! *Reads:* the strobe of a multiprocessor. *Writes:* in the same cycle, the bit of the slot, and a bit for each kind of message. *Latency:* 0,
//! no state. Implements *Messages* of `docs/clusters.md`, `cluster_hub`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, ClusterMessageKind};

/// `KN` cluster slots of `KC` bits.
#[block]
pub struct MessageOf<KC, KN> {
    pub from: StrobeIn<ClusterMessage<KC>>,
    /// Its slot; 0 without a message.
    pub named: Signal<Out, Bits<KN>>,
    pub present: Signal<Out, Bit>,
    pub arrived: Signal<Out, Bit>,
    pub gone: Signal<Out, Bit>,
    pub gone_odd: Signal<Out, Bit>,
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
