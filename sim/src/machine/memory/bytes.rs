// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bytes by address, each of them known or not.

use std::collections::BTreeMap;

const PAGE: u64 = 256;

#[derive(Clone, Debug)]
struct Page {
    data: [u8; PAGE as usize],
    /// One bit a byte: its value is known, and it has been stored.
    known: [u64; 4],
    stored: [u64; 4],
}

/// A memory without bounds.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Bytes {
    pages: BTreeMap<u64, Page>,
    fresh: Fresh,
}

/// What nobody has stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Fresh {
    #[default]
    Unknown,
    Zero,
    /// Bytes drawn with this seed.
    Random(u64),
}

impl Fresh {
    fn byte(self, address: u64) -> Option<u8> {
        match self {
            Fresh::Unknown => None,
            Fresh::Zero => Some(0),
            Fresh::Random(seed) => Some(fastrand::Rng::with_seed(seed ^ address.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u8(..)),
        }
    }
}

impl Bytes {
    pub fn new(fresh: Fresh) -> Bytes {
        Bytes { pages: BTreeMap::new(), fresh }
    }

    pub fn get(&self, address: u64) -> Option<u8> {
        let at = (address % PAGE) as usize;
        match self.pages.get(&(address / PAGE)) {
            Some(page) => (page.known[at / 64] >> (at % 64) & 1 == 1).then(|| page.data[at]),
            None => self.fresh.byte(address),
        }
    }

    /// `None` is a value that nobody knows.
    pub fn set(&mut self, address: u64, value: Option<u8>) {
        self.put(address, value, true);
    }

    /// What the byte holds before the run.
    pub fn preset(&mut self, address: u64, value: Option<u8>) {
        self.put(address, value, false);
    }

    fn put(&mut self, address: u64, value: Option<u8>, stored: bool) {
        let fresh = self.fresh;
        let known = if fresh == Fresh::Unknown { [0; 4] } else { [u64::MAX; 4] };
        let first = address / PAGE * PAGE;
        let data = || std::array::from_fn(|at| fresh.byte(first + at as u64).unwrap_or(0));
        let fresh = || Page { data: data(), known, stored: [0; 4] };
        let page = self.pages.entry(address / PAGE).or_insert_with(fresh);
        let at = (address % PAGE) as usize;
        let bit = 1 << (at % 64);
        match value {
            Some(value) => {
                page.data[at] = value;
                page.known[at / 64] |= bit;
            }
            None => page.known[at / 64] &= !bit,
        }
        if stored {
            page.stored[at / 64] |= bit;
        }
    }

    /// The bytes from here on as one number, the lowest first; `None` if one of them is unknown.
    pub fn number(&self, address: u64, bytes: usize) -> Option<u64> {
        (0..bytes as u64).try_fold(0, |number, i| Some(number | u64::from(self.get(address.wrapping_add(i))?) << (8 * i)))
    }

    pub fn store(&mut self, address: u64, bytes: usize, value: Option<u64>) {
        for i in 0..bytes as u64 {
            self.set(address.wrapping_add(i), value.map(|value| (value >> (8 * i)) as u8));
        }
    }

    /// Somebody has stored, nobody knows what and where.
    pub fn forget(&mut self) {
        self.pages.clear();
        self.fresh = Fresh::Unknown;
    }

    /// The words of 32 bits of which a byte was stored and all are known, with their addresses.
    pub fn words(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let addresses = self.pages.iter().flat_map(|(number, page)| {
            let stored = |at: &u64| page.stored[*at as usize / 64] >> (at % 64) & 0xf != 0;
            (0..PAGE).step_by(4).filter(stored).map(move |at| number * PAGE + at)
        });
        addresses.filter_map(|address| Some((address, self.number(address, 4)? as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_when_all_its_bytes_are() {
        let mut bytes = Bytes::new(Fresh::Unknown);
        bytes.store(0xfe, 4, Some(0x0403_0201));
        assert_eq!(
            (bytes.number(0xfe, 4), bytes.number(0xff, 2), bytes.number(0xfd, 2)),
            (Some(0x0403_0201), Some(0x302), None)
        );
        assert_eq!(bytes.words().collect::<Vec<_>>(), []);
        bytes.store(0xfc, 2, Some(0));
        assert_eq!(bytes.words().collect::<Vec<_>>(), [(0xfc, 0x0201_0000)]);
        bytes.store(0xfc, 1, None);
        assert_eq!(bytes.words().count(), 0);
        let mut zeroed = Bytes::new(Fresh::Zero);
        assert_eq!(zeroed.number(1 << 40, 8), Some(0));
        zeroed.forget();
        assert_eq!(zeroed.get(0), None);
    }
}
