// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory contents by byte address; each byte has a known or an unknown value.

use std::collections::BTreeMap;

const PAGE: usize = 256;
/// The number of 64-bit words of a mask that has one bit for each byte of a page.
const MASK: usize = PAGE / 64;

#[derive(Clone, Debug)]
struct Page {
    data: [u8; PAGE],
    /// One bit per byte: `known` is 1 if the value is known, `stored` is 1 if the byte was stored.
    known: [u64; MASK],
    stored: [u64; MASK],
}

impl Page {
    fn get(&self, at: usize) -> Option<u8> {
        (self.known[at / 64] >> (at % 64) & 1 == 1).then(|| self.data[at])
    }

    /// Sets a byte. Returns whether the value may have changed, which is the case if the old or the new value is unknown.
    fn put(&mut self, at: usize, value: Option<u8>, stored: bool) -> bool {
        let before = self.get(at);
        let bit = 1 << (at % 64);
        match value {
            Some(value) => {
                self.data[at] = value;
                self.known[at / 64] |= bit;
            }
            None => self.known[at / 64] &= !bit,
        }
        if stored {
            self.stored[at / 64] |= bit;
        }
        before.is_none() || before != value
    }
}

/// A memory without bounds.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Bytes {
    pages: BTreeMap<u64, Box<Page>>,
    fresh: Fresh,
}

/// The contents of unwritten bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Fresh {
    #[default]
    Unknown,
    Zero,
    /// Random bytes, drawn with this seed.
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

/// The parts of an address range in each page: page number, first byte in the page, and number of bytes.
fn pieces(mut address: u64, mut bytes: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    std::iter::from_fn(move || {
        let at = (address % PAGE as u64) as usize;
        let length = bytes.min(PAGE - at);
        let piece = (address / PAGE as u64, at, length);
        (address, bytes) = (address.wrapping_add(length as u64), bytes - length);
        (length > 0).then_some(piece)
    })
}

/// The mask bits of `bytes` bytes from `at` on; `None` if they are in more than one word of the mask.
fn mask(at: usize, bytes: usize) -> Option<u64> {
    (bytes > 0 && at % 64 + bytes <= 64).then(|| u64::MAX >> (64 - bytes) << (at % 64))
}

impl Bytes {
    pub fn new(fresh: Fresh) -> Bytes {
        Bytes { pages: BTreeMap::new(), fresh }
    }

    pub fn get(&self, address: u64) -> Option<u8> {
        match self.pages.get(&(address / PAGE as u64)) {
            Some(page) => page.get((address % PAGE as u64) as usize),
            None => self.fresh.byte(address),
        }
    }

    /// Stores a byte; `None` is an unknown value. Returns whether the contents may have changed.
    pub fn set(&mut self, address: u64, value: Option<u8>) -> bool {
        self.page(address / PAGE as u64).put((address % PAGE as u64) as usize, value, true)
    }

    /// Sets bytes before the run; they do not count as stored.
    pub fn preset(&mut self, address: u64, values: &[Option<u8>]) {
        self.write(address, values, false);
    }

    /// The contents of `bytes` bytes from `address` on.
    pub fn range(&self, address: u64, bytes: usize) -> Vec<Option<u8>> {
        let mut found = Vec::with_capacity(bytes);
        for (number, at, length) in pieces(address, bytes) {
            match self.pages.get(&number) {
                Some(page) => found.extend((at..at + length).map(|at| page.get(at))),
                None => {
                    let first = number * PAGE as u64 + at as u64;
                    found.extend((first..first + length as u64).map(|address| self.fresh.byte(address)));
                }
            }
        }
        found
    }

    /// Stores `values` from `address` on.
    pub fn set_range(&mut self, address: u64, values: &[Option<u8>]) {
        self.write(address, values, true);
    }

    fn write(&mut self, address: u64, values: &[Option<u8>], stored: bool) {
        let mut remaining = values;
        for (number, at, length) in pieces(address, values.len()) {
            let (piece, later) = remaining.split_at(length);
            let page = self.page(number);
            piece.iter().enumerate().for_each(|(i, value)| _ = page.put(at + i, *value, stored));
            remaining = later;
        }
    }

    fn page(&mut self, number: u64) -> &mut Page {
        let fresh = self.fresh;
        self.pages.entry(number).or_insert_with(|| {
            let known = if fresh == Fresh::Unknown { [0; MASK] } else { [u64::MAX; MASK] };
            let data = match fresh {
                Fresh::Unknown | Fresh::Zero => [0; PAGE],
                Fresh::Random(_) => std::array::from_fn(|at| fresh.byte(number * PAGE as u64 + at as u64).unwrap_or(0)),
            };
            Box::new(Page { data, known, stored: [0; MASK] })
        })
    }

    /// The number in at most 8 bytes from `address` on, lowest byte first; `None` if one of the bytes is unknown.
    pub fn number(&self, address: u64, bytes: usize) -> Option<u64> {
        let at = (address % PAGE as u64) as usize;
        // Bytes in two words of the mask, or in a page that does not exist yet, are read one by
        // one.
        let page = self.pages.get(&(address / PAGE as u64));
        let (Some(mask), Some(page)) = (mask(at, bytes), page) else {
            return (0..bytes as u64)
                .try_fold(0, |number, i| Some(number | u64::from(self.get(address.wrapping_add(i))?) << (8 * i)));
        };
        if page.known[at / 64] & mask != mask {
            return None;
        }
        Some(page.data[at..at + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Stores a number, lowest byte first; `None` is an unknown value. Returns whether the contents may have changed.
    pub fn store(&mut self, address: u64, bytes: usize, value: Option<u64>) -> bool {
        let at = (address % PAGE as u64) as usize;
        match (mask(at, bytes), value) {
            (Some(mask), Some(value)) if bytes <= 8 => {
                let page = self.page(address / PAGE as u64);
                let new = &value.to_le_bytes()[..bytes];
                let is_change = page.known[at / 64] & mask != mask || page.data[at..at + bytes] != *new;
                page.data[at..at + bytes].copy_from_slice(new);
                page.known[at / 64] |= mask;
                page.stored[at / 64] |= mask;
                is_change
            }
            _ => (0..bytes as u64).fold(false, |is_change, i| {
                self.set(address.wrapping_add(i), value.map(|value| (value >> (8 * i)) as u8)) || is_change
            }),
        }
    }

    /// Makes all bytes unknown, after a store to an unknown address.
    pub fn forget(&mut self) {
        self.pages.clear();
        self.fresh = Fresh::Unknown;
    }

    /// The number of bytes in a range that were stored with an unknown value.
    pub fn unknown_stored(&self, address: u64, bytes: u64) -> u64 {
        let end = address.saturating_add(bytes);
        let pages = self.pages.range(address / PAGE as u64..end.div_ceil(PAGE as u64));
        let of_page = |(number, page): (&u64, &Box<Page>)| {
            let is_lost = |at: &usize| page.stored[at / 64] >> (at % 64) & 1 == 1 && page.get(*at).is_none();
            let is_inside = |at: &usize| (address..end).contains(&(number * PAGE as u64 + *at as u64));
            let full = (0..MASK).all(|word| page.stored[word] & !page.known[word] == 0);
            if full {
                0
            } else {
                (0..PAGE).filter(is_inside).filter(is_lost).count() as u64
            }
        };
        pages.map(of_page).sum()
    }

    /// The 32-bit words, with their addresses, of which at least one byte was stored and no byte is unknown.
    pub fn words(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let addresses = self.pages.iter().flat_map(|(number, page)| {
            let stored = |at: &u64| page.stored[*at as usize / 64] >> (at % 64) & 0xf != 0;
            (0..PAGE as u64).step_by(4).filter(stored).map(move |at| number * PAGE as u64 + at)
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
        bytes.preset(0xfe, &[Some(1), None, Some(3)]);
        assert_eq!(bytes.range(0xfd, 5), [Some(0), Some(1), None, Some(3), Some(4)]);
        bytes.set_range(u64::MAX, &[Some(5), Some(6)]);
        assert_eq!((bytes.get(u64::MAX), bytes.get(0), bytes.number(u64::MAX, 2)), (Some(5), Some(6), Some(0x605)));
        let mut zeroed = Bytes::new(Fresh::Zero);
        assert_eq!(zeroed.range(0xff, 2), [Some(0); 2]);
        assert_eq!(zeroed.number(1 << 40, 8), Some(0));
        zeroed.forget();
        assert_eq!(zeroed.get(0), None);
    }

    #[test]
    fn a_store_reports_whether_the_contents_may_have_changed() {
        // The number at 62 is in two words of the mask, and the number at 254 in two pages.
        for at in [0, 62, 254] {
            let mut bytes = Bytes::new(Fresh::Unknown);
            assert!(bytes.store(at, 4, None) && bytes.store(at, 4, Some(5)), "unknown contents may differ");
            assert!(!bytes.store(at, 4, Some(5)) && !bytes.store(at, 4, Some(1 << 32 | 5)));
            assert!(!bytes.set(at, Some(5)) && bytes.set(at, Some(6)));
            assert!(bytes.store(at, 4, Some(5)) && bytes.store(at, 2, None) && bytes.store(at, 4, Some(5)));
        }
        let mut zeroed = Bytes::new(Fresh::Zero);
        assert!(!zeroed.store(0, 8, Some(0)) && !zeroed.set(300, Some(0)) && zeroed.set(300, None));
    }
}
