// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memories of the machine.

/// One separate memory of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) enum Bank {
    Global,
    /// The shared memory of the CTA with this number.
    Shared(usize),
    /// The local memory of a lane: warp and lane.
    Local(usize, usize),
}
