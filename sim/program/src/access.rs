// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory accesses of instructions.

use super::arith::{Calc, Fragment, Type};
use super::fence::Scope;
use super::operand::Operand;
use super::Space;
use crate::launch::Element;
use crate::tensor::Mode;
use crate::texture::Fetched;

/// A memory access of every executing lane.
#[derive(Clone, Debug)]
pub struct Access {
    pub space: Space,
    pub kind: AccessKind,
    /// `None`: the address is unknown; the access only takes time.
    pub address: Option<Operand>,
    /// Bytes added to the address.
    pub offset: i64,
    /// Type of one element.
    pub ty: Type,
    /// Number of elements; each has a separate register.
    pub count: usize,
    pub order: Order,
    /// Whether addresses have 32 bits.
    pub narrow: bool,
}

impl Access {
    /// Whether the access stores nothing: a load, a prefetch, or an access without effect.
    pub fn loads(&self) -> bool {
        match &self.kind {
            AccessKind::Load
            | AccessKind::Matrix { stored: None, .. }
            | AccessKind::Prefetch { .. }
            | AccessKind::Texture(_)
            | AccessKind::Nothing => true,
            AccessKind::Tensor(copy) => copy.shared.is_none(),
            _ => false,
        }
    }

    /// Whether the access is asynchronous: the lane continues without waiting for the access, and no arrival or fence waits for it.
    #[inline]
    pub fn asynchronous(&self) -> bool {
        matches!(self.kind, AccessKind::Copy { .. } | AccessKind::Tell { .. }) || self.bulk() && !self.loads()
    }

    /// The mbarrier that the access signals with the number of its bytes; `None`: it signals no mbarrier.
    pub fn signal(&self) -> Option<&Signal> {
        match &self.kind {
            AccessKind::Tell { signal, .. } => Some(signal),
            AccessKind::Bulk(Bulk { signal, .. }) | AccessKind::Tensor(TensorCopy { signal, .. }) => signal.as_ref(),
            _ => None,
        }
    }

    /// The CTAs of the cluster that receive the bytes of the access, one bit each; `None`: the executing CTA.
    #[inline]
    pub fn ctas(&self) -> Option<&Operand> {
        match &self.kind {
            AccessKind::Bulk(Bulk { ctas, .. }) | AccessKind::Tensor(TensorCopy { ctas, .. }) => ctas.as_ref(),
            _ => None,
        }
    }

    /// Whether the access is a bulk copy or a tensor copy, including a tensor copy that only prefetches.
    #[inline]
    pub fn bulk(&self) -> bool {
        matches!(self.kind, AccessKind::Bulk(_) | AccessKind::Tensor(_))
    }

    /// Whether all lanes of the warp must execute the access together.
    #[inline]
    pub fn converged(&self) -> bool {
        matches!(self.kind, AccessKind::Matrix { .. })
    }
}

/// The effect of an access on its bytes.
#[derive(Clone, Debug)]
pub enum AccessKind {
    /// The access has no effect on memory or registers; it only takes time.
    Nothing,
    Load,
    /// One operand per element; `None`: unknown values.
    Store(Option<Vec<Operand>>),
    /// The destination, if the instruction has one, receives the previous value.
    Atomic {
        op: Atomic,
        sources: Vec<Operand>,
    },
    /// Matrices distributed over the lanes of the warp: stored if there are operands, otherwise loaded.
    Matrix {
        shape: Shape,
        stored: Option<Vec<Operand>>,
    },
    /// Asynchronous copy of `bytes` bytes to the address, from `from` + `offset` in another space. Only the first `filled` bytes are
    /// copied, and the other bytes become 0; `None`: all bytes are copied.
    Copy {
        from: Operand,
        offset: i64,
        space: Space,
        bytes: u64,
        filled: Option<Operand>,
    },
    /// Asynchronous bulk copy to the address.
    Bulk(Bulk),
    /// The sources are stored asynchronously at the address in shared memory, or combined with the present value there. The number of bytes
    /// is signalled to an mbarrier.
    Tell {
        sources: Vec<Operand>,
        reduce: Option<Atomic>,
        signal: Signal,
    },
    /// Asynchronous copy between shared memory and a tensor; the tensor's map is at the address. With a signal, the copy reads the tensor.
    /// Without a signal, it writes the tensor.
    Tensor(TensorCopy),
    /// The lanes together copy a tensor map to the address, from `from` plus `offset` bytes in shared memory, and release it to copies by
    /// the map.
    CopyMap {
        from: Operand,
        offset: i64,
    },
    /// Reads a texture; its handle is the address.
    Texture(TextureUse),
    /// Prefetches this number of bytes; no effect on memory.
    Prefetch {
        bytes: Operand,
    },
}

/// What an instruction reads of a texture.
#[derive(Clone, Debug)]
pub enum TextureUse {
    /// Four numbers of the texel at these coordinates, innermost dimension first, or interpolated from its neighbours.
    Fetch { fetched: Fetched, coordinates: Vec<Operand>, is_integer: bool },
    /// The texels along a dimension, counted from the innermost one.
    Extent(usize),
}

/// A bulk copy: into shared memory if it has a signal, otherwise from shared memory.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// First byte of the source: `from` plus `offset` bytes.
    pub from: Operand,
    pub offset: i64,
    pub space: Space,
    /// Bytes to copy.
    pub size: Operand,
    /// For each group of 16 bytes, which of its bytes are copied, one bit per byte; `None`: all bytes.
    pub mask: Option<Operand>,
    /// The operation that combines each element with the present value at the destination; `None`: the elements are copied.
    pub reduce: Option<Atomic>,
    /// The mbarrier to signal when bytes arrive; `None`: the program waits for groups of copies.
    pub signal: Option<Signal>,
    /// The CTAs of the cluster that receive the bytes, one bit each; `None`: the executing CTA.
    pub ctas: Option<Operand>,
}

/// The mbarrier that a copy signals with the number of bytes that have arrived.
#[derive(Clone, Debug)]
pub struct Signal {
    pub address: Operand,
    pub offset: i64,
    /// Whether the address has 32 bits.
    pub narrow: bool,
}

/// A copy of a box between shared memory and a tensor; with a signal it reads the tensor, otherwise it writes the tensor.
#[derive(Clone, Debug)]
pub struct TensorCopy {
    /// The coordinates that the mode has, innermost dimension first; empty: the map itself is prefetched.
    pub coordinates: Vec<Operand>,
    pub mode: Mode,
    /// First byte in shared memory, as a base and a number of bytes; `None`: a prefetch of the box, which has no effect.
    pub shared: Option<(Operand, i64)>,
    /// The mbarrier to signal when bytes arrive in shared memory; `None`: the bytes are written to the tensor, and the program waits for
    /// groups of copies.
    pub signal: Option<Signal>,
    /// The CTAs of the cluster that receive the bytes, one bit each; `None`: the executing CTA.
    pub ctas: Option<Operand>,
    /// The operations that combine each element with the present value in the tensor, one per element type, because only the map states the
    /// type; `None`: the elements are copied.
    pub reduce: Option<Vec<(Element, Type, Atomic)>>,
}

/// The condition of a wait for asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyWait {
    /// Whether the wait is for bulk copies, otherwise for `cp.async`; each kind has separate groups.
    pub bulk: bool,
    /// Number of groups that may remain in flight; `None`: no copy may remain in flight.
    pub max_in_flight: Option<u32>,
    /// Whether the wait ends once the source bytes are read; otherwise it ends once the bytes are also stored.
    pub read: bool,
}

/// The positions of matrix elements in memory.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Matrices of 8 by 8 elements of 16 bits, each in one register of every lane: lane 8 * i + r gives the address of row r of matrix i.
    Rows { transposed: bool },
    /// One matrix in the registers of a fragment, at one address for all lanes. Successive rows or columns start `stride` elements apart,
    /// or are contiguous without a stride.
    Fragment { fragment: Fragment, columns: bool, stride: Option<Operand> },
}

/// How an atomic operation combines the present value and its operands.
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

/// The order of an access among the other accesses of the lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Later accesses of the lane wait for this access.
    pub acquire: bool,
    /// This access waits for earlier accesses of the lane.
    pub release: bool,
    /// Whether it can communicate with other threads: volatile, relaxed or stronger.
    pub strong: bool,
    pub volatile: bool,
    /// No thread of the grid may store to the loaded bytes (`ld.global.nc`).
    pub read_only: bool,
    /// Whether it uses the asynchronous proxy, although the lane performs it in program order (`tcgen05.alloc`).
    pub async_proxy: bool,
    /// The threads with which a strong or atomic access can communicate.
    pub scope: Scope,
}
