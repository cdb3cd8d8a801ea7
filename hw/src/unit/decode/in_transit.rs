// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mask of warps with an operation in transit: an instruction was taken by `decode`, and its operation is not yet absorbed by
//! `gather`, parked or in effect.
//!
//! *Reads:* the instruction that is taken, and one cycle later whether it becomes an operation; the warps whose operation is done.
//! *Writes:* the warps with an operation in transit. *Latency:* 1. Implements `in_decode` of `docs/contract/decode.md`.
//!
//! The warp of an instruction is marked from registers, one cycle after the instruction was taken. The warp number is decoded as a
//! row of four warps and a column in the row: two small decoders take fewer gates than a full decoder.

use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits.
#[block]
pub struct InTransit<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An instruction is accepted; the payload is its warp.
    pub accepted_warp: StrobeIn<Bits<LW>>,
    /// The instruction that was taken last becomes an operation.
    pub becomes_op: Signal<In, Bit>,
    /// Warps whose operation is absorbed by `gather`, is parked or takes effect.
    pub op_done: Signal<In, Bits<W>>,
    /// Warps with an operation in transit.
    pub warps: Signal<Out, Bits<W>>,
    /// Warps with an operation in transit, except the warp of an instruction that was taken in the previous cycle.
    #[reset]
    earlier_warps: DFF<Bits<W>>,
    /// One-hot: the row of four warps with the warp of the instruction that was at the input in the previous cycle.
    warp_row_q: DFF<Bits<W>>,
    /// One-hot: the column of this warp in its row of four; 0 if no instruction was taken in the previous cycle.
    #[reset]
    warp_column_q: DFF<Bits<4>>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    warp_column: Signal<Local, Bits<4>>,
    marked_warps: Signal<Local, Bits<W>>,
    no_column: Constant<Bits<4>>,
    no_warp: Constant<Bits<W>>,
}

#[block]
impl Logic for InTransit {
    fn update(&mut self) {
        // The row and the column of the warp, into registers.
        self.row_number.next = self.accepted_warp.payload.val() >> 2;
        self.column_number.next = self.accepted_warp.payload.val().get_bits::<2>(0);
        self.warp_row_q.d.next = self.no_warp.val().with(self.row_number.val(), true);
        self.warp_column.next = 0.into();
        if self.accepted_warp.valid.val() {
            self.warp_column.next = self.no_column.val().with(self.column_number.val(), true);
        }
        self.warp_column_q.d.next = self.warp_column.val();

        // The warp is added one cycle later, if its instruction becomes an operation. One loop per column, because the last row may
        // be incomplete.
        self.marked_warps.next = self.earlier_warps.q.val();
        for i in 0..((W + 3) / 4) {
            if self.warp_row_q.q.val().get_bit(i) & (self.warp_column_q.q.val().get_bit(0) & self.becomes_op.val()) {
                self.marked_warps.next = self.marked_warps.val().replace_bit(4 * i, true);
            }
        }
        for j in 0..((W + 2) / 4) {
            if self.warp_row_q.q.val().get_bit(j) & (self.warp_column_q.q.val().get_bit(1) & self.becomes_op.val()) {
                self.marked_warps.next = self.marked_warps.val().replace_bit(4 * j + 1, true);
            }
        }
        for k in 0..((W + 1) / 4) {
            if self.warp_row_q.q.val().get_bit(k) & (self.warp_column_q.q.val().get_bit(2) & self.becomes_op.val()) {
                self.marked_warps.next = self.marked_warps.val().replace_bit(4 * k + 2, true);
            }
        }
        for l in 0..((W + 0) / 4) {
            if self.warp_row_q.q.val().get_bit(l) & (self.warp_column_q.q.val().get_bit(3) & self.becomes_op.val()) {
                self.marked_warps.next = self.marked_warps.val().replace_bit(4 * l + 3, true);
            }
        }
        self.earlier_warps.d.next = self.marked_warps.val() & !self.op_done.val();
        self.warps.next = self.marked_warps.val();
    }
}
