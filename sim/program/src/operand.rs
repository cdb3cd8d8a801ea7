// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of instructions.

/// The index of a register in its function.
pub type Slot = usize;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Register {
        slot: Slot,
        negated: bool,
    },
    Immediate(i64),
    /// A predicate as a constant: bit k is its value in lane k.
    Mask(u64),
    Special(Special),
    /// A byte of the lane's frame, as an address of local memory.
    Frame(u64),
    /// An address, possibly generic, in the shared memory of the CTA; its upper bits hold the rank of the CTA in its cluster.
    Shared(i64),
    /// A variable or function by name, and a byte offset; the name must be resolved before execution.
    Symbol(String, i64),
    /// An operand that is not evaluated.
    Opaque,
}

/// Special registers; the axis is 0 to 2 for x to z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    /// Position of the CTA's cluster in the grid, in clusters, along the axis.
    Clusterid(usize),
    /// Number of clusters in the grid along the axis.
    Nclusterid(usize),
    /// Position of the CTA in its cluster along the axis.
    ClusterCtaid(usize),
    /// Number of CTAs in a cluster along the axis.
    ClusterNctaid(usize),
    /// Rank of the CTA in its cluster, as launched by the machine.
    CtaRank,
    /// Number of CTAs in the cluster, as launched by the machine.
    ClusterSize,
    /// Whether the launch or the kernel states the cluster size.
    ExplicitCluster,
    Laneid,
    Warpid,
    Nwarpid,
    /// Mask of this lane.
    LanemaskEq,
    /// Mask of the lanes up to this lane.
    LanemaskLe,
    /// Mask of the lanes below this lane.
    LanemaskLt,
    /// Mask of the lanes from this lane on.
    LanemaskGe,
    /// Mask of the lanes above this lane.
    LanemaskGt,
    /// The low 32 bits of the number of the cycle in the run.
    Clock,
    /// The high 32 bits of the number of the cycle in the run.
    ClockHigh,
    /// The number of the cycle in the run.
    Clock64,
    /// Bytes of shared memory that the launch adds.
    DynamicShared,
    /// Bytes of shared memory in total.
    TotalShared,
    /// The high 32 bits of the address of the workspace of a cooperative launch.
    WorkspaceHigh,
    /// The low 32 bits of the address of the workspace of a cooperative launch.
    WorkspaceLow,
    /// A part of the region of shared memory that is reserved for system software.
    Reserved(Reserved),
    /// The number of an object that exists once, such as the streaming multiprocessor or the grid: always 0.
    Zero,
    /// The count of such objects: always 1.
    One,
}

/// A value that describes the region of shared memory that is reserved for system software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// The address of its first byte.
    Begin,
    /// The address after its last byte.
    End,
    /// Its size in bytes.
    Size,
    /// The address of the part that cooperative groups use.
    Groups,
}

impl Operand {
    pub fn register(slot: Slot) -> Operand {
        Operand::Register { slot, negated: false }
    }
}
