// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a barrier instruction asks for, read from its word, registers and lanes as the unit's `decode` and `votes` do.

use bcu_hw::isa::instr::{decode, BarMode, Op, RedOp, RedSource, Source, StateMode};
use bcu_hw::unit::op::Form as Lanes;
use serde::Serialize;

/// What stands at the instruction port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    /// What is asked of the warp's lanes.
    pub form: Lanes,
    /// The lanes that meet.
    pub members: u64,
    pub word: [u32; 4],
    /// Values of the registers named at those places, in the lowest executing lane.
    pub ra: u32,
    pub rb: u32,
    /// All executing lanes have these values.
    pub uniform: bool,
    /// Lanes, one bit each: active, with a true guard, with a true predicate to reduce (before its negation).
    pub active: u64,
    pub guard: u64,
    pub predicate: u64,
}

impl Default for Issue {
    fn default() -> Self {
        let (form, word, none) = (Lanes::Raw, [0; 4], 0);
        Issue { form, members: none, word, ra: 0, rb: 0, uniform: true, active: none, guard: none, predicate: none }
    }
}

/// What an arrival does to its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Arrives and waits.
    Sync,
    /// Arrives and goes on.
    Arv,
    /// Arrives with a predicate and waits for the reduction.
    Red,
}

impl Form {
    /// Whether the warp waits for the others.
    pub fn waits(self) -> bool {
        self != Form::Arv
    }
}

/// How a reduction combines the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// 1 if all were true.
    And,
    /// 1 if one was.
    Or,
    /// How many were.
    Popc,
}

impl std::fmt::Display for Reduction {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Reduction::And => "and",
            Reduction::Or => "or",
            Reduction::Popc => "popc",
        })
    }
}

/// An arrival as asked for; `count` is in threads, 0 = none given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub form: Form,
    pub id: u8,
    pub count: u32,
    pub uniform: bool,
    pub reduction: Option<Reduction>,
    /// The executing lanes whose predicate is true.
    pub votes: u64,
    /// What the warp adds to the reduction.
    pub value: u32,
}

impl Ask {
    /// The warp arrives with these lanes.
    pub fn whole(&mut self, lanes: u64) {
        self.value = match self.reduction {
            None => 0,
            Some(Reduction::And) => u32::from(self.votes != lanes),
            Some(Reduction::Or) => u32::from(self.votes != 0),
            Some(Reduction::Popc) => self.votes.count_ones(),
        };
    }
}

/// What a B2R reads or an R2B writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Warp,
    Barrier(u8),
    Result,
}

/// What the unit does with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Taken without effect: no lane executes it.
    Nothing,
    Illegal,
    Arrival(Ask),
    /// Lanes of the warp wait for the others of `members`.
    Meet {
        elect: bool,
        members: u64,
    },
    /// Into register `rd` and predicate `pu`.
    Read {
        state: State,
        rd: u8,
        pu: u8,
    },
    Write {
        state: State,
        word: u32,
        uniform: bool,
    },
}

impl Issue {
    /// Lanes that execute the instruction.
    pub fn lanes(&self) -> u64 {
        self.active & self.guard
    }

    /// `pack_lsb` is where the count begins in a register that holds id and count.
    pub fn meaning(&self, pack_lsb: usize) -> Meaning {
        if matches!(self.form, Lanes::WarpSync | Lanes::Elect) {
            let meet = Meaning::Meet { elect: self.form == Lanes::Elect, members: self.members };
            return if self.lanes() == 0 { Meaning::Nothing } else { meet };
        }
        let Ok(instr) = decode(self.word) else { return Meaning::Illegal };
        if self.lanes() == 0 {
            return Meaning::Nothing;
        }
        let state = |mode, id| if mode == StateMode::Warp { State::Warp } else { State::Barrier(id) };
        let uniform = self.uniform;
        match instr.op {
            Op::Bar { mode, source } => {
                let (id, count) = match source {
                    Source::I { id, count } => (id.into(), count.into()),
                    Source::Rr { .. } => (self.ra, self.rb),
                    Source::Rri { count, .. } => (self.rb, count.into()),
                    Source::Rir { id, .. } => (id.into(), self.rb),
                };
                self.arrival(if mode == BarMode::Sync { Form::Sync } else { Form::Arv }, id, count, None)
            }
            Op::Red { op, source, pp } => {
                let (id, count) = match source {
                    RedSource::I { id, count } => (id.into(), count.into()),
                    RedSource::Packed(_) => (self.rb, self.rb >> pack_lsb),
                    RedSource::Rri { count, .. } => (self.rb, count.into()),
                    RedSource::Rir { id, .. } => (id.into(), self.rb),
                };
                let votes = self.lanes() & if pp.not { !self.predicate } else { self.predicate };
                let reduction = match op {
                    RedOp::And => Reduction::And,
                    RedOp::Or => Reduction::Or,
                    RedOp::Popc => Reduction::Popc,
                };
                self.arrival(Form::Red, id, count, Some((reduction, votes)))
            }
            Op::B2r { mode, rd, id } => Meaning::Read { state: state(mode, id), rd: rd.0, pu: 7 },
            Op::Result { rd, pu } => Meaning::Read { state: State::Result, rd: rd.0, pu },
            Op::R2b { mode, id, .. } => Meaning::Write { state: state(mode, id), word: self.ra, uniform },
        }
    }

    fn arrival(&self, form: Form, id: u32, count: u32, reduction: Option<(Reduction, u64)>) -> Meaning {
        let (reduction, votes) = reduction.map_or((None, 0), |(reduction, votes)| (Some(reduction), votes));
        let (id, count) = ((id & 15) as u8, count & 0xfff);
        let mut ask = Ask { form, id, count, uniform: self.uniform, reduction, votes, value: 0 };
        ask.whole(self.lanes());
        Meaning::Arrival(ask)
    }
}
