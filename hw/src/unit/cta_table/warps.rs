// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each warp: whether it is live, whether its warp slot belongs to a CTA, and the CTA slot of that CTA.
//!
//! *Reads:* the warp to read; the warp that has exited; the warps that become live or end; the warp slot that is claimed or given
//! up. *Writes:* the state of the warp that is read; the mask of the warps that are live; the CTA slot of each warp. *Latency:* 0
//! for a read, 1 for a change.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits.
#[block]
pub struct Warps<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp to read.
    pub warp_to_read: Signal<In, Bits<LW>>,
    pub warp_exited: StrobeIn<WarpExit<LW>>,
    /// Warps that become live, or that end; never valid in a cycle with `warp_exited`.
    pub changed_warps: StrobeIn<Bits<W>>,
    /// 1 = the warps in `changed_warps` become live, 0 = they end.
    pub become_live: Signal<In, Bit>,
    /// The warp slot `changed_slot` is claimed for the CTA slot `cta`, or given up by it.
    pub slot_changes: Signal<In, Bit>,
    /// 1 = the warp slot `changed_slot` is claimed, 0 = it is given up.
    pub is_claim: Signal<In, Bit>,
    pub changed_slot: Signal<In, Bits<LW>>,
    pub cta: Signal<In, Bits<LC>>,
    /// CTA slot of the warp that is read.
    pub owner: Signal<Out, Bits<LC>>,
    /// The warp that is read is live.
    pub is_live: Signal<Out, Bit>,
    /// The warp slot that is read belongs to a CTA.
    pub is_used: Signal<Out, Bit>,
    /// Warps that are live.
    pub live: Signal<Out, Bits<W>>,
    /// Bit b of the CTA slot of each warp, in `warp_cta_b`.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    #[reset]
    live_q: DFF<Bits<W>>,
    #[reset]
    used: DFF<Bits<W>>,
    #[reset]
    cta_bits: [DFF<Bits<W>>; LC],
    /// Warps that become live or are no longer live.
    live_changes: Signal<Local, Bits<W>>,
    /// The warp slot that is claimed or given up, one-hot.
    changed_slot_mask: Signal<Local, Bits<W>>,
    next_live: Signal<Local, Bits<W>>,
    next_used: Signal<Local, Bits<W>>,
    next_cta_bits: [Signal<Local, Bits<W>>; LC],
}

#[block]
impl Logic for Warps {
    fn update(&mut self) {
        // Each warp has one write enable, and all warps that change in a cycle get the same value.
        self.live_changes.next = 0.into();
        if self.warp_exited.valid.val() {
            self.live_changes.next = self.live_changes.val().with(self.warp_exited.payload.val().warp, true);
        }
        if self.changed_warps.valid.val() {
            self.live_changes.next = self.changed_warps.payload.val();
        }
        self.changed_slot_mask.next = 0.into();
        if self.slot_changes.val() {
            self.changed_slot_mask.next = self.changed_slot_mask.val().with(self.changed_slot.val(), true);
        }
        self.next_live.next = self.live_q.q.val();
        self.next_used.next = self.used.q.val();
        for w in 0..W {
            if self.live_changes.val().get_bit(w) {
                self.next_live.next = self.next_live.val().replace_bit(w, self.become_live.val());
            }
            if self.changed_slot_mask.val().get_bit(w) {
                self.next_used.next = self.next_used.val().replace_bit(w, self.is_claim.val());
            }
        }
        self.live_q.d.next = self.next_live.val();
        self.used.d.next = self.next_used.val();
        self.owner.next = 0.into();
        for i in 0..LC {
            self.next_cta_bits[i].next = self.cta_bits[i].q.val();
            for k in 0..W {
                if self.changed_slot_mask.val().get_bit(k) {
                    self.next_cta_bits[i].next = self.next_cta_bits[i].val().replace_bit(k, self.cta.val().get_bit(i));
                }
            }
            self.cta_bits[i].d.next = self.next_cta_bits[i].val();
            if self.cta_bits[i].q.val().at(self.warp_to_read.val()) {
                self.owner.next = self.owner.val().replace_bit(i, true);
            }
            self.warp_cta[i].next = self.cta_bits[i].q.val();
        }
        self.is_live.next = self.live_q.q.val().at(self.warp_to_read.val());
        self.is_used.next = self.used.q.val().at(self.warp_to_read.val());
        self.live.next = self.live_q.q.val();
    }
}
