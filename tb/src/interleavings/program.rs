// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The language of the programs: one CTA, or a cluster of two, with a list of operations for each warp. A program has no loops except waits at
//! mbarriers and for values in memory.

/// The words of shared memory of each CTA: two tiles of four words.
pub const SHARED_WORDS: usize = 8;
/// The words of global memory: a tile that is the source of copies, and a tile that is their destination.
pub const GLOBAL_WORDS: usize = 8;
/// The words of a tile, which is what a copy copies.
pub const TILE_WORDS: usize = 4;
/// The bytes of a tile.
pub const TILE_BYTES: i32 = 16;
/// The mbarriers of each CTA.
pub const MBARRIERS: usize = 2;
/// The named barriers that programs use.
pub const BARRIERS: usize = 4;
/// The operations of a warp, at most.
pub const MOST_OPS: usize = 8;
/// The number of threads in a warp.
pub const LANES: u32 = 32;

/// The contents of global memory before a run: the source tile, then the destination tile.
pub const GLOBAL_BEFORE: [u32; GLOBAL_WORDS] = [101, 102, 103, 104, 0, 0, 0, 0];

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The number of CTAs, 1 or 2. Two CTAs are a cluster.
    pub ctas: usize,
    /// Whether lanes 1 to 31 of each warp exit at the start. Otherwise they execute the barriers, and lane 0 executes all else.
    pub lane_zero_only: bool,
    /// The operations of each warp, CTA by CTA; all CTAs have the same number of warps.
    pub warps: Vec<Vec<Op>>,
}

/// An operation of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// The operation is executed only if the result of this earlier operation of the warp is not 0.
    pub guard: Option<u8>,
}

impl From<OpKind> for Op {
    fn from(kind: OpKind) -> Op {
        Op { kind, guard: None }
    }
}

/// A word of memory, as a warp names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A word of the shared memory of the CTA, or with `peer` of the other CTA of the cluster.
    Shared {
        word: u8,
        peer: bool,
    },
    Global {
        word: u8,
    },
}

/// An mbarrier, as a warp names it: of its CTA, or with `peer` of the other CTA of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbar {
    pub number: u8,
    pub peer: bool,
}

/// A value that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Constant(u32),
    /// The result of this earlier operation of the warp.
    Result(u8),
}

/// An atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atomic {
    Add,
    Or,
    Max,
    Exch,
    /// Stores the operand if the word is 0.
    Cas,
}

/// A reduction over the warps that arrive at a named barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    Popc,
    Or,
}

/// The form of an arrival at an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalForm {
    Plain,
    /// The arrival first raises the number of expected bytes by this number; its count is 1.
    Expect(i32),
    NoComplete,
}

/// What becomes of the state that an arrival returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Unused,
    /// Only waits use it.
    Waited,
    /// It is also a result of the program: the upper 32 bits.
    Reported,
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    Store {
        at: Word,
        value: Value,
        strong: bool,
    },
    Load {
        at: Word,
        strong: bool,
    },
    /// A loop of `ld.relaxed` that ends when the word has the value.
    Await {
        at: Word,
        value: u32,
    },
    Atomic {
        at: Word,
        atomic: Atomic,
        operand: u32,
        used: bool,
    },
    /// `membar.cta`, or with `proxy` `fence.proxy.async`.
    Fence {
        proxy: bool,
    },
    /// `bar.sync`; `count` in warps.
    Sync {
        id: u8,
        count: Option<u8>,
    },
    /// `bar.arrive`.
    ArriveNamed {
        id: u8,
        count: u8,
    },
    /// `bar.red` with the predicate `predicate` in all threads of the warp.
    Reduce {
        id: u8,
        count: Option<u8>,
        reduction: Reduction,
        predicate: bool,
    },
    Init {
        at: Mbar,
        count: u32,
    },
    Inval {
        at: Mbar,
    },
    /// `mbarrier.arrive`, or with `drop` `mbarrier.arrive_drop`.
    Arrive {
        at: Mbar,
        count: u32,
        form: ArrivalForm,
        drop: bool,
        relaxed: bool,
        token: Token,
    },
    ExpectTx {
        at: Mbar,
        bytes: i32,
    },
    /// A loop of `mbarrier.try_wait.parity`.
    WaitParity {
        at: Mbar,
        parity: bool,
    },
    /// A loop of `mbarrier.try_wait` with the state that the operation `token` of the warp returned.
    WaitToken {
        at: Mbar,
        token: u8,
    },
    /// One `mbarrier.test_wait.parity`, whose answer is a result.
    Peek {
        at: Mbar,
        parity: bool,
    },
    /// `cp.async.bulk` of the source tile to a tile of shared memory; in `pieces` pieces, 1 or 2.
    BulkLoad {
        tile: u8,
        at: Mbar,
        pieces: u8,
    },
    /// `cp.async.bulk` of a tile of shared memory to the destination tile.
    BulkStore {
        tile: u8,
        pieces: u8,
    },
    BulkCommit,
    /// `cp.async.bulk.wait_group`, or with `read` `.wait_group.read`.
    BulkWait {
        pending: u8,
        read: bool,
    },
    /// `cp.async` of the source tile to a tile of shared memory.
    CpAsync {
        tile: u8,
    },
    CpCommit,
    /// `cp.async.wait_group`.
    CpWait {
        pending: u8,
    },
    /// `cp.async.wait_all`.
    CpWaitAll,
    /// `cp.async.mbarrier.arrive`, or with `noinc` `cp.async.mbarrier.arrive.noinc`.
    CpArrive {
        at: Mbar,
        noinc: bool,
    },
    /// `st.async` of a constant to a word of the other CTA, with 4 bytes for an mbarrier there.
    StoreAsync {
        word: u8,
        value: u32,
        at: u8,
    },
    ArriveCluster {
        relaxed: bool,
    },
    WaitCluster,
}

impl Program {
    /// The number of warps in each CTA.
    pub fn warps_per_cta(&self) -> usize {
        self.warps.len() / self.ctas.max(1)
    }

    /// The CTA of a warp.
    pub fn cta_of(&self, warp: usize) -> usize {
        warp / self.warps_per_cta().max(1)
    }

    /// The number of threads that each warp contributes to `bar.red.popc`.
    pub fn threads_of_warp(&self) -> u32 {
        if self.lane_zero_only {
            1
        } else {
            LANES
        }
    }
}

impl OpKind {
    /// Whether the program reports the result of the operation.
    pub fn is_reported(self) -> bool {
        match self {
            OpKind::Load { .. } | OpKind::Reduce { .. } | OpKind::Peek { .. } => true,
            OpKind::Atomic { used, .. } => used,
            OpKind::Arrive { token, .. } => token == Token::Reported,
            _ => false,
        }
    }

    /// Whether a later operation may use the result, in a guard or as a value.
    pub fn is_usable(self) -> bool {
        self.is_reported() && !matches!(self, OpKind::Arrive { .. })
    }

    /// Whether the operation may have a guard.
    pub fn is_guardable(self) -> bool {
        matches!(
            self,
            OpKind::Store { .. }
                | OpKind::Load { .. }
                | OpKind::Atomic { .. }
                | OpKind::Arrive { .. }
                | OpKind::ExpectTx { .. }
                | OpKind::Peek { .. }
                | OpKind::BulkLoad { .. }
                | OpKind::CpAsync { .. }
        )
    }
}
