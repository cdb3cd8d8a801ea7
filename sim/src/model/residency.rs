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

/// The three channels as a user drives them; `None` = valid is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests {
    pub launch: Option<Launch>,
    pub retire: Option<Retire>,
    /// The exiting warp.
    pub exit: Option<u8>,
}

/// Input ports of `residency`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResidencyIn {
    pub reset: bool,
    pub requests: Requests,
    pub blocked: u64,
    pub clearing: bool,
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
    pub live: u64,
    pub warp_cta: WarpCta,
    pub pending: bool,
}

/// The state of `residency`.
#[derive(Clone, Debug)]
pub struct Residency {
    sizes: Sizes,
    /// The place of each channel.
    places: Requests,
    op_valid: bool,
    op: Operation,
    live: u64,
    /// Warp slots that belong to a CTA, exited or not.
    taken_warps: u64,
    /// CTA slots that are taken, one bit each.
    taken_slots: u64,
    /// Of every warp, the CTA slot it was last launched in.
    warp_cta: WarpCta,
}

impl Residency {
    /// The first pending request becomes an operation and leaves its place.
    fn handle(&mut self, blocked: u64, clearing: bool) -> Option<Operation> {
        if let Some(warp) = self.places.exit.take() {
            return Some(self.exit(warp, blocked));
        }
        if let Some(retire) = self.places.retire.take() {
            return Some(self.retire(retire));
        }
        if clearing {
            return None;
        }
        self.places.launch.take().map(|launch| self.launch(launch))
    }

    fn exit(&mut self, warp: u8, blocked: u64) -> Operation {
        let bit = 1 << warp;
        let fault = if self.live & bit == 0 {
            Code::NotResident
        } else if blocked & bit != 0 {
            Code::WarpBlocked
        } else {
            self.live &= !bit;
            Code::None
        };
        Operation { kind: Kind::Exit, fault, warp, cta: self.warp_cta.of(warp), ..Operation::default() }
    }

    fn retire(&mut self, Retire { cta, saved }: Retire) -> Operation {
        // Every taken warp is of a taken slot, so an empty slot has none.
        let freed = self.taken_warps & self.warp_cta.all_of(cta);
        let fault = if self.taken_slots >> cta & 1 == 0 { Code::NotResident } else { Code::None };
        self.taken_slots &= !(1 << cta);
        self.taken_warps &= !freed;
        self.live &= !freed;
        Operation { kind: Kind::Release, fault, cta, mask: freed, saved, ..Operation::default() }
    }

    fn launch(&mut self, Launch { cta, warps, exited, barriers }: Launch) -> Operation {
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
            op_valid: false,
            op: Operation::default(),
            live: 0,
            taken_warps: 0,
            taken_slots: 0,
            warp_cta: WarpCta::default(),
        }
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let (warps, warp, cta, count) = (sizes.warps(), sizes.warp_bits(), sizes.cta_bits(), sizes.count_bits());
        let ports = Ports::new().residency_channels(sizes).input("blocked", warps).input("clearing", 1);
        let ports = ports.output("op_valid", 1).input("op_ready", 1).kind_and_fault(Dir::Out);
        let ports = ports.output("op_warp", warp).output("op_cta", cta).output("op_warps", count).output("op_live", count);
        let ports = ports.output("op_barriers", 5).output("op_mask", warps).output("op_saved", 1);
        let ports = ports.output("live", warps);
        ports.warp_cta(Dir::Out, sizes).output("pending", 1).done()
    }

    fn read(inputs: &mut Reader) -> ResidencyIn {
        ResidencyIn {
            reset: inputs.bit(),
            requests: inputs.requests(),
            blocked: inputs.take(),
            clearing: inputs.bit(),
            op_ready: inputs.bit(),
        }
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
        to.put(out.live);
        to.warp_cta(&out.warp_cta);
        to.put(out.pending);
    }

    fn outputs(&self) -> ResidencyOut {
        let Requests { launch, retire, exit } = &self.places;
        ResidencyOut {
            launch_ready: launch.is_none(),
            retire_ready: retire.is_none(),
            exit_ready: exit.is_none(),
            op_valid: self.op_valid,
            op: self.op,
            live: self.live,
            warp_cta: self.warp_cta,
            pending: launch.is_some() || retire.is_some() || exit.is_some() || self.op_valid,
        }
    }

    fn clock(&mut self, inputs: &ResidencyIn) {
        if inputs.reset {
            *self = Residency::new(self.sizes);
            return;
        }
        // A place that was occupied in this cycle was not ready, whether it is emptied now or not.
        let out = self.outputs();
        if out.op_valid {
            self.op_valid = !inputs.op_ready;
        } else if let Some(op) = self.handle(inputs.blocked, inputs.clearing) {
            self.op_valid = true;
            self.op = op;
        }
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
