// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which memory of the machine an access is to.

/// A memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) enum Bank {
    Global,
    /// Of a CTA.
    Shared(usize),
    /// Of a lane of a warp.
    Local(usize, usize),
}
