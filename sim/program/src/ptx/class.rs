// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an opcode of PTX is to the reader.

use crate::arith::Calc;
use crate::Exchange;

/// What an opcode with its modifiers stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Barrier,
    /// `barrier.cluster`
    ClusterBarrier,
    GridControl,
    /// An operation on an mbarrier, or an arrival there behind copies.
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
    /// `mapa`, `getctarank`
    Cluster,
    /// An access of memory; its operands say more.
    Memory,
    Fence,
    /// `alloca` and the like
    Stack,
    CommitCopies {
        bulk: bool,
    },
    /// `all` waits for every copy, else the operand says how many groups may be under way; `read` only until they are read.
    WaitCopies {
        bulk: bool,
        all: bool,
        read: bool,
    },
    /// `cvta`, `isspacep`
    Address,
    Calc(Calc),
    /// Nothing but time; `writes` says whether the first operand is a destination.
    Time {
        writes: bool,
    },
    /// Known, but not run yet.
    NotBuilt,
    /// No such instruction; the nearest known one.
    Unknown(Option<&'static str>),
}
