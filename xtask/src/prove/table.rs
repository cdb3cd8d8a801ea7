// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `tb/proofs/proofs.toml`: the tasks of each proof, and the mutants that show that its properties can fail.

use super::channels::outgoing;
use anyhow::{bail, Context, Result};
use bcu_hw::catalog;
use bcu_hw::config;
use bcu_hw::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::units::{SEVERAL, UNITS, WHOLE};
use serde::Deserialize;
use std::ops::Range;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    proof: Vec<Proof>,
}

/// Name of the checker that is written from the port table.
pub const CHANNELS: &str = "channels";

/// The proof of one checker on one unit: `<file>.sv` with `<file>.sby`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub name: String,
    /// Stem of the .sby file if it differs from the name.
    file: Option<String>,
    /// The unit, by its name in the catalogue, or with `common` the name of a hand-written module.
    pub unit: String,
    /// The files of `verilog-out/common` that make up a hand-written unit; empty: the unit is exported.
    #[serde(default)]
    pub common: Vec<String>,
    /// A second unit that the checker connects to the first; its text is the file `beside.v`.
    #[serde(rename = "beside")]
    pub second_unit: Option<String>,
    /// Tasks of the .sby file; each name begins with the configuration and `_` ([`config_of`]).
    pub tasks: Vec<String>,
    /// The tasks that also run with `--quick`.
    pub quick: Vec<String>,
    /// The task that runs on mutants.
    pub mutant_task: String,
    #[serde(rename = "mutant")]
    pub mutants: Vec<Mutant>,
}

impl Proof {
    /// Stem of the .sby file.
    pub fn file(&self) -> &str {
        self.file.as_deref().unwrap_or(&self.name)
    }
}

/// A fault inserted into the text of the unit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    pub name: String,
    /// Text that the unit contains exactly once.
    pub find: String,
    /// The text that replaces `find` in the mutant.
    pub replace: String,
    /// Label of the property that must fail on the mutant.
    pub fails: String,
    /// The task that runs on the mutant; `None`: the proof's `mutant_task`.
    pub task: Option<String>,
    #[serde(default)]
    pub quick: bool,
    /// Whether `find` refers to the text of the second unit.
    #[serde(default, rename = "beside")]
    pub in_second_unit: bool,
    /// For a fault that a channel proof must find, in place of `find`: the channel whose `valid` the faulty unit outputs only in every
    /// other cycle.
    #[serde(skip)]
    pub falters: Option<String>,
}

/// The proofs of the table. If the table has no proof of a unit's output channels, the unit gets the standard proof.
pub fn parse(text: &str) -> Result<Vec<Proof>> {
    let mut proofs = toml::from_str::<Text>(text).context("tb/proofs/proofs.toml")?.proof;
    for unit in UNITS {
        if !proofs.iter().any(|p| p.unit == unit && p.file() == CHANNELS) {
            proofs.extend(channels(unit)?);
        }
    }
    // Proofs of channels also run at the sizes of `BCU_CONFIGS`. The whole unit is proved only at the smallest size, because its parts are
    // proved at every other size.
    for proof in proofs.iter_mut().filter(|proof| proof.file() == CHANNELS && proof.unit != WHOLE) {
        let has = |name: &&str| config::by_name(name).is_some_and(|config| config.has_unit(&proof.unit));
        let added = config::ADDED.iter().map(|(name, _)| *name).filter(has).map(|name| format!("{name}_pdr"));
        proof.tasks.extend(added.collect::<Vec<_>>());
    }
    Ok(proofs)
}

/// The smallest configuration that has the unit `unit`, and that unit.
pub fn smallest(unit: &str) -> Result<(&'static str, Box<dyn Unit>)> {
    let build = |(name, _): &(&'static str, &str)| Some((*name, catalog::build(&config::by_name(name)?, unit)?));
    bcu_isa::config::NAMED.iter().find_map(build).with_context(|| format!("no configuration has a unit `{unit}`"))
}

/// The standard proof of a unit's output channels, with a mutant for each channel; `None` if the unit has no output channel.
fn channels(unit: &str) -> Result<Option<Proof>> {
    let (config, smallest) = smallest(unit)?;
    let out = outgoing(&smallest.ports());
    // The channels of the unit with several multiprocessors are those of `bcu` and of the hubs, which have their own proofs.
    if out.is_empty() || unit == SEVERAL {
        return Ok(None);
    }
    let [quick, cover] = ["pdr", "cover"].map(|method| format!("{config}_{method}"));
    let small = config::by_name("small").is_some_and(|small| small.has_unit(unit));
    let at_small = small.then(|| "small_pdr".to_string());
    // The first mutant of each unit also runs with `--quick`.
    let mutant = |(at, channel): (usize, String)| Mutant {
        name: format!("{channel}_falters"),
        find: String::new(),
        replace: String::new(),
        fails: format!("{channel}_holds"),
        task: None,
        quick: at == 0,
        in_second_unit: false,
        falters: Some(channel),
    };
    Ok(Some(Proof {
        name: format!("{CHANNELS}_{unit}"),
        file: Some(CHANNELS.to_string()),
        unit: unit.to_string(),
        common: vec![],
        second_unit: None,
        tasks: [quick.clone(), cover].into_iter().chain(at_small).collect(),
        quick: vec![quick],
        mutant_task: format!("{config}_bmc"),
        mutants: out.into_iter().enumerate().map(mutant).collect(),
    }))
}

/// The configuration of a task: the longest configuration name with which the task begins.
pub fn config_of(task: &str) -> Option<Config> {
    let begins = |name: &&str| task.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
    config::all().map(|(name, _)| name).filter(begins).max_by_key(|name| name.len()).and_then(config::by_name)
}

/// The places in `text` of the words of `find`, with any white space between them: the width of a configuration moves the ends of lines.
fn places(text: &str, find: &str) -> Vec<Range<usize>> {
    let mut words = find.split_whitespace();
    let Some(first) = words.next() else { return vec![] };
    let words: Vec<&str> = words.collect();
    let end = |start: usize| {
        words.iter().try_fold(start + first.len(), |at, word| {
            let next = text[at..].trim_start();
            let begin = text.len() - next.len();
            (begin > at && next.starts_with(word)).then_some(begin + word.len())
        })
    };
    text.match_indices(first).filter_map(|(start, _)| Some(start..end(start)?)).collect()
}

/// The exported text with the change of `mutant`. A mutant with `falters` leaves the text
/// unchanged, because its fault is in the checker.
pub fn mutated(text: &str, mutant: &Mutant) -> Result<String> {
    if mutant.falters.is_some() {
        return Ok(text.to_string());
    }
    match &places(text, &mutant.find)[..] {
        [place] => Ok(format!("{}{}{}", &text[..place.start], mutant.replace, &text[place.end..])),
        found => bail!(
            "mutant {}: `{}` occurs {} times in the text of the unit; expected once: correct its `find` in tb/proofs/proofs.toml",
            mutant.name,
            mutant.find,
            found.len()
        ),
    }
}

/// The .sby text with `label` as the only property. So the mutant must fail this property, and
/// cannot fail an earlier one instead. A `label` with a space is the message of a structural check,
/// and leaves the text unchanged.
pub fn alone(sby: &str, label: &str) -> String {
    let rule = format!("chformal -remove -assert c:* c:{label} %d");
    let named = !label.contains(' ');
    let lines = sby.lines().map(|line| match line {
        _ if named && line.starts_with("prep -top") => format!("{line}\n{rule}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channels_of_every_unit_are_proved_whether_the_table_names_it_or_not() {
        let empty = parse("proof = []").unwrap();
        let proved = empty.iter().map(|p| p.unit.as_str()).collect::<Vec<_>>();
        let offering = UNITS.into_iter().filter(|unit| channels(unit).unwrap().is_some()).collect::<Vec<_>>();
        assert_eq!(proved, offering);
        let without: Vec<_> = UNITS.into_iter().filter(|unit| !proved.contains(unit)).collect();
        assert_eq!(without, ["warp_status", "cluster_hub", "gpu"], "they have no channel, or those of their parts");
        assert!(empty.iter().all(|p| p.file() == CHANNELS && !p.mutants.is_empty()));
        let table = "[[proof]]\nname = \"x\"\nfile = \"channels\"\nunit = \"deadlock_detector\"\ntasks = []\nquick = []\nmutant_task = \"t\"\nmutant = []\n";
        let of_detector: Vec<_> =
            parse(table).unwrap().into_iter().filter(|p| p.unit == "deadlock_detector").map(|p| p.name).collect();
        assert_eq!(of_detector, ["x"]);
    }

    #[test]
    fn only_the_named_property_is_left_to_a_mutant() {
        let sby = "[script]\nprep -top x\n\n[files]\n";
        assert!(alone(sby, "a_b").contains("prep -top x\nchformal -remove -assert c:* c:a_b %d\n"));
        assert_eq!(alone(sby, "Assertion failed: selection"), sby);
    }
}
