// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of the planted bugs: in how many schedules a plain check and an exploration find each.

use super::check::{repeat, Checked, Checker, MACHINE};
use super::page::{count, names, NONE};
use anyhow::{Context, Result};
use bcu_tb::kernels::missing;
use std::ops::Range;

/// The checks of a bug, from each schedule.
pub struct Bug {
    pub name: String,
    file: String,
    attempts: Vec<Attempt>,
}

/// The checks from one schedule; `None` for one that did not end within the limit.
struct Attempt {
    options: Vec<String>,
    exploration_options: Vec<String>,
    plain: Option<Checked>,
    explored: Option<Checked>,
    /// Whether the plain check has all findings that the launch file lists.
    has_listed: bool,
}

impl Bug {
    /// Checks the launch file of a bug on the default machine and in the random schedules of `seeds`, each also with an exploration.
    ///
    /// # Errors
    /// As [`Checker::check`], or if the file cannot be read.
    pub fn new(checker: &Checker, (name, file): (&str, &str), schedules: u32, seeds: Range<u64>) -> Result<Bug> {
        let text = std::fs::read_to_string(checker.root.join(file)).with_context(|| format!("cannot read {file}"))?;
        let random = seeds.map(|seed| ["--machine", MACHINE, "--seed", &seed.to_string()].map(str::to_string).to_vec());
        let attempts = std::iter::once(vec![]).chain(random).map(|options| {
            let exploration_options = [&options[..], &["--schedules".to_string(), schedules.to_string()]].concat();
            let plain = checker.check(file, &options)?;
            let explored = checker.check(file, &exploration_options)?;
            let has_listed = plain.as_ref().is_some_and(|checked| missing(&text, &checked.report.found()).is_empty());
            Ok(Attempt { options, exploration_options, plain, explored, has_listed })
        });
        let attempts = attempts.collect::<Result<_>>()?;
        Ok(Bug { name: name.to_string(), file: file.to_string(), attempts })
    }

    /// What the command fails for: a schedule from which the bug is not found, or another outcome of a launch that is proved.
    pub fn failures(&self) -> Vec<String> {
        let missed = self.attempts.iter().filter(|attempt| !attempt.has_listed && !attempt.has_error_explored());
        let missed = missed.map(|attempt| repeat(&self.file, &attempt.exploration_options));
        let mut failures: Vec<String> =
            missed.map(|command| format!("{}: not found, even in other orders: `{command}`", self.name)).collect();
        if self.count(Attempt::is_proved) > 0 {
            let differ = |attempt: &&Attempt| attempt.fails() != self.attempts[0].fails();
            let other = self.attempts.iter().find(differ).map(|attempt| repeat(&self.file, &attempt.options));
            failures.extend(other.map(|command| format!("{}: proved, but another outcome: `{command}`", self.name)));
        }
        failures
    }

    fn count(&self, is: impl Fn(&Attempt) -> bool) -> usize {
        count(&self.attempts, is)
    }

    fn is_in_all(&self, is: impl Fn(&Attempt) -> bool) -> bool {
        self.count(is) == self.attempts.len()
    }

    fn late(&self) -> usize {
        self.count(|attempt| attempt.explored.is_none())
    }

    /// Whether schedules differ in the listed findings, in whether the run fails, or in their results. `no` only if a run proves it.
    fn depends(&self) -> &'static str {
        let is_mixed = |found: usize| found > 0 && found < self.attempts.len();
        let has_results = self.attempts.iter().filter_map(Attempt::results).any(|results| results > 1);
        if !self.is_in_all(|attempt| attempt.has_listed) || is_mixed(self.count(Attempt::fails)) || has_results {
            "yes"
        } else if self.count(Attempt::is_proved) > 0 {
            "no"
        } else {
            "not seen"
        }
    }
}

impl Attempt {
    fn has_error(&self) -> bool {
        self.plain.as_ref().is_some_and(|checked| checked.report.errors > 0)
    }

    fn has_error_explored(&self) -> bool {
        self.explored.as_ref().is_some_and(|checked| checked.report.errors > 0)
    }

    fn is_proved(&self) -> bool {
        self.plain.as_ref().is_some_and(|checked| checked.report.is_proved())
    }

    fn fails(&self) -> bool {
        self.plain.as_ref().is_some_and(|checked| checked.report.run_fails())
    }

    /// The number of different results of the exploration.
    fn results(&self) -> Option<usize> {
        Some(self.explored.as_ref()?.report.explored()?.results)
    }
}

/// A sentence with the main figures, and the table.
pub fn markdown(bugs: &[Bug], limit: u64) -> String {
    let schedules = bugs.first().map_or(0, |bug| bug.attempts.len());
    let listed = count(bugs, |bug| bug.is_in_all(|attempt| attempt.has_listed));
    let found = count(bugs, |bug| bug.is_in_all(|attempt| attempt.has_listed || attempt.has_error_explored()));
    let depends = |answer| count(bugs, |bug| bug.depends() == answer);
    let silent = count(bugs, |bug| !bug.is_in_all(Attempt::fails));
    let late = names(bugs.iter().filter(|bug| bug.late() > 0).map(|bug| &bug.name));
    let mut text = format!(
        "A plain check reports the listed findings of {listed} of {} bugs in each of {schedules} schedules; with exploration {found} are found \
         from each. {} depend on the schedule, {} are proved not to. The runs of {silent} complete with the expected buffers in some or all of the {schedules} \
         schedules: only a check shows the bug there. Explorations not ended in {limit} s: {late}.\n\n",
        bugs.len(),
        depends("yes"),
        depends("no"),
    );
    text += "| bug | the run fails | check: listed findings | any error | with exploration | verdict | results | depends on the schedule |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for bug in bugs {
        let of = |found: usize| format!("{found} of {schedules}");
        let late = match bug.late() {
            0 => String::new(),
            late => format!(", {late} not in {limit} s"),
        };
        let verdict = match bug.count(Attempt::is_proved) {
            0 => "not proved".to_string(),
            proved if proved == schedules => "every schedule".to_string(),
            proved => format!("every schedule in {}", of(proved)),
        };
        text += &format!(
            "| `{}` | {} | {} | {} | {}{late} | {verdict} | {} | {} |\n",
            bug.name,
            of(bug.count(Attempt::fails)),
            of(bug.count(|attempt| attempt.has_listed)),
            of(bug.count(Attempt::has_error)),
            of(bug.count(Attempt::has_error_explored)),
            bug.attempts.iter().filter_map(Attempt::results).max().map_or(NONE.to_string(), |most| most.to_string()),
            bug.depends(),
        );
    }
    text
}
