// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes that an access uses: of every lane, what it loads and what it stores, and for an asynchronous copy its source and its
//! destination.

use super::shadow::Bytes;
use super::warps::Stream;
use crate::memory::{Access, AccessEffect, Bank, Part};
use bcu_program::arith::{Integer, Operation, Type, TypeKind};
use bcu_program::{Atomic, Scope};

/// Bytes that a lane uses in an access.
pub(super) struct Use {
    pub(super) bytes: Bytes,
    pub(super) stores: bool,
    pub(super) stream: Stream,
    /// For a store, the index of the first stored element.
    pub(super) element: usize,
}

/// Whether the access uses the asynchronous proxy, as a copy of bulk or tensor form does. `st.async` and `red.async` use the generic proxy.
pub(super) fn is_async_proxy(access: &Access) -> bool {
    access.order.async_proxy || matches!(access.effect, AccessEffect::BulkRead(_))
}

/// The scope of the atomic operation that combines the bytes of a copy with the destination; `None` if the copy stores them.
pub(super) fn reduction_scope(access: &Access, part: &Part) -> Option<Scope> {
    let combines = match &access.effect {
        AccessEffect::BulkRead(reduce) => reduce.is_some() || part.tile.as_ref().is_some_and(|tile| tile.reduce.is_some()),
        AccessEffect::BulkWrite(_, reduce) => reduce.is_some(),
        _ => false,
    };
    combines.then_some(Scope::Gpu)
}

/// For an atomic operation whose order among operations of its kind does not matter if no result is used: operation
/// and type.
pub(super) fn commuting(access: &Access) -> Option<(Atomic, Type)> {
    let AccessEffect::Atomic(atomic @ Atomic::Calc(calc), _) = &access.effect else { return None };
    let commutes = match calc.op {
        Operation::Integer { op, saturate: false, .. } => {
            matches!(op, Integer::Add | Integer::Min | Integer::Max | Integer::And | Integer::Or | Integer::Xor)
        }
        _ => false,
    };
    (commutes && access.ty.kind != TypeKind::Float).then_some((*atomic, access.ty))
}

/// The uses of a lane's part in an access at its issue. Bytes at unknown addresses and local memory are left out.
pub(super) fn uses(access: &Access, part: &Part) -> Vec<Use> {
    let mut uses = vec![];
    let mut add = |bank: Bank, at: Option<u64>, count: u64, stores: bool, stream: Stream, element: usize| {
        if let (Some(at), false) = (at, matches!(bank, Bank::Local(..)) || count == 0 || part.is_passed) {
            uses.push(Use { bytes: Bytes { bank, at, count }, stores, stream, element });
        }
    };
    match &access.effect {
        AccessEffect::Nothing => {}
        AccessEffect::Load(_) | AccessEffect::LoadMatrix(_) | AccessEffect::Sample(_) => {
            access.pieces(part).for_each(|(at, count, element)| add(part.bank, at, count, false, Stream::Program, element));
        }
        AccessEffect::Store | AccessEffect::StoreMatrix | AccessEffect::Atomic(..) => {
            access.pieces(part).for_each(|(at, count, element)| add(part.bank, at, count, true, Stream::Program, element));
        }
        AccessEffect::Copy(from, copied) => {
            let value = |i: usize| part.values.get(i).copied();
            let read = value(1).map_or(Some(*copied), |given| given.map(|given| given.min(*copied)));
            add(*from, value(0).flatten(), read.unwrap_or(0), false, Stream::Plain, 0);
            add(part.bank, part.address, access.bytes, true, Stream::Plain, 0);
        }
        AccessEffect::CopyMap(from, _) => {
            add(*from, part.values.first().copied().flatten(), access.bytes, false, Stream::Program, 0);
            add(part.bank, part.address, access.bytes, true, Stream::Program, 0);
        }
        AccessEffect::BulkRead(_) => {
            let to = part.to();
            let count = to.end - to.start;
            match (&part.tile, part.signal) {
                (Some(tile), Some(_)) => {
                    tile.rows.iter().for_each(|row| add(part.bank, Some(row.address), row.bytes, false, Stream::BulkRead, 0));
                    add(part.to, Some(to.start), count, true, Stream::BulkWrite, 0);
                }
                (Some(tile), None) => {
                    add(part.bank, part.address, count, false, Stream::BulkRead, 0);
                    tile.rows
                        .iter()
                        .for_each(|row| add(Bank::Global, Some(row.address), row.bytes, true, Stream::BulkWrite, 0));
                }
                (None, _) => {
                    add(part.bank, part.address, count, false, Stream::BulkRead, 0);
                    let to_start = part.values.first().copied().flatten();
                    match part.values.get(2).copied().flatten() {
                        // Only some bytes of each 16 bytes are copied.
                        Some(mask) if mask & 0xffff != 0xffff => {
                            let bytes = to_start.into_iter().flat_map(|at| at..at + count);
                            bytes.filter(|at| mask >> (at % 16) & 1 == 1).for_each(|at| {
                                add(part.to, Some(at), 1, true, Stream::BulkWrite, 0);
                            });
                        }
                        _ => add(part.to, to_start, count, true, Stream::BulkWrite, 0),
                    }
                }
            }
        }
        AccessEffect::BulkWrite(..) => {
            let to = part.to();
            add(part.to, Some(to.start), to.end - to.start, true, Stream::BulkWrite, 0);
        }
    }
    uses
}

/// The stored value of `count` bytes, at most 4, at an offset from the first byte of a use, if it is known.
pub(super) fn stored(access: &Access, part: &Part, used: &Use, (offset, count): (u64, u64)) -> Option<u32> {
    if !used.stores || !matches!(access.effect, AccessEffect::Store | AccessEffect::StoreMatrix) {
        return None;
    }
    let size = access.ty.bytes().max(1) as u64;
    let byte = |at: u64| {
        let value = access.stored(part, used.element + (at / size) as usize)?;
        Some((value >> (8 * (at % size)) & 0xff) as u32)
    };
    if size >= count && offset % size + count <= size {
        let value = access.stored(part, used.element + (offset / size) as usize)?;
        let bits = 8 * count as u32;
        return Some((value >> (8 * (offset % size))) as u32 & (u32::MAX >> (32 - bits)));
    }
    (0..count).try_fold(0, |word, i| Some(word | byte(offset + i)? << (8 * i)))
}
