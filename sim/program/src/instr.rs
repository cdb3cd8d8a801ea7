// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions that warps execute, independent of the source language.

use super::access::{Access, AccessKind, Bulk, CopyWait, Shape, TensorCopy, TextureUse};
use super::arith::{Calc, Product, Type};
use super::fence::Fence;
use super::mbarrier::Mbarrier;
use super::operand::{Operand, Slot, Special};
use super::place::Place;
use super::tensor_core::TensorCore;
use super::warpgroup::Warpgroup;
use std::ops::Range;
use std::sync::Arc;

/// One instruction of a function.
#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    pub guard: Option<Guard>,
    /// The destination registers; `None`: a destination that is left out, `_`.
    pub writes: Arc<[Option<Slot>]>,
    pub place: Place,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// Whether the instruction takes no time, because it only implements a block of lines or a loop.
    pub is_untimed: bool,
}

/// The guard of an instruction: `@p`, or `@!p` if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub slot: Slot,
    pub negated: bool,
}

/// The operation of an instruction.
#[derive(Clone, Debug)]
pub enum Op {
    /// An instruction word for the barrier unit.
    Word(Word),
    /// `bar`, `barrier`: the values of the operands determine the instruction word.
    Barrier(Barrier),
    Mbarrier(Box<Mbarrier>),
    /// Fetches the result of the preceding reduction: into a register for `popc`, otherwise into a predicate.
    Result(RedOp),
    /// Lanes of the warp synchronise without a barrier: `bar.warp.sync`, `elect.sync`.
    Meet {
        elect: Option<Elect>,
        members: Operand,
    },
    /// Lanes of the warp synchronise and read each other's values.
    Exchange {
        exchange: Exchange,
        sources: Vec<Operand>,
        members: Option<Operand>,
    },
    /// Jumps to the instruction with this index; one past the last is the end of the function.
    Branch {
        target: usize,
    },
    /// Jumps to the target that the operand selects.
    Switch {
        index: Operand,
        targets: Vec<usize>,
    },
    Call(Call),
    /// The lane returns to the caller. In the function in which the warp has started, the lane exits.
    Return,
    Exit,
    /// The program aborts.
    Trap,
    Access(Access),
    /// Makes a new group of all asynchronous copies of the lane that belong to no group yet.
    CommitCopies {
        bulk: bool,
    },
    WaitCopies(CopyWait),
    /// Manages the stack of the lane.
    Stack(Stack),
    /// `wgmma`
    Warpgroup(Warpgroup),
    /// `tcgen05`
    TensorCore(TensorCore),
    /// `setmaxnreg`: sets the number of registers of each lane. If the number grows, the warp waits until the CTA has the registers.
    Registers {
        count: u32,
        grows: bool,
    },
    /// The warp waits in the unit until its previous accesses are performed.
    Fence(Fence),
    Calc {
        calc: Calc,
        sources: Vec<Operand>,
    },
    /// An instruction that only takes time; its result is unknown.
    Busy {
        cycles: u32,
    },
    /// A known instruction that is not supported yet.
    NotBuilt {
        opcode: String,
    },
}

/// An instruction word with the registers and predicates that it names; RZ and PT are `None`.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub word: [u32; 4],
    pub form: Form,
    pub ra: Option<Slot>,
    pub rb: Option<Slot>,
    pub predicate: Option<Slot>,
}

/// How the lanes of a warp arrive together at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One arrival of the warp, regardless of the executing lanes: a BCU instruction.
    Raw,
    /// One arrival of the warp, for which all lanes must be converged: `bar`, `barrier` with `.aligned`.
    Aligned,
    /// The warp arrives when all its lanes have arrived: `barrier` without `.aligned`.
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
    /// The thread count with its span; `None`: all threads of the CTA.
    pub count: Option<(Operand, Range<usize>)>,
    /// Id and count as written, for messages.
    pub written: [String; 2],
    /// For a reduction: the predicate to reduce, with its span.
    pub predicate: Option<(Operand, Range<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    Reduce(RedOp),
}

/// The operations of a reduction, in the order of their numbers in the instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedOp {
    And,
    Or,
    Popc,
}

/// Destinations of an election: a register for the number of the leader's lane, and a predicate that is true only in the leader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elect {
    pub leader: Option<Slot>,
    pub leads: Option<Slot>,
}

/// How lanes combine each other's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Shuffle(Shuffle),
    Vote(Vote),
    /// The lanes with the same value as this lane.
    MatchAny,
    /// All lanes if all have the same value, otherwise none.
    MatchAll,
    Reduce(Reduce, Type),
    /// The least or the greatest of the lanes' numbers of type f32, or of their magnitudes; with `nan` a NaN of one lane is the result.
    Extreme {
        least: bool,
        magnitude: bool,
        nan: bool,
    },
    /// The executing lanes.
    Active,
    /// A product of matrices distributed over the lanes.
    Product(Product),
    /// Transposes a matrix of 8 by 8 elements of 16 bits in one register of every lane: `movmatrix`.
    Transpose,
}

/// An operation on the stack beyond the frame of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stack {
    Allocate {
        bytes: Operand,
        align: u64,
    },
    /// Writes the end of the stack to the destination.
    Save,
    /// Resets the end of the stack to a saved value.
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
    /// Byte ranges of the arguments in the caller's frame, in the order of the callee's parameters.
    pub arguments: Vec<Range<u64>>,
    /// Byte range of the result in the caller's frame.
    pub result: Option<Range<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// Index of the function.
    Function(usize),
    /// A function without a body, by name.
    Outside(String),
    /// A register holds the address of the function.
    Register(Operand),
}

impl Instr {
    /// Whether the instruction reads the clock.
    #[inline]
    pub fn sees_time(&self) -> bool {
        let is_time =
            |operand: &Operand| matches!(operand, Operand::Special(Special::Clock | Special::ClockHigh | Special::Clock64));
        self.operands().any(is_time)
    }

    /// The operands that are read as values, without the guard.
    #[inline]
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let no_operands: &[Operand] = &[];
        let (first, list, last) = match &self.op {
            Op::Barrier(Barrier { id, count, predicate, .. }) => {
                let [count, predicate] = [count, predicate].map(|operand| operand.as_ref().map(|(operand, _)| operand));
                (Some(id), no_operands, [count, predicate, None])
            }
            Op::Meet { members, .. } => (Some(members), no_operands, [None; 3]),
            Op::Mbarrier(asked) => {
                let mut operands = asked.operands();
                (operands.next(), no_operands, [operands.next(), operands.next(), None])
            }
            Op::Exchange { sources, members, .. } => (None, &sources[..], [members.as_ref(), None, None]),
            Op::Switch { index, .. } => (Some(index), no_operands, [None; 3]),
            Op::Call(Call { callee: Callee::Register(operand), .. }) => (Some(operand), no_operands, [None; 3]),
            Op::Calc { sources, .. } => (None, &sources[..], [None; 3]),
            Op::Stack(Stack::Allocate { bytes: operand, .. } | Stack::Restore(operand)) => {
                (Some(operand), no_operands, [None; 3])
            }
            Op::Access(Access { kind, address, .. }) => match kind {
                AccessKind::Store(Some(sources)) | AccessKind::Atomic { sources, .. } => {
                    (address.as_ref(), &sources[..], [None; 3])
                }
                AccessKind::Copy { from, filled, .. } => (address.as_ref(), no_operands, [Some(from), filled.as_ref(), None]),
                AccessKind::Bulk(Bulk { from, size, mask, signal, ctas, .. }) => {
                    // A copy has a mask or a signal or neither, but not both, so one place in the array is enough.
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
                AccessKind::CopyMap { from, .. } => (address.as_ref(), no_operands, [Some(from), None, None]),
                AccessKind::Texture(TextureUse::Fetch { coordinates, .. }) => (address.as_ref(), &coordinates[..], [None; 3]),
                AccessKind::Prefetch { bytes } => (address.as_ref(), no_operands, [Some(bytes), None, None]),
                AccessKind::Matrix { stored, shape } => {
                    let stride = match shape {
                        Shape::Rows { .. } => None,
                        Shape::Fragment { stride, .. } => stride.as_ref(),
                    };
                    (address.as_ref(), stored.as_deref().unwrap_or(no_operands), [stride, None, None])
                }
                AccessKind::Load
                | AccessKind::Nothing
                | AccessKind::Store(None)
                | AccessKind::Texture(TextureUse::Extent(_)) => (address.as_ref(), no_operands, [None; 3]),
            },
            _ => (None, no_operands, [None; 3]),
        };
        let of_group = match &self.op {
            Op::Warpgroup(op) => Some(op.operands()),
            _ => None,
        };
        let of_core = match &self.op {
            Op::TensorCore(op) => Some(op.operands()),
            _ => None,
        };
        first
            .into_iter()
            .chain(list)
            .chain(last.into_iter().flatten())
            .chain(of_group.into_iter().flatten())
            .chain(of_core.into_iter().flatten())
    }

    /// The opcode with its modifiers, as written.
    pub fn opcode(&self) -> &str {
        let mut words = self.place.text.split_whitespace().skip_while(|word| word.starts_with('@'));
        words.next().unwrap_or("").trim_end_matches(';')
    }

    /// Whether an effect of the instruction on registers or memory is unknown whatever the values of its sources are: it only takes time, or
    /// an operand is not evaluated.
    pub fn is_unevaluated(&self) -> bool {
        let has_results = self.written().next().is_some();
        match &self.op {
            Op::Busy { .. } => has_results,
            Op::Warpgroup(Warpgroup::Product(product)) => product.product.is_none(),
            Op::TensorCore(op) => !op.is_calculated(),
            Op::Access(Access { kind: AccessKind::Nothing, .. }) => has_results,
            Op::Access(Access { kind: AccessKind::Store(None), .. }) => true,
            Op::Access(access) if access.address.is_none() => true,
            Op::NotBuilt { .. } => false,
            _ => self.operands().any(|operand| *operand == Operand::Opaque),
        }
    }

    /// Whether the instruction is a strong load or an atomic: a loop around it may wait for a store of another thread.
    #[inline]
    pub fn polls(&self) -> bool {
        matches!(&self.op, Op::Access(Access { kind: AccessKind::Load, order, .. }) if order.strong)
            || matches!(&self.op, Op::Access(Access { kind: AccessKind::Atomic { .. }, .. }))
    }

    /// The registers that the instruction reads, including its guard.
    #[inline]
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

    /// The registers that the instruction writes.
    #[inline]
    pub fn written(&self) -> impl Iterator<Item = Slot> + '_ {
        self.writes.iter().copied().flatten()
    }
}
