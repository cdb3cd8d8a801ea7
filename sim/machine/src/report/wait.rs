// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A wait in a report.

use serde::Serialize;

/// The duration of a warp's wait: from the cycle in which its arrival was accepted to the cycle of the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub warp: usize,
    pub cycles: u64,
}
