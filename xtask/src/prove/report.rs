// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a run of proofs as text: a table with a row for each proof, and a summary.

use super::job::Job;
use super::record::Done;
use bcu_shard::Shard;
use std::collections::BTreeMap;

/// The jobs of a run with their results; `None`: a job could not be run, or was not run.
pub struct Report<'a>(Vec<(&'a Job<'a>, Option<&'a Done>)>);

impl<'a> Report<'a> {
    pub fn new(jobs: &[&'a Job<'a>], done: &'a [Done]) -> Report<'a> {
        let by_name: BTreeMap<&str, &Done> = done.iter().map(|done| (done.name.as_str(), done)).collect();
        Report(jobs.iter().map(|job| (*job, by_name.get(job.name.as_str()).copied())).collect())
    }

    /// The printed text of each job. `shard_of` returns the shard of the job at a position; it is called for the jobs without a result.
    pub fn lines(&self, shard_of: impl Fn(usize) -> Shard) -> Vec<String> {
        let line = |(position, (job, done)): (usize, &(&Job, Option<&Done>))| match done {
            Some(done) => done.line.clone(),
            None => format!("??   {}: no result of shard {}", job.name, shard_of(position)),
        };
        self.0.iter().enumerate().map(line).collect()
    }

    /// The positions of the jobs without a result.
    pub fn missing(&self) -> Vec<usize> {
        self.0.iter().enumerate().filter(|(_, (_, done))| done.is_none()).map(|(position, _)| position).collect()
    }

    pub fn failed(&self) -> usize {
        self.0.iter().filter(|(_, done)| done.is_some_and(|done| !done.good)).count()
    }

    /// The table and, in the last line, the summary. The seconds are those of the jobs, which run in parallel.
    pub fn text(&self) -> String {
        let mut text = format!("{:<20} {:>9} {:>9} {:>9}\n", "proof", "tasks", "mutants", "seconds");
        let mut names: Vec<&str> = self.0.iter().map(|(job, _)| job.proof.name.as_str()).collect();
        names.dedup();
        for name in names {
            let of_proof = || self.0.iter().filter(|(job, _)| job.proof.name == name);
            let count = |mutants: bool| {
                let counted: Vec<bool> = of_proof()
                    .filter(|(job, _)| job.mutant.is_some() == mutants)
                    .map(|(_, done)| done.is_some_and(|done| done.good))
                    .collect();
                format!("{} of {}", counted.iter().filter(|good| **good).count(), counted.len())
            };
            let seconds = seconds(of_proof());
            text += &format!("{name:<20} {:>9} {:>9} {seconds:>9.0}\n", count(false), count(true));
        }
        let seconds = seconds(self.0.iter());
        let (failed, missing) = (self.failed(), self.missing().len());
        text + &format!("prove: {} tasks, {failed} failed, {missing} not run, {seconds:.0} s in all tasks", self.0.len())
    }
}

/// The total time of the jobs in seconds. The fold starts at 0, because `sum` of no numbers is -0,
/// which is printed as `-0`.
fn seconds<'a>(jobs: impl Iterator<Item = &'a (&'a Job<'a>, Option<&'a Done>)>) -> f64 {
    jobs.filter_map(|(_, done)| *done).fold(0.0, |seconds, done| seconds + done.seconds)
}
