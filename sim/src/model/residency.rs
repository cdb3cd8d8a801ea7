// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `residency` in cycles: which CTAs and warps are there (`docs/interface.md`, `residency`).

use super::op::{Code, Kind, Operation};
use super::port_list::Ports;
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, Reader, Writer};
use bcu_hw::ports::{Dir, Port};

/// The payload of the launch channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Launch {
    /// CTA slot.
    pub cta: u8,
    /// Its warp slots.
    pub warps: u64,
    /// Those of them that have exited already.
    pub exited: u64,
    /// The live lanes of the last of its warp slots.
    pub lanes: u64,
    /// Barriers declared.
    pub barriers: u8,
}

/// The payload of the retire channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retire {
    /// CTA slot.
    pub cta: u8,
    /// Open barriers are no fault.
    pub saved: bool,
}

/// The payload of the exit channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exit {
    pub warp: u8,
    /// Its lanes that exit.
    pub lanes: u64,
}

/// The three channels as a user drives them; `None` = valid is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests {
    pub launch: Option<Launch>,
    pub retire: Option<Retire>,
    pub exit: Option<Exit>,
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
    /// Warps of which an operation has yet to reach `named`.
    pub in_flight: u64,
    pub op_ready: bool,
}

/// Output ports of `residency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResidencyOut {
    pub launch_ready: bool,
    pub retire_ready: bool,
    pub exit_ready: bool,
    pub op_valid: bool,
    pub op: Operation,
    /// Exit: the lanes; Launch: the live lanes of the last warp.
    pub op_lanes: u64,
    pub live: u64,
    /// Warps whose exit has been taken and not yet transferred on.
    pub exits: u64,
    pub warp_cta: WarpCta,
}

/// The state of `residency`.
#[derive(Clone, Debug)]
pub struct Residency {
    sizes: Sizes,
    /// The place of each channel.
    places: Requests,
    /// The pending retirement has taken its first step.
    closing: bool,
    op_valid: bool,
    op: Operation,
    op_lanes: u64,
    live: u64,
    /// Warp slots that belong to a CTA, exited or not.
    taken_warps: u64,
    /// CTA slots that are taken, one bit each.
    taken_slots: u64,
    /// Of every warp, the CTA slot it was last launched in.
    warp_cta: WarpCta,
}

impl Residency {
    /// The first pending request becomes an operation, with its lanes, and leaves its place.
    fn handle(&mut self, inputs: &ResidencyIn) -> Option<(Operation, u64)> {
        if let Some(exit) = self.places.exit.take() {
            return Some((self.exit(exit, inputs.blocked), exit.lanes));
        }
        if let Some(retire) = self.places.retire {
            return self.retire(retire, inputs.in_flight, inputs.clearing).map(|op| (op, 0));
        }
        if inputs.clearing {
            return None;
        }
        self.places.launch.take().map(|launch| (self.launch(launch), launch.lanes))
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
    fn retire(&mut self, Retire { cta, saved }: Retire, in_flight: u64, clearing: bool) -> Option<Operation> {
        // Every taken warp is of a taken slot, so an empty slot has none.
        let freed = self.taken_warps & self.warp_cta.all_of(cta);
        let is_empty = self.taken_slots >> cta & 1 == 0;
        if !is_empty {
            if !std::mem::replace(&mut self.closing, true) {
                self.live &= !freed;
                return None;
            }
            if clearing || in_flight & freed != 0 {
                return None;
            }
        }
        let fault = if is_empty { Code::NotResident } else { Code::None };
        self.closing = false;
        self.places.retire = None;
        self.taken_slots &= !(1 << cta);
        self.taken_warps &= !freed;
        Some(Operation { kind: Kind::Release, fault, cta, mask: freed, saved, ..Operation::default() })
    }

    fn launch(&mut self, Launch { cta, warps, exited, barriers, .. }: Launch) -> Operation {
        let live = warps & !exited;
        let not_built = usize::from(cta) >= self.sizes.cta_slots();
        let fault = if not_built || self.taken_slots >> cta & 1 != 0 || self.taken_warps & warps != 0 {
            Code::SlotOccupied
        } else {
            self.taken_slots |= 1 << cta;
            self.taken_warps |= warps;
            self.live |= live;
            self.warp_cta.set(warps, cta);
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
            places: Requests::default(),
            closing: false,
            op_valid: false,
            op: Operation::default(),
            op_lanes: 0,
            live: 0,
            taken_warps: 0,
            taken_slots: 0,
            warp_cta: WarpCta::default(),
        }
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let (warps, warp, cta, count) = (sizes.warps(), sizes.warp_bits(), sizes.cta_bits(), sizes.count_bits());
        let ports = Ports::new().residency_channels(sizes).input("blocked", warps).input("clearing", 1);
        let ports = ports.input("gone_valid", 1).input("gone_warp", warp).input("in_flight", warps);
        let ports = ports.output("op_valid", 1).input("op_ready", 1).kind_and_fault(Dir::Out);
        let ports = ports.output("op_warp", warp).output("op_cta", cta).output("op_warps", count).output("op_live", count);
        let ports = ports.output("op_barriers", 5).output("op_mask", warps).output("op_saved", 1);
        ports.output("op_lanes", sizes.lanes()).output("live", warps).output("exits", warps).warp_cta(Dir::Out, sizes).done()
    }

    fn read(inputs: &mut Reader) -> ResidencyIn {
        let (reset, requests, blocked, clearing) = (inputs.bit(), inputs.requests(), inputs.take(), inputs.bit());
        let (goes, warp, in_flight) = (inputs.bit(), inputs.byte(), inputs.take());
        ResidencyIn { reset, requests, blocked, clearing, gone: goes.then_some(warp), in_flight, op_ready: inputs.bit() }
    }

    fn write(out: &ResidencyOut, to: &mut Writer) {
        to.residency_readys(out);
        to.put(out.op_valid);
        to.kind_and_fault(&out.op);
        to.put(out.op.warp);
        to.put(out.op.cta);
        to.put(out.op.warps);
        to.put(out.op.live);
        to.put(out.op.barriers);
        to.put(out.op.mask);
        to.put(out.op.saved);
        to.put(out.op_lanes);
        to.put(out.live);
        to.put(out.exits);
        to.warp_cta(&out.warp_cta);
    }

    fn outputs(&self) -> ResidencyOut {
        let Requests { launch, retire, exit } = &self.places;
        let offered = (self.op_valid && self.op.kind == Kind::Exit).then_some(self.op.warp);
        let exits = exit.map(|exit| exit.warp).into_iter().chain(offered).fold(0, |exits, warp| exits | 1 << warp);
        ResidencyOut {
            launch_ready: launch.is_none(),
            retire_ready: retire.is_none(),
            exit_ready: exit.is_none(),
            op_valid: self.op_valid,
            op: self.op,
            op_lanes: self.op_lanes,
            live: self.live,
            exits,
            warp_cta: self.warp_cta,
        }
    }

    fn clock(&mut self, inputs: &ResidencyIn) {
        if inputs.reset {
            *self = Residency::new(self.sizes);
            return;
        }
        // A place that was occupied in this cycle was not ready, whether it is emptied now or not.
        let out = self.outputs();
        let was_live = self.live;
        if out.op_valid {
            self.op_valid = !inputs.op_ready;
        } else if let Some((op, lanes)) = self.handle(inputs) {
            self.op_valid = true;
            (self.op, self.op_lanes) = (op, lanes);
        }
        // Whom a launch makes live at this edge is another warp than the one that has gone.
        self.live &= !inputs.gone.map_or(0, |warp| was_live & 1 << warp);
        if out.launch_ready {
            self.places.launch = inputs.requests.launch;
        }
        if out.retire_ready {
            self.places.retire = inputs.requests.retire;
        }
        if out.exit_ready {
            self.places.exit = inputs.requests.exit;
        }
    }
}
