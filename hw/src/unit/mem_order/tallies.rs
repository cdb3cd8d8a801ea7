// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many accesses of each warp are outstanding in each epoch, where one is issued and one performed in a cycle at most: numbers in memory.
//!
//! *Reads:* the access that is issued, and the one that is performed, as they come in and one cycle later; the warp to look up. *Writes:* of the warp that
//! was looked up in the cycle before, which numbers are not 0 and which are high; who becomes crowded. *Latency:* 1 from the question to the
//! answer, 2 from a strobe to who is crowded. Implements the numbers of `docs/interface.md`, section `mem_order`.
//!
//! How many were issued, and how many performed, stands in memories of their own, each with one writer: a word per warp with the numbers of both
//! epochs. What is outstanding is the difference. Each is kept once for every address at which it is read. Behind a reset all words are
//! cleared one after another: what was written last is written again, and that is 0.

use super::accesses::Access;
use crate::prelude::*;

/// How many accesses, by epoch.
#[payload]
pub struct Numbers<OB> {
    pub even: Bits<OB>,
    pub odd: Bits<OB>,
}

/// `W` warps of `LW` bits, numbers of `OB` bits.
#[block]
pub struct Tallies<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issues: Signal<In, Access<LW>>,
    pub performs: Signal<In, Access<LW>>,
    /// Those of the cycle before.
    pub issued: Signal<In, Access<LW>>,
    pub performed: Signal<In, Access<LW>>,
    pub asked: Signal<In, Bits<LW>>,
    /// Of the warp that was asked for in the cycle before, by epoch: the number is not 0; there may be no room.
    pub busy: [Signal<Out, Bit>; 2],
    pub high: [Signal<Out, Bit>; 2],
    /// The warp that issued has no more room for those that are not seen yet.
    pub crowds: Signal<Out, Bits<W>>,
    /// Accesses issued as they are from now on and performed as they were, of the warp that issued; performed as they are from now on, of the one whose
    /// access was performed.
    pub raised: Signal<Out, Numbers<OB>>,
    pub below: Signal<Out, Numbers<OB>>,
    pub lowered: Signal<Out, Numbers<OB>>,
    /// Accesses issued, for the warp that issues and the one that is asked for.
    ups: [Store<Packed<Numbers<OB>>, LW>; 2],
    /// Accesses performed, for the warp of which one is performed, the one that issues and the one that is asked for.
    downs: [Store<Packed<Numbers<OB>>, LW>; 3],
    /// What was written last.
    #[reset]
    up_before: DFF<Numbers<OB>>,
    #[reset]
    down_before: DFF<Numbers<OB>>,
    /// The word read is another one than that.
    #[reset]
    up_fresh: [DFF<Bit>; 2],
    #[reset]
    down_fresh: [DFF<Bit>; 3],
    up_written: Signal<Local, Bit>,
    down_written: Signal<Local, Bit>,
    up: [Signal<Local, Numbers<OB>>; 2],
    down: [Signal<Local, Numbers<OB>>; 3],
    up_next: Signal<Local, Numbers<OB>>,
    down_next: Signal<Local, Numbers<OB>>,
    counts_up: Signal<Local, Bits<2>>,
    counts_down: Signal<Local, Bits<2>>,
    /// What is outstanding, of the warp that issued and of the one that was asked for.
    issuer: Signal<Local, Numbers<OB>>,
    looked: Signal<Local, Numbers<OB>>,
    fills: Signal<Local, Bit>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    of_row: Signal<Local, Bits<W>>,
    column: Signal<Local, Bits<4>>,
    no_column: Constant<Bits<4>>,
    no_warps: Constant<Bits<W>>,
    /// The lowest number from which one more leaves no room for those that are not seen yet.
    room: Constant<Bits<OB>>,
}

#[block]
impl Tallies<W, LW, OB> {
    /// As many accesses outstanding at most.
    pub fn up_to(most: usize) -> Self {
        Tallies { room: Constant::new((most as u64 - 2).into()), ..Default::default() }
    }
}

#[block]
impl Logic for Tallies<W, LW, OB> {
    fn update(&mut self) {
        // Read as they come in; what is written at the same edge is taken from beside.
        self.up_written.next = self.issued.val().valid | self.issued.val().clears;
        self.down_written.next = self.performed.val().valid | self.performed.val().clears;
        self.ups[0].read_address.next = self.issues.val().warp;
        self.ups[1].read_address.next = self.asked.val();
        self.downs[0].read_address.next = self.performs.val().warp;
        self.downs[1].read_address.next = self.issues.val().warp;
        self.downs[2].read_address.next = self.asked.val();
        self.up_fresh[0].d.next =
            !self.issues.val().clears & !(self.up_written.val() & (self.issues.val().warp == self.issued.val().warp));
        self.up_fresh[1].d.next = !(self.up_written.val() & (self.asked.val() == self.issued.val().warp));
        self.down_fresh[0].d.next =
            !self.performs.val().clears & !(self.down_written.val() & (self.performs.val().warp == self.performed.val().warp));
        self.down_fresh[1].d.next = !(self.down_written.val() & (self.issues.val().warp == self.performed.val().warp));
        self.down_fresh[2].d.next = !(self.down_written.val() & (self.asked.val() == self.performed.val().warp));
        for i in 0..2 {
            self.up[i].next = self.up_before.q.val();
            if self.up_fresh[i].q.val() {
                self.up[i].next = self.ups[i].read_value.val().into();
            }
        }
        for j in 0..3 {
            self.down[j].next = self.down_before.q.val();
            if self.down_fresh[j].q.val() {
                self.down[j].next = self.downs[j].read_value.val().into();
            }
        }

        // One more.
        self.counts_up.next = 0.into();
        self.counts_up.next = self.counts_up.val().replace_bit(0, self.issued.val().valid & !self.issued.val().epoch);
        self.counts_up.next = self.counts_up.val().replace_bit(1, self.issued.val().valid & self.issued.val().epoch);
        self.counts_down.next = 0.into();
        self.counts_down.next = self.counts_down.val().replace_bit(0, self.performed.val().valid & !self.performed.val().epoch);
        self.counts_down.next = self.counts_down.val().replace_bit(1, self.performed.val().valid & self.performed.val().epoch);
        self.up_next.next.even = self.up[0].val().even + self.counts_up.val().get_bit(0);
        self.up_next.next.odd = self.up[0].val().odd + self.counts_up.val().get_bit(1);
        self.down_next.next.even = self.down[0].val().even + self.counts_down.val().get_bit(0);
        self.down_next.next.odd = self.down[0].val().odd + self.counts_down.val().get_bit(1);
        for k in 0..2 {
            self.ups[k].write.next = self.up_written.val();
            self.ups[k].write_address.next = self.issued.val().warp;
            self.ups[k].write_value.next = self.up_next.val().into();
        }
        for n in 0..3 {
            self.downs[n].write.next = self.down_written.val();
            self.downs[n].write_address.next = self.performed.val().warp;
            self.downs[n].write_value.next = self.down_next.val().into();
        }
        self.up_before.d.next = self.up_next.val();
        self.down_before.d.next = self.down_next.val();
        self.raised.next = self.up_next.val();
        self.below.next = self.down[1].val();
        self.lowered.next = self.down_next.val();

        // The look-up.
        self.looked.next.even = self.up[1].val().even - self.down[2].val().even;
        self.looked.next.odd = self.up[1].val().odd - self.down[2].val().odd;
        self.busy[0].next = self.up[1].val().even != self.down[2].val().even;
        self.busy[1].next = self.up[1].val().odd != self.down[2].val().odd;
        self.high[0].next = self.looked.val().even > self.room.val();
        self.high[1].next = self.looked.val().odd > self.room.val();

        // Who may be at the limit when it next issues. The highest number is followed by 0. Warps stand in rows of four, so that few gates follow
        // upon the numbers.
        self.issuer.next.even = self.up[0].val().even - self.down[1].val().even;
        self.issuer.next.odd = self.up[0].val().odd - self.down[1].val().odd;
        self.fills.next = (self.issuer.val().even >= self.room.val()) & !self.issuer.val().even.all();
        if self.issued.val().epoch {
            self.fills.next = (self.issuer.val().odd >= self.room.val()) & !self.issuer.val().odd.all();
        }
        self.row_number.next = self.issued.val().warp >> 2;
        self.column_number.next = self.issued.val().warp.get_bits::<2>(0);
        self.of_row.next = self.no_warps.val().with(self.row_number.val(), self.issued.val().valid);
        self.column.next = 0.into();
        if self.fills.val() {
            self.column.next = self.no_column.val().with(self.column_number.val(), true);
        }
        self.crowds.next = 0.into();
        for i in 0..((W + 3) / 4) {
            if self.of_row.val().get_bit(i) & self.column.val().get_bit(0) {
                self.crowds.next = self.crowds.val().replace_bit(4 * i, true);
            }
        }
        for j in 0..((W + 2) / 4) {
            if self.of_row.val().get_bit(j) & self.column.val().get_bit(1) {
                self.crowds.next = self.crowds.val().replace_bit(4 * j + 1, true);
            }
        }
        for k in 0..((W + 1) / 4) {
            if self.of_row.val().get_bit(k) & self.column.val().get_bit(2) {
                self.crowds.next = self.crowds.val().replace_bit(4 * k + 2, true);
            }
        }
        for l in 0..((W + 0) / 4) {
            if self.of_row.val().get_bit(l) & self.column.val().get_bit(3) {
                self.crowds.next = self.crowds.val().replace_bit(4 * l + 3, true);
            }
        }
    }
}
