// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A campaign. First the regression runs on every mutant, with at most its default number of cycles.
//! Then the survivors are checked for equivalence. Survivors that are not proved equivalent run
//! further cycles. Every result is recorded immediately, so that an interrupted campaign can resume.

use super::equal::{Answer, Prover};
use super::memo::Memo;
use super::netlist::Mutant;
use super::regression::{top_of, Kill, Regression, Stage};
use anyhow::{Context, Result};
use bcu_isa::units::UNITS;
use bcu_tb::lockstep::units::EPISODE;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The result of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Killed(Kill),
    Survived(Answer),
}

/// Called with each mutant and its fate, from any thread. An error ends the campaign.
pub type Finished<'a> = dyn Fn(&Mutant, Fate) -> Result<()> + Sync + 'a;

pub struct Campaign<'a> {
    regression: Regression<'a>,
    prover: Prover<'a>,
    kills: Memo<Kill>,
    /// Lists of stages that mutants have survived. A key is the id of a mutant, a space and the
    /// stages as text.
    passed: Memo<()>,
    answers: Memo<Answer>,
    /// Modules of the exported units.
    units: Vec<String>,
    /// The outermost module in which equivalence is checked; `None`: the exported unit around the
    /// mutant.
    within: Option<String>,
}

/// The stages of the regression before the equivalence check, and those after it. A mutant that is
/// killed early needs neither the check nor the long runs, and an equivalent mutant does not need
/// the long runs.
pub fn stages(cycles: usize) -> [Vec<Stage>; 2] {
    let [short, usual] = [2 * EPISODE, 20 * EPISODE].map(|most| most.min(cycles));
    let spans =
        |list: &[Stage]| list.iter().copied().filter(|s| !matches!(s, Stage::Lockstep(from, to) if from == to)).collect();
    [
        spans(&[Stage::Lockstep(0, short), Stage::Scenarios, Stage::Lockstep(short, usual)]),
        spans(&[Stage::Lockstep(usual, cycles)]),
    ]
}

impl<'a> Campaign<'a> {
    /// Creates a campaign. `folder` has the results of earlier runs, and must be used for this
    /// netlist alone.
    pub fn new(regression: Regression<'a>, prover: Prover<'a>, within: Option<String>, folder: &Path) -> Result<Campaign<'a>> {
        // Kills depend on this program, which contains stimulus, model and scenarios. Answers about equivalence do not depend on it.
        let program = hash(&fs::read(std::env::current_exe()?).context("cannot read this program")?);
        Ok(Campaign {
            kills: Memo::open(&folder.join(format!("kills-{program}.jsonl")))?,
            passed: Memo::open(&folder.join(format!("passed-{program}.jsonl")))?,
            answers: Memo::open(&folder.join(format!("answers-{}.jsonl", hash(&(prover.method(), &within)))))?,
            units: UNITS.iter().map(|unit| top_of(unit)).collect(),
            regression,
            prover,
            within,
        })
    }

    /// The mutants that the unit's exported testbench does not find.
    pub fn missed_by_bench<'m>(&self, mutants: &[&'m Mutant]) -> Result<Vec<&'m Mutant>> {
        self.regression.missed_by_bench(mutants)
    }

    /// Determines the fate of each chosen mutant, and calls `finished` as soon as it is known, in no particular order. Results of earlier
    /// runs are reused.
    pub fn run(&self, chosen: &[&Mutant], stages: &[Vec<Stage>; 2], finished: &Finished) -> Result<()> {
        let surviving = self.survive(chosen, &stages[0], finished)?;
        let answers: Vec<Answer> = surviving.par_iter().map(|m| self.answer(m)).collect::<Result<_>>()?;
        let mut unequal = vec![];
        for (mutant, answer) in surviving.into_iter().zip(answers) {
            match answer {
                Answer::Equal(_) => finished(mutant, Fate::Survived(answer))?,
                _ => unequal.push((mutant, answer)),
            }
        }
        let mutants: Vec<&Mutant> = unequal.iter().map(|(mutant, _)| *mutant).collect();
        let surviving: BTreeSet<&str> =
            self.survive(&mutants, &stages[1], finished)?.into_iter().map(|mutant| mutant.id.as_str()).collect();
        for (mutant, answer) in unequal.into_iter().filter(|(mutant, _)| surviving.contains(mutant.id.as_str())) {
            finished(mutant, Fate::Survived(answer))?;
        }
        Ok(())
    }

    /// Runs the stages for mutants that have no earlier result. Returns the mutants that survive,
    /// and passes the others to `finished`.
    fn survive<'m>(&self, mutants: &[&'m Mutant], stages: &[Stage], finished: &Finished) -> Result<Vec<&'m Mutant>> {
        let name = format!("{stages:?}");
        let most = stages.iter().map(|s| if let Stage::Lockstep(_, to) = s { *to } else { 0 }).max().unwrap_or(0);
        // A kill recorded by a longer campaign does not count if it took more cycles than these
        // stages run.
        let kill = |m: &Mutant| self.kills.get(&m.id).filter(|kill| kill.cycles <= most);
        let mut new = vec![];
        for mutant in mutants {
            match kill(mutant) {
                Some(kill) => finished(mutant, Fate::Killed(kill))?,
                None if self.passed.get(&format!("{} {name}", mutant.id)).is_some() => (),
                None => new.push(*mutant),
            }
        }
        self.regression.run(&new, stages, &|mutant, kill| {
            self.kills.add(&mutant.id, kill.clone())?;
            finished(mutant, Fate::Killed(kill))
        })?;
        let is_alive = |m: &&Mutant| kill(m).is_none();
        for mutant in new.iter().copied().filter(is_alive) {
            self.passed.add(&format!("{} {name}", mutant.id), ())?;
        }
        Ok(mutants.iter().copied().filter(is_alive).collect())
    }

    fn answer(&self, mutant: &Mutant) -> Result<Answer> {
        if let Some(answer) = self.answers.get(&mutant.id) {
            return Ok(answer);
        }
        let netlist = self.regression.netlist;
        let mut scopes = netlist.around(&mutant.module, &self.units);
        if let Some(within) = &self.within {
            let inside = netlist.below(within);
            scopes.retain(|scope| *scope == mutant.module || inside.contains(scope));
        }
        let answer = self.prover.ask(mutant, &scopes)?;
        self.answers.add(&mutant.id, answer.clone())?;
        println!("mutate: {} survived so far: {answer:?}", mutant.id);
        Ok(answer)
    }
}

/// A short hash of `what`; equal values have equal hashes.
pub fn hash(what: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
