// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The grids of which a multiprocessor has CTAs.

use std::collections::BTreeMap;

/// A grid as this multiprocessor has it: CTAs that have asked or ended, that have ended, and the messages of both kinds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    pub is_ready: bool,
    pub begun: u64,
    pub ended: u64,
    pub sent: [u64; 2],
}

pub type Grids = BTreeMap<u64, Grid>;
