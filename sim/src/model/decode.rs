// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `decode` in cycles: an instruction becomes an operation in a queue of two (`docs/interface.md`, `decode`).

use super::op::{Code, Kind, Operation};
use super::port_list::Ports;
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, Reader, Writer};
use super::word::{self, Bar, Source};
use bcu_hw::ports::{Dir, Port};

/// The payload of the instruction channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instruction {
    /// Bits 31:0 first.
    pub word: [u32; 4],
    pub warp: u8,
    /// Active lanes.
    pub active: u64,
    /// Lanes whose guard is true.
    pub guard: u64,
    /// The registers of the lowest executing lane.
    pub ra: u32,
    pub rb: u32,
    /// All executing lanes have the same register operands.
    pub uniform: bool,
}

/// Input ports of `decode`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecodeIn {
    pub reset: bool,
    pub instr_valid: bool,
    pub instr: Instruction,
    pub live: u64,
    pub blocked: u64,
    pub warp_cta: WarpCta,
    pub op_ready: bool,
}

/// Output ports of `decode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeOut {
    pub instr_ready: bool,
    pub op_valid: bool,
    pub op: Operation,
    pub holding: u64,
}

/// The state of `decode`.
#[derive(Clone, Debug, Default)]
pub struct Decode {
    /// How many of the two places are taken.
    queued: usize,
    /// The two places; the first keeps its value when it is left.
    places: [Operation; 2],
    holding: u64,
}

/// The operation of an instruction; `None` if no lane executes it.
fn operation(i: &DecodeIn) -> Option<Operation> {
    let instr = &i.instr;
    let bar = word::decode(instr.word);
    let has = |warps: u64| warps >> instr.warp & 1 != 0;
    let fault = if !has(i.live) {
        Code::NotResident
    } else if has(i.blocked) {
        Code::WarpBlocked
    } else if bar.is_none() {
        Code::IllegalInstruction
    } else {
        Code::None
    };
    if fault == Code::None && instr.active & instr.guard == 0 {
        return None;
    }
    let bar = bar.unwrap_or(Bar { kind: Kind::Sync, id: Source::Immediate(0), count: Source::Immediate(0) });
    let value = |source| match source {
        Source::Immediate(value) => value,
        Source::Ra => instr.ra,
        Source::Rb => instr.rb,
    };
    Some(Operation {
        kind: bar.kind,
        fault,
        uniform: instr.uniform || !bar.has_registers(),
        warp: instr.warp,
        cta: i.warp_cta.of(instr.warp),
        id: (value(bar.id) & 0xf) as u8,
        count: (value(bar.count) & 0xfff) as u16,
        ..Operation::default()
    })
}

/// The warp that an operation holds: that of a SYNC without fault.
fn held(op: &Operation) -> u64 {
    u64::from(op.kind == Kind::Sync && op.fault == Code::None) << op.warp
}

impl Clocked for Decode {
    type Inputs = DecodeIn;
    type Outputs = DecodeOut;

    fn new(_: Sizes) -> Decode {
        Decode::default()
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let (warp, cta) = (sizes.warp_bits(), sizes.cta_bits());
        let ports = Ports::new().instruction_channel(sizes).input("live", sizes.warps()).input("blocked", sizes.warps());
        let ports = ports.warp_cta(Dir::In, sizes).output("op_valid", 1).input("op_ready", 1).kind_and_fault(Dir::Out);
        let ports = ports.output("op_uniform", 1).output("op_warp", warp).output("op_cta", cta);
        ports.output("op_id", 4).output("op_count", 12).output("holding", sizes.warps()).done()
    }

    fn read(inputs: &mut Reader) -> DecodeIn {
        DecodeIn {
            reset: inputs.bit(),
            instr_valid: inputs.bit(),
            instr: inputs.instruction(),
            live: inputs.take(),
            blocked: inputs.take(),
            warp_cta: inputs.warp_cta(),
            op_ready: inputs.bit(),
        }
    }

    fn write(out: &DecodeOut, to: &mut Writer) {
        to.put(out.instr_ready);
        to.put(out.op_valid);
        to.kind_and_fault(&out.op);
        to.put(out.op.uniform);
        to.put(out.op.warp);
        to.put(out.op.cta);
        to.put(out.op.id);
        to.put(out.op.count);
        to.put(out.holding);
    }

    fn outputs(&self) -> DecodeOut {
        let [first, _] = self.places;
        DecodeOut { instr_ready: self.queued < 2, op_valid: self.queued > 0, op: first, holding: self.holding }
    }

    fn clock(&mut self, inputs: &DecodeIn) {
        if inputs.reset {
            *self = Decode::default();
            return;
        }
        let out = self.outputs();
        if out.op_valid && inputs.op_ready {
            self.holding &= !held(&out.op);
            self.queued -= 1;
            if self.queued > 0 {
                self.places[0] = self.places[1];
            }
        }
        if let Some(op) = operation(inputs).filter(|_| inputs.instr_valid && out.instr_ready) {
            self.holding |= held(&op);
            self.places[self.queued] = op;
            self.queued += 1;
        }
    }
}
