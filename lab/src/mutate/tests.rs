// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Campaigns on one small module. With the regression, a campaign finds every observable fault.
//! With a regression of two cycles, it lists many faults as survivors.

use super::campaign::{stages, Campaign, Fate};
use super::equal::{Answer, Prover};
use super::netlist::{Mutant, Netlist, TOP};
use super::record::{Done, Options};
use super::regression::{Regression, Stage};
use super::{finish, in_order, missing, names, report};
use bcu_hw::{config, export};
use bcu_shard::{Joined, Options as _, Record, Shard};
use clap::Parser;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xtask::shards;

const MODULE: &str = "bcu_deadlock_detector";

fn netlist(folder: &Path) -> Netlist {
    let text = export::text(&config::by_name(super::CONFIG).unwrap(), TOP).unwrap();
    Netlist::new(&text, TOP, &[MODULE.to_string()], 12, 1, folder).unwrap()
}

/// Runs a campaign with the results in `folder`, and returns the fates of the mutants.
fn play<'m>(
    netlist: &Netlist,
    folder: &Path,
    stages: &[Vec<Stage>; 2],
    mutants: &[&'m Mutant],
    known: Vec<Done>,
    record: Option<&Record>,
) -> Vec<(&'m Mutant, Fate)> {
    play_with(netlist, folder, stages, mutants, known, record).unwrap()
}

/// As [`play`], with the error of a campaign that cannot go on.
fn play_with<'m>(
    netlist: &Netlist,
    folder: &Path,
    stages: &[Vec<Stage>; 2],
    mutants: &[&'m Mutant],
    known: Vec<Done>,
    record: Option<&Record>,
) -> anyhow::Result<Vec<(&'m Mutant, Fate)>> {
    fs::create_dir_all(folder).unwrap();
    let config = config::by_name(super::CONFIG).unwrap();
    let directory = xtask::root().join("target/mutate/verilated");
    let campaign = Campaign::new(
        Regression { unit: TOP, netlist, config: &config, directory },
        Prover::new(netlist, &config, folder, 120),
        None,
        folder,
    )
    .unwrap();
    finish(&campaign, mutants, stages, known, record)
}

fn options(only: &str) -> Options {
    let lab = crate::Cli::parse_from(["lab", "mutate", "--only", only]);
    let crate::Experiment::Mutate(super::Args { plan, .. }) = lab.experiment else { panic!("not mutate") };
    Options { plan, program: "1".to_string(), yosys: "Yosys".to_string(), verilator: "Verilator".to_string() }
}

/// Runs two shards, the second with an interruption and a resumption. Asserts that their merged records have the fates of the whole
/// campaign.
fn check_shards(folder: &Path, whole: &[(&Mutant, Fate)], play: impl Fn(&[&Mutant], Vec<Done>, &Record)) {
    let chosen: Vec<&Mutant> = whole.iter().map(|(mutant, _)| *mutant).collect();
    let path = |number: u32| folder.join(format!("{number}.jsonl"));
    let run = |number: u32, resume: bool, count: usize| {
        let shard = Shard::new(number, 2).unwrap();
        let of_shard = chosen.iter().enumerate().filter(|(position, _)| shard.contains(*position)).map(|(_, mutant)| *mutant);
        let (record, known) = shards::open(&path(number), shard, resume, options("x"), &names(&chosen)).unwrap();
        let known_count = known.len();
        play(&of_shard.take(count).collect::<Vec<_>>(), known, &record);
        shards::end(Some(record)).unwrap();
        known_count
    };
    let merge = || -> (Joined<Options, Done>, Vec<usize>) {
        let joined: Joined<Options, Done> = shards::joined(&[path(2), path(1)]).unwrap();
        let missing = missing(&chosen, &in_order(&chosen, joined.done.iter().cloned()));
        (joined, missing)
    };
    run(1, false, usize::MAX);
    run(2, false, 4);
    let (joined, missing) = merge();
    assert_eq!(missing, [9, 11]);
    assert_eq!(
        joined.gaps(&missing),
        [format!("the run of {} is not complete; continue it with `--resume`", path(2).display())]
    );
    assert_eq!(run(2, true, usize::MAX), 4);
    let (joined, missing) = merge();
    assert!(missing.is_empty() && joined.done.len() == whole.len(), "{joined:?}");
    assert_eq!(in_order(&chosen, joined.done), whole);
}

/// Asserts that a campaign ends with an error after a fate that cannot be recorded, and that a record with the fate of no mutant, or of
/// one in another shard, is refused. `play` runs the campaign, and returns its error.
fn check_failed_write(folder: &Path, chosen: &[&Mutant], play: impl Fn(Vec<Done>, &Record) -> String) {
    let path = folder.join("failed.jsonl");
    let (record, known) = shards::open(&path, Shard::WHOLE, false, options("x"), &names(chosen)).unwrap();
    // A key that is no text cannot be written, as any result on a full disk.
    record.add(&BTreeMap::from([((), ())]));
    let error = play(known, &record);
    assert!(error.starts_with("the fate of ") && error.ends_with(" cannot be recorded"), "{error}");
    let fate = Fate::Survived(Answer::Open);
    let check = |id: &str| names(chosen).check(Shard::new(1, 2).unwrap(), &[Done { id: id.to_string(), fate: fate.clone() }]);
    assert_eq!(check(&chosen[0].id), Ok(()));
    assert!(check(&chosen[1].id).is_err() && check("other/1").is_err());
}

#[test]
fn records_of_other_faults_programs_or_tools_are_refused() {
    let recorded = options("a/1");
    let why = |changed: Options| changed.difference(&recorded).unwrap();
    assert_eq!(recorded.difference(&recorded), None);
    assert_eq!(why(options("a/2")), "the recorded run has --only a/1, this run has --only a/2");
    let yosys = "Yosys 2".to_string();
    assert_eq!(why(Options { yosys, ..recorded.clone() }), "the recorded run has Yosys, this run has Yosys 2");
    assert_eq!(why(Options { program: "2".to_string(), ..recorded.clone() }), "the record is of another build of lab");
    let parses = |line: &str| crate::Cli::try_parse_from(line.split(' ')).is_ok();
    assert!(parses("lab mutate --count 9 --shard 1/2 --record r --resume") && parses("lab mutate --merge r s --write"));
    assert!(!parses("lab mutate --shard 1/2") && !parses("lab mutate --shard 1/2 --record r --write"));
    assert!(!parses("lab mutate --merge r --seed 1"), "the plan of merged records is in the records");
}

#[test]
fn a_regression_that_checks_nothing_leaves_survivors_and_the_real_one_none() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = netlist(folder.path());
    assert_eq!(netlist.mutants.len(), 12);
    assert!(netlist.mutants.iter().all(|m| m.module == MODULE));
    let [real, none] = ["real", "none"].map(|name| folder.path().join(name));
    let chosen: Vec<&Mutant> = netlist.mutants.iter().collect();
    let found = play(&netlist, &real, &stages(100_000), &chosen, vec![], None);
    let totals = report::count(found.iter().map(|(_, fate)| fate));
    assert!(totals.survivors == 0 && totals.killed() > 6 && totals.killed() + totals.equal == 12, "{found:?}");
    // A repetition of the campaign reuses all its results.
    assert_eq!(play(&netlist, &real, &stages(100_000), &chosen, vec![], None), found);
    check_shards(folder.path(), &found, |mutants, known, record| {
        play(&netlist, &real, &stages(100_000), mutants, known, Some(record));
    });
    check_failed_write(folder.path(), &chosen, |known, record| {
        play_with(&netlist, &real, &stages(100_000), &chosen, known, Some(record)).unwrap_err().to_string()
    });
    let missed = play(&netlist, &none, &[vec![Stage::Lockstep(0, 2)], vec![]], &chosen, vec![], None);
    for ((mutant, fate), (_, real)) in missed.iter().zip(&found) {
        // Of the faults that the real regression kills, the two cycles kill some; the equivalence
        // check proves that the others differ. All other fates are the same in both campaigns.
        let right = match (fate, real) {
            (Fate::Killed(_), Fate::Killed(_)) | (Fate::Survived(Answer::Differs(_)), Fate::Killed(_)) => true,
            (fate, real) => fate == real,
        };
        assert!(right, "{}: {fate:?}, with the regression {real:?}", mutant.id);
    }
    let totals = report::count(missed.iter().map(|(_, fate)| fate));
    assert!(totals.survivors > 4, "{missed:?}");
    let list = report::survivors(&missed, "cargo lab mutate");
    assert_eq!(list.lines().count(), totals.survivors, "{list}");
    assert!(list.contains("repeat with `cargo lab mutate --only bcu_deadlock_detector/"), "{list}");
}
