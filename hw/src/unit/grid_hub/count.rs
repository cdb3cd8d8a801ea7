// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the CTAs of one grid that have not issued launch_dependents, and the CTAs that have issued launch_dependents and not ended.
//!
//! *Reads:* which multiprocessors report a CTA that has issued, or ended; the number of CTAs of a new grid. *Writes:* whether all
//! CTAs have issued, and whether all have ended. *Latency:* 1 to the counts, 2 to the outputs. Implements *Counts* of
//! `docs/contract/grids.md`.

use crate::prelude::*;

/// `M` multiprocessors, at most 64.
#[block]
pub struct GridCount<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors that report a CTA of this grid that has issued.
    pub issued_sources: Signal<In, Bits<M>>,
    /// Multiprocessors that report a CTA of this grid that has ended.
    pub ended_sources: Signal<In, Bits<M>>,
    /// The grid is opened in this cycle.
    pub opens: Signal<In, Bit>,
    /// Number of CTAs of the grid that is opened.
    pub grid_size: Signal<In, Bits<32>>,
    /// All CTAs have issued.
    pub all_issued: Signal<Out, Bit>,
    /// All CTAs have ended.
    pub all_ended: Signal<Out, Bit>,
    /// Number of CTAs that have not issued.
    #[reset]
    unissued_ctas: DFF<Bits<32>>,
    /// Number of CTAs that have issued and not ended: at most 64 for each multiprocessor.
    #[reset]
    running_ctas: DFF<Bits<13>>,
    /// All CTAs have issued.
    #[reset]
    all_issued_q: DFF<Bit>,
    /// All CTAs have ended.
    #[reset]
    all_ended_q: DFF<Bit>,
    /// Number of ones in `issued_sources`.
    issued_count: Signal<Local, Bits<7>>,
    /// Number of ones in `ended_sources`.
    ended_count: Signal<Local, Bits<7>>,
    /// `running_ctas` plus the CTAs that issue in this cycle.
    running_sum: Signal<Local, Bits<13>>,
    /// All CTAs have issued: `unissued_ctas` is 0.
    unissued_zero: Signal<Local, Bit>,
}

#[block]
impl Logic for GridCount {
    fn update(&mut self) {
        self.issued_count.next = 0.into();
        self.ended_count.next = 0.into();
        for i in 0..M {
            self.issued_count.next = self.issued_count.val() + self.issued_sources.val().get_bit(i);
            self.ended_count.next = self.ended_count.val() + self.ended_sources.val().get_bit(i);
        }
        self.unissued_ctas.d.next = self.unissued_ctas.q.val() - bit_cast::<32, 7>(self.issued_count.val());
        self.running_sum.next = self.running_ctas.q.val() + bit_cast::<13, 7>(self.issued_count.val());
        self.running_ctas.d.next = self.running_sum.val() - bit_cast::<13, 7>(self.ended_count.val());
        self.unissued_zero.next = !self.unissued_ctas.q.val().any();
        self.all_issued_q.d.next = self.unissued_zero.val();
        self.all_ended_q.d.next = self.unissued_zero.val() & !self.running_ctas.q.val().any();
        if self.opens.val() {
            self.unissued_ctas.d.next = self.grid_size.val();
            self.running_ctas.d.next = 0.into();
            // `all_issued_q` may be wrong in the next cycle. The wrong value has no effect, because no grid depends yet on a grid that
            // is opened in this cycle.
            self.all_ended_q.d.next = false;
        }
        self.all_issued.next = self.all_issued_q.q.val();
        self.all_ended.next = self.all_ended_q.q.val();
    }
}
