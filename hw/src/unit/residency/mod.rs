// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who is there: CTAs take and give back their slot and warp slots, warps exit.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; who is blocked; whose last lanes are gone; for whom an operation is in flight; which CTAs copy; whether
//! `named` is clearing rows; what `mbarrier` has flushed. *Writes:* the operation channel; the strobes of a CTA that has come or gone; who is live; each warp's CTA slot, all at once and in a walk.
//! *Latency:* 2 from `launch` and `exit` to the operation, 3 from `retire`.
//!
//! The slot of a warp is kept as one vector per bit of the slot number, so that a launch writes all its warps at once. A CTA retires in two steps, so that its slots are not taken anew while operations of its warps are still on
//! their way, nor while `mbarrier` keeps something of it. Implements the CTA instances and exited threads of spec 000, and the exact rules of `docs/interface.md`.

pub mod requests;

use crate::prelude::*;
use requests::Requests;

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
    /// Rows are being cleared; a launch waits.
    pub clearing: Signal<In, Bit>,
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
    pub op: Source<CtaOp<W, LW, CW, LC, L>>,
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

    requests: Requests<W, LW, LC, L, KC, KG>,
    launched_strobe: StrobeRegister<NewCta<W, LC, KC, KG>>,
    retired_strobe: StrobeRegister<RetiredCta<LC>>,
    offer: Buffer<CtaOp<W, LW, CW, LC, L>>,
    /// The warp that the walk is at.
    #[reset]
    at: DFF<Bits<LW>>,
    seen_strobe: StrobeRegister<SeenWarp<LW, LC>>,
    seen_cta: Signal<Local, Bits<LC>>,
    /// The slot to retire was checked, and its warps are not live any more.
    #[reset]
    ending: DFF<Bit>,

    // Who is there.
    #[reset]
    taken: DFF<Bits<W>>,
    #[reset]
    alive: DFF<Bits<W>>,
    #[reset]
    slots: DFF<Bits<S>>,
    #[reset]
    leaving: DFF<Bits<S>>,
    #[reset]
    leaving_warps: DFF<Bits<W>>,
    #[reset]
    slot_bit: [DFF<Bits<W>>; LC],
    /// CTAs of a cluster or a grid, which cannot be saved.
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    bound: DFF<Bits<S>>,

    do_exit: Signal<Local, Bit>,
    retire_turn: Signal<Local, Bit>,
    do_end: Signal<Local, Bit>,
    do_retire: Signal<Local, Bit>,
    /// The retirement is refused: what it wants saved cannot be.
    cannot_save: Signal<Local, Bit>,
    binds: Signal<Local, Bit>,
    do_launch: Signal<Local, Bit>,
    verdict: Signal<Local, FaultCode>,
    of_exit: Signal<Local, Bits<LC>>,
    of_retire: Signal<Local, Bits<W>>,
    of_flushed: Signal<Local, Bits<W>>,
    still_leaving: Signal<Local, Bits<S>>,
    still_warps: Signal<Local, Bits<W>>,
    /// The slot of the launch, or a warp slot of it, is that of a CTA that leaves.
    too_early: Signal<Local, Bit>,
    held_warps: Signal<Local, Bits<W>>,
    late: Signal<Local, Bits<W>>,
    copies: Signal<Local, Bit>,
    goes: Signal<Local, Bits<W>>,
    begins: Signal<Local, Bits<W>>,
    clash: Signal<Local, Bits<W>>,
    total: Signal<Local, Bits<CW>>,
    living: Signal<Local, Bits<CW>>,
    #[init(Constant::new(((1u64 << config.cta_slots) - 1).into()))]
    built: Constant<Bits<S>>,
    nothing: Constant<CtaOp<W, LW, CW, LC, L>>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Residency<W, LW, CW, LC, S, L, KC, KG> {
    fn update(&mut self) {
        // What is handled: only while the operation port is free; a launch not before rows are cleared.
        Channel::join(&mut self.launch, &mut self.requests.launch);
        Channel::join(&mut self.retire, &mut self.requests.retire);
        Channel::join(&mut self.exit, &mut self.requests.exit);
        Channel::join(&mut self.offer.out, &mut self.op);
        self.do_exit.next = self.requests.exiting.valid.val() & self.offer.in_.ready.val();
        self.retire_turn.next =
            self.requests.retiring.valid.val() & self.offer.in_.ready.val() & !self.requests.exiting.valid.val();
        self.held_warps.next = self.requests.launching.payload.val().warps & self.leaving_warps.q.val();
        self.too_early.next = self.leaving.q.val().at(self.requests.launching.payload.val().cta) | self.held_warps.val().any();
        self.do_launch.next = self.requests.launching.valid.val()
            & self.offer.in_.ready.val()
            & !self.requests.exiting.valid.val()
            & !self.requests.retiring.valid.val()
            & !self.clearing.val()
            & !self.too_early.val();

        // Where the warp that exits lives, and which warps live where the CTA retires, and where one has left.
        self.of_exit.next = 0.into();
        self.of_retire.next = self.taken.q.val();
        self.of_flushed.next = self.leaving_warps.q.val();
        for i in 0..LC {
            if self.slot_bit[i].q.val().at(self.requests.pending_exit.payload.val().warp) {
                self.of_exit.next = self.of_exit.val().replace_bit(i, true);
            }
            if self.requests.retiring.payload.val().cta.get_bit(i) {
                self.of_retire.next = self.of_retire.val() & self.slot_bit[i].q.val();
            } else {
                self.of_retire.next = self.of_retire.val() & !self.slot_bit[i].q.val();
            }
            if self.flushed.payload.val().cta.get_bit(i) {
                self.of_flushed.next = self.of_flushed.val() & self.slot_bit[i].q.val();
            } else {
                self.of_flushed.next = self.of_flushed.val() & !self.slot_bit[i].q.val();
            }
        }

        self.requests.exit_cta.next = self.of_exit.val();
        self.requests.ending.next = self.ending.q.val();

        // A CTA that retires ends first; it leaves when nothing of its warps is in flight and no copy of theirs outstanding.
        self.cannot_save.next = self.requests.retiring.payload.val().saved
            & !self.ending.q.val()
            & (self.bound.q.val() | self.open.val()).at(self.requests.retiring.payload.val().cta)
            & self.slots.q.val().at(self.requests.retiring.payload.val().cta);
        self.do_end.next = self.retire_turn.val()
            & !self.ending.q.val()
            & !self.cannot_save.val()
            & self.slots.q.val().at(self.requests.retiring.payload.val().cta);
        self.late.next = self.of_retire.val() & self.in_flight.val();
        self.copies.next = self.copying.val().at(self.requests.retiring.payload.val().cta);
        self.do_retire.next = self.retire_turn.val()
            & !self.do_end.val()
            & !(self.ending.q.val() & (self.clearing.val() | self.late.val().any() | self.copies.val()));

        // The warps of a launch.
        self.begins.next = self.requests.launching.payload.val().warps & !self.requests.launching.payload.val().exited;
        self.clash.next = self.requests.launching.payload.val().warps & self.taken.q.val();
        self.binds.next = self.has_grids.val() & self.requests.launching.payload.val().in_grid.of_grid;
        if self.has_clusters.val() & (self.requests.launching.payload.val().peer.size > 1) {
            self.binds.next = true;
        }
        self.total.next = 0.into();
        self.living.next = 0.into();
        for i in 0..W {
            self.total.next = self.total.val() + self.requests.launching.payload.val().warps.get_bit(i);
            self.living.next = self.living.val() + self.begins.val().get_bit(i);
        }

        // What is wrong.
        self.verdict.next = FaultCode::None;
        if self.do_exit.val() {
            if self.blocked.val().at(self.requests.exiting.payload.val().warp) {
                self.verdict.next = FaultCode::WarpBlocked;
            }
            if !self.alive.q.val().at(self.requests.exiting.payload.val().warp) {
                self.verdict.next = FaultCode::NotResident;
            }
        }
        if self.do_retire.val() & self.cannot_save.val() {
            self.verdict.next = FaultCode::CannotSave;
        }
        if self.do_retire.val() & !self.slots.q.val().at(self.requests.retiring.payload.val().cta) {
            self.verdict.next = FaultCode::NotResident;
        }
        if self.do_launch.val()
            & (self.clash.val().any()
                | self.slots.q.val().at(self.requests.launching.payload.val().cta)
                | !self.built.val().at(self.requests.launching.payload.val().cta))
        {
            self.verdict.next = FaultCode::SlotOccupied;
        }

        // Who stays live.
        self.goes.next = 0.into();
        if self.gone.valid.val() {
            self.goes.next = self.goes.val().with(self.gone.payload.val().warp, true);
        }
        if self.do_end.val() {
            self.ending.d.next = true;
            self.goes.next = self.goes.val() | self.of_retire.val();
        }
        self.alive.d.next = self.alive.q.val() & !self.goes.val();

        // A CTA that left gives its slots back when nothing of it is kept any more.
        self.still_leaving.next = self.leaving.q.val();
        self.still_warps.next = self.leaving_warps.q.val();
        if self.flushed.valid.val() {
            self.still_leaving.next = self.leaving.q.val().with(self.flushed.payload.val().cta, false);
            self.still_warps.next = self.leaving_warps.q.val() & !self.of_flushed.val();
        }
        self.leaving.d.next = self.still_leaving.val();
        self.leaving_warps.d.next = self.still_warps.val();

        // The operation, and what changes.
        self.requests.exiting.ready.next = self.do_exit.val();
        self.requests.retiring.ready.next = self.do_retire.val();
        self.requests.launching.ready.next = self.do_launch.val();
        self.offer.in_.valid.next = self.do_exit.val() | self.do_retire.val() | self.do_launch.val();
        self.offer.in_.payload.next = self.nothing.val();
        self.offer.in_.payload.next.fault = self.verdict.val();
        if self.do_exit.val() {
            self.offer.in_.payload.next.kind = OpKind::Exit;
            self.offer.in_.payload.next.warp = self.requests.exiting.payload.val().warp;
            self.offer.in_.payload.next.cta = self.of_exit.val();
            self.offer.in_.payload.next.lanes = self.requests.exiting.payload.val().lanes;
        }
        if self.do_retire.val() {
            self.ending.d.next = false;
            self.offer.in_.payload.next.kind = OpKind::Release;
            self.offer.in_.payload.next.cta = self.requests.retiring.payload.val().cta;
            self.offer.in_.payload.next.cta_warps.mask = self.of_retire.val();
            self.offer.in_.payload.next.cta_warps.saved = self.requests.retiring.payload.val().saved;
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().with(self.requests.retiring.payload.val().cta, false);
                self.taken.d.next = self.taken.q.val() & !self.of_retire.val();
                self.leaving.d.next = self.still_leaving.val().with(self.requests.retiring.payload.val().cta, true);
                self.leaving_warps.d.next = self.still_warps.val() | self.of_retire.val();
            }
        }
        if self.do_launch.val() {
            self.offer.in_.payload.next.kind = OpKind::Launch;
            self.offer.in_.payload.next.cta = self.requests.launching.payload.val().cta;
            self.offer.in_.payload.next.cta_warps.warps = self.total.val();
            self.offer.in_.payload.next.cta_warps.live = self.living.val();
            self.offer.in_.payload.next.cta_warps.barriers = self.requests.launching.payload.val().barriers;
            self.offer.in_.payload.next.cta_warps.mask = self.requests.launching.payload.val().warps;
            self.offer.in_.payload.next.lanes = self.requests.launching.payload.val().lanes;
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().with(self.requests.launching.payload.val().cta, true);
                self.bound.d.next = self.bound.q.val().with(self.requests.launching.payload.val().cta, self.binds.val());
                self.taken.d.next = self.taken.q.val() | self.requests.launching.payload.val().warps;
                self.alive.d.next = (self.alive.q.val() & !self.goes.val()) | self.begins.val();
            }
        }

        for i in 0..LC {
            if self.do_launch.val() & (self.verdict.val() == FaultCode::None) {
                self.slot_bit[i].d.next = self.slot_bit[i].q.val() & !self.requests.launching.payload.val().warps;
                if self.requests.launching.payload.val().cta.get_bit(i) {
                    self.slot_bit[i].d.next = self.slot_bit[i].q.val() | self.requests.launching.payload.val().warps;
                }
            }
            self.warp_cta[i].next = self.slot_bit[i].q.val();
        }

        // What the host sees of it.
        self.launched_strobe.in_.valid.next = self.do_launch.val() & (self.verdict.val() == FaultCode::None);
        self.launched_strobe.in_.payload.next.cta = self.requests.launching.payload.val().cta;
        self.launched_strobe.in_.payload.next.peer = self.requests.launching.payload.val().peer;
        self.launched_strobe.in_.payload.next.in_grid = self.requests.launching.payload.val().in_grid;
        self.launched_strobe.in_.payload.next.warps = self.begins.val();
        Strobe::join(&mut self.launched_strobe.out, &mut self.launched);
        self.retired_strobe.in_.valid.next = self.flushed.valid.val();
        self.retired_strobe.in_.payload.next = self.flushed.payload.val();
        Strobe::join(&mut self.retired_strobe.out, &mut self.retired);
        // The walk.
        self.at.d.next = self.at.q.val() + 1;
        self.seen_cta.next = 0.into();
        for i in 0..LC {
            if self.slot_bit[i].q.val().at(self.at.q.val()) {
                self.seen_cta.next = self.seen_cta.val().replace_bit(i, true);
            }
        }
        self.seen_strobe.in_.valid.next = true;
        self.seen_strobe.in_.payload.next.warp = self.at.q.val();
        self.seen_strobe.in_.payload.next.cta = self.seen_cta.val();
        self.seen_strobe.in_.payload.next.live = self.alive.q.val().at(self.at.q.val());
        self.seen_strobe.in_.payload.next.moving = self.in_flight.val().at(self.at.q.val());
        Strobe::join(&mut self.seen_strobe.out, &mut self.seen);
        self.live.next = self.alive.q.val();
        self.exits.next = 0.into();
        if self.requests.pending_exit.valid.val() {
            self.exits.next = self.exits.val().with(self.requests.pending_exit.payload.val().warp, true);
        }
        if self.offer.out.valid.val() & (self.offer.out.payload.val().kind == OpKind::Exit) {
            self.exits.next = self.exits.val().with(self.offer.out.payload.val().warp, true);
        }
    }
}
