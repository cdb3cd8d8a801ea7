// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of campaigns in shards. The steps are not run; each has a fixed result.

use super::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;

const STEPS: [CampaignStep; 5] =
    [CampaignStep::Fuzz, CampaignStep::Prove, CampaignStep::Kernels, CampaignStep::Oracle, CampaignStep::Mutate];

fn options() -> Options {
    Options { steps: STEPS.to_vec(), seed: 7, cycles: 1000, program: "1".to_string() }
}

/// The fixed result of a step: `oracle` and `mutate` fail, all others pass.
fn given(step: CampaignStep) -> Verdict {
    match step {
        CampaignStep::Oracle | CampaignStep::Mutate => Verdict::Failed,
        _ => Verdict::Good,
    }
}

/// The lines of a summary without the times and commands.
fn marks(summary: &Summary) -> Vec<String> {
    summary.lines.iter().map(|line| line.split([':', '(']).next().unwrap_or_default().trim().to_string()).collect()
}

#[test]
fn the_merged_shards_of_a_campaign_have_the_result_of_the_whole_campaign() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = Folder::new(temporary.path()).unwrap();
    let setting = Setting::new(&xtask::root(), 7, 1000).unwrap();
    let commands = RefCell::new(vec![]);
    let is_broken = Cell::new(true);
    let execute = |step: CampaignStep, command: &Command| {
        let line = command.arguments.join(" ");
        commands.borrow_mut().push(line.clone());
        if let Some((_, rest)) = line.split_once("--record ") {
            fs::write(rest.trim_end_matches(" --resume"), "").unwrap();
        }
        let is_undone = is_broken.get() && step == CampaignStep::Prove;
        (if is_undone { Verdict::Undone } else { given(step) }, 1.0, line)
    };
    // Runs or resumes a shard, and returns the commands that it executed.
    let shard = |number: u32, resume: bool| {
        let shard = Shard::new(number, 2).unwrap();
        let (record, known) = shards::open(&folder.campaign(shard), shard, resume, options(), &names(&STEPS)).unwrap();
        run_steps(&steps_of(&STEPS, shard), known, Some(&record), |step| {
            execute(step, &shard_command(step, &setting, &folder, shard, resume))
        });
        shards::end(Some(record)).unwrap();
        commands.take()
    };
    let merged = || {
        let joined: Joined<Options, Done> = shards::joined(&folder.campaigns().unwrap()).unwrap();
        merge_steps(&joined, &folder, &setting, execute).unwrap()
    };

    let first = shard(1, false);
    let record = |step: CampaignStep, number| folder.step(step, Shard::new(number, 2).unwrap()).display().to_string();
    let prove = format!("xtask prove --shard 1/2 --record {}", record(CampaignStep::Prove, 1));
    let mutate = "lab mutate --seed 7 --cycles 1000 --shard 1/2 --record";
    let mutate = format!("{mutate} {}", record(CampaignStep::Mutate, 1));
    let oracle = "lab oracle --seed 7 --operations 10000".to_string();
    let fuzz = "check --locked --manifest-path fuzz/Cargo.toml".to_string();
    assert_eq!(first, [fuzz, prove.clone(), oracle, mutate]);
    let (summary, gaps) = merged();
    assert_eq!(marks(&summary), ["ok   fuzz", "??   prove", "??   kernels", "FAIL oracle", "FAIL mutate"]);
    assert_eq!(gaps, ["no record of shard 2/2 was given"]);
    commands.take();

    is_broken.set(false);
    assert_eq!(shard(1, true), [format!("{prove} --resume")]);
    assert_eq!(shard(2, false).len(), 3);
    let (summary, gaps) = merged();
    assert!(gaps.is_empty(), "{gaps:?}");
    let merge = format!("xtask prove --merge {} {}", record(CampaignStep::Prove, 1), record(CampaignStep::Prove, 2));
    assert_eq!(summary.lines[1], format!("ok   prove (2 s): {merge}"));
    let whole = run_steps(&STEPS, vec![], None, |step| execute(step, &step.command(&setting)));
    assert_eq!(marks(&summary), marks(&whole));
    assert_eq!((summary.failed, summary.undone), (whole.failed, whole.undone));
    assert_eq!((whole.failed, whole.undone), (2, 0));
}

#[test]
fn after_a_result_that_cannot_be_recorded_no_step_is_run() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("r");
    let (record, known) = shards::open(&path, Shard::WHOLE, false, options(), &names(&STEPS)).unwrap();
    let count = Cell::new(0);
    run_steps(&STEPS, known, Some(&record), |step| {
        count.set(count.get() + 1);
        // A key that is no text cannot be written, as any result on a full disk.
        record.add(&BTreeMap::from([((), ())]));
        (given(step), 1.0, String::new())
    });
    assert_eq!(count.get(), 1);
    assert!(shards::end(Some(record)).unwrap_err().to_string().contains("cannot add a result to "));
}

#[test]
fn a_record_with_a_step_of_another_shard_or_campaign_is_refused() {
    let done = |step| Done { step, good: true, seconds: 1.0, command: String::new() };
    let check = |number: u32, done: &[Done]| names(&STEPS).check(Shard::new(number, 2).unwrap(), done).map_err(|(at, _)| at);
    // `prove` and `mutate` are split; `fuzz`, `kernels` and `oracle` are not.
    assert_eq!(check(1, &[done(CampaignStep::Prove), done(CampaignStep::Fuzz), done(CampaignStep::Oracle)]), Ok(()));
    assert_eq!(check(2, &[done(CampaignStep::Mutate), done(CampaignStep::Kernels)]), Ok(()));
    assert_eq!(check(1, &[done(CampaignStep::Prove), done(CampaignStep::Kernels)]), Err(1));
    assert_eq!(check(1, &[done(CampaignStep::Lockstep)]), Err(0));
    assert_eq!(check(1, &[done(CampaignStep::Fuzz), Done { good: false, ..done(CampaignStep::Fuzz) }]), Err(1));
}

#[test]
fn every_whole_step_is_run_by_one_shard_and_every_other_by_all() {
    let shards: Vec<_> = Shard::new(1, 3).unwrap().siblings().map(|shard| steps_of(&USUAL_STEPS, shard)).collect();
    for step in USUAL_STEPS {
        let runs = shards.iter().filter(|steps| steps.contains(&step)).count();
        assert_eq!(runs, if step.is_split() { 3 } else { 1 }, "{step:?}");
    }
}

#[test]
fn records_of_another_campaign_and_other_folders_are_refused() {
    let why = |changed: Options| changed.difference(&options()).unwrap();
    assert_eq!(why(Options { seed: 8, ..options() }), "the recorded run has --seed 7, this run has --seed 8");
    assert_eq!(why(Options { program: "2".to_string(), ..options() }), "the record is of another build of lab");
    let steps = vec![CampaignStep::Fuzz];
    let steps = why(Options { steps, ..options() });
    assert_eq!(steps, "the recorded run has the steps fuzz prove kernels oracle mutate, this run has the steps fuzz");
    let temporary = tempfile::tempdir().unwrap();
    let error = Folder::new(temporary.path()).unwrap().campaigns().unwrap_err().to_string();
    assert!(error.ends_with(" has no file campaign-I-of-N.jsonl; `cargo lab campaign --records` writes them"), "{error}");
    use clap::Parser;
    let parses = |line: &str| crate::Cli::try_parse_from(line.split(' ')).is_ok();
    assert!(parses("lab campaign prove --seed 1 --records r --shard 1/2 --resume") && parses("lab campaign --merge r"));
    assert!(!parses("lab campaign --records r --shard 1/2"), "the default seed differs between machines");
    assert!(!parses("lab campaign --seed 1 --shard 1/2") && !parses("lab campaign --seed 1 --merge r"));
}
