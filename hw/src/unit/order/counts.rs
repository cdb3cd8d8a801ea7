// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many memory accesses of each warp are outstanding in one epoch.
//!
//! *Reads:* `up` and `down`, each at most one warp. *Writes:* who has some, and who will in the next cycle; who has as many as there may be (a
//! gate). *Latency:* 1.
//!
//! One vector per bit of the numbers, so that all warps are compared at once. An access too many, or one performed that was never
//! issued, changes nothing. One may be performed in the cycle in which it is issued.

use crate::prelude::*;

/// `W` numbers of `OB` bits.
#[block]
pub struct Counts<W, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub up: Signal<In, Bits<W>>,
    pub down: Signal<In, Bits<W>>,
    pub some: Signal<Out, Bits<W>>,
    pub some_next: Signal<Out, Bits<W>>,
    pub full: Signal<Out, Bits<W>>,
    #[reset]
    number: [DFF<Bits<W>>; OB],
    #[reset]
    present: DFF<Bits<W>>,
    rises: Signal<Local, Bits<W>>,
    toggles: Signal<Local, Bits<W>>,
    /// Warps whose number is more than 1.
    more: Signal<Local, Bits<W>>,
    /// Warps whose number is not `limit`.
    below: Signal<Local, Bits<W>>,
    #[init(Constant::new((config.max_outstanding as u64).into()))]
    limit: Constant<Bits<OB>>,
}

#[block]
impl Logic for Counts<W, OB> {
    fn update(&mut self) {
        self.below.next = 0.into();
        for i in 0..OB {
            if self.limit.val().get_bit(i) {
                self.below.next = self.below.val() | !self.number[i].q.val();
            } else {
                self.below.next = self.below.val() | self.number[i].q.val();
            }
        }
        self.full.next = !self.below.val();
        self.more.next = 0.into();
        for k in 1..OB {
            self.more.next = self.more.val() | self.number[k].q.val();
        }
        // One up and one down change nothing. A bit toggles if all below it are 1 on the way up, 0 on the way down.
        self.rises.next = self.up.val() & self.below.val();
        self.toggles.next = self.rises.val() ^ (self.down.val() & (self.present.q.val() | self.rises.val()));
        for j in 0..OB {
            self.number[j].d.next = self.number[j].q.val() ^ self.toggles.val();
            self.toggles.next = self.toggles.val() & !(self.rises.val() ^ self.number[j].q.val());
        }
        self.some_next.next = (self.rises.val() & (self.present.q.val() | !self.down.val()))
            | (self.present.q.val() & (self.more.val() | !(self.down.val() & self.number[0].q.val())));
        self.present.d.next = self.some_next.val();
        self.some.next = self.present.q.val();
    }
}
