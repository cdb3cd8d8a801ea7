// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contribution of an arrival to the sum of its row.
//!
//! *Reads:* whether the operation is a Reduce; its kind of reduction; the value of its warp. *Writes:* the contribution, and whether
//! it is added or ORed. *Latency:* 0, no state. Implements the reductions of BAR_RED in spec 001.
//!
//! POPC adds the number of lanes whose predicate is true. AND and OR contribute one bit, which is ORed into bit 0 of the sum. For
//! AND the bit is 1 if a predicate is false, for OR if a predicate is true.

use crate::prelude::*;

/// Sizes: sums of a reduction of `AW` bits, contributions of a warp to a reduction of `VW` bits.
#[block]
pub struct Contribution<AW, VW> {
    /// The operation is a Reduce. Always 0 in a configuration without reductions.
    pub reduces: Signal<In, Bit>,
    pub redop: Signal<In, RedOp>,
    /// POPC: number of lanes whose predicate is true. AND, OR: bit 0 is the contribution of the warp.
    pub value: Signal<In, Bits<VW>>,
    pub reduction: Signal<Out, Reduction>,
    pub contribution: Signal<Out, Bits<AW>>,
    /// The contribution is ORed into bit 0 of the sum, not added.
    pub merges: Signal<Out, Bit>,
}

#[block]
impl Logic for Contribution {
    fn update(&mut self) {
        self.reduction.next = Reduction::None;
        self.contribution.next = 0.into();
        self.merges.next = false;
        if self.reduces.val() {
            if self.redop.val() == RedOp::Popc {
                self.reduction.next = Reduction::Popc;
                self.contribution.next = bit_cast::<AW, VW>(self.value.val());
            } else {
                self.reduction.next = Reduction::And;
                if self.redop.val() == RedOp::Or {
                    self.reduction.next = Reduction::Or;
                }
                if self.value.val().get_bit(0) {
                    self.contribution.next = 1.into();
                    self.merges.next = true;
                }
            }
        }
    }
}
