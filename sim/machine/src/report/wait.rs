// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A wait in a report.

use serde::Serialize;

/// How long a warp waited: from the cycle in which its arrival was taken to that of the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub warp: usize,
    pub cycles: u64,
}
