// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a message of one multiprocessor says: of which slot, and of which ranks.
//!
//! *Reads:* the strobe of a multiprocessor. *Writes:* in the same cycle, one bit of each slot for each kind of message, the rank, and the ranks
//! below the size. *Latency:* 0, no state. Implements *Messages* of `docs/clusters.md`, `cluster_hub`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, ClusterMessageKind};

/// `KN` cluster slots of `KC` bits.
#[block]
pub struct MessageOf<KC, KN> {
    pub from: StrobeIn<ClusterMessage<KC>>,
    pub present: Signal<Out, Bits<KN>>,
    pub arrived: Signal<Out, Bits<KN>>,
    pub gone: Signal<Out, Bits<KN>>,
    pub rank: Signal<Out, Bits<16>>,
    pub below: Signal<Out, Bits<16>>,
    one: Signal<Local, Bits<KN>>,
    no_rank: Constant<Bits<16>>,
    no_slot: Constant<Bits<KN>>,
}

#[block]
impl Logic for MessageOf<KC, KN> {
    fn update(&mut self) {
        self.one.next = 0.into();
        if self.from.valid.val() {
            self.one.next = self.no_slot.val().with(self.from.payload.val().cluster, true);
        }
        self.present.next = 0.into();
        if self.from.payload.val().kind == ClusterMessageKind::Present {
            self.present.next = self.one.val();
        }
        self.arrived.next = 0.into();
        if self.from.payload.val().kind == ClusterMessageKind::Arrived {
            self.arrived.next = self.one.val();
        }
        self.gone.next = 0.into();
        if self.from.payload.val().kind == ClusterMessageKind::Gone {
            self.gone.next = self.one.val();
        }
        self.rank.next = self.no_rank.val().with(self.from.payload.val().rank, true);
        self.below.next = 0.into();
        for r in 0_usize..16 {
            self.below.next = self.below.val().replace_bit(r, self.from.payload.val().size > r.to_bits());
        }
    }
}
