// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory spaces.

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The address selects the memory: a window of shared memory, local memory or kernel parameters, otherwise global memory.
    Generic,
    Shared,
    Global,
    /// Memory of one lane: its stack.
    Local,
    /// The arguments of the kernel.
    Param,
}
