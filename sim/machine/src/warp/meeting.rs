// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes that wait for each other.

use super::At;
use bcu_program::Exchange;

/// Lanes that wait at an exchange.
#[derive(Clone, Debug)]
pub(in super::super) struct Rendezvous {
    pub at: At,
    pub exchange: Exchange,
    /// The member mask of these lanes.
    pub members: u64,
    pub lanes: u64,
    /// By source, then by lane of the warp.
    pub sources: Vec<Vec<Option<u64>>>,
    /// The registers of the results, counted from the lane's first register.
    pub writes: Vec<Option<usize>>,
}

/// The results of an exchange in one lane.
pub(super) type Results = Vec<Option<u64>>;
