// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory spaces.

/// Where a memory access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// By the address: a window of shared or local memory, else global.
    Generic,
    Shared,
    Global,
    /// The lane's own: its stack.
    Local,
    /// The arguments of the kernel.
    Param,
}
