// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that an access goes to.

/// One separate memory of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) enum Bank {
    Global,
    /// The shared memory of a CTA.
    Shared(usize),
    /// The local memory of a lane of a warp.
    Local(usize, usize),
}
