// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit in cycles: `residency`, `decode` and `named` joined (`docs/interface.md`, `bcu`).

use super::decode::{Decode, DecodeIn, Instruction};
use super::named_ports::{Named, NamedIn};
use super::op::{Fault, Release};
use super::port_list::Ports;
use super::residency::{Requests, Residency, ResidencyIn, ResidencyOut};
use super::sizes::Sizes;
use super::wire::{Clocked, Reader, Writer};
use bcu_hw::ports::Port;

/// Input ports of `bcu`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BcuIn {
    pub reset: bool,
    pub requests: Requests,
    pub instr_valid: bool,
    pub instr: Instruction,
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
    pub blocked: u64,
    pub fault_valid: bool,
    pub fault: Fault,
}

/// The state of `bcu`: that of its parts.
#[derive(Clone, Debug)]
pub struct Bcu {
    named: Named,
    decode: Decode,
    residency: Residency,
}

impl Clocked for Bcu {
    type Inputs = BcuIn;
    type Outputs = BcuOut;

    fn new(sizes: Sizes) -> Bcu {
        Bcu { named: Named::new(sizes), decode: Decode::new(sizes), residency: Residency::new(sizes) }
    }

    fn ports(sizes: &Sizes) -> Vec<Port> {
        let ports = Ports::new().residency_channels(sizes).instruction_channel(sizes).release(sizes);
        ports.output("blocked", sizes.warps()).output("live", sizes.warps()).fault_channel(sizes).done()
    }

    fn read(inputs: &mut Reader) -> BcuIn {
        BcuIn {
            reset: inputs.bit(),
            requests: inputs.requests(),
            instr_valid: inputs.bit(),
            instr: inputs.instruction(),
            fault_ready: inputs.bit(),
        }
    }

    fn write(out: &BcuOut, to: &mut Writer) {
        to.residency_readys(&out.residency);
        to.put(out.instr_ready);
        to.release(out.release_valid, &out.release);
        to.put(out.blocked);
        to.put(out.residency.live);
        to.fault(out.fault_valid, &out.fault);
    }

    fn outputs(&self) -> BcuOut {
        let (named, decode, residency) = (self.named.outputs(), self.decode.outputs(), self.residency.outputs());
        BcuOut {
            residency,
            instr_ready: decode.instr_ready && !residency.pending,
            release_valid: named.release_valid,
            release: named.release,
            blocked: named.blocked | decode.holding,
            fault_valid: named.fault_valid,
            fault: named.fault,
        }
    }

    fn clock(&mut self, inputs: &BcuIn) {
        let (named, decode, residency) = (self.named.outputs(), self.decode.outputs(), self.residency.outputs());
        let blocked = named.blocked | decode.holding;
        let &BcuIn { reset, requests, instr, fault_ready, .. } = inputs;
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
            op: if decode.op_valid { decode.op } else { residency.op },
            fault_ready,
        });
    }
}
