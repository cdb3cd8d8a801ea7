// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the kernels of `examples/kernels` on the unit, to check that every schedule gives the right results and that every planted bug is
//! found at its location.

use bcu_hw::catalog;
use bcu_hw::config;
use bcu_isa::config::Config;
use bcu_jit::Compiled;
use bcu_machine::check::check_run;
use bcu_machine::check::finding::{Finding, Subject};
use bcu_machine::issued::Issued;
use bcu_machine::{run_with, unit, Machine, Observer, Policy, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_program::launch::{LaunchFile, Launches, Unprepared};
use bcu_program::ptx;
use bcu_program::{runs, Run};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Cycle limit, above the cycles of every kernel.
const MAX_CYCLES: u32 = 1_000_000;

/// Prefix of a comment in a launch file with a planted bug. The comment lists the codes that `bcu check` must report, each with its line in
/// the PTX.
const FINDS: &str = "# finds:";

/// Whether the PTX `text` has instructions or directives that `target` lacks, so that the kernel does not exist for this target.
pub fn is_beyond(text: &str, target: &str) -> bool {
    let line = |line: &str| match line.trim_start().starts_with(".target") {
        true => format!(".target {target}\n"),
        false => format!("{line}\n"),
    };
    // These instructions exist for one architecture only.
    let only = [("wgmma.", "sm_90a"), ("tcgen05.", "sm_100a")];
    if only.iter().any(|(opcode, of)| text.contains(opcode) && *of != target) {
        return true;
    }
    let errors = ptx::parse(&text.lines().map(line).collect::<String>()).err().unwrap_or_default();
    errors.iter().any(|error| error.help.as_ref().is_some_and(|help| help.starts_with("raise `.target`")))
}

/// Compiled units of one configuration, each built at its first use.
pub struct Units {
    config: Config,
    built: Vec<(&'static str, Compiled)>,
}

impl Units {
    /// Creates the units of the configuration named `config`; no unit is compiled yet.
    ///
    /// # Errors
    /// If there is no such configuration.
    pub fn new(config: &str) -> Result<Units, String> {
        let config = config::by_name(config).ok_or(format!("configuration `{config}` does not exist"))?;
        Ok(Units { config, built: vec![] })
    }

    /// Returns the configuration and the unit named `name`.
    ///
    /// # Errors
    /// If the catalogue has no such unit, or the unit cannot be compiled.
    pub fn get(&mut self, name: &'static str) -> Result<(&Config, &mut Compiled), String> {
        let found = self.built.iter().position(|(known, _)| *known == name);
        let at = match found {
            Some(at) => at,
            None => {
                let no_unit = || format!("the catalogue has no `{name}` for `{}`", self.config.name);
                let block = catalog::build(&self.config, name).ok_or_else(no_unit)?;
                self.built.push((name, Compiled::new(block).map_err(|error| error.to_string())?));
                self.built.len() - 1
            }
        };
        let unit = self.built.get_mut(at).map(|(_, unit)| unit).ok_or_else(String::new)?;
        Ok((&self.config, unit))
    }

    pub fn config(&self) -> &Config {
        &self.config
    }
}

/// The units that kernels run on.
pub struct Bench {
    units: Units,
}

/// The outcome of the run of a launch file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub cycles: u64,
    /// Errors, ready for output; empty if all results are right.
    pub wrong: Vec<String>,
    /// Findings of severity error, each as `code line`; also `values` if a buffer has other contents than expected, and `stopped line` if
    /// an error of the program has ended the run.
    pub found: Vec<String>,
}

/// The files `launch.toml` of the kernels in a folder, sorted by name. Launch files with planted bugs are not among them.
pub fn kernels(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path().join("launch.toml"))).collect();
    found.retain(|file| file.is_file());
    found.sort();
    Ok(found)
}

/// The launch files with planted bugs, which are in the folder `bugs` beside the launch file `kernel`, sorted by name.
pub fn bugs(kernel: &Path) -> Vec<PathBuf> {
    let folder = kernel.parent().map(|folder| folder.join("bugs"));
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut found: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    found.sort();
    found
}

/// The findings that a launch file expects from `bcu check` and that are missing in `found`. The expected location may be a range of lines,
/// as in `code 44-48`.
pub fn missing(text: &str, found: &[String]) -> Vec<String> {
    let is = |wanted: &str, found: &str| {
        let parts = |text: &str| text.split_once(' ').map(|(code, place)| (code.to_string(), place.to_string()));
        let (Some((code, place)), Some((found_code, line))) = (parts(wanted), parts(found)) else { return false };
        let range = place.split_once('-').and_then(|(first, last)| Some(first.parse::<usize>().ok()?..=last.parse().ok()?));
        code == found_code && range.is_some_and(|range| line.parse().is_ok_and(|line| range.contains(&line)))
    };
    let is_found = |wanted: &String| found.iter().any(|found| found == wanted || is(wanted, found));
    expected(text).into_iter().filter(|wanted| !is_found(wanted)).collect()
}

/// The findings that a launch file expects from `bcu check`, each as `code line`.
pub fn expected(text: &str) -> Vec<String> {
    let listed = text.lines().filter_map(|line| line.strip_prefix(FINDS)).flat_map(|list| list.split(','));
    listed.map(|located| located.trim().to_string()).filter(|located| !located.is_empty()).collect()
}

/// The machine for a schedule. Seed 1 is the default machine; every other seed draws the order of the warps and the latencies at random.
fn machine(seed: u64) -> Machine {
    let mut machine =
        Machine { seed, max_cycles: NonZeroU32::new(MAX_CYCLES).unwrap_or(NonZeroU32::MIN), ..Machine::default() };
    if seed != 1 {
        machine.policy = Policy::Random;
        machine.latency.spread = 300;
    }
    machine
}

impl Bench {
    /// Creates a bench with the unit of the configuration `default`.
    ///
    /// # Errors
    /// If there is no such configuration.
    pub fn new() -> Result<Bench, String> {
        Ok(Bench { units: Units::new("default")? })
    }

    /// Runs a launch file with the schedule of `seed`. `program`, if given, replaces the program that the file names. With `check`, misuse
    /// and races are also reported.
    pub fn run(&mut self, file: &Path, program: Option<&str>, seed: u64, check: bool) -> Outcome {
        self.attempt(file, program, seed, check).unwrap_or_else(|why| Outcome { wrong: vec![why], ..Outcome::default() })
    }

    /// [`Bench::run`], with an error if the launch file cannot be run. Each launch of the file continues with the memory of the previous
    /// launch; the buffers are compared after the last one.
    fn attempt(&mut self, file: &Path, program: Option<&str>, seed: u64, check: bool) -> Result<Outcome, String> {
        let read = |path: &Path| std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
        let text = |path: &Path| read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let folder = file.parent().unwrap_or(Path::new(""));
        let launch = LaunchFile::parse(&text(file)?).map_err(|errors| join_messages(&errors))?;
        let named = launch.program.as_ref().map(|program| program.get_ref().as_str());
        let source = text(
            &folder.join(program.or(named).ok_or_else(|| format!("{}: no program; write `program = \"…\"`", file.display()))?),
        )?;
        let mut machine = machine(seed);
        machine.races = check;
        let base = machine.launch(self.units.config().lanes);
        let ready = Launches::from(&launch).ready(&source, &base, seed, &mut |name| read(&folder.join(name)));
        let ready = ready.map_err(|why| match why {
            Unprepared::Program(errors) | Unprepared::Launch(errors) => join_messages(&errors),
        })?;
        let mut memory = ready.memory.clone();
        let mut outcome = Outcome::default();
        for run in &runs(&ready.launches) {
            let machine = machine.of_run(run);
            let name = unit(&machine, self.units.config(), &run.programs).map_err(|error| error.message)?;
            let (config, unit) = self.units.get(name)?;
            let mut issued = Issued::new(unit.ports()).map_err(|error| error.to_string())?;
            let mut observe = |cycle: &bcu_machine::Cycle| issued.cycle(cycle);
            let report =
                match run_with(Some(unit), config, &machine, &run.programs, &mut memory, Observer::of_all(&mut observe)) {
                    Ok(report) => report,
                    Err(RunError::Program { stopped, .. }) => {
                        let line = stopped.diagnostic.position(&source).0;
                        outcome.found.push(format!("stopped {line}"));
                        outcome.wrong.push(format!("line {line}: {}", stopped.diagnostic.message));
                        return Ok(outcome);
                    }
                    Err(error) => return Err(error.to_string()),
                };
            outcome.cycles += report.cycles;
            if report.verdict != Verdict::Completed {
                outcome.wrong.push(format!("{} after {} cycles", report.verdict.name(), report.cycles));
            }
            if check {
                outcome.found.extend(self.findings(&source, run, &machine, &report, &issued)?);
            }
        }
        let launch_result = ready.result(&memory);
        if !launch_result.mismatches.is_empty() {
            outcome.found.push("values".to_string());
        }
        outcome.wrong.extend(launch_result.mismatches.iter().map(ToString::to_string));
        Ok(outcome)
    }

    fn findings(
        &self,
        source: &str,
        run: &Run,
        machine: &Machine,
        report: &bcu_machine::Report,
        issued: &Issued,
    ) -> Result<Vec<String>, String> {
        let subject = Subject {
            files: &[source],
            programs: &run.programs,
            earlier: vec![],
            owners: &vec![0; run.programs.len()],
            warnings: &[],
            machine,
            config: self.units.config(),
            strict: false,
        };
        let found = check_run(&subject, report, issued).map_err(|error| error.message)?.findings;
        let errors = found.iter().filter(|finding| finding.severity == bcu_machine::check::Severity::Error);
        let line = |at: usize| source[..at.min(source.len())].matches('\n').count() + 1;
        let located = |finding: &Finding| match &finding.at {
            Some(at) => format!("{} {}", finding.code.name, line(at.start)),
            None => finding.code.name.to_string(),
        };
        Ok(errors.map(located).collect())
    }
}

/// The messages of diagnostics, without their locations.
fn join_messages(errors: &[bcu_isa::diag::Diagnostic]) -> String {
    errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
}
