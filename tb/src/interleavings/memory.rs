// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory: words of shared memory, CTA by CTA, then words of global memory; and the accesses of a warp that are under way.

use super::program::{Atomic, OpKind, Program, Word, GLOBAL_BEFORE, SHARED_WORDS, TILE_WORDS};

/// The number of a word of memory.
pub type Address = usize;

/// An access that its warp has issued and that has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub address: u8,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Store(u32),
    /// The operation of the warp that gets the value, and whether the load is strong.
    Load(u8, bool),
    /// A strong load that takes effect when the word has the value.
    Await(u32),
    /// With the operation of the warp that gets the value before, if it is used.
    Atomic(Atomic, u32, Option<u8>),
}

/// The contents of memory before a run.
pub fn before(ctas: usize) -> Vec<u32> {
    let mut memory = vec![0; ctas * SHARED_WORDS];
    memory.extend(GLOBAL_BEFORE);
    memory
}

/// The address of a word that a warp of CTA `cta` names.
pub fn address(program: &Program, cta: usize, word: Word) -> Address {
    match word {
        Word::Shared { word, peer } => shared(cta ^ usize::from(peer), word.into()),
        Word::Global { word } => global(program, word.into()),
    }
}

/// The address of a word of shared memory.
pub fn shared(cta: usize, word: usize) -> Address {
    cta * SHARED_WORDS + word
}

/// The address of a word of global memory.
pub fn global(program: &Program, word: usize) -> Address {
    program.ctas * SHARED_WORDS + word
}

/// The CTA in whose shared memory an address is.
pub fn owner(program: &Program, address: Address) -> Option<usize> {
    let cta = address / SHARED_WORDS;
    (cta < program.ctas).then_some(cta)
}

impl Access {
    /// Whether an earlier access of the same warp takes effect before this one. Accesses to the same bytes keep their order, except two loads
    /// of which one is weak: PTX orders only morally strong accesses (*Coherence*), and a load beside a store of another warp is not.
    pub fn follows(self, earlier: Access) -> bool {
        let may_swap = match (earlier.kind, self.kind) {
            (AccessKind::Load(_, first), AccessKind::Load(_, second)) => !(first && second),
            (AccessKind::Load(_, first), AccessKind::Await(_)) => !first,
            _ => false,
        };
        earlier.address == self.address && !may_swap
    }

    /// Whether the access can take effect while the word has the value `before`.
    pub fn may_take_effect(self, before: u32) -> bool {
        !matches!(self.kind, AccessKind::Await(value) if value != before)
    }

    /// Changes the word. Returns the operation that gets a value, and the value.
    pub fn perform(self, word: &mut u32) -> Option<(u8, u32)> {
        let before = *word;
        match self.kind {
            AccessKind::Store(value) => {
                *word = value;
                None
            }
            AccessKind::Await(_) => None,
            AccessKind::Load(op, _) => Some((op, before)),
            AccessKind::Atomic(atomic, operand, op) => {
                *word = match atomic {
                    Atomic::Add => before.wrapping_add(operand),
                    Atomic::Or => before | operand,
                    Atomic::Max => before.max(operand),
                    Atomic::Exch => operand,
                    Atomic::Cas if before == 0 => operand,
                    Atomic::Cas => before,
                };
                op.map(|op| (op, before))
            }
        }
    }
}

/// The address of the tile that a copy reads.
pub(super) fn source(program: &Program, cta: usize, kind: OpKind) -> usize {
    match kind {
        OpKind::BulkStore { tile, .. } => shared(cta, usize::from(tile) * TILE_WORDS),
        _ => global(program, 0),
    }
}

/// The address of the tile that a copy writes.
pub(super) fn destination(program: &Program, cta: usize, kind: OpKind) -> usize {
    match kind {
        OpKind::BulkLoad { tile, .. } | OpKind::CpAsync { tile } => shared(cta, usize::from(tile) * TILE_WORDS),
        _ => global(program, TILE_WORDS),
    }
}
