// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the warp that reaches its access limit into a one-hot mask.
//!
//! *Reads:* the warp of an access that is issued; whether the number of outstanding accesses of that warp is near the limit,
//! including that access. *Writes:* the mask. *Latency:* 0, no state. Implements the access limit of `docs/contract/mem_order.md`.
//!
//! The warps form a matrix with four columns. The row of the warp is decoded early, and `is_near_limit`, which is late in the
//! cycle, gates only the four columns.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits.
#[block]
pub struct LimitMask<W, LW> {
    /// An access is issued.
    pub valid: Signal<In, Bit>,
    /// The warp of the access.
    pub warp: Signal<In, Bits<LW>>,
    /// The number of outstanding accesses of the warp is near the limit, including this access.
    pub is_near_limit: Signal<In, Bit>,
    pub reach_limit: Signal<Out, Bits<W>>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    /// The row of the warp, one-hot, if `valid`.
    warp_row: Signal<Local, Bits<W>>,
    /// The column of the warp, one-hot, if `is_near_limit`.
    warp_column: Signal<Local, Bits<4>>,
    no_column: Constant<Bits<4>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for LimitMask {
    fn update(&mut self) {
        self.row_number.next = self.warp.val() >> 2;
        self.column_number.next = self.warp.val().get_bits::<2>(0);
        self.warp_row.next = self.no_warps.val().with(self.row_number.val(), self.valid.val());
        self.warp_column.next = 0.into();
        if self.is_near_limit.val() {
            self.warp_column.next = self.no_column.val().with(self.column_number.val(), true);
        }

        // One loop per column, because the last row may be incomplete.
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
