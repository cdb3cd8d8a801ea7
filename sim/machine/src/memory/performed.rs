// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a performed access.

use bcu_program::arith::Partial;

/// The value that an access writes to a register of a lane.
pub(in super::super) struct Loaded {
    pub register: usize,
    pub lane: usize,
    pub value: Partial,
}
