// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `I/N`: shard `I` of `N` of a run.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The greatest number of shards: Slurm's default limit of a job array is 1001 tasks.
const MAX_COUNT: u32 = 1000;

/// One shard of a run. Shard `I` of `N` has the parts at the positions `I - 1`, `N + I - 1`, `2N + I - 1` and so on, so that the parts of a
/// long test are spread over all shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// From 1 to `count`.
    number: u32,
    count: u32,
}

/// Why a text is not a shard.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with 1 <= I <= N <= {MAX_COUNT}, for example 3/8 for the third of eight shards")]
pub struct ShardError;

impl Shard {
    /// The whole run as one shard.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// # Errors
    /// If the number is not from 1 to `count`, or there are more shards than are supported.
    pub fn new(number: u32, count: u32) -> Result<Shard, ShardError> {
        let valid = (1..=count).contains(&number) && count <= MAX_COUNT;
        valid.then_some(Shard { number, count }).ok_or(ShardError)
    }

    /// Whether the shard has the part at this position of the run.
    pub fn contains(self, position: usize) -> bool {
        position % self.count as usize == self.number as usize - 1
    }

    /// All shards of a run that is split as this one.
    pub fn siblings(self) -> impl Iterator<Item = Shard> {
        (1..=self.count).map(move |number| Shard { number, ..self })
    }

    /// The number of shards of the run.
    pub fn count(self) -> u32 {
        self.count
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let (number, count) = text.split_once('/').ok_or(ShardError)?;
        let parsed = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain).ok_or(ShardError)
        };
        Shard::new(parsed(number)?, parsed(count)?)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shards_of_a_run_have_each_part_once() {
        let shard: Shard = "2/3".parse().unwrap();
        for position in 0..20 {
            assert_eq!(shard.siblings().filter(|shard| shard.contains(position)).count(), 1);
        }
        assert!((0..20).all(|position| Shard::WHOLE.contains(position)));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "1", "0/4", "5/4", "1/0", "+1/4", "1/1001", "1/2/3", "a/b", "4294967296/4294967296"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
        assert_eq!("8/8".parse::<Shard>().unwrap().to_string(), "8/8");
    }
}
