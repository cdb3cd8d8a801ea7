// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An issued access, with all the data needed to perform it: the register values at its issue.

use super::super::race::StrongAccess;
use super::super::warp::Group;
use super::bank::Bank;
use super::sample::Sample;
use crate::schedule_file::Execution;
use bcu_program::arith::{Partial, Type};
use bcu_program::tensor::Row;
use bcu_program::{Atomic, Order, Place};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// The effect of an access.
#[derive(Clone, Debug)]
pub(in super::super) enum AccessEffect {
    /// No effect: the access only takes time.
    Nothing,
    /// For each element, the offset of its register from the lane's first register; `None` for an element that is dropped.
    Load(Arc<[Option<usize>]>),
    Store,
    /// Reads texels at the places of each lane, and interpolates them; the offsets are as for `Load`.
    Sample(Arc<[Option<usize>]>),
    /// For matrix accesses, a register holds as many elements as fit; the addresses of the elements are in `places`. The offsets are as for
    /// `Load`.
    LoadMatrix(Arc<[Option<usize>]>),
    StoreMatrix,
    /// An atomic operation, which writes the previous value in memory to the register with this offset; `None` if the result is dropped.
    Atomic(Atomic, Option<usize>),
    /// Copies a number of bytes from this memory, from the address in `values[0]` of each lane.
    Copy(Bank, u64),
    /// Copies a tensor map from this memory, from the address in `values[0]`; one part stands for these lanes.
    CopyMap(Bank, u64),
    /// Reads the bytes of a bulk copy, for a later write to the destination. An operation, if there
    /// is one, combines them with the previous contents of the destination. The `values` of a part
    /// are the destination, the number of bytes, and a mask that selects the bytes to copy in each
    /// block of 16 bytes.
    BulkRead(Option<Atomic>),
    /// Stores the bytes of each lane; with an operation, combines them with the previous contents of the destination.
    BulkWrite(Vec<Vec<Option<u8>>>, Option<Atomic>),
}

/// The part of the box of a tensor copy that is inside the tensor, and the operation that combines its elements with the destination.
#[derive(Clone, Debug)]
pub(in super::super) struct Tile {
    pub rows: Vec<Row>,
    /// Every two bytes of a loaded box outside of the tensor.
    pub outside: [u8; 2],
    pub reduce: Option<(Type, Atomic)>,
}

/// The values of a part; vectors have up to four elements.
pub(in super::super) type PartValues = SmallVec<[Option<u64>; 4]>;

/// The part of one lane in an access.
#[derive(Clone, Debug)]
pub(in super::super) struct Part {
    pub lane: usize,
    /// The first register of the lane in the present call.
    pub base: usize,
    pub bank: Bank,
    /// The first byte; `None` if the address is unknown.
    pub address: Option<u64>,
    /// For a store, the value of each element; for an atomic operation, its operands; for copies,
    /// as [`AccessEffect`] describes.
    pub values: PartValues,
    /// If one of the values is unknown, the known bits of each value; else empty.
    pub partial: Vec<Partial>,
    /// For matrices, the address of each element, register by register.
    pub places: Vec<Option<u64>>,
    /// For a tensor copy, its box in the tensor.
    pub tile: Option<Box<Tile>>,
    /// For a texture, what is read of it; `None`: the results are unknown.
    pub sample: Option<Box<Sample>>,
    /// The address of the map of a tensor copy in global memory.
    pub map: Option<u64>,
    /// The group of an asynchronous copy.
    pub group: Group,
    /// The number of an asynchronous copy that belongs to a group, among the copies of its warp.
    pub copy: Option<u64>,
    /// The destination memory of a bulk copy.
    pub to: Bank,
    /// The address, in the destination memory, of the mbarrier that the bulk copy signals with the number of written bytes.
    pub signal: Option<u32>,
    /// Whether the guard of this lane is unknown.
    pub unknown_guard: bool,
    /// Whether the lane is on a path that it may not have taken. The race detector leaves such a part out.
    pub is_passed: bool,
}

/// An access that was issued.
#[derive(Clone, Debug)]
pub(in super::super) struct Access {
    /// The number of the access, if lanes wait for its result; unique for each warp.
    pub number: u64,
    /// The index, the warp slot and the CTA of the warp that issued the access.
    pub warp: usize,
    pub slot: usize,
    pub cta: usize,
    /// The epoch of the warp at the issue.
    pub epoch: bool,
    /// Whether the unit counts the access, so that barriers wait for it. An access that the unit does not count is an asynchronous copy.
    pub announced: bool,
    /// The number of the copy, if the access belongs to an asynchronous copy.
    pub copy: Option<u64>,
    pub effect: AccessEffect,
    /// The type of one element.
    pub ty: Type,
    /// The number of bytes that each lane accesses.
    pub bytes: u64,
    /// The parts of the lanes, one for each lane that accesses memory.
    pub parts: Vec<Part>,
    /// The order of the access among other accesses, and the threads with which it can synchronise.
    pub order: Order,
    /// The cycle in which the access is performed.
    pub due: u64,
    /// The bytes that the access reads or writes, set at its issue.
    pub touched: Vec<Range>,
    /// The location of the instruction, if it accesses the shared memory of another CTA.
    pub place: Option<Rc<Place>>,
    /// With race detection, the execution of the instruction.
    pub execution: Option<Execution>,
    /// With race detection, the record of a strong access, which the race detector applies when the access is performed.
    pub strong: Option<Rc<StrongAccess>>,
}

/// A memory, the first byte, and the byte after the last.
pub(in super::super) type Range = (Bank, u64, u64);

/// Whether ranges of two accesses have a common byte.
pub(in super::super) fn has_common_byte(one: &[Range], other: &[Range]) -> bool {
    one.iter().any(|a| other.iter().any(|b| a.0 == b.0 && a.1 < b.2 && b.1 < a.2))
}

impl Part {
    /// The destination bytes of a bulk copy.
    pub fn to(&self) -> std::ops::Range<u64> {
        let value = |i: usize| self.values.get(i).copied().flatten().unwrap_or(0);
        value(0)..value(0).saturating_add(value(1))
    }

    /// The part of a bulk copy from its byte `first` on, at most `most` bytes; `None` if the copy has no such bytes.
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
    /// For each register that the access writes when it is performed, its offset from the first register of a lane.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        let (loaded, before): (&[_], _) = match &self.effect {
            AccessEffect::Load(slots) | AccessEffect::LoadMatrix(slots) | AccessEffect::Sample(slots) => (slots, None),
            AccessEffect::Atomic(_, slot) => (&[], *slot),
            _ => (&[], None),
        };
        loaded.iter().flatten().copied().chain(before)
    }

    /// The lanes that access memory, one bit each.
    pub fn lanes(&self) -> u64 {
        self.parts.iter().fold(0, |lanes, part| lanes | 1 << part.lane)
    }

    /// The other CTAs in whose shared memory the access reads, writes, or signals an mbarrier.
    pub fn others(&self) -> impl Iterator<Item = usize> + '_ {
        let copies = matches!(self.effect, AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..));
        let banks = self.parts.iter().flat_map(move |part| [Some(part.bank), Some(part.to).filter(|_| copies)]);
        banks.flatten().filter_map(|bank| match bank {
            Bank::Shared(cta) => Some(cta).filter(|cta| *cta != self.cta),
            Bank::Global | Bank::Local(..) => None,
        })
    }

    pub fn reads_only(&self) -> bool {
        matches!(self.effect, AccessEffect::Load(_) | AccessEffect::LoadMatrix(_) | AccessEffect::Sample(_))
    }

    /// Whether other threads may synchronise through the access; strong accesses do not race with each other.
    pub fn is_strong(&self) -> bool {
        self.order.strong || self.is_atomic()
    }

    pub fn is_atomic(&self) -> bool {
        matches!(self.effect, AccessEffect::Atomic(..))
    }

    pub fn stores(&self) -> bool {
        !self.reads_only() && !matches!(self.effect, AccessEffect::Nothing | AccessEffect::BulkRead(_))
    }

    /// Whether the access writes the bytes of a copy and then signals an mbarrier.
    pub fn arrives(&self) -> bool {
        matches!(self.effect, AccessEffect::BulkWrite(..)) && self.parts.iter().any(|part| part.signal.is_some())
    }

    /// Whether the lanes wait for the result of the access: a load, or an atomic operation with a result.
    pub fn is_for_result(&self) -> bool {
        self.reads_only() || matches!(self.effect, AccessEffect::Atomic(_, Some(_)))
    }

    /// Whether the lanes resume without waiting for the access.
    pub fn asynchronous(&self) -> bool {
        matches!(self.effect, AccessEffect::Copy(..) | AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..))
    }

    /// The number of bytes that an asynchronous copy writes.
    pub fn copied_bytes(&self) -> u64 {
        match self.effect {
            AccessEffect::Copy(_, bytes) => bytes * self.parts.len() as u64,
            _ => self.parts.iter().map(|part| part.to()).map(|to| to.end - to.start).sum(),
        }
    }

    /// The number of matrix elements that a register holds.
    pub fn packed(&self) -> usize {
        (32 / self.ty.bits.clamp(1, 32)) as usize
    }

    /// The known bits of the value that a lane stores to an element.
    pub fn stored_partial(&self, part: &Part, element: usize) -> Partial {
        let value = |i: usize| part.partial.get(i).copied().unwrap_or(Partial::UNKNOWN);
        match self.effect {
            AccessEffect::Store => value(element),
            AccessEffect::StoreMatrix => {
                let shift = element % self.packed() * self.ty.bits as usize;
                value(element / self.packed()).shifted(shift as u32)
            }
            _ => Partial::UNKNOWN,
        }
    }

    /// The value that a lane stores to an element.
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

    /// The bytes that the part of a lane reads or writes, as pieces. A piece has its first byte, its number of bytes, and the index of its
    /// first element. The first byte is `None` if the address is unknown.
    pub fn pieces<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = (Option<u64>, u64, usize)> + 'a {
        let matrix = matches!(self.effect, AccessEffect::LoadMatrix(_) | AccessEffect::StoreMatrix | AccessEffect::Sample(_));
        let bulk = matches!(self.effect, AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..));
        let bytes = if bulk { part.values.get(1).copied().flatten().unwrap_or(0) } else { self.bytes };
        let (whole, places) = if matrix { (None, &part.places[..]) } else { (Some((part.address, bytes, 0)), &[][..]) };
        let size = part.sample.as_ref().map_or(self.ty.bytes() as u64, |sample| sample.bytes());
        whole.into_iter().chain(places.iter().enumerate().map(move |(element, at)| (*at, size, element)))
    }

    /// Whether the access must be performed after `earlier`: both are of the same warp and use a common byte, and one of them writes or
    /// both are strong.
    pub fn meets(&self, earlier: &Access) -> bool {
        // Two reads may be reordered, unless both are strong: the later strong read must not return an older value than the earlier one.
        let reads = self.reads_only() && earlier.reads_only();
        if self.warp != earlier.warp || reads && !(self.order.strong && earlier.order.strong) {
            return false;
        }
        has_common_byte(&self.touched, &earlier.touched)
    }

    /// The bytes that the access reads or writes; with an unknown address, all bytes of the memory.
    pub fn ranges(&self) -> Vec<Range> {
        let mut ranges = vec![];
        self.list_ranges(&mut ranges);
        ranges
    }

    /// As [`Access::ranges`], in the empty list `ranges`.
    pub fn list_ranges(&self, ranges: &mut Vec<Range>) {
        let range = |bank: Bank, at: Option<u64>, bytes: u64| {
            at.map_or((bank, 0, u64::MAX), |at| (bank, at, at.saturating_add(bytes.max(1))))
        };
        for part in &self.parts {
            for (at, bytes, _) in self.pieces(part) {
                let (bank, first, end) = range(part.bank, at, bytes);
                match ranges.last_mut() {
                    // Successive lanes mostly use successive bytes.
                    Some(last) if last.0 == bank && (last.1..=last.2).contains(&first) => last.2 = last.2.max(end),
                    _ => ranges.push((bank, first, end)),
                }
            }
        }
        let copied = match self.effect {
            AccessEffect::Copy(bank, bytes) => Some((bank, bytes)),
            AccessEffect::CopyMap(bank, _) => Some((bank, self.bytes)),
            _ => None,
        };
        if let Some((bank, bytes)) = copied {
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
    }
}
