// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of two operations in alternating registers.
//!
//! *Reads:* `push` with an operation, `pop`. *Writes:* `valid` and the oldest operation (a gate); whether there are two operations,
//! in this cycle and in the next; the warp of the operation that is the oldest in the next cycle, once for no `pop` in this cycle
//! and once for a `pop`. *Latency:* one cycle from `push` when empty. Implements the queue in *State* of
//! `docs/contract/mem_order.md`. The caller pushes only while an entry is free.
//!
//! `pop` arrives late in the cycle. So `pop` changes only flags; the write enables of the registers for operations do not depend on `pop`.

use super::payloads::FoldedOp;
use crate::prelude::*;

/// Sizes as in [`WarpOp`].
#[block]
pub struct Front<W, LW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, FoldedOp<W, LW, LC, VW>>,
    pub pop: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, FoldedOp<W, LW, LC, VW>>,
    /// The queue has two operations.
    pub full: Signal<Out, Bit>,
    /// The queue will have two operations in the next cycle.
    pub full_next: Signal<Out, Bit>,
    /// Warp of the operation that is the oldest in the next cycle, if there is no `pop` in this cycle.
    pub warp_without_pop: Signal<Out, Bits<LW>>,
    /// Warp of the operation that is the oldest in the next cycle, if there is a `pop` in this cycle.
    pub warp_with_pop: Signal<Out, Bits<LW>>,
    ops: [DFF<FoldedOp<W, LW, LC, VW>>; 2],
    /// The queue has an operation.
    #[reset]
    has_op: DFF<Bit>,
    /// The queue has two operations.
    #[reset]
    has_two: DFF<Bit>,
    /// Index of the register of the oldest operation.
    #[reset]
    oldest_index: DFF<Bit>,
    /// Index of the register that is written next.
    #[reset]
    write_index: DFF<Bit>,
    oldest: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    newest: Signal<Local, FoldedOp<W, LW, LC, VW>>,
}

#[block]
impl Logic for Front {
    fn update(&mut self) {
        // The outputs. The warp of the next oldest operation is output for both values of `pop`, because `pop` arrives late in the cycle.
        self.oldest.next = self.ops[0].q.val();
        self.newest.next = self.ops[1].q.val();
        if self.oldest_index.q.val() {
            self.oldest.next = self.ops[1].q.val();
            self.newest.next = self.ops[0].q.val();
        }
        self.head.next = self.oldest.val();
        self.valid.next = self.has_op.q.val();
        self.full.next = self.has_two.q.val();
        self.warp_without_pop.next = self.data.val().warp;
        if self.has_op.q.val() {
            self.warp_without_pop.next = self.oldest.val().warp;
        }
        self.warp_with_pop.next = self.data.val().warp;
        if self.has_two.q.val() {
            self.warp_with_pop.next = self.newest.val().warp;
        }

        // The free register is written in every cycle, with or without a push.
        for i in 0..2 {
            if !self.has_two.q.val() & (self.write_index.q.val() == (i == 1)) {
                self.ops[i].d.next = self.data.val();
            }
        }

        // The flags: each pop and each push moves on to the other register.
        self.oldest_index.d.next = self.oldest_index.q.val() ^ self.pop.val();
        self.write_index.d.next = self.write_index.q.val() ^ self.push.val();
        self.has_op.d.next = self.push.val() | self.has_two.q.val() | (self.has_op.q.val() & !self.pop.val());
        self.full_next.next = (self.has_two.q.val() | (self.has_op.q.val() & self.push.val())) & !self.pop.val();
        self.has_two.d.next = self.full_next.val();
    }
}
