// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that recorded results are those of parts of a run. A record is a text, which may have been edited or joined from others.

use crate::Shard;
use std::collections::BTreeMap;

/// The result of a part with a name.
pub trait Named {
    fn name(&self) -> &str;

    /// Whether `other`, which is a result of the same part, says the same. Times may differ.
    fn agrees_with(&self, other: &Self) -> bool;
}

/// The names of the parts of a run, each with its position; `None`: every shard has a result of it.
pub struct Names(BTreeMap<String, Option<usize>>);

impl Names {
    /// The parts of a run in their order.
    pub fn in_order<'n>(names: impl IntoIterator<Item = &'n str>) -> Names {
        Names(names.into_iter().enumerate().map(|(position, name)| (name.to_string(), Some(position))).collect())
    }

    pub fn new(names: impl IntoIterator<Item = (String, Option<usize>)>) -> Names {
        Names(names.into_iter().collect())
    }

    /// Checks the results in the record of `shard`.
    ///
    /// # Errors
    /// The position of the first result that cannot be one of this record, and the reason as a clause.
    pub fn check<D: Named>(&self, shard: Shard, results: &[D]) -> Result<(), (usize, String)> {
        let mut earlier: BTreeMap<&str, &D> = BTreeMap::new();
        for (at, done) in results.iter().enumerate() {
            let wrong = |why: String| Err((at, format!("`{}` {why}", done.name())));
            match self.0.get(done.name()) {
                None => return wrong("is not a part of the run".to_string()),
                Some(Some(position)) if !shard.contains(*position) => return wrong(format!("is not in shard {shard}")),
                Some(_) => (),
            }
            if earlier.insert(done.name(), done).is_some_and(|other| !other.agrees_with(done)) {
                return wrong("has another result in an earlier line".to_string());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part with its verdict.
    struct Part(&'static str, bool);

    impl Named for Part {
        fn name(&self) -> &str {
            self.0
        }

        fn agrees_with(&self, other: &Part) -> bool {
            self.1 == other.1
        }
    }

    #[test]
    fn only_results_of_parts_of_the_shard_are_accepted() {
        let shard: Shard = "2/2".parse().unwrap();
        let names = Names::new([("all".to_string(), None), ("a".to_string(), Some(0)), ("b".to_string(), Some(1))]);
        let check = |results: &[Part]| names.check(shard, results);
        let good = || Part("b", true);
        assert_eq!(check(&[Part("all", false), good(), Part("b", true)]), Ok(()));
        assert_eq!(check(&[good(), Part("c", true)]), Err((1, "`c` is not a part of the run".to_string())));
        assert_eq!(check(&[Part("a", true)]), Err((0, "`a` is not in shard 2/2".to_string())));
        let other = Part("b", false);
        assert_eq!(check(&[good(), other]), Err((1, "`b` has another result in an earlier line".to_string())));
        assert_eq!(Names::in_order(["a", "b"]).check(shard, &[good()]), Ok(()));
    }
}
