// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue at the input: its oldest operation passes to `op`, is parked, leaves as a fence, or stays.
//!
//! *Reads:* the operation channel `in`; the channel `picked` with the parked operation that is picked; the decision on the oldest
//! operation. *Writes:* the operation channel `op`; the oldest operation, for the decision and for parking; the warp of the
//! operation that will be the oldest in the next cycle. *Latency:* 2 from `in` to `op`, 1 from `picked`: `op` is a register.
//! Implements *The head of the queue* of `docs/contract/mem_order.md`.

use super::folded::{FoldOp, UnfoldOp};
use super::front::Front;
use super::parked_form::{ParkedForm, UnparkedForm};
use super::payloads::{Decision, HeadOp, OutputOp, ParkedOp};
use crate::prelude::*;

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
    /// Prediction: the warp of the oldest operation in the next cycle.
    pub predicted_warp: Signal<Out, Bits<LW>>,
    /// The prediction is right: the operation under decision leaves, or no operation is under decision.
    pub prediction_right: Signal<Out, Bit>,
    #[init(FoldOp::new(config))]
    fold: FoldOp<W, LW, LC, VW>,
    #[init(UnfoldOp::new(config))]
    unfold: UnfoldOp<W, LW, LC, VW>,
    parked_form: ParkedForm<W, LW, LC, VW>,
    #[init(UnparkedForm::new(config))]
    unparked_form: UnparkedForm<W, LW, LC, VW>,
    queue: Front<W, LW, LC, VW>,
    #[reset]
    ready: DFF<Bit>,
    /// The decision lets the oldest operation pass, but the register at `op` was occupied. The operation passes next, without a new
    /// decision.
    #[reset]
    pass_pending: DFF<Bit>,
    /// The register at `op` is occupied.
    #[reset]
    op_full: DFF<Bit>,
    /// The operation in the register at `op`.
    output_op: DFF<OutputOp<W, LW, LC, VW>>,
    /// The oldest operation is a wait at an mbarrier.
    is_mbarrier_wait: Signal<Local, Bit>,
    /// The register at `op` is free, or its operation is taken in this cycle.
    op_free: Signal<Local, Bit>,
    /// The oldest operation may leave in this cycle: the prediction assumes that it does.
    can_leave: Signal<Local, Bit>,
    /// The oldest operation is to pass.
    head_passes: Signal<Local, Bit>,
    /// The picked operation is to pass.
    picked_passes: Signal<Local, Bit>,
}

#[block]
impl Logic for Head {
    fn update(&mut self) {
        let oldest_op = self.queue.head.val();
        let kind = self.queue.head.val().folded.body.kind;
        let mbarrier = self.queue.head.val().folded.mbarrier_body.mbarrier;
        self.in_.ready.next = self.ready.q.val();
        self.fold.op.next = self.in_.payload.val();
        self.queue.push.next = self.in_.valid.val() & self.ready.q.val();
        self.queue.data.next = self.fold.folded.val();
        self.ready.d.next = self.words_cleared.val() & !self.queue.full_next.val();

        // The oldest operation, for the decision.
        self.head_op.next.present = self.queue.valid.val() & !self.pass_pending.q.val();
        self.head_op.next.waits_for_parked = oldest_op.waits_for_parked;
        self.head_op.next.waits_for_accesses = oldest_op.waits_for_accesses;
        self.head_op.next.from_instr = oldest_op.from_instr;
        self.head_op.next.is_write = kind == OpKind::Write;
        self.is_mbarrier_wait.next =
            (kind == OpKind::Mbarrier) & ((mbarrier == MbarrierKind::TestWait) | (mbarrier == MbarrierKind::TryWait));
        self.head_op.next.holds_warp = (kind == OpKind::Sync)
            | (kind == OpKind::Reduce)
            | (kind == OpKind::ClusterWait)
            | (kind == OpKind::GridWait)
            | self.is_mbarrier_wait.val();
        self.parks.valid.next = self.decision.val().parks;
        self.parked_form.op.next = oldest_op;
        self.parks.payload.next = self.parked_form.parked.val();

        // The operation that passes: the picked operation if there is one, else the oldest.
        self.op_free.next = !self.op_full.q.val() | self.op.ready.val();
        self.picked_passes.next = self.picked.valid.val() & !self.pass_pending.q.val();
        self.head_passes.next =
            self.queue.valid.val() & !self.picked_passes.val() & (self.pass_pending.q.val() | self.decision.val().passes);
        self.unparked_form.parked.next = self.picked.payload.val();
        self.unparked_form.other_op.next = oldest_op;
        if self.op_free.val() {
            self.op_full.d.next = self.head_passes.val() | self.picked_passes.val();
            self.output_op.d.next.folded = oldest_op.folded;
            self.output_op.d.next.value = oldest_op.value;
            self.output_op.d.next.warp = oldest_op.warp;
            if self.picked_passes.val() {
                self.output_op.d.next = self.unparked_form.op.val();
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

        // The oldest operation of the next cycle. It is predicted under the assumption that the operation under decision leaves,
        // because the decision is late in the cycle.
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
