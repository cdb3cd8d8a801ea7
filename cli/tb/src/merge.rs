// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu merge`: the records of the shards of a regression become the report of the whole run.

use crate::properties::of_run;
use crate::record::{failure, Options};
use crate::regress::{cache, edited};
use crate::report::{self, Files};
use crate::scenarios;
use bcu_cli::cmd::merge::Args;
use bcu_cli::failure::{complain, print, Failure, Outcome, Result};
use bcu_cli::outputs::{are_writable, NamedFile};
use bcu_shard::{join, read, Options as _, Origin, RecordError, Recorded, Shard};
use bcu_tb::regress::check::Check;
use bcu_tb::regress::join::Join;
use bcu_tb::regress::plan::{Plan, Test};
use bcu_tb::regress::result::Done;
use bcu_tb::regress::tests;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: Args) -> Result {
    let outputs = [("`--report`", &args.report), ("`--junit`", &args.junit), ("`--coverage-data`", &args.coverage_data)];
    let outputs: Vec<NamedFile> = outputs.iter().filter_map(|(name, path)| Some((*name, path.as_deref()?))).collect();
    let inputs: Vec<NamedFile> = args.records.iter().map(|path| ("a record to merge", path.as_path())).collect();
    are_writable(&outputs, &inputs)?;
    let (records, unstarted) = read_all(&args.records)?;
    let joined = join(records).map_err(|error| {
        Failure::plain(&error, Some("name one record for each shard of one run; `bcu regress --record` writes them"))
    })?;
    let plan = plan(&joined.options, &joined.records[0].path)?;
    if args.coverage_data.is_some() && !(plan.coverage && tests(&plan).iter().any(Test::has_coverage)) {
        let help = "run the shards with `--coverage` and at least one lockstep test, or omit `--coverage-data`";
        return Err(Failure::plain("`--coverage-data`: the records have no coverage", Some(help)));
    }
    let check = Check::new(&plan);
    joined.check(|shard, done| check.check(shard, done)).map_err(failure)?;
    let results = Join::new(&plan).all(joined.done.clone());
    let (summary, outcome) = report::summary(&results, Shard::WHOLE, args.all);
    let text = results.iter().map(report::lines).collect::<String>() + &summary;
    let report = args.report.as_deref().map(|path| (path, text.as_str()));
    let mut machines: Vec<(Shard, Origin)> =
        joined.records.iter().map(|record| (record.shard, record.origin.clone())).collect();
    machines.sort_by_key(|(shard, _)| *shard);
    let properties = of_run(&joined.options, &machines);
    let (junit, coverage_data) = (args.junit.as_deref(), args.coverage_data.as_deref());
    Files { junit, coverage_data, report, build: joined.options.build(), properties }.write(&results)?;
    if report.is_none() {
        print(&text)?;
    }
    let missing: Vec<usize> = results.iter().flat_map(|result| result.missing.iter().copied()).collect();
    let gaps: Vec<String> = unstarted.iter().map(RecordError::to_string).chain(joined.gaps(&missing)).collect();
    gaps.iter().for_each(|gap| complain(&format!("error: {gap}")));
    Ok(if gaps.is_empty() || outcome == Outcome::CheckFailed { outcome } else { Outcome::CouldNotRun })
}

/// Reads the records. A record of a run that ended at its start has no results and no shard, and is returned as an error.
///
/// # Errors
/// If a file is not a record, or no run has started.
fn read_all(paths: &[PathBuf]) -> Result<(Vec<Recorded<Options, Done>>, Vec<RecordError>)> {
    let (mut records, mut unstarted) = (vec![], vec![]);
    for path in paths {
        match read(path) {
            Err(error @ RecordError::Empty(_)) => unstarted.push(error),
            record => records.push(record.map_err(failure)?),
        }
    }
    match unstarted.pop() {
        Some(error) if records.is_empty() => Err(failure(error)),
        last => {
            unstarted.extend(last);
            Ok((records, unstarted))
        }
    }
}

/// The plan of the run with these options, of which `record` is a record.
///
/// # Errors
/// If the folders of the run cannot be read, or they or the program have changed.
fn plan(options: &Options, record: &Path) -> Result<Plan> {
    let cannot = |why: String, help: &str| Failure::plain(format!("cannot merge {}: {why}", record.display()), Some(help));
    let [scenarios, verilog] = options.folders();
    for (option, folder) in [("--scenarios", scenarios), ("--verilog", verilog)] {
        if let Some((folder, error)) = folder.and_then(|folder| Some((folder, fs::read_dir(folder).err()?))) {
            let help = "merge on a machine that has this folder under the same path";
            return Err(cannot(format!("the recorded run has {option} {}: {error}", folder.display()), help));
        }
    }
    let plan = options.plan(scenarios::of(scenarios)?, edited(verilog)?, cache());
    let current = Options::from_plan(&plan)?;
    match current.difference(options) {
        None => Ok(plan),
        Some(why) if current.has_same_program(options) => Err(cannot(why, "restore the files of the run, or run it again")),
        Some(why) => Err(cannot(why, "merge with the build of bcu-tb that has written the records")),
    }
}
