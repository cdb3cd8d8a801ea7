// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a performed access has read.

use super::Access;

/// What a register of a lane gets.
pub(in super::super) struct Loaded {
    pub register: usize,
    pub lane: usize,
    pub value: Option<u64>,
}

/// What comes of an access.
pub(in super::super) struct Performed {
    pub loaded: Vec<Loaded>,
    /// Its second half, which takes effect later.
    pub then: Option<Access>,
}
