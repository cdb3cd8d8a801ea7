// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who is there: CTAs take and give back their slot and warp slots, warps exit.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; who is blocked; whose last lanes are gone; for whom an operation is in flight; which CTAs copy; whether
//! `named` is clearing rows; what `mbarrier` has flushed. *Writes:* the operation channel, and beside it what of the launch and the release on their way does not travel in it; the strobes of a CTA that has come or gone; who is live; each warp's CTA slot,
//! all at once and in a walk. *Latency:* 2 from `exit` to the operation, more while its warp has an operation in `front`; W + 3 from `launch`, W + 5 from `retire`, which are taken when they are done.
//!
//! Launches and retirements are rare, so they walk over the warps, one a cycle: a retirement looks which are the CTA's, a launch takes its warp slots as
//! long as it finds them free. What is read of a warp is looked at in the next cycle. Exits go in between. A CTA retires in two steps, so that its slots are not taken anew while operations of its warps are still on
//! their way, nor while `mbarrier` keeps something of it. Implements the CTA instances and exited threads of spec 000, and the exact rules of `docs/interface.md`.

pub mod warps;

use crate::prelude::*;
use warps::Warps;

/// `W = 2^LW` warps counted in `CW` bits, of `L` lanes, `S` CTA slots, cluster slots of `KC` bits, grid slots of `KG` bits.
#[block(unit = "residency")]
pub struct Residency<W, LW, CW, LC, S, L, KC, KG> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub launch: Sink<Launch<W, LC, L, KC, KG>>,
    pub retire: Sink<Retire<LC>>,
    pub exit: Sink<Exit<LW, L>>,
    /// Warps that may not exit.
    #[group("named")]
    pub blocked: Signal<In, Bits<W>>,
    /// Warps of which an operation is on its way from `decode`; their exits wait for it.
    #[group("decode")]
    pub front: Signal<In, Bits<W>>,
    /// Rows are being cleared; a launch waits.
    #[group("named")]
    pub clearing: Signal<In, Bit>,
    /// A launch is on its way; no other begins.
    pub launching: Signal<In, Bit>,
    #[group("gather")]
    pub gone: StrobeIn<WarpExit<LW>>,
    /// Warps of which an operation has yet to have its effects.
    pub in_flight: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    #[group("order")]
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots with a barrier that is open, or a notification that nobody has taken.
    #[group("gateway")]
    #[built(config.has_gateway())]
    pub open: Signal<In, Bits<S>>,
    /// A CTA that left: nothing of it is in `mbarrier` any more.
    #[group("mbarrier")]
    pub flushed: StrobeIn<RetiredCta<LC>>,
    #[group("operation")]
    pub op: Source<CtaOp<W, LW, LC, L>>,
    /// Of the launch that began last: its warps that have been looked at, those of them that have not exited, and the barriers declared.
    pub size_warps: Signal<Out, Bits<CW>>,
    pub size_live: Signal<Out, Bits<CW>>,
    pub size_barriers: Signal<Out, Bits<6>>,
    /// Of the release without a fault that was offered last: open barriers were saved.
    pub saved: Signal<Out, Bit>,
    #[group("CTAs")]
    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// Warps launched and not gone.
    #[group("warps")]
    pub live: Signal<Out, Bits<W>>,
    /// Warps whose exit is on its way here.
    pub exits: Signal<Out, Bits<W>>,
    /// One bit of every warp's CTA slot.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    pub seen: StrobeOut<SeenWarp<LW, LC>>,

    #[init(Warps::default())]
    warps: Warps<W, LW, LC>,
    launched_strobe: StrobeRegister<NewCta<W, LC, KC, KG>>,
    retired_strobe: StrobeRegister<RetiredCta<LC>>,
    seen_strobe: StrobeRegister<SeenWarp<LW, LC>>,

    // The operation, and an exit that is looked at.
    #[reset]
    offered: DFF<Bit>,
    #[reset]
    looks: DFF<Bit>,
    kind: DFF<OpKind>,
    fault: DFF<FaultCode>,
    warp: DFF<Bits<LW>>,
    cta: DFF<Bits<LC>>,
    mask: DFF<Bits<W>>,
    lanes: DFF<Bits<L>>,

    // What is done; at rest none of these.
    #[reset]
    ends: DFF<Bit>,
    #[reset]
    kills: DFF<Bit>,
    #[reset]
    drains: DFF<Bit>,
    #[reset]
    left: DFF<Bit>,
    #[reset]
    claims: DFF<Bit>,
    #[reset]
    offers: DFF<Bit>,
    #[reset]
    came: DFF<Bit>,
    /// The warp that the walk is at.
    #[reset]
    at: DFF<Bits<LW>>,
    // The warp that was read: it is one of the walk of a retirement, of a launch; its slot belongs to a CTA, the launch names it, and it begins.
    #[reset]
    ended: DFF<Bit>,
    #[reset]
    claimed: DFF<Bit>,
    used: DFF<Bit>,
    named: DFF<Bit>,
    begins: DFF<Bit>,
    // The launch that began last: its warps, those that have not exited, barriers declared.
    #[reset]
    total: DFF<Bits<CW>>,
    #[reset]
    living: DFF<Bits<CW>>,
    #[reset]
    barriers: DFF<Bits<6>>,
    /// The release without a fault that was offered last.
    #[reset]
    kept_saved: DFF<Bit>,
    /// The warps that a launch turns live, or a retirement no longer live.
    turned: DFF<Bits<W>>,
    /// What is wrong with the retirement; nothing keeps it.
    refusal: DFF<FaultCode>,
    #[reset]
    quiet: DFF<Bit>,
    /// The launch: a slot is taken; one is of a CTA that leaves, and none has been flushed since it was looked at.
    clash: DFF<Bit>,
    #[reset]
    held: DFF<Bit>,
    #[reset]
    unchanged: DFF<Bit>,

    // CTA slots.
    #[reset]
    slots: DFF<Bits<S>>,
    #[reset]
    leaving: DFF<Bits<S>>,
    /// CTAs of a cluster or a grid, which cannot be saved.
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    bound: DFF<Bits<S>>,

    takes_exit: Signal<Local, Bit>,
    exit_waits: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    /// The operation port is free, and no exit goes first.
    free: Signal<Local, Bit>,
    is_retire: Signal<Local, Bit>,
    whose: Signal<Local, Bits<LC>>,
    mine: Signal<Local, Bit>,
    resident: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    is_taken: Signal<Local, Bit>,
    is_leaving: Signal<Local, Bit>,
    open_to_it: Signal<Local, Bit>,
    late: Signal<Local, Bits<W>>,
    do_kill: Signal<Local, Bit>,
    do_retire: Signal<Local, Bit>,
    do_launch: Signal<Local, Bit>,
    binds: Signal<Local, Bit>,
    stays: Signal<Local, Bits<S>>,
    #[init(Constant::new(((1u64 << config.cta_slots) - 1).into()))]
    built: Constant<Bits<S>>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Residency<W, LW, CW, LC, S, L, KC, KG> {
    fn update(&mut self) {
        // One warp is read in each cycle: that of an exit, else the next of the walk.
        Strobe::join(&mut self.gone, &mut self.warps.gone);
        self.exit.ready.next = !self.offered.q.val() & !self.looks.q.val();
        self.takes_exit.next = self.exit.valid.val() & !self.offered.q.val() & !self.looks.q.val();
        self.free.next = !self.exit.valid.val() & !self.offered.q.val() & !self.looks.q.val();
        // What its warp has on its way goes before it, and decides whether it may exit; the warp is read anew meanwhile.
        self.exit_waits.next = self.looks.q.val() & self.front.val().at(self.warp.q.val());
        self.looks.d.next = self.takes_exit.val() | self.exit_waits.val();
        self.step.next = !self.takes_exit.val() & !self.looks.q.val();
        self.last.next = self.step.val() & self.at.q.val().all();
        self.warps.asked.next = self.at.q.val();
        if self.looks.q.val() {
            self.warps.asked.next = self.warp.q.val();
        }
        if self.takes_exit.val() {
            self.warps.asked.next = self.exit.payload.val().warp;
        }
        if self.step.val() {
            self.at.d.next = self.at.q.val() + 1;
        }
        self.seen_strobe.in_.valid.next = self.step.val();
        self.seen_strobe.in_.payload.next.warp = self.at.q.val();
        self.seen_strobe.in_.payload.next.cta = self.warps.owner.val();
        self.seen_strobe.in_.payload.next.live = self.warps.is_live.val();
        self.seen_strobe.in_.payload.next.moving = self.in_flight.val().at(self.at.q.val());
        self.ended.d.next = self.step.val() & self.ends.q.val();
        self.claimed.d.next = self.step.val() & self.claims.q.val();
        self.used.d.next = self.warps.is_used.val();
        self.named.d.next = self.launch.payload.val().warps.at(self.at.q.val());
        self.begins.d.next =
            self.launch.payload.val().warps.at(self.at.q.val()) & !self.launch.payload.val().exited.at(self.at.q.val());

        // What begins: a retirement first.
        self.rests.next = !(self.ends.q.val()
            | self.kills.q.val()
            | self.drains.q.val()
            | self.left.q.val()
            | self.claims.q.val()
            | self.offers.q.val()
            | self.came.q.val()
            | self.offered.q.val());
        self.is_retire.next = self.retire.valid.val() & !(self.claims.q.val() | self.offers.q.val());
        self.whose.next = self.launch.payload.val().cta;
        if self.is_retire.val() {
            self.whose.next = self.retire.payload.val().cta;
        }
        self.left.d.next = false;
        self.came.d.next = false;
        if self.flushed.valid.val() {
            self.unchanged.d.next = false;
        }
        if self.rests.val() {
            if self.retire.valid.val() {
                self.ends.d.next = true;
                self.at.d.next = 0.into();
            } else {
                if self.launch.valid.val() & !self.launching.val() & !(self.held.q.val() & self.unchanged.q.val()) {
                    self.claims.d.next = true;
                    self.at.d.next = 0.into();
                    self.total.d.next = 0.into();
                    self.living.d.next = 0.into();
                    self.barriers.d.next = self.launch.payload.val().barriers;
                    self.unchanged.d.next = !self.flushed.valid.val();
                    self.held.d.next = self.leaving.q.val().at(self.launch.payload.val().cta);
                }
            }
            self.clash.d.next = self.slots.q.val().at(self.whose.val()) | !self.built.val().at(self.whose.val());
            self.refusal.d.next = FaultCode::None;
            if self.retire.payload.val().saved & (self.bound.q.val() | self.open.val()).at(self.retire.payload.val().cta) {
                self.refusal.d.next = FaultCode::CannotSave;
            }
            if !self.slots.q.val().at(self.whose.val()) {
                self.refusal.d.next = FaultCode::NotResident;
            }
        }

        // A retirement: its warps end; it leaves when nothing of them is in flight and no copy of theirs outstanding.
        self.mine.next = self.used.q.val() & (self.seen_strobe.out.payload.val().cta == self.whose.val());
        self.resident.next = self.mine.val() & (self.refusal.q.val() != FaultCode::NotResident);
        if self.ends.q.val() & self.last.val() {
            self.ends.d.next = false;
            self.kills.d.next = true;
        }
        self.do_kill.next = self.kills.q.val() & !self.ended.q.val() & !self.gone.valid.val();
        if self.do_kill.val() {
            self.kills.d.next = false;
            self.drains.d.next = true;
        }
        self.late.next = self.mask.q.val() & self.in_flight.val();
        self.quiet.d.next = self.drains.q.val()
            & !(self.clearing.val() | self.late.val().any() | self.copying.val().at(self.retire.payload.val().cta));
        self.do_retire.next =
            self.drains.q.val() & self.free.val() & ((self.refusal.q.val() != FaultCode::None) | self.quiet.q.val());
        if self.do_retire.val() {
            self.drains.d.next = false;
            self.left.d.next = true;
        }
        self.retire.ready.next = self.left.q.val();

        // A launch takes its warp slots, up to one that is not free, and gives up those of the CTA that was there before.
        self.is_taken.next = self.used.q.val() & self.slots.q.val().at(self.seen_strobe.out.payload.val().cta);
        self.is_leaving.next = self.used.q.val() & self.leaving.q.val().at(self.seen_strobe.out.payload.val().cta);
        self.open_to_it.next = self.claimed.q.val() & !self.clash.q.val() & !self.held.q.val();
        self.warps.moves.next = self.open_to_it.val() & self.mine.val();
        if self.named.q.val() {
            self.warps.moves.next = self.open_to_it.val() & !(self.is_taken.val() | self.is_leaving.val());
        }
        self.warps.claims.next = self.named.q.val();
        self.warps.at.next = self.seen_strobe.out.payload.val().warp;
        self.warps.cta.next = self.launch.payload.val().cta;
        if self.claimed.q.val() {
            self.total.d.next = self.total.q.val() + self.named.q.val();
            self.living.d.next = self.living.q.val() + self.begins.q.val();
            self.clash.d.next = self.clash.q.val() | (self.named.q.val() & self.is_taken.val());
            self.held.d.next = self.held.q.val() | (self.named.q.val() & self.is_leaving.val());
        }
        if self.claims.q.val() & self.last.val() {
            self.claims.d.next = false;
            self.offers.d.next = true;
        }
        self.do_launch.next = false;
        if self.offers.q.val() & !self.claimed.q.val() {
            if self.held.q.val() & !self.clash.q.val() {
                self.offers.d.next = false;
            } else {
                self.do_launch.next = self.free.val() & !self.clearing.val() & !self.gone.valid.val();
            }
        }
        if self.do_launch.val() {
            self.offers.d.next = false;
            self.came.d.next = true;
            self.held.d.next = false;
        }
        self.comes.next = self.do_launch.val() & !self.clash.q.val();
        self.launch.ready.next = self.came.q.val();
        self.binds.next = self.has_grids.val() & self.launch.payload.val().in_grid.of_grid;
        if self.has_clusters.val() & (self.launch.payload.val().peer.size > 1) {
            self.binds.next = true;
        }

        // The warps of either, as they are seen.
        if self.ended.q.val() | self.claimed.q.val() {
            for n in W..(W + 1) {
                self.mask.d.next = (self.mask.q.val() >> 1).replace_bit(n - 1, self.named.q.val());
                self.turned.d.next = (self.turned.q.val() >> 1).replace_bit(n - 1, self.begins.q.val());
                if self.ended.q.val() {
                    self.mask.d.next = (self.mask.q.val() >> 1).replace_bit(n - 1, self.resident.val());
                    self.turned.d.next = (self.turned.q.val() >> 1).replace_bit(n - 1, self.resident.val());
                }
            }
        }
        self.warps.turned.payload.next = self.turned.q.val();
        self.warps.turned.valid.next = (self.do_kill.val() & (self.refusal.q.val() == FaultCode::None)) | self.comes.val();
        self.warps.begin.next = self.comes.val();

        // The operation.
        if self.takes_exit.val() {
            self.warp.d.next = self.exit.payload.val().warp;
            self.lanes.d.next = self.exit.payload.val().lanes;
        }
        if self.do_launch.val() {
            self.lanes.d.next = self.launch.payload.val().lanes;
        }
        // What comes behind passes gather as of warp 0.
        if self.do_retire.val() | self.do_launch.val() {
            self.warp.d.next = 0.into();
        }
        if self.looks.q.val() | self.do_retire.val() | self.do_launch.val() {
            self.offered.d.next = !self.exit_waits.val();
            self.cta.d.next = self.whose.val();
            self.kind.d.next = OpKind::Launch;
            self.fault.d.next = FaultCode::None;
            if self.do_launch.val() & self.clash.q.val() {
                self.fault.d.next = FaultCode::SlotOccupied;
            }
            if self.do_retire.val() {
                self.kind.d.next = OpKind::Release;
                self.fault.d.next = self.refusal.q.val();
            }
            if self.looks.q.val() {
                self.kind.d.next = OpKind::Exit;
                self.cta.d.next = self.seen_strobe.out.payload.val().cta;
                if self.blocked.val().at(self.warp.q.val()) {
                    self.fault.d.next = FaultCode::WarpBlocked;
                }
                if !self.seen_strobe.out.payload.val().live {
                    self.fault.d.next = FaultCode::NotResident;
                }
            }
        }
        if self.offered.q.val() & self.op.ready.val() {
            self.offered.d.next = false;
        }
        self.op.valid.next = self.offered.q.val();
        self.op.payload.next.kind = self.kind.q.val();
        self.op.payload.next.fault = self.fault.q.val();
        self.op.payload.next.warp = self.warp.q.val();
        self.op.payload.next.cta = self.cta.q.val();
        self.op.payload.next.mask = self.mask.q.val();
        self.op.payload.next.lanes = self.lanes.q.val();
        self.size_warps.next = self.total.q.val();
        self.size_live.next = self.living.q.val();
        self.size_barriers.next = self.barriers.q.val();
        self.saved.next = self.kept_saved.q.val();

        // CTA slots. One that left gives them back when nothing of it is kept any more.
        self.stays.next = self.leaving.q.val();
        if self.flushed.valid.val() {
            self.stays.next = self.leaving.q.val().with(self.flushed.payload.val().cta, false);
        }
        self.leaving.d.next = self.stays.val();
        if self.do_retire.val() & (self.refusal.q.val() == FaultCode::None) {
            self.kept_saved.d.next = self.retire.payload.val().saved;
            self.slots.d.next = self.slots.q.val().with(self.retire.payload.val().cta, false);
            self.leaving.d.next = self.stays.val().with(self.retire.payload.val().cta, true);
        }
        if self.comes.val() {
            self.slots.d.next = self.slots.q.val().with(self.launch.payload.val().cta, true);
            self.bound.d.next = self.bound.q.val().with(self.launch.payload.val().cta, self.binds.val());
        }

        // What the host sees of it.
        self.launched_strobe.in_.valid.next = self.comes.val();
        self.launched_strobe.in_.payload.next.cta = self.launch.payload.val().cta;
        self.launched_strobe.in_.payload.next.peer = self.launch.payload.val().peer;
        self.launched_strobe.in_.payload.next.in_grid = self.launch.payload.val().in_grid;
        self.launched_strobe.in_.payload.next.warps = self.turned.q.val();
        Strobe::join(&mut self.launched_strobe.out, &mut self.launched);
        // Its warps still stand where the walk has put them.
        self.launched.payload.next.warps = self.turned.q.val();
        Strobe::join(&mut self.flushed, &mut self.retired_strobe.in_);
        Strobe::join(&mut self.retired_strobe.out, &mut self.retired);
        Strobe::join(&mut self.seen_strobe.out, &mut self.seen);
        self.live.next = self.warps.live.val();
        for i in 0..LC {
            self.warp_cta[i].next = self.warps.warp_cta[i].val();
        }
        self.exits.next = 0.into();
        if self.looks.q.val() | (self.offered.q.val() & (self.kind.q.val() == OpKind::Exit)) {
            self.exits.next = self.exits.val().with(self.warp.q.val(), true);
        }
    }
}
