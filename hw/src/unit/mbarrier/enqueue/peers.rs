// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The position of each CTA in its cluster: cluster slot, rank, and size of the cluster.
//!
//! *Reads:* launches; a CTA slot. *Writes:* in the same cycle the position of the CTA in that CTA slot. *Latency:* 0; a launch is visible
//! in the next cycle. Implements the ranks of `docs/contract/mbarrier.md`.

use crate::prelude::*;

/// Sizes: `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits.
#[block]
pub struct Peers<LC, S, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a CTA slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// CTA slot that is looked up.
    pub cta: Signal<In, Bits<LC>>,
    /// For the CTA in the CTA slot `cta`, its position in its cluster.
    pub peer: Signal<Out, Peer<KC>>,
    /// For each CTA slot, the position of its CTA in the cluster.
    #[reset]
    peers_q: [DFF<Peer<KC>>; S],
    no_peer: Constant<Peer<KC>>,
}

#[block]
impl Logic for Peers {
    fn update(&mut self) {
        self.peer.next = self.no_peer.val();
        for i in 0..S {
            if self.launch.valid.val() & (self.launch.payload.val().cta == i.to_bits()) {
                self.peers_q[i].d.next = self.launch.payload.val().peer;
            }
            if self.cta.val() == i.to_bits() {
                self.peer.next = self.peers_q[i].q.val();
            }
        }
    }
}
