// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of the operations in the pipeline, as masks, so that a warp number is decoded once and not at every use.
//!
//! *Reads:* the warp of the operation at the port, or the mask of a Release; whether the operation makes its warp wait. *Writes:*
//! masks of the warps of the operation in the lookup stage, of the warp that this operation makes wait, and of the warps of the
//! operation in the commit stage. *Latency:* 1 to the lookup stage, 2 to the commit stage. Implements the masks of warps at the
//! ports of `docs/contract/named.md`.

use crate::prelude::*;

/// Sizes: `W` warps, warp numbers of `LW` bits.
#[block]
pub struct OpWarps<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Warp of the operation at the port.
    pub warp: Signal<In, Bits<LW>>,
    /// The operation at the port is a Release.
    pub is_release: Signal<In, Bit>,
    /// For a Release: all warp slots of its CTA.
    pub cta_mask: Signal<In, Bits<W>>,
    /// The operation that enters makes its warp wait.
    pub will_wait: Signal<In, Bit>,
    /// The operation in the lookup stage is in the first of its two lookup cycles: its masks are kept for the second lookup cycle.
    pub holds: Signal<In, Bit>,
    /// Warps of the operation in the lookup stage: its warp, one-hot; for a Release all warp slots of its CTA.
    pub warp_mask: Signal<Out, Bits<W>>,
    /// If the operation in the lookup stage makes its warp wait: `warp_mask`; else 0.
    pub waiter_mask: Signal<Out, Bits<W>>,
    /// Warps of the operation in the commit stage: its warp, one-hot; for a Release all warp slots of its CTA; after a reset all
    /// warps.
    pub acting_warps: Signal<Out, Bits<W>>,
    lookup_warp_mask: DFF<Bits<W>>,
    #[reset]
    lookup_waiter_mask: DFF<Bits<W>>,
    commit_warp_mask: DFF<Bits<W>>,
    /// Warps of the operation at the port: its warp, one-hot; for a Release all warp slots of its CTA.
    port_warps: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
}

#[block]
impl Logic for OpWarps {
    fn update(&mut self) {
        // A Release makes no warp wait, so one register holds either the one-hot mask or the mask of a Release.
        self.port_warps.next = self.no_warps.val().with(self.warp.val(), true);
        if self.is_release.val() {
            self.port_warps.next = self.cta_mask.val();
        }
        if !self.holds.val() {
            self.lookup_warp_mask.d.next = self.port_warps.val();
        }
        self.lookup_waiter_mask.d.next = 0.into();
        if self.holds.val() {
            self.lookup_waiter_mask.d.next = self.lookup_waiter_mask.q.val();
        }
        if self.will_wait.val() {
            self.lookup_waiter_mask.d.next = self.port_warps.val();
        }
        self.commit_warp_mask.d.next = self.lookup_warp_mask.q.val();
        if self.reset.val() {
            self.commit_warp_mask.d.next = self.every_warp.val();
        }
        self.warp_mask.next = self.lookup_warp_mask.q.val();
        self.waiter_mask.next = self.lookup_waiter_mask.q.val();
        self.acting_warps.next = self.commit_warp_mask.q.val();
    }
}
