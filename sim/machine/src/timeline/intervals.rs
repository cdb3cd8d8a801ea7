// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The states of warps, and the intervals in which they last.

use super::copies::CopyInterval;
use super::objects::ObjectRow;
use crate::report::ObjectName;
use bcu_program::Place;

/// The maximum number of recorded intervals; a picture with more intervals is not more readable.
pub const MAX_INTERVALS: usize = 200_000;

/// The state of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No other state applies: the warp issues; its instruction is offered on a channel; the scheduler picks other warps; or it waits for
    /// the result of a load, a read or an arrival at an mbarrier.
    Running,
    /// An instruction of the warp takes several cycles.
    Busy,
    /// An arrival of the warp at a barrier is held until the warp's accesses are performed.
    Memory,
    /// Lanes of the warp wait for other lanes of the warp, and no lane can resume.
    Gathering,
    /// The warp waits at the barrier of this id.
    Waiting(u8),
    /// The warp waits for the phase of an mbarrier, or repeats such a wait in a loop.
    AtMbarrier,
    /// The warp waits at the barrier of its cluster.
    AtCluster,
    /// The warp waits for grids before its own grid.
    AtGrid,
    /// The warp waits for its asynchronous copies.
    AtCopies,
    /// The warp repeats a load in a loop until another warp changes the value in memory.
    Polling,
    /// The fault policy has stopped the warp.
    Stopped,
    /// The warp has exited, and its CTA still holds the warp slot.
    Exited,
}

/// What a warp waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    Phase(PhaseWait),
    /// The phase of the barrier of a cluster, from 1.
    ClusterPhase(u64),
    Polled(Polled),
}

/// A wait for a phase of an mbarrier, with its repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseWait {
    pub object: ObjectName,
    /// The number of the awaited phase, from 0; `None` for the phase before phase 0, which counts as complete.
    pub phase: Option<u64>,
    pub parity: u8,
    /// The number of executions of the wait.
    pub tries: u64,
    /// The number of executions that returned false at once.
    pub failures: u64,
    /// The number of executions that suspended the warp and timed out.
    pub time_outs: u64,
    /// The cycles of the first time-outs.
    pub timed_out: Vec<u64>,
    /// Whether there is an mbarrier at the address; otherwise the wait is refused.
    pub exists: bool,
    /// Whether the last execution returned true.
    pub complete: bool,
}

/// A word of memory that a warp reads in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polled {
    /// The word as text, such as ``\`flag\` (0x7f00000000)``; empty if its address is unknown.
    pub word: String,
    /// The number of reads.
    pub reads: u64,
}

/// An interval of time in which a warp is in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    pub state: State,
    /// The first cycle in this state.
    pub from: u64,
    /// The first cycle after this state.
    pub to: u64,
    /// The location of the first instruction in this interval.
    pub first: Place,
    /// The location of the last instruction in this interval.
    pub last: Place,
    pub awaited: Option<Box<Awaited>>,
}

impl Interval {
    /// The wait for a phase of an mbarrier that the interval shows.
    pub fn phase_wait(&self) -> Option<&PhaseWait> {
        match self.awaited.as_deref() {
            Some(Awaited::Phase(wait)) => Some(wait),
            _ => None,
        }
    }
}

/// An arrival at the barrier of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterArrival {
    pub cycle: u64,
    /// The number of the phase, from 1.
    pub phase: u64,
    pub place: Place,
}

/// The intervals of one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub cta: usize,
    /// The number of the warp within its CTA.
    pub warp: usize,
    /// The number of the grid in the run.
    pub grid: usize,
    /// The first CTA of the cluster.
    pub cluster: usize,
    /// The role of the warp, or the name of its entry.
    pub program: String,
    /// The intervals in order of time; before the first interval the warp was not launched.
    pub intervals: Vec<Interval>,
    pub cluster_arrivals: Vec<ClusterArrival>,
}

/// The recorded intervals of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// One row per warp, in order of CTA and warp.
    pub rows: Vec<Row>,
    /// One row per mbarrier, in order of CTA and address.
    pub objects: Vec<ObjectRow>,
    /// The asynchronous copies, in order of their start.
    pub copies: Vec<CopyInterval>,
    /// The first cycle that is not recorded; `None` if the whole run is recorded.
    pub stopped: Option<u64>,
}
