// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction that stores, for the record of last stores and of arrivals.

use crate::warp::threads::At;

/// An instruction that stores.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Writer {
    pub cta: usize,
    pub warp: usize,
    pub at: At,
    pub cycle: u64,
}
