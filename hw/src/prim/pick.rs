// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lowest or the highest bit that is 1, as an index.
//!
//! *Reads:* the bits, and a mark for each of them. *Writes:* whether there is one, its index and its mark (of some bit if there is none).
//! *Latency:* 0, no state.
//!
//! A binary tree of pairs: as a chain over all bits it would be the longest path of the units that need it.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N = 2^A` bits, `N` at least 4.
#[block]
pub struct Pick<N, A> {
    pub bits: Signal<In, Bits<N>>,
    pub marks: Signal<In, Bits<N>>,
    pub found: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<A>>,
    pub mark: Signal<Out, Bit>,
    /// Nodes as in a heap: node 1 is the root, the children of node i are 2i and 2i + 1; the leaves are the bits themselves. Node 0 is
    /// what comes of all.
    some: [Signal<Local, Bit>; N],
    at: [Signal<Local, Bits<A>>; N],
    marked: [Signal<Local, Bit>; N],
    highest: Constant<Bit>,
}

#[block]
impl Pick<N, A> {
    fn of(highest: bool) -> Self {
        assert!(N == 1 << A && N >= 4);
        Pick { highest: Constant::new(highest), ..Default::default() }
    }

    /// The lowest bit.
    pub fn lowest() -> Self {
        Self::of(false)
    }

    /// The highest bit.
    pub fn highest() -> Self {
        Self::of(true)
    }
}

#[block]
impl Logic for Pick<N, A> {
    fn update(&mut self) {
        for n in N..(N + 1) {
            for k in 1_usize..(N / 2 + 1) {
                self.some[n - k].next = self.bits.val().get_bit(n - 2 * k) | self.bits.val().get_bit(n - 2 * k + 1);
                self.at[n - k].next = (n - 2 * k).to_bits();
                self.marked[n - k].next = self.marks.val().get_bit(n - 2 * k);
                if self.bits.val().get_bit(n - 2 * k + 1) & (self.highest.val() | !self.bits.val().get_bit(n - 2 * k)) {
                    self.at[n - k].next = (n - 2 * k + 1).to_bits();
                    self.marked[n - k].next = self.marks.val().get_bit(n - 2 * k + 1);
                }
            }
            for j in (N / 2 + 1)..N {
                self.some[n - j].next = self.some[2 * (n - j)].val() | self.some[2 * (n - j) + 1].val();
                self.at[n - j].next = self.at[2 * (n - j)].val();
                self.marked[n - j].next = self.marked[2 * (n - j)].val();
                if self.some[2 * (n - j) + 1].val() & (self.highest.val() | !self.some[2 * (n - j)].val()) {
                    self.at[n - j].next = self.at[2 * (n - j) + 1].val();
                    self.marked[n - j].next = self.marked[2 * (n - j) + 1].val();
                }
            }
        }
        self.some[0].next = self.some[1].val();
        self.at[0].next = self.at[1].val();
        self.marked[0].next = self.marked[1].val();
        self.found.next = self.some[0].val();
        self.index.next = self.at[0].val();
        self.mark.next = self.marked[0].val();
    }
}
