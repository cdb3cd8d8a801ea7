// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is known of each warp: whether it is live, whether its warp slot belongs to a CTA, and to which.
//!
//! *Reads:* which warp is asked for; which one is gone, and which are turned live or not; which warp slot is claimed or given up. *Writes:* what is known of
//! the one that is asked for; who is live; each warp's CTA slot. *Latency:* 0 for a question, 1 for a change.

use crate::prelude::*;

/// `W` warps of `LW` bits, `LC` bits of CTA slot.
#[block]
pub struct Warps<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp that is asked for.
    pub asked: Signal<In, Bits<LW>>,
    pub warp_exited: StrobeIn<WarpExit<LW>>,
    /// These become live, or are no longer; not in a cycle with `warp_exited`.
    pub turned: StrobeIn<Bits<W>>,
    pub begin: Signal<In, Bit>,
    /// The warp slot `at` is claimed for `cta`, or given up by it.
    pub moves: Signal<In, Bit>,
    pub claims: Signal<In, Bit>,
    pub at: Signal<In, Bits<LW>>,
    pub cta: Signal<In, Bits<LC>>,
    pub owner: Signal<Out, Bits<LC>>,
    pub is_live: Signal<Out, Bit>,
    pub is_used: Signal<Out, Bit>,
    pub live: Signal<Out, Bits<W>>,
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    #[reset]
    alive: DFF<Bits<W>>,
    #[reset]
    used: DFF<Bits<W>>,
    #[reset]
    slot_bit: [DFF<Bits<W>>; LC],
    changes: Signal<Local, Bits<W>>,
    in_flight: Signal<Local, Bits<W>>,
    next_alive: Signal<Local, Bits<W>>,
    next_used: Signal<Local, Bits<W>>,
    next_bit: [Signal<Local, Bits<W>>; LC],
}

#[block]
impl Logic for Warps<W, LW, LC> {
    fn update(&mut self) {
        // Of each warp no more than one enable and what all have in common.
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
