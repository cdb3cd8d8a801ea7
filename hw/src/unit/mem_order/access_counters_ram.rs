// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of outstanding accesses of each warp by epoch, for at most one issued and one performed access a cycle: in memory.
//!
//! *Reads:* the access that is issued, and the one that is performed, at entry and one cycle later; the warp to look up. *Writes:*
//! for the warp that was looked up in the cycle before, which numbers are not 0 and which are near the limit; which warp reaches
//! its access limit. *Latency:* 1 from the look-up to its result, 2 from a strobe to `reach_limit`. Implements the numbers of
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
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// For the warp looked up in the cycle before, by epoch: an access is outstanding.
    pub busy: [Signal<Out, Bit>; 2],
    /// For the warp looked up in the cycle before, by epoch: the number is near the limit, which another access may exceed.
    pub near_limit: [Signal<Out, Bit>; 2],
    /// The warp of `issued`, one-hot, if its number is near the limit with this access: the warp reaches its access limit.
    pub reach_limit: Signal<Out, Bits<W>>,
    /// For the warp of `issued`: accesses issued, this one included.
    pub issued_next: Signal<Out, Numbers<OB>>,
    /// For the warp of `issued`: accesses performed, without the one of the cycle before.
    pub issuer_performed: Signal<Out, Numbers<OB>>,
    /// For the warp of `performed`: accesses performed, this one included.
    pub performed_next: Signal<Out, Numbers<OB>>,
    /// Accesses issued: read at the warp that issues, and at the one that is looked up.
    issued_stores: [Store<Packed<Numbers<OB>>, LW>; 2],
    /// Accesses performed: read at the warp whose access is performed, the one that issues, the one that is looked up.
    performed_stores: [Store<Packed<Numbers<OB>>, LW>; 3],
    /// The word of `issued_stores` that was written last.
    #[reset]
    last_issued: DFF<Numbers<OB>>,
    /// The word of `performed_stores` that was written last.
    #[reset]
    last_performed: DFF<Numbers<OB>>,
    /// By read address: the word read was not written at the same edge.
    #[reset]
    issued_read_valid: [DFF<Bit>; 2],
    /// By read address: the word read was not written at the same edge.
    #[reset]
    performed_read_valid: [DFF<Bit>; 3],
    issued_written: Signal<Local, Bit>,
    performed_written: Signal<Local, Bit>,
    /// By read address: accesses issued.
    issued_counts: [Signal<Local, Numbers<OB>>; 2],
    /// By read address: accesses performed.
    performed_counts: [Signal<Local, Numbers<OB>>; 3],
    issued_sums: Signal<Local, Numbers<OB>>,
    performed_sums: Signal<Local, Numbers<OB>>,
    issued_increments: Signal<Local, Bits<2>>,
    performed_increments: Signal<Local, Bits<2>>,
    /// Number of accesses outstanding of the warp of `issued`, without this one.
    issuer_outstanding: Signal<Local, Numbers<OB>>,
    /// Number of accesses outstanding of the warp that was looked up.
    looked_up_outstanding: Signal<Local, Numbers<OB>>,
    /// With this access the number is near the limit.
    is_near_limit: Signal<Local, Bit>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    warp_row: Signal<Local, Bits<W>>,
    warp_column: Signal<Local, Bits<4>>,
    no_column: Constant<Bits<4>>,
    no_warps: Constant<Bits<W>>,
    /// The highest number that is not near the limit.
    last_safe_count: Constant<Bits<OB>>,
}

#[block]
impl AccessCountersRam<W, LW, OB> {
    /// Counters with a limit of `most` outstanding accesses.
    pub fn up_to(most: usize) -> Self {
        AccessCountersRam { last_safe_count: Constant::new((most as u64 - 2).into()), ..Default::default() }
    }
}

#[block]
impl Logic for AccessCountersRam<W, LW, OB> {
    fn update(&mut self) {
        // The words are read when the accesses enter; a word that is written at the same edge is forwarded.
        self.issued_written.next = self.issued.val().valid | self.issued.val().clears;
        self.performed_written.next = self.performed.val().valid | self.performed.val().clears;
        self.issued_stores[0].read_address.next = self.issues.val().warp;
        self.issued_stores[1].read_address.next = self.lookup_warp.val();
        self.performed_stores[0].read_address.next = self.performs.val().warp;
        self.performed_stores[1].read_address.next = self.issues.val().warp;
        self.performed_stores[2].read_address.next = self.lookup_warp.val();
        self.issued_read_valid[0].d.next =
            !self.issues.val().clears & !(self.issued_written.val() & (self.issues.val().warp == self.issued.val().warp));
        self.issued_read_valid[1].d.next = !(self.issued_written.val() & (self.lookup_warp.val() == self.issued.val().warp));
        self.performed_read_valid[0].d.next = !self.performs.val().clears
            & !(self.performed_written.val() & (self.performs.val().warp == self.performed.val().warp));
        self.performed_read_valid[1].d.next =
            !(self.performed_written.val() & (self.issues.val().warp == self.performed.val().warp));
        self.performed_read_valid[2].d.next =
            !(self.performed_written.val() & (self.lookup_warp.val() == self.performed.val().warp));
        for i in 0..2 {
            self.issued_counts[i].next = self.last_issued.q.val();
            if self.issued_read_valid[i].q.val() {
                self.issued_counts[i].next = self.issued_stores[i].read_value.val().into();
            }
        }
        for j in 0..3 {
            self.performed_counts[j].next = self.last_performed.q.val();
            if self.performed_read_valid[j].q.val() {
                self.performed_counts[j].next = self.performed_stores[j].read_value.val().into();
            }
        }

        // The new numbers.
        self.issued_increments.next = 0.into();
        self.issued_increments.next =
            self.issued_increments.val().replace_bit(0, self.issued.val().valid & !self.issued.val().epoch);
        self.issued_increments.next =
            self.issued_increments.val().replace_bit(1, self.issued.val().valid & self.issued.val().epoch);
        self.performed_increments.next = 0.into();
        self.performed_increments.next =
            self.performed_increments.val().replace_bit(0, self.performed.val().valid & !self.performed.val().epoch);
        self.performed_increments.next =
            self.performed_increments.val().replace_bit(1, self.performed.val().valid & self.performed.val().epoch);
        self.issued_sums.next.even = self.issued_counts[0].val().even + self.issued_increments.val().get_bit(0);
        self.issued_sums.next.odd = self.issued_counts[0].val().odd + self.issued_increments.val().get_bit(1);
        self.performed_sums.next.even = self.performed_counts[0].val().even + self.performed_increments.val().get_bit(0);
        self.performed_sums.next.odd = self.performed_counts[0].val().odd + self.performed_increments.val().get_bit(1);
        for k in 0..2 {
            self.issued_stores[k].write.next = self.issued_written.val();
            self.issued_stores[k].write_address.next = self.issued.val().warp;
            self.issued_stores[k].write_value.next = self.issued_sums.val().into();
        }
        for n in 0..3 {
            self.performed_stores[n].write.next = self.performed_written.val();
            self.performed_stores[n].write_address.next = self.performed.val().warp;
            self.performed_stores[n].write_value.next = self.performed_sums.val().into();
        }
        self.last_issued.d.next = self.issued_sums.val();
        self.last_performed.d.next = self.performed_sums.val();
        self.issued_next.next = self.issued_sums.val();
        self.issuer_performed.next = self.performed_counts[1].val();
        self.performed_next.next = self.performed_sums.val();

        // The look-up.
        self.looked_up_outstanding.next.even = self.issued_counts[1].val().even - self.performed_counts[2].val().even;
        self.looked_up_outstanding.next.odd = self.issued_counts[1].val().odd - self.performed_counts[2].val().odd;
        self.busy[0].next = self.issued_counts[1].val().even != self.performed_counts[2].val().even;
        self.busy[1].next = self.issued_counts[1].val().odd != self.performed_counts[2].val().odd;
        self.near_limit[0].next = self.looked_up_outstanding.val().even > self.last_safe_count.val();
        self.near_limit[1].next = self.looked_up_outstanding.val().odd > self.last_safe_count.val();

        // The warp that may be at the limit when it next issues. A number with all bits 1 wraps to 0, which is not near the limit.
        // The mask is built by rows of four warps, so that few gates follow the numbers.
        self.issuer_outstanding.next.even = self.issued_counts[0].val().even - self.performed_counts[1].val().even;
        self.issuer_outstanding.next.odd = self.issued_counts[0].val().odd - self.performed_counts[1].val().odd;
        self.is_near_limit.next =
            (self.issuer_outstanding.val().even >= self.last_safe_count.val()) & !self.issuer_outstanding.val().even.all();
        if self.issued.val().epoch {
            self.is_near_limit.next =
                (self.issuer_outstanding.val().odd >= self.last_safe_count.val()) & !self.issuer_outstanding.val().odd.all();
        }
        self.row_number.next = self.issued.val().warp >> 2;
        self.column_number.next = self.issued.val().warp.get_bits::<2>(0);
        self.warp_row.next = self.no_warps.val().with(self.row_number.val(), self.issued.val().valid);
        self.warp_column.next = 0.into();
        if self.is_near_limit.val() {
            self.warp_column.next = self.no_column.val().with(self.column_number.val(), true);
        }
        self.reach_limit.next = 0.into();
        for i in 0..((W + 3) / 4) {
            if self.warp_row.val().get_bit(i) & self.warp_column.val().get_bit(0) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * i, true);
            }
        }
        for j in 0..((W + 2) / 4) {
            if self.warp_row.val().get_bit(j) & self.warp_column.val().get_bit(1) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * j + 1, true);
            }
        }
        for k in 0..((W + 1) / 4) {
            if self.warp_row.val().get_bit(k) & self.warp_column.val().get_bit(2) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * k + 2, true);
            }
        }
        for l in 0..((W + 0) / 4) {
            if self.warp_row.val().get_bit(l) & self.warp_column.val().get_bit(3) {
                self.reach_limit.next = self.reach_limit.val().replace_bit(4 * l + 3, true);
            }
        }
    }
}
