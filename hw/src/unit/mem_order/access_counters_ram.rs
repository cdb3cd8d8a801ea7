// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of outstanding accesses of each warp by epoch, for at most one issued and one performed access a cycle: in memory.
//!
//! *Reads:* the access that is issued, and the one that is performed, at entry and one cycle later; the warp to look up. *Writes:*
//! for the warp that was looked up in the cycle before, which numbers are not 0 and which are high; which warp reaches its access
//! limit. *Latency:* 1 from the look-up to its result, 2 from a strobe to `reach_limit`. Implements the numbers of
//! `docs/contract/mem_order.md`.
//!
//! Accesses issued and accesses performed are counted in separate memories, each with one writer: a word per warp with the
//! numbers of both epochs. The difference is the number outstanding. Each memory is built once for every address at which it is
//! read. After a reset all words are cleared one after another, by the path that writes the last value again, which is then 0.

use super::accesses::Access;
use crate::prelude::*;

/// Numbers of accesses by epoch.
#[payload]
pub struct Numbers<OB> {
    /// In epoch 0.
    pub even: Bits<OB>,
    /// In epoch 1.
    pub odd: Bits<OB>,
}

/// `W` warps of `LW` bits, numbers of `OB` bits.
#[block]
pub struct AccessCountersRam<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The access that is issued in this cycle.
    pub issues: Signal<In, Access<LW>>,
    /// The access that is performed in this cycle.
    pub performs: Signal<In, Access<LW>>,
    /// The access issued in the cycle before.
    pub issued: Signal<In, Access<LW>>,
    /// The access performed in the cycle before.
    pub performed: Signal<In, Access<LW>>,
    /// The warp to look up.
    pub asked: Signal<In, Bits<LW>>,
    /// For the warp looked up in the cycle before, by epoch: an access is outstanding.
    pub busy: [Signal<Out, Bit>; 2],
    /// For the warp looked up in the cycle before, by epoch: the number is high, so another access may exceed the limit.
    pub high: [Signal<Out, Bit>; 2],
    /// The warp of `issued`, one-hot, if its number is high with this access: the warp reaches its access limit.
    pub reach_limit: Signal<Out, Bits<W>>,
    /// For the warp of `issued`: accesses issued, this one included.
    pub issued_next: Signal<Out, Numbers<OB>>,
    /// For the warp of `issued`: accesses performed, without the one of the cycle before.
    pub issuer_performed: Signal<Out, Numbers<OB>>,
    /// For the warp of `performed`: accesses performed, this one included.
    pub performed_next: Signal<Out, Numbers<OB>>,
    /// Accesses issued: read at the warp that issues, and at the one that is looked up.
    ups: [Store<Packed<Numbers<OB>>, LW>; 2],
    /// Accesses performed: read at the warp whose access is performed, the one that issues, the one that is looked up.
    downs: [Store<Packed<Numbers<OB>>, LW>; 3],
    /// The word of `ups` that was written last.
    #[reset]
    up_before: DFF<Numbers<OB>>,
    /// The word of `downs` that was written last.
    #[reset]
    down_before: DFF<Numbers<OB>>,
    /// By read address: the word read was not written at the same edge.
    #[reset]
    up_fresh: [DFF<Bit>; 2],
    /// By read address: the word read was not written at the same edge.
    #[reset]
    down_fresh: [DFF<Bit>; 3],
    up_written: Signal<Local, Bit>,
    down_written: Signal<Local, Bit>,
    /// By read address: accesses issued.
    up: [Signal<Local, Numbers<OB>>; 2],
    /// By read address: accesses performed.
    down: [Signal<Local, Numbers<OB>>; 3],
    up_next: Signal<Local, Numbers<OB>>,
    down_next: Signal<Local, Numbers<OB>>,
    counts_up: Signal<Local, Bits<2>>,
    counts_down: Signal<Local, Bits<2>>,
    /// Number of accesses outstanding of the warp of `issued`, without this one.
    issuer: Signal<Local, Numbers<OB>>,
    /// Number of accesses outstanding of the warp that was looked up.
    looked: Signal<Local, Numbers<OB>>,
    /// With this access the number is high.
    fills: Signal<Local, Bit>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    of_row: Signal<Local, Bits<W>>,
    column: Signal<Local, Bits<4>>,
    no_column: Constant<Bits<4>>,
    no_warps: Constant<Bits<W>>,
    /// The highest number that is not high.
    room: Constant<Bits<OB>>,
}

#[block]
impl AccessCountersRam<W, LW, OB> {
    /// Counters with a limit of `most` outstanding accesses.
    pub fn up_to(most: usize) -> Self {
        AccessCountersRam { room: Constant::new((most as u64 - 2).into()), ..Default::default() }
    }
}

#[block]
impl Logic for AccessCountersRam<W, LW, OB> {
    fn update(&mut self) {
        // The words are read when the accesses enter; a word that is written at the same edge is forwarded.
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

        // The new numbers.
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
        self.issued_next.next = self.up_next.val();
        self.issuer_performed.next = self.down[1].val();
        self.performed_next.next = self.down_next.val();

        // The look-up.
        self.looked.next.even = self.up[1].val().even - self.down[2].val().even;
        self.looked.next.odd = self.up[1].val().odd - self.down[2].val().odd;
        self.busy[0].next = self.up[1].val().even != self.down[2].val().even;
        self.busy[1].next = self.up[1].val().odd != self.down[2].val().odd;
        self.high[0].next = self.looked.val().even > self.room.val();
        self.high[1].next = self.looked.val().odd > self.room.val();

        // The warp that may be at the limit when it next issues. A number with all bits 1 wraps to 0, which is not high. The mask
        // is built by rows of four warps, so that few gates follow the numbers.
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
        self.reach_limit.next = 0.into();
        for i in 0..((W + 3) / 4) {
            if self.of_row.val().get_bit(i) & self.column.val().get_bit(0) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * i, true);
            }
        }
        for j in 0..((W + 2) / 4) {
            if self.of_row.val().get_bit(j) & self.column.val().get_bit(1) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * j + 1, true);
            }
        }
        for k in 0..((W + 1) / 4) {
            if self.of_row.val().get_bit(k) & self.column.val().get_bit(2) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * k + 2, true);
            }
        }
        for l in 0..((W + 0) / 4) {
            if self.of_row.val().get_bit(l) & self.column.val().get_bit(3) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * l + 3, true);
            }
        }
    }
}
