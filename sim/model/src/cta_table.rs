// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `cta_table`: the resident CTAs and warps (`docs/contract/cta_table.md`).

mod idle;

use super::cta_table_ports::{CtaSizes, Request};
pub use super::cta_table_ports::{CtaTableIn, CtaTableOut, NewCta};
use super::deadlock_detector::Seen;
use super::in_place::clone_in_place;
use super::mbarrier_ports::Launch as Launched;
use super::op::{Code, Kind, Operation};
use super::requests::{Exit, Launch, Ready, Retire};
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, PortAction, Walk};
use bcu_isa::ports::Dir;

/// The state of the launch or retirement in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Idle,
    /// A retirement: `End` walks over the warps, one a cycle; `Kill` ends them; `Drain` waits for operations in flight; at `Retired` the
    /// retirement is accepted.
    End,
    Kill,
    Drain,
    Retired,
    /// A launch: `Claim` walks over all warp slots, one a cycle; `Offer` waits until the Launch can be offered; at `Launched` the launch is
    /// accepted.
    Claim,
    Offer,
    Launched,
}

/// An accepted exit, and what was read about its warp: whether it was live, and its CTA slot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CheckedExit {
    exit: Exit,
    live: bool,
    cta: u8,
}

clone_in_place! {
    /// The state of `cta_table`.
    #[derive(Debug, PartialEq)]
    pub struct CtaTable {
        sizes: Sizes,
        job: Job,
        /// The warp that the walk reads next.
        walk_warp: u8,
        /// The warp that the walk read in the last cycle. The strobe `seen` outputs it.
        seen: Option<Seen>,
        /// The job whose walk read the warp in `seen`; `None` if no job walked.
        stepped: Option<Job>,
        /// The exit that is being checked.
        exit: Option<CheckedExit>,
        /// The refusal of the retirement or launch in progress.
        refusal: Code,
        /// The warps of the retirement or launch in progress, one bit per warp.
        warps: u64,
        /// The warps that the launch in progress makes live, one bit per warp.
        begins: u64,
        /// The counts of the launch that began last.
        counted: CtaSizes,
        /// Whether the CTA of the last offered Release without a fault is saved.
        saved: bool,
        /// In the last cycle, no operation, copy or clearing of rows delayed the retirement.
        drained: bool,
        /// The last attempt of the launch found that a leaving CTA still has one of its slots.
        cta_leaving: bool,
        /// No CTA was flushed since the last attempt of the launch. While this and `cta_leaving` are true, the launch does not begin again.
        unchanged: bool,
        op_valid: bool,
        request: Request,
        /// The valid bit of the strobe `launched`.
        launches: bool,
        /// The last payload of the strobe `launched`.
        launched: NewCta,
        /// The valid bit of the strobe `retired`.
        retired: bool,
        /// The last payload of the strobe `retired`.
        retired_cta: u8,
        live: u64,
        /// Warp slots that belong to a CTA. A CTA that has left keeps its warp slots until a launch claims them or claims its CTA slot.
        used_warps: u64,
        /// Occupied CTA slots, one bit each.
        occupied_slots: u64,
        /// CTA slots whose last launched CTA belongs to a cluster of several CTAs or to a grid; one bit per CTA slot.
        bound_slots: u64,
        /// CTA slots that are leaving: their CTA is retired, and they are not yet freed; one bit per CTA slot.
        leaving_slots: u64,
        /// For every warp, the CTA slot of its last launch.
        warp_cta: WarpCta,
        /// Exits, retirements and launches handled since reset.
        handled: [u32; 3],
    }
}

/// Returns a counter's value and increments it.
fn next(count: &mut u32) -> u32 {
    let number = *count;
    *count = number.wrapping_add(1);
    number
}

impl CtaTable {
    /// The operation that is offered: an Exit, a Launch or a Release.
    pub fn offered(&self) -> Option<&Operation> {
        self.op_valid.then_some(&self.request.op)
    }

    fn is_occupied(&self, slot: u8) -> bool {
        self.occupied_slots >> slot & 1 != 0
    }

    fn leaves(&self, slot: u8) -> bool {
        self.leaving_slots >> slot & 1 != 0
    }

    fn offer(&mut self, op: Operation, lanes: u64) {
        self.op_valid = true;
        self.request = Request { op, lanes };
    }

    /// Offers an exit. The warp stays live until `warp_exited` reports it.
    fn exit(&mut self, CheckedExit { exit: Exit { warp, lanes }, live, cta }: CheckedExit, blocked: u64) {
        let fault = if !live {
            Code::NotResident
        } else if blocked >> warp & 1 != 0 {
            Code::WarpBlocked
        } else {
            Code::None
        };
        let tag = next(&mut self.handled[0]);
        self.offer(Operation { kind: Kind::Exit, fault, warp, cta, tag, ..Operation::default() }, lanes);
    }

    /// Begins the retirement if one is offered, otherwise the launch, and returns the next job. A launch that needs a CTA slot or a warp
    /// slot of a leaving CTA begins again after the next CTA is flushed.
    fn begin(&mut self, inputs: &CtaTableIn) -> Job {
        if let Some(Retire { cta, saved }) = inputs.requests.retire {
            self.refusal = if !self.is_occupied(cta) {
                Code::NotResident
            } else if saved && (self.bound_slots | inputs.open) >> cta & 1 != 0 {
                Code::CannotSave
            } else {
                Code::None
            };
            self.warps = 0;
            return Job::End;
        }
        let Some(launch) = inputs.requests.launch.filter(|_| !inputs.launching && !(self.cta_leaving && self.unchanged)) else {
            return Job::Idle;
        };
        let not_built = usize::from(launch.cta) >= self.sizes.cta_slots();
        self.refusal = if not_built || self.is_occupied(launch.cta) { Code::SlotOccupied } else { Code::None };
        (self.cta_leaving, self.unchanged) = (self.leaves(launch.cta), inputs.flushed.is_none());
        (self.warps, self.begins) = (0, 0);
        self.counted = CtaSizes { barriers: launch.barriers, ..CtaSizes::default() };
        Job::Claim
    }

    /// Applies a step of a walk to the warp that was read in the cycle before.
    fn apply_walk_step(&mut self, walk: Job, warp: u8, inputs: &CtaTableIn) {
        let (bit, owner) = (1 << warp, self.warp_cta.slot_of(warp));
        let used = self.used_warps & bit != 0;
        match (walk, inputs.requests.retire, inputs.requests.launch) {
            (Job::End, Some(retire), _) if used && owner == retire.cta && self.refusal != Code::NotResident => {
                self.warps |= bit;
            }
            (Job::Claim, _, Some(launch)) => {
                let named = launch.warps & bit != 0;
                let is_claimable = !used || !self.is_occupied(owner) && !self.leaves(owner);
                if self.refusal == Code::None
                    && !self.cta_leaving
                    && (named && is_claimable || !named && used && owner == launch.cta)
                {
                    // Claims a warp slot that the launch names, or frees a warp slot of the CTA that had this CTA slot before.
                    self.used_warps = self.used_warps & !bit | launch.warps & bit;
                    self.warp_cta.set(bit, launch.cta);
                }
                if named {
                    self.warps |= bit;
                    self.begins |= bit & !launch.exited;
                    self.counted.warps += 1;
                    self.counted.live += u8::from(launch.exited & bit == 0);
                    self.cta_leaving |= used && self.leaves(owner);
                    self.refusal = if used && self.is_occupied(owner) { Code::SlotOccupied } else { self.refusal };
                }
            }
            _ => (),
        }
    }

    /// Ends the walk of a retirement: its warps are no longer live. A refused retirement changes no warp.
    fn kill(&mut self) -> Job {
        self.live &= if self.refusal == Code::None { !self.warps } else { !0 };
        Job::Drain
    }

    /// Whether a retirement can be accepted: all operations of its warps have had their effects, no copy of its CTA is outstanding, and the
    /// rows of the previously released CTA are cleared.
    fn is_quiet(&self, inputs: &CtaTableIn) -> bool {
        let copies = inputs.requests.retire.is_some_and(|Retire { cta, .. }| inputs.copying >> cta & 1 != 0);
        !inputs.clearing && inputs.in_flight & self.warps == 0 && !copies
    }

    /// Accepts a retirement: offers its Release. The CTA leaves its CTA slot if the retirement has no fault.
    fn retire(&mut self, Retire { cta, saved }: Retire) -> Job {
        let (fault, mask) = (self.refusal, self.warps);
        if fault == Code::None {
            self.saved = saved;
            self.occupied_slots &= !(1 << cta);
            self.leaving_slots |= 1 << cta;
        }
        let tag = next(&mut self.handled[1]);
        self.offer(Operation { kind: Kind::Release, fault, cta, mask, saved, tag, ..Operation::default() }, 0);
        Job::Retired
    }

    /// Accepts a launch: offers its Launch. The CTA occupies its CTA slot if the launch has no fault.
    fn launch(&mut self, launch: Launch) -> Job {
        let Launch { cta, cluster, rank, size, has_grid, grid, lanes, .. } = launch;
        let (fault, mask, begins) = (self.refusal, self.warps, self.begins);
        if fault == Code::None {
            self.occupied_slots |= 1 << cta;
            let bound = self.sizes.has_clusters() && size > 1 || self.sizes.has_grids() && has_grid;
            self.bound_slots = self.bound_slots & !(1 << cta) | u64::from(bound) << cta;
            self.live |= begins;
            let placement = Launched { cta, cluster, rank, size };
            (self.launches, self.launched) = (true, NewCta { placement, has_grid, grid, warps: begins });
        }
        self.cta_leaving = false;
        let tag = next(&mut self.handled[2]);
        let CtaSizes { warps, live, barriers } = self.counted;
        self.offer(
            Operation { kind: Kind::Launch, fault, cta, warps, live, barriers, mask, tag, ..Operation::default() },
            lanes,
        );
        Job::Launched
    }
}

impl Clocked for CtaTable {
    type Inputs = CtaTableIn;
    type Outputs = CtaTableOut;

    fn new(sizes: Sizes) -> CtaTable {
        CtaTable {
            sizes,
            job: Job::Idle,
            walk_warp: 0,
            seen: None,
            stepped: None,
            exit: None,
            refusal: Code::None,
            warps: 0,
            begins: 0,
            counted: CtaSizes::default(),
            saved: false,
            drained: false,
            cta_leaving: false,
            unchanged: false,
            op_valid: false,
            request: Request::default(),
            launches: false,
            launched: NewCta::default(),
            retired: false,
            retired_cta: 0,
            live: 0,
            used_warps: 0,
            occupied_slots: 0,
            bound_slots: 0,
            leaving_slots: 0,
            warp_cta: WarpCta::default(),
            handled: [0; 3],
        }
    }

    fn ports(i: &mut CtaTableIn, o: &mut CtaTableOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        i.requests.ports(&mut o.ready, at);
        at.input("blocked", &mut i.blocked, warps);
        at.input("in_decode", &mut i.in_decode, warps);
        at.input("clearing", &mut i.clearing, 1);
        at.input("launching", &mut i.launching, 1);
        at.strobe_in("warp_exited", &mut i.warp_exited, |warp, at| at.warp(warp));
        at.input("in_flight", &mut i.in_flight, warps);
        at.input("copying", &mut i.copying, at.sizes().cta_slots());
        if at.sizes().has_gateway() {
            at.input("open", &mut i.open, at.sizes().cta_slots());
        }
        at.strobe_in("flushed", &mut i.flushed, |cta, at| at.cta(cta));
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.request, Request::fields);
        o.sizes.ports(at);
        at.output("saved", &mut o.saved, 1);
        o.strobes(at);
        at.output("live", &mut o.live, warps);
        at.output("exits", &mut o.exits, warps);
        o.warp_cta.ports(Dir::Out, at);
        at.strobe_out("seen", &mut o.seen_valid, &mut o.seen, Seen::fields);
    }

    fn outputs(&self) -> CtaTableOut {
        let Request { op, .. } = &self.request;
        let offered = if self.op_valid && op.kind == Kind::Exit { 1 << op.warp } else { 0 };
        let exits = offered | self.exit.map_or(0, |checked| 1 << checked.exit.warp);
        let exit = !self.op_valid && self.exit.is_none();
        CtaTableOut {
            ready: Ready { launch: self.job == Job::Launched, retire: self.job == Job::Retired, exit },
            op_valid: self.op_valid,
            request: self.request,
            sizes: self.counted,
            saved: self.saved,
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

    fn clock(&mut self, inputs: &CtaTableIn) {
        if inputs.reset {
            *self = CtaTable::new(self.sizes);
            return;
        }
        let CtaTable { job, walk_warp, seen, stepped, refusal, drained, cta_leaving, leaving_slots, live, .. } = *self;
        let (is_offered, is_exit_ready) = (self.op_valid, !self.op_valid && self.exit.is_none());
        let is_drained = job == Job::Drain && self.is_quiet(inputs);
        let exit = self.exit.take();
        (self.launches, self.retired) = (false, false);
        self.op_valid &= !inputs.op_ready;

        // One warp is read in a cycle: the warp of an exit, otherwise the next warp of the walk. The warp of an exit is read again while
        // `decode` has an operation of that warp in flight.
        let is_exit_idle = is_exit_ready && inputs.requests.exit.is_none();
        let steps = exit.is_none() && !(is_exit_ready && inputs.requests.exit.is_some());
        let again = exit.filter(|checked| inputs.in_decode >> checked.exit.warp & 1 != 0);
        let read = again.map(|checked| checked.exit).or(inputs.requests.exit.filter(|_| is_exit_ready));
        self.exit =
            read.map(|exit| CheckedExit { exit, live: live >> exit.warp & 1 != 0, cta: self.warp_cta.slot_of(exit.warp) });
        let is_in = |warps: u64| warps >> walk_warp & 1 != 0;
        self.seen = steps.then(|| Seen {
            warp: walk_warp,
            cta: self.warp_cta.slot_of(walk_warp),
            live: is_in(live),
            in_flight: is_in(inputs.in_flight),
        });
        self.stepped = Some(job).filter(|job| steps && matches!(job, Job::End | Job::Claim));
        let is_last = steps && usize::from(walk_warp) + 1 == self.sizes.warps();
        if steps {
            self.walk_warp = if is_last { 0 } else { walk_warp + 1 };
        }

        // Offers the exit, or applies the walk step, of the warp that was read in the cycle before.
        if let Some(exit) = exit.filter(|_| again.is_none()) {
            self.exit(exit, inputs.blocked);
        }
        if let (Some(walk), Some(seen)) = (stepped, seen) {
            self.apply_walk_step(walk, seen.warp, inputs);
        }

        // At most one job (a launch or a retirement) is in progress. A step of its walk is applied one cycle after the read of the warp, so
        // all warps have been checked in the second cycle after the walk.
        let (refused, walk_checked) = (refusal != Code::None, stepped.is_none());
        self.drained = is_drained;
        self.job = match job {
            Job::Idle if is_offered => Job::Idle,
            Job::Idle => self.begin(inputs),
            Job::End if is_last => Job::Kill,
            Job::Claim if is_last => Job::Offer,
            Job::Kill if walk_checked && inputs.warp_exited.is_none() => self.kill(),
            Job::Drain if is_exit_idle && (refused || drained) => {
                inputs.requests.retire.map_or(Job::Idle, |retire| self.retire(retire))
            }
            Job::Offer if walk_checked && cta_leaving && !refused => Job::Idle,
            Job::Offer if walk_checked && is_exit_idle && !inputs.clearing && inputs.warp_exited.is_none() => {
                inputs.requests.launch.map_or(Job::Idle, |launch| self.launch(launch))
            }
            Job::Retired | Job::Launched => Job::Idle,
            job => job,
        };
        self.unchanged &= inputs.flushed.is_none();
        if job == Job::Idle && self.job != Job::Idle {
            self.walk_warp = 0;
        }

        if let Some(cta) = inputs.flushed {
            (self.retired, self.retired_cta) = (true, cta);
            // A CTA that begins to leave at this edge keeps its bit, even if it is in the CTA slot that is flushed.
            self.leaving_slots &= !(leaving_slots & 1 << cta);
        }
        self.live &= !inputs.warp_exited.map_or(0, |warp| 1 << warp);
    }
}
