// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The jobs of `cargo xtask prove`: every task of every proof, and every mutant with its task.

use super::table::{self, Mutant, Proof};
use super::tools::Verdict;
use anyhow::{bail, Result};
use bcu_hw::config;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One run of SymbiYosys.
pub struct Job<'a> {
    pub name: String,
    pub proof: &'a Proof,
    pub task: &'a str,
    pub mutant: Option<&'a Mutant>,
    pub quick: bool,
}

/// The jobs of all proofs, in the order of the table.
pub fn jobs(table: &[Proof]) -> Vec<Job<'_>> {
    let mut list = vec![];
    for proof in table {
        for task in &proof.tasks {
            let quick = proof.quick.contains(task);
            list.push(Job { name: format!("{}/{task}", proof.name), proof, task, mutant: None, quick });
        }
        for mutant in &proof.mutants {
            let task = mutant.task.as_deref().unwrap_or(&proof.mutant_task);
            let name = format!("{}/mutant/{}", proof.name, mutant.name);
            list.push(Job { name, proof, task, mutant: Some(mutant), quick: mutant.quick });
        }
    }
    list
}

impl Job<'_> {
    /// Whether the verdict is the expected one, and the text to print.
    pub fn judge(&self, verdict: &Verdict, work: &Path) -> (bool, String) {
        let trace =
            |t: &Option<PathBuf>| t.as_ref().map_or(String::new(), |t| format!("\n     trace: {}", work.join(t).display()));
        match (self.mutant, verdict) {
            (None, Verdict::Pass) => (true, String::new()),
            (None, Verdict::Fail { what, trace: t }) => (false, format!("\n     {what}{}", trace(t))),
            (Some(m), Verdict::Fail { what, .. }) if what.contains(m.fails.as_str()) => (true, format!(": fails {}", m.fails)),
            (Some(m), Verdict::Fail { what, trace: t }) => {
                (false, format!("\n     expected the property {} to fail on the mutant; found: {what}{}", m.fails, trace(t)))
            }
            (Some(m), Verdict::Pass) => (false, format!("\n     the mutant passes: {} does not detect it", m.fails)),
        }
    }
}

/// Which jobs a run has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Names of jobs or proofs; empty: all.
    pub tasks: Vec<String>,
    /// Only the quick jobs.
    pub quick: bool,
    /// Only the jobs at configurations of `BCU_CONFIGS`.
    pub added: bool,
}

impl Choice {
    /// The chosen jobs.
    ///
    /// # Errors
    /// If a task is neither a job nor a proof.
    pub fn of<'j, 'a>(&self, jobs: &'j [Job<'a>]) -> Result<Vec<&'j Job<'a>>> {
        let has_name = |job: &Job, task: &String| *task == job.name || *task == job.proof.name;
        if let Some(task) = self.tasks.iter().find(|task| !jobs.iter().any(|job| has_name(job, task))) {
            bail!("no task or proof `{task}`: `cargo xtask prove --list` shows them");
        }
        let is_named = |job: &Job| self.tasks.is_empty() || self.tasks.iter().any(|task| has_name(job, task));
        let is_added =
            |job: &Job| table::config_of(job.task).is_some_and(|of| config::ADDED.iter().any(|(name, _)| *name == of.name));
        let is_chosen = |job: &&Job| is_named(job) && (job.quick || !self.quick) && (!self.added || is_added(job));
        Ok(jobs.iter().filter(is_chosen).collect())
    }
}
