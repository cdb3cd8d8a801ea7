// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `mbarrier`, with what travels on them (`docs/mbarrier.md`, the port table).

use super::mbarrier_object::MbarrierKind;
use super::op::Code;
use super::wire::{Fields, Walk};

/// An operation of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierOp {
    pub kind: MbarrierKind,
    pub fault: Code,
    pub uniform: bool,
    pub warp: u8,
    pub cta: u8,
    pub address: u32,
    /// The form for shared memory of the cluster.
    pub cluster: bool,
    pub count: u32,
    pub bytes: u32,
    pub phase: bool,
    pub hint: u32,
    /// All live lanes of the warp execute it.
    pub whole: bool,
    pub rd: u8,
    pub pu: u8,
}

impl MbarrierOp {
    fn fields(&mut self, at: &mut Fields) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
        at.field("uniform", &mut self.uniform, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
        at.field("address", &mut self.address, 32);
        at.field("cluster", &mut self.cluster, 1);
        at.field("count", &mut self.count, 21);
        at.field("bytes", &mut self.bytes, 21);
        at.field("phase", &mut self.phase, 1);
        at.field("hint", &mut self.hint, at.sizes().limit_bits());
        at.field("whole", &mut self.whole, 1);
        at.field("rd", &mut self.rd, 8);
        at.field("pu", &mut self.pu, 3);
    }

    /// What is wrong with it as such; without faults only what was found upstream.
    pub fn flaw(&self, smem_bytes: u32, checks: bool) -> Code {
        let (rank, offset) = (self.address >> 24, self.address & 0xff_ffff);
        let waits_elsewhere = self.kind.waits() && !self.cluster;
        let flaws = [
            (self.fault != Code::None, self.fault),
            (checks && !self.uniform, Code::OperandNotUniform),
            (checks && rank != 0 && !waits_elsewhere, Code::RankOutOfRange),
            (checks && rank != 0, Code::WaitRemote),
            (checks && offset % 8 != 0, Code::AddressMisaligned),
            (checks && offset >= smem_bytes, Code::AddressOutOfRange),
            (checks && self.kind.counts() && (self.count == 0 || self.count >= 1 << 20), Code::MbarrierCount),
        ];
        flaws.into_iter().find(|(is, _)| *is).map_or(Code::None, |(_, code)| code)
    }
}

/// What a copy engine or a tensor unit sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    pub cta: u8,
    pub object: u32,
    pub count: u8,
    pub bytes: u32,
}

impl Transfer {
    fn fields(&mut self, at: &mut Fields) {
        at.cta(&mut self.cta);
        at.field("object", &mut self.object, at.sizes().word_bits());
        at.field("count", &mut self.count, 6);
        at.field("bytes", &mut self.bytes, 21);
    }
}

/// A CTA that goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leave {
    pub cta: u8,
    pub saved: bool,
    /// Its warp slots.
    pub warps: u64,
}

/// A request to shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemRequest {
    pub write: bool,
    pub cta: u8,
    pub object: u32,
    pub data: u64,
}

/// The result of a warp's operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token {
    pub warp: u8,
    pub word: u64,
    pub predicate: bool,
    pub refused: bool,
    pub rd: u8,
    pub pu: u8,
}

/// Suspended warps that go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    pub warps: u64,
    pub value: bool,
}

/// An operation of a warp has its effect, or is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// One bit.
    pub warps: u64,
    /// The fault policy applies.
    pub refused: bool,
}

/// What the fault channel of `mbarrier` carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierFault {
    pub code: Code,
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
    pub address: u32,
}

/// Input ports of `mbarrier`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MbarrierIn {
    pub reset: bool,
    pub op: Option<MbarrierOp>,
    pub tx: Option<Transfer>,
    pub wait_limit: u32,
    /// The CTA slot.
    pub launch: Option<u8>,
    pub retire: Option<Leave>,
    pub mem_request_ready: bool,
    pub mem_response: Option<u64>,
    pub fault_ready: bool,
}

/// Output ports of `mbarrier`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierOut {
    pub op_ready: bool,
    pub tx_ready: bool,
    pub retired_valid: bool,
    pub retired: u8,
    pub leaving: u64,
    pub mem_request_valid: bool,
    pub mem_request: MemRequest,
    pub token_valid: bool,
    pub token: Token,
    pub wake_valid: bool,
    pub wake: Wake,
    pub commit_valid: bool,
    pub commit: Commit,
    pub suspended: u64,
    pub fault_valid: bool,
    pub fault: MbarrierFault,
}

/// Goes over all ports.
pub fn ports(i: &mut MbarrierIn, o: &mut MbarrierOut, at: &mut Walk) {
    let slots = at.sizes().cta_slots();
    at.input("reset", &mut i.reset, 1);
    at.channel_in("op", &mut i.op, &mut o.op_ready, MbarrierOp::fields);
    at.channel_in("tx", &mut i.tx, &mut o.tx_ready, Transfer::fields);
    at.input("wait_limit", &mut i.wait_limit, at.sizes().limit_bits());
    at.strobe_in("launch", &mut i.launch, |cta, at| at.cta(cta));
    at.strobe_in("retire", &mut i.retire, |leave: &mut Leave, at| {
        at.cta(&mut leave.cta);
        at.field("saved", &mut leave.saved, 1);
        at.field("warps", &mut leave.warps, at.sizes().warps());
    });
    at.strobe_out("retired", &mut o.retired_valid, &mut o.retired, |cta, at| at.cta(cta));
    at.output("leaving", &mut o.leaving, slots);
    at.channel_out("mem_request", &mut o.mem_request_valid, &mut i.mem_request_ready, &mut o.mem_request, |request, at| {
        at.field("write", &mut request.write, 1);
        at.cta(&mut request.cta);
        at.field("object", &mut request.object, at.sizes().word_bits());
        at.field("data", &mut request.data, 64);
    });
    at.strobe_in("mem_response", &mut i.mem_response, |data, at| at.field("data", data, 64));
    at.strobe_out("token", &mut o.token_valid, &mut o.token, |token, at| {
        at.warp(&mut token.warp);
        at.field("word", &mut token.word, 64);
        at.field("predicate", &mut token.predicate, 1);
        at.field("refused", &mut token.refused, 1);
        at.field("rd", &mut token.rd, 8);
        at.field("pu", &mut token.pu, 3);
    });
    at.strobe_out("wake", &mut o.wake_valid, &mut o.wake, |wake, at| {
        at.always("warps", &mut wake.warps, at.sizes().warps());
        at.field("value", &mut wake.value, 1);
    });
    at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, |commit, at| {
        at.always("warps", &mut commit.warps, at.sizes().warps());
        at.always("refused", &mut commit.refused, 1);
    });
    at.output("suspended", &mut o.suspended, at.sizes().warps());
    at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, |fault, at| {
        at.choice("code", &mut fault.code);
        at.field("has_warp", &mut fault.has_warp, 1);
        at.warp(&mut fault.warp);
        at.cta(&mut fault.cta);
        at.field("address", &mut fault.address, 32);
    });
}
