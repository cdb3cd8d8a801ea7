// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A mask of the bytes of a page.

/// Bytes of a page. It is a multiple of the size of every element, so that no element of a buffer is in two pages.
pub const PAGE: usize = 4096;

/// One bit for each byte of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask([u64; PAGE / 64]);

impl Mask {
    pub fn of(value: bool) -> Mask {
        Mask([if value { u64::MAX } else { 0 }; PAGE / 64])
    }

    #[inline]
    pub fn get(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Sets the bits of `bytes` bytes from `at` on.
    #[inline]
    pub fn set(&mut self, at: usize, bytes: usize, value: bool) {
        let mut set = |(word, bits): (usize, u64)| {
            let word = &mut self.0[word];
            *word = if value { *word | bits } else { *word & !bits };
        };
        match in_word(at, bytes) {
            Some(bits) => set((at / 64, bits)),
            None => words(at, bytes).for_each(set),
        }
    }

    /// Whether a bit of `bytes` bytes from `at` on is 1.
    #[inline]
    pub fn any(&self, at: usize, bytes: usize) -> bool {
        match in_word(at, bytes) {
            Some(bits) => self.0[at / 64] & bits != 0,
            None => words(at, bytes).any(|(word, bits)| self.0[word] & bits != 0),
        }
    }

    /// The number of bits of `bytes` bytes from `at` on that are 1.
    pub fn count(&self, at: usize, bytes: usize) -> u64 {
        words(at, bytes).map(|(word, bits)| u64::from((self.0[word] & bits).count_ones())).sum()
    }

    /// The number of bits of `bytes` bytes from `at` on that are 1 in both masks.
    pub fn count_both(&self, other: &Mask, at: usize, bytes: usize) -> u64 {
        words(at, bytes).map(|(word, bits)| u64::from((self.0[word] & other.0[word] & bits).count_ones())).sum()
    }
}

/// The bits of `bytes` bytes from `at` on, if they are in one word of a mask, as those of an aligned number are.
#[inline]
fn in_word(at: usize, bytes: usize) -> Option<u64> {
    (bytes > 0 && at % 64 + bytes <= 64).then(|| u64::MAX >> (64 - bytes) << (at % 64))
}

/// The words of a mask with the bits of `bytes` bytes from `at` on: index and bits.
#[inline]
fn words(at: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let (mut at, end) = (at, at + bytes);
    std::iter::from_fn(move || {
        let length = (64 - at % 64).min(end - at);
        let word = (length > 0).then(|| (at / 64, u64::MAX >> (64 - length) << (at % 64)));
        at += length;
        word
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_sets_and_counts_bits_of_several_words() {
        let mut mask = Mask::of(false);
        mask.set(62, 70, true);
        assert_eq!((mask.get(61), mask.get(62), mask.get(131), mask.get(132)), (false, true, true, false));
        assert_eq!((mask.count(0, PAGE), mask.count(100, 64), mask.any(132, PAGE - 132)), (70, 32, false));
        mask.set(64, 64, false);
        assert_eq!((mask.count(0, PAGE), mask.any(64, 64), mask.any(64, 65), mask.any(5, 0)), (6, false, true, false));
        assert_eq!(mask.count_both(&Mask::of(true), 63, 66), 2);
    }
}
