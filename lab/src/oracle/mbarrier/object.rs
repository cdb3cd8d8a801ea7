// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The word of an mbarrier and the effects of operations, by *The word* and *What an operation does* of `docs/contract/mbarrier.md`.

use bcu_isa::config::Config;

/// Values of `MbarrierKind`.
pub const INIT: u64 = 0;
pub const INVAL: u64 = 1;
pub const ARRIVE: u64 = 2;
pub const COMPLETE: u64 = 9;
pub const TEST_WAIT: u64 = 11;
pub const TRY_WAIT: u64 = 12;

/// Counts of arrivals, and the magnitude of the tx-count, must be below this number.
const LIMIT: i64 = 1 << 20;

/// An object, by its CTA slot and the index of its word.
pub type Key = (u64, u64);

/// The number of the cache entry of an object.
pub fn entry(config: &Config, (slot, word): Key) -> u64 {
    let bits = config.mbarrier_objects.trailing_zeros();
    let mask = (1u64 << bits) - 1;
    let reversed = (0..bits).filter(|bit| slot >> bit & 1 == 1).fold(0, |index, bit| index | 1 << (bits - 1 - bit));
    (word ^ word >> bits ^ reversed) & mask
}

/// Whether an operation of this kind has a result, which the strobe `token` outputs.
pub fn has_token(kind: u64) -> bool {
    (ARRIVE..8).contains(&kind) || kind >= TEST_WAIT
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub phase: u64,
    expected: i64,
    pending: i64,
    tx: i64,
    is_spent: bool,
    is_other_layout: bool,
}

impl Object {
    /// The object after an Init with `number` expected arrivals.
    pub fn new(number: u64) -> Object {
        let number = number as i64;
        Object { phase: 0, expected: number, pending: number, tx: 0, is_spent: false, is_other_layout: false }
    }

    pub fn from_word(word: u64) -> Object {
        let negated = |low: u32, bits: u32| -((word >> low & ((1 << bits) - 1)) as i64) & ((1 << bits) - 1);
        let tx = negated(21, 21);
        Object {
            phase: word >> 63,
            expected: negated(1, 20),
            pending: negated(43, 20),
            tx: if tx >= LIMIT { tx - 2 * LIMIT } else { tx },
            is_spent: word >> 42 & 1 == 1,
            is_other_layout: word & 1 == 1,
        }
    }

    pub fn word(&self) -> u64 {
        let negated = |number: i64, bits: u32| (-number & ((1 << bits) - 1)) as u64;
        let (expected, tx, pending) = (negated(self.expected, 20), negated(self.tx, 21), negated(self.pending, 20));
        u64::from(self.is_other_layout)
            | expected << 1
            | tx << 21
            | u64::from(self.is_spent) << 42
            | pending << 43
            | self.phase << 63
    }

    /// Applies an operation. Returns whether it completes a phase.
    ///
    /// # Errors
    /// The reason why the page refuses the operation; then the object does not change.
    pub fn apply(&mut self, kind: u64, count: u64, bytes: u64) -> Result<bool, String> {
        let (count, bytes, mut next) = (count as i64, bytes as i64, *self);
        let is_spent = self.is_spent && (self.expected, self.tx, self.pending) == (0, 0, 0);
        let is_valid = !self.is_other_layout && !self.is_spent && self.expected != 0;
        let is_wait = kind >= TEST_WAIT;
        let refused = |why: &str| Err(format!("the page refuses an operation of a legal user ({why}): kind {kind}, {self:?}"));
        if !(is_valid || is_wait && is_spent && !self.is_other_layout) {
            return refused("mbarrier_invalid");
        }
        if is_wait {
            return Ok(false);
        }
        let (drops, arrives) = ((5..8).contains(&kind), (ARRIVE..8).contains(&kind));
        match kind {
            3 | 6 | 8 => next.tx += bytes,
            COMPLETE => next.tx -= bytes,
            10 => next.pending += count,
            _ => {}
        }
        next.expected -= if drops { count } else { 0 };
        next.pending -= if arrives { count } else { 0 };
        let is_over = (next.pending, next.tx) == (0, 0);
        let can_complete = !matches!(kind, 4 | 7 | 8 | 10);
        if (arrives || kind == 10) && !(1..LIMIT).contains(&count) || next.pending >= LIMIT {
            return refused("mbarrier_count");
        }
        if next.tx.abs() >= LIMIT {
            return refused("mbarrier_tx_range");
        }
        if next.pending < 0 || arrives && self.pending == 0 {
            return refused("mbarrier_over_arrival");
        }
        if drops && (next.expected < 0 || next.expected == 0 && !(is_over && can_complete)) {
            return refused("mbarrier_drop_to_zero");
        }
        if is_over && !can_complete && kind != 10 {
            return refused("mbarrier_completes, mbarrier_expect_late");
        }
        let completes = is_over && can_complete;
        if completes {
            (next.phase, next.pending) = (1 - next.phase, next.expected);
            next.is_spent = next.expected == 0;
        }
        *self = next;
        Ok(completes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_object_that_it_was_made_from() {
        let mut object = Object::new(3);
        assert_eq!(object.word(), (LIMIT as u64 - 3) << 1 | (LIMIT as u64 - 3) << 43);
        assert_eq!(object.apply(3, 1, 5), Ok(false));
        assert_eq!(Object::from_word(object.word()), object);
        assert_eq!((object.apply(ARRIVE, 2, 0), object.phase), (Ok(false), 0));
        assert_eq!((object.apply(COMPLETE, 0, 5), object.phase), (Ok(true), 1));
        assert_eq!(Object::from_word(object.word()), object);
    }
}
