// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known bits of unknown bytes. Few programs store such bytes, as fields that do not fill a byte, so the list is mostly empty.

use bcu_program::arith::Partial;
use std::collections::HashMap;

/// By address, the bits and the mask of the known bits of a byte. A byte without an entry is known, or all its bits are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownBits(HashMap<u64, (u8, u8)>);

impl KnownBits {
    /// Removes the entries of bytes that are stored to.
    #[inline]
    pub fn remove(&mut self, address: u64, bytes: u64) {
        if self.0.is_empty() {
            return;
        }
        if bytes > self.0.len() as u64 {
            self.0.retain(|at, _| at.wrapping_sub(address) >= bytes);
        } else {
            (0..bytes).for_each(|i| _ = self.0.remove(&address.wrapping_add(i)));
        }
    }

    /// Sets the known bits of a byte to the lowest bits of a value; a byte that is known, or unknown as a whole, gets no entry.
    pub fn set(&mut self, address: u64, value: Partial) {
        let known = value.known as u8;
        if known != 0 && known != u8::MAX {
            self.0.insert(address, (value.bits as u8, known));
        }
    }

    /// Adds the known bits of unknown bytes to the number in at most 8 bytes from `address` on.
    pub fn add_to(&self, mut number: Partial, address: u64, bytes: usize) -> Partial {
        if self.0.is_empty() {
            return number;
        }
        for i in 0..bytes {
            let shift = 8 * i as u32;
            if let Some((bits, known)) = self.0.get(&address.wrapping_add(i as u64)) {
                number.bits |= u64::from(bits & known) << shift;
                number.known |= u64::from(*known) << shift;
            }
        }
        number
    }

    /// Copies the entries of bytes to other bytes, whose own entries have been removed.
    pub fn copy(&mut self, from: u64, to: u64, bytes: u64) {
        if self.0.is_empty() {
            return;
        }
        let entry = |(at, bits): (&u64, &(u8, u8))| {
            let offset = at.wrapping_sub(from);
            (offset < bytes).then(|| (to.wrapping_add(offset), *bits))
        };
        let copied: Vec<_> = self.0.iter().filter_map(entry).collect();
        self.0.extend(copied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_removes_the_bits_of_its_bytes_only() {
        let mut bits = KnownBits::default();
        (0..4).for_each(|i| bits.set(100 + i, Partial::new(0x0a05 >> i, 0x0f)));
        bits.set(104, Partial::new(7, u64::MAX));
        bits.set(105, Partial::UNKNOWN);
        assert_eq!(bits.0.len(), 4, "known and unknown bytes have no entry");
        bits.copy(101, 201, 2);
        bits.remove(101, 1);
        let unknown = Partial::from_bytes([None; 4].into_iter());
        let known = |at| bits.add_to(unknown, at, 4).known as u32;
        assert_eq!([known(100), known(200)], [0x0f0f_000f, 0x000f_0f00]);
        assert_eq!(bits.add_to(unknown, 200, 4).bits, 0x0001_0200);
        bits.remove(0, 1 << 20);
        assert!(bits.0.is_empty());
    }
}
