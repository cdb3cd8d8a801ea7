// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of one barrier of the gateway.

use crate::report::Signal;

/// One named barrier of a thread group.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Row {
    /// The number of completed phases.
    pub completed: usize,
    /// The signals of the open phase.
    pub signals: Vec<Signal>,
    /// Notified consumers that have not waited yet: the signal of each, and the number of its phase.
    pub notified: Vec<(Signal, usize)>,
}

/// The step of an operation at the gateway, for the race detector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Passed {
    /// A signal was refused.
    Nothing { cta: usize, warp: usize },
    /// A signal counted at barrier `id`.
    Signals { cta: usize, warp: usize, id: u8 },
    /// The last signal completed a phase: `woken` are the consumers that waited, `notified` the other consumers.
    Completes { cta: usize, id: u8, woken: Vec<usize>, notified: Vec<usize> },
    /// A wait consumed the notification of its warp.
    Takes { cta: usize, warp: usize, id: u8 },
}
