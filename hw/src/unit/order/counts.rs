// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many memory accesses of each warp are outstanding in one epoch.
//!
//! *Reads:* `up` and `down`, each at most one warp. *Writes:* who has some, who has as many as there may be (gates). *Latency:* 1.
//!
//! One vector per bit of the numbers, so that all warps are compared at once. An access too many, or one performed that was never
//! issued, changes nothing.

use rust_hdl::prelude::*;

/// `W` numbers of `OB` bits.
#[derive(LogicBlock)]
pub struct Counts<const W: usize, const OB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub up: Signal<In, Bits<W>>,
    pub down: Signal<In, Bits<W>>,
    pub some: Signal<Out, Bits<W>>,
    pub full: Signal<Out, Bits<W>>,
    number: [DFF<Bits<W>>; OB],
    more: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<W>>,
    borrow: Signal<Local, Bits<W>>,
    limit: Constant<Bits<OB>>,
    every_warp: Constant<Bits<W>>,
}

impl<const W: usize, const OB: usize> Counts<W, OB> {
    /// `limit`: the highest number, 1 to `2^OB - 1`.
    pub fn new(limit: usize) -> Self {
        assert!(limit > 0 && limit < 1 << OB);
        crate::fresh!(Counts {
            clock, reset, up, down, some, full, more, carry, borrow;
            number: array_init::array_init(|_| DFF::default()),
            limit: Constant::new((limit as u64).into()),
            every_warp: Constant::new(!Bits::<W>::default())
        })
    }
}

impl<const W: usize, const OB: usize> Logic for Counts<W, OB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.some.next = 0.into();
        self.full.next = self.every_warp.val();
        for i in 0..OB {
            self.some.next = self.some.val() | self.number[i].q.val();
            if self.limit.val().get_bit(i) {
                self.full.next = self.full.val() & self.number[i].q.val();
            } else {
                self.full.next = self.full.val() & !self.number[i].q.val();
            }
        }
        self.carry.next = self.up.val() & !self.full.val();
        self.borrow.next = self.down.val() & self.some.val();
        self.more.next = 0.into();
        for j in 0..OB {
            self.more.next = self.number[j].q.val() ^ self.carry.val();
            self.carry.next = self.carry.val() & self.number[j].q.val();
            self.number[j].clock.next = self.clock.val();
            self.number[j].d.next = self.more.val() ^ self.borrow.val();
            self.borrow.next = self.borrow.val() & !self.more.val();
            if self.reset.val() {
                self.number[j].d.next = 0.into();
            }
        }
    }
}
