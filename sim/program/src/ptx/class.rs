// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The classes of PTX opcodes.

use crate::arith::Calc;
use crate::Exchange;

/// The class of an opcode with its modifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Barrier,
    /// `barrier.cluster`
    ClusterBarrier,
    GridControl,
    /// An operation on an mbarrier, or an arrival there after copies.
    Mbarrier,
    Branch,
    /// `brx.idx`
    Switch,
    Call,
    Return,
    Exit,
    Trap,
    /// `bar.warp.sync`, `elect.sync`
    Meet {
        elect: bool,
    },
    Exchange(Exchange),
    /// `tcgen05.commit`
    Commit,
    /// `tcgen05` apart from `.commit`
    TensorCore,
    /// `mapa`, `getctarank`
    Cluster,
    /// A memory access; its operands give the details.
    Memory,
    Fence,
    /// `wgmma`
    Warpgroup,
    /// `setmaxnreg`
    Registers {
        grows: bool,
    },
    /// `alloca` and the like
    Stack,
    CommitCopies {
        bulk: bool,
    },
    /// `waits_for_all`: the wait is for every copy; otherwise the operand is the number of groups that may remain in flight. `read`: the
    /// wait ends once the source bytes are read.
    WaitCopies {
        bulk: bool,
        waits_for_all: bool,
        read: bool,
    },
    /// `cvta`, `isspacep`
    Address,
    Calc(Calc),
    /// Takes time only; `writes` states whether the first operand is a destination.
    Time {
        writes: bool,
    },
    /// A known instruction that is not supported yet.
    NotBuilt,
    /// An unknown instruction, with the closest known one.
    Unknown(Option<&'static str>),
}
