// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue at the input: its oldest operation passes to `op`, is parked, leaves as a fence, or stays.
//!
//! *Reads:* the operation channel `in`; the channel `other` with the parked operation that is picked; the decision on the oldest
//! operation. *Writes:* the operation channel `op`; the oldest operation, for the decision and for parking; the warp of the
//! operation that will be the oldest in the next cycle. *Latency:* 2 from `in` to `op`, 1 from `other`: `op` is a register.
//! Implements the decisions on the head of `docs/contract/mem_order.md`.

use super::decide::{Decision, HeadOp};
use super::folded::{FoldOp, FoldedOp, ParkedOp, UnfoldOp};
use super::front::Front;
use crate::prelude::*;
use crate::unit::folded::Folded;

/// The operation at `op`.
#[payload]
pub struct Going<W, LW, LC, VW> {
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
    pub other: Sink<ParkedOp<LW, LC, VW>>,
    pub op: Source<OrderedOp<W, LW, LC, VW>>,
    pub parks: StrobeOut<ParkedOp<LW, LC, VW>>,
    /// Operations may be taken: after a reset all words have been cleared.
    pub open: Signal<In, Bit>,
    pub head_op: Signal<Out, HeadOp>,
    pub decision: Signal<In, Decision>,
    /// The decision on the oldest operation is made in this cycle.
    pub decided: Signal<In, Bit>,
    /// Prediction: there will be an oldest operation in the next cycle.
    pub wanted: Signal<Out, Bit>,
    /// Prediction: the warp of that operation.
    pub warp: Signal<Out, Bits<LW>>,
    /// The prediction is right.
    pub guess_right: Signal<Out, Bit>,
    #[init(FoldOp::new(config))]
    fold: FoldOp<W, LW, LC, VW>,
    #[init(UnfoldOp::new(config))]
    unfold: UnfoldOp<W, LW, LC, VW>,
    front: Front<W, LW, LC, VW>,
    #[reset]
    ready: DFF<Bit>,
    /// The oldest operation may pass but the register at `op` was occupied: it passes next, whatever happens to its warp.
    #[reset]
    waits: DFF<Bit>,
    /// The register at `op` is occupied.
    #[reset]
    op_full: DFF<Bit>,
    /// The operation in that register.
    going: DFF<Going<W, LW, LC, VW>>,
    /// The register is free, or becomes free.
    moves: Signal<Local, Bit>,
    /// The oldest operation.
    head: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    /// The prediction assumes that the oldest operation leaves.
    can_leave: Signal<Local, Bit>,
    upper: Signal<Local, Bits<14>>,
    wide: Signal<Local, Bits<32>>,
    /// The oldest operation is to pass.
    goes: Signal<Local, Bit>,
    /// The picked operation is to pass.
    other_goes: Signal<Local, Bit>,
    #[init(Constant::new(config.has_mbarrier() || config.has_gateway()))]
    has_upper: Constant<Bit>,
}

#[block]
impl Logic for Head<W, LW, LC, VW> {
    fn update(&mut self) {
        self.in_.ready.next = self.ready.q.val();
        self.fold.op.next = self.in_.payload.val();
        self.front.push.next = self.in_.valid.val() & self.ready.q.val();
        self.front.data.next = self.fold.folded.val();
        self.ready.d.next = self.open.val() & !self.front.full_next.val();

        // The oldest operation, for the decision.
        self.head.next = self.front.head.val();
        self.head_op.next.present = self.front.valid.val() & !self.waits.q.val();
        self.head_op.next.bound = self.head.val().bound;
        self.head_op.next.ordered = self.head.val().ordered;
        self.head_op.next.from_instr = self.head.val().from_instr;
        self.head_op.next.writes = self.head.val().folded.body.kind == OpKind::Write;
        self.head_op.next.waits = (self.head.val().folded.body.kind == OpKind::Sync)
            | (self.head.val().folded.body.kind == OpKind::Reduce)
            | (self.head.val().folded.body.kind == OpKind::ClusterWait)
            | (self.head.val().folded.body.kind == OpKind::GridWait)
            | ((self.head.val().folded.body.kind == OpKind::Mbarrier)
                & ((self.head.val().folded.of_mbarrier.mbarrier == MbarrierKind::TestWait)
                    | (self.head.val().folded.of_mbarrier.mbarrier == MbarrierKind::TryWait)));
        self.parks.valid.next = self.decision.val().parks;
        self.parks.payload.next.warp = self.head.val().warp;
        self.parks.payload.next.body.kind = self.head.val().folded.body.kind;
        self.parks.payload.next.body.fault = self.head.val().folded.body.fault;
        self.parks.payload.next.body.uniform = self.head.val().folded.body.uniform;
        self.parks.payload.next.body.cta = self.head.val().folded.body.cta;
        self.parks.payload.next.body.id = self.head.val().folded.body.id;
        self.parks.payload.next.body.redop = self.head.val().folded.body.redop;
        self.parks.payload.next.body.state = self.head.val().folded.body.state;
        self.parks.payload.next.body.low = self.head.val().folded.body.wide.get_bits::<18>(0);
        self.parks.payload.next.high = self.head.val().folded.body.wide.get_bits::<14>(18);
        self.parks.payload.next.of_mbarrier.body = self.head.val().folded.of_mbarrier;
        self.parks.payload.next.of_mbarrier.value = self.head.val().value;

        // The operation that passes: the picked one, else the oldest.
        self.moves.next = !self.op_full.q.val() | self.op.ready.val();
        self.other_goes.next = self.other.valid.val() & !self.waits.q.val();
        self.goes.next = self.front.valid.val() & !self.other_goes.val() & (self.waits.q.val() | self.decision.val().passes);
        self.upper.next = self.head.val().folded.body.wide.get_bits::<14>(18);
        if self.has_upper.val() {
            self.upper.next = self.other.payload.val().high;
        }
        // If no unit needs the upper bits, those of the oldest operation stay in them.
        self.wide.next = bit_cast::<32, 18>(self.other.payload.val().body.low) | (bit_cast::<32, 14>(self.upper.val()) << 18);
        if self.moves.val() {
            self.op_full.d.next = self.goes.val() | self.other_goes.val();
            self.going.d.next.folded = self.head.val().folded;
            self.going.d.next.value = self.head.val().value;
            self.going.d.next.warp = self.head.val().warp;
            if self.other_goes.val() {
                self.going.d.next.folded.body.kind = self.other.payload.val().body.kind;
                self.going.d.next.folded.body.fault = self.other.payload.val().body.fault;
                self.going.d.next.folded.body.uniform = self.other.payload.val().body.uniform;
                self.going.d.next.folded.body.cta = self.other.payload.val().body.cta;
                self.going.d.next.folded.body.id = self.other.payload.val().body.id;
                self.going.d.next.folded.body.redop = self.other.payload.val().body.redop;
                self.going.d.next.folded.body.state = self.other.payload.val().body.state;
                self.going.d.next.folded.body.wide = self.wide.val();
                self.going.d.next.folded.of_mbarrier = self.other.payload.val().of_mbarrier.body;
                self.going.d.next.value = self.other.payload.val().of_mbarrier.value;
                self.going.d.next.warp = self.other.payload.val().warp;
            }
        }
        self.other.ready.next = self.moves.val() & !self.waits.q.val();
        self.waits.d.next = self.goes.val() & !self.moves.val();
        self.op.valid.next = self.op_full.q.val();
        self.unfold.folded.next = self.going.q.val().folded;
        self.unfold.value.next = self.going.q.val().value;
        self.unfold.warp.next = self.going.q.val().warp;
        self.op.payload.next = self.unfold.op.val();

        self.front.pop.next = self.decision.val().leaves | (self.goes.val() & self.moves.val());

        // The oldest operation of the next cycle, predicted on the assumption that the operation under decision leaves: the actual
        // decision is late in the cycle.
        self.can_leave.next = self.decided.val() | self.waits.q.val();
        self.warp.next = self.front.stays.val();
        self.wanted.next = self.front.valid.val() | self.front.push.val();
        if self.can_leave.val() {
            self.warp.next = self.front.follows.val();
            self.wanted.next = self.front.full.val() | self.front.push.val();
        }
        self.guess_right.next = self.front.pop.val() | !self.can_leave.val();
    }
}
