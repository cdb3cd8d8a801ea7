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
    /// One bit per lane.
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
    /// Position and number of clusters in the grid, and of CTAs in a cluster.
    Clusterid(usize),
    Nclusterid(usize),
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    /// Rank of the CTA in its cluster and size of the cluster, as launched by the machine.
    CtaRank,
    ClusterSize,
    /// Whether the launch or the kernel states the cluster size.
    ExplicitCluster,
    Laneid,
    Warpid,
    Nwarpid,
    /// Masks of lanes: this lane; the lanes up to this lane; the lanes below; the lanes from this lane on; the lanes above.
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    /// The cycle of the run: low 32 bits, high 32 bits, all bits.
    Clock,
    ClockHigh,
    Clock64,
    /// Bytes of shared memory: added by the launch, and in total.
    DynamicShared,
    TotalShared,
    /// Special registers of an object that exists once, such as the streaming multiprocessor or the grid: its number is always 0, the count
    /// of such objects is always 1.
    Zero,
    One,
}

impl Operand {
    pub fn register(slot: Slot) -> Operand {
        Operand::Register { slot, negated: false }
    }
}
