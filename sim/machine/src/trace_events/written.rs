// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How much of the record of a multiprocessor is written.

/// The number of faults, completed generations and completed phases that are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub faults: usize,
    pub generations: usize,
    pub phases: usize,
}
