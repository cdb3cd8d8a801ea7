// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each warp's own result of its last reduction: a barrier may be used again before a slow warp has read what it gave.
//!
//! *Reads:* of the operation in its last cycle a completed reduction with the warps that wait; a Write to a warp's state; whose results
//! are forgotten. *Writes:* the result of its warp. *Latency:* 0 from warp to result, 1 from completion to result, so an operation right
//! behind the last arrival reads it. What was reduced is looked up a cycle before, so that a Read knows early whether it fails. Implements the result of BAR.RED and B2R.RESULT in spec 001.

use crate::prim::spread::Spread;
use rust_hdl::prelude::*;

/// `W` warps, results of `AW` bits.
#[derive(LogicBlock, Default)]
pub struct Results<const W: usize, const AW: usize> {
    pub clock: Signal<In, Clock>,
    /// The warp, or all that a release names; those of the operation behind.
    pub mask: Signal<In, Bits<W>>,
    pub next_mask: Signal<In, Bits<W>>,
    /// A generation is complete, the warps that waited go on, with what was reduced (0 = nothing) and its result.
    pub complete: Signal<In, Bit>,
    pub waiting: Signal<In, Bits<W>>,
    pub done: Signal<In, Bits<2>>,
    pub done_value: Signal<In, Bits<AW>>,
    /// The warp gets what its state word says.
    pub restored: Signal<In, Bit>,
    pub word: Signal<In, Bits<2>>,
    pub word_value: Signal<In, Bits<AW>>,
    /// The warps of `mask` have no result any more.
    pub forgotten: Signal<In, Bit>,
    pub reduction: Signal<Out, Bits<2>>,
    pub value: Signal<Out, Bits<AW>>,
    store: Spread<W, 2, AW>,
    next_reduction: DFF<Bits<2>>,
    takes: Signal<Local, Bits<W>>,
    behind: Signal<Local, Bits<W>>,
}

impl<const W: usize, const AW: usize> Logic for Results<W, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, next_reduction);
        self.store.clock.next = self.clock.val();
        self.store.select_0.next = self.next_mask.val();
        self.store.select_1.next = self.mask.val();
        self.takes.next = 0.into();
        if self.complete.val() & self.done.val().any() {
            self.takes.next = self.waiting.val();
        }
        self.store.write_0.next = self.done.val();
        self.store.write_1.next = self.done_value.val();
        if self.restored.val() {
            self.store.write_0.next = self.word.val();
            self.store.write_1.next = self.word_value.val();
        }
        // The value may stay: without a reduction nobody sees it.
        if self.forgotten.val() {
            self.store.write_0.next = 0.into();
        }
        if self.restored.val() | self.forgotten.val() {
            self.takes.next = self.takes.val() | self.mask.val();
        }
        self.store.write.next = self.takes.val();
        self.behind.next = self.takes.val() & self.next_mask.val();
        self.next_reduction.d.next = self.store.read_0.val();
        if self.behind.val().any() {
            self.next_reduction.d.next = self.store.write_0.val();
        }
        self.reduction.next = self.next_reduction.q.val();
        self.value.next = self.store.read_1.val();
    }
}
