// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The heap of device functions `malloc` and `free`: blocks at ascending addresses of a window of global memory. The address of a freed block
//! is not used again, so an access to it is an access outside of all memory.

use super::bank::Bank;
use super::Memory;
use bcu_program::launch::written;
use bcu_program::{window, Image, Variable};
use std::collections::BTreeMap;

/// The alignment of blocks, and the smallest distance of two blocks, in bytes.
const ALIGN: u64 = 16;

/// The blocks of the heap. Those that are not freed are variables of global memory.
#[derive(Debug)]
pub(super) struct Heap {
    next: u64,
    /// The bytes of all blocks that are not freed.
    used: u64,
    blocks: u64,
    /// By first byte, the bytes and the name of each freed block.
    freed: BTreeMap<u64, (u64, String)>,
}

impl Default for Heap {
    fn default() -> Heap {
        Heap { next: window::HEAP, used: 0, blocks: 0, freed: BTreeMap::new() }
    }
}

impl Heap {
    /// Records a block that an earlier run has left.
    pub fn keep(&mut self, variable: &Variable) {
        let bytes = variable.bytes.len() as u64;
        if is_in_heap(variable.address) {
            self.next = self.next.max(after(variable.address, bytes));
            (self.used, self.blocks) = (self.used + bytes, self.blocks + 1);
        }
    }

    /// Text about the freed block at an address; empty if there is none.
    pub fn freed_at(&self, address: u64) -> String {
        match self.freed.range(..=address).next_back().filter(|(first, (bytes, _))| address - *first < *bytes) {
            Some((first, (_, name))) => format!(", byte {} of `{}`, which has been freed", address - first, written(name)),
            None => String::new(),
        }
    }
}

/// Whether an address is in the window of the heap.
pub(in super::super) fn is_in_heap(address: u64) -> bool {
    (window::HEAP..window::HEAP + window::HEAP_WINDOW).contains(&address)
}

/// The first byte of the block after one of `bytes` bytes at `address`. At least one block of bytes between the two is in neither.
fn after(address: u64, bytes: u64) -> u64 {
    (address + bytes).next_multiple_of(ALIGN) + ALIGN
}

impl Memory {
    /// Allocates a block of `bytes` bytes, whose contents are unknown, and returns its address; 0 if the heap has no such block.
    pub fn malloc(&mut self, bytes: u64) -> u64 {
        let at = self.heap.next;
        let is_full = bytes > window::HEAP_BYTES - self.heap.used;
        if is_full || !is_in_heap(after(at, bytes)) {
            return 0;
        }
        let name = format!("malloc#{}", self.heap.blocks);
        // `keep` counts the block.
        self.allocate(&Variable::new(name, at, Image::unknown(bytes as usize)));
        at
    }

    /// Frees the block at an address.
    ///
    /// # Errors
    /// There is no block at this address; the reason.
    pub fn free(&mut self, address: u64) -> Result<(), String> {
        if address == 0 {
            return Ok(());
        }
        let block = self.allocations.get(&address).filter(|_| is_in_heap(address)).cloned();
        let Some((bytes, name)) = block else {
            let why = match self.heap.freed.get(&address) {
                Some((_, name)) => format!("frees `{}` again", written(name)),
                None => format!("frees {address:#x}, which `malloc` has not returned{}", self.heap.freed_at(address)),
            };
            return Err(why);
        };
        self.allocations.remove(&address);
        self.bank(Bank::Global).remove(address);
        self.heap.used -= bytes;
        self.heap.freed.insert(address, (bytes, name));
        Ok(())
    }
}
