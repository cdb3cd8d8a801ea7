// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of a performed access.

use super::Access;

/// The new value of a register of a lane.
pub(in super::super) struct Loaded {
    pub register: usize,
    pub lane: usize,
    pub value: Option<u64>,
}

/// The loaded values and the second half of an access.
pub(in super::super) struct Performed {
    pub loaded: Vec<Loaded>,
    /// The second half, which takes effect later.
    pub then: Option<Access>,
}
