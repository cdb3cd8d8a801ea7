// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many asynchronous copies of each CTA are outstanding.
//!
//! *Reads:* the strobes of a copy that is issued, and of one that is performed. *Writes:* the slots of CTAs with a copy outstanding; those
//! that may not issue another (gates). *Latency:* 1. Implements the numbers of copies of `docs/interface.md`, section `mem_order`.
//!
//! A counter per slot: a copy is issued and one performed at most, so that each counts up or down by one, or keeps its number.

use crate::prelude::*;

/// `S` CTA slots, named by `LC` bits.
#[block]
pub struct Copies<S, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issue: StrobeIn<CopyIssue<LC>>,
    pub perform: StrobeIn<CopyPerform<LC>>,
    pub copying: Signal<Out, Bits<S>>,
    pub full: Signal<Out, Bits<S>>,
    #[reset]
    numbers: [DFF<Bits<8>>; S],
    issuer: Signal<Local, Bits<S>>,
    performer: Signal<Local, Bits<S>>,
    /// Of one slot: its number, whether that is the highest, whether it goes up, whether it goes down, and by what it changes.
    number: Signal<Local, Bits<8>>,
    most: Signal<Local, Bit>,
    rises: Signal<Local, Bit>,
    falls: Signal<Local, Bit>,
    step: Signal<Local, Bits<8>>,
    no_slot: Constant<Bits<S>>,
    down: Constant<Bits<8>>,
    limit: Constant<Bits<8>>,
    /// The bits that a number has.
    bits: Constant<Bits<8>>,
}

#[block]
impl Copies<S, LC> {
    /// As many copies of a CTA outstanding at most.
    pub fn up_to(most: usize) -> Self {
        let bits = (most + 1).next_power_of_two() as u64 - 1;
        Copies {
            down: Constant::new(255.into()),
            limit: Constant::new((most as u64).into()),
            bits: Constant::new(bits.into()),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Copies<S, LC> {
    fn update(&mut self) {
        self.issuer.next = self.no_slot.val().with(self.issue.payload.val().cta, self.issue.valid.val());
        self.performer.next = self.no_slot.val().with(self.perform.payload.val().cta, self.perform.valid.val());
        self.copying.next = 0.into();
        self.full.next = 0.into();
        for i in 0..S {
            self.number.next = self.numbers[i].q.val();
            if self.number.val().any() {
                self.copying.next = self.copying.val().replace_bit(i, true);
            }
            // No number is above the highest.
            self.most.next = true;
            for j in 0..8 {
                if self.limit.val().get_bit(j) {
                    self.most.next = self.most.val() & self.number.val().get_bit(j);
                }
            }
            if self.most.val() {
                self.full.next = self.full.val().replace_bit(i, true);
            }
            // A copy may be performed in the cycle in which it is issued.
            self.rises.next = self.issuer.val().get_bit(i) & !self.most.val();
            self.falls.next = self.performer.val().get_bit(i) & (self.rises.val() | self.number.val().any());
            self.step.next = 1.into();
            if self.performer.val().get_bit(i) {
                self.step.next = self.down.val();
            }
            if self.rises.val() != self.falls.val() {
                self.numbers[i].d.next = (self.number.val() + self.step.val()) & self.bits.val();
            }
        }
    }
}
