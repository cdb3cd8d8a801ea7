// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The form of a parked operation in memory: only the fields that parked kinds have.

use super::payloads::{FoldedOp, OutputOp, ParkedOp};
use crate::prelude::*;
use bcu_isa::config::Config;

/// Whether a parked operation uses bits 31:18 of `shared_bits`. Operations on mbarriers and at the gateway use these bits.
/// Arrivals use them if the contribution, which starts at bit 12, has more than 6 bits (more than 32 lanes).
pub fn has_upper_bits(config: &Config) -> bool {
    config.has_mbarrier() || config.has_gateway() || config.lanes > 32
}

/// Converts an operation of the queue to its form as a parked operation: only the fields that parked kinds have.
///
/// *Reads:* an operation as the queue stores it. *Writes:* the operation in the form for the memory of parked operations. *Latency:* 0, no
/// state. Implements the parked operations of `docs/contract/mem_order.md`.
///
/// Sizes as in [`WarpOp`].
#[block]
pub struct ParkedForm<W, LW, LC, VW> {
    pub op: Signal<In, FoldedOp<W, LW, LC, VW>>,
    pub parked: Signal<Out, ParkedOp<LW, LC, VW>>,
}

#[block]
impl Logic for ParkedForm {
    fn update(&mut self) {
        let body = self.op.val().folded.body;
        self.parked.next.warp = self.op.val().warp;
        self.parked.next.body.kind = body.kind;
        self.parked.next.body.fault = body.fault;
        self.parked.next.body.uniform = body.uniform;
        self.parked.next.body.cta = body.cta;
        self.parked.next.body.id = body.id;
        self.parked.next.body.redop = body.redop;
        self.parked.next.body.state = body.state;
        self.parked.next.body.lower_bits = self.op.val().folded.body.shared_bits.get_bits::<18>(0);
        self.parked.next.upper_bits = self.op.val().folded.body.shared_bits.get_bits::<14>(18);
        self.parked.next.mbarrier_part.body = self.op.val().folded.mbarrier_body;
        self.parked.next.mbarrier_part.value = self.op.val().value;
    }
}

/// Converts a parked operation to the form of the register at `op`.
///
/// *Reads:* the parked operation that is picked; the oldest operation of the queue. *Writes:* the parked operation in the form of the
/// register. *Latency:* 0, no state. Implements the parked operations of `docs/contract/mem_order.md`.
///
/// A field that is not stored may have any value. It is taken from the oldest operation of the queue. The register at `op` takes that
/// operation if no parked operation is picked, so the field needs no gates that select between the two operations.
///
/// Sizes as in [`WarpOp`].
#[block]
pub struct UnparkedForm<W, LW, LC, VW> {
    pub parked: Signal<In, ParkedOp<LW, LC, VW>>,
    /// The operation from which the fields that are not stored are taken.
    pub other_op: Signal<In, FoldedOp<W, LW, LC, VW>>,
    pub op: Signal<Out, OutputOp<W, LW, LC, VW>>,
    upper_bits: Signal<Local, Bits<14>>,
    #[init(Constant::new(has_upper_bits(config)))]
    has_upper_bits: Constant<Bit>,
}

#[block]
impl Logic for UnparkedForm {
    fn update(&mut self) {
        let body = self.parked.val().body;
        self.op.next.folded = self.other_op.val().folded;
        self.op.next.folded.body.kind = body.kind;
        self.op.next.folded.body.fault = body.fault;
        self.op.next.folded.body.uniform = body.uniform;
        self.op.next.folded.body.cta = body.cta;
        self.op.next.folded.body.id = body.id;
        self.op.next.folded.body.redop = body.redop;
        self.op.next.folded.body.state = body.state;
        // Without `upper_store` these bits may have any value, because no unit reads them.
        self.upper_bits.next = self.other_op.val().folded.body.shared_bits.get_bits::<14>(18);
        if self.has_upper_bits.val() {
            self.upper_bits.next = self.parked.val().upper_bits;
        }
        self.op.next.folded.body.shared_bits =
            bit_cast::<32, 18>(self.parked.val().body.lower_bits) | (bit_cast::<32, 14>(self.upper_bits.val()) << 18);
        self.op.next.folded.mbarrier_body = self.parked.val().mbarrier_part.body;
        self.op.next.value = self.parked.val().mbarrier_part.value;
        self.op.next.warp = self.parked.val().warp;
    }
}
