// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a run whose order another schedule may reverse.

use bcu_program::Place;

/// An operation of a run that another schedule may order differently, which may change the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// What another schedule may change, one sentence without a full stop.
    pub sentence: String,
    pub operation: Operation,
    /// The earlier operation, if the order of two operations matters.
    pub earlier: Option<Operation>,
}

/// An operation of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub cta: usize,
    /// The number of the warp in its CTA.
    pub warp: usize,
    pub place: Place,
}
