// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts accesses by warp and epoch, at most one a cycle: a memory with one writer, and with any number of read addresses.
//!
//! *Reads:* the access that enters, and again one cycle later; other warps to look up. *Writes:* for the warp of the access its
//! numbers without and with the access; for each other warp looked up in the cycle before its numbers. *Latency:* 1 from a warp to
//! its numbers, which include the accesses that entered before the cycle of the look-up, but not an access that enters in that
//! cycle. Implements the numbers of `docs/contract/mem_order.md`.
//!
//! The memory has a word per warp, with the numbers of both epochs, and is built once for every address at which it is read. A word
//! that is written at the edge at which it is read is forwarded. An access that `clears` writes `last_written` again, which is 0
//! after a reset.

use super::payloads::{Access, Numbers};
use crate::prelude::*;

/// Warp numbers of `LW` bits, numbers of `OB` bits, `R` other read addresses.
#[block]
pub struct AccessCounts<LW, OB, R> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The access of this cycle.
    pub entering: Signal<In, Access<LW>>,
    /// The access of the cycle before.
    pub entered: Signal<In, Access<LW>>,
    /// Other warps to look up.
    pub read_warps: [Signal<In, Bits<LW>>; R],
    /// For the warp of `entered`: the numbers without that access.
    pub entered_counts: Signal<Out, Numbers<OB>>,
    /// For the warp of `entered`: the numbers with that access.
    pub next_counts: Signal<Out, Numbers<OB>>,
    /// By read address: the numbers of the warp looked up in the cycle before.
    pub read_counts: [Signal<Out, Numbers<OB>>; R],
    /// The memory that is read at the warp of `entering`.
    entering_store: Store<Packed<Numbers<OB>>, LW>,
    /// By read address: the memory that is read at that address.
    read_stores: [Store<Packed<Numbers<OB>>, LW>; R],
    /// The word that was written last.
    #[reset]
    last_written: DFF<Numbers<OB>>,
    /// The word read at the warp of `entering` was not written at the same edge.
    #[reset]
    entering_read_valid: DFF<Bit>,
    /// By read address: the word read was not written at the same edge.
    #[reset]
    read_valid: [DFF<Bit>; R],
    /// The word of the warp of `entered` is written.
    writes: Signal<Local, Bit>,
    /// `entered` is an access of epoch 0.
    counts_even: Signal<Local, Bit>,
    /// `entered` is an access of epoch 1.
    counts_odd: Signal<Local, Bit>,
}

#[block]
impl Logic for AccessCounts<LW, OB, R> {
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
