// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `gather` in cycles: an operation is looked at in the cycle after it was taken, and what it passes on waits in a queue of
//! three (`docs/interface.md`, `gather`).

use super::gather::{Carried, Effect, Gather as Warps, Laned, Lanes, Offered};
use super::op::{Form, Kind};
use super::port_list::Ports;
use super::sizes::Sizes;
use super::wire::{Clocked, Reader, Writer};
use bcu_hw::ports::{Dir, Port};
use std::collections::VecDeque;

/// Places in the queue at the operation port.
pub const PLACES: usize = 3;

/// Input ports of `gather`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GatherIn {
    pub reset: bool,
    pub in_valid: bool,
    pub offered: Offered,
    /// The highest lane leads, not the lowest.
    pub leader_policy: bool,
    pub op_ready: bool,
    pub left: u64,
}

/// Output ports of `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherOut {
    pub in_ready: bool,
    pub op_valid: bool,
    pub op: Laned,
    pub lanes_valid: bool,
    pub lanes: Lanes,
    pub gone_valid: bool,
    pub gone_warp: u8,
    pub swallowed: u64,
    pub gathering: u64,
    pub leaving: u64,
}

/// The state of `gather`.
#[derive(Clone, Debug)]
pub struct Gather {
    sizes: Sizes,
    warps: Warps,
    /// What the last cycle took, to be looked at in this one.
    taken: Option<Offered>,
    queue: VecDeque<Laned>,
    out: GatherOut,
}

impl Gather {
    /// Of the warps that an operation touches: who of them has all its live lanes waiting here.
    fn stopped(&self, offered: &Offered) -> u64 {
        let op = &offered.laned.carried.op;
        let touched = if matches!(op.kind, Kind::Launch | Kind::Release) { op.mask } else { 1 << op.warp };
        let stopped = |warp: &u8| touched >> warp & 1 != 0 && self.warps.warp(*warp).is_stopped();
        let now = (0..self.sizes.warps() as u8).filter(stopped).fold(0, |all, warp| all | 1 << warp);
        self.out.gathering & !touched | now
    }
}

impl Clocked for Gather {
    type Inputs = GatherIn;
    type Outputs = GatherOut;

    fn new(sizes: Sizes) -> Gather {
        let queue = VecDeque::with_capacity(PLACES);
        Gather { sizes, warps: Warps::new(sizes), taken: None, queue, out: GatherOut::default() }
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let (warps, lanes) = (sizes.warps(), sizes.lanes());
        let ports = Ports::new().input("in_valid", 1).output("in_ready", 1).operation(Dir::In, "in", sizes, false);
        let ports = ports.values(Dir::In, "in_form", Form::ALL).input("in_lanes", lanes).input("in_votes", lanes);
        let ports = ports.input("in_members", lanes).input("in_counted", 1).destination(Dir::In, "in");
        let ports = ports.input("leader_policy", 1);
        let ports = ports.output("op_valid", 1).input("op_ready", 1).operation(Dir::Out, "op", sizes, false);
        let ports = ports.output("op_lanes", lanes).output("op_votes", lanes).output("op_counted", 1);
        let ports = ports.destination(Dir::Out, "op").lanes(sizes);
        let ports = ports.output("gone_valid", 1).output("gone_warp", sizes.warp_bits());
        ports.output("swallowed", warps).output("gathering", warps).output("leaving", warps).input("left", warps).done()
    }

    fn read(inputs: &mut Reader) -> GatherIn {
        let (reset, in_valid, op) = (inputs.bit(), inputs.bit(), inputs.operation(false));
        let (form, lanes, votes) = (Form::from_value(inputs.take()), inputs.take(), inputs.take());
        let (members, counted) = (inputs.take(), inputs.bit());
        let carried = Carried { op, counted, rd: inputs.byte(), pu: inputs.byte() };
        let offered = Offered { laned: Laned { carried, lanes, votes }, form, members };
        GatherIn { reset, in_valid, offered, leader_policy: inputs.bit(), op_ready: inputs.bit(), left: inputs.take() }
    }

    fn write(out: &GatherOut, to: &mut Writer) {
        let Laned { carried, lanes, votes } = &out.op;
        to.put(out.in_ready);
        to.put(out.op_valid);
        to.operation(&carried.op, false);
        to.put(*lanes);
        to.put(*votes);
        to.put(carried.counted);
        to.put(carried.rd);
        to.put(carried.pu);
        to.lanes(out.lanes_valid, &out.lanes);
        to.put(out.gone_valid);
        to.put(out.gone_warp);
        to.put(out.swallowed);
        to.put(out.gathering);
        to.put(out.leaving);
    }

    fn outputs(&self) -> GatherOut {
        self.out
    }

    fn clock(&mut self, inputs: &GatherIn) {
        if inputs.reset {
            *self = Gather::new(self.sizes);
            return;
        }
        let takes = (inputs.in_valid && self.out.in_ready).then_some(inputs.offered);
        if self.out.op_valid && inputs.op_ready {
            self.queue.pop_front();
        }
        let (mut effect, mut gathering) = (Effect::default(), self.out.gathering);
        if let Some(offered) = &self.taken {
            effect = self.warps.apply(offered, inputs.leader_policy);
            gathering = self.stopped(offered);
        }
        let leaving = effect.passed.map_or(0, |passed| passed.carried.comes_of_an_exit());
        let swallowed = self.taken.filter(|_| effect.swallowed).map_or(0, |o| 1 << o.laned.carried.op.warp);
        self.queue.extend(effect.passed);
        self.taken = takes;
        self.out = GatherOut {
            in_ready: self.queue.len() + usize::from(self.taken.is_some()) < PLACES,
            op_valid: !self.queue.is_empty(),
            op: self.queue.front().copied().unwrap_or(self.out.op),
            lanes_valid: effect.lanes.is_some(),
            lanes: effect.lanes.unwrap_or(self.out.lanes),
            gone_valid: effect.gone.is_some(),
            gone_warp: effect.gone.unwrap_or(self.out.gone_warp),
            swallowed,
            gathering,
            leaving: self.out.leaving & !inputs.left | leaving,
        };
    }
}
