// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An access that a warp has issued, with all that it needs when it is performed: the values its registers had then.

use super::super::race::VectorClock;
use super::super::warp::Group;
use super::bank::Bank;
use bcu_program::arith::Type;
use bcu_program::tensor::Row;
use bcu_program::{Atomic, Place};
use std::rc::Rc;

/// What an access does.
#[derive(Clone, Debug)]
pub(in super::super) enum AccessEffect {
    /// Takes time only.
    Nothing,
    /// By element, the register behind the lane's first one; `None` where it is left out.
    Load(Vec<Option<usize>>),
    Store,
    /// Into each register the elements of matrices from as many `places` as fit it, or out of each.
    LoadMatrix(Vec<Option<usize>>),
    StoreMatrix,
    /// What was there before goes to the register.
    Atomic(Atomic, Option<usize>),
    /// From where each lane's `values[0]` says, so many bytes of the bank.
    Copy(Bank, u64),
    /// The bytes of a bulk copy are read, perhaps to be combined with what is where they go. A lane's values are where they go, how
    /// many they are, and which of 16 are copied.
    BulkRead(Option<Atomic>),
    /// Those of each lane are stored.
    BulkWrite(Vec<Vec<Option<u8>>>, Option<Atomic>),
}

/// The box of a tensor copy, as far as it is in the tensor, and what combines its elements with what is there.
#[derive(Clone, Debug)]
pub(in super::super) struct Tile {
    pub rows: Vec<Row>,
    pub reduce: Option<(Type, Atomic)>,
}

/// The part of one lane.
#[derive(Clone, Debug)]
pub(in super::super) struct Part {
    pub lane: usize,
    /// The lane's first register.
    pub base: usize,
    pub bank: Bank,
    /// `None`: nobody knows where.
    pub address: Option<u64>,
    /// By element what is stored, or the operands of an atomic operation.
    pub values: Vec<Option<u64>>,
    /// Of matrices, the address of each element, register by register.
    pub places: Vec<Option<u64>>,
    /// Where a tensor copy goes.
    pub tile: Option<Box<Tile>>,
    /// Of an asynchronous copy.
    pub group: Group,
    /// Of a bulk copy: where its bytes go, and the mbarrier in shared memory that it tells how many have come.
    pub to: Bank,
    pub signal: Option<u32>,
    /// Nobody knows whether this lane takes part.
    pub unknown_guard: bool,
}

/// An access that was issued.
#[derive(Clone, Debug)]
pub(in super::super) struct Access {
    /// Index, warp slot and CTA of its warp.
    pub warp: usize,
    pub slot: usize,
    pub cta: usize,
    /// Of the warp when it was issued.
    pub epoch: bool,
    /// The unit is told of it, and barriers wait for it; else it is an asynchronous copy, ...
    pub announced: bool,
    /// ... of this number.
    pub copy: Option<u64>,
    pub effect: AccessEffect,
    /// Of one element.
    pub ty: Type,
    /// Bytes of a lane.
    pub bytes: u64,
    pub parts: Vec<Part>,
    /// Accesses of its warp that come later wait for it.
    pub acquires: bool,
    /// Other threads may be told something by it.
    pub strong: bool,
    pub due: u64,
    /// The bytes that it touches, when it is issued.
    pub touched: Vec<Range>,
    /// The instruction, of one to the shared memory of another CTA.
    pub place: Option<Rc<Place>>,
    /// What it hands on to other warps when it is performed, where races are looked for.
    pub released: Option<Rc<VectorClock>>,
}

/// A memory with first byte and end.
type Range = (Bank, u64, u64);

impl Part {
    /// Where the bytes of a bulk copy go.
    pub fn to(&self) -> std::ops::Range<u64> {
        let value = |i: usize| self.values.get(i).copied().flatten().unwrap_or(0);
        value(0)..value(0).saturating_add(value(1))
    }

    /// The bytes of a bulk copy from `first` on, at most `most`; `None` if it has fewer.
    pub fn piece(&self, first: u64, most: u64) -> Option<Part> {
        let to = self.to();
        let bytes = (to.end - to.start).saturating_sub(first).min(most);
        if bytes == 0 && first > 0 {
            return None;
        }
        let mut piece = self.clone();
        piece.address = self.address.map(|at| at.wrapping_add(first));
        if let [to, length, ..] = &mut piece.values[..] {
            *to = to.map(|to| to.wrapping_add(first));
            *length = Some(bytes);
        }
        Some(piece)
    }
}

impl Access {
    /// The registers that it writes when it is performed, lane by lane.
    pub fn registers(&self) -> Vec<(usize, usize)> {
        let slots: Vec<usize> = match &self.effect {
            AccessEffect::Load(slots) | AccessEffect::LoadMatrix(slots) => slots.iter().flatten().copied().collect(),
            AccessEffect::Atomic(_, slot) => slot.iter().copied().collect(),
            _ => vec![],
        };
        self.parts.iter().flat_map(|part| slots.iter().map(|slot| (part.lane, part.base + slot))).collect()
    }

    /// The other CTAs in whose shared memory it reads or writes, or where it tells an mbarrier.
    pub fn others(&self) -> impl Iterator<Item = usize> + '_ {
        let copies = matches!(self.effect, AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..));
        let banks = self.parts.iter().flat_map(move |part| [Some(part.bank), Some(part.to).filter(|_| copies)]);
        banks.flatten().filter_map(|bank| match bank {
            Bank::Shared(cta) => Some(cta).filter(|cta| *cta != self.cta),
            Bank::Global | Bank::Local(..) => None,
        })
    }

    fn reads_only(&self) -> bool {
        matches!(self.effect, AccessEffect::Load(_) | AccessEffect::LoadMatrix(_))
    }

    /// Other threads may be told something by it; it races with no other such access.
    pub fn is_strong(&self) -> bool {
        self.strong || matches!(self.effect, AccessEffect::Atomic(..))
    }

    pub fn stores(&self) -> bool {
        !self.reads_only() && !matches!(self.effect, AccessEffect::Nothing | AccessEffect::BulkRead(_))
    }

    /// Bytes of a copy are where they go, and an mbarrier is to be told of them.
    pub fn arrives(&self) -> bool {
        matches!(self.effect, AccessEffect::BulkWrite(..)) && self.parts.iter().any(|part| part.signal.is_some())
    }

    /// Its lanes wait for its result: a load, or an atomic operation that gives one.
    pub fn is_for_result(&self) -> bool {
        self.reads_only() || matches!(self.effect, AccessEffect::Atomic(_, Some(_)))
    }

    /// Its lanes do not wait for it.
    pub fn asynchronous(&self) -> bool {
        matches!(self.effect, AccessEffect::Copy(..) | AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..))
    }

    /// Elements of matrices in a register.
    pub fn packed(&self) -> usize {
        (32 / self.ty.bits.clamp(1, 32)) as usize
    }

    /// What a lane stores of an element.
    pub fn stored(&self, part: &Part, element: usize) -> Option<u64> {
        let value = |i: usize| part.values.get(i).copied().flatten();
        match self.effect {
            AccessEffect::Store => value(element),
            AccessEffect::StoreMatrix => {
                let shift = element % self.packed() * self.ty.bits as usize;
                value(element / self.packed()).map(|register| register >> shift)
            }
            _ => None,
        }
    }

    /// First byte and number of bytes of what a lane touches, each time with the number of the first element; `None` is an unknown
    /// address.
    pub fn pieces<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = (Option<u64>, u64, usize)> + 'a {
        let matrix = matches!(self.effect, AccessEffect::LoadMatrix(_) | AccessEffect::StoreMatrix);
        let bulk = matches!(self.effect, AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..));
        let bytes = if bulk { part.values.get(1).copied().flatten().unwrap_or(0) } else { self.bytes };
        let (whole, places) = if matrix { (None, &part.places[..]) } else { (Some((part.address, bytes, 0)), &[][..]) };
        let size = self.ty.bytes() as u64;
        whole.into_iter().chain(places.iter().enumerate().map(move |(element, at)| (*at, size, element)))
    }

    /// Whether the order of the two matters to their warp.
    pub fn meets(&self, other: &Access) -> bool {
        // Reads may pass each other, but no strong read of a byte sees less than one before it.
        let reads = self.reads_only() && other.reads_only();
        if self.warp != other.warp || reads && !(self.strong && other.strong) {
            return false;
        }
        self.touched.iter().any(|a| other.touched.iter().any(|b| a.0 == b.0 && a.1 < b.2 && b.1 < a.2))
    }

    /// What it touches; all of a memory where the address is unknown.
    pub fn ranges(&self) -> Vec<Range> {
        let range = |bank: Bank, at: Option<u64>, bytes: u64| {
            at.map_or((bank, 0, u64::MAX), |at| (bank, at, at.saturating_add(bytes.max(1))))
        };
        let of = |part: &Part| self.pieces(part).map(|(at, bytes, _)| range(part.bank, at, bytes)).collect::<Vec<_>>();
        let mut ranges: Vec<Range> = self.parts.iter().flat_map(of).collect();
        if let AccessEffect::Copy(bank, bytes) = self.effect {
            let from =
                |part: &Part| part.values.first().copied().flatten().map_or((bank, 0, u64::MAX), |at| (bank, at, at + bytes));
            ranges.extend(self.parts.iter().map(from));
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, first| {
            let joins = next.0 == first.0 && next.1 <= first.2;
            first.2 = if joins { first.2.max(next.2) } else { first.2 };
            joins
        });
        ranges
    }
}
