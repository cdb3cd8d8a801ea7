// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One of several jobs, on one machine or on many, that share the parts of a regression.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Shard `number` of `count`, written `3/8`; numbers begin with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    pub number: usize,
    pub count: usize,
}

impl Shard {
    /// Whether the part at this place of the list of all parts belongs to the shard. Consecutive parts belong to different shards, because the
    /// parts of one test take about the same time.
    pub fn has(self, place: usize) -> bool {
        place % self.count + 1 == self.number
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("`{text}` is not a shard; expected a number and how many there are, such as `3/8`");
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        let (number, count) = (number.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
        if number == 0 || number > count {
            return Err(format!("`{text}`: there is no shard {number} of {count}; expected 1 to {count}"));
        }
        Ok(Shard { number, count })
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one_shard() {
        let shards: Vec<Shard> = (1..=8).map(|number| format!("{number}/8").parse().unwrap()).collect();
        assert!((0..100).all(|place| shards.iter().filter(|shard| shard.has(place)).count() == 1));
        assert_eq!(shards[2].to_string(), "3/8");
    }

    #[test]
    fn text_that_is_not_a_shard_is_refused() {
        for text in ["", "3", "0/8", "9/8", "a/8", "3/", "1/0", "-1/8", "1/8/2"] {
            assert!(text.parse::<Shard>().unwrap_err().contains(&format!("`{text}`")), "{text}");
        }
    }
}
