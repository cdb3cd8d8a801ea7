// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of resident CTAs: CTAs allocate and free their slot and warp slots, warps exit.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; which warps are blocked, which have an operation in flight; the warp
//! whose last lanes have exited; which CTAs have copies outstanding; whether `named` is clearing rows; `flushed`, the departed
//! CTA of which no unit holds any state. *Writes:* the operation channel, and beside it those values of the Launch and the Release
//! in transit that do not travel in it; the strobes of a launched or retired CTA; which warps are live; the CTA slot of each warp,
//! all at once and in a walk. *Latency:* 2 from `exit` to the operation, more while its warp has an operation in `in_decode`;
//! W + 3 from `launch`, W + 5 from `retire`, which are taken when they are done.
//!
//! Launches and retirements are rare, so each walks over the warps, one a cycle: a retirement finds the warps of its CTA, a
//! launch allocates its warp slots as long as it finds them free. The state that is read of a warp is evaluated in the next cycle.
//! Exits are handled in between. A CTA retires in two steps: its slots are not allocated again while operations of its warps are in
//! flight, nor while any unit holds state of it. Implements the CTA instances and exited threads of spec 000, and the exact rules of
//! `docs/contract/cta_table.md`.

pub mod members;
pub mod offer;
pub mod slots;
pub mod walk;
pub mod warps;

use crate::prelude::*;
use members::Members;
use offer::Offer;
use slots::Slots;
use walk::{ReadWarp, Walk};
use warps::Warps;

/// `W` warps of `LW` bits, counted in `CW` bits, of `L` lanes, `S` CTA slots, cluster slots of `KC` bits, grid slots of `KG` bits.
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
    /// Rows of barriers are being cleared; a launch waits.
    #[group("named")]
    pub clearing: Signal<In, Bit>,
    /// A Launch is in transit to the barriers; no other launch begins.
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
    /// A departed CTA of which no unit holds any state.
    #[group("mbarrier")]
    pub flushed: StrobeIn<RetiredCta<LC>>,
    #[group("operation")]
    pub op: Source<CtaOp<W, LW, LC, L>>,
    /// Number of warps of the latest launch that the walk has passed so far.
    pub size_warps: Signal<Out, Bits<CW>>,
    /// Number of warps of the latest launch that the walk has passed so far and that have not exited.
    pub size_live: Signal<Out, Bits<CW>>,
    /// Of the launch that began last: barriers declared.
    pub size_barriers: Signal<Out, Bits<6>>,
    /// Of the Release without a fault that was offered last: its open barriers were saved.
    pub saved: Signal<Out, Bit>,
    #[group("CTAs")]
    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// Launched warps that have neither exited nor been retired.
    #[group("warps")]
    pub live: Signal<Out, Bits<W>>,
    /// Warps whose exit was taken and has not been passed on.
    pub exits: Signal<Out, Bits<W>>,
    /// One bit of the CTA slot of each warp.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    pub seen: StrobeOut<WalkStep<LW, LC>>,

    offer: Offer<W, LW, LC, L>,
    #[init(Walk::default())]
    walk: Walk<W, LW, LC>,
    #[init(Members::default())]
    members: Members<W, CW>,
    #[init(Warps::default())]
    warps: Warps<W, LW, LC>,
    #[init(Slots::new(config))]
    slots: Slots<LC, S>,
    launched_strobe: StrobeRegister<NewCta<W, LC, KC, KG>>,
    retired_strobe: StrobeRegister<RetiredCta<LC>>,

    // The steps of a retirement and of a launch; at most one is 1.
    /// A retirement walks over the warps.
    #[reset]
    retire_walks: DFF<Bit>,
    /// The walk of the retirement is done: its warps are to end.
    #[reset]
    retire_ends_warps: DFF<Bit>,
    /// The retirement waits until no operation of its warps is in flight.
    #[reset]
    retire_drains: DFF<Bit>,
    /// The Release is offered: `retire_ready`.
    #[reset]
    retire_done: DFF<Bit>,
    /// A launch walks over the warps.
    #[reset]
    launch_walks: DFF<Bit>,
    /// The walk of the launch is done: the Launch is to be offered.
    #[reset]
    launch_due: DFF<Bit>,
    /// The Launch is offered: `launch_ready`.
    #[reset]
    launch_done: DFF<Bit>,
    /// Of the Release without a fault that was offered last: its open barriers were saved.
    #[reset]
    saved_q: DFF<Bit>,
    /// The fault of the retirement, or none.
    retire_fault: DFF<FaultCode>,
    /// The CTA that retires has no operation in flight and no copy outstanding, and no rows are being cleared.
    #[reset]
    retire_quiet: DFF<Bit>,
    /// Launch: its slot is taken or not built, or one of its warp slots is taken.
    launch_refused: DFF<Bit>,
    /// Launch: its slot, or one of its warp slots, belongs to a CTA that is leaving.
    #[reset]
    launch_deferred: DFF<Bit>,
    /// Launch: no CTA was flushed since it began.
    #[reset]
    no_flush: DFF<Bit>,

    read_warp: Signal<Local, ReadWarp>,
    read_cta: Signal<Local, Bits<LC>>,
    /// No launch and no retirement is in progress, and no operation is offered.
    is_idle: Signal<Local, Bit>,
    is_retire: Signal<Local, Bit>,
    /// The CTA slot of the retirement or launch.
    active_cta: Signal<Local, Bits<LC>>,
    /// The warp that was read has that CTA slot.
    same_cta: Signal<Local, Bit>,
    /// The warp that was read belongs to the CTA that retires.
    is_resident: Signal<Local, Bit>,
    /// A launch without a fault is offered.
    launch_accepted: Signal<Local, Bit>,
    /// The warp slot that was read belongs to a resident CTA.
    is_occupied: Signal<Local, Bit>,
    /// The warp slot that was read belongs to a leaving CTA.
    is_leaving: Signal<Local, Bit>,
    /// The launch has found no taken or leaving slot so far.
    may_claim: Signal<Local, Bit>,
    /// Warps of the CTA that have an operation in flight.
    still_in_flight: Signal<Local, Bits<W>>,
    do_end_warps: Signal<Local, Bit>,
    do_retire: Signal<Local, Bit>,
    do_launch: Signal<Local, Bit>,
    /// The launched CTA belongs to a cluster or a grid.
    is_bound: Signal<Local, Bit>,
    /// CTA slots that are built.
    #[init(Constant::new(((1u64 << config.cta_slots) - 1).into()))]
    built_slots: Constant<Bits<S>>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for CtaTable<W, LW, CW, LC, S, L, KC, KG> {
    fn update(&mut self) {
        self.read_warp.next = self.walk.read_warp.val();
        self.read_cta.next = self.walk.walk_step.payload.val().cta;
        Channel::join(&mut self.exit, &mut self.offer.exit);
        Channel::join(&mut self.offer.op, &mut self.op);
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
        self.walk.for_retire.next = self.retire_walks.q.val();
        self.walk.for_launch.next = self.launch_walks.q.val();
        self.walk.warps.next = self.launch.payload.val().warps;
        self.walk.exited.next = self.launch.payload.val().exited;
        self.walk.owner.next = self.warps.owner.val();
        self.walk.is_live.next = self.warps.is_live.val();
        self.walk.is_used.next = self.warps.is_used.val();
        self.walk.in_flight.next = self.in_flight.val();
        self.warps.warp_to_read.next = self.walk.warp_to_read.val();
        Strobe::join(&mut self.walk.walk_step, &mut self.seen);

        // The next retirement or launch begins; a retirement has precedence.
        self.is_idle.next = !(self.retire_walks.q.val()
            | self.retire_ends_warps.q.val()
            | self.retire_drains.q.val()
            | self.retire_done.q.val()
            | self.launch_walks.q.val()
            | self.launch_due.q.val()
            | self.launch_done.q.val()
            | self.offer.offered.val());
        self.is_retire.next = self.retire.valid.val() & !(self.launch_walks.q.val() | self.launch_due.q.val());
        self.active_cta.next = self.launch.payload.val().cta;
        if self.is_retire.val() {
            self.active_cta.next = self.retire.payload.val().cta;
        }
        self.retire_done.d.next = false;
        self.launch_done.d.next = false;
        self.walk.restart.next = false;
        self.members.launch.valid.next = false;
        self.members.launch.payload.next = self.launch.payload.val().barriers;
        if self.flushed.valid.val() {
            self.no_flush.d.next = false;
        }
        if self.is_idle.val() {
            if self.retire.valid.val() {
                self.retire_walks.d.next = true;
                self.walk.restart.next = true;
            } else {
                if self.launch.valid.val() & !self.launching.val() & !(self.launch_deferred.q.val() & self.no_flush.q.val()) {
                    self.launch_walks.d.next = true;
                    self.walk.restart.next = true;
                    self.members.launch.valid.next = true;
                    self.no_flush.d.next = !self.flushed.valid.val();
                    self.launch_deferred.d.next = self.slots.leaving.val().at(self.launch.payload.val().cta);
                }
            }
            self.launch_refused.d.next =
                self.slots.occupied.val().at(self.active_cta.val()) | !self.built_slots.val().at(self.active_cta.val());
            self.retire_fault.d.next = FaultCode::None;
            if self.retire.payload.val().saved & (self.slots.bound.val() | self.open.val()).at(self.retire.payload.val().cta) {
                self.retire_fault.d.next = FaultCode::CannotSave;
            }
            if !self.slots.occupied.val().at(self.active_cta.val()) {
                self.retire_fault.d.next = FaultCode::NotResident;
            }
        }

        // A retirement: its warps end; its Release is offered when none of their operations is in flight and none of their copies
        // is outstanding.
        self.same_cta.next = self.read_warp.val().used & (self.read_cta.val() == self.active_cta.val());
        self.is_resident.next = self.same_cta.val() & (self.retire_fault.q.val() != FaultCode::NotResident);
        if self.retire_walks.q.val() & self.walk.at_last_warp.val() {
            self.retire_walks.d.next = false;
            self.retire_ends_warps.d.next = true;
        }
        self.do_end_warps.next =
            self.retire_ends_warps.q.val() & !self.read_warp.val().of_retire & !self.warp_exited.valid.val();
        if self.do_end_warps.val() {
            self.retire_ends_warps.d.next = false;
            self.retire_drains.d.next = true;
        }
        self.still_in_flight.next = self.members.warps.val() & self.in_flight.val();
        self.retire_quiet.d.next = self.retire_drains.q.val()
            & !(self.clearing.val() | self.still_in_flight.val().any() | self.copying.val().at(self.retire.payload.val().cta));
        self.do_retire.next = self.retire_drains.q.val()
            & self.offer.accepts_host.val()
            & ((self.retire_fault.q.val() != FaultCode::None) | self.retire_quiet.q.val());
        if self.do_retire.val() {
            self.retire_drains.d.next = false;
            self.retire_done.d.next = true;
        }
        self.retire.ready.next = self.retire_done.q.val();

        // A launch claims its warp slots, up to one that is not free, and gives up those that the previous CTA had in this slot.
        self.is_occupied.next = self.read_warp.val().used & self.slots.occupied.val().at(self.read_cta.val());
        self.is_leaving.next = self.read_warp.val().used & self.slots.leaving.val().at(self.read_cta.val());
        self.may_claim.next = self.read_warp.val().of_launch & !self.launch_refused.q.val() & !self.launch_deferred.q.val();
        self.warps.slot_changes.next = self.may_claim.val() & self.same_cta.val();
        if self.read_warp.val().in_launch {
            self.warps.slot_changes.next = self.may_claim.val() & !(self.is_occupied.val() | self.is_leaving.val());
        }
        self.warps.is_claim.next = self.read_warp.val().in_launch;
        self.warps.changed_slot.next = self.walk.walk_step.payload.val().warp;
        self.warps.cta.next = self.launch.payload.val().cta;
        if self.read_warp.val().of_launch {
            self.launch_refused.d.next =
                self.launch_refused.q.val() | (self.read_warp.val().in_launch & self.is_occupied.val());
            self.launch_deferred.d.next =
                self.launch_deferred.q.val() | (self.read_warp.val().in_launch & self.is_leaving.val());
        }
        if self.launch_walks.q.val() & self.walk.at_last_warp.val() {
            self.launch_walks.d.next = false;
            self.launch_due.d.next = true;
        }
        self.do_launch.next = false;
        if self.launch_due.q.val() & !self.read_warp.val().of_launch {
            if self.launch_deferred.q.val() & !self.launch_refused.q.val() {
                self.launch_due.d.next = false;
            } else {
                self.do_launch.next = self.offer.accepts_host.val() & !self.clearing.val() & !self.warp_exited.valid.val();
            }
        }
        if self.do_launch.val() {
            self.launch_due.d.next = false;
            self.launch_done.d.next = true;
            self.launch_deferred.d.next = false;
        }
        self.launch_accepted.next = self.do_launch.val() & !self.launch_refused.q.val();
        self.launch.ready.next = self.launch_done.q.val();
        self.is_bound.next = self.has_grids.val() & self.launch.payload.val().in_grid.has_grid;
        if self.has_clusters.val() & (self.launch.payload.val().peer.size > 1) {
            self.is_bound.next = true;
        }

        self.members.read_warp.next = self.read_warp.val();
        self.members.is_resident.next = self.is_resident.val();
        self.warps.changed_warps.payload.next = self.members.changed_warps.val();
        self.warps.changed_warps.valid.next =
            (self.do_end_warps.val() & (self.retire_fault.q.val() == FaultCode::None)) | self.launch_accepted.val();
        self.warps.become_live.next = self.launch_accepted.val();

        // The operation.
        self.offer.host.valid.next = self.do_retire.val() | self.do_launch.val();
        self.offer.host.payload.next.release = self.do_retire.val();
        self.offer.host.payload.next.cta = self.active_cta.val();
        self.offer.host.payload.next.lanes = self.launch.payload.val().lanes;
        self.offer.host.payload.next.fault = FaultCode::None;
        if self.do_launch.val() & self.launch_refused.q.val() {
            self.offer.host.payload.next.fault = FaultCode::SlotOccupied;
        }
        if self.do_retire.val() {
            self.offer.host.payload.next.fault = self.retire_fault.q.val();
        }
        self.size_warps.next = self.members.size_warps.val();
        self.size_live.next = self.members.size_live.val();
        self.size_barriers.next = self.members.size_barriers.val();
        self.saved.next = self.saved_q.q.val();

        self.slots.flushed.valid.next = self.flushed.valid.val();
        self.slots.flushed.payload.next = self.flushed.payload.val();
        self.slots.launch.valid.next = self.launch_accepted.val();
        self.slots.launch.payload.next = self.launch.payload.val().cta;
        self.slots.is_bound.next = self.is_bound.val();
        self.slots.departure.valid.next = self.do_retire.val() & (self.retire_fault.q.val() == FaultCode::None);
        self.slots.departure.payload.next = self.retire.payload.val().cta;
        if self.slots.departure.valid.val() {
            self.saved_q.d.next = self.retire.payload.val().saved;
        }

        // The strobes to the host.
        self.launched_strobe.in_.valid.next = self.launch_accepted.val();
        self.launched_strobe.in_.payload.next.cta = self.launch.payload.val().cta;
        self.launched_strobe.in_.payload.next.peer = self.launch.payload.val().peer;
        self.launched_strobe.in_.payload.next.in_grid = self.launch.payload.val().in_grid;
        self.launched_strobe.in_.payload.next.warps = self.members.changed_warps.val();
        Strobe::join(&mut self.launched_strobe.out, &mut self.launched);
        // The mask of the launched warps is still in `members`.
        self.launched.payload.next.warps = self.members.changed_warps.val();
        Strobe::join(&mut self.flushed, &mut self.retired_strobe.in_);
        Strobe::join(&mut self.retired_strobe.out, &mut self.retired);
        self.live.next = self.warps.live.val();
        for i in 0..LC {
            self.warp_cta[i].next = self.warps.warp_cta[i].val();
        }
    }
}
