// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The named barriers of Intel's gateway in the report.

use super::wait::Wait;
use super::Missing;
use bcu_program::Place;
use serde::Serialize;

/// One phase of a named barrier, from its first signal to its completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GatewayPhase {
    /// The number of the thread group.
    pub cta: usize,
    pub id: u8,
    /// The number of this phase of the barrier in its group, from 1.
    pub number: usize,
    /// The number of producers that the phase needs.
    pub producers: u32,
    /// The number of consumers that the phase needs.
    pub consumers: u32,
    pub signals: Vec<Signal>,
    /// The cycle in which the unit output the notification.
    pub completed: u64,
    /// The consumers that waited when the phase completed, in order of their signals; the other consumers get their notification when they
    /// wait.
    pub waits: Vec<Wait>,
}

/// A signal of a hardware thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signal {
    pub warp: usize,
    pub role: Role,
    /// The cycle in which the unit accepted the instruction.
    pub cycle: u64,
    pub place: Place,
}

/// The type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Producer and consumer, type 0.
    Both,
    /// Producer, type 1.
    Producer,
    /// Consumer, type 2.
    Consumer,
}

impl Role {
    pub(in super::super) fn from_kind(kind: u8) -> Role {
        match kind {
            0 => Role::Both,
            1 => Role::Producer,
            _ => Role::Consumer,
        }
    }

    pub fn produces(self) -> bool {
        self != Role::Consumer
    }

    pub fn consumes(self) -> bool {
        self != Role::Producer
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Role::Both => "producer and consumer",
            Role::Producer => "producer",
            Role::Consumer => "consumer",
        })
    }
}

/// A hardware thread that waits for its notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GatewayWait {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    /// The cycle in which the unit accepted the wait.
    pub since: u64,
    pub id: u8,
    /// The number of the awaited phase, from 1.
    pub phase: usize,
    /// The number of producers that the phase needs.
    pub producers: u32,
    /// The number of consumers that the phase needs.
    pub consumers: u32,
    /// The signals in the phase until now.
    pub signals: Vec<Signal>,
    /// The number of producers that have not signalled yet.
    pub missing_producers: u32,
    /// The number of consumers that have not signalled yet.
    pub missing_consumers: u32,
    /// The threads of the group that could still signal.
    pub missing: Vec<GatewayMissing>,
}

/// A hardware thread whose signal is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GatewayMissing {
    #[serde(flatten)]
    pub warp: Missing,
    /// The type of the next signal of the thread's program at this barrier; `None` if there is no such signal.
    pub role: Option<Role>,
}

impl GatewayWait {
    /// The numbers of threads that have signalled as producers and as consumers.
    pub fn signalled(&self) -> (usize, usize) {
        let count = |is: fn(Role) -> bool| self.signals.iter().filter(|signal| is(signal.role)).count();
        (count(Role::produces), count(Role::consumes))
    }
}
