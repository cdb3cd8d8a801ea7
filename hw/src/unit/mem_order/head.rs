// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue at the input: its oldest operation passes to `op`, is parked, leaves as a fence, or stays.
//!
//! *Reads:* the operation channel `in`; the channel `picked` with the parked operation that is picked; the decision on the oldest
//! operation. *Writes:* the operation channel `op`; the oldest operation, for the decision and for parking; the warp of the
//! operation that will be the oldest in the next cycle. *Latency:* 2 from `in` to `op`, 1 from `picked`: `op` is a register.
//! Implements the decisions on the head of `docs/contract/mem_order.md`.

use super::decide::{Decision, HeadOp};
use super::folded::{FoldOp, FoldedOp, ParkedOp, UnfoldOp};
use super::front::Front;
use crate::prelude::*;
use crate::unit::folded::Folded;

/// The operation at `op`.
#[payload]
pub struct OutputOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    pub value: Bits<VW>,
}

/// Sizes as in [`WarpOp`].
#[block]
pub struct Head<W, LW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<WarpOp<W, LW, LC, VW>>,
    /// The parked operation that is picked.
    pub picked: Sink<ParkedOp<LW, LC, VW>>,
    pub op: Source<OrderedOp<W, LW, LC, VW>>,
    pub parks: StrobeOut<ParkedOp<LW, LC, VW>>,
    /// Operations may be taken: after a reset all words have been cleared.
    pub words_cleared: Signal<In, Bit>,
    pub head_op: Signal<Out, HeadOp>,
    pub decision: Signal<In, Decision>,
    /// The decision on the oldest operation is made in this cycle.
    pub decided: Signal<In, Bit>,
    /// Prediction: there will be an oldest operation in the next cycle.
    pub predicted_valid: Signal<Out, Bit>,
    /// Prediction: the warp of that operation.
    pub predicted_warp: Signal<Out, Bits<LW>>,
    /// The prediction is right.
    pub prediction_right: Signal<Out, Bit>,
    #[init(FoldOp::new(config))]
    fold: FoldOp<W, LW, LC, VW>,
    #[init(UnfoldOp::new(config))]
    unfold: UnfoldOp<W, LW, LC, VW>,
    queue: Front<W, LW, LC, VW>,
    #[reset]
    ready: DFF<Bit>,
    /// The oldest operation may pass but the register at `op` was occupied: it passes next, whatever happens to its warp.
    #[reset]
    pass_pending: DFF<Bit>,
    /// The register at `op` is occupied.
    #[reset]
    op_full: DFF<Bit>,
    /// The operation in that register.
    output_op: DFF<OutputOp<W, LW, LC, VW>>,
    /// The register is free, or becomes free.
    op_free: Signal<Local, Bit>,
    /// The oldest operation.
    oldest_op: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    /// The prediction assumes that the oldest operation leaves.
    can_leave: Signal<Local, Bit>,
    upper_bits: Signal<Local, Bits<14>>,
    shared_bits: Signal<Local, Bits<32>>,
    /// The oldest operation is to pass.
    head_passes: Signal<Local, Bit>,
    /// The picked operation is to pass.
    picked_passes: Signal<Local, Bit>,
    #[init(Constant::new(config.has_mbarrier() || config.has_gateway()))]
    has_upper_bits: Constant<Bit>,
}

#[block]
impl Logic for Head<W, LW, LC, VW> {
    fn update(&mut self) {
        self.in_.ready.next = self.ready.q.val();
        self.fold.op.next = self.in_.payload.val();
        self.queue.push.next = self.in_.valid.val() & self.ready.q.val();
        self.queue.data.next = self.fold.folded.val();
        self.ready.d.next = self.words_cleared.val() & !self.queue.full_next.val();

        // The oldest operation, for the decision.
        self.oldest_op.next = self.queue.head.val();
        self.head_op.next.present = self.queue.valid.val() & !self.pass_pending.q.val();
        self.head_op.next.waits_for_parked = self.oldest_op.val().waits_for_parked;
        self.head_op.next.waits_for_accesses = self.oldest_op.val().waits_for_accesses;
        self.head_op.next.from_instr = self.oldest_op.val().from_instr;
        self.head_op.next.is_write = self.oldest_op.val().folded.body.kind == OpKind::Write;
        self.head_op.next.holds_warp = (self.oldest_op.val().folded.body.kind == OpKind::Sync)
            | (self.oldest_op.val().folded.body.kind == OpKind::Reduce)
            | (self.oldest_op.val().folded.body.kind == OpKind::ClusterWait)
            | (self.oldest_op.val().folded.body.kind == OpKind::GridWait)
            | ((self.oldest_op.val().folded.body.kind == OpKind::Mbarrier)
                & ((self.oldest_op.val().folded.mbarrier_body.mbarrier == MbarrierKind::TestWait)
                    | (self.oldest_op.val().folded.mbarrier_body.mbarrier == MbarrierKind::TryWait)));
        self.parks.valid.next = self.decision.val().parks;
        self.parks.payload.next.warp = self.oldest_op.val().warp;
        self.parks.payload.next.body.kind = self.oldest_op.val().folded.body.kind;
        self.parks.payload.next.body.fault = self.oldest_op.val().folded.body.fault;
        self.parks.payload.next.body.uniform = self.oldest_op.val().folded.body.uniform;
        self.parks.payload.next.body.cta = self.oldest_op.val().folded.body.cta;
        self.parks.payload.next.body.id = self.oldest_op.val().folded.body.id;
        self.parks.payload.next.body.redop = self.oldest_op.val().folded.body.redop;
        self.parks.payload.next.body.state = self.oldest_op.val().folded.body.state;
        self.parks.payload.next.body.lower_bits = self.oldest_op.val().folded.body.shared_bits.get_bits::<18>(0);
        self.parks.payload.next.upper_bits = self.oldest_op.val().folded.body.shared_bits.get_bits::<14>(18);
        self.parks.payload.next.mbarrier_part.body = self.oldest_op.val().folded.mbarrier_body;
        self.parks.payload.next.mbarrier_part.value = self.oldest_op.val().value;

        // The operation that passes: the picked one, else the oldest.
        self.op_free.next = !self.op_full.q.val() | self.op.ready.val();
        self.picked_passes.next = self.picked.valid.val() & !self.pass_pending.q.val();
        self.head_passes.next =
            self.queue.valid.val() & !self.picked_passes.val() & (self.pass_pending.q.val() | self.decision.val().passes);
        self.upper_bits.next = self.oldest_op.val().folded.body.shared_bits.get_bits::<14>(18);
        if self.has_upper_bits.val() {
            self.upper_bits.next = self.picked.payload.val().upper_bits;
        }
        // If no unit needs the upper bits, those of the oldest operation stay in them.
        self.shared_bits.next =
            bit_cast::<32, 18>(self.picked.payload.val().body.lower_bits) | (bit_cast::<32, 14>(self.upper_bits.val()) << 18);
        if self.op_free.val() {
            self.op_full.d.next = self.head_passes.val() | self.picked_passes.val();
            self.output_op.d.next.folded = self.oldest_op.val().folded;
            self.output_op.d.next.value = self.oldest_op.val().value;
            self.output_op.d.next.warp = self.oldest_op.val().warp;
            if self.picked_passes.val() {
                self.output_op.d.next.folded.body.kind = self.picked.payload.val().body.kind;
                self.output_op.d.next.folded.body.fault = self.picked.payload.val().body.fault;
                self.output_op.d.next.folded.body.uniform = self.picked.payload.val().body.uniform;
                self.output_op.d.next.folded.body.cta = self.picked.payload.val().body.cta;
                self.output_op.d.next.folded.body.id = self.picked.payload.val().body.id;
                self.output_op.d.next.folded.body.redop = self.picked.payload.val().body.redop;
                self.output_op.d.next.folded.body.state = self.picked.payload.val().body.state;
                self.output_op.d.next.folded.body.shared_bits = self.shared_bits.val();
                self.output_op.d.next.folded.mbarrier_body = self.picked.payload.val().mbarrier_part.body;
                self.output_op.d.next.value = self.picked.payload.val().mbarrier_part.value;
                self.output_op.d.next.warp = self.picked.payload.val().warp;
            }
        }
        self.picked.ready.next = self.op_free.val() & !self.pass_pending.q.val();
        self.pass_pending.d.next = self.head_passes.val() & !self.op_free.val();
        self.op.valid.next = self.op_full.q.val();
        self.unfold.folded.next = self.output_op.q.val().folded;
        self.unfold.value.next = self.output_op.q.val().value;
        self.unfold.warp.next = self.output_op.q.val().warp;
        self.op.payload.next = self.unfold.op.val();

        self.queue.pop.next = self.decision.val().leaves | (self.head_passes.val() & self.op_free.val());

        // The oldest operation of the next cycle, predicted on the assumption that the operation under decision leaves: the actual
        // decision is late in the cycle.
        self.can_leave.next = self.decided.val() | self.pass_pending.q.val();
        self.predicted_warp.next = self.queue.warp_without_pop.val();
        self.predicted_valid.next = self.queue.valid.val() | self.queue.push.val();
        if self.can_leave.val() {
            self.predicted_warp.next = self.queue.warp_with_pop.val();
            self.predicted_valid.next = self.queue.full.val() | self.queue.push.val();
        }
        self.prediction_right.next = self.queue.pop.val() | !self.can_leave.val();
    }
}
