// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The code of a text, and the part of it that a warp runs.

use super::flow::{self, Reach};
use super::function::Function;
use super::grid::Grid;
use super::image::Image;
use super::instr::{Call, Callee, Instr, Op};
use super::kind::Kind;
use bcu_isa::instr::{self as isa, decode, GridOp};
use std::sync::Arc;

/// The functions of a text, and the variables that they use.
#[derive(Debug)]
pub struct Code {
    /// The language of the text.
    pub kind: Kind,
    pub functions: Vec<Function>,
    /// The content of global memory before the run.
    pub variables: Vec<Variable>,
    /// Variables in shared memory: name, first byte, bytes.
    pub shared: Vec<(String, u64, u64)>,
    /// The variable in shared memory whose size the launch gives, and its first byte.
    pub dynamic: Option<(String, u64)>,
    /// The functions that are kernels, which no instruction calls.
    pub kernels: Vec<usize>,
    pub bare: Bare,
    /// Whether the code has instructions of warpgroups.
    pub has_warpgroups: bool,
    reach: Reach,
}

/// Defaults for a text without declarations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bare {
    /// Registers and memory hold 0 before they are written; otherwise their values are unknown.
    pub zeroed: bool,
    /// Every address below 4 GiB is memory; otherwise only variables and buffers are.
    pub unbounded: bool,
    /// The lowest bits of an address are ignored; otherwise the address must be a multiple of the access size.
    pub rounded: bool,
}

/// A variable in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub address: u64,
    pub bytes: Image,
    /// The state space of a variable that has neither an initial value nor data from a launch, and that nothing has stored to. Its bytes
    /// are 0, as in CUDA. `None` for all other variables.
    pub unset: Option<Unset>,
}

/// The state space of a variable without contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// `.const`, which no kernel can write.
    Constant,
    /// `.global`
    Global,
}

impl Variable {
    /// A variable or buffer with these contents.
    pub fn new(name: impl Into<String>, address: u64, bytes: Image) -> Variable {
        Variable { name: name.into(), address, bytes, unset: None }
    }
}

/// The program of one warp.
#[derive(Clone, Debug)]
pub struct WarpProgram {
    /// Role or entry name, for reports.
    pub name: String,
    pub code: Arc<Code>,
    /// The function in which the warp starts.
    pub entry: usize,
    pub grid: Arc<Grid>,
    pub ctaid: [u32; 3],
}

impl WarpProgram {
    /// The function in which the warp starts.
    pub fn function(&self) -> Option<&Function> {
        self.code.functions.get(self.entry)
    }
}

impl Code {
    pub fn new(kind: Kind, functions: Vec<Function>, variables: Vec<Variable>, bare: Bare) -> Code {
        let instrs = functions.iter().flat_map(|function| &function.instrs);
        let has_warpgroups = instrs.into_iter().any(|instr| matches!(instr.op, Op::Warpgroup(_)));
        let (shared, kernels) = (vec![], vec![]);
        Code { kind, functions, variables, shared, dynamic: None, kernels, bare, has_warpgroups, reach: Reach::default() }
    }

    /// The same code with variables in shared memory, and the one whose size the launch gives.
    pub fn with_shared(self, shared: Vec<(String, u64, u64)>, dynamic: Option<(String, u64)>) -> Code {
        Code { shared, dynamic, ..self }
    }

    /// The same code, of whose functions these are kernels.
    pub fn with_kernels(self, kernels: Vec<usize>) -> Code {
        Code { kernels, ..self }
    }

    /// The variable in shared memory that contains a byte, or the dynamic one that begins before it, and the offset of the byte in it.
    pub fn shared_variable(&self, address: u64) -> Option<(&str, u64)> {
        let is_in = |(_, first, bytes): &&(String, u64, u64)| (*first..first + bytes).contains(&address);
        let found = self.shared.iter().find(is_in).map(|(name, first, _)| (name, first));
        let dynamic = self.dynamic.as_ref().map(|(name, first)| (name, first)).filter(|(_, first)| **first <= address);
        found.or(dynamic).map(|(name, first)| (name.as_str(), address - first))
    }

    /// The functions whose instructions a warp that starts in function `entry` may execute, in ascending order.
    pub fn reached(&self, entry: usize) -> Vec<usize> {
        let mut found = vec![];
        let mut pending = vec![entry];
        while let Some(number) = pending.pop() {
            let Some(function) = self.functions.get(number).filter(|_| !found.contains(&number)) else { continue };
            found.push(number);
            for instr in &function.instrs {
                match &instr.op {
                    Op::Call(Call { callee: Callee::Function(callee), .. }) => pending.push(*callee),
                    Op::Call(Call { callee: Callee::Register(_), .. }) => {
                        pending.extend((0..self.functions.len()).filter(|callee| !self.kernels.contains(callee)));
                    }
                    _ => {}
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether the code lets dependent grids start before its grid has ended.
    pub fn lets_dependents_begin(&self) -> bool {
        let launches = |instr: &Instr| match &instr.op {
            Op::Word(word) => decode(word.word).is_ok_and(|instr| instr.op == isa::Op::Grid(GridOp::Launch)),
            _ => false,
        };
        self.functions.iter().flat_map(|function| &function.instrs).any(launches)
    }

    /// The instruction at an index; `None` past the end.
    #[inline]
    pub fn instr(&self, function: usize, at: usize) -> Option<&Instr> {
        self.functions.get(function)?.instrs.get(at)
    }

    /// Whether a lane at `from` reaches the end of the function in every case, without waiting for another lane.
    pub fn always_ends(&self, function: usize, from: usize) -> bool {
        self.functions.get(function).is_some_and(|f| flow::always_ends(f, from))
    }

    /// Whether a lane at `from` can reach `to` in the same function without leaving the function.
    pub fn reaches(&self, function: usize, from: usize, to: usize) -> bool {
        self.functions.get(function).is_some_and(|f| self.reach.reaches((function, f), from, to))
    }
}
