// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A PTX module after parsing: kernels and fragments as flat lists of instructions, scopes and labels resolved.

use super::declared::Param;
use super::launch_bounds::Bounds;
use super::target::{Target, Version};
use crate::{Function, Instr, Variable};
use std::ops::Range;

/// A parsed text. What is in it depends on the text alone; a [`Launch`](super::Launch) says how it runs.
#[derive(Clone, Debug)]
pub struct Module {
    pub version: Version,
    pub target: Target,
    /// Kernels, functions and fragment sections, in the order of the text.
    pub codes: Vec<Code>,
    /// In global memory.
    pub variables: Vec<Variable>,
    /// Bytes of shared memory that variables take, none if there is no variable; and the variable whose size the launch gives.
    pub shared: Option<u64>,
    /// The variables there: name, first byte, bytes.
    pub shared_names: Vec<(String, u64, u64)>,
    pub(super) dynamic: Vec<String>,
    /// Variable, byte in it, and name of the function or variable whose address stands there.
    pub(super) relocations: Vec<(usize, usize, String)>,
    /// The first address behind the variables in global memory.
    pub end: u64,
    pub(super) directives: Directives,
}

impl Module {
    /// How many roles the comments of the text give to warps.
    pub fn roles(&self) -> usize {
        self.directives.roles.len()
    }
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
    /// Instructions, registers and frame; symbols that stand further behind are not resolved.
    pub function: Function,
    /// What it demands of its launch.
    pub bounds: Bounds,
    /// Of a kernel.
    pub params: Vec<Param>,
    /// Bytes of shared memory that it declares inside.
    pub shared: u64,
}

impl Code {
    pub(super) fn instrs(&self) -> &[Instr] {
        &self.function.instrs
    }
}
