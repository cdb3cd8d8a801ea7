// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole state of an execution.
//!
//! A state is always *settled*: each warp has issued all operations that it can issue. The issue of an operation has no effect on other
//! warps, and neither the time of the effect nor anything else depends on the time of the issue, so it is no transition of its own.

use super::cluster::Member;
use super::mbarrier::Mbarrier;
use super::memory::{self, Access};
use super::named::Named;
use super::program::{Mbar, Program, BARRIERS, MBARRIERS, TILE_WORDS};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub warps: Vec<Warp>,
    pub memory: Vec<u32>,
    /// The named barriers, CTA by CTA.
    pub named: Vec<Named>,
    /// The mbarriers, CTA by CTA.
    pub mbarriers: Vec<Mbarrier>,
    /// For each warp, its relation to the barrier of the cluster.
    pub members: Vec<Member>,
    /// What happens without a warp, sorted.
    pub agents: Vec<Agent>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Warp {
    /// The next operation to issue, or the one for which the warp waits.
    pub next: u8,
    pub status: Status,
    /// The result of each operation that has one and has taken effect. A state of an mbarrier has 64 bits.
    pub results: Vec<Option<u64>>,
    /// Accesses under way, in the order of their issue.
    pub accesses: Vec<Access>,
    /// Operations at barriers that have not taken effect, in the order of their issue.
    pub queue: Vec<Queued>,
    /// The number of committed groups of `cp.async`, and of `cp.async.bulk`.
    pub groups: [u8; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    Runs,
    /// The warp waits until its last operation in the queue has taken effect.
    Queued,
    /// The warp waits at a barrier at which it has arrived.
    Blocked,
    Exited,
}

/// An operation at a barrier, or the exit, that has been issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Queued {
    /// The number of the operation; that of the exit follows the last operation.
    pub op: u8,
    /// The operation waits for so many of the oldest accesses of the warp.
    pub accesses: u8,
}

/// An effect that comes some time after the issue, without the warp. `warp` and `op` are the operation that has caused it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// A copy.
    Copy {
        warp: u8,
        op: u8,
        /// The group of the copy, in the order of the commits.
        group: u8,
        /// The copy is ordered after so many of the oldest accesses of the warp, see [`super::transition`].
        accesses: u8,
        /// What the copy has read.
        data: Option<[u32; TILE_WORDS]>,
        /// The pieces that are not written, as a mask.
        unwritten: u8,
        /// The pieces whose bytes are not signalled, as a mask.
        unsignalled: u8,
    },
    /// The arrival of `cp.async.mbarrier.arrive`.
    Arrival { warp: u8, op: u8 },
    /// An operation on an mbarrier of the other CTA.
    Remote { warp: u8, op: u8 },
    /// An asynchronous store: the number of the oldest accesses of its warp before it, and whether its word is written.
    StoreAsync { warp: u8, op: u8, accesses: u8, written: bool },
}

impl Agent {
    /// The warp and the number of the operation that has caused the effect.
    pub fn origin(&self) -> (usize, usize) {
        let (Agent::Copy { warp, op, .. }
        | Agent::Arrival { warp, op }
        | Agent::Remote { warp, op }
        | Agent::StoreAsync { warp, op, .. }) = self;
        (usize::from(*warp), usize::from(*op))
    }
}

impl State {
    /// The settled state at the start.
    pub fn new(program: &Program) -> State {
        let warp = |ops: &Vec<_>| Warp {
            next: 0,
            status: Status::Runs,
            results: vec![None; ops.len()],
            accesses: vec![],
            queue: vec![],
            groups: [0; 2],
        };
        let mut state = State {
            warps: program.warps.iter().map(warp).collect(),
            memory: memory::before(program.ctas),
            named: vec![Named::default(); program.ctas * BARRIERS],
            mbarriers: vec![Mbarrier::default(); program.ctas * MBARRIERS],
            members: vec![Member::default(); program.warps.len()],
            agents: vec![],
        };
        state.settle(program);
        state
    }

    /// The number of an mbarrier that a warp of CTA `cta` names.
    pub fn mbarrier_of(cta: usize, at: Mbar) -> usize {
        (cta ^ usize::from(at.peer)) * MBARRIERS + usize::from(at.number)
    }

    pub fn add_agent(&mut self, agent: Agent) {
        self.agents.push(agent);
        self.agents.sort();
    }

    /// The number of warps of a CTA that have not exited.
    pub fn live(&self, program: &Program, cta: usize) -> usize {
        let warps = self.warps.iter().enumerate().filter(|(warp, _)| program.cta_of(*warp) == cta);
        warps.filter(|(_, warp)| warp.status != Status::Exited).count()
    }

    /// Whether a CTA has ended: its warps have exited, and nothing of them is under way.
    pub fn has_ended(&self, program: &Program, cta: usize) -> bool {
        let has_accesses = |warp: usize| program.cta_of(warp) == cta && !self.warps[warp].accesses.is_empty();
        self.live(program, cta) == 0
            && !(0..self.warps.len()).any(has_accesses)
            && !self.agents.iter().any(|agent| program.cta_of(agent.origin().0) == cta)
    }
}
