// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps are live in the stream of operations, and which CTAs have ended.
//!
//! *Reads:* CTA launches, warp exits and CTA departures, in the order of the stream; accesses, copies and remote operations
//! outstanding. *Writes:* the warps that are live; the slots of CTAs that have ended. *Latency:* 1. Implements *ended* of
//! `docs/contract/bcu.md`.
//!
//! A CTA has ended when none of its warps is live and none of their accesses, copies and remote operations is outstanding: no CTA
//! of its cluster or grid waits for it any more.

use super::warps_of::WarpsOf;
use crate::prelude::*;

/// `W` warps of `LW` bits, `S` CTA slots.
#[block]
pub struct Ended<W, LW, LC, S, KC, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched: its warps are live.
    pub comes: StrobeIn<NewCta<W, LC, KC, KG>>,
    /// An Exit without a fault enters `named` or `gateway`.
    pub exits: StrobeIn<WarpExit<LW>>,
    /// A CTA departs.
    pub departs: StrobeIn<Departure<W, LC>>,
    /// One bit of the CTA slot of each warp.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps with an access outstanding.
    pub outstanding: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots with a remote mbarrier operation outstanding.
    pub remote: Signal<In, Bits<S>>,
    /// Warps that are live.
    pub live: Signal<Out, Bits<W>>,
    /// Slots without a live warp and with nothing outstanding: of CTAs that have ended, or empty.
    pub slots: Signal<Out, Bits<S>>,
    #[reset]
    alive: DFF<Bits<W>>,
    of: WarpsOf<W, LC, S>,
    /// Warps that become live.
    begins: Signal<Local, Bits<W>>,
    /// Warps that exit or depart.
    goes: Signal<Local, Bits<W>>,
    /// Warps that are live or have an access outstanding.
    busy: Signal<Local, Bits<W>>,
    /// The warps of each CTA that are `busy`.
    of_cta: [Signal<Local, Bits<W>>; S],
    /// Slots of CTAs that have not ended.
    going_on: Signal<Local, Bits<S>>,
}

#[block]
impl Logic for Ended<W, LW, LC, S, KC, KG> {
    fn update(&mut self) {
        self.begins.next = 0.into();
        if self.comes.valid.val() {
            self.begins.next = self.comes.payload.val().warps;
        }
        self.goes.next = 0.into();
        if self.departs.valid.val() {
            self.goes.next = self.departs.payload.val().warps;
        }
        if self.exits.valid.val() {
            self.goes.next = self.goes.val().with(self.exits.payload.val().warp, true);
        }
        self.alive.d.next = (self.alive.q.val() & !self.goes.val()) | self.begins.val();
        self.live.next = self.alive.q.val();

        for b in 0..LC {
            self.of.warp_cta[b].next = self.warp_cta[b].val();
        }
        self.busy.next = self.alive.q.val() | self.outstanding.val();
        self.going_on.next = self.copying.val() | self.remote.val();
        for i in 0..S {
            self.of_cta[i].next = self.busy.val() & self.of.warps[i].val();
            if self.of_cta[i].val().any() {
                self.going_on.next = self.going_on.val().replace_bit(i, true);
            }
        }
        self.slots.next = !self.going_on.val();
    }
}
