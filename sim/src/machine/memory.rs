// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared, global and local memory: accesses are performed some time after they were issued ([`Pipe`]), and only then does a store
//! show ([`Memory`]).
//!
//! Accesses of one warp to the same bytes keep their order where one of them stores or both are strong; all others may be performed
//! in any order.

mod access;
mod bulk;
mod bytes;
mod perform;
mod pipe;
mod place;

use super::report::Word;
use crate::program::Variable;
pub(super) use access::{Access, Effect, Part, Tile};
use bytes::Bytes;
pub(super) use bytes::Fresh;
pub(super) use perform::Performed;
pub(super) use pipe::Pipe;
pub(super) use place::{Asked, Limits};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most bytes that are copied at once.
const CHUNK: usize = 4096;

/// A memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Bank {
    Global,
    /// Of a CTA.
    Shared(usize),
    /// Of a lane of a warp.
    Local(usize, usize),
}

/// All memory.
pub(super) struct Memory {
    fresh: Fresh,
    banks: BTreeMap<Bank, Bytes>,
    /// Addresses above 4 GiB are variables and buffers: first byte, size, name.
    allocations: BTreeMap<u64, (u64, String)>,
    /// What the launch before has stored while this one may have begun.
    early: Vec<Range<u64>>,
    /// Stores to addresses that nobody knows.
    pub unknown_stores: u64,
}

/// First byte and number of the bytes that are copied at once.
fn chunks(bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..bytes).step_by(CHUNK).map(move |at| (at, (bytes - at).min(CHUNK as u64) as usize))
}

impl Memory {
    pub fn new(fresh: Fresh) -> Memory {
        Memory { fresh, banks: BTreeMap::new(), allocations: BTreeMap::new(), early: vec![], unknown_stores: 0 }
    }

    /// Global memory holds this variable or buffer.
    pub fn allocate(&mut self, variable: &Variable) {
        self.allocations.insert(variable.address, (variable.bytes.len() as u64, variable.name.clone()));
        self.bank(Bank::Global).preset(variable.address, &variable.bytes);
        self.early.extend(variable.early.iter().cloned());
    }

    /// The variable or buffer of which the launch before may yet store one of these bytes.
    pub fn awaited(&self, address: u64, bytes: u64) -> Option<&str> {
        let end = address.saturating_add(bytes);
        self.early.iter().find(|range| address < range.end && range.start < end)?;
        self.allocations.range(..=address).next_back().map(|(_, (_, name))| name.as_str())
    }

    /// Variables and buffers with what they hold now; `early` if a launch behind this one may have begun before.
    pub fn variables(&self, early: bool) -> Vec<Variable> {
        let global = self.banks.get(&Bank::Global);
        let bytes =
            |address: u64, bytes: usize| global.map_or_else(|| vec![None; bytes], |global| global.range(address, bytes));
        let one = |(address, (size, name)): (&u64, &(u64, String))| Variable {
            name: name.clone(),
            address: *address,
            bytes: bytes(*address, *size as usize),
            early: global.filter(|_| early).map_or(vec![], |global| global.stored(*address, *size)),
        };
        self.allocations.iter().map(one).collect()
    }

    fn bank(&mut self, bank: Bank) -> &mut Bytes {
        let fresh = self.fresh;
        self.banks.entry(bank).or_insert_with(|| Bytes::new(fresh))
    }

    /// The bytes of one element of a lane's own memory, and of any other that is looked at without an access.
    pub fn read(&self, bank: Bank, address: u64, bytes: usize) -> Option<u64> {
        match self.banks.get(&bank) {
            Some(held) => held.number(address, bytes),
            None => Bytes::new(self.fresh).number(address, bytes),
        }
    }

    /// A word that the unit writes.
    pub fn write(&mut self, bank: Bank, address: u64, bytes: usize, value: u64) {
        self.bank(bank).store(address, bytes, Some(value));
    }

    /// Copies bytes within a lane's own memory: arguments and results of calls.
    pub fn copy(&mut self, bank: Bank, from: u64, to: u64, bytes: u64) {
        let bank = self.bank(bank);
        for (at, length) in chunks(bytes) {
            let held = bank.range(from.wrapping_add(at), length);
            bank.set_range(to.wrapping_add(at), &held);
        }
    }

    /// Nobody knows these bytes any more.
    pub fn unknown(&mut self, bank: Bank, at: u64, bytes: u64) {
        let bank = self.bank(bank);
        chunks(bytes).for_each(|(from, length)| bank.set_range(at.wrapping_add(from), &[None; CHUNK][..length]));
    }

    /// A warp has ended: the stacks of its lanes are gone.
    pub fn ended(&mut self, warp: usize) {
        self.banks.retain(|bank, _| !matches!(bank, Bank::Local(of, _) if *of == warp));
    }

    /// Every word that was stored below 4 GiB and whose value is known.
    pub fn words(&self) -> Vec<Word> {
        let shown = self.banks.iter().filter_map(|(bank, bytes)| match bank {
            Bank::Global => Some((None, bytes)),
            Bank::Shared(cta) => Some((Some(*cta), bytes)),
            Bank::Local(..) => None,
        });
        let word = |cta, (address, value)| Some(Word { cta, address: u32::try_from(address).ok()?, value });
        shown.flat_map(|(cta, bytes)| bytes.words().filter_map(move |found| word(cta, found))).collect()
    }
}
