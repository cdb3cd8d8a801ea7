// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a run whose order another schedule may reverse.

use crate::gate::{Execution, Hold};
use bcu_program::Place;

/// An operation of a run that another schedule may order differently, which may change the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// What another schedule may change, one sentence without a full stop.
    pub sentence: String,
    pub operation: Operation,
    /// The other operation, if the order of two operations matters.
    pub other: Option<Operation>,
    /// Whether `operation` came first in the run.
    pub came_first: bool,
}

/// An operation of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub cta: usize,
    /// The number of the warp in its CTA.
    pub warp: usize,
    pub place: Place,
    /// Its execution, unless the schedule cannot hold it.
    pub execution: Option<Execution>,
}

impl Unordered {
    /// The hold that reverses the two operations; `None` if a schedule cannot reverse them.
    pub fn reversal(&self) -> Option<Hold> {
        let (operation, other) = (self.operation.execution?, self.other.as_ref()?.execution?);
        let (held, until) = if self.came_first { (operation, other) } else { (other, operation) };
        ((held.cta, held.warp) != (until.cta, until.warp)).then_some(Hold { held, until })
    }
}
