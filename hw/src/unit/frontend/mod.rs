// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The front end: launches, retirements, exits and instructions become one stream of operations of whole warps. The block connects
//! `cta_table`, `decode` and `gather`, and combines the conditions that block a warp.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; from the backend, masks of the warps that wait, are held or have a parked
//! operation. *Writes:* the operation channel, and the values of a Launch or Release that are not fields of that channel; the lanes
//! strobe; masks of the warps that must not issue, and of the warps that are live. *Latency:* 5 from instruction or exit to operation,
//! W + 6 from launch. Implements the path of an instruction up to `mem_order`, in `docs/contract/bcu.md`.
//!
//! `cta_table` offers the exit of a warp only while the warp is not in `in_decode`.

pub mod host_transit;
pub mod op_select;

use super::{cta_table::CtaTable, decode::Decode, gather::Gather};
use crate::prelude::*;
use host_transit::HostTransit;
use op_select::OpSelect;

/// Sizes: `W` warps with numbers of `LW` bits and counts of `CW` bits; `S` CTA slots with numbers of `LC` bits; contributions to a
/// reduction of `VW` bits; `L` lanes (`LP`: `L` rounded up to a multiple of four; `LD`: the larger of 32 and `L`); cluster slot numbers
/// of `KC` bits; grid slot numbers of `KG` bits.
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
    /// Values of the Launch and the Release in transit that are not fields of the operation.
    pub sideband: Signal<Out, Sideband<CW>>,

    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    /// A CTA departs: its Release enters `gather`, and no other operation of its warps is in flight.
    pub departure: StrobeOut<Departure<W, LC>>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot.
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
    op_select: OpSelect<W, LW, LC, L>,
    host_transit: HostTransit<W, LC>,
    /// `gather` takes the operation that is offered.
    gather_takes: Signal<Local, Bit>,
}

#[block]
impl Logic for Frontend {
    fn update(&mut self) {
        let barrier_status = self.barrier_status.val();
        // An operation that an exit caused (`exit_pending`) blocks its warp until the operation is parked in `mem_order` or takes
        // effect, even if the warp's lanes have been released earlier.
        self.decode.blocked.next = barrier_status.halted
            | self.decode.in_decode.val()
            | self.gather.exit_pending.val()
            | barrier_status.held_warps
            | self.cta_table.exits.val();
        self.cta_table.in_flight.next = self.decode.in_decode.val() | self.gather.exit_pending.val() | barrier_status.parked;

        // The table of CTAs.
        Channel::join(&mut self.launch, &mut self.cta_table.launch);
        Channel::join(&mut self.retire, &mut self.cta_table.retire);
        Channel::join(&mut self.exit, &mut self.cta_table.exit);
        Strobe::join(&mut self.gather.warp_exited, &mut self.cta_table.warp_exited);
        Strobe::join(&mut self.cta_table.launched, &mut self.launched);
        Strobe::join(&mut self.flushed, &mut self.cta_table.flushed);
        Strobe::join(&mut self.cta_table.retired, &mut self.retired);
        Strobe::join(&mut self.cta_table.seen, &mut self.walk_step);
        self.cta_table.blocked.next = barrier_status.halted | barrier_status.held_warps;
        self.cta_table.in_decode.next = self.decode.in_decode.val();
        self.cta_table.copying.next = self.copying.val();
        self.cta_table.open.next = self.open.val();
        self.cta_table.clearing.next = barrier_status.clearing | self.host_transit.releasing.val();
        self.cta_table.launching.next = self.host_transit.launching.val();

        // Instructions.
        self.decode.instr.valid.next = self.instr.valid.val();
        self.decode.instr.payload.next = self.instr.payload.val();
        self.decode.live.next = self.cta_table.live.val();
        self.decode.full.next = self.decode.in_decode.val()
            | self.gather.exit_pending.val()
            | barrier_status.two_parked
            | self.cta_table.exits.val();
        self.decode.op_done.next = self.gather.op_absorbed.val() | barrier_status.op_done;
        for i in 0..LC {
            self.decode.warp_cta[i].next = self.cta_table.warp_cta[i].val();
        }

        // Into `gather`. An instruction is taken when `gather` is ready for the operation of `decode`; so `decode` needs no queue.
        self.gather_takes.next = !self.gather.entry_waits.val() & (!self.gather.full.val() | self.op.ready.val());
        Channel::join(&mut self.cta_table.op, &mut self.op_select.cta_op);
        Channel::join(&mut self.decode.op, &mut self.op_select.decoded_op);
        self.op_select.gather_takes.next = self.gather_takes.val();
        Strobe::join(&mut self.op_select.op, &mut self.gather.in_);
        Strobe::join(&mut self.op_select.entered, &mut self.gather_entered);
        self.instr.ready.next = self.op_select.decoded_op.ready.val();

        // The Launch and the Release in transit.
        self.host_transit.op_enters.next = self.cta_table.op.valid.val() & self.gather_takes.val();
        self.host_transit.op_kind.next = self.cta_table.op.payload.val().kind;
        self.host_transit.op_fault.next = self.cta_table.op.payload.val().fault;
        self.host_transit.op_cta.next = self.cta_table.op.payload.val().cta;
        self.host_transit.op_mask.next = self.cta_table.op.payload.val().mask;
        self.host_transit.saved.next = self.cta_table.saved.val();
        self.host_transit.launch_enters.next = barrier_status.launch_enters;
        self.host_transit.release_enters.next = barrier_status.release_enters;
        Strobe::join(&mut self.host_transit.departure, &mut self.departure);
        self.gather.leader_policy.next = self.leader_policy.val();
        self.gather.op_done.next = barrier_status.op_done;

        // Out of `gather`.
        Channel::join(&mut self.gather.op, &mut self.op);
        self.sideband.next.sizes.warps = self.cta_table.size_warps.val();
        self.sideband.next.sizes.live = self.cta_table.size_live.val();
        self.sideband.next.sizes.barriers = self.cta_table.size_barriers.val();
        self.sideband.next.saved = self.cta_table.saved.val();
        Strobe::join(&mut self.gather.lanes, &mut self.lanes);
        self.issue_status.next.gathering = self.gather.gathering.val();
        // A warp at its access limit may issue no access. The limit is not part of `decode.blocked`: a barrier instruction that
        // was chosen before the scheduler could see the limit is not refused.
        self.issue_status.next.blocked = self.decode.blocked.val() | barrier_status.access_limit;
        self.issue_status.next.busy = self.decode.full.val();
        self.issue_status.next.live = self.cta_table.live.val();
        for j in 0..LC {
            self.warp_cta[j].next = self.cta_table.warp_cta[j].val();
        }
    }
}
