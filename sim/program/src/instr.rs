// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions that warps execute, whatever language they were written in.

use super::access::{Access, AccessKind, Bulk, CopyWait, Shape, TensorCopy};
use super::arith::{Calc, Product, Type};
use super::mbarrier::Mbarrier;
use super::operand::{Operand, Slot, Special};
use super::place::Place;
use std::ops::Range;

/// One instruction of a function.
#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    pub guard: Option<Guard>,
    /// The registers that hold something else afterwards; `None` is a destination that is left out, `_`.
    pub writes: Vec<Option<Slot>>,
    pub place: Place,
    /// In bytes of the text.
    pub span: Range<usize>,
    /// Takes no time: what a block of lines or a loop is made of.
    pub free: bool,
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub slot: Slot,
    pub negated: bool,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Op {
    /// An instruction word of the unit.
    Word(Word),
    /// `bar`, `barrier`: the word follows from the operands.
    Barrier(Barrier),
    Mbarrier(Box<Mbarrier>),
    /// Fetches the result of the reduction before it, of a `popc` into a register, else into a predicate.
    Result(RedOp),
    /// Lanes of the warp meet at no barrier: `bar.warp.sync`, `elect.sync`.
    Meet {
        elect: Option<Elect>,
        members: Operand,
    },
    /// Lanes of the warp meet and see each other's values.
    Exchange {
        exchange: Exchange,
        sources: Vec<Operand>,
        members: Option<Operand>,
    },
    /// To the instruction with this index; one past the last is the end of the function.
    Branch {
        target: usize,
    },
    /// To one of the targets, by the value of the operand.
    Switch {
        index: Operand,
        targets: Vec<usize>,
    },
    Call(Call),
    /// The lane goes back to where its function was called; from the first function it exits.
    Return,
    Exit,
    /// The program stops itself.
    Trap,
    Access(Access),
    /// The asynchronous copies so far are a group.
    CommitCopies {
        bulk: bool,
    },
    WaitCopies(CopyWait),
    /// Memory on the stack of the lane; its address is written.
    Stack(Stack),
    /// The warp waits in the unit until its accesses so far are performed.
    Fence {
        /// Copies see what the warp has done, too: mbarriers that it has made.
        proxies: bool,
        /// What a relaxed arrival at the barrier of the cluster hands on after it.
        releases: FenceRelease,
    },
    Calc {
        calc: Calc,
        sources: Vec<Operand>,
    },
    /// Time, and a result that nobody knows.
    Busy {
        cycles: u32,
    },
    /// Known, but nothing runs it yet.
    NotBuilt {
        opcode: String,
    },
}

/// What a fence releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceRelease {
    Nothing,
    /// All accesses, but only to threads of the same CTA.
    WithinCta,
    /// The inits of mbarriers.
    Inits,
    /// All accesses.
    Accesses,
}

/// A word with the registers and predicates that it names; what it names as RZ or PT is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub word: [u32; 4],
    pub form: Form,
    pub ra: Option<Slot>,
    pub rb: Option<Slot>,
    pub predicate: Option<Slot>,
}

/// What the lanes of a warp that arrive at a barrier have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One arrival of the warp, whatever lanes execute it: a BCU instruction.
    Raw,
    /// One arrival of the warp, which must be whole: `bar`, `barrier` with `.aligned`.
    Aligned,
    /// The warp arrives when all its lanes have: `barrier` without `.aligned`.
    Gathered,
}

/// A `bar` or `barrier` instruction.
#[derive(Clone, Debug)]
pub struct Barrier {
    pub kind: BarrierKind,
    /// Whether the whole warp must be converged: `bar`, `.aligned`, and every form up to sm_6x.
    pub aligned: bool,
    pub id: Operand,
    pub id_span: Range<usize>,
    /// With its place; `None` is all threads of the CTA.
    pub count: Option<(Operand, Range<usize>)>,
    /// Id and count as they were written, for messages.
    pub written: [String; 2],
    /// Of a reduction: the predicate to reduce, with its place.
    pub predicate: Option<(Operand, Range<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    Reduce(RedOp),
}

/// In the order of their numbers in the instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedOp {
    And,
    Or,
    Popc,
}

/// Where an election is told: a register with the leader's lane, and a predicate, true in the leader alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elect {
    pub leader: Option<Slot>,
    pub leads: Option<Slot>,
}

/// What lanes that meet make of each other's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Shuffle(Shuffle),
    Vote(Vote),
    /// Lanes with the same value as the lane's own.
    MatchAny,
    /// All lanes if all have the same value, else none.
    MatchAll,
    Reduce(Reduce, Type),
    /// The lanes that are here.
    Active,
    /// The lanes hold matrices together.
    Product(Product),
    /// Each register is a row of a matrix of 8 by 8 halves; afterwards it is a column: `movmatrix`.
    Transpose,
}

/// What becomes of the stack beyond the frame of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stack {
    Allocate {
        bytes: Operand,
        align: u64,
    },
    /// Where it ends is written.
    Save,
    /// It ends again where it did.
    Restore(Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// A call: arguments and result are bytes of the frames.
#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    /// Where the arguments stand in the caller's frame, in the order of the callee's parameters.
    pub arguments: Vec<Range<u64>>,
    /// Where the result goes in the caller's frame.
    pub result: Option<Range<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// By index among the functions.
    Function(usize),
    /// A function without a body, by name.
    Outside(String),
    /// A register holds which: functions by their addresses.
    Register(Operand),
}

impl Instr {
    /// It reads the time.
    pub fn sees_time(&self) -> bool {
        let is_time =
            |operand: &Operand| matches!(operand, Operand::Special(Special::Clock | Special::ClockHigh | Special::Clock64));
        self.operands().any(is_time)
    }

    /// The operands that are read as values, without the guard.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let none: &[Operand] = &[];
        let (first, list, last) = match &self.op {
            Op::Barrier(Barrier { id, count, predicate, .. }) => {
                let [count, predicate] = [count, predicate].map(|operand| operand.as_ref().map(|(operand, _)| operand));
                (Some(id), none, [count, predicate, None])
            }
            Op::Meet { members, .. } => (Some(members), none, [None; 3]),
            Op::Mbarrier(asked) => {
                let mut operands = asked.operands();
                (operands.next(), none, [operands.next(), operands.next(), None])
            }
            Op::Exchange { sources, members, .. } => (None, &sources[..], [members.as_ref(), None, None]),
            Op::Switch { index, .. } => (Some(index), none, [None; 3]),
            Op::Call(Call { callee: Callee::Register(operand), .. }) => (Some(operand), none, [None; 3]),
            Op::Calc { sources, .. } => (None, &sources[..], [None; 3]),
            Op::Stack(Stack::Allocate { bytes: operand, .. } | Stack::Restore(operand)) => (Some(operand), none, [None; 3]),
            Op::Access(Access { kind, address, .. }) => match kind {
                AccessKind::Store(Some(sources)) | AccessKind::Atomic { sources, .. } => {
                    (address.as_ref(), &sources[..], [None; 3])
                }
                AccessKind::Copy { from, filled, .. } => (address.as_ref(), none, [Some(from), filled.as_ref(), None]),
                AccessKind::Bulk(Bulk { from, size, mask, signal, ctas, .. }) => {
                    // A mask and a signal never stand together.
                    let last = mask.as_ref().or(signal.as_ref().map(|signal| &signal.address));
                    (address.as_ref(), ctas.as_slice(), [Some(from), Some(size), last])
                }
                AccessKind::Tell { sources, signal, .. } => {
                    (address.as_ref(), &sources[..], [Some(&signal.address), None, None])
                }
                AccessKind::Tensor(TensorCopy { coordinates, shared, signal, ctas, .. }) => {
                    let (shared, signal) = (shared.as_ref().map(|(at, _)| at), signal.as_ref().map(|signal| &signal.address));
                    (address.as_ref(), &coordinates[..], [shared, signal, ctas.as_ref()])
                }
                AccessKind::Prefetch { bytes } => (address.as_ref(), none, [Some(bytes), None, None]),
                AccessKind::Matrix { stored, shape } => {
                    let stride = match shape {
                        Shape::Rows { .. } => None,
                        Shape::Fragment { stride, .. } => stride.as_ref(),
                    };
                    (address.as_ref(), stored.as_deref().unwrap_or(none), [stride, None, None])
                }
                AccessKind::Load | AccessKind::Nothing | AccessKind::Store(None) => (address.as_ref(), none, [None; 3]),
            },
            _ => (None, none, [None; 3]),
        };
        first.into_iter().chain(list).chain(last.into_iter().flatten())
    }

    /// Whether a loop around it may wait for what another thread stores.
    pub fn polls(&self) -> bool {
        matches!(&self.op, Op::Access(Access { kind: AccessKind::Load, order, .. }) if order.strong)
            || matches!(&self.op, Op::Access(Access { kind: AccessKind::Atomic { .. }, .. }))
    }

    /// The registers that it reads, its guard among them.
    pub fn reads(&self) -> impl Iterator<Item = Slot> + '_ {
        let word = match self.op {
            Op::Word(Word { ra, rb, predicate, .. }) => [ra, rb, predicate],
            _ => [None; 3],
        };
        let operands = self.operands().filter_map(|operand| match operand {
            Operand::Register { slot, .. } => Some(*slot),
            _ => None,
        });
        operands.chain(word.into_iter().flatten()).chain(self.guard.map(|guard| guard.slot))
    }

    /// The registers that it writes.
    pub fn written(&self) -> impl Iterator<Item = Slot> + '_ {
        self.writes.iter().copied().flatten()
    }
}
