// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the outstanding asynchronous copies of each CTA.
//!
//! *Reads:* the strobe of an issued copy, and the strobe of a performed copy. *Writes:* masks of the CTA slots with a copy
//! outstanding, and of the CTA slots that must not issue another copy. All outputs are gates. *Latency:* 1. Implements the numbers
//! of copies in `docs/contract/mem_order.md`.
//!
//! There is one counter per CTA slot. At most one copy is issued and one is performed in a cycle, so a counter changes by at most
//! 1.

use crate::prelude::*;

/// `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Copies<S, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issue: StrobeIn<CopyIssue<LC>>,
    pub perform: StrobeIn<CopyPerform<LC>>,
    /// CTA slots with a copy outstanding.
    pub copying: Signal<Out, Bits<S>>,
    /// CTA slots that must not issue another copy.
    pub full: Signal<Out, Bits<S>>,
    /// Number of outstanding copies, by CTA slot.
    #[reset]
    numbers: [DFF<Bits<8>>; S],
    /// The CTA slot that issues a copy, one-hot.
    issuer: Signal<Local, Bits<S>>,
    /// The CTA slot with a copy that is performed, one-hot.
    performer: Signal<Local, Bits<S>>,
    /// By CTA slot: the number is the highest that is allowed.
    at_limit: [Signal<Local, Bit>; S],
    /// By CTA slot: a copy is issued and counted, because the number is below the limit.
    counts_issue: [Signal<Local, Bit>; S],
    /// By CTA slot: a copy is performed and counted, because a copy is outstanding or is issued in this cycle.
    counts_perform: [Signal<Local, Bit>; S],
    /// By CTA slot: the addend of the number, 1 or -1.
    count_change: [Signal<Local, Bits<8>>; S],
    no_slot: Constant<Bits<S>>,
    /// The value -1.
    minus_one: Constant<Bits<8>>,
    /// The highest number of outstanding copies that is allowed.
    limit: Constant<Bits<8>>,
    /// Mask of the bits that a number needs.
    number_mask: Constant<Bits<8>>,
}

#[block]
impl Copies {
    /// Makes the counters for a limit of `most` outstanding copies of a CTA.
    pub fn up_to(most: usize) -> Self {
        let bits = (most + 1).next_power_of_two() as u64 - 1;
        Copies {
            minus_one: Constant::new(255.into()),
            limit: Constant::new((most as u64).into()),
            number_mask: Constant::new(bits.into()),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Copies {
    fn update(&mut self) {
        self.issuer.next = self.no_slot.val().with(self.issue.payload.val().cta, self.issue.valid.val());
        self.performer.next = self.no_slot.val().with(self.perform.payload.val().cta, self.perform.valid.val());
        self.copying.next = 0.into();
        self.full.next = 0.into();
        for i in 0..S {
            if self.numbers[i].q.val().any() {
                self.copying.next = self.copying.val().replace_bit(i, true);
            }
            // No number is above `limit`, so only the bits that are 1 in `limit` are compared.
            self.at_limit[i].next = true;
            for j in 0..8 {
                if self.limit.val().get_bit(j) {
                    self.at_limit[i].next = self.at_limit[i].val() & self.numbers[i].q.val().get_bit(j);
                }
            }
            if self.at_limit[i].val() {
                self.full.next = self.full.val().replace_bit(i, true);
            }
            // A copy may be performed in the cycle in which it is issued.
            self.counts_issue[i].next = self.issuer.val().get_bit(i) & !self.at_limit[i].val();
            self.counts_perform[i].next =
                self.performer.val().get_bit(i) & (self.counts_issue[i].val() | self.numbers[i].q.val().any());
            self.count_change[i].next = 1.into();
            if self.performer.val().get_bit(i) {
                self.count_change[i].next = self.minus_one.val();
            }
            if self.counts_issue[i].val() != self.counts_perform[i].val() {
                self.numbers[i].d.next = (self.numbers[i].q.val() + self.count_change[i].val()) & self.number_mask.val();
            }
        }
    }
}
