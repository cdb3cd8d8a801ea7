// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why an access gives an unknown value.

use super::threads::At;

/// The last reason of an access of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum UnknownRead {
    /// This byte of the arguments of the kernel has no value.
    Argument(usize),
    /// The address is unknown, since this instruction.
    NoAddress(Option<At>),
}
