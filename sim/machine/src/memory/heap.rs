// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The heap of device functions `malloc` and `free`: blocks at ascending addresses of a window of global memory. The address of a freed block
//! is not used again, so an access to it is an access outside of all memory.

use bcu_program::launch::written;
use bcu_program::{window, Variable};
use std::collections::BTreeMap;

/// The alignment of blocks, and the smallest distance of two blocks, in bytes.
const ALIGN: u64 = 16;

/// The blocks of the heap. Those that are not freed are variables of global memory.
#[derive(Debug)]
pub(super) struct Heap {
    pub(super) next: u64,
    /// The bytes of all blocks that are not freed.
    pub(super) used: u64,
    pub(super) blocks: u64,
    /// By first byte, the bytes and the name of each freed block.
    pub(super) freed: BTreeMap<u64, (u64, String)>,
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
pub(super) fn after(address: u64, bytes: u64) -> u64 {
    (address + bytes).next_multiple_of(ALIGN) + ALIGN
}
