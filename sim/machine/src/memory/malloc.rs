// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The device functions `malloc` and `free`.

use super::bank::Bank;
use super::heap::{after, is_in_heap};
use super::Memory;
use bcu_program::launch::written;
use bcu_program::{window, Image, Variable};

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
