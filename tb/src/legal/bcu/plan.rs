// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program of a team: the steps of each warp, and the generations and phases in which several warps take part.
//!
//! A team is one CTA, or all CTAs of a cluster.

use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::RedOp;

/// The form in which lanes of a warp take part in an instruction, as `gather` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Raw = 0,
    Aligned = 1,
    Gathered = 2,
    WarpSync = 3,
    Elect = 4,
}

/// A step of a warp, or of some of its lanes.
#[derive(Clone, Debug)]
pub enum WarpStep {
    /// The warp issues this number of loads, stores or atomics.
    Accesses(u64),
    Pause(u64),
    /// An asynchronous copy, with its messages to mbarriers.
    Copy(Vec<Tx>),
    Do(Instr),
    /// The warp tests a phase of an object until the phase is complete; the value is the phase's index in [`Plan`].
    Await(usize),
    /// The lanes diverge into ways, each with its own steps, and reconverge when the last way has ended.
    Split(Vec<(u64, Vec<WarpStep>)>),
    /// The lanes of this mask exit.
    Leave(u64),
}

/// A message to an mbarrier: a number of arrivals or of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Tx {
    pub object: u64,
    pub count: u64,
    pub bytes: u64,
    /// The phase of the object that counts the message, as an index into the plan's phases.
    pub phase: usize,
    /// Whether the message belongs to a copy that counts as outstanding for its CTA.
    pub copy: bool,
}

/// One instruction of some lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instr {
    pub what: What,
    pub form: Form,
    /// The lanes that execute the instruction; one bit per lane.
    pub lanes: u64,
}

impl Instr {
    /// Whether the instruction may be transferred while other lanes of its warp exit. This holds for a gathered arrival and for a
    /// rendezvous.
    pub fn may_overlap_exits(&self) -> bool {
        self.form == Form::Gathered || matches!(self.what, What::Meet { .. })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An arrival at a named barrier; `generation` is an index into the plan.
    Bar {
        generation: usize,
        sync: bool,
    },
    Meet {
        elect: bool,
        members: u64,
    },
    Fence,
    /// An arrival at the cluster barrier; `phase` is an index into the plan's phases of the cluster.
    ClusterArrive {
        phase: usize,
        relaxed: bool,
    },
    ClusterWait {
        phase: usize,
    },
    GridLaunch,
    GridWait,
    /// An operation on an object. `phase` is the phase that counts the operation, as an index into the plan; `None` if no phase does.
    Mbar {
        object: u64,
        kind: MbarrierKind,
        number: u64,
        relaxed: bool,
        cluster: bool,
        phase: Option<usize>,
    },
    /// A test or wait for a phase of an object; `phase` is an index into the plan.
    Test {
        phase: usize,
        suspends: bool,
    },
    /// A signal at a gateway barrier; `generation` is an index into the plan.
    Signal {
        generation: usize,
        role: u64,
    },
    GatewayWait {
        generation: usize,
    },
    ReadResult,
}

impl What {
    /// The name of the operation in reports.
    pub fn name(&self) -> &'static str {
        match self {
            What::Bar { sync: true, .. } => "offer BAR.SYNC or BAR.RED",
            What::Bar { .. } => "offer BAR.ARV",
            What::Meet { elect: true, .. } => "offer ELECT",
            What::Meet { .. } => "offer WARPSYNC",
            What::Fence => "offer FENCE.MEM",
            What::ClusterArrive { relaxed: false, .. } => "offer CLUSTER.ARRIVE",
            What::ClusterArrive { .. } => "offer CLUSTER.ARRIVE.RELAXED",
            What::ClusterWait { .. } => "offer CLUSTER.WAIT",
            What::GridLaunch => "offer GRID.LAUNCH",
            What::GridWait => "offer GRID.WAIT",
            What::Mbar { kind, .. } => match kind {
                MbarrierKind::Init => "offer MBAR.INIT",
                MbarrierKind::Inval => "offer MBAR.INVAL",
                MbarrierKind::Expect => "offer MBAR.EXPECT",
                MbarrierKind::Complete => "offer MBAR.COMPLETE",
                _ => "offer MBAR.ARRIVE or MBAR.DROP",
            },
            What::Test { suspends: true, .. } => "offer MBAR.TRY",
            What::Test { .. } => "offer MBAR.TEST",
            What::Signal { .. } => "offer NBAR.SIGNAL",
            What::GatewayWait { .. } => "offer NBAR.WAIT",
            What::ReadResult => "offer B2R.RESULT",
        }
    }

    /// Whether the warp issues no further instruction until it is released.
    pub fn waits(&self) -> bool {
        match self {
            What::Bar { sync, .. } => *sync,
            What::Fence | What::ClusterWait { .. } | What::GridWait | What::Test { .. } | What::GatewayWait { .. } => true,
            _ => false,
        }
    }
}

/// An arrival: the warp, and the number of the last access that the warp issued before it.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub warp: usize,
    /// 0 if the arrival does not order accesses.
    pub access: u64,
}

/// A generation of a named barrier, or a phase of a gateway barrier.
#[derive(Clone, Debug, Default)]
pub struct Generation {
    /// The CTA's number in the team.
    pub cta: usize,
    pub id: u64,
    /// The warps that arrive, one bit per warp. Without a count, the warps that may arrive.
    pub participants: u64,
    pub counted: bool,
    pub redop: Option<RedOp>,
    /// At the gateway, the warps that are consumers, one bit per warp.
    pub consumers: u64,
    /// At the gateway, the warps that are producers, one bit per warp.
    pub producers: u64,
    // State during the run.
    pub arrived: u64,
    pub waiting: u64,
    pub notified: u64,
    pub produced: u64,
    pub marks: Vec<Mark>,
    /// The number of lanes that have voted.
    pub votes: u64,
    /// The number of lanes that have voted with a true predicate.
    pub ayes: u64,
    pub last_transfer: u64,
    pub last_perform: u64,
    pub done: bool,
}

/// A phase of an object or of the cluster barrier.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    pub object: u64,
    /// The phase's number within the object's lifetime.
    pub number: u64,
    /// The number of instructions and messages that complete the phase, by their arrivals or bytes.
    pub need: u64,
    /// The number of these instructions and messages that were transferred.
    pub sent_count: u64,
    pub marks: Vec<Mark>,
    /// For a cluster: the warps that have arrived.
    pub arrived: u64,
    pub last_transfer: u64,
    /// Number of cycles for which the phase has been complete: all contributions were transferred, and the accesses before them performed.
    pub settled: u64,
}

/// The program of a team.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub generations: Vec<Generation>,
    pub phases: Vec<Phase>,
    pub cluster_phases: Vec<Phase>,
}
