// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the values of an instruction come from.

/// A register's number within its function.
pub type Slot = usize;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Register {
        slot: Slot,
        negated: bool,
    },
    Immediate(i64),
    /// One bit a lane.
    Mask(u64),
    Special(Special),
    /// A byte of the lane's frame, as an address of local memory.
    Frame(u64),
    /// An address in the shared memory of the CTA, which is behind its rank in the cluster; perhaps a generic one.
    Shared(i64),
    /// A variable or function by its name, and bytes behind it; nothing executes one before its place is known.
    Symbol(String, i64),
    /// Nothing that is evaluated.
    Opaque,
}

/// Special registers; the axis is 0 to 2 for x to z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    /// Of the clusters of the grid, and of the CTAs of a cluster.
    Clusterid(usize),
    Nclusterid(usize),
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    /// Of the CTA in its cluster, as the machine has launched it.
    CtaRank,
    ClusterSize,
    /// Whether the launch or the kernel says how large a cluster is.
    ExplicitCluster,
    Laneid,
    Warpid,
    Nwarpid,
    /// Lanes by their relation to the lane's own: equal, lower or equal, lower, greater or equal, greater.
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    /// The cycle of the run: its low 32 bits, its high 32 bits, all.
    Clock,
    ClockHigh,
    Clock64,
    /// Bytes of shared memory: of the launch alone, and all.
    DynamicShared,
    TotalShared,
    /// Number of the streaming multiprocessor, of the grid, and the like, of which there is one.
    Zero,
    One,
}

impl Operand {
    pub fn register(slot: Slot) -> Operand {
        Operand::Register { slot, negated: false }
    }
}
