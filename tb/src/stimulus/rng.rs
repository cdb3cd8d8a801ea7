// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The random number generator: SplitMix64. It is implemented here because a stored seed must always give the same run.

/// A stream of numbers that depends only on its seed.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Creates a stream; `purpose` enters the seed, so streams of different purposes are independent.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut rng = Rng { state: seed };
        for byte in purpose.bytes() {
            rng.state = rng.draw().wrapping_add(byte as u64);
        }
        rng
    }

    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.draw() as u128 * n as u128) >> 64) as u64
    }

    /// A number from `low` to `high`, both included; `low` if `high` is lower.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `permille` times in a thousand.
    pub fn chance(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }

    /// A random element of the list; `None` if it is empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len() as u64) as usize).copied()
    }

    /// A random set bit of `mask`; `None` if there is none.
    pub fn bit(&mut self, mask: u64) -> Option<usize> {
        let mut remaining = mask;
        for _ in 0..self.below(mask.count_ones() as u64) {
            remaining &= remaining - 1;
        }
        (mask != 0).then(|| remaining.trailing_zeros() as usize)
    }

    /// `count` random set bits of `mask`, or all its set bits if there are fewer.
    pub fn subset(&mut self, mask: u64, count: u64) -> u64 {
        let mut chosen = 0;
        for _ in 0..count {
            if let Some(bit) = self.bit(mask & !chosen) {
                chosen |= 1 << bit;
            }
        }
        chosen
    }

    /// A random part of `mask`: each set bit is included independently, with a probability of `permille` thousandths.
    pub fn sprinkle(&mut self, mask: u64, permille: u64) -> u64 {
        (0..64).filter(|b| mask >> b & 1 == 1 && self.chance(permille)).fold(0, |m, b| m | 1 << b)
    }

    /// A random entry, in proportion to the weights; `None` if all weights are 0.
    pub fn weighted<T: Copy>(&mut self, list: &[(T, u64)]) -> Option<T> {
        let mut at = self.below(list.iter().map(|(_, w)| w).sum());
        list.iter()
            .find(|(_, w)| {
                at < *w || {
                    at -= w;
                    false
                }
            })
            .map(|(t, _)| *t)
    }
}
