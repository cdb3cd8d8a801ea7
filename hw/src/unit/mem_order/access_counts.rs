// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts accesses by warp and epoch, at most one a cycle: a memory with one write address and any number of read addresses.
//!
//! *Reads:* the access that enters, and again one cycle later; other warps to look up. *Writes:* for the warp of the access the
//! numbers before and after that access is counted; the numbers of each other warp that was looked up in the previous cycle.
//! *Latency:* 1 from a warp to its numbers, which count the accesses that entered before the cycle of the look-up, but not an
//! access that enters in that cycle. Implements the numbers of accesses in `docs/contract/mem_order.md`.
//!
//! The memory has a word per warp, with the numbers of both epochs, and is built once for each read address. A word that is written
//! at the clock edge at which it is read is forwarded from `last_written`. An access with `clears` writes the value of
//! `last_written` again, which is 0 after a reset.

use super::payloads::{Access, Numbers};
use crate::prelude::*;

/// Warps with numbers of `LW` bits, counts of accesses of `OB` bits, `R` read addresses besides that of the access.
#[block]
pub struct AccessCounts<LW, OB, R> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The access of this cycle.
    pub entering: Signal<In, Access<LW>>,
    /// The access of the previous cycle.
    pub entered: Signal<In, Access<LW>>,
    /// Other warps to look up.
    pub read_warps: [Signal<In, Bits<LW>>; R],
    /// For the warp named in `entered`: the numbers before that access is counted.
    pub entered_counts: Signal<Out, Numbers<OB>>,
    /// For the warp named in `entered`: the numbers after that access is counted.
    pub next_counts: Signal<Out, Numbers<OB>>,
    /// By read address: the numbers of the warp looked up in the previous cycle.
    pub read_counts: [Signal<Out, Numbers<OB>>; R],
    /// The memory that is read for the warp named in `entering`.
    entering_store: Store<Packed<Numbers<OB>>, LW>,
    /// By read address: the memory that is read at that address.
    read_stores: [Store<Packed<Numbers<OB>>, LW>; R],
    /// The word that was written last.
    #[reset]
    last_written: DFF<Numbers<OB>>,
    /// The word read for the warp named in `entering` was not written at the clock edge of the read: it is valid.
    #[reset]
    entering_read_valid: DFF<Bit>,
    /// By read address: the word was not written at the clock edge of the read: it is valid.
    #[reset]
    read_valid: [DFF<Bit>; R],
    /// The word of the warp named in `entered` is written.
    writes: Signal<Local, Bit>,
    /// `entered` is an access of epoch 0.
    counts_even: Signal<Local, Bit>,
    /// `entered` is an access of epoch 1.
    counts_odd: Signal<Local, Bit>,
}

#[block]
impl Logic for AccessCounts {
    fn update(&mut self) {
        let entering = self.entering.val();
        let entered = self.entered.val();
        self.writes.next = entered.valid | entered.clears;

        // The words that are read.
        self.entering_store.read_address.next = entering.warp;
        self.entering_read_valid.d.next = !entering.clears & !(self.writes.val() & (entering.warp == entered.warp));
        self.entered_counts.next = self.last_written.q.val();
        if self.entering_read_valid.q.val() {
            self.entered_counts.next = self.entering_store.read_value.val().into();
        }
        for i in 0..R {
            self.read_stores[i].read_address.next = self.read_warps[i].val();
            self.read_valid[i].d.next = !(self.writes.val() & (self.read_warps[i].val() == self.entered.val().warp));
            self.read_counts[i].next = self.last_written.q.val();
            if self.read_valid[i].q.val() {
                self.read_counts[i].next = self.read_stores[i].read_value.val().into();
            }
        }

        // The word that is written.
        self.counts_even.next = entered.valid & !entered.epoch;
        self.counts_odd.next = entered.valid & entered.epoch;
        self.next_counts.next.even = self.entered_counts.val().even + self.counts_even.val();
        self.next_counts.next.odd = self.entered_counts.val().odd + self.counts_odd.val();
        self.entering_store.write.next = self.writes.val();
        self.entering_store.write_address.next = entered.warp;
        self.entering_store.write_value.next = self.next_counts.val().into();
        for k in 0..R {
            self.read_stores[k].write.next = self.writes.val();
            self.read_stores[k].write_address.next = self.entered.val().warp;
            self.read_stores[k].write_value.next = self.next_counts.val().into();
        }
        self.last_written.d.next = self.next_counts.val();
    }
}
