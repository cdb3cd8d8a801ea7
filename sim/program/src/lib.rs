// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the warps of a run execute: functions of instructions, whatever language they came from.
//!
//! A front end ([`bcu`], [`ptx`], [`visa`]) reads a text and gives [`Code`]; the machine executes it, every lane at a place of its own.

mod access;
pub mod arith;
pub mod bcu;
mod clusters;
pub mod deciding;
mod flow;
mod instr;
pub mod launch;
mod load;
pub mod mbarrier;
mod operand;
pub mod ptx;
mod team;
pub mod tensor;
pub mod visa;
pub mod window;
pub mod word;

pub use access::{Access, AccessKind, Atomic, Bulk, CopyWait, Order, Shape, Signal, Space, TensorCopy};
use bcu_isa::instr::{self as isa, decode, GridOp};
pub use clusters::{Clusters, MAX_CLUSTER};
pub use flow::rejoin;
use flow::Reach;
pub use instr::{
    Barrier, BarrierKind, Call, Callee, Elect, Exchange, Form, Guard, Instr, Op, RedOp, Reduce, Shuffle, Slot, Stack, Vote,
    Word,
};
pub use load::{load, runs, GridSize, Kind, Launch, Loaded, Role, Run};
pub use operand::{Operand, Special};
use std::rc::Rc;
pub use team::{Team, TeamError, Text};

/// Where an instruction stands in its source text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment.
    pub text: String,
}

/// The functions of a text, and the variables that they name.
#[derive(Debug, Default)]
pub struct Code {
    pub functions: Vec<Function>,
    /// What global memory holds before the run.
    pub variables: Vec<Variable>,
    /// Variables in shared memory: name, first byte, bytes.
    pub shared: Vec<(String, u64, u64)>,
    pub bare: Bare,
    reach: Reach,
}

/// What a text without declarations leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bare {
    /// Registers and memory hold 0 before they are written; else nobody knows what.
    pub zeroed: bool,
    /// Every address below 4 GiB is memory; else only variables and buffers are.
    pub unbounded: bool,
    /// The lowest bits of an address do not matter; else it must be a multiple of the size.
    pub rounded: bool,
}

/// A function: its instructions in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Function {
    pub name: String,
    pub instrs: Vec<Instr>,
    /// Names of the registers, by slot.
    pub registers: Vec<String>,
    /// Bytes of local memory of one call: variables, parameters, arguments and results.
    pub frame: u64,
    /// Where parameters and result stand in the frame.
    pub parameters: Vec<std::ops::Range<u64>>,
    pub result: Option<std::ops::Range<u64>>,
}

/// A variable in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub address: u64,
    /// `None` is a byte that nobody knows.
    pub bytes: Vec<Option<u8>>,
}

/// What the threads of a CTA have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Threads of a CTA along x, y and z.
    pub ntid: [u32; 3],
    /// Its CTAs and their clusters.
    pub clusters: Clusters,
    /// It may begin before the launch before it has ended.
    pub programmatic: bool,
    /// Bytes of shared memory that the text declares, and that the launch adds; without declarations there are no bounds.
    pub shared: Option<u64>,
    pub dynamic: u64,
    /// Barriers of the gateway that the text declares; without a number a thread group has all that are built.
    pub barriers: Option<u32>,
    /// The arguments of the kernel; `None` is a byte that nobody gave.
    pub arguments: Vec<Option<u8>>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            ntid: [1; 3],
            clusters: Clusters::default(),
            programmatic: false,
            shared: None,
            dynamic: 0,
            barriers: None,
            arguments: vec![],
        }
    }
}

/// What one warp runs.
#[derive(Clone, Debug)]
pub struct WarpProgram {
    /// Role or entry name, for reports.
    pub name: String,
    pub code: Rc<Code>,
    /// The function in which it begins.
    pub entry: usize,
    pub grid: Rc<Grid>,
    pub ctaid: [u32; 3],
}

impl WarpProgram {
    /// The function in which it begins.
    pub fn function(&self) -> Option<&Function> {
        self.code.functions.get(self.entry)
    }
}

impl Code {
    pub fn new(functions: Vec<Function>, variables: Vec<Variable>, bare: Bare) -> Code {
        Code { functions, variables, shared: vec![], bare, reach: Reach::default() }
    }

    /// It lets grids that depend on this one begin before it has ended.
    pub fn lets_dependents_begin(&self) -> bool {
        let launches = |instr: &Instr| match &instr.op {
            Op::Word(word) => decode(word.word).is_ok_and(|instr| instr.op == isa::Op::Grid(GridOp::Launch)),
            _ => false,
        };
        self.functions.iter().flat_map(|function| &function.instrs).any(launches)
    }

    /// The instruction at a place, if it is not past the end.
    pub fn instr(&self, function: usize, at: usize) -> Option<&Instr> {
        self.functions.get(function)?.instrs.get(at)
    }

    /// Whether a lane at `from` comes to the end of the function whatever it computes, and waits for no other on its way.
    pub fn ends(&self, function: usize, from: usize) -> bool {
        self.functions.get(function).is_some_and(|f| flow::ends(f, from))
    }

    /// Whether a lane at `from` can come to `to` in the same function without leaving it.
    pub fn reaches(&self, function: usize, from: usize, to: usize) -> bool {
        self.functions.get(function).is_some_and(|f| self.reach.reaches((function, f), from, to))
    }
}
