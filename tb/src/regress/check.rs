// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that recorded results are those of parts of a run. A record is a text, which may have been edited or joined from others.

use super::plan::Plan;
use super::result::Done;
use super::{parts, Part};
use crate::plain::plain;
use bcu_shard::Shard;
use std::collections::BTreeMap;

/// The parts of a run, by the names and the first cycles of their tests.
pub struct Check {
    parts: BTreeMap<String, BTreeMap<usize, Part>>,
    has_coverage: bool,
}

impl Check {
    /// The parts of all shards of the plan's run.
    pub fn new(plan: &Plan) -> Check {
        let mut by_name: BTreeMap<String, BTreeMap<usize, Part>> = BTreeMap::new();
        for part in parts(&Plan { shard: Shard::WHOLE, ..plan.clone() }) {
            by_name.entry(part.test.name.clone()).or_default().insert(part.first, part);
        }
        Check { parts: by_name, has_coverage: plan.coverage }
    }

    /// Checks the results in the record of `shard`.
    ///
    /// # Errors
    /// The position of the first result that cannot be one of this record, and the reason as a clause.
    pub fn check(&self, shard: Shard, results: &[Done]) -> Result<(), (usize, String)> {
        let mut earlier: BTreeMap<(&str, usize), &Done> = BTreeMap::new();
        for (position, done) in results.iter().enumerate() {
            let part = format!("the part of {} from cycle {}", plain(&done.name), done.first);
            self.check_one(shard, done).map_err(|why| (position, format!("{part} {why}")))?;
            match earlier.insert((done.name.as_str(), done.first), done) {
                Some(other) if Done { seconds: done.seconds, ..other.clone() } != *done => {
                    return Err((position, format!("{part} has another result in an earlier line")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_one(&self, shard: Shard, done: &Done) -> Result<(), String> {
        let test = self.parts.get(&done.name).ok_or("is of a test that the run does not have")?;
        let part = test.get(&done.first).ok_or("is not in the run: none of the test's parts begins there")?;
        if !shard.contains(part.position) {
            return Err(format!("is not in shard {shard}"));
        }
        let is_counted = self.has_coverage && part.test.has_coverage() && done.failure.is_none();
        if is_counted && done.coverage.is_none() {
            return Err("has no coverage, which the run counts".to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::runs::Run;
    use crate::coverage::{Hits, RunHits};
    use crate::regress::plan::{Engine, PART};
    use crate::scenario::text::Suite;

    const NAME: &str = "lockstep/warp_status/tiny";

    fn plan(coverage: bool) -> Plan {
        let (filter, engine, directory) = (NAME.to_string(), Engine::Compiled, std::env::temp_dir());
        let (scenarios, shard) = (Suite::compiled_in(), Shard::WHOLE);
        Plan { filter, seed: None, cycles: 3 * PART, engine, coverage, jobs: 1, shard, edited: None, scenarios, directory }
    }

    fn done(name: &str, first: usize, failure: Option<&str>) -> Done {
        let failure = failure.map(str::to_string);
        Done { name: name.to_string(), first, seed: 0, seconds: 1.0, failure, command: String::new(), coverage: None }
    }

    #[test]
    fn a_result_that_no_part_of_the_record_has_is_refused_with_its_position() {
        let refused = |coverage: bool, results: &[Done], part: &str| {
            let (position, why) = Check::new(&plan(coverage)).check("1/2".parse().unwrap(), results).unwrap_err();
            assert!(position == results.len() - 1 && why.contains(part), "{position}: {why}");
        };
        let good = done(NAME, 0, None);
        refused(false, &[good.clone(), done("lockstep/named/tiny", 0, None)], "is of a test that the run does not have");
        refused(
            false,
            &[good.clone(), done(NAME, 1, None)],
            "the part of lockstep/warp_status/tiny from cycle 1 is not in the run",
        );
        refused(false, &[good.clone(), done(NAME, 3 * PART, None)], "is not in the run");
        refused(false, &[good.clone(), done(NAME, PART, None)], "is not in shard 1/2");
        refused(false, &[good.clone(), done(NAME, 0, Some("wrong"))], "has another result in an earlier line");
        refused(false, &[done(NAME, 0, Some("wrong")), good.clone()], "has another result in an earlier line");
        refused(true, &[good], "has no coverage, which the run counts");
    }

    #[test]
    fn the_results_of_a_run_are_accepted() {
        let slower = Done { seconds: 2.0, ..done(NAME, 0, None) };
        let results = [done(NAME, 2 * PART, None), done(NAME, 0, None), slower];
        assert_eq!(Check::new(&plan(false)).check("1/2".parse().unwrap(), &results), Ok(()));
        let coverage = Some(RunHits { run: Run { seed: 0, cycles: PART as u64 }, hits: Hits::new() });
        let results = [Done { coverage, ..done(NAME, 0, None) }, done(NAME, PART, Some("wrong"))];
        assert_eq!(Check::new(&plan(true)).check(Shard::WHOLE, &results), Ok(()));
    }
}
