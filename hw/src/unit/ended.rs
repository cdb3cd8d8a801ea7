// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two masks: the live warps, and the CTA slots whose CTA has ended. A warp leaves the mask of live warps when its Exit enters
//! `named` or `gateway`, or its CTA departs.
//!
//! *Reads:* CTA launches, warp exits and CTA departures, in the order of the stream; accesses, copies and remote operations
//! outstanding. *Writes:* the two masks. *Latency:* 1. Implements *ended* of `docs/contract/bcu.md`.
//!
//! A CTA has ended when none of its warps is live and no access, copy or remote operation of the CTA is outstanding. Then no other
//! CTA of its cluster or grid has to wait for it any more.

use super::warps_of::WarpsOf;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits, cluster slots with numbers of `KC` bits, grid
/// slots with numbers of `KG` bits.
#[block]
pub struct Ended<W, LW, LC, S, KC, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched: its warps are live.
    pub launched: StrobeIn<NewCta<W, LC, KC, KG>>,
    /// An Exit without a fault enters `named` or `gateway`.
    pub exit_enters: StrobeIn<WarpExit<LW>>,
    /// A CTA departs.
    pub departure: StrobeIn<Departure<W, LC>>,
    /// Bit b of the CTA slot of each warp, in `warp_cta_b`.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps with an access outstanding.
    pub outstanding: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots with a remote mbarrier operation outstanding.
    pub remote: Signal<In, Bits<S>>,
    /// Warps that are live.
    pub live: Signal<Out, Bits<W>>,
    /// CTA slots with no live warp and nothing outstanding: the CTA has ended, or the slot is empty.
    pub ended_slots: Signal<Out, Bits<S>>,
    #[reset]
    live_q: DFF<Bits<W>>,
    cta_warps: WarpsOf<W, LC, S>,
    /// Warps that become live.
    new_warps: Signal<Local, Bits<W>>,
    /// Warps that exit, or whose CTA departs.
    leaving_warps: Signal<Local, Bits<W>>,
    /// Warps that are live or have an access outstanding.
    unfinished_warps: Signal<Local, Bits<W>>,
    /// By CTA slot: the warps of the CTA slot that are in `unfinished_warps`.
    cta_unfinished_warps: [Signal<Local, Bits<W>>; S],
    /// CTA slots whose CTA has not ended.
    unfinished_slots: Signal<Local, Bits<S>>,
}

#[block]
impl Logic for Ended {
    fn update(&mut self) {
        // The live warps.
        self.new_warps.next = 0.into();
        if self.launched.valid.val() {
            self.new_warps.next = self.launched.payload.val().warps;
        }
        self.leaving_warps.next = 0.into();
        if self.departure.valid.val() {
            self.leaving_warps.next = self.departure.payload.val().warps;
        }
        if self.exit_enters.valid.val() {
            self.leaving_warps.next = self.leaving_warps.val().with(self.exit_enters.payload.val().warp, true);
        }
        self.live_q.d.next = (self.live_q.q.val() & !self.leaving_warps.val()) | self.new_warps.val();
        self.live.next = self.live_q.q.val();

        for b in 0..LC {
            self.cta_warps.warp_cta[b].next = self.warp_cta[b].val();
        }

        // The CTA slots with a live warp or with something outstanding.
        self.unfinished_warps.next = self.live_q.q.val() | self.outstanding.val();
        self.unfinished_slots.next = self.copying.val() | self.remote.val();
        for i in 0..S {
            self.cta_unfinished_warps[i].next = self.unfinished_warps.val() & self.cta_warps.warps[i].val();
            if self.cta_unfinished_warps[i].val().any() {
                self.unfinished_slots.next = self.unfinished_slots.val().replace_bit(i, true);
            }
        }
        self.ended_slots.next = !self.unfinished_slots.val();
    }
}
