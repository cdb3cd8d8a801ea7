// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `mbarrier`, with their payloads (`docs/contract/mbarrier.md`, the port table).

use super::mbarrier_object::MbarrierKind;
use super::op::Code;
use super::wire::{Fields, PortAction, Walk};

/// An operation of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierOp {
    pub kind: MbarrierKind,
    pub fault: Code,
    pub uniform: bool,
    pub warp: u8,
    pub cta: u8,
    pub address: u32,
    /// The instruction addresses the shared memory of the cluster.
    pub cluster: bool,
    pub count: u32,
    pub bytes: u32,
    pub phase: bool,
    pub hint: u32,
    /// All live lanes of the warp execute the operation.
    pub all_live_lanes: bool,
    pub rd: u8,
    pub pu: u8,
}

impl MbarrierOp {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
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
        at.field("all_live_lanes", &mut self.all_live_lanes, 1);
        at.field("rd", &mut self.rd, 8);
        at.field("pu", &mut self.pu, 3);
    }

    /// Whether the operation is on an object of another CTA; `rank` is the rank of the executing CTA.
    fn is_elsewhere(&self, rank: u8) -> bool {
        self.address >> 24 != u32::from(rank)
    }

    /// Whether the operation is sent to the network if it has no fault; `rank` is the rank of the executing CTA.
    pub fn is_remote(&self, rank: u8) -> bool {
        self.cluster && self.kind.travels() && self.is_elsewhere(rank)
    }

    /// The fault that does not depend on the object; `placement` is the place of the executing CTA in its cluster. Without checks, only a
    /// fault from upstream is returned.
    pub fn flaw(&self, smem_bytes: u32, checks: bool, placement: Launch) -> Code {
        let (rank, offset) = (self.address >> 24, self.address & 0xff_ffff);
        let elsewhere = self.is_elsewhere(placement.rank);
        let nobody = self.cluster && rank >= placement.size.into();
        let unreachable = nobody || !self.kind.waits() && !self.is_remote(placement.rank);
        let flaws = [
            (self.fault != Code::None, self.fault),
            (checks && !self.uniform, Code::OperandNotUniform),
            (checks && elsewhere && unreachable, Code::RankOutOfRange),
            (checks && elsewhere && self.kind.waits(), Code::WaitRemote),
            (checks && offset % 8 != 0, Code::AddressMisaligned),
            (checks && offset >= smem_bytes, Code::AddressOutOfRange),
            (checks && self.kind.counts() && (self.count == 0 || self.count >= 1 << 20), Code::MbarrierCount),
        ];
        flaws.into_iter().find(|(is, _)| *is).map_or(Code::None, |(_, code)| code)
    }
}

/// A transfer from a copy engine or a tensor unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    pub cta: u8,
    pub object: u32,
    pub count: u8,
    pub bytes: u32,
}

impl Transfer {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("object", &mut self.object, at.sizes().word_bits());
        at.field("count", &mut self.count, 6);
        at.field("bytes", &mut self.bytes, 21);
    }
}

/// A CTA that is launched, with its place in its cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    pub cta: u8,
    pub cluster: u16,
    pub rank: u8,
    pub size: u8,
}

impl Launch {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("cluster", &mut self.cluster, at.sizes().cluster_bits());
        at.field("rank", &mut self.rank, 4);
        at.field("size", &mut self.size, 5);
    }
}

/// An operation that the multiprocessor sends to the network, on an object of another CTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetOut {
    pub cluster: u16,
    pub rank: u8,
    /// The CTA slot of the CTA that sends the operation.
    pub cta: u8,
    pub object: u32,
    pub kind: MbarrierKind,
    pub count: u32,
    pub bytes: u32,
}

/// An operation that the network delivers, on an object of a CTA of this multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetIn {
    pub cta: u8,
    pub object: u32,
    pub kind: MbarrierKind,
    pub count: u32,
    pub bytes: u32,
    pub source: u8,
}

/// The reply to an operation of `net_in` that took effect or was refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetReply {
    pub source: u8,
    pub absent: bool,
}

/// The acknowledgement of an operation that was sent to the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetAck {
    pub cta: u8,
    pub absent: bool,
}

/// A CTA that leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leave {
    pub cta: u8,
    pub saved: bool,
    /// The warp slots of the CTA.
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

/// Suspended warps that resume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    pub warps: u64,
    pub value: bool,
}

/// An operation of a warp that takes effect or is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Commit {
    /// The operation's warp, one-hot.
    pub warps: u64,
    /// The operation is refused, so the fault policy applies to its warp.
    pub refused: bool,
}

impl Commit {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.warps(&mut self.warps);
        at.always("refused", &mut self.refused, 1);
    }
}

/// The payload of the fault channel of `mbarrier`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierFault {
    pub code: Code,
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
    pub address: u32,
}

/// Input ports of `mbarrier`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MbarrierIn {
    pub reset: bool,
    pub op: Option<MbarrierOp>,
    pub outside: Outside,
    pub launch: Option<Launch>,
    pub retire: Option<Leave>,
    pub fault_ready: bool,
}

/// Inputs that do not come from warps. `bcu` has input ports of the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outside {
    pub tx: Option<Transfer>,
    pub net_out_ready: bool,
    pub net_ack: Option<NetAck>,
    pub net_in: Option<NetIn>,
    pub wait_limit: u32,
    pub mem_request_ready: bool,
    pub mem_response: Option<u64>,
}

impl Outside {
    /// Visits the ports to copy engines, and the wait limit. If operations can reach other CTAs, also visits the ports to the network,
    /// unless the links are inside `gpu` (`linked`).
    pub fn sources(&mut self, o: &mut MbarrierOut, linked: bool, at: &mut Walk<impl PortAction>) {
        at.channel_in("tx", &mut self.tx, &mut o.tx_ready, Transfer::fields);
        at.strobe_out("tx_done", &mut o.tx_done_valid, &mut o.tx_done, |cta, at| at.cta(cta));
        if at.sizes().has_network() && !linked {
            self.network(o, at);
        }
        at.input("wait_limit", &mut self.wait_limit, at.sizes().limit_bits());
    }

    /// Visits the ports to other CTAs of a cluster.
    fn network(&mut self, o: &mut MbarrierOut, at: &mut Walk<impl PortAction>) {
        at.channel_out("net_out", &mut o.net_out_valid, &mut self.net_out_ready, &mut o.net_out, |out, at| {
            at.field("cluster", &mut out.cluster, at.sizes().cluster_bits());
            at.field("rank", &mut out.rank, 4);
            at.cta(&mut out.cta);
            at.field("object", &mut out.object, at.sizes().word_bits());
            at.choice("kind", &mut out.kind);
            at.field("count", &mut out.count, 20);
            at.field("bytes", &mut out.bytes, 21);
        });
        at.strobe_in("net_ack", &mut self.net_ack, |ack: &mut NetAck, at| {
            at.cta(&mut ack.cta);
            at.field("absent", &mut ack.absent, 1);
        });
        at.channel_in("net_in", &mut self.net_in, &mut o.net_in_ready, |got: &mut NetIn, at| {
            at.cta(&mut got.cta);
            at.field("object", &mut got.object, at.sizes().word_bits());
            at.choice("kind", &mut got.kind);
            at.field("count", &mut got.count, 20);
            at.field("bytes", &mut got.bytes, 21);
            at.field("source", &mut got.source, 8);
        });
        at.strobe_out("net_reply", &mut o.net_reply_valid, &mut o.net_reply, |reply, at| {
            at.field("source", &mut reply.source, 8);
            at.field("absent", &mut reply.absent, 1);
        });
    }

    /// Visits the ports to shared memory.
    pub fn memory(&mut self, o: &mut MbarrierOut, at: &mut Walk<impl PortAction>) {
        at.channel_out(
            "mem_request",
            &mut o.mem_request_valid,
            &mut self.mem_request_ready,
            &mut o.mem_request,
            |request, at| {
                at.field("write", &mut request.write, 1);
                at.cta(&mut request.cta);
                at.field("object", &mut request.object, at.sizes().word_bits());
                at.field("data", &mut request.data, 64);
            },
        );
        at.strobe_in("mem_response", &mut self.mem_response, |data, at| at.field("data", data, 64));
    }
}

/// Output ports of `mbarrier`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierOut {
    pub op_ready: bool,
    pub tx_ready: bool,
    pub tx_done_valid: bool,
    /// The CTA slot of the transfer that has had its effect.
    pub tx_done: u8,
    pub net_out_valid: bool,
    pub net_out: NetOut,
    pub net_in_ready: bool,
    pub net_reply_valid: bool,
    pub net_reply: NetReply,
    pub retired_valid: bool,
    pub retired: u8,
    pub leaving: u64,
    /// CTA slots with a remote operation that is not acknowledged, or whose fault is not yet reported; one bit per CTA slot.
    pub remote: u64,
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

impl MbarrierOut {
    /// Visits the outputs to warps.
    pub fn results(&mut self, at: &mut Walk<impl PortAction>) {
        at.strobe_out("token", &mut self.token_valid, &mut self.token, |token, at| {
            at.warp(&mut token.warp);
            at.field("word", &mut token.word, 64);
            at.field("predicate", &mut token.predicate, 1);
            at.field("refused", &mut token.refused, 1);
            at.field("rd", &mut token.rd, 8);
            at.field("pu", &mut token.pu, 3);
        });
        at.strobe_out("wake", &mut self.wake_valid, &mut self.wake, |wake, at| {
            at.warps(&mut wake.warps);
            at.field("value", &mut wake.value, 1);
        });
    }
}

/// Visits all ports.
pub fn ports(i: &mut MbarrierIn, o: &mut MbarrierOut, at: &mut Walk<impl PortAction>) {
    let slots = at.sizes().cta_slots();
    at.input("reset", &mut i.reset, 1);
    at.channel_in("op", &mut i.op, &mut o.op_ready, MbarrierOp::fields);
    i.outside.sources(o, false, at);
    at.strobe_in("launch", &mut i.launch, Launch::fields);
    at.strobe_in("retire", &mut i.retire, |leave: &mut Leave, at| {
        at.cta(&mut leave.cta);
        at.field("warps", &mut leave.warps, at.sizes().warps());
        at.field("saved", &mut leave.saved, 1);
    });
    at.strobe_out("retired", &mut o.retired_valid, &mut o.retired, |cta, at| at.cta(cta));
    at.output("leaving", &mut o.leaving, slots);
    if at.sizes().has_clusters() {
        at.output("remote", &mut o.remote, slots);
    }
    i.outside.memory(o, at);
    o.results(at);
    at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, Commit::fields);
    at.output("suspended", &mut o.suspended, at.sizes().warps());
    at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, |fault, at| {
        at.choice("code", &mut fault.code);
        at.field("has_warp", &mut fault.has_warp, 1);
        at.warp(&mut fault.warp);
        at.cta(&mut fault.cta);
        at.field("address", &mut fault.address, 32);
    });
}
