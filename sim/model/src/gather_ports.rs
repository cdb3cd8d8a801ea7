// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `gather` (`docs/contract/gather.md`). An operation is in the entry from the cycle after its transfer. It is processed
//! there, unless an operation on the same row was processed in one of the last two cycles, or a Launch or Release in the last one. An
//! operation that is passed on is output one cycle later, its lanes strobe three cycles later, all other results two cycles later. The
//! pipeline stalls while an operation that was processed has not been transferred.

use super::bits::members;
use super::gather::{Carried, Gather as Warps, GatherEffect, Laned, Lanes, Offered, WarpLanes};
use super::in_place::clone_in_place;
use super::op::Kind;
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};

/// Input ports of `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GatherIn {
    pub reset: bool,
    pub offered: Option<Offered>,
    /// If set, an election makes the highest lane the leader, otherwise the lowest.
    pub leader_policy: bool,
    pub op_ready: bool,
    /// Warps with an operation that is parked or takes effect in this cycle, one bit per warp.
    pub op_done: u64,
}

/// Output ports of `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherOut {
    /// The operation in the entry is not processed in this cycle, whatever `op_ready` is.
    pub entry_waits: bool,
    /// An operation was processed in the last cycle, or an operation at the operation port was not transferred: no other operation is
    /// accepted or processed unless `op_ready`.
    pub full: bool,
    pub op_valid: bool,
    pub op: Carried,
    pub lanes_valid: bool,
    pub lanes: Lanes,
    /// Strobe: the last live lanes of warp `warp_exited_warp` have exited.
    pub warp_exited_valid: bool,
    pub warp_exited_warp: u8,
    /// Warps with an operation of an instruction that ended in `gather`, one bit per warp.
    pub op_absorbed: u64,
    /// Warps whose live lanes all wait in `gather`, one bit per warp.
    pub gathering: u64,
    /// Warps with an operation in flight that an exit has caused or may have caused, one bit per warp.
    pub exit_pending: u64,
}

/// The result of processing an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decided {
    offered: Offered,
    effect: GatherEffect,
    /// After this operation, the warps whose live lanes all wait, one bit per warp.
    gathering: u64,
    /// A mask with the bit of the warp of `offered` if an exit may have caused the operation that is passed on, else 0.
    exit_pending: u64,
}

clone_in_place! {
    /// The state of `gather`.
    #[derive(Debug, PartialEq)]
    pub struct Gather {
        sizes: Sizes,
        warps: Warps,
        /// The operation in the entry. It is processed in this cycle, or stays if it `waits` or the pipeline stalls.
        entry: Option<Offered>,
        /// The operation in the entry is not processed in this cycle, because its row was used too recently, or rows were reset.
        waits: bool,
        /// The warp whose row was processed in the last cycle.
        before: Option<u8>,
        /// The result of the operation that was processed in the last cycle; it is output in the next cycle.
        decided: Option<Decided>,
        /// The second lanes strobe of an operation; it is output in the cycle after the first strobe.
        more_lanes: Option<Lanes>,
        /// The lanes strobe that is output in the next cycle.
        next_lanes: Option<Lanes>,
        /// After all operations processed so far, the warps whose live lanes all wait, one bit per warp.
        gathering: u64,
        /// The bits of output `exit_pending` that operations passed on so far have set. The operation in the entry and the operation processed
        /// in the last cycle are not included.
        exit_pending: u64,
        out: GatherOut,
    }
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

    /// The warps whose live lanes all wait after the operation `offered`, one bit per warp. Only the warps of `offered` are checked again.
    fn stopped(&self, offered: &Offered) -> u64 {
        let op = &offered.laned.carried.op;
        let touched = if matches!(op.kind, Kind::Launch | Kind::Release) { op.mask } else { 1 << op.warp };
        let is_stopped = |warp: &usize| self.warps.warp(*warp as u8).is_stopped();
        let stopped_warps = members(touched & self.sizes.warp_mask()).filter(is_stopped);
        stopped_warps.fold(self.gathering & !touched, |all, warp| all | 1 << warp)
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
        let (entry, before, decided, more_lanes, next_lanes, out) = (None, None, None, None, None, GatherOut::default());
        Gather {
            sizes,
            warps: Warps::new(sizes),
            entry,
            waits: false,
            before,
            decided,
            more_lanes,
            next_lanes,
            gathering: 0,
            exit_pending: 0,
            out,
        }
    }

    fn ports(i: &mut GatherIn, o: &mut GatherOut, at: &mut Walk<impl PortAction>) {
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
        // The pipeline stalls while an operation that was processed may not be transferred, or while a second lanes strobe is due.
        let stalls = self.out.full && !inputs.op_ready || self.closes_two();
        let takes = inputs.offered.filter(|_| self.out.takes(inputs.op_ready));
        // The result of the last cycle leaves, the operation in the entry is processed, and a transferred operation enters.
        let shown = self.decided.take();
        let processed = if self.waits || stalls { None } else { self.entry.take() };
        self.decided = processed.map(|offered| self.look(&offered, inputs.leader_policy));
        self.entry = self.entry.or(takes);
        // The operation in the entry waits if its row was processed in this cycle or in the cycle before, or if rows were reset in this
        // cycle.
        let row = processed.map(|offered| offered.row());
        let before = std::mem::replace(&mut self.before, row);
        let resets = processed.is_some_and(|offered| offered.resets_rows());
        let waits = self.entry.is_some_and(|o| resets || [row, before].contains(&Some(o.laned.carried.op.warp)));
        self.waits = if stalls { self.waits } else { waits };
        // The second lanes strobe of an operation is output one cycle after the first.
        let effect = shown.map_or(GatherEffect::default(), |shown| shown.effect);
        let lanes = std::mem::replace(&mut self.next_lanes, effect.lanes.or(self.more_lanes));
        self.more_lanes = effect.more_lanes;
        // If the same edge would set and clear a bit of `exit_pending`, the bit is set.
        let exit_pending = effect.passed.map_or(0, |passed| passed.carried.comes_of_an_exit());
        self.exit_pending = self.exit_pending & !inputs.op_done | exit_pending;
        // An operation that is passed on is offered at `op` in the cycle after it was processed, until it is transferred.
        let passed = self.decided.and_then(|decided| decided.effect.passed).map(|passed| passed.counted());
        let offered = self.out.op_valid && !inputs.op_ready;
        let op = if offered { Some(self.out.op) } else { passed };
        // An exit counts for `exit_pending` from its transfer on, before it is known whether an operation is passed on.
        let entered = self.entry.map_or(0, |offered| offered.laned.carried.comes_of_an_exit());
        self.out = GatherOut {
            entry_waits: self.waits || self.closes_two(),
            full: offered || self.decided.is_some(),
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
