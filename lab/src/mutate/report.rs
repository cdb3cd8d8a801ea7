// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a campaign as text: a table with a row for each module, and a list of the survivors.

use super::campaign::Fate;
use super::equal::Answer;
use super::netlist::{Mutant, Netlist};
use super::regression::Kill;
use std::fmt::Write as _;

/// The marks of the page between which the results are.
pub const MARKS: (&str, &str) = ("<!-- mutation begin: written by cargo lab mutate --write -->", "<!-- mutation end -->");

/// Limits of the table's columns for kills by lockstep, in cycles: of a short run, and of the
/// default of `bcu regress`. A third column has the kills in later cycles, which only long
/// campaigns run.
const COLUMNS: [usize; 2] = [10_000, 100_000];

/// Counts of one module, or of all modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub faults: usize,
    /// The number of kills by lockstep in cycles up to the first limit of [`COLUMNS`], in later cycles up to the second limit,
    /// and after the second limit.
    pub lockstep: [usize; 3],
    pub scenario: usize,
    pub equal: usize,
    pub survivors: usize,
}

impl Row {
    pub fn killed(&self) -> usize {
        self.lockstep.iter().sum::<usize>() + self.scenario
    }

    /// The counts as one line.
    pub fn summary(&self) -> String {
        let Row { faults, equal, survivors, .. } = self;
        format!("mutate: {faults} faults, {} killed, {equal} proved equivalent, {survivors} survived", self.killed())
    }
}

/// Counts the fates of mutants.
pub fn count<'a>(fates: impl IntoIterator<Item = &'a Fate>) -> Row {
    let mut row = Row::default();
    for fate in fates {
        row.faults += 1;
        match fate {
            Fate::Killed(Kill { seed: None, .. }) => row.scenario += 1,
            Fate::Killed(kill) => row.lockstep[COLUMNS.iter().filter(|most| kill.cycles > **most).count()] += 1,
            Fate::Survived(Answer::Equal(_)) => row.equal += 1,
            Fate::Survived(_) => row.survivors += 1,
        }
    }
    row
}

/// The table, with one row per module and one row for all modules.
pub fn table(netlist: &Netlist, fates: &[(&Mutant, Fate)]) -> String {
    let mut text = "| module | cells | faults | killed by lockstep in 10,000 cycles | in 100,000 | later | by a scenario | proved equivalent | survivors |\n\
                    |---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    let mut line = |name: &str, cells: usize, row: Row| {
        let Row { faults, lockstep: [few, usual, long], scenario, equal, survivors } = row;
        let _ =
            writeln!(text, "| {name} | {cells} | {faults} | {few} | {usual} | {long} | {scenario} | {equal} | {survivors} |");
    };
    for module in netlist.modules.values() {
        let fates_of_module = fates.iter().filter(|(m, _)| m.module == module.name).map(|(_, fate)| fate);
        let row = count(fates_of_module);
        if row.faults > 0 {
            line(&format!("`{}`", module.name), module.cells, row);
        }
    }
    let cells = netlist.modules.values().map(|m| m.cells).sum();
    line("all", cells, count(fates.iter().map(|(_, fate)| fate)));
    text
}

/// A line for each survivor: the change, its location, the answer of the equivalence check, and the command that repeats the run.
pub fn survivors(fates: &[(&Mutant, Fate)], command: &str) -> String {
    let mut text = String::new();
    for (mutant, fate) in fates {
        let known = match fate {
            Fate::Survived(Answer::Differs(cycles)) => format!("inputs of {cycles} cycles make it observable"),
            Fate::Survived(Answer::Open) => "not decided whether it is observable".to_string(),
            _ => continue,
        };
        let Mutant { id, change, source, .. } = mutant;
        let _ = writeln!(text, "- `{id}`: {known}; `{change}` ({source}); repeat with `{command} --only {id}`");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fate_is_counted_once() {
        let kill = |cycles, seed| Fate::Killed(Kill { test: String::new(), seed, port: None, cycles });
        let fates = [kill(10_000, Some(1)), kill(10_001, Some(2)), kill(100_001, Some(20)), kill(0, None)];
        let rest = [Answer::Equal("m".into()), Answer::Differs(3), Answer::Open].map(Fate::Survived);
        let row = count(fates.iter().chain(&rest));
        assert_eq!(row, Row { faults: 7, lockstep: [1, 1, 1], scenario: 1, equal: 1, survivors: 2 });
        assert_eq!(row.killed() + row.equal + row.survivors, row.faults);
    }
}
