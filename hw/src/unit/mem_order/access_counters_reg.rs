// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of outstanding accesses of each warp in one epoch, for several issued and performed accesses a cycle: in registers.
//!
//! *Reads:* for each strobe the masks `issuer_mask` and `performer_mask`, one-hot or 0; the warp that was looked up in the cycle
//! before. *Writes:* for that warp whether an access is outstanding, and whether the number of outstanding accesses is near the
//! limit (the page calls such a number *high*); masks of the warps that reach their access limit, and of the warps with an access
//! outstanding. All outputs are gates. *Latency:* 1. Implements the numbers of accesses in `docs/contract/mem_order.md`.
//!
//! The numbers are stored as one mask of warps per bit, so that the same gates count for all warps at once.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, counts of accesses of `OB` bits, `P` strobes of issued and `P` of performed accesses.
#[block]
pub struct AccessCountersReg<W, LW, OB, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// By strobe: the warp that issued an access, one-hot.
    pub issuer_mask: [Signal<In, Bits<W>>; P],
    /// By strobe: the warp whose access was performed, one-hot.
    pub performer_mask: [Signal<In, Bits<W>>; P],
    /// The warp looked up in the previous cycle.
    pub looked_up_warp: Signal<In, Bits<LW>>,
    /// An access of `looked_up_warp` is outstanding.
    pub busy: Signal<Out, Bit>,
    /// The number of outstanding accesses of `looked_up_warp` is near the limit, so further accesses may exceed the limit.
    pub near_limit: Signal<Out, Bit>,
    /// Warps that reach their access limit in this cycle.
    pub reach_limit: Signal<Out, Bits<W>>,
    /// Warps with an access outstanding.
    pub outstanding: Signal<Out, Bits<W>>,
    /// The numbers of outstanding accesses: element i has bit i of each warp's number.
    #[reset]
    number: [DFF<Bits<W>>; OB],
    /// The numbers after the strobes that have been counted so far in this cycle.
    count: [Signal<Local, Bits<W>>; OB],
    any_outstanding: Signal<Local, Bits<W>>,
    /// Warps that issued an access.
    issuing_warps: Signal<Local, Bits<W>>,
    /// Warps whose number before this cycle's accesses is not near the limit.
    below_before: Signal<Local, Bits<W>>,
    /// Warps whose number, with the accesses that are issued in this cycle, is not near the limit.
    below_after: Signal<Local, Bits<W>>,
    /// Warps whose number toggles in the bit that the loop is at.
    toggles: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<W>>,
    /// The lowest number of outstanding accesses that is near the limit.
    near_limit_from: Constant<Bits<OB>>,
}

#[block]
impl AccessCountersReg {
    /// Makes the counters for a limit of `most` outstanding accesses of a warp in one epoch. `unseen` is the number of accesses
    /// that a warp may still issue before its access limit is visible to the core.
    pub fn up_to(most: usize, unseen: usize) -> Self {
        let near_limit_from = most + 1 - unseen;
        AccessCountersReg { near_limit_from: Constant::new((near_limit_from as u64).into()), ..Default::default() }
    }
}

#[block]
impl Logic for AccessCountersReg {
    fn update(&mut self) {
        // Compares the numbers before this cycle with 0 and with `near_limit_from`, from the lowest bit to the highest. A bit in
        // which a number differs from the constant overrides the result of the lower bits.
        self.any_outstanding.next = 0.into();
        self.below_before.next = 0.into();
        for i in 0..OB {
            self.any_outstanding.next = self.any_outstanding.val() | self.number[i].q.val();
            if self.near_limit_from.val().get_bit(i) {
                self.below_before.next = self.below_before.val() | !self.number[i].q.val();
            } else {
                self.below_before.next = self.below_before.val() & !self.number[i].q.val();
            }
            self.count[i].next = self.number[i].q.val();
        }
        self.outstanding.next = self.any_outstanding.val();
        self.busy.next = self.any_outstanding.val().at(self.looked_up_warp.val());
        self.near_limit.next = !self.below_before.val().at(self.looked_up_warp.val());

        // Accesses issued: a bit toggles if all bits below it are 1.
        self.issuing_warps.next = 0.into();
        for k in 0..P {
            self.issuing_warps.next = self.issuing_warps.val() | self.issuer_mask[k].val();
            self.toggles.next = self.issuer_mask[k].val();
            for m in 0..OB {
                self.carry.next = self.toggles.val() & self.count[m].val();
                self.count[m].next = self.count[m].val() ^ self.toggles.val();
                self.toggles.next = self.carry.val();
            }
        }

        // The same comparison after the accesses issued in this cycle are added. The accesses performed in this cycle
        // are not subtracted yet, so they do not keep a warp from reaching its limit.
        self.below_after.next = 0.into();
        for j in 0..OB {
            if self.near_limit_from.val().get_bit(j) {
                self.below_after.next = self.below_after.val() | !self.count[j].val();
            } else {
                self.below_after.next = self.below_after.val() & !self.count[j].val();
            }
        }
        self.reach_limit.next = self.issuing_warps.val() & !self.below_after.val();

        // Accesses performed: a bit toggles if all bits below it are 0.
        for n in 0..P {
            self.toggles.next = self.performer_mask[n].val();
            for o in 0..OB {
                self.carry.next = self.toggles.val() & !self.count[o].val();
                self.count[o].next = self.count[o].val() ^ self.toggles.val();
                self.toggles.next = self.carry.val();
            }
        }
        for r in 0..OB {
            self.number[r].d.next = self.count[r].val();
        }
    }
}
