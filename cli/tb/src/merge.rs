// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu merge`: the records of the shards of a regression become the report of the whole run.

use crate::coverage;
use crate::record::{failure, Options};
use crate::regress::{cache, edited};
use crate::report;
use crate::scenarios;
use bcu_cli::cmd::merge::Args;
use bcu_cli::failure::{complain, print, Failure, Outcome, Result};
use bcu_cli::files::are_writable;
use bcu_shard::{join, read, Options as _, Recorded, Shard};
use bcu_tb::regress::join::Join;
use bcu_tb::regress::plan::Test;
use bcu_tb::regress::result::Done;
use bcu_tb::regress::tests;

pub fn run(args: Args) -> Result {
    are_writable([&args.junit, &args.coverage_data].into_iter().flatten())?;
    let records = args.records.iter().map(|path| read(path).map_err(failure));
    let records: Vec<Recorded<Options, Done>> = records.collect::<Result<_>>()?;
    let mut joined = join(records).map_err(|error| {
        Failure::plain(&error, Some("name one record for each shard of one run; `bcu regress --record` writes them"))
    })?;
    let [scenarios, verilog] = joined.options.folders();
    let plan = joined.options.plan(scenarios::of(scenarios)?, edited(verilog)?, cache());
    if let Some(why) = Options::from_plan(&plan)?.difference(&joined.options) {
        let help = "merge with the program that has written the records";
        return Err(Failure::plain(format!("cannot merge {}: {why}", args.records[0].display()), Some(help)));
    }
    if args.coverage_data.is_some() && !(plan.coverage && tests(&plan).iter().any(Test::has_coverage)) {
        let help = "run the shards with `--coverage` and at least one lockstep test, or omit `--coverage-data`";
        return Err(Failure::plain("`--coverage-data`: the records have no coverage", Some(help)));
    }
    let results = Join::new(&plan).all(std::mem::take(&mut joined.done));
    if let Some(path) = &args.junit {
        report::write_junit(path, &results)?;
    }
    if let Some(path) = &args.coverage_data {
        coverage::write(path, &results)?;
    }
    print(&results.iter().map(report::lines).collect::<String>())?;
    let outcome = report::summary(&results, Shard::WHOLE)?;
    let missing: Vec<usize> = results.iter().flat_map(|result| result.missing.iter().copied()).collect();
    joined.gaps(&missing).iter().for_each(|gap| complain(&format!("error: {gap}")));
    Ok(if joined.missing.is_empty() || outcome == Outcome::CheckFailed { outcome } else { Outcome::CouldNotRun })
}
