// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the table of proofs, and of runs in shards with given results.

use super::table::{Proof, CHANNELS};
use super::*;
use anyhow::anyhow;
use bcu_hw::{config, export};
use bcu_shard::{Head, Origin, Shard};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

fn table() -> (PathBuf, Vec<Proof>) {
    let folder = xtask::root().join("tb/proofs");
    let text = fs::read_to_string(folder.join("proofs.toml")).unwrap();
    (folder, table::parse(&text).unwrap())
}

#[test]
fn every_mutant_fits_the_export_and_every_property_has_one() {
    let (folder, table) = table();
    let inputs = Inputs::read(&xtask::root()).unwrap();
    let mut texts = BTreeMap::new();
    let mut wrong = vec![];
    for proof in &table {
        for mutant in proof.mutants.iter().filter(|m| m.falters.is_none()) {
            let unit = if mutant.in_second_unit { proof.second_unit.as_ref().unwrap() } else { &proof.unit };
            let text = texts.entry(unit).or_insert_with(|| {
                if !proof.common.is_empty() {
                    return inputs.common_text(proof).unwrap();
                }
                let (smallest, _) = table::smallest(unit).unwrap();
                export::text(&config::by_name(smallest).unwrap(), unit).unwrap()
            });
            match table::mutated(text, mutant) {
                Ok(mutated) => assert_ne!(&mutated, text, "{}/{}", proof.name, mutant.name),
                Err(error) => wrong.push(format!("{}: {error}", proof.name)),
            }
        }
        let Ok(text) = fs::read_to_string(folder.join(format!("{}.sv", proof.file()))) else {
            assert_eq!(proof.file(), CHANNELS, "{}.sv does not exist; only `{CHANNELS}` is generated", proof.file());
            assert!(!proof.mutants.is_empty(), "{}", proof.name);
            continue;
        };
        let ports = || table::smallest(&proof.unit).unwrap().1.ports();
        let compared = if text.contains("_same.vh") { pins::labels(&ports()) } else { vec![] };
        let asserted = text.lines().filter_map(|line| line.split_once(": assert (")?.0.split_whitespace().last());
        for label in asserted.map(String::from).chain(compared) {
            assert!(proof.mutants.iter().any(|m| m.fails == label), "{}: no mutant fails {label}", proof.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_task_is_in_its_sby_file_and_every_file_in_the_table() {
    let (folder, table) = table();
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    for proof in &table {
        let sby = fs::read_to_string(folder.join(format!("{}.sby", proof.file()))).unwrap();
        let (_, rest) = sby.split_once("[tasks]\n").unwrap();
        let tasks: Vec<&str> = rest.split("\n\n").next().unwrap().lines().filter_map(|line| line.split(' ').next()).collect();
        for job in jobs(&table).iter().filter(|j| j.proof.name == proof.name) {
            assert!(tasks.contains(&job.task), "{}: {}", proof.name, job.task);
        }
        assert!(proof.quick.iter().all(|q| proof.tasks.contains(q)), "{}", proof.name);
        assert!(readme.contains(&format!("`{}`", proof.file())), "{} is not in the README", proof.name);
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(stem) = name.strip_suffix(".sby") {
            assert!(table.iter().any(|p| p.file() == stem), "{name} is not in proofs.toml");
        }
    }
}

/// A fixed result in place of a run: the task `named_equal/tiny_induction` fails,
/// `named_row/small_bmc` cannot be run while `is_broken`, and all others pass.
fn given(job: &Job, is_broken: bool) -> Result<(bool, String)> {
    match job.name.as_str() {
        "named_row/small_bmc" if is_broken => Err(anyhow!("stopped by a signal")),
        "named_equal/tiny_induction" => Ok((false, "\n     a_complete".to_string())),
        _ => Ok((true, String::new())),
    }
}

fn options(choice: &Choice) -> Options {
    Options { choice: choice.clone(), inputs: "1".to_string(), tools: vec!["yosys".to_string()] }
}

#[test]
fn an_interrupted_shard_is_resumed_and_the_merged_shards_give_the_result_of_the_whole_run() {
    let table = table().1;
    let all_jobs = jobs(&table);
    let choice =
        Choice { tasks: ["named_row", "named_equal", "channels_gather"].map(String::from).to_vec(), ..Choice::default() };
    let chosen = choice.of(&all_jobs).unwrap();
    let whole = finish(&chosen, vec![], None, None, |job| given(job, false));
    let folder = tempfile::tempdir().unwrap();
    let path = |number: u32| folder.path().join(number.to_string());
    let run = Mutex::new(vec![]);
    // Starts or resumes a shard, and returns the results that its record had.
    let shard = |number: u32, resume: bool, is_broken: bool| {
        let shard = Shard::new(number, 2).unwrap();
        let head = Head { shard, options: options(&choice), origin: Origin::default() };
        let (record, known) = match resume {
            true => Record::resume(&path(number), &head, |_| Ok(())).unwrap(),
            false => (Record::create(&path(number), &head).unwrap(), vec![]),
        };
        let of_shard = chosen.iter().enumerate().filter(|(position, _)| shard.contains(*position)).map(|(_, job)| *job);
        finish(&of_shard.collect::<Vec<_>>(), known.clone(), None, Some(&record), |job| {
            run.lock().unwrap().push(job.name.clone());
            given(job, is_broken)
        });
        record.end().unwrap();
        known.len()
    };
    let gaps = |numbers: &[u32]| {
        let joined: Joined<Options, Done> = shards::joined(&numbers.iter().map(|n| path(*n)).collect::<Vec<_>>()).unwrap();
        let report = Report::new(&chosen, &joined.done);
        (joined.gaps(&report.missing()), report.lines(|position| joined.shard_of(position)), report.text())
    };

    shard(1, false, true);
    let broken = chosen.iter().position(|job| job.name == "named_row/small_bmc").unwrap();
    let (complete, incomplete) = if broken.is_multiple_of(2) { (2, 1) } else { (1, 2) };
    shard(2, false, true);
    let (why, lines, text) = gaps(&[1, 2]);
    let resume = format!("the run of {} is not complete; continue it with `--resume`", path(incomplete).display());
    assert_eq!(why, [resume]);
    assert_eq!(lines[broken], format!("??   named_row/small_bmc: no result of shard {incomplete}/2"));
    assert!(text.contains(" 1 failed, 1 not run, "), "{text}");
    assert_eq!(gaps(&[complete]).0, [format!("no record of shard {incomplete}/2 was given")]);

    let of_shard = chosen.iter().enumerate().filter(|(position, _)| position % 2 == broken % 2).count();
    assert_eq!(shard(incomplete, true, false), of_shard - 1);
    let run = run.into_inner().unwrap();
    assert_eq!(run.len(), chosen.len() + 1, "a finished job is not repeated: {run:?}");
    let (why, lines, text) = gaps(&[2, 1]);
    let report = Report::new(&chosen, &whole);
    assert!(why.is_empty(), "{why:?}");
    assert_eq!(lines, report.lines(|_| Shard::WHOLE));
    assert_eq!(text, report.text());
    assert_eq!(report.failed(), 1);
    assert!(text.contains("\nnamed_equal ") && text.contains(" 1 failed, 0 not run, "), "{text}");
}

#[test]
fn after_a_result_that_cannot_be_recorded_no_job_is_started() {
    let table = table().1;
    let all_jobs = jobs(&table);
    let chosen: Vec<&Job> = all_jobs.iter().take(3).collect();
    let folder = tempfile::tempdir().unwrap();
    let head = Head { shard: Shard::WHOLE, options: options(&Choice::default()), origin: Origin::default() };
    let record = Record::create(&folder.path().join("r"), &head).unwrap();
    let run = Mutex::new(0);
    let done = finish(&chosen, vec![], NonZeroUsize::new(1), Some(&record), |job| {
        *run.lock().unwrap() += 1;
        // A key that is no text cannot be written, as any result on a full disk.
        record.add(&BTreeMap::from([((), ())]));
        given(job, false)
    });
    assert_eq!((run.into_inner().unwrap(), done.len()), (1, 1));
    assert!(shards::end(Some(record)).unwrap_err().to_string().contains("cannot add a result to "));
}

#[test]
fn a_record_with_a_result_of_another_shard_or_of_no_job_is_refused() {
    let table = table().1;
    let all_jobs = jobs(&table);
    let chosen: Vec<&Job> = all_jobs.iter().take(3).collect();
    let done = |name: &str, good| Done { name: name.to_string(), good, seconds: 1.0, line: String::new() };
    let check = |done: &[Done]| names(&chosen).check(Shard::new(1, 2).unwrap(), done).map_err(|(at, _)| at);
    let [first, second, third] = [0, 1, 2].map(|at: usize| done(&chosen[at].name, true));
    assert_eq!(check(&[first.clone(), third, Done { seconds: 2.0, ..first.clone() }]), Ok(()));
    assert_eq!(check(&[second]), Err(0));
    assert_eq!(check(&[first.clone(), done("named_row/other", true)]), Err(1));
    assert_eq!(check(&[first.clone(), Done { good: false, ..first }]), Err(1));
    let negative = r#"{"name":"a","good":true,"seconds":-1.0,"line":""}"#;
    assert!(serde_json::from_str::<Done>(negative).unwrap_err().to_string().contains("-1 is not the time of a part"));
}

#[test]
fn records_of_other_tasks_designs_or_tools_are_refused() {
    let quick = Choice { quick: true, ..Choice::default() };
    let recorded = options(&quick);
    let why = |changed: Options| changed.difference(&recorded).unwrap();
    assert_eq!(recorded.difference(&recorded), None);
    let named = Choice { tasks: vec!["named_row".to_string()], ..quick.clone() };
    assert_eq!(why(options(&named)), "the recorded run has all tasks, this run has the tasks `named_row`");
    assert_eq!(why(options(&Choice::default())), "the recorded run has --quick, this run has no --quick");
    let tools = vec!["yosys 2".to_string()];
    assert_eq!(why(Options { tools, ..recorded.clone() }), "the recorded run has yosys, this run has yosys 2");
    let changed = Options { inputs: "2".to_string(), ..recorded.clone() };
    assert_eq!(why(changed), "the exported Verilog or its proofs have changed since the recorded run");
}

#[test]
fn the_checksum_of_the_inputs_depends_on_properties_and_jobs() {
    let mut inputs = Inputs::read(&xtask::root()).unwrap();
    let table = table::parse(&inputs.table).unwrap();
    let all_jobs = jobs(&table);
    let choice = Choice { tasks: vec!["channels_gather".to_string()], ..Choice::default() };
    let chosen = choice.of(&all_jobs).unwrap();
    let before = inputs.checksum(&chosen).unwrap();
    assert_eq!(inputs.checksum(&chosen).unwrap(), before);
    assert_ne!(inputs.checksum(&chosen[1..]).unwrap(), before);
    inputs.append("channels.sby", "#\n");
    assert_ne!(inputs.checksum(&chosen).unwrap(), before);
}
