// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A PTX module after parsing: kernels and fragments as flat lists of instructions, with scopes and labels resolved.

use super::declared::{Param, VariableType};
use super::launch_bounds::Bounds;
use super::target::{Target, Version};
use crate::{window, Function, Instr, Variable};
use std::ops::Range;

/// A parsed text. The module depends on the text alone; a [`Launch`](super::Launch) determines how the module runs.
#[derive(Clone, Debug)]
pub struct Module {
    pub version: Version,
    pub target: Target,
    /// Kernels, functions and fragment sections, in text order.
    pub codes: Vec<Code>,
    /// Whether addresses have 32 bits: `.address_size 32`.
    pub narrow: bool,
    /// Variables in global memory.
    pub variables: Vec<Variable>,
    /// The type of each of these variables.
    pub variable_types: Vec<VariableType>,
    /// Bytes of shared memory that variables take; `None` without variables.
    pub shared: Option<u64>,
    /// The variables in shared memory: name, first byte, bytes; `dynamic` has the variables whose size the launch gives.
    pub shared_names: Vec<(String, u64, u64)>,
    pub(super) dynamic: Vec<String>,
    /// The largest alignment of these variables.
    pub(super) dynamic_align: u64,
    /// Addresses in the initial content of variables: index of the variable, byte in the variable, and the name of the function or variable
    /// that has this address.
    pub(super) relocations: Vec<(usize, usize, String)>,
    /// The first address after the variables in global memory.
    pub end: u64,
    pub(super) directives: Directives,
}

impl Module {
    /// Number of roles that the comments of the text give to warps.
    pub fn roles(&self) -> usize {
        self.directives.roles.len()
    }

    /// The first byte of the variables in shared memory whose size the launch gives: after the other variables, at their largest alignment.
    pub(super) fn dynamic_start(&self) -> u64 {
        self.shared.unwrap_or(0).next_multiple_of(self.dynamic_align)
    }

    /// The first address of variables, which are followed by buffers.
    pub fn base(&self) -> u64 {
        if self.narrow {
            window::NARROW_GLOBAL
        } else {
            window::GLOBAL
        }
    }

    /// Bytes of an address.
    pub fn pointer(&self) -> u64 {
        if self.narrow {
            4
        } else {
            8
        }
    }
}

/// The content of the `// bcu:` comments of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives {
    pub threads: Option<([u32; 3], Range<usize>)>,
    pub roles: Vec<(Role, Range<usize>)>,
    /// Values of parameters: name, value and span.
    pub params: Vec<(String, u64, Range<usize>)>,
}

/// Warps `first` to `last`, both included, run the entry or fragment section `entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub entry: String,
    pub first: u32,
    pub last: u32,
}

/// The origin of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// `.entry`
    Kernel,
    /// Instructions outside of any kernel.
    Fragment,
    /// `.func`: never an entry.
    Function,
}

/// One kernel, function or fragment section.
#[derive(Clone, Debug)]
pub struct Code {
    pub name: String,
    pub kind: CodeKind,
    /// The span of the name; for a fragment, of its first instruction.
    pub span: Range<usize>,
    /// Instructions, registers and frame; symbols that are declared later are not resolved.
    pub function: Function,
    /// Bounds on the launch of the kernel.
    pub bounds: Bounds,
    /// The parameters of a kernel.
    pub params: Vec<Param>,
    /// Bytes of shared memory that the code declares in its body.
    pub shared: u64,
}

impl Code {
    pub(super) fn instrs(&self) -> &[Instr] {
        &self.function.instrs
    }
}
