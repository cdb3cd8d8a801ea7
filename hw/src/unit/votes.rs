// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a warp adds to a reduction: one number, made of its lanes' predicates.
//!
//! *Reads:* kind and reduction of the operation that leaves `gather`, the lanes that execute it and those whose predicate is true.
//! *Writes:* `value`. *Latency:* 0, no state. Implements the predicate of BAR.RED in spec 001 and of `bar.red` in spec 000.
//!
//! AND counts the other way round, whether a lane's predicate is false: then every reduction is a sum that starts at 0.

use crate::unit::op::{OpKind, RedOp};
use rust_hdl::prelude::*;

/// `L` lanes, counted in `VW` bits.
#[derive(LogicBlock, Default)]
pub struct Votes<const L: usize, const VW: usize> {
    pub kind: Signal<In, OpKind>,
    pub redop: Signal<In, RedOp>,
    pub lanes: Signal<In, Bits<L>>,
    /// Lanes whose predicate is true.
    pub yes: Signal<In, Bits<L>>,
    pub value: Signal<Out, Bits<VW>>,
    no: Signal<Local, Bits<L>>,
}

impl<const L: usize, const VW: usize> Logic for Votes<L, VW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.no.next = self.lanes.val() & !self.yes.val();
        self.value.next = 0.into();
        if self.kind.val() == OpKind::Reduce {
            if self.redop.val() == RedOp::Popc {
                for i in 0..L {
                    self.value.next = self.value.val() + self.yes.val().get_bit(i);
                }
            }
            if (self.redop.val() == RedOp::And) & self.no.val().any() {
                self.value.next = 1.into();
            }
            if (self.redop.val() == RedOp::Or) & self.yes.val().any() {
                self.value.next = 1.into();
            }
        }
    }
}
