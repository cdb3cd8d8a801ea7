// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the CTAs of one grid that have not issued launch_dependents, and those that have issued it and not ended.
//!
//! *Reads:* which multiprocessors report a CTA that has issued, or ended; the number of CTAs of a new grid. *Writes:* whether all
//! CTAs have issued, and whether all have ended. *Latency:* 1 to the counts, 2 to these outputs. Implements *Counts* of
//! `docs/contract/grids.md`.

use crate::prelude::*;

/// `M` multiprocessors, at most 64.
#[block]
pub struct GridCount<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors that report a CTA of this grid that has issued.
    pub issues: Signal<In, Bits<M>>,
    /// Multiprocessors that report a CTA of this grid that has ended.
    pub ends: Signal<In, Bits<M>>,
    /// The grid is opened in this cycle.
    pub opens: Signal<In, Bit>,
    /// Number of CTAs of the grid that is opened.
    pub ctas: Signal<In, Bits<32>>,
    /// All CTAs have issued.
    pub all_issued: Signal<Out, Bit>,
    /// All CTAs have ended.
    pub all_ended: Signal<Out, Bit>,
    /// Number of CTAs that have not issued.
    #[reset]
    unissued: DFF<Bits<32>>,
    /// Number of CTAs that have issued and not ended: at most as many as the multiprocessors hold, 64 each.
    #[reset]
    running: DFF<Bits<13>>,
    /// All CTAs have issued.
    #[reset]
    issued: DFF<Bit>,
    /// All CTAs have ended.
    #[reset]
    ended: DFF<Bit>,
    /// Number of ones in `issues`.
    more: Signal<Local, Bits<7>>,
    /// Number of ones in `ends`.
    fewer: Signal<Local, Bits<7>>,
    /// `running` with the CTAs that issue now.
    sum: Signal<Local, Bits<13>>,
    /// All CTAs have issued.
    none_left: Signal<Local, Bit>,
}

#[block]
impl Logic for GridCount<M> {
    fn update(&mut self) {
        self.more.next = 0.into();
        self.fewer.next = 0.into();
        for i in 0..M {
            self.more.next = self.more.val() + self.issues.val().get_bit(i);
            self.fewer.next = self.fewer.val() + self.ends.val().get_bit(i);
        }
        self.unissued.d.next = self.unissued.q.val() - bit_cast::<32, 7>(self.more.val());
        self.sum.next = self.running.q.val() + bit_cast::<13, 7>(self.more.val());
        self.running.d.next = self.sum.val() - bit_cast::<13, 7>(self.fewer.val());
        self.none_left.next = !self.unissued.q.val().any();
        self.issued.d.next = self.none_left.val();
        self.ended.d.next = self.none_left.val() & !self.running.q.val().any();
        if self.opens.val() {
            self.unissued.d.next = self.ctas.val();
            self.running.d.next = 0.into();
            // `issued` may be wrong in the next cycle, which does not matter: no grid can depend yet on one that is opened now.
            self.ended.d.next = false;
        }
        self.all_issued.next = self.issued.q.val();
        self.all_ended.next = self.ended.q.val();
    }
}
