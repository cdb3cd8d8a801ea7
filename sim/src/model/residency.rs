// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `residency` in cycles: which CTAs and warps are there (`docs/interface.md`, `residency`).

use super::mbarrier_ports::Launch as Launched;
use super::op::{Code, Kind, Operation};
use super::requests::{Exit, Launch, Places, Ready, Requests, Retire};
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::watch::Seen;
use super::wire::{Clocked, Fields, Walk};
use bcu_hw::ports::Dir;

/// An operation as it leaves `residency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub op: Operation,
    /// Exit: the lanes; Launch: the live lanes of the last warp.
    pub lanes: u64,
}

impl Request {
    fn fields(&mut self, at: &mut Fields) {
        self.op.kind_and_fault(at);
        at.warp(&mut self.op.warp);
        at.cta(&mut self.op.cta);
        self.op.fields_of_cta(at);
        at.field("lanes", &mut self.lanes, at.sizes().lanes());
    }
}

/// A CTA that has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCta {
    pub at: Launched,
    /// Whether it is of a grid, and of which.
    pub of_grid: bool,
    pub grid: u8,
    /// Its warps that are live.
    pub warps: u64,
}

impl NewCta {
    fn fields(&mut self, at: &mut Fields) {
        self.at.fields(at);
        at.field("of_grid", &mut self.of_grid, 1);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
        at.field("warps", &mut self.warps, at.sizes().warps());
    }
}

/// Input ports of `residency`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResidencyIn {
    pub reset: bool,
    pub requests: Requests,
    pub blocked: u64,
    pub clearing: bool,
    /// The warp whose last lanes have exited.
    pub gone: Option<u8>,
    /// Warps of which an operation has yet to have its effects.
    pub in_flight: u64,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: u64,
    /// CTA slots with a barrier of the gateway in use.
    pub open: u64,
    /// The slot of a CTA of which nothing is in `mbarrier` any more.
    pub flushed: Option<u8>,
    pub op_ready: bool,
}

/// Output ports of `residency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResidencyOut {
    pub ready: Ready,
    pub op_valid: bool,
    pub request: Request,
    /// A CTA has come into this slot; one has gone from it.
    pub launched_valid: bool,
    pub launched: NewCta,
    pub retired_valid: bool,
    pub retired_cta: u8,
    pub live: u64,
    /// Warps whose exit has been taken and not yet transferred on.
    pub exits: u64,
    pub warp_cta: WarpCta,
    pub seen_valid: bool,
    pub seen: Seen,
}

impl ResidencyOut {
    /// The strobes of a CTA that has come or gone.
    pub fn strobes(&mut self, at: &mut Walk) {
        at.strobe_out("launched", &mut self.launched_valid, &mut self.launched, NewCta::fields);
        at.strobe_out("retired", &mut self.retired_valid, &mut self.retired_cta, |cta, at| at.cta(cta));
    }
}

/// The state of `residency`.
#[derive(Clone, Debug)]
pub struct Residency {
    sizes: Sizes,
    places: Places,
    /// The pending retirement has taken its first step.
    closing: bool,
    op_valid: bool,
    request: Request,
    /// Whether `launched` and `retired` show something, and what they showed last.
    launches: bool,
    launched: NewCta,
    retired: bool,
    retired_cta: u8,
    live: u64,
    /// Warp slots that belong to a CTA, exited or not.
    taken_warps: u64,
    /// CTA slots that are taken, one bit each.
    taken_slots: u64,
    /// Slots of CTAs, as last launched, that are of a cluster or a grid.
    bound_slots: u64,
    /// CTA slots, and warp slots, of CTAs that have left and of which `mbarrier` may still have something.
    leaving_slots: u64,
    leaving_warps: u64,
    /// Of every warp, the CTA slot it was last launched in.
    warp_cta: WarpCta,
    /// The warp at which the walk is, and what it showed last.
    at: u8,
    seen: Option<Seen>,
    /// Exits, retirements and launches handled since reset.
    handled: [u32; 3],
}

/// The present number of a count that goes up.
fn next(count: &mut u32) -> u32 {
    let number = *count;
    *count = number.wrapping_add(1);
    number
}

impl Residency {
    /// The first request that may be handled becomes an operation, with its lanes, and leaves its place.
    fn handle(&mut self, inputs: &ResidencyIn) -> Option<Request> {
        let of_exit = self.places.exit.request.map_or(0, |exit| self.warp_cta.of(exit.warp));
        if let Some(exit) = self.places.leaving(of_exit, self.closing) {
            self.places.exit.request = None;
            let op = Operation { tag: next(&mut self.handled[0]), ..self.exit(exit, inputs.blocked) };
            return Some(Request { op, lanes: exit.lanes });
        }
        if let Some(retire) = self.places.retirement() {
            let op = self.retire(retire, inputs)?;
            return Some(Request { op: Operation { tag: next(&mut self.handled[1]), ..op }, lanes: 0 });
        }
        if inputs.clearing {
            return None;
        }
        let free = |launch: &Launch| self.leaving_slots >> launch.cta & 1 == 0 && self.leaving_warps & launch.warps == 0;
        let launch = self.places.launch.request.take_if(|launch| free(launch))?;
        let op = Operation { tag: next(&mut self.handled[2]), ..self.launch(launch) };
        Some(Request { op, lanes: launch.lanes })
    }

    /// The warp stays live until `gone` shows it.
    fn exit(&self, Exit { warp, .. }: Exit, blocked: u64) -> Operation {
        let bit = 1 << warp;
        let fault = if self.live & bit == 0 {
            Code::NotResident
        } else if blocked & bit != 0 {
            Code::WarpBlocked
        } else {
            Code::None
        };
        Operation { kind: Kind::Exit, fault, warp, cta: self.warp_cta.of(warp), ..Operation::default() }
    }

    /// First nobody of the CTA may issue any more; when all that its warps have issued is through, and the release before it
    /// as well, it goes.
    fn retire(&mut self, Retire { cta, saved }: Retire, inputs: &ResidencyIn) -> Option<Operation> {
        // Every taken warp is of a taken slot, so an empty slot has none.
        let freed = self.taken_warps & self.warp_cta.all_of(cta);
        let is_empty = self.taken_slots >> cta & 1 == 0;
        if !is_empty && saved && !self.closing && (self.bound_slots | inputs.open) >> cta & 1 != 0 {
            self.places.retire.request = None;
            let (kind, fault) = (Kind::Release, Code::CannotSave);
            return Some(Operation { kind, fault, cta, mask: freed, saved, ..Operation::default() });
        }
        if !is_empty {
            if !std::mem::replace(&mut self.closing, true) {
                self.live &= !freed;
                return None;
            }
            if inputs.clearing || inputs.in_flight & freed != 0 || inputs.copying >> cta & 1 != 0 {
                return None;
            }
        }
        let fault = if is_empty { Code::NotResident } else { Code::None };
        self.closing = false;
        self.places.retire.request = None;
        self.taken_slots &= !(1 << cta);
        self.taken_warps &= !freed;
        self.leaving_slots |= u64::from(!is_empty) << cta;
        self.leaving_warps |= freed;
        Some(Operation { kind: Kind::Release, fault, cta, mask: freed, saved, ..Operation::default() })
    }

    fn launch(&mut self, launch: Launch) -> Operation {
        let Launch { cta, warps, exited, barriers, cluster, rank, size, of_grid, grid, .. } = launch;
        let live = warps & !exited;
        let not_built = usize::from(cta) >= self.sizes.cta_slots();
        let fault = if not_built || self.taken_slots >> cta & 1 != 0 || self.taken_warps & warps != 0 {
            Code::SlotOccupied
        } else {
            self.taken_slots |= 1 << cta;
            let bound = self.sizes.has_clusters() && size > 1 || self.sizes.has_grids() && of_grid;
            self.bound_slots = self.bound_slots & !(1 << cta) | u64::from(bound) << cta;
            self.taken_warps |= warps;
            self.live |= live;
            self.warp_cta.set(warps, cta);
            let at = Launched { cta, cluster, rank, size };
            (self.launches, self.launched) = (true, NewCta { at, of_grid, grid, warps: live });
            Code::None
        };
        Operation {
            kind: Kind::Launch,
            fault,
            cta,
            warps: warps.count_ones() as u8,
            live: live.count_ones() as u8,
            barriers,
            mask: warps,
            ..Operation::default()
        }
    }
}

impl Clocked for Residency {
    type Inputs = ResidencyIn;
    type Outputs = ResidencyOut;

    fn new(sizes: Sizes) -> Residency {
        Residency {
            sizes,
            places: Places::default(),
            closing: false,
            op_valid: false,
            request: Request::default(),
            launches: false,
            launched: NewCta::default(),
            retired: false,
            retired_cta: 0,
            live: 0,
            taken_warps: 0,
            taken_slots: 0,
            bound_slots: 0,
            leaving_slots: 0,
            leaving_warps: 0,
            warp_cta: WarpCta::default(),
            at: 0,
            seen: None,
            handled: [0; 3],
        }
    }

    fn ports(i: &mut ResidencyIn, o: &mut ResidencyOut, at: &mut Walk) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        i.requests.ports(&mut o.ready, at);
        at.input("blocked", &mut i.blocked, warps);
        at.input("clearing", &mut i.clearing, 1);
        at.strobe_in("gone", &mut i.gone, |warp, at| at.warp(warp));
        at.input("in_flight", &mut i.in_flight, warps);
        at.input("copying", &mut i.copying, at.sizes().cta_slots());
        if at.sizes().has_gateway() {
            at.input("open", &mut i.open, at.sizes().cta_slots());
        }
        at.strobe_in("flushed", &mut i.flushed, |cta, at| at.cta(cta));
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.request, Request::fields);
        o.strobes(at);
        at.output("live", &mut o.live, warps);
        at.output("exits", &mut o.exits, warps);
        o.warp_cta.ports(Dir::Out, at);
        at.strobe_out("seen", &mut o.seen_valid, &mut o.seen, Seen::fields);
    }

    fn outputs(&self) -> ResidencyOut {
        let Request { op, .. } = &self.request;
        let offered = (self.op_valid && op.kind == Kind::Exit).then_some(op.warp);
        let exits =
            self.places.exit.request.map(|exit| exit.warp).into_iter().chain(offered).fold(0, |exits, warp| exits | 1 << warp);
        ResidencyOut {
            ready: self.places.ready(),
            op_valid: self.op_valid,
            request: self.request,
            launched_valid: self.launches,
            launched: self.launched,
            retired_valid: self.retired,
            retired_cta: self.retired_cta,
            live: self.live,
            exits,
            warp_cta: self.warp_cta,
            seen_valid: self.seen.is_some(),
            seen: self.seen.unwrap_or_default(),
        }
    }

    fn clock(&mut self, inputs: &ResidencyIn) {
        if inputs.reset {
            *self = Residency::new(self.sizes);
            return;
        }
        let is_in = |warps: u64| warps >> self.at & 1 != 0;
        let (live, moving) = (is_in(self.live), is_in(inputs.in_flight));
        self.seen = Some(Seen { warp: self.at, cta: self.warp_cta.of(self.at), live, moving });
        self.at = ((usize::from(self.at) + 1) % (1 << self.sizes.warp_bits())) as u8;
        // A place that was occupied in this cycle was not ready, whether it is emptied now or not.
        let out = self.outputs();
        let (was_live, leaving_slots, leaving_warps) = (self.live, self.leaving_slots, self.leaving_warps);
        (self.launches, self.retired) = (false, false);
        if out.op_valid {
            self.op_valid = !inputs.op_ready;
        } else if let Some(request) = self.handle(inputs) {
            self.op_valid = true;
            self.request = request;
        }
        if let Some(cta) = inputs.flushed {
            (self.retired, self.retired_cta) = (true, cta);
            // One that begins to leave at this edge does so all the same.
            self.leaving_slots &= !(leaving_slots & 1 << cta);
            self.leaving_warps &= !(leaving_warps & self.warp_cta.all_of(cta));
        }
        // Whom a launch makes live at this edge is another warp than the one that has gone.
        self.live &= !inputs.gone.map_or(0, |warp| was_live & 1 << warp);
        self.places.take(inputs.requests, out.ready);
    }
}
