// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of an instruction that is calculated for all lanes at once.

use bcu_program::arith::LANE_SOURCES;

/// The values of sources that are not in registers, and the results; kept by a multiprocessor, so that no instruction allocates them.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Scratch {
    pub sources: [Vec<u64>; LANE_SOURCES],
    pub results: Vec<u64>,
}
