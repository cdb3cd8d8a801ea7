// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The front end: launches, retirements, exits and instructions become one stream of operations of whole warps. Wiring, and the
//! order where two paths meet.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; from the backend which warps wait, are held or have a parked
//! operation. *Writes:* the operation channel, and the values that do not travel in it; the lanes strobe; which warps may not
//! issue, which are live. *Latency:* 4 from instruction to operation, 5 from exit or launch. Implements the path from an
//! instruction into `mem_order` of `docs/contract/bcu.md`.
//!
//! `cta_table` has precedence over `decode`, so a stream of instructions cannot block the launch or retirement of a CTA.
//! `cta_table` outputs an exit when no earlier instruction of the warp is in `decode` any more.

use super::{cta_table::CtaTable, decode::Decode, gather::Gather};
use crate::prelude::*;

/// Sizes as in [`CtaTable`] and [`Gather`].
#[block]
pub struct Frontend<W, LW, CW, LC, S, VW, L, LP, LD, KC, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch: Sink<Launch<W, LC, L, KC, KG>>,
    pub retire: Sink<Retire<LC>>,
    pub exit: Sink<Exit<LW, L>>,
    pub instr: Sink<Instruction<LW, L>>,
    pub leader_policy: Signal<In, Bit>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots for which the gateway has state that cannot be saved.
    #[built(config.has_gateway())]
    pub open: Signal<In, Bits<S>>,

    pub barrier_status: Signal<In, BarrierStatus<W>>,
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    /// Values of the Launch and the Release in transit that do not travel in the operation.
    pub sideband: Signal<Out, Sideband<CW>>,

    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    /// A CTA departs: its Release enters `gather`, and no other operation of its warps is in flight.
    pub departure: StrobeOut<Departure<W, LC>>,
    /// No unit holds any state of a departed CTA.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    pub issue_status: Signal<Out, IssueStatus<W>>,
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    pub walk_step: StrobeOut<WalkStep<LW, LC>>,
    /// An operation enters `gather`.
    pub gather_entered: StrobeOut<OpCta<LC>>,
    #[init(CtaTable::new(config))]
    cta_table: CtaTable<W, LW, CW, LC, S, L, KC, KG>,
    #[init(Decode::new(config))]
    decode: Decode<W, LW, LC, L, LD>,
    #[init(Gather::new(config))]
    gather: Gather<W, LW, LC, L, LP, VW>,
    /// `gather` takes the operation that is offered.
    gather_takes: Signal<Local, Bit>,
    /// A Launch is in transit to the barriers.
    #[reset]
    launching: DFF<Bit>,
    /// A Release without a fault is in transit to the barriers.
    #[reset]
    releasing: DFF<Bit>,
}

#[block]
impl Logic for Frontend<W, LW, CW, LC, S, VW, L, LP, LD, KC, KG> {
    fn update(&mut self) {
        // An operation that an exit has completed blocks its warp until the operation reaches `mem_order`, though its lanes may have
        // been released before.
        self.decode.blocked.next = self.barrier_status.val().halted
            | self.decode.in_decode.val()
            | self.gather.exit_pending.val()
            | self.barrier_status.val().held_warps
            | self.cta_table.exits.val();
        self.cta_table.in_flight.next =
            self.decode.in_decode.val() | self.gather.exit_pending.val() | self.barrier_status.val().parked;

        // The table of CTAs.
        Channel::join(&mut self.launch, &mut self.cta_table.launch);
        Channel::join(&mut self.retire, &mut self.cta_table.retire);
        Channel::join(&mut self.exit, &mut self.cta_table.exit);
        Strobe::join(&mut self.gather.warp_exited, &mut self.cta_table.warp_exited);
        Strobe::join(&mut self.cta_table.launched, &mut self.launched);
        Strobe::join(&mut self.flushed, &mut self.cta_table.flushed);
        Strobe::join(&mut self.cta_table.retired, &mut self.retired);
        Strobe::join(&mut self.cta_table.seen, &mut self.walk_step);
        self.cta_table.blocked.next = self.barrier_status.val().halted | self.barrier_status.val().held_warps;
        self.cta_table.in_decode.next = self.decode.in_decode.val();
        self.cta_table.copying.next = self.copying.val();
        self.cta_table.open.next = self.open.val();
        self.cta_table.clearing.next = self.barrier_status.val().clearing | self.releasing.q.val();
        self.cta_table.launching.next = self.launching.q.val();

        // Instructions.
        self.decode.instr.valid.next = self.instr.valid.val();
        self.decode.instr.payload.next = self.instr.payload.val();
        self.decode.live.next = self.cta_table.live.val();
        self.decode.full.next = self.decode.in_decode.val()
            | self.gather.exit_pending.val()
            | self.barrier_status.val().two_parked
            | self.cta_table.exits.val();
        self.decode.op_done.next = self.gather.op_absorbed.val() | self.barrier_status.val().op_done;
        for i in 0..LC {
            self.decode.warp_cta[i].next = self.cta_table.warp_cta[i].val();
        }

        // Into `gather`; an operation of `cta_table` has precedence.
        self.gather_takes.next = !self.gather.entry_waits.val() & (!self.gather.full.val() | self.op.ready.val());
        self.gather.in_.valid.next = self.cta_table.op.valid.val() | self.decode.op.valid.val();
        // Fields that a kind does not use have any value.
        self.gather.in_.payload.next.request = self.decode.op.payload.val().request;
        self.gather.in_.payload.next.warp = self.decode.op.payload.val().warp;
        self.gather.in_.payload.next.mask = self.cta_table.op.payload.val().mask;
        self.gather.in_.payload.next.lane_set = self.decode.op.payload.val().lane_set;
        self.gather.in_.payload.next.mbarrier_request = self.decode.op.payload.val().mbarrier_request;
        self.gather.in_.payload.next.release = self.decode.op.payload.val().release;
        self.gather.in_.payload.next.from_instr = !self.cta_table.op.valid.val();
        self.gather.in_.payload.next.destination = self.decode.op.payload.val().destination;
        if self.cta_table.op.valid.val() {
            self.gather.in_.payload.next.request.kind = self.cta_table.op.payload.val().kind;
            self.gather.in_.payload.next.request.fault = self.cta_table.op.payload.val().fault;
            self.gather.in_.payload.next.request.uniform = true;
            self.gather.in_.payload.next.request.cta = self.cta_table.op.payload.val().cta;
            self.gather.in_.payload.next.request.id = 0.into();
            self.gather.in_.payload.next.warp = self.cta_table.op.payload.val().warp;
            self.gather.in_.payload.next.lane_set.lanes = self.cta_table.op.payload.val().lanes;
        }
        self.gather_entered.valid.next = self.gather_takes.val() & (self.cta_table.op.valid.val() | self.decode.op.valid.val());
        self.gather_entered.payload.next.cta = self.decode.op.payload.val().request.cta;
        if self.cta_table.op.valid.val() {
            self.gather_entered.payload.next.cta = self.cta_table.op.payload.val().cta;
        }
        self.cta_table.op.ready.next = self.gather_takes.val();
        self.decode.op.ready.next = self.gather_takes.val() & !self.cta_table.op.valid.val();
        // An instruction is taken when `gather` is ready for the operation of `decode`; so `decode` needs no queue.
        self.instr.ready.next = self.decode.op.ready.val();
        if self.barrier_status.val().launch_enters {
            self.launching.d.next = false;
        }
        if self.cta_table.op.valid.val() & self.gather_takes.val() & (self.cta_table.op.payload.val().kind == OpKind::Launch) {
            self.launching.d.next = true;
        }
        if self.barrier_status.val().release_enters {
            self.releasing.d.next = false;
        }
        self.departure.valid.next = self.cta_table.op.valid.val()
            & self.gather_takes.val()
            & (self.cta_table.op.payload.val().kind == OpKind::Release)
            & (self.cta_table.op.payload.val().fault == FaultCode::None);
        self.departure.payload.next.cta = self.cta_table.op.payload.val().cta;
        self.departure.payload.next.warps = self.cta_table.op.payload.val().mask;
        self.departure.payload.next.saved = self.cta_table.saved.val();
        if self.departure.valid.val() {
            self.releasing.d.next = true;
        }
        self.gather.leader_policy.next = self.leader_policy.val();
        self.gather.op_done.next = self.barrier_status.val().op_done;

        // Out of gather.
        Channel::join(&mut self.gather.op, &mut self.op);
        self.sideband.next.sizes.warps = self.cta_table.size_warps.val();
        self.sideband.next.sizes.live = self.cta_table.size_live.val();
        self.sideband.next.sizes.barriers = self.cta_table.size_barriers.val();
        self.sideband.next.saved = self.cta_table.saved.val();
        Strobe::join(&mut self.gather.lanes, &mut self.lanes);
        self.issue_status.next.gathering = self.gather.gathering.val();
        // A warp at its access limit may issue no access; a barrier instruction that was chosen before the limit is visible is not refused.
        self.issue_status.next.blocked = self.decode.blocked.val() | self.barrier_status.val().access_limit;
        self.issue_status.next.busy = self.decode.full.val();
        self.issue_status.next.live = self.cta_table.live.val();
        for j in 0..LC {
            self.warp_cta[j].next = self.cta_table.warp_cta[j].val();
        }
    }
}
