// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where each CTA is in its cluster.
//!
//! *Reads:* launches; a CTA slot. *Writes:* in the same cycle what is known of that slot's CTA. *Latency:* 0; a launch is visible in the next
//! cycle. Implements the ranks of `docs/mbarrier.md`.

use super::ports::MbarrierLaunch;
use crate::prelude::*;

/// A CTA's place in its cluster.
#[payload]
pub struct Peer<KC> {
    pub cluster: Bits<KC>,
    pub rank: Bits<4>,
    pub size: Bits<5>,
}

/// `S` CTA slots.
#[block]
pub struct Peers<LC, S, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch: StrobeIn<MbarrierLaunch<LC, KC>>,
    pub cta: Signal<In, Bits<LC>>,
    pub peer: Signal<Out, Peer<KC>>,
    #[reset]
    kept: [DFF<Peer<KC>>; S],
    comes: Signal<Local, Peer<KC>>,
    found: Signal<Local, Peer<KC>>,
    nothing: Constant<Peer<KC>>,
    #[init(Constant::new(config.has_clusters()))]
    clusters: Constant<Bit>,
}

#[block]
impl Logic for Peers<LC, S, KC> {
    fn update(&mut self) {
        self.comes.next.cluster = self.launch.payload.val().cluster;
        self.comes.next.rank = self.launch.payload.val().rank;
        self.comes.next.size = self.launch.payload.val().size;
        self.found.next = self.nothing.val();
        for i in 0..S {
            if self.launch.valid.val() & (self.launch.payload.val().cta == i.to_bits()) {
                self.kept[i].d.next = self.comes.val();
            }
            if self.cta.val() == i.to_bits() {
                self.found.next = self.kept[i].q.val();
            }
        }
        // So that nothing is kept for nobody.
        self.peer.next = self.nothing.val();
        if self.clusters.val() {
            self.peer.next = self.found.val();
        }
    }
}
