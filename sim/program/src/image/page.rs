// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A page of memory: bytes, and a mask only if some of them are unknown.

use super::mask::{Mask, PAGE};

/// The bytes of a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// An unknown byte is 0.
    data: [u8; PAGE],
    unknown: Option<Box<Mask>>,
}

impl Page {
    /// A page of zeros.
    pub fn zeroed() -> Page {
        Page { data: [0; PAGE], unknown: None }
    }

    /// A page whose first `bytes` bytes are unknown; the others are 0.
    pub fn unknown(bytes: usize) -> Page {
        let mut mask = Box::new(Mask::of(false));
        mask.set(0, bytes, true);
        Page { data: [0; PAGE], unknown: Some(mask) }
    }

    /// All bytes; an unknown byte is 0.
    #[inline]
    pub fn data(&self) -> &[u8; PAGE] {
        &self.data
    }

    /// All bytes, to be written before the page has unknown bytes.
    pub(super) fn data_mut(&mut self) -> &mut [u8; PAGE] {
        &mut self.data
    }

    /// The mask of the unknown bytes; `None`: all bytes are known.
    #[inline]
    pub fn unknown_mask(&self) -> Option<&Mask> {
        self.unknown.as_deref()
    }

    #[inline]
    pub fn is_known(&self, at: usize, bytes: usize) -> bool {
        self.unknown.as_ref().is_none_or(|unknown| !unknown.any(at, bytes))
    }

    /// The value of a byte; `None` if it is unknown.
    #[inline]
    pub fn get(&self, at: usize) -> Option<u8> {
        self.is_known(at, 1).then(|| self.data[at])
    }

    /// The bytes from `at` on, if all are known.
    #[inline]
    pub fn known(&self, at: usize, bytes: usize) -> Option<&[u8]> {
        self.is_known(at, bytes).then(|| &self.data[at..at + bytes])
    }

    /// Sets a byte; `None` is an unknown value. Returns whether the value may have changed, which is the case if the old or the new value is
    /// unknown.
    #[inline]
    pub fn set(&mut self, at: usize, value: Option<u8>) -> bool {
        let before = self.get(at);
        self.data[at] = value.unwrap_or(0);
        match (&mut self.unknown, value) {
            (Some(unknown), value) => unknown.set(at, 1, value.is_none()),
            (None, Some(_)) => {}
            (None, None) => self.unknown.insert(Box::new(Mask::of(false))).set(at, 1, true),
        }
        before.is_none() || before != value
    }

    /// The number in at most 8 bytes from `at` on, lowest byte first; `None` if one of the bytes is unknown.
    #[inline]
    pub fn number(&self, at: usize, bytes: usize) -> Option<u64> {
        let known = self.known(at, bytes)?;
        Some(match *known {
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
            _ => known.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        })
    }

    /// Stores a number in at most 8 bytes from `at` on, lowest byte first. Returns whether the value may have changed.
    #[inline]
    pub fn store(&mut self, at: usize, bytes: usize, value: u64) -> bool {
        let mut is_change = false;
        if let Some(unknown) = &mut self.unknown {
            is_change = unknown.any(at, bytes);
            unknown.set(at, bytes, false);
        }
        let value = value.to_le_bytes();
        let held = &mut self.data[at..at + bytes];
        // A word has a case of its own, because a copy of constant length needs no call.
        if let [a, b, c, d] = held {
            let new = [value[0], value[1], value[2], value[3]];
            is_change |= [*a, *b, *c, *d] != new;
            [*a, *b, *c, *d] = new;
        } else {
            is_change |= *held != value[..bytes];
            held.copy_from_slice(&value[..bytes]);
        }
        is_change
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        let same_mask = match (&self.unknown, &other.unknown) {
            (Some(mask), Some(other)) => mask == other,
            (Some(mask), None) | (None, Some(mask)) => !mask.any(0, PAGE),
            (None, None) => true,
        };
        self.data == other.data && same_mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_mask_only_after_an_unknown_byte() {
        let mut page = Page::zeroed();
        assert!(page.store(PAGE - 4, 4, 0x0403_0201) && page.set(0, Some(7)) && page.unknown_mask().is_none());
        assert!(page.set(PAGE - 1, None));
        assert_eq!((page.number(PAGE - 4, 4), page.number(PAGE - 4, 3)), (None, Some(0x03_0201)));
        assert_eq!((page.data()[PAGE - 1], page.get(PAGE - 1)), (0, None), "an unknown byte is 0");
        assert_ne!(page, Page::zeroed());
        assert!(page.store(PAGE - 4, 4, 0) && page.set(0, Some(0)));
        assert_eq!(page, Page::zeroed(), "a mask without unknown bytes is as no mask");
    }

    #[test]
    fn a_store_reports_whether_the_value_may_have_changed() {
        for (at, bytes) in [(0, 4), (62, 4), (63, 8), (5, 1), (10, 2), (PAGE - 8, 8)] {
            let mut page = Page::unknown(PAGE);
            assert!(page.store(at, bytes, 0), "unknown contents may differ");
            assert!(!page.store(at, bytes, 0) && page.store(at, bytes, 1) && !page.store(at, bytes, 1));
            assert!(page.set(at, None) && page.set(at, None) && page.store(at, bytes, 1) && !page.set(at, Some(1)));
            assert_eq!((page.number(at, bytes), page.known(at, bytes).map(<[u8]>::len)), (Some(1), Some(bytes)));
            assert_eq!(page.unknown_mask().map(|unknown| unknown.count(0, PAGE)), Some((PAGE - bytes) as u64));
        }
    }
}
