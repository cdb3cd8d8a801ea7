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
use walk::{Read, Walk};
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
    /// Of the launch that began last: number of its warps in the part of the walk that is done.
    pub size_warps: Signal<Out, Bits<CW>>,
    /// Of the launch that began last: number of its warps that have not exited, in the part of the walk that is done.
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
    pub seen: StrobeOut<SeenWarp<LW, LC>>,

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
    ends: DFF<Bit>,
    /// The walk of the retirement is done: its warps are to end.
    #[reset]
    ends_warps: DFF<Bit>,
    /// The retirement waits until no operation of its warps is in flight.
    #[reset]
    drains: DFF<Bit>,
    /// The Release is offered: `retire_ready`.
    #[reset]
    retire_done: DFF<Bit>,
    /// A launch walks over the warps.
    #[reset]
    claims: DFF<Bit>,
    /// The walk of the launch is done: the Launch is to be offered.
    #[reset]
    offers: DFF<Bit>,
    /// The Launch is offered: `launch_ready`.
    #[reset]
    launch_done: DFF<Bit>,
    /// Of the Release without a fault that was offered last: its open barriers were saved.
    #[reset]
    saved_q: DFF<Bit>,
    /// The fault of the retirement, or none.
    refusal: DFF<FaultCode>,
    /// The CTA that retires has no operation in flight and no copy outstanding, and no rows are being cleared.
    #[reset]
    quiet: DFF<Bit>,
    /// Launch: its slot is taken or not built, or one of its warp slots is taken.
    launch_refused: DFF<Bit>,
    /// Launch: its slot, or one of its warp slots, belongs to a CTA that is leaving.
    #[reset]
    held: DFF<Bit>,
    /// Launch: no CTA was flushed since it began.
    #[reset]
    unchanged: DFF<Bit>,

    read: Signal<Local, Read>,
    cta_read: Signal<Local, Bits<LC>>,
    /// No launch and no retirement is in progress, and no operation is offered.
    rests: Signal<Local, Bit>,
    is_retire: Signal<Local, Bit>,
    /// The CTA slot of the retirement or launch.
    active_cta: Signal<Local, Bits<LC>>,
    /// The warp that was read has that CTA slot.
    same_cta: Signal<Local, Bit>,
    /// The warp that was read belongs to the CTA that retires.
    resident: Signal<Local, Bit>,
    /// A launch without a fault is offered.
    comes: Signal<Local, Bit>,
    /// The warp slot that was read belongs to a resident CTA.
    is_taken: Signal<Local, Bit>,
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
    binds: Signal<Local, Bit>,
    /// CTA slots that are built.
    #[init(Constant::new(((1u64 << config.cta_slots) - 1).into()))]
    built: Constant<Bits<S>>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for CtaTable<W, LW, CW, LC, S, L, KC, KG> {
    fn update(&mut self) {
        self.read.next = self.walk.read.val();
        self.cta_read.next = self.walk.seen.payload.val().cta;
        Channel::join(&mut self.exit, &mut self.offer.exit);
        Channel::join(&mut self.offer.op, &mut self.op);
        self.offer.blocked.next = self.blocked.val();
        self.offer.in_decode.next = self.in_decode.val();
        self.offer.cta.next = self.cta_read.val();
        self.offer.is_live.next = self.walk.seen.payload.val().live;
        self.offer.mask.next = self.members.warps.val();
        self.exits.next = self.offer.exits.val();

        // One warp is read in each cycle.
        Strobe::join(&mut self.warp_exited, &mut self.warps.warp_exited);
        Strobe::join(&mut self.offer.taken, &mut self.walk.exit);
        self.walk.looks.next = self.offer.looks.val();
        self.walk.exiting.next = self.offer.warp.val();
        self.walk.ends.next = self.ends.q.val();
        self.walk.claims.next = self.claims.q.val();
        self.walk.warps.next = self.launch.payload.val().warps;
        self.walk.exited.next = self.launch.payload.val().exited;
        self.walk.owner.next = self.warps.owner.val();
        self.walk.is_live.next = self.warps.is_live.val();
        self.walk.is_used.next = self.warps.is_used.val();
        self.walk.in_flight.next = self.in_flight.val();
        self.warps.asked.next = self.walk.asked.val();
        Strobe::join(&mut self.walk.seen, &mut self.seen);

        // The next retirement or launch begins; a retirement has precedence.
        self.rests.next = !(self.ends.q.val()
            | self.ends_warps.q.val()
            | self.drains.q.val()
            | self.retire_done.q.val()
            | self.claims.q.val()
            | self.offers.q.val()
            | self.launch_done.q.val()
            | self.offer.offered.val());
        self.is_retire.next = self.retire.valid.val() & !(self.claims.q.val() | self.offers.q.val());
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
            self.unchanged.d.next = false;
        }
        if self.rests.val() {
            if self.retire.valid.val() {
                self.ends.d.next = true;
                self.walk.restart.next = true;
            } else {
                if self.launch.valid.val() & !self.launching.val() & !(self.held.q.val() & self.unchanged.q.val()) {
                    self.claims.d.next = true;
                    self.walk.restart.next = true;
                    self.members.launch.valid.next = true;
                    self.unchanged.d.next = !self.flushed.valid.val();
                    self.held.d.next = self.slots.leaving.val().at(self.launch.payload.val().cta);
                }
            }
            self.launch_refused.d.next =
                self.slots.taken.val().at(self.active_cta.val()) | !self.built.val().at(self.active_cta.val());
            self.refusal.d.next = FaultCode::None;
            if self.retire.payload.val().saved & (self.slots.bound.val() | self.open.val()).at(self.retire.payload.val().cta) {
                self.refusal.d.next = FaultCode::CannotSave;
            }
            if !self.slots.taken.val().at(self.active_cta.val()) {
                self.refusal.d.next = FaultCode::NotResident;
            }
        }

        // A retirement: its warps end; its Release is offered when none of their operations is in flight and none of their copies
        // is outstanding.
        self.same_cta.next = self.read.val().used & (self.cta_read.val() == self.active_cta.val());
        self.resident.next = self.same_cta.val() & (self.refusal.q.val() != FaultCode::NotResident);
        if self.ends.q.val() & self.walk.last.val() {
            self.ends.d.next = false;
            self.ends_warps.d.next = true;
        }
        self.do_end_warps.next = self.ends_warps.q.val() & !self.read.val().ended & !self.warp_exited.valid.val();
        if self.do_end_warps.val() {
            self.ends_warps.d.next = false;
            self.drains.d.next = true;
        }
        self.still_in_flight.next = self.members.warps.val() & self.in_flight.val();
        self.quiet.d.next = self.drains.q.val()
            & !(self.clearing.val() | self.still_in_flight.val().any() | self.copying.val().at(self.retire.payload.val().cta));
        self.do_retire.next =
            self.drains.q.val() & self.offer.free.val() & ((self.refusal.q.val() != FaultCode::None) | self.quiet.q.val());
        if self.do_retire.val() {
            self.drains.d.next = false;
            self.retire_done.d.next = true;
        }
        self.retire.ready.next = self.retire_done.q.val();

        // A launch claims its warp slots, up to one that is not free, and gives up those that the previous CTA had in this slot.
        self.is_taken.next = self.read.val().used & self.slots.taken.val().at(self.cta_read.val());
        self.is_leaving.next = self.read.val().used & self.slots.leaving.val().at(self.cta_read.val());
        self.may_claim.next = self.read.val().claimed & !self.launch_refused.q.val() & !self.held.q.val();
        self.warps.moves.next = self.may_claim.val() & self.same_cta.val();
        if self.read.val().in_launch {
            self.warps.moves.next = self.may_claim.val() & !(self.is_taken.val() | self.is_leaving.val());
        }
        self.warps.claims.next = self.read.val().in_launch;
        self.warps.at.next = self.walk.seen.payload.val().warp;
        self.warps.cta.next = self.launch.payload.val().cta;
        if self.read.val().claimed {
            self.launch_refused.d.next = self.launch_refused.q.val() | (self.read.val().in_launch & self.is_taken.val());
            self.held.d.next = self.held.q.val() | (self.read.val().in_launch & self.is_leaving.val());
        }
        if self.claims.q.val() & self.walk.last.val() {
            self.claims.d.next = false;
            self.offers.d.next = true;
        }
        self.do_launch.next = false;
        if self.offers.q.val() & !self.read.val().claimed {
            if self.held.q.val() & !self.launch_refused.q.val() {
                self.offers.d.next = false;
            } else {
                self.do_launch.next = self.offer.free.val() & !self.clearing.val() & !self.warp_exited.valid.val();
            }
        }
        if self.do_launch.val() {
            self.offers.d.next = false;
            self.launch_done.d.next = true;
            self.held.d.next = false;
        }
        self.comes.next = self.do_launch.val() & !self.launch_refused.q.val();
        self.launch.ready.next = self.launch_done.q.val();
        self.binds.next = self.has_grids.val() & self.launch.payload.val().in_grid.has_grid;
        if self.has_clusters.val() & (self.launch.payload.val().peer.size > 1) {
            self.binds.next = true;
        }

        self.members.read.next = self.read.val();
        self.members.resident.next = self.resident.val();
        self.warps.turned.payload.next = self.members.turned.val();
        self.warps.turned.valid.next = (self.do_end_warps.val() & (self.refusal.q.val() == FaultCode::None)) | self.comes.val();
        self.warps.begin.next = self.comes.val();

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
            self.offer.host.payload.next.fault = self.refusal.q.val();
        }
        self.size_warps.next = self.members.size_warps.val();
        self.size_live.next = self.members.size_live.val();
        self.size_barriers.next = self.members.size_barriers.val();
        self.saved.next = self.saved_q.q.val();

        self.slots.flushed.valid.next = self.flushed.valid.val();
        self.slots.flushed.payload.next = self.flushed.payload.val();
        self.slots.comes.valid.next = self.comes.val();
        self.slots.comes.payload.next = self.launch.payload.val().cta;
        self.slots.binds.next = self.binds.val();
        self.slots.leaves.valid.next = self.do_retire.val() & (self.refusal.q.val() == FaultCode::None);
        self.slots.leaves.payload.next = self.retire.payload.val().cta;
        if self.slots.leaves.valid.val() {
            self.saved_q.d.next = self.retire.payload.val().saved;
        }

        // The strobes to the host.
        self.launched_strobe.in_.valid.next = self.comes.val();
        self.launched_strobe.in_.payload.next.cta = self.launch.payload.val().cta;
        self.launched_strobe.in_.payload.next.peer = self.launch.payload.val().peer;
        self.launched_strobe.in_.payload.next.in_grid = self.launch.payload.val().in_grid;
        self.launched_strobe.in_.payload.next.warps = self.members.turned.val();
        Strobe::join(&mut self.launched_strobe.out, &mut self.launched);
        // The mask of the launched warps is still in `members`.
        self.launched.payload.next.warps = self.members.turned.val();
        Strobe::join(&mut self.flushed, &mut self.retired_strobe.in_);
        Strobe::join(&mut self.retired_strobe.out, &mut self.retired);
        self.live.next = self.warps.live.val();
        for i in 0..LC {
            self.warp_cta[i].next = self.warps.warp_cta[i].val();
        }
    }
}
