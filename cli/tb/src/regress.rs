// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress`: every scenario, and every unit in lockstep with its model and with legal stimulus, or only the tests that the filter
//! selects.

use crate::progress::watched;
use crate::properties::{of_run, this_machine};
use crate::record::{Options, RunRecord};
use crate::report::{self, Files};
use crate::{scenarios, slurm};
use bcu_cli::cmd::regress::{Args, EngineName};
use bcu_cli::companion::{self, TB};
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::interrupt;
use bcu_cli::outputs::{are_distinct, are_writable, NamedFile};
use bcu_hw::catalog;
use bcu_shard::{Origin, Shard};
use bcu_tb::regress::edited::Edited;
use bcu_tb::regress::plan::{Engine, Plan, Test};
use bcu_tb::regress::{configs, simulators, tests};
use bcu_tb::shell;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: Args) -> Result {
    let plan = plan(&args)?;
    let tests = tests(&plan);
    if tests.is_empty() {
        return Err(no_test(&plan));
    }
    if args.list {
        print(&tests.iter().map(|t| format!("{}\n", t.name)).collect::<String>())?;
        return Ok(Outcome::Good);
    }
    if args.coverage_data.is_some() && !tests.iter().any(Test::has_coverage) {
        let help = "only lockstep tests count coverage; `bcu regress lockstep --list` lists them";
        let message = format!("`--coverage-data`: the filter `{}` selects no lockstep test", plan.filter);
        return Err(Failure::plain(message, Some(help)));
    }
    // A path that cannot be written is reported before missing sizes are compiled and the tests run.
    check_files(&args, &plan)?;
    // The tools of a job array are those of its nodes.
    if args.slurm.is_none() {
        check_tools(&plan)?;
    }
    let configs = configs(&tests);
    if !configs.iter().all(catalog::is_compiled) {
        return companion::rebuild_with(TB, &configs, catalog::is_compiled);
    }
    if let (Some(shards), Some(folder)) = (args.shards, &args.slurm) {
        return slurm::write(&plan, shards, folder);
    }
    let options = Options::from_plan(&plan)?;
    // Only a record and a JUnit file have the tools of the machine.
    let machine = RunRecord::path(&args).map_or_else(|| Origin::here([]), |_| this_machine());
    let (record, known) = RunRecord::open(&args, &plan, options.clone(), machine.clone())?;
    if record.is_some() {
        interrupt::explain(format!("interrupted; continue with: {}", resumption()));
    }
    let results = watched(&plan, &known, record.as_ref())?;
    let (junit, coverage_data) = (args.junit.as_deref(), args.coverage_data.as_deref());
    let properties = of_run(&options, &[(plan.shard, machine)]);
    Files { junit, coverage_data, report: None, build: options.build(), properties }.write(&results)?;
    let (summary, outcome) = report::summary(&results, plan.shard, args.all);
    let ended = record.map_or(Ok(()), RunRecord::end);
    // A shard has no result without its record.
    if ended.is_ok() || plan.shard == Shard::WHOLE {
        print(&summary)?;
    }
    ended?;
    Ok(outcome)
}

/// The failure of a filter that selects no test, with the folder whose scenarios or units were searched.
fn no_test(plan: &Plan) -> Failure {
    let (place, option) = match (&plan.scenarios.folder, &plan.edited) {
        (_, Some(edited)) => (format!(" among the units of {}", edited.folder.display()), Some(("--verilog", &edited.folder))),
        (Some(folder), None) => {
            let place = format!(" among the scenarios of {} and the project's other tests", folder.display());
            (place, Some(("--scenarios", folder)))
        }
        (None, None) => (String::new(), None),
    };
    let option = option.map_or(String::new(), |(name, folder)| format!(" {name} {}", shell::quoted(&folder.to_string_lossy())));
    let help = format!("`bcu regress --list{option}` lists the names");
    Failure::plain(format!("no test's name contains `{}`{place}", plan.filter), Some(&help))
}

/// Refuses a run without the tools of its simulators: a test that cannot run has no result.
fn check_tools(plan: &Plan) -> Result<()> {
    simulators(plan).into_iter().try_for_each(|simulator| {
        let advice = "`--engine compiled` runs without further tools";
        simulator.check().map_err(|error| Failure::plain(format!("{error}; {advice}"), None))
    })
}

/// Refuses outputs that cannot be written, and files that would destroy each other: outputs, the record, and the files of the folders of
/// `--scenarios` and `--verilog`.
fn check_files(args: &Args, plan: &Plan) -> Result<()> {
    let files_of = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).map_or(vec![], |files| files.filter_map(|file| Some(file.ok()?.path())).collect())
    };
    let scenarios = plan.scenarios.entries.iter().filter(|_| plan.scenarios.folder.is_some());
    let mut inputs: Vec<PathBuf> = scenarios.map(|entry| PathBuf::from(&entry.file)).collect();
    inputs.extend(plan.edited.iter().flat_map(|edited| files_of(&edited.folder)));
    let inputs: Vec<NamedFile> = inputs.iter().map(|path| ("a file that the run reads", path.as_path())).collect();
    let record = RunRecord::path(args);
    let record: Vec<NamedFile> = record.iter().map(|path| ("the record of the run", path.as_path())).collect();
    are_distinct(&record, &inputs)?;
    let outputs = [("`--junit`", &args.junit), ("`--coverage-data`", &args.coverage_data)];
    let outputs: Vec<NamedFile> = outputs.iter().filter_map(|(name, path)| Some((*name, path.as_deref()?))).collect();
    are_writable(&outputs, &[record, inputs].concat())
}

/// The plan of the run that the arguments select.
fn plan(args: &Args) -> Result<Plan> {
    let engine = match args.engine {
        EngineName::All => Engine::All,
        EngineName::Compiled => Engine::Compiled,
        EngineName::Verilator => Engine::Verilator,
    };
    if args.verilog.is_some() && engine == Engine::Compiled {
        let help = "leave `--engine` out, or name `verilator`";
        return Err(Failure::plain("`--verilog` runs Verilog, which the machine-code engine cannot run", Some(help)));
    }
    let edited = edited(args.verilog.as_deref())?;
    let (cycles, jobs) = (args.cycles as usize, args.jobs.unwrap_or(0).into());
    let (filter, seed, shard) = (args.filter.clone(), args.seed, args.shard.unwrap_or(Shard::WHOLE));
    let coverage = args.coverage || args.coverage_data.is_some();
    let scenarios = scenarios::of(args.scenarios.as_deref())?;
    Ok(Plan { filter, seed, cycles, engine, coverage, jobs, shard, edited, scenarios, directory: cache() })
}

/// Reads the edited export in `folder`; `None`: there is no `--verilog`.
pub fn edited(folder: Option<&Path>) -> Result<Option<Edited>> {
    folder.map(Edited::read).transpose().map_err(|error| {
        Failure::plain(&error, Some("`--verilog` needs a folder written by `bcu export`; its files may be changed"))
    })
}

/// The command that continues this run after an interruption.
fn resumption() -> String {
    let mut words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if !words.iter().any(|word| word == "--resume") {
        // No word after `--` is an option.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.insert(end, "--resume".to_string());
    }
    format!("bcu {}", shell::line(words))
}

/// The folder that keeps compiled simulators between runs. It is a folder of this user alone,
/// because other users could otherwise replace the simulators, which are executed.
pub fn cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.map_or_else(|| PathBuf::from("target/bcu-cache"), |cache| cache.join("bcu"))
}
