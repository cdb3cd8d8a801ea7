// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the plain numbers of a [`Dut`] to the typed inputs and outputs of a unit, and back.

use super::decode::Instruction;
use super::gather::Lanes;
use super::op::{Code, Fault, Form, Kind, Operation, Read, RedOp, Release, StateWord};
use super::order_ports::Memory;
use super::residency::{Exit, Launch, Requests, ResidencyOut, Retire};
use super::sizes::{mask, Sizes};
use super::warp_cta::WarpCta;
use crate::dut::Dut;
use bcu_hw::ports::{Dir, Port};

/// A unit that is clocked: registers, outputs that depend on them alone, and what the rising edge makes of them.
///
/// Typed inputs hold values that fit their ports.
pub trait Clocked {
    type Inputs;
    type Outputs;

    /// The power-up state: every register and table 0.
    fn new(sizes: Sizes) -> Self;
    /// All ports but the clock.
    fn ports(sizes: &Sizes) -> Vec<Port>;
    /// Takes one value per input port, in port order.
    fn read(inputs: &mut Reader) -> Self::Inputs;
    /// Puts one value per output port, in port order.
    fn write(outputs: &Self::Outputs, to: &mut Writer);
    /// What stands at the output ports in this cycle.
    fn outputs(&self) -> Self::Outputs;
    /// The rising edge that ends this cycle.
    fn clock(&mut self, inputs: &Self::Inputs);
}

/// A unit behind plain numbers.
pub struct Model<U> {
    unit: U,
    sizes: Sizes,
    ports: Vec<Port>,
    input_masks: Vec<u64>,
}

impl<U: Clocked> Model<U> {
    /// The unit in its power-up state.
    pub fn new(sizes: Sizes) -> Model<U> {
        let ports = U::ports(&sizes);
        let input_masks = ports.iter().filter(|p| p.dir == Dir::In).map(|p| mask(p.width)).collect();
        Model { unit: U::new(sizes), sizes, ports, input_masks }
    }
}

impl<U: Clocked> Dut for Model<U> {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        let sizes = &self.sizes;
        let inputs = U::read(&mut Reader { values: inputs.iter(), masks: self.input_masks.iter(), sizes });
        U::write(&self.unit.outputs(), &mut Writer { values: outputs.iter_mut(), sizes });
        self.unit.clock(&inputs);
    }
}

/// Input values in port order, each cut to its port's width; a missing one reads as 0.
pub struct Reader<'a> {
    values: std::slice::Iter<'a, u64>,
    masks: std::slice::Iter<'a, u64>,
    sizes: &'a Sizes,
}

impl Reader<'_> {
    pub fn take(&mut self) -> u64 {
        let mask = self.masks.next().copied().unwrap_or(0);
        self.values.next().copied().unwrap_or(0) & mask
    }

    pub fn bit(&mut self) -> bool {
        self.take() != 0
    }

    /// For a port of at most 8 bits.
    pub fn byte(&mut self) -> u8 {
        self.take() as u8
    }

    /// The payload of `instr`.
    pub fn instruction(&mut self) -> Instruction {
        Instruction {
            word: std::array::from_fn(|_| self.take() as u32),
            warp: self.byte(),
            form: Form::from_value(self.take()),
            members: self.take(),
            active: self.take(),
            guard: self.take(),
            predicate: self.take(),
            ra: self.take() as u32,
            rb: self.take() as u32,
            uniform: self.bit(),
        }
    }

    /// The fields of an operation; in front of `votes` without `value`.
    pub fn operation(&mut self, value: bool) -> Operation {
        Operation {
            kind: Kind::from_value(self.take()),
            fault: Code::from_value(self.take()),
            uniform: self.bit(),
            warp: self.byte(),
            cta: self.byte(),
            id: self.byte(),
            count: self.take() as u16,
            redop: RedOp::from_value(self.take()),
            value: if value { self.byte() } else { 0 },
            state: StateWord::from_value(self.take()),
            data: self.take() as u32,
            warps: self.byte(),
            live: self.byte(),
            barriers: self.byte(),
            mask: self.take(),
            saved: self.bit(),
        }
    }

    /// The channels `launch`, `retire` and `exit`.
    pub fn requests(&mut self) -> Requests {
        let valid = self.bit();
        let (cta, warps, exited, lanes) = (self.byte(), self.take(), self.take(), self.take());
        let launch = Launch { cta, warps, exited, lanes, barriers: self.byte() };
        let launch = valid.then_some(launch);
        let valid = self.bit();
        let retire = Retire { cta: self.byte(), saved: self.bit() };
        let retire = valid.then_some(retire);
        let valid = self.bit();
        let exit = Exit { warp: self.byte(), lanes: self.take() };
        Requests { launch, retire, exit: valid.then_some(exit) }
    }

    /// `issue_*` and `perform_*`.
    pub fn memory(&mut self) -> Memory {
        let (issues, issuer) = (self.bit(), self.byte());
        let (performs, access) = (self.bit(), (self.byte(), self.bit()));
        Memory { issue: issues.then_some(issuer), perform: performs.then_some(access) }
    }

    /// `warp_cta_0` and so on.
    pub fn warp_cta(&mut self) -> WarpCta {
        let mut slots = WarpCta::default();
        (0..self.sizes.cta_bits()).for_each(|bit| slots.planes[bit] = self.take());
        slots
    }
}

/// Output values in port order; what finds no place is dropped.
pub struct Writer<'a> {
    values: std::slice::IterMut<'a, u64>,
    sizes: &'a Sizes,
}

impl Writer<'_> {
    pub fn put(&mut self, value: impl Into<u64>) {
        if let Some(place) = self.values.next() {
            *place = value.into();
        }
    }

    /// `op_kind` and `op_fault`.
    pub fn kind_and_fault(&mut self, op: &Operation) {
        self.put(op.kind.value());
        self.put(op.fault.value());
    }

    /// The fields of an operation; in front of `votes` without `value`.
    pub fn operation(&mut self, op: &Operation, value: bool) {
        self.kind_and_fault(op);
        self.put(op.uniform);
        self.put(op.warp);
        self.put(op.cta);
        self.put(op.id);
        self.put(op.count);
        self.put(op.redop.value());
        if value {
            self.put(op.value);
        }
        self.put(op.state.value());
        self.put(op.data);
        self.put(op.warps);
        self.put(op.live);
        self.put(op.barriers);
        self.put(op.mask);
        self.put(op.saved);
    }

    /// `release_*`.
    pub fn release(&mut self, valid: bool, release: &Release) {
        self.put(valid);
        self.put(release.cta);
        self.put(release.id);
        self.put(release.warps);
        self.put(release.result.reduction.value());
        self.put(release.result.value);
    }

    /// `read_*` of `named`, or what `writeback_*` of `bcu` has in common with it.
    pub fn read(&mut self, valid: bool, read: &Read) {
        self.put(valid);
        self.put(read.warp);
        self.put(read.value);
        self.put(read.predicate);
    }

    /// `lanes_*`.
    pub fn lanes(&mut self, valid: bool, lanes: &Lanes) {
        self.put(valid);
        self.put(lanes.warp);
        self.put(lanes.mask);
        self.put(lanes.leaders);
        self.put(lanes.retry);
    }

    /// The outputs of the fault channel.
    pub fn fault(&mut self, valid: bool, fault: &Fault) {
        self.put(valid);
        self.put(fault.code.value());
        self.put(fault.warp);
        self.put(fault.cta);
        self.put(fault.id);
    }

    /// `launch_ready`, `retire_ready` and `exit_ready`.
    pub fn residency_readys(&mut self, out: &ResidencyOut) {
        self.put(out.launch_ready);
        self.put(out.retire_ready);
        self.put(out.exit_ready);
    }

    /// `warp_cta_0` and so on.
    pub fn warp_cta(&mut self, slots: &WarpCta) {
        (0..self.sizes.cta_bits()).for_each(|bit| self.put(slots.planes[bit]));
    }
}
