// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes that wait for each other to exchange values.

use super::At;
use bcu_program::arith::Partial;
use bcu_program::Exchange;
use std::sync::Arc;

/// Lanes that wait at an exchange for the other lanes of their member mask.
#[derive(Clone, Debug)]
pub(in super::super) struct Rendezvous {
    pub at: At,
    pub exchange: Exchange,
    /// The member mask that these lanes gave.
    pub members: u64,
    pub lanes: u64,
    /// The values that the lanes give, by operand of the instruction and then by lane.
    pub sources: Vec<Vec<Option<u64>>>,
    /// For a shuffle of values of which one is unknown, the known bits of the values, by lane; else empty.
    pub partial: Vec<Partial>,
    /// The instruction that made a value unknown, if one is.
    pub origin: Option<At>,
    /// The registers of the results, relative to the first register of the lane.
    pub writes: Arc<[Option<usize>]>,
}

/// The results of an exchange in one lane.
pub(super) type Results = Vec<Option<u64>>;
