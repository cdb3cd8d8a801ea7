// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of a performed access.

use super::Access;

/// The value that an access writes to a register of a lane.
pub(in super::super) struct Loaded {
    pub register: usize,
    pub lane: usize,
    pub value: Option<u64>,
}

/// The loaded values, and the second half of the access, if it has one.
pub(in super::super) struct Performed {
    pub loaded: Vec<Loaded>,
    /// The second half of the access, which is performed later, such as the store of a bulk copy.
    pub then: Option<Access>,
}
