// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many memory accesses of each warp are outstanding in one epoch, where several are issued and performed in a cycle: numbers in registers.
//!
//! *Reads:* `up` and `down`, of each strobe at most one warp. *Writes:* who has some; for whom not every strobe finds
//! room (a gate). *Latency:* 1.
//!
//! One vector per bit of the numbers, so that all warps are compared at once. An access too many, or one performed that was never
//! issued, changes nothing. One may be performed in the cycle in which it is issued. The strobes count one after another.

use crate::prelude::*;

/// `W` numbers of `OB` bits, `P` strobes.
#[block]
pub struct Counts<W, OB, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub up: [Signal<In, Bits<W>>; P],
    pub down: [Signal<In, Bits<W>>; P],
    pub some: Signal<Out, Bits<W>>,
    pub full: Signal<Out, Bits<W>>,
    #[reset]
    number: [DFF<Bits<W>>; OB],
    #[reset]
    present: DFF<Bits<W>>,
    /// The numbers, and who has some, after the strobes looked at so far.
    count: [Signal<Local, Bits<W>>; OB],
    counted: Signal<Local, Bits<W>>,
    /// Warps whose number is less than `full_from`.
    has_room: Signal<Local, Bits<W>>,
    rises: Signal<Local, Bits<W>>,
    toggles: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<W>>,
    /// Warps whose number is more than 1.
    more: Signal<Local, Bits<W>>,
    /// Warps whose number is not `limit`.
    below: Signal<Local, Bits<W>>,
    limit: Constant<Bits<OB>>,
    /// The lowest number at which there may be no room.
    full_from: Constant<Bits<OB>>,
}

#[block]
impl Counts<W, OB, P> {
    /// Numbers of this height at most, of which `unseen` may be under way.
    pub fn up_to(most: usize, unseen: usize) -> Self {
        let full_from = most + 1 - unseen;
        Counts {
            limit: Constant::new((most as u64).into()),
            full_from: Constant::new((full_from as u64).into()),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Counts<W, OB, P> {
    fn update(&mut self) {
        self.has_room.next = 0.into();
        for i in 0..OB {
            if self.full_from.val().get_bit(i) {
                self.has_room.next = self.has_room.val() | !self.number[i].q.val();
            } else {
                self.has_room.next = self.has_room.val() & !self.number[i].q.val();
            }
            self.count[i].next = self.number[i].q.val();
        }
        self.full.next = !self.has_room.val();
        self.counted.next = self.present.q.val();

        for k in 0..P {
            self.below.next = 0.into();
            for j in 0..OB {
                if self.limit.val().get_bit(j) {
                    self.below.next = self.below.val() | !self.count[j].val();
                } else {
                    self.below.next = self.below.val() | self.count[j].val();
                }
            }
            self.more.next = 0.into();
            for m in 1..OB {
                self.more.next = self.more.val() | self.count[m].val();
            }
            // One up and one down change nothing. A bit toggles if all below it are 1 on the way up, 0 on the way down.
            self.rises.next = self.up[k].val() & self.below.val();
            self.toggles.next = self.rises.val() ^ (self.down[k].val() & (self.counted.val() | self.rises.val()));
            self.counted.next = (self.rises.val() & (self.counted.val() | !self.down[k].val()))
                | (self.counted.val() & (self.more.val() | !(self.down[k].val() & self.count[0].val())));
            for n in 0..OB {
                self.carry.next = self.toggles.val() & !(self.rises.val() ^ self.count[n].val());
                self.count[n].next = self.count[n].val() ^ self.toggles.val();
                self.toggles.next = self.carry.val();
            }
        }

        for o in 0..OB {
            self.number[o].d.next = self.count[o].val();
        }
        self.present.d.next = self.counted.val();
        self.some.next = self.present.q.val();
    }
}
