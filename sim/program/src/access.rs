// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses of memory, as instructions have them.

use super::arith::{Calc, Fragment, Type};
use super::operand::Operand;
use super::space::Space;
use crate::launch::Element;

/// A memory access of every executing lane.
#[derive(Clone, Debug)]
pub struct Access {
    pub space: Space,
    pub kind: AccessKind,
    /// `None`: nobody knows where; it only takes its time.
    pub address: Option<Operand>,
    /// Bytes behind the address.
    pub offset: i64,
    /// Of one element.
    pub ty: Type,
    /// Elements, each from or into a register of its own.
    pub count: usize,
    pub order: Order,
    /// Addresses have 32 bits.
    pub narrow: bool,
}

impl Access {
    /// It reads memory and stores nothing.
    pub fn loads(&self) -> bool {
        match &self.kind {
            AccessKind::Load | AccessKind::Matrix { stored: None, .. } | AccessKind::Prefetch { .. } | AccessKind::Nothing => {
                true
            }
            AccessKind::Tensor(copy) => copy.shared.is_none(),
            _ => false,
        }
    }

    /// The lane does not wait for it, and the unit is not told of it.
    pub fn asynchronous(&self) -> bool {
        matches!(self.kind, AccessKind::Copy { .. } | AccessKind::Tell { .. }) || self.bulk() && !self.loads()
    }

    /// The mbarrier that is told of its bytes.
    pub fn signal(&self) -> Option<&Signal> {
        match &self.kind {
            AccessKind::Tell { signal, .. } => Some(signal),
            AccessKind::Bulk(Bulk { signal, .. }) | AccessKind::Tensor(TensorCopy { signal, .. }) => signal.as_ref(),
            _ => None,
        }
    }

    /// The CTAs of the cluster that get its bytes, one bit each; `None` is the own one.
    pub fn ctas(&self) -> Option<&Operand> {
        match &self.kind {
            AccessKind::Bulk(Bulk { ctas, .. }) | AccessKind::Tensor(TensorCopy { ctas, .. }) => ctas.as_ref(),
            _ => None,
        }
    }

    /// A copy in the groups of bulk copies, or its prefetch.
    pub fn bulk(&self) -> bool {
        matches!(self.kind, AccessKind::Bulk(_) | AccessKind::Tensor(_))
    }

    /// All lanes of the warp must execute it together.
    pub fn converged(&self) -> bool {
        matches!(self.kind, AccessKind::Matrix { .. })
    }
}

/// What an access does to its bytes.
#[derive(Clone, Debug)]
pub enum AccessKind {
    /// It only takes its time.
    Nothing,
    Load,
    /// One operand an element; `None`: values that nobody knows.
    Store(Option<Vec<Operand>>),
    /// What was there before goes to the destination, if there is one.
    Atomic {
        op: Atomic,
        sources: Vec<Operand>,
    },
    /// Matrices that the lanes of the warp hold together: stored where there are operands, else loaded.
    Matrix {
        shape: Shape,
        stored: Option<Vec<Operand>>,
    },
    /// To the address, from `from` + `offset` in another space, without the warp: `bytes`, of which `filled` come from there and the
    /// others are 0.
    Copy {
        from: Operand,
        offset: i64,
        space: Space,
        bytes: u64,
        filled: Option<Operand>,
    },
    /// To the address, without the warp.
    Bulk(Bulk),
    /// Stored at the address in shared memory, or combined with what is there, without the warp; an mbarrier is told of the bytes.
    Tell {
        sources: Vec<Operand>,
        reduce: Option<Atomic>,
        signal: Signal,
    },
    /// To the tensor whose map stands at the address, or from it with a signal, without the warp.
    Tensor(TensorCopy),
    /// So many bytes are wanted soon, which changes nothing.
    Prefetch {
        bytes: Operand,
    },
}

/// A copy of many bytes, element by element or whole: from shared memory, or into it with a signal.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// First byte, with bytes behind it.
    pub from: Operand,
    pub offset: i64,
    pub space: Space,
    /// Bytes.
    pub size: Operand,
    /// Which of 16 bytes are copied, one bit each; `None`: all.
    pub mask: Option<Operand>,
    /// Combines each element with what is there.
    pub reduce: Option<Atomic>,
    /// Who is told of the bytes that have come; `None`: they are waited for in groups.
    pub signal: Option<Signal>,
    /// The CTAs of the cluster that get them, one bit each; `None` is the own one.
    pub ctas: Option<Operand>,
}

/// The mbarrier that a copy tells how many bytes have come.
#[derive(Clone, Debug)]
pub struct Signal {
    pub address: Operand,
    pub offset: i64,
    /// The address has 32 bits.
    pub narrow: bool,
}

/// A copy of a box to a tensor, or from it with a signal.
#[derive(Clone, Debug)]
pub struct TensorCopy {
    /// Of the first element of the box, the innermost dimension first; without any it is about the map alone.
    pub coordinates: Vec<Operand>,
    /// First byte of shared memory, with bytes behind it; `None`: the box is wanted soon, which changes nothing.
    pub shared: Option<(Operand, i64)>,
    /// Who is told of the bytes that have come into shared memory; `None`: they go to the tensor, and are waited for in groups.
    pub signal: Option<Signal>,
    /// The CTAs of the cluster that get them, one bit each; `None` is the own one.
    pub ctas: Option<Operand>,
    /// Combines each element with what is there: by the type of the elements, which the map says.
    pub reduce: Option<Vec<(Element, Type, Atomic)>>,
}

/// What a wait for asynchronous copies waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyWait {
    /// Bulk copies, else `cp.async`: each has groups of its own.
    pub bulk: bool,
    /// So many groups may be under way; `None`: no copy may be.
    pub left: Option<u32>,
    /// Until the bytes are read; else until they are stored as well.
    pub read: bool,
}

/// Where the elements of matrices stand.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Matrices of 8 by 8 halves, each in one register of every lane: the address of row r of matrix i is that of lane 8 * i + r.
    Rows { transposed: bool },
    /// One matrix in the registers of a fragment, at the address of the lane, which is that of all. Rows or columns begin so many
    /// elements behind each other, or do so without a gap.
    Fragment { fragment: Fragment, columns: bool, stride: Option<Operand> },
}

/// What an atomic operation makes of what is there and of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// An operation of two sources.
    Calc(Calc),
    /// Counts up, or down, between 0 and the operand.
    Inc,
    Dec,
    Exchange,
    CompareAndSwap,
}

/// Which other accesses of the lane must be performed before, or wait for this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Those behind it wait for it.
    pub acquire: bool,
    /// It waits for those before it.
    pub release: bool,
    /// Other threads may be told something by it: volatile, relaxed or stronger.
    pub strong: bool,
}
