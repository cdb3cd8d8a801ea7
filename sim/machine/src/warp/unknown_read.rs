// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why an instruction gives an unknown value, and which instruction depends on one.

use super::threads::At;

/// The last reason of an access of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum UnknownRead {
    /// This byte of the arguments of the kernel has no value.
    Argument(usize),
    /// The address is unknown, since this instruction.
    NoAddress(Option<At>),
    /// A calculation reads a register that was never written.
    NoValue,
}

/// An instruction of which it is unknown whether a lane executes it, or where it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Undecided {
    pub at: At,
    pub lane: usize,
    /// The instruction that made the guard or the index of a branch unknown; `None`: a register that was never written.
    pub origin: Option<At>,
}
