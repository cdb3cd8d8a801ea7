// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A PTX module after parsing: kernels and fragments as flat lists of instructions, scopes and labels resolved.

use super::arith::Calc;
use super::signature::Param;
use super::target::{Target, Version};
use crate::program::Place;
use std::ops::Range;

/// A parsed text. What is in it depends on the text alone; a [`Launch`](super::Launch) says how it runs.
#[derive(Clone, Debug)]
pub struct Module {
    pub version: Version,
    pub target: Target,
    /// Kernels, functions and fragment sections, in the order of the text.
    pub codes: Vec<Code>,
    pub(super) directives: Directives,
}

/// What the `// bcu:` comments of the text ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives {
    pub threads: Option<([u32; 3], Range<usize>)>,
    pub roles: Vec<(Role, Range<usize>)>,
    /// With their places.
    pub params: Vec<(String, u64, Range<usize>)>,
}

/// Warps `first` to `last`, both included, run the entry or fragment section called `entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub entry: String,
    pub first: u32,
    pub last: u32,
}

/// How a piece of code came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// `.entry`
    Kernel,
    /// Instructions outside of any kernel.
    Fragment,
    /// `.func`: never run by itself.
    Function,
}

/// One kernel, function or fragment section.
#[derive(Clone, Debug)]
pub struct Code {
    pub name: String,
    pub kind: CodeKind,
    /// Where the name stands; of a fragment, its first instruction.
    pub span: Range<usize>,
    pub instrs: Vec<Instr>,
    /// Name of every register used, by slot.
    pub registers: Vec<String>,
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<[u32; 3]>,
    /// Of a kernel.
    pub params: Vec<Param>,
    /// Bytes of shared memory that it declares inside.
    pub shared: u64,
}

impl Code {
    /// Whether this may be a parameter: in a fragment any name is.
    pub(super) fn has_param(&self, name: &str) -> bool {
        self.kind != CodeKind::Kernel || self.params.iter().any(|param| param.name == name)
    }
}

/// A register's number within its code.
pub type Slot = usize;

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    pub span: Range<usize>,
    pub place: Place,
    pub guard: Option<Guard>,
    pub op: Op,
    /// The registers that hold something else afterwards.
    pub writes: Vec<Slot>,
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub slot: Slot,
    pub negated: bool,
}

/// What an instruction means for a run.
#[derive(Clone, Debug)]
pub enum Op {
    Barrier(Barrier),
    /// To the instruction with this index; one past the last is the end.
    Branch {
        target: usize,
    },
    /// To a function of this name, or to one that only the run knows.
    Call {
        callee: Option<String>,
    },
    /// `ret`, `exit`
    End,
    /// `trap`
    Trap,
    Access {
        space: crate::program::Space,
        write: bool,
        /// What it is about, if that is one word of 32 bits.
        cell: Option<Cell>,
    },
    /// `bar.warp.sync`, `elect.sync`: the lanes of this mask meet.
    Meet {
        elect: Option<Elect>,
        members: Operand,
        span: Range<usize>,
    },
    /// Evaluated when its sources are known; takes a cycle either way.
    Calc {
        calc: Calc,
        sources: Vec<Operand>,
    },
    Time,
    /// Known, but nothing runs it yet: an error in a kernel that is run. Opcode and modifiers, and where they stand.
    NotBuilt {
        opcode: String,
        span: Range<usize>,
    },
}

/// A 32-bit word at `base` + `offset`; what is stored there, of a load nothing.
#[derive(Clone, Debug)]
pub struct Cell {
    pub base: Operand,
    pub offset: u32,
    pub stored: Option<Operand>,
}

/// The destinations of `elect.sync`: the leader's lane, and whether the lane is the leader.
#[derive(Clone, Copy, Debug)]
pub struct Elect {
    pub leader: Option<Slot>,
    pub leads: Option<Slot>,
}

/// A `bar` or `barrier` instruction.
#[derive(Clone, Debug)]
pub struct Barrier {
    pub kind: BarrierKind,
    /// Whether the whole warp must be converged: `bar`, `.aligned`, and every form up to sm_6x.
    pub aligned: bool,
    pub id: Operand,
    pub id_span: Range<usize>,
    /// With its place; `None` is all threads of the CTA.
    pub count: Option<(Operand, Range<usize>)>,
    /// Id and count as they were written, for messages.
    pub written: [String; 2],
    /// Of a reduction: the predicate to reduce, with its place.
    pub predicate: Option<(Operand, Range<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    Reduce(RedOp),
}

/// In the order of their numbers in the instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedOp {
    And,
    Or,
    Popc,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Register {
        slot: Slot,
        negated: bool,
    },
    Immediate(i64),
    Special(Special),
    Param(String),
    /// An address, a vector, a constant that does not fit: nothing that is evaluated.
    Opaque,
}

/// Special registers with a value known before the run; the axis is 0 to 2 for x to z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Laneid,
    Warpid,
    Nwarpid,
}

/// The type of a register or of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub kind: TypeKind,
    /// Width in bits; 1 for a predicate.
    pub bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `.b32`, `.u32`
    Unsigned,
    Signed,
    Float,
    Predicate,
}

impl Type {
    /// The type a modifier such as `.u32` names.
    pub(super) fn from_modifier(modifier: &str) -> Option<Type> {
        if modifier == ".pred" {
            return Some(Type { kind: TypeKind::Predicate, bits: 1 });
        }
        if matches!(modifier, ".f16x2" | ".bf16x2") {
            return Some(Type { kind: TypeKind::Float, bits: 32 });
        }
        let kind = match modifier.get(1..2)? {
            "b" | "u" => TypeKind::Unsigned,
            "s" => TypeKind::Signed,
            "f" => TypeKind::Float,
            _ => return None,
        };
        let bits = modifier.get(2..)?.parse().ok()?;
        let known = matches!(bits, 8 | 16 | 32 | 64) || modifier == ".b128";
        known.then_some(Type { kind, bits })
    }
}
