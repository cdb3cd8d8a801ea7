// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of resident CTAs: CTAs are launched into a CTA slot and warp slots and give them back when they retire; warps exit.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; masks of the warps that are blocked or have an operation in flight; the warp
//! whose last lanes have exited; the CTA slots with copies outstanding; whether rows of barriers are being cleared; `flushed`, which
//! names a departed CTA without state in any unit. *Writes:* the operation channel, and the values of the Launch and the Release in
//! transit that are not fields of that channel; the strobes of a launched or retired CTA; which warps are live; the CTA slot of each
//! warp, all at once and in a walk. *Latency:* 2 from `exit` to the operation, more while the exit's warp is in `in_decode`; W + 3
//! from `launch`, W + 5 from `retire`. `launch` and `retire` transfer at the end of the launch or retirement.
//!
//! Launches and retirements are rare, so each walks over the warps, one a cycle. A retirement finds the warps of its CTA. A
//! launch claims its warp slots, up to the first of them that is not free. The state of a warp is read in one cycle and evaluated
//! in the next. An exit takes a cycle of the walk to read its warp. A CTA retires in two steps: the CTA departs when no operation
//! of its warps is in flight, and its slots are free when no unit holds any state of the CTA. Implements the CTA instances and
//! exited threads of spec 000, and the exact rules of `docs/contract/cta_table.md`.

pub mod host_requests;
pub mod launch_claim;
pub mod launch_sequencer;
pub mod members;
pub mod offer;
pub mod payloads;
pub mod retire_sequencer;
pub mod slots;
pub mod walk;
pub mod warps;

use crate::prelude::*;
use host_requests::HostRequests;
use members::Members;
use offer::Offer;
use payloads::ReadWarp;
use walk::Walk;
use warps::Warps;

/// `W` warps with numbers of `LW` bits and counts of `CW` bits, `L` lanes each; `S` CTA slots with numbers of `LC` bits; cluster
/// slots with numbers of `KC` bits, grid slots with numbers of `KG` bits.
#[block(unit = "cta_table")]
pub struct CtaTable<W, LW, CW, LC, S, L, KC, KG> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub launch: Sink<Launch<W, LC, L, KC, KG>>,
    pub retire: Sink<Retire<LC>>,
    pub exit: Sink<Exit<LW, L>>,
    /// Warps that must not exit.
    #[group("named")]
    pub blocked: Signal<In, Bits<W>>,
    /// Warps with an operation in `decode` or in transit from it; their exits wait for that operation.
    #[group("decode")]
    pub in_decode: Signal<In, Bits<W>>,
    /// Rows of barriers are being cleared; a launch or a retirement waits.
    #[group("named")]
    pub clearing: Signal<In, Bit>,
    /// A Launch is in transit to `named` or `gateway`; until it arrives, no other launch begins.
    pub launching: Signal<In, Bit>,
    #[group("gather")]
    pub warp_exited: StrobeIn<WarpExit<LW>>,
    /// Warps with an operation that has not taken effect yet.
    pub in_flight: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    #[group("mem_order")]
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots with an open barrier, or with a notification that no warp has taken.
    #[group("gateway")]
    #[built(config.has_gateway())]
    pub open: Signal<In, Bits<S>>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot, which is free now.
    #[group("mbarrier")]
    pub flushed: StrobeIn<RetiredCta<LC>>,
    #[group("operation")]
    pub op: Source<CtaOp<W, LW, LC, L>>,
    /// Number of warps that the latest launch names, as far as the walk has counted them.
    pub size_warps: Signal<Out, Bits<CW>>,
    /// Number of warps that the latest launch makes live, as far as the walk has counted them.
    pub size_live: Signal<Out, Bits<CW>>,
    /// Number of barriers that the latest launch declares.
    pub size_barriers: Signal<Out, Bits<6>>,
    /// For the latest Release offered without a fault: the open barriers of its CTA were saved.
    pub saved: Signal<Out, Bit>,
    #[group("CTAs")]
    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// Launched warps that have neither exited nor been retired.
    #[group("warps")]
    pub live: Signal<Out, Bits<W>>,
    /// Warps whose exit was taken and is not yet transferred as an operation.
    pub exits: Signal<Out, Bits<W>>,
    /// Bit b of the CTA slot of each warp, in `warp_cta_b`.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    pub seen: StrobeOut<WalkStep<LW, LC>>,

    offer: Offer<W, LW, LC, L>,
    #[init(Walk::default())]
    walk: Walk<W, LW, LC>,
    #[init(Members::default())]
    members: Members<W, CW>,
    #[init(Warps::default())]
    warps: Warps<W, LW, LC>,
    #[init(HostRequests::new(config))]
    host_requests: HostRequests<W, LC, S, L>,
    launched_strobe: StrobeRegister<NewCta<W, LC, KC, KG>>,
    retired_strobe: StrobeRegister<RetiredCta<LC>>,
    read_warp: Signal<Local, ReadWarp>,
    /// CTA slot of the warp that was read.
    read_cta: Signal<Local, Bits<LC>>,
}

#[block]
impl Logic for CtaTable {
    fn update(&mut self) {
        let launch = self.launch.payload.val();
        self.read_warp.next = self.walk.read_warp.val();
        self.read_cta.next = self.walk.walk_step.payload.val().cta;

        // The operation.
        Channel::join(&mut self.exit, &mut self.offer.exit);
        Channel::join(&mut self.offer.op, &mut self.op);
        Strobe::join(&mut self.host_requests.launch_op, &mut self.offer.launch_op);
        Strobe::join(&mut self.host_requests.release_op, &mut self.offer.release_op);
        self.offer.blocked.next = self.blocked.val();
        self.offer.in_decode.next = self.in_decode.val();
        self.offer.read_cta.next = self.read_cta.val();
        self.offer.is_live.next = self.walk.walk_step.payload.val().live;
        self.offer.mask.next = self.members.warps.val();
        self.exits.next = self.offer.exits.val();

        // One warp is read in each cycle.
        Strobe::join(&mut self.warp_exited, &mut self.warps.warp_exited);
        Strobe::join(&mut self.offer.exit_taken, &mut self.walk.exit_taken);
        self.walk.exit_examined.next = self.offer.exit_examined.val();
        self.walk.exit_warp.next = self.offer.examined_warp.val();
        self.walk.restart.next = self.host_requests.retire_begins.val() | self.host_requests.launch_begins.val();
        self.walk.for_retire.next = self.host_requests.retire_walks.val();
        self.walk.for_launch.next = self.host_requests.launch_walks.val();
        self.walk.warps.next = launch.warps;
        self.walk.exited.next = launch.exited;
        self.walk.owner.next = self.warps.owner.val();
        self.walk.is_live.next = self.warps.is_live.val();
        self.walk.is_used.next = self.warps.is_used.val();
        self.walk.in_flight.next = self.in_flight.val();
        self.warps.warp_to_read.next = self.walk.warp_to_read.val();
        Strobe::join(&mut self.walk.walk_step, &mut self.seen);

        // Launches and retirements.
        Channel::join(&mut self.retire, &mut self.host_requests.retire);
        self.host_requests.launch.valid.next = self.launch.valid.val();
        self.host_requests.launch.payload.next.cta = launch.cta;
        self.host_requests.launch.payload.next.lanes = launch.lanes;
        self.host_requests.launch.payload.next.cluster_size = launch.peer.size;
        self.host_requests.launch.payload.next.has_grid = launch.in_grid.has_grid;
        self.launch.ready.next = self.host_requests.launch.ready.val();
        self.host_requests.at_last_warp.next = self.walk.at_last_warp.val();
        self.host_requests.read_warp.next = self.read_warp.val();
        self.host_requests.read_cta.next = self.read_cta.val();
        self.host_requests.warps.next = self.members.warps.val();
        self.host_requests.warp_exited.next = self.warp_exited.valid.val();
        self.host_requests.in_flight.next = self.in_flight.val();
        self.host_requests.copying.next = self.copying.val();
        self.host_requests.open.next = self.open.val();
        self.host_requests.clearing.next = self.clearing.val();
        self.host_requests.launching.next = self.launching.val();
        Strobe::join(&mut self.flushed, &mut self.host_requests.flushed);
        self.host_requests.accepts_op.next = self.offer.accepts_host_op.val();
        self.host_requests.op_offered.next = self.offer.offered.val();
        self.saved.next = self.host_requests.saved.val();

        // The warps of the launch or retirement, and the changes of their state.
        self.members.launch.valid.next = self.host_requests.launch_begins.val();
        self.members.launch.payload.next = launch.barriers;
        self.members.read_warp.next = self.read_warp.val();
        self.members.is_resident.next = self.host_requests.is_resident.val();
        self.size_warps.next = self.members.size_warps.val();
        self.size_live.next = self.members.size_live.val();
        self.size_barriers.next = self.members.size_barriers.val();
        self.warps.changed_warps.valid.next = self.host_requests.warps_end.val() | self.host_requests.launch_accepted.val();
        self.warps.changed_warps.payload.next = self.members.changed_warps.val();
        self.warps.become_live.next = self.host_requests.launch_accepted.val();
        self.warps.slot_changes.next = self.host_requests.slot_changes.val();
        self.warps.is_claim.next = self.read_warp.val().in_launch;
        self.warps.changed_slot.next = self.walk.walk_step.payload.val().warp;
        self.warps.cta.next = launch.cta;
        self.live.next = self.warps.live.val();
        for i in 0..LC {
            self.warp_cta[i].next = self.warps.warp_cta[i].val();
        }

        // The strobes to the host.
        self.launched_strobe.in_.valid.next = self.host_requests.launch_accepted.val();
        self.launched_strobe.in_.payload.next.cta = launch.cta;
        self.launched_strobe.in_.payload.next.peer = launch.peer;
        self.launched_strobe.in_.payload.next.in_grid = launch.in_grid;
        self.launched_strobe.in_.payload.next.warps = self.members.changed_warps.val();
        Strobe::join(&mut self.launched_strobe.out, &mut self.launched);
        // `members` still holds the mask of the launched warps, so the mask needs no register.
        self.launched.payload.next.warps = self.members.changed_warps.val();
        Strobe::join(&mut self.flushed, &mut self.retired_strobe.in_);
        Strobe::join(&mut self.retired_strobe.out, &mut self.retired);
    }
}
