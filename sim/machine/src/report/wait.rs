// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A wait in a report.

use serde::Serialize;

/// A wait of a warp, from the cycle in which the unit accepted its arrival to the cycle of the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub warp: usize,
    pub cycles: u64,
}
