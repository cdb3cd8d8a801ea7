// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared, global and local memory: accesses are performed some time after their issue ([`Pipe`]), and a store becomes visible when it is
//! performed ([`Memory`]).
//!
//! Accesses of one warp to the same bytes keep their order if one of them stores or both are strong. All other accesses may be performed in
//! any order.

mod access;
mod bank;
mod banks;
mod bulk;
mod bytes;
mod fresh;
mod grid_barriers;
mod heap;
mod known_bits;
mod limits;
mod malloc;
mod origins;
mod overlap;
mod perform;
mod performed;
mod pipe;
mod place;
mod region;
mod sample;
mod table;
mod unset;
mod writer;

use super::report::{UnsetRead, Word};
pub(super) use access::{has_common_byte, Access, AccessEffect, Part, PartValues, Range, Tile};
pub(crate) use bank::Bank;
use banks::Banks;
use bcu_program::arith::Partial;
use bcu_program::{Image, Place, Variable};
use bytes::Bytes;
pub(super) use fresh::Fresh;
pub(super) use grid_barriers::grid_of;
use grid_barriers::GridBarriers;
pub(super) use heap::is_in_heap;
use heap::Heap;
pub(super) use limits::{AccessRange, Limits, Misplaced};
use origins::Origins;
pub(super) use overlap::{Overlap, Unordered, Use, User};
pub(super) use performed::Loaded;
pub(super) use pipe::Pipe;
pub(super) use sample::Sample;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use unset::UnsetVariables;
pub(super) use writer::Writer;

/// Bytes of a word, the unit of the record of last stores.
const WORD: u64 = 4;
/// The maximum number of emptied lists that are kept; more accesses are seldom in flight.
const MOST_SPARE: usize = 256;
/// The maximum number of bytes copied in one step.
const CHUNK: usize = 4096;

/// All memory of a run.
pub(super) struct Memory {
    fresh: Fresh,
    banks: Banks,
    /// Variables and buffers of global memory: the key is the first byte, the values are size in bytes and name.
    allocations: BTreeMap<u64, (u64, String)>,
    /// The uses of global memory by grids that may overlap. It is a cell, because an instruction records its use through a shared
    /// reference.
    overlap: RefCell<Overlap>,
    /// Variables without contents, with the first read of each.
    unset: UnsetVariables,
    /// The barriers of cooperative grids.
    pub grid_barriers: GridBarriers,
    heap: Heap,
    /// The instructions that made values in memory unknown.
    pub origins: Origins,
    /// The number of stores to unknown addresses.
    pub unknown_stores: u64,
    /// The number of changes of the contents of memory.
    pub changes: u64,
    /// The store that was issued last to each word, by memory and word number; `None` if stores are not recorded.
    writers: Option<HashMap<(Bank, u64), Writer>>,
    /// The emptied lists of performed accesses: parts and ranges of bytes. New accesses use them, so that few cycles allocate any.
    spare: Vec<(Vec<Part>, Vec<Range>)>,
}

/// First byte and size of each chunk of a copy.
fn chunks(bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..bytes).step_by(CHUNK).map(move |at| (at, (bytes - at).min(CHUNK as u64) as usize))
}

impl Memory {
    pub fn new(fresh: Fresh, overlap: Overlap) -> Memory {
        let overlap = RefCell::new(overlap);
        let (banks, allocations) = (Banks::new(fresh), BTreeMap::new());
        let grid_barriers = GridBarriers::default();
        Memory {
            fresh,
            banks,
            allocations,
            overlap,
            grid_barriers,
            heap: Heap::default(),
            origins: Origins::default(),
            unset: UnsetVariables::default(),
            unknown_stores: 0,
            changes: 0,
            writers: None,
            spare: vec![],
        }
    }

    /// Enables the record of last stores.
    pub fn keep_writers(&mut self) {
        self.writers = Some(HashMap::new());
    }

    /// Empty lists for the parts of an access, and for the ranges of its bytes.
    pub fn lists(&mut self) -> (Vec<Part>, Vec<Range>) {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps the lists of a performed access for [`Memory::lists`].
    pub fn recycle(&mut self, Access { parts, touched, .. }: Access) {
        self.keep(parts, touched);
    }

    fn keep(&mut self, mut parts: Vec<Part>, mut touched: Vec<Range>) {
        // The pieces of a bulk copy return more lists than were taken.
        if self.spare.len() < MOST_SPARE {
            parts.clear();
            touched.clear();
            self.spare.push((parts, touched));
        }
    }

    /// Records the issue of an instruction that stores.
    pub fn written_by(&mut self, access: &Access, writer: Writer) {
        self.grid_barriers.issued(access, writer);
        let Some(writers) = &mut self.writers else { return };
        for (bank, first, end) in access.ranges().into_iter().filter(|(_, _, end)| *end != u64::MAX) {
            (first / WORD..end.div_ceil(WORD)).for_each(|word| _ = writers.insert((bank, word), writer));
        }
    }

    /// The last store to the word that contains byte `address`.
    pub fn last_writer(&self, bank: Bank, address: u64) -> Option<Writer> {
        self.writers.as_ref()?.get(&(bank, address / WORD)).copied()
    }

    /// The last stores to all words of the variable or buffer that contains an address.
    pub fn writers_beside(&self, address: u64) -> Vec<Writer> {
        let Some((first, (bytes, _))) = self.allocations.range(..=address).next_back() else { return vec![] };
        let is_in = |(bank, word): &(Bank, u64)| *bank == Bank::Global && (*first..first + bytes).contains(&(word * WORD));
        let all = self.writers.iter().flatten().filter(|(key, _)| is_in(key));
        let mut found: Vec<Writer> = all.map(|(_, writer)| *writer).collect();
        found.sort_by_key(|writer| (writer.cycle, writer.cta, writer.warp));
        found
    }

    /// The name of the variable or buffer in global memory that contains byte `address`, and the offset of the byte in it.
    pub fn located(&self, address: u64) -> Option<(&str, u64)> {
        let (first, (bytes, name)) = self.allocations.range(..=address).next_back()?;
        let inside = address - first;
        (inside < *bytes).then_some((name.as_str(), inside))
    }

    /// As [`Memory::located`], as a text.
    pub fn name(&self, address: u64) -> Option<String> {
        let (name, inside) = self.located(address)?;
        Some(if inside == 0 { name.to_string() } else { format!("{name}+{inside}") })
    }

    /// Places a variable or buffer in global memory.
    pub fn allocate(&mut self, variable: &Variable) {
        self.allocations.insert(variable.address, (variable.bytes.len() as u64, variable.name.clone()));
        self.unset.keep(variable);
        self.heap.keep(variable);
        self.bank(Bank::Global).place(variable.address, &variable.bytes);
    }

    /// Makes a range of the shared memory of a CTA 0 before the run.
    pub fn clear_shared(&mut self, cta: usize, range: std::ops::Range<u64>) {
        let image = Image::zeroed((range.end - range.start) as usize);
        self.bank(Bank::Shared(cta)).place(range.start, &image);
    }

    /// Records that a lane uses bytes of global memory. If a CTA should have waited for another grid before a use, and has not, returns
    /// that use and the name of the variable or buffer. The returned use is this use, or one recorded earlier.
    pub fn uses(&self, user: User, address: u64, bytes: u64, how: Use) -> Option<(Unordered, &str)> {
        let unordered = self.overlap.borrow_mut().uses(user, address..address.saturating_add(bytes), how)?;
        let name = self.allocations.range(..=address).next_back().map_or("", |(_, (_, name))| name.as_str());
        Some((unordered, name))
    }

    /// Whether grid `grid` may run while the previous grid runs.
    pub fn overlaps(&self, grid: usize) -> bool {
        grid > 0 && self.overlap.borrow().overlap(grid - 1, grid)
    }

    /// Variables and buffers with their current contents.
    pub fn variables(&self) -> Vec<Variable> {
        let global = self.banks.get(Bank::Global);
        let bytes =
            |address: u64, bytes: usize| global.map_or_else(|| Image::unknown(bytes), |global| global.image(address, bytes));
        let variable = |(address, (size, name)): (&u64, &(u64, String))| Variable {
            name: name.clone(),
            address: *address,
            bytes: bytes(*address, *size as usize),
            unset: self.unset.space(*address, global),
        };
        self.allocations.iter().map(variable).collect()
    }

    /// If stores are recorded, records the reads of an issued access in variables without contents. `reader` is its CTA and its warp, and
    /// `place` its location.
    pub fn reads_unset(&mut self, access: &Access, reader: (usize, usize), place: impl Fn() -> Place) {
        if self.writers.is_some() {
            self.unset.reads(access, reader, place);
        }
    }

    /// The first read of each variable that has no contents at the end of the run either.
    pub fn unset_reads(&self) -> Vec<UnsetRead> {
        self.unset.found(self.banks.get(Bank::Global))
    }

    /// Variables and buffers with stored bytes that are unknown: first byte, size, name, and the number of unknown bytes.
    pub fn unknown_stored(&self) -> Vec<(u64, u64, &str, u64)> {
        let Some(global) = self.banks.get(Bank::Global) else { return vec![] };
        let all = self
            .allocations
            .iter()
            .map(|(first, (size, name))| (*first, *size, name.as_str(), global.unknown_stored(*first, *size)));
        // A block of the heap is no output.
        all.filter(|(first, .., unknown)| *unknown > 0 && !is_in_heap(*first)).collect()
    }

    /// Makes the local memory of a lane unknown, after a store that may have gone anywhere in it.
    pub fn forget_local(&mut self, warp: usize, lane: usize) {
        self.changes += 1;
        self.bank(Bank::Local(warp, lane)).forget();
    }

    fn bank(&mut self, bank: Bank) -> &mut Bytes {
        self.banks.get_mut(bank)
    }

    /// The value of `bytes` bytes, read without an access: in the local memory of a lane, or in any memory for inspection.
    pub fn read(&self, bank: Bank, address: u64, bytes: usize) -> Option<u64> {
        match self.banks.get(bank) {
            Some(held) => held.number(address, bytes),
            None => Bytes::new(self.fresh).number(address, bytes),
        }
    }

    /// As [`Memory::read`], with the known bits of the value.
    pub fn read_partial(&self, bank: Bank, address: u64, bytes: usize) -> Partial {
        match self.banks.get(bank) {
            Some(held) => held.partial(address, bytes),
            None => Bytes::new(self.fresh).partial(address, bytes),
        }
    }

    /// The bytes of chunks of `bytes` bytes at these addresses, read without an access.
    pub fn chunks(&self, bank: Bank, addresses: &[u64], bytes: usize) -> Vec<Option<u8>> {
        let mut found = Vec::with_capacity(addresses.len() * bytes);
        let fresh = Bytes::new(self.fresh);
        let held = self.banks.get(bank).unwrap_or(&fresh);
        addresses.iter().for_each(|address| held.read(*address, bytes, &mut found));
        found
    }

    /// Performs a write that the unit requests in shared memory.
    pub fn write(&mut self, bank: Bank, address: u64, bytes: usize, value: u64) {
        self.changes += 1;
        self.bank(bank).store(address, bytes, Some(value));
    }

    /// Copies bytes within the local memory of a lane, for the arguments and results of calls.
    pub fn copy(&mut self, bank: Bank, from: u64, to: u64, bytes: u64) {
        self.origins.copy(bank, from, to, bytes);
        let bank = self.bank(bank);
        for (at, length) in chunks(bytes) {
            let held = bank.range(from.wrapping_add(at), length);
            bank.set_range(to.wrapping_add(at), &held);
        }
        bank.copy_bits(from, to, bytes);
    }

    /// Makes `bytes` bytes from `at` on unknown.
    pub fn unknown(&mut self, bank: Bank, at: u64, bytes: u64) {
        let bank = self.bank(bank);
        chunks(bytes).for_each(|(from, length)| _ = bank.set_range(at.wrapping_add(from), &[None; CHUNK][..length]));
    }

    /// Frees the local memory of the lanes of a warp that has exited.
    pub fn ended(&mut self, warp: usize) {
        self.banks.free_local(warp);
    }

    /// Every stored word with a known value and an address below 4 GiB.
    pub fn words(&self) -> Vec<Word> {
        let of_bank = |(cta, bytes): (Option<usize>, &Bytes)| {
            bytes.words().into_iter().map(move |(address, value)| Word { cta, address, value })
        };
        self.banks.global_and_shared().flat_map(of_bank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_were_not_taken_are_kept_up_to_a_bound() {
        let mut memory = Memory::new(Fresh::Unknown, Overlap::new(vec![]));
        (0..10 * MOST_SPARE).for_each(|_| memory.keep(vec![], vec![(Bank::Global, 0, 4)]));
        assert_eq!((memory.spare.len(), memory.lists().1.len()), (MOST_SPARE, 0));
    }
}
