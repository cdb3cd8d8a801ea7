// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cluster barriers in one multiprocessor: warps arrive and wait, and each CTA reports to the hub when all its live warps have arrived.
//!
//! *Reads:* the operations of warps; which warps are live, and the CTA of each warp; CTAs that are launched or end; the
//! messages of the hub. *Writes:* the strobes of commits and of released warps; the messages to the hub; the fault channel.
//! *Latency:* 3 from the transfer of the last Arrive of a CTA to its message, 2 from the message of the hub to the release of
//! the warps. Implements barrier.cluster of spec 003; the exact ports and cycles are in `docs/contract/clusters.md`.
//!
//! ```text
//!  cycle t          |  t+1              |  t+2                   |  t+3
//!  op ─► warps ─────┼─► per_cta ────────┼─► ctas: ready_slots ───┼─► cluster_out
//!  cluster_in ──────┼─► ctas: complete ─┴─► per_cta ─► warps ──► release (t+2)
//! ```

pub mod ctas;
pub mod per_cta;
pub mod ports;
pub mod warps;

use crate::prelude::*;
use ports::{ClusterMessage, ClusterOp, HubMessage, NamedCluster};

/// Sizes: `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits.
#[block(unit = "cluster")]
pub struct Cluster<W, LW, LC, S, KC> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("CTAs")]
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// Live warps: launched, not exited, and their CTA is not retired.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// Port `warp_cta_b` has bit b of the CTA slot number of each warp.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// CTA slots whose CTA has ended: the CTA has no live warp, and nothing of the CTA is in flight.
    #[group("CTAs")]
    pub ended: Signal<In, Bits<S>>,
    #[group("operation")]
    pub op: Sink<ClusterOp<LW, LC>>,
    #[group("hub")]
    pub cluster_in: StrobeIn<HubMessage<KC>>,
    #[group("hub")]
    pub cluster_out: Source<ClusterMessage<KC>>,
    pub commit: StrobeOut<UnitCommit<W>>,
    pub release: StrobeOut<Woken<W>>,
    /// Warps that wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    #[group("hub")]
    pub closed: StrobeOut<NamedCluster<KC>>,
    /// CTA slots without state in this unit: for such a slot no message to the hub is due, and no message of the hub is expected.
    #[group("CTAs")]
    pub freed: Signal<Out, Bits<S>>,
    pub fault: Source<Refusal<LW, LC>>,

    #[init(warps::Warps::new(config))]
    warps: warps::Warps<W, LW, LC, S>,
    per_cta: per_cta::PerCta<W, LC, S>,
    ctas: ctas::ClusterCtas<LC, S, KC>,
}

#[block]
impl Logic for Cluster {
    fn update(&mut self) {
        Channel::join(&mut self.op, &mut self.warps.op);
        self.warps.live.next = self.live.val();
        self.per_cta.live.next = self.live.val();
        for i in 0..LC {
            self.per_cta.warp_cta[i].next = self.warp_cta[i].val();
        }
        self.per_cta.arrived_warps.next = self.warps.arrived_warps.val();
        self.per_cta.completed_slots.next = self.ctas.completed_slots.val();
        self.warps.completing_warps.next = self.per_cta.completing_warps.val();
        Strobe::join(&mut self.launch, &mut self.ctas.launch);
        Strobe::join(&mut self.cluster_in, &mut self.ctas.cluster_in);
        self.ctas.ended.next = self.ended.val();
        self.ctas.arrived_slots.next = self.per_cta.arrived_slots.val();
        Channel::join(&mut self.ctas.cluster_out, &mut self.cluster_out);
        Strobe::join(&mut self.ctas.closed, &mut self.closed);
        self.freed.next = self.ctas.freed.val();
        Strobe::join(&mut self.warps.commit, &mut self.commit);
        Strobe::join(&mut self.warps.release, &mut self.release);
        self.waiting.next = self.warps.waiting.val();
        Channel::join(&mut self.warps.fault, &mut self.fault);
    }
}
