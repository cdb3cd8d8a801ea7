// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `decode`: checks an instruction and turns it into an operation, in two pipeline registers that advance together
//! (`docs/contract/decode.md`).

use super::mbarrier_request::MbarrierRequest;
use super::op::{Code, Form, Kind, Operation, RedOp};
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, Fields, PortAction, Walk};
use super::word::{self, Instr, Source};
use bcu_isa::ports::Dir;

/// The payload of the instruction channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instruction {
    /// Bits 31:0 first.
    pub word: [u32; 4],
    pub warp: u8,
    /// How lanes take part in the instruction.
    pub form: Form,
    /// WarpSync, Elect: the lanes that take part.
    pub members: u64,
    /// Active lanes, one bit per lane.
    pub active: u64,
    /// Lanes whose guard is true; one bit per lane.
    pub guard: u64,
    /// Lanes in which the predicate to reduce is true, before negation; one bit per lane.
    pub predicate: u64,
    /// The value of the register named in bits 31:24 of the word, in the lowest executing lane.
    pub ra: u32,
    /// The value of the register named in bits 39:32 of the word, in the lowest executing lane.
    pub rb: u32,
    /// All executing lanes have the same register operands.
    pub uniform: bool,
}

impl Instruction {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        let lanes = at.sizes().lanes();
        at.array("word", &mut self.word, 32);
        at.warp(&mut self.warp);
        at.choice("form", &mut self.form);
        at.field("members", &mut self.members, lanes);
        at.field("active", &mut self.active, lanes);
        at.field("guard", &mut self.guard, lanes);
        at.field("predicate", &mut self.predicate, lanes);
        at.field("ra", &mut self.ra, 32);
        at.field("rb", &mut self.rb, 32);
        at.field("uniform", &mut self.uniform, 1);
    }

    /// The lanes that execute the instruction.
    pub fn lanes(&self) -> u64 {
        self.active & self.guard
    }

    /// The operation of this instruction, whatever the state of its warp is. An illegal word gives a fault; so does an instruction of a
    /// kind that is not built, such as MBAR without `mbarrier`. `is_built` states which kinds are built.
    pub fn decoded(&self, pack_lsb: usize, is_built: impl Fn(Kind) -> bool) -> Decoded {
        // Under WarpSync and Elect the word is ignored.
        let meets = matches!(self.form, Form::WarpSync | Form::Elect);
        let legal = if meets { Some(Instr::plain(Kind::Sync)) } else { word::decode(self.word) };
        let legal = legal.filter(|instr| meets || is_built(instr.kind));
        let fault = if legal.is_none() { Code::IllegalInstruction } else { Code::None };
        let what = legal.unwrap_or(Instr::plain(Kind::Sync));
        let value = |source| match source {
            Source::Immediate(value) => value,
            Source::Ra => self.ra,
            Source::Rb => self.rb,
            Source::Packed => self.rb >> pack_lsb,
        };
        // The operands. For each kind, `data` is: the state word of a Write; the address of an mbarrier; the message of the gateway, in
        // which bit 13 marks a wait and bits 12:8 are 0.
        let op = Operation {
            kind: what.kind,
            fault,
            uniform: self.uniform || !what.has_registers(),
            warp: self.warp,
            id: (value(what.id) & 0xf) as u8,
            count: (value(what.count) & 0xfff) as u16,
            redop: if what.kind == Kind::Mbarrier { RedOp::Popc } else { what.redop },
            state: what.state,
            data: match what.kind {
                Kind::Write => self.ra,
                Kind::Mbarrier => self.ra.wrapping_add(what.mbarrier.offset),
                Kind::Gateway if what.nbar.waits => value(what.nbar.message) & 0xff | 1 << 13,
                Kind::Gateway => value(what.nbar.message) & !0x3f00,
                _ => 0,
            },
            ..Operation::default()
        };
        // `gather` counts the votes: those of a reduction by its operator, those of an mbarrier as the number of executing lanes.
        let predicate = if what.negated { !self.predicate } else { self.predicate };
        let votes = match op.kind {
            Kind::Reduce => self.lanes() & predicate,
            Kind::Mbarrier => self.lanes(),
            _ => 0,
        };
        let request = MbarrierRequest {
            kind: what.mbarrier.kind,
            number: MbarrierRequest::saturated(value(what.mbarrier.number)),
            phase: what.mbarrier.phase_bit.is_some_and(|bit| self.rb >> bit & 1 != 0),
            cluster: what.mbarrier.cluster,
        };
        // An illegal instruction, and an operation whose kind has no forms, gets the form Raw.
        let has_form = legal.is_some() && op.kind.has_form();
        let form = if has_form { self.form } else { Form::Raw };
        let members = if meets { self.members } else { 0 };
        let release = what.mbarrier.release;
        Decoded { op, request, release, lanes: self.lanes(), votes, rd: what.rd, pu: what.pu, form, members }
    }
}

/// Input ports of `decode`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DecodeIn {
    pub reset: bool,
    pub instr: Option<Instruction>,
    pub live: u64,
    /// Warps whose instructions, except Reads and Writes, get the fault `WarpBlocked`; one bit per warp.
    pub blocked: u64,
    /// Warps whose Reads and Writes get this fault too; one bit per warp.
    pub full: u64,
    /// Warps with an operation that is absorbed by `gather`, is parked or has its effects in this cycle; one bit per warp.
    pub op_done: u64,
    pub warp_cta: WarpCta,
    pub op_ready: bool,
}

/// The payload of the operation channel from `decode` to `gather`. The votes are not counted yet, and the destination of the result is
/// included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    pub op: Operation,
    pub request: MbarrierRequest,
    /// Mbarrier: this arrival waits for the accesses before it.
    pub release: bool,
    /// Executing lanes, one bit per lane.
    pub lanes: u64,
    /// Reduce: the executing lanes whose predicate is true after the negation, if the word has one. Mbarrier: all executing lanes.
    pub votes: u64,
    /// Destination register, 255 for none.
    pub rd: u8,
    /// Destination predicate, 7 for none.
    pub pu: u8,
    /// Sync, Arrive, Reduce and the kinds for clusters: how the lanes of the warp take part.
    pub form: Form,
    /// WarpSync, Elect: the lanes that take part.
    pub members: u64,
}

impl Decoded {
    /// The barrier at which the operation arrives, if it is an arrival.
    pub fn arrives_at(&self) -> Option<u8> {
        let meets = matches!(self.form, Form::WarpSync | Form::Elect);
        let arrives = matches!(self.op.kind, Kind::Sync | Kind::Arrive | Kind::Reduce) && !meets;
        (arrives && self.op.fault == Code::None).then_some(self.op.id)
    }

    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        let lanes = at.sizes().lanes();
        self.op.fields_of_warp(at, false);
        at.choice("form", &mut self.form);
        at.field("lanes", &mut self.lanes, lanes);
        at.field("votes", &mut self.votes, lanes);
        at.field("members", &mut self.members, lanes);
        self.request.fields(at);
        at.field("release", &mut self.release, 1);
        at.field("rd", &mut self.rd, 8);
        at.field("pu", &mut self.pu, 3);
    }
}

/// Output ports of `decode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeOut {
    pub op_valid: bool,
    pub op: Decoded,
    pub in_decode: u64,
}

/// What the warp of an instruction was permitted to do in the first cycle in which the instruction was offered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AtOffer {
    blocked: bool,
    full: bool,
}

impl AtOffer {
    fn sample(warp: u8, inputs: &DecodeIn) -> AtOffer {
        AtOffer { blocked: inputs.blocked >> warp & 1 != 0, full: inputs.full >> warp & 1 != 0 }
    }
}

/// The state of `decode`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decode {
    sizes: Sizes,
    /// The operation of the instruction in the first register.
    checked: Option<Decoded>,
    /// The operation that is offered.
    offered: Option<Decoded>,
    in_decode: u64,
    /// Set while an instruction is offered and not transferred: what its warp was permitted in the first cycle of the offer.
    waiting: Option<AtOffer>,
    /// Instructions accepted since reset.
    count: u32,
    /// The operation of the instruction accepted in the last cycle; `None` if no lane executes it and it has no fault.
    accepted: Option<Decoded>,
}

impl Decode {
    /// The operation of the instruction that was transferred at the last edge.
    pub fn accepted(&self) -> Option<&Decoded> {
        self.accepted.as_ref()
    }

    /// The operation of an instruction; `None` if no lane executes it and it has no fault.
    fn operation(&self, instr: &Instruction, i: &DecodeIn, at_offer: AtOffer) -> Option<Decoded> {
        let mut decoded = instr.decoded(self.sizes.pack_lsb(), |kind| self.sizes.has(kind));
        // Reads and Writes are permitted for a blocked warp: a context switch saves and restores the state of waiting warps.
        let may_be_blocked = matches!(decoded.op.kind, Kind::Read | Kind::Write);
        let refused = if may_be_blocked { at_offer.full } else { at_offer.blocked };
        if i.live >> instr.warp & 1 == 0 {
            decoded.op.fault = Code::NotResident;
        } else if refused {
            decoded.op.fault = Code::WarpBlocked;
        }
        (decoded.op.cta, decoded.op.tag) = (i.warp_cta.slot_of(instr.warp), self.count);
        (decoded.op.fault != Code::None || decoded.lanes != 0).then_some(decoded)
    }
}

impl Clocked for Decode {
    type Inputs = DecodeIn;
    type Outputs = DecodeOut;

    fn new(sizes: Sizes) -> Decode {
        Decode { sizes, checked: None, offered: None, in_decode: 0, waiting: None, count: 0, accepted: None }
    }

    fn ports(i: &mut DecodeIn, o: &mut DecodeOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.strobe_in("instr", &mut i.instr, Instruction::fields);
        at.input("live", &mut i.live, warps);
        at.input("blocked", &mut i.blocked, warps);
        at.input("full", &mut i.full, warps);
        at.input("op_done", &mut i.op_done, warps);
        i.warp_cta.ports(Dir::In, at);
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.op, Decoded::fields);
        at.output("in_decode", &mut o.in_decode, warps);
    }

    fn outputs(&self) -> DecodeOut {
        let Decode { offered, in_decode, .. } = *self;
        DecodeOut { op_valid: offered.is_some(), op: offered.unwrap_or_default(), in_decode }
    }

    fn clock(&mut self, inputs: &DecodeIn) {
        if inputs.reset {
            *self = Decode::new(self.sizes);
            return;
        }
        self.in_decode &= !inputs.op_done;
        self.accepted = None;
        if let Some(instr) = &inputs.instr {
            let at_offer = self.waiting.unwrap_or(AtOffer::sample(instr.warp, inputs));
            self.accepted = if inputs.op_ready { self.operation(instr, inputs, at_offer) } else { None };
            self.waiting = (!inputs.op_ready).then_some(at_offer);
        } else {
            self.waiting = None;
        }
        if inputs.op_ready {
            (self.checked, self.offered) = (self.accepted, self.checked);
        }
        self.count = self.count.wrapping_add((inputs.instr.is_some() && inputs.op_ready).into());
        if let Some(op) = self.accepted {
            self.in_decode |= 1 << op.op.warp;
        }
    }
}
