// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `decode` in cycles: an instruction becomes an operation in a queue of two (`docs/interface.md`, `decode`).

use super::op::{Code, Form, Kind, Operation};
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, Fields, Walk};
use super::word::{self, Instr, Source};
use bcu_hw::ports::Dir;

/// The payload of the instruction channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instruction {
    /// Bits 31:0 first.
    pub word: [u32; 4],
    pub warp: u8,
    /// What is asked of the warp's lanes.
    pub form: Form,
    /// WarpSync, Elect: the lanes that meet.
    pub members: u64,
    /// Active lanes.
    pub active: u64,
    /// Lanes whose guard is true.
    pub guard: u64,
    /// Lanes in which the predicate to reduce is true, before negation.
    pub predicate: u64,
    /// The registers of the lowest executing lane.
    pub ra: u32,
    pub rb: u32,
    /// All executing lanes have the same register operands.
    pub uniform: bool,
}

impl Instruction {
    pub fn fields(&mut self, at: &mut Fields) {
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
}

/// Input ports of `decode`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecodeIn {
    pub reset: bool,
    pub instr: Option<Instruction>,
    pub live: u64,
    pub blocked: u64,
    /// Warps that may not even read or write state.
    pub full: u64,
    /// Warps whose operation is not on its way from here any more.
    pub settled: u64,
    pub warp_cta: WarpCta,
    pub op_ready: bool,
}

/// An operation as it leaves `decode`: votes are not counted yet, and its result still has to find its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    pub op: Operation,
    /// Executing lanes.
    pub lanes: u64,
    /// Reduce: those of them whose predicate, negated if the word says so, is true.
    pub votes: u64,
    /// Read: destination register, 255 for none.
    pub rd: u8,
    /// Read: destination predicate, 7 for none.
    pub pu: u8,
    /// Sync, Arrive, Reduce: what is asked of the lanes.
    pub form: Form,
    /// WarpSync, Elect: the lanes that meet.
    pub members: u64,
}

impl Decoded {
    fn fields(&mut self, at: &mut Fields) {
        let lanes = at.sizes().lanes();
        self.op.fields_of_warp(at, false);
        at.choice("form", &mut self.form);
        at.field("lanes", &mut self.lanes, lanes);
        at.field("votes", &mut self.votes, lanes);
        at.field("members", &mut self.members, lanes);
        at.field("rd", &mut self.rd, 8);
        at.field("pu", &mut self.pu, 3);
    }
}

/// Output ports of `decode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeOut {
    pub instr_ready: bool,
    pub op_valid: bool,
    pub op: Decoded,
    pub front: u64,
    pub holding: u64,
}

/// The state of `decode`.
#[derive(Clone, Debug)]
pub struct Decode {
    sizes: Sizes,
    /// How many of the two places are taken.
    queued: usize,
    /// The two places; the first keeps its value when it is left.
    places: [Decoded; 2],
    front: u64,
    holding: u64,
}

/// The operation of an instruction; `None` if no lane executes it.
fn operation(instr: &Instruction, i: &DecodeIn, pack_lsb: usize) -> Option<Decoded> {
    // Lanes that meet have no word: nothing of it is looked at.
    let meets = matches!(instr.form, Form::WarpSync | Form::Elect);
    let legal = if meets { Some(Instr::plain(Kind::Sync)) } else { word::decode(instr.word) };
    let has = |warps: u64| warps >> instr.warp & 1 != 0;
    // A context switch reads and writes the state of warps that wait.
    let may_be_blocked = legal.is_some_and(|legal| matches!(legal.kind, Kind::Read | Kind::Write));
    let fault = if !has(i.live) {
        Code::NotResident
    } else if has(if may_be_blocked { i.full } else { i.blocked }) {
        Code::WarpBlocked
    } else if legal.is_none() {
        Code::IllegalInstruction
    } else {
        Code::None
    };
    let lanes = instr.active & instr.guard;
    if fault == Code::None && lanes == 0 {
        return None;
    }
    let what = legal.unwrap_or(Instr::plain(Kind::Sync));
    let value = |source| match source {
        Source::Immediate(value) => value,
        Source::Ra => instr.ra,
        Source::Rb => instr.rb,
        Source::Packed => instr.rb >> pack_lsb,
    };
    let votes = if what.negated { !instr.predicate } else { instr.predicate };
    let op = Operation {
        kind: what.kind,
        fault,
        uniform: instr.uniform || !what.has_registers(),
        warp: instr.warp,
        cta: i.warp_cta.of(instr.warp),
        id: (value(what.id) & 0xf) as u8,
        count: (value(what.count) & 0xfff) as u16,
        redop: what.redop,
        state: what.state,
        data: if what.kind == Kind::Write { instr.ra } else { 0 },
        ..Operation::default()
    };
    let votes = if op.kind == Kind::Reduce { lanes & votes } else { 0 };
    let arrives = legal.is_some() && matches!(op.kind, Kind::Sync | Kind::Arrive | Kind::Reduce);
    let form = if arrives { instr.form } else { Form::Raw };
    Some(Decoded { op, lanes, votes, rd: what.rd, pu: what.pu, form, members: if meets { instr.members } else { 0 } })
}

/// The warp that an operation holds: that of an arrival that waits, without fault, not only for lanes of its own.
fn held(Decoded { op, form, .. }: &Decoded) -> u64 {
    let whole = matches!(form, Form::Raw | Form::Aligned);
    u64::from(op.waits() && whole && op.fault == Code::None) << op.warp
}

impl Clocked for Decode {
    type Inputs = DecodeIn;
    type Outputs = DecodeOut;

    fn new(sizes: Sizes) -> Decode {
        Decode { sizes, queued: 0, places: [Decoded::default(); 2], front: 0, holding: 0 }
    }

    fn ports(i: &mut DecodeIn, o: &mut DecodeOut, at: &mut Walk) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.channel_in("instr", &mut i.instr, &mut o.instr_ready, Instruction::fields);
        at.input("live", &mut i.live, warps);
        at.input("blocked", &mut i.blocked, warps);
        at.input("full", &mut i.full, warps);
        at.input("settled", &mut i.settled, warps);
        i.warp_cta.ports(Dir::In, at);
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.op, Decoded::fields);
        at.output("front", &mut o.front, warps);
        at.output("holding", &mut o.holding, warps);
    }

    fn outputs(&self) -> DecodeOut {
        let Decode { queued, places: [op, _], front, holding, .. } = *self;
        DecodeOut { instr_ready: queued < 2, op_valid: queued > 0, op, front, holding }
    }

    fn clock(&mut self, inputs: &DecodeIn) {
        if inputs.reset {
            *self = Decode::new(self.sizes);
            return;
        }
        let out = self.outputs();
        if out.op_valid && inputs.op_ready {
            self.queued -= 1;
            if self.queued > 0 {
                self.places[0] = self.places[1];
            }
        }
        self.front &= !inputs.settled;
        self.holding &= !inputs.settled;
        let taken = inputs.instr.filter(|_| out.instr_ready);
        if let Some(op) = taken.and_then(|instr| operation(&instr, inputs, self.sizes.pack_lsb())) {
            self.front |= 1 << op.op.warp;
            self.holding |= held(&op);
            self.places[self.queued] = op;
            self.queued += 1;
        }
    }
}
