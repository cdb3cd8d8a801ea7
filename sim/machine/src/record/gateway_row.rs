// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the gateway has of one of its barriers.

use crate::report::Signal;

/// One named barrier of a thread group.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Row {
    /// Phases before this one.
    pub completed: usize,
    /// The signals of the phase that is open.
    pub signals: Vec<Signal>,
    /// Consumers that have been notified and have not waited since, with their signals and phases.
    pub notified: Vec<(Signal, usize)>,
}

/// What an operation at the gateway did, for whoever follows data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Passed {
    /// A signal was refused.
    Nothing { cta: usize, warp: usize },
    /// A signal counted, ...
    Signals { cta: usize, warp: usize, id: u8 },
    /// ... and completed the phase: those who signalled, the consumers that waited, and the others.
    Completes { cta: usize, id: u8, woken: Vec<usize>, notified: Vec<usize> },
    /// A wait took its notification.
    Takes { cta: usize, warp: usize, id: u8 },
}
