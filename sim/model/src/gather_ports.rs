// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `gather`: an operation is processed in the cycle after its transfer, or when the earlier operations of its row are
//! through; its results are output two cycles later. The pipeline stalls while the operation passed on has no free register
//! (`docs/contract/gather.md`).

use super::gather::{Carried, Gather as Warps, GatherEffect, Laned, Lanes, Offered, WarpLanes};
use super::op::Kind;
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};

/// Input ports of `gather`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GatherIn {
    pub reset: bool,
    pub offered: Option<Offered>,
    /// If set, an election makes the highest lane the leader, otherwise the lowest.
    pub leader_policy: bool,
    pub op_ready: bool,
    pub op_done: u64,
}

/// Output ports of `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherOut {
    /// The operation in the entry is not processed in this cycle, whatever `op_ready` is.
    pub entry_waits: bool,
    /// The operation to be passed on has no free register unless `op_ready` is 1.
    pub full: bool,
    pub op_valid: bool,
    pub op: Carried,
    pub lanes_valid: bool,
    pub lanes: Lanes,
    pub warp_exited_valid: bool,
    pub warp_exited_warp: u8,
    pub op_absorbed: u64,
    pub gathering: u64,
    pub exit_pending: u64,
}

/// The result of processing an operation.
#[derive(Clone, Copy, Debug)]
struct Decided {
    offered: Offered,
    effect: GatherEffect,
    /// After this operation, the warps whose live lanes all wait, one bit per warp.
    gathering: u64,
    /// The bit of the operation's warp if an exit may have caused the operation that is passed on, else 0.
    exit_pending: u64,
}

/// The state of `gather`.
#[derive(Clone, Debug)]
pub struct Gather {
    sizes: Sizes,
    warps: Warps,
    /// The operation in the entry, processed in this cycle unless it waits.
    entry: Option<Offered>,
    waits: bool,
    /// The warp whose row was processed in the last cycle.
    before: Option<u8>,
    /// The result of the last cycle, output in the next one.
    decided: Option<Decided>,
    /// An operation to be passed on that found the operation port occupied.
    delayed: Option<Carried>,
    /// The second lanes strobe of the operation processed before.
    more_lanes: Option<Lanes>,
    /// After all operations processed so far, the warps whose live lanes all wait, one bit per warp.
    gathering: u64,
    /// The output `exit_pending`, without the operation processed in the last cycle.
    exit_pending: u64,
    out: GatherOut,
}

impl GatherOut {
    /// Whether `gather` accepts an offered operation in this cycle.
    pub fn takes(&self, op_ready: bool) -> bool {
        !self.entry_waits && (op_ready || !self.full)
    }
}

impl Gather {
    /// The operation processed in the last cycle, and its effect.
    pub fn looked_at(&self) -> Option<(&Offered, &GatherEffect)> {
        self.decided.as_ref().map(|decided| (&decided.offered, &decided.effect))
    }

    /// Whether the operation processed in the last cycle closes two rendezvous, whose second strobe takes another cycle.
    fn closes_two(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.effect.more_lanes.is_some())
    }

    /// The operation in the entry, not processed yet.
    pub fn entry(&self) -> Option<&Offered> {
        self.entry.as_ref()
    }

    /// The lane state of a warp.
    pub fn warp(&self, warp: u8) -> &WarpLanes {
        self.warps.warp(warp)
    }

    /// The warps whose live lanes all wait, after an operation; only the warps of the operation are checked again.
    fn stopped(&self, offered: &Offered) -> u64 {
        let op = &offered.laned.carried.op;
        let touched = if matches!(op.kind, Kind::Launch | Kind::Release) { op.mask } else { 1 << op.warp };
        let stopped = |warp: &u8| touched >> warp & 1 != 0 && self.warps.warp(*warp).is_stopped();
        let stopped_warps = (0..self.sizes.warps() as u8).filter(stopped).fold(0, |all, warp| all | 1 << warp);
        self.gathering & !touched | stopped_warps
    }

    /// Processes an operation, and changes the state accordingly at once.
    fn look(&mut self, offered: &Offered, highest: bool) -> Decided {
        let Laned { carried, lanes, .. } = offered.laned;
        let whole = self.warps.warp(carried.op.warp).is_whole(lanes);
        let mut effect = self.warps.apply(offered, highest);
        if let Some(passed) = &mut effect.passed {
            passed.carried.all_live_lanes = whole;
        }
        self.gathering = self.stopped(offered);
        Decided { offered: *offered, effect, gathering: self.gathering, exit_pending: carried.comes_of_an_exit() }
    }
}

impl Clocked for Gather {
    type Inputs = GatherIn;
    type Outputs = GatherOut;

    fn new(sizes: Sizes) -> Gather {
        let (entry, before, decided, delayed, more_lanes, out) = (None, None, None, None, None, GatherOut::default());
        Gather {
            sizes,
            warps: Warps::new(sizes),
            entry,
            waits: false,
            before,
            decided,
            delayed,
            more_lanes,
            gathering: 0,
            exit_pending: 0,
            out,
        }
    }

    fn ports(i: &mut GatherIn, o: &mut GatherOut, at: &mut Walk) {
        let (warps, lanes) = (at.sizes().warps(), at.sizes().lanes());
        at.input("reset", &mut i.reset, 1);
        at.strobe_in("in", &mut i.offered, |offered: &mut Offered, at| {
            let Laned { carried, lanes: executing, votes } = &mut offered.laned;
            carried.op.fields(at, false);
            at.choice("form", &mut offered.form);
            at.field("lanes", executing, lanes);
            at.field("votes", votes, lanes);
            at.field("members", &mut offered.members, lanes);
            at.field("from_instr", &mut carried.from_instr, 1);
            carried.request.fields(at);
            at.field("release", &mut carried.release, 1);
            carried.destination(at);
        });
        at.output("entry_waits", &mut o.entry_waits, 1);
        at.output("full", &mut o.full, 1);
        at.input("leader_policy", &mut i.leader_policy, 1);
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.op, |passed, at| {
            passed.op.fields(at, true);
            at.field("from_instr", &mut passed.from_instr, 1);
            passed.request.fields(at);
            at.field("release", &mut passed.release, 1);
            at.field("all_live_lanes", &mut passed.all_live_lanes, 1);
            passed.destination(at);
        });
        at.strobe_out("lanes", &mut o.lanes_valid, &mut o.lanes, Lanes::fields);
        at.strobe_out("warp_exited", &mut o.warp_exited_valid, &mut o.warp_exited_warp, |warp, at| at.warp(warp));
        at.output("op_absorbed", &mut o.op_absorbed, warps);
        at.output("gathering", &mut o.gathering, warps);
        at.output("exit_pending", &mut o.exit_pending, warps);
        at.input("op_done", &mut i.op_done, warps);
    }

    fn outputs(&self) -> GatherOut {
        self.out
    }

    fn clock(&mut self, inputs: &GatherIn) {
        if inputs.reset {
            *self = Gather::new(self.sizes);
            return;
        }
        let offered = self.out.op_valid && !inputs.op_ready;
        let stalls = self.out.full && offered || self.closes_two();
        let takes = inputs.offered.filter(|_| self.out.takes(inputs.op_ready));
        let shown = self.decided.take();
        let processed = if self.waits || stalls { None } else { self.entry.take() };
        self.decided = processed.map(|offered| self.look(&offered, inputs.leader_policy));
        self.entry = self.entry.or(takes);
        let row = processed.map(|offered| offered.row());
        let before = std::mem::replace(&mut self.before, row);
        let waits = self.entry.is_some_and(|o| [row, before].contains(&Some(o.laned.carried.op.warp)));
        self.waits = if stalls { self.waits } else { waits };
        let effect = shown.map_or(GatherEffect::default(), |shown| shown.effect);
        let lanes = effect.lanes.or(self.more_lanes);
        self.more_lanes = effect.more_lanes;
        let exit_pending = effect.passed.map_or(0, |passed| passed.carried.comes_of_an_exit());
        self.exit_pending = self.exit_pending & !inputs.op_done | exit_pending;
        self.delayed = self.delayed.or(effect.passed.map(|passed| passed.counted()));
        let op = if offered { Some(self.out.op) } else { self.delayed.take() };
        let entered = self.entry.map_or(0, |offered| offered.laned.carried.comes_of_an_exit());
        self.out = GatherOut {
            entry_waits: self.waits || self.closes_two(),
            full: op.is_some()
                && (self.delayed.is_some() || self.decided.is_some_and(|decided| decided.effect.passed.is_some())),
            op_valid: op.is_some(),
            op: op.unwrap_or(self.out.op),
            lanes_valid: lanes.is_some(),
            lanes: lanes.unwrap_or(self.out.lanes),
            warp_exited_valid: effect.warp_exited.is_some(),
            warp_exited_warp: effect.warp_exited.unwrap_or(self.out.warp_exited_warp),
            op_absorbed: shown.filter(|_| effect.op_absorbed).map_or(0, |shown| 1 << shown.offered.laned.carried.op.warp),
            gathering: shown.map_or(self.out.gathering, |shown| shown.gathering),
            exit_pending: self.exit_pending | self.decided.map_or(0, |decided| decided.exit_pending) | entered,
        };
    }
}
