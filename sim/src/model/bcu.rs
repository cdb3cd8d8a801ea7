// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit in cycles: `residency`, `decode`, `votes` and `named` joined (`docs/interface.md`, `bcu`).

use super::decode::{Decode, DecodeIn, Decoded, Instruction};
use super::named::{Named, NamedIn};
use super::op::{Fault, FaultPolicy, Kind, Operation, Read, RedOp, Release};
use super::port_list::Ports;
use super::residency::{Requests, Residency, ResidencyIn, ResidencyOut};
use super::sizes::Sizes;
use super::wire::{Clocked, Reader, Writer};
use bcu_hw::ports::{Dir, Port};

/// Input ports of `bcu`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BcuIn {
    pub reset: bool,
    pub requests: Requests,
    pub instr_valid: bool,
    pub instr: Instruction,
    pub fault_policy: FaultPolicy,
    pub fault_ready: bool,
}

/// Output ports of `bcu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BcuOut {
    /// The `ready` of its channels and `live`; the rest stays inside.
    pub residency: ResidencyOut,
    pub instr_ready: bool,
    pub release_valid: bool,
    pub release: Release,
    pub writeback_valid: bool,
    pub writeback: Read,
    pub destination: Destination,
    pub blocked: u64,
    pub trapped: u64,
    pub fault_valid: bool,
    pub fault: Fault,
}

/// Where the result of a Read goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Register, 255 for none.
    pub rd: u8,
    /// Predicate, 7 for none.
    pub pu: u8,
}

/// The state of `bcu`: that of its parts, and where results go while `named` reads them.
#[derive(Clone, Debug)]
pub struct Bcu {
    named: Named,
    decode: Decode,
    residency: Residency,
    /// Of the operation that `named` took in the cycle before.
    going: Destination,
    /// Of the last result.
    gone: Destination,
}

/// `votes`: a Reduce takes the contribution of its warp with it. Lanes that do not execute give the identity.
pub fn counted(Decoded { op, lanes, votes, .. }: &Decoded) -> Operation {
    let value = match (op.kind, op.redop) {
        (Kind::Reduce, RedOp::And) => u8::from(lanes & !votes != 0),
        (Kind::Reduce, RedOp::Or) => u8::from(*votes != 0),
        (Kind::Reduce, RedOp::Popc) => votes.count_ones() as u8,
        _ => 0,
    };
    Operation { value, ..*op }
}

impl Clocked for Bcu {
    type Inputs = BcuIn;
    type Outputs = BcuOut;

    fn new(sizes: Sizes) -> Bcu {
        let (named, decode, residency) = (Named::new(sizes), Decode::new(sizes), Residency::new(sizes));
        Bcu { named, decode, residency, going: Destination::default(), gone: Destination::default() }
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let ports = Ports::new().residency_channels(sizes).instruction_channel(sizes);
        let ports = ports.values(Dir::In, "fault_policy", FaultPolicy::ALL).release(sizes);
        let ports = ports.output("writeback_valid", 1).output("writeback_warp", sizes.warp_bits());
        let ports = ports.output("writeback_value", 32).output("writeback_predicate", 1);
        let ports = ports.output("writeback_rd", 8).output("writeback_pu", 3);
        let ports = ports.output("blocked", sizes.warps()).output("live", sizes.warps()).output("trapped", sizes.warps());
        ports.fault_channel(sizes).done()
    }

    fn read(inputs: &mut Reader) -> BcuIn {
        BcuIn {
            reset: inputs.bit(),
            requests: inputs.requests(),
            instr_valid: inputs.bit(),
            instr: inputs.instruction(),
            fault_policy: FaultPolicy::from_value(inputs.take()),
            fault_ready: inputs.bit(),
        }
    }

    fn write(out: &BcuOut, to: &mut Writer) {
        to.residency_readys(&out.residency);
        to.put(out.instr_ready);
        to.release(out.release_valid, &out.release);
        to.read(out.writeback_valid, &out.writeback);
        to.put(out.destination.rd);
        to.put(out.destination.pu);
        to.put(out.blocked);
        to.put(out.residency.live);
        to.put(out.trapped);
        to.fault(out.fault_valid, &out.fault);
    }

    fn outputs(&self) -> BcuOut {
        let (named, decode, residency) = (self.named.outputs(), self.decode.outputs(), self.residency.outputs());
        BcuOut {
            residency,
            instr_ready: decode.instr_ready && !residency.pending,
            release_valid: named.release_valid,
            release: named.release,
            writeback_valid: named.read_valid,
            writeback: named.read,
            destination: self.gone,
            blocked: named.blocked | decode.holding,
            trapped: named.trapped,
            fault_valid: named.fault_valid,
            fault: named.fault,
        }
    }

    fn clock(&mut self, inputs: &BcuIn) {
        let (named, decode, residency) = (self.named.outputs(), self.decode.outputs(), self.residency.outputs());
        let blocked = named.blocked | decode.holding;
        let &BcuIn { reset, requests, instr, fault_policy, fault_ready, .. } = inputs;
        self.residency.clock(&ResidencyIn {
            reset,
            requests,
            blocked,
            clearing: named.clearing,
            op_ready: named.op_ready && !decode.op_valid,
        });
        self.decode.clock(&DecodeIn {
            reset,
            instr_valid: inputs.instr_valid && !residency.pending,
            instr,
            live: residency.live,
            blocked,
            warp_cta: residency.warp_cta,
            op_ready: named.op_ready,
        });
        self.named.clock(&NamedIn {
            reset,
            op_valid: decode.op_valid || residency.op_valid,
            op: if decode.op_valid { counted(&decode.op) } else { residency.op },
            fault_policy,
            fault_ready,
        });
        // What `named` took one cycle ago it has read now, if it was a Read and no fault.
        if self.named.outputs().read_valid {
            self.gone = self.going;
        }
        self.going = Destination { rd: decode.op.rd, pu: decode.op.pu };
        if reset {
            (self.going, self.gone) = (Destination::default(), Destination::default());
        }
    }
}
