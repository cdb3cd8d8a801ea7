// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp: whether it is live, whether its warp slot belongs to a CTA, and the slot of that CTA.
//!
//! *Reads:* the warp to read; the warp that has exited; the warps that become live or end; the warp slot that is claimed or given
//! up. *Writes:* the state of the warp that is read; which warps are live; the CTA slot of each warp. *Latency:* 0 for a read, 1
//! for a change.

use crate::prelude::*;

/// `W` warps of `LW` bits, `LC` bits of CTA slot.
#[block]
pub struct Warps<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp to read.
    pub asked: Signal<In, Bits<LW>>,
    pub warp_exited: StrobeIn<WarpExit<LW>>,
    /// These warps become live, or are no longer live; not in a cycle with `warp_exited`.
    pub turned: StrobeIn<Bits<W>>,
    /// The warps in `turned` become live.
    pub begin: Signal<In, Bit>,
    /// The warp slot `at` is claimed for the CTA slot `cta`, or given up by it.
    pub moves: Signal<In, Bit>,
    /// The warp slot is claimed.
    pub claims: Signal<In, Bit>,
    pub at: Signal<In, Bits<LW>>,
    pub cta: Signal<In, Bits<LC>>,
    /// CTA slot of the warp that is read.
    pub owner: Signal<Out, Bits<LC>>,
    /// The warp that is read is live.
    pub is_live: Signal<Out, Bit>,
    /// The warp slot that is read belongs to a CTA.
    pub is_used: Signal<Out, Bit>,
    /// Warps that are live.
    pub live: Signal<Out, Bits<W>>,
    /// One bit of the CTA slot of each warp.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    #[reset]
    alive: DFF<Bits<W>>,
    #[reset]
    used: DFF<Bits<W>>,
    #[reset]
    slot_bit: [DFF<Bits<W>>; LC],
    /// Warps that become live or are no longer live.
    changes: Signal<Local, Bits<W>>,
    /// The warp slot that is claimed or given up, one-hot.
    in_flight: Signal<Local, Bits<W>>,
    next_alive: Signal<Local, Bits<W>>,
    next_used: Signal<Local, Bits<W>>,
    next_bit: [Signal<Local, Bits<W>>; LC],
}

#[block]
impl Logic for Warps<W, LW, LC> {
    fn update(&mut self) {
        // Each warp has a single enable; the value is common to all warps.
        self.changes.next = 0.into();
        if self.warp_exited.valid.val() {
            self.changes.next = self.changes.val().with(self.warp_exited.payload.val().warp, true);
        }
        if self.turned.valid.val() {
            self.changes.next = self.turned.payload.val();
        }
        self.in_flight.next = 0.into();
        if self.moves.val() {
            self.in_flight.next = self.in_flight.val().with(self.at.val(), true);
        }
        self.next_alive.next = self.alive.q.val();
        self.next_used.next = self.used.q.val();
        for w in 0..W {
            if self.changes.val().get_bit(w) {
                self.next_alive.next = self.next_alive.val().replace_bit(w, self.begin.val());
            }
            if self.in_flight.val().get_bit(w) {
                self.next_used.next = self.next_used.val().replace_bit(w, self.claims.val());
            }
        }
        self.alive.d.next = self.next_alive.val();
        self.used.d.next = self.next_used.val();
        self.owner.next = 0.into();
        for i in 0..LC {
            self.next_bit[i].next = self.slot_bit[i].q.val();
            for k in 0..W {
                if self.in_flight.val().get_bit(k) {
                    self.next_bit[i].next = self.next_bit[i].val().replace_bit(k, self.cta.val().get_bit(i));
                }
            }
            self.slot_bit[i].d.next = self.next_bit[i].val();
            if self.slot_bit[i].q.val().at(self.asked.val()) {
                self.owner.next = self.owner.val().replace_bit(i, true);
            }
            self.warp_cta[i].next = self.slot_bit[i].q.val();
        }
        self.is_live.next = self.alive.q.val().at(self.asked.val());
        self.is_used.next = self.used.q.val().at(self.asked.val());
        self.live.next = self.alive.q.val();
    }
}
