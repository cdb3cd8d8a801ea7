// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared, global and local memory: accesses are performed some time after they were issued ([`Pipe`]), and only then does a store
//! show ([`Memory`]).
//!
//! Accesses of one warp to the same bytes keep their order where one of them stores or both are strong; all others may be performed
//! in any order.

mod access;
mod bank;
mod bulk;
mod bytes;
mod limits;
mod overlap;
mod perform;
mod performed;
mod pipe;
mod place;

use super::report::Word;
use super::warp::threads::At;
pub(super) use access::{Access, AccessEffect, Part, Tile};
pub(crate) use bank::Bank;
use bcu_program::Variable;
use bytes::Bytes;
pub(super) use bytes::Fresh;
pub(super) use limits::{Asked, Limits};
pub(super) use overlap::{Overlap, Unordered, Use, User};
pub(super) use performed::Performed;
pub(super) use pipe::Pipe;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// Bytes of the words of which the last store is kept.
const WORD: u64 = 4;
/// Most bytes that are copied at once.
const CHUNK: usize = 4096;

/// All memory.
pub(super) struct Memory {
    fresh: Fresh,
    banks: BTreeMap<Bank, Bytes>,
    /// Addresses above 4 GiB are variables and buffers: first byte, size, name.
    allocations: BTreeMap<u64, (u64, String)>,
    /// What grids that may overlap use of global memory; written while an instruction, which sees memory only, finds its bytes.
    overlap: RefCell<Overlap>,
    /// Stores to addresses that nobody knows.
    pub unknown_stores: u64,
    /// How often what it holds has changed.
    pub changes: u64,
    /// By memory and word, the store that was issued last, if that is kept.
    writers: Option<HashMap<(Bank, u64), Writer>>,
}

/// An instruction that stores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer {
    pub cta: usize,
    pub warp: usize,
    pub at: At,
    pub cycle: u64,
}

/// First byte and number of the bytes that are copied at once.
fn chunks(bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..bytes).step_by(CHUNK).map(move |at| (at, (bytes - at).min(CHUNK as u64) as usize))
}

impl Memory {
    pub fn new(fresh: Fresh, overlap: Overlap) -> Memory {
        let overlap = RefCell::new(overlap);
        let (banks, allocations) = (BTreeMap::new(), BTreeMap::new());
        Memory { fresh, banks, allocations, overlap, unknown_stores: 0, changes: 0, writers: None }
    }

    /// Which stores were the last ones is kept from now on.
    pub fn keep_writers(&mut self) {
        self.writers = Some(HashMap::new());
    }

    /// An instruction that stores is issued.
    pub fn written_by(&mut self, access: &Access, writer: Writer) {
        let Some(writers) = &mut self.writers else { return };
        for (bank, first, end) in access.ranges().into_iter().filter(|(_, _, end)| *end != u64::MAX) {
            (first / WORD..end.div_ceil(WORD)).for_each(|word| _ = writers.insert((bank, word), writer));
        }
    }

    /// The last store to some bytes.
    pub fn last_writer(&self, bank: Bank, address: u64) -> Option<Writer> {
        self.writers.as_ref()?.get(&(bank, address / WORD)).copied()
    }

    /// The last stores to other words of the variable or buffer that an address is in.
    pub fn writers_beside(&self, address: u64) -> Vec<Writer> {
        let Some((first, (bytes, _))) = self.allocations.range(..=address).next_back() else { return vec![] };
        let is_in = |(bank, word): &(Bank, u64)| *bank == Bank::Global && (*first..first + bytes).contains(&(word * WORD));
        let all = self.writers.iter().flatten().filter(|(key, _)| is_in(key));
        let mut found: Vec<Writer> = all.map(|(_, writer)| *writer).collect();
        found.sort_by_key(|writer| (writer.cycle, writer.cta, writer.warp));
        found
    }

    /// The variable or buffer in global memory that an address is in, with the bytes after its start.
    pub fn name(&self, address: u64) -> Option<String> {
        let (first, (bytes, name)) = self.allocations.range(..=address).next_back()?;
        let inside = address - first;
        (inside < *bytes).then(|| if inside == 0 { name.clone() } else { format!("{name}+{inside}") })
    }

    /// Global memory holds this variable or buffer.
    pub fn allocate(&mut self, variable: &Variable) {
        self.allocations.insert(variable.address, (variable.bytes.len() as u64, variable.name.clone()));
        self.bank(Bank::Global).preset(variable.address, &variable.bytes);
    }

    /// A lane uses bytes of global memory: tells of a use that has not waited for another grid, with the variable or buffer.
    pub fn uses(&self, user: User, address: u64, bytes: u64, how: Use) -> Option<(Unordered, &str)> {
        let unordered = self.overlap.borrow_mut().uses(user, address..address.saturating_add(bytes), how)?;
        let name = self.allocations.range(..=address).next_back().map_or("", |(_, (_, name))| name.as_str());
        Some((unordered, name))
    }

    /// Whether a grid may run while the one before it does.
    pub fn overlaps(&self, grid: usize) -> bool {
        grid > 0 && self.overlap.borrow().overlap(grid - 1, grid)
    }

    /// Variables and buffers with what they hold now.
    pub fn variables(&self) -> Vec<Variable> {
        let global = self.banks.get(&Bank::Global);
        let bytes =
            |address: u64, bytes: usize| global.map_or_else(|| vec![None; bytes], |global| global.range(address, bytes));
        let one = |(address, (size, name)): (&u64, &(u64, String))| Variable {
            name: name.clone(),
            address: *address,
            bytes: bytes(*address, *size as usize),
        };
        self.allocations.iter().map(one).collect()
    }

    /// Variables and buffers with bytes that were stored and are unknown: first byte, size, name, and how many.
    pub fn unknown_stored(&self) -> Vec<(u64, u64, &str, u64)> {
        let Some(global) = self.banks.get(&Bank::Global) else { return vec![] };
        let all = self
            .allocations
            .iter()
            .map(|(first, (size, name))| (*first, *size, name.as_str(), global.unknown_stored(*first, *size)));
        all.filter(|(.., unknown)| *unknown > 0).collect()
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
        self.changes += 1;
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
