// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu run` and `bcu check` that select what to run, and the code that reads them into a case.

use super::grids::{self, Launched};
use super::language::Lang;
use super::launch::LaunchArgs;
use super::nvcc::flags::Compiled;
use super::programs::{self, Program, RoleArg};
use super::{read, Case, Setup};
use crate::cmd::config::config;
use crate::cmd::headings::{LAUNCH, MACHINE, PROGRAM};
use crate::diag::Source;
use crate::failure::{Failure, Result};
use crate::hardware::{Engine, Hardware};
use bcu_isa::config::Config;
use bcu_machine::schedule_file::Schedule;
use bcu_machine::{AssumedGuard, Assumption, FaultPolicy, Fill, LeaderPolicy, Machine, Multiprocessors, Session};
use bcu_program::{Kind, Launch};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The arguments that select what to run.
#[derive(clap::Args)]
pub struct CaseArgs {
    /// Language of the programs.
    ///
    /// Default: by the extensions `.bcu`, `.ptx` and `.visa`, for standard input by its first statement.
    #[arg(long, value_enum, value_name = "LANG", help_heading = PROGRAM, hide_short_help = true)]
    lang: Option<Lang>,
    /// Which warps execute a PTX entry or, with several programs, a file: `producer=0`, `consumer=1-3`, `math=1,4-7`.
    #[arg(long = "role", value_name = "ENTRY=WARPS", help_heading = PROGRAM, hide_short_help = true)]
    roles: Vec<RoleArg>,
    /// Value of the guard at this line where it is unknown: true, false, or chosen by the seed: `12=taken`.
    #[arg(long = "assume", value_name = "LINE=taken|not|random", value_parser = assumption, help_heading = PROGRAM, hide_short_help = true)]
    assumptions: Vec<Assumption>,
    /// Project file with defaults of options.
    ///
    /// Default: `bcu.toml` of the current folder or its nearest parent, up to the root of a git repository (docs/guide/project.md).
    #[arg(long, value_name = "FILE", help_heading = PROGRAM, hide_short_help = true)]
    project: Option<PathBuf>,
    /// Use no project file.
    #[arg(long, conflicts_with = "project", help_heading = PROGRAM, hide_short_help = true)]
    no_project: bool,
    #[command(flatten)]
    launch: LaunchArgs,
    /// Warps of the CTA; default: as the program declares.
    #[arg(long, value_name = "N", help_heading = LAUNCH, hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=4096))]
    warps: Option<u32>,
    /// Configuration: a name of `bcu configs`, or a file.
    ///
    /// The file is TOML. Default: `default`, and for vISA `intel`.
    #[arg(long, value_name = "NAME|FILE", help_heading = MACHINE)]
    config: Option<String>,
    /// Machine around the unit: a TOML file.
    ///
    /// docs/contract/machine.md has its keys.
    #[arg(long, value_name = "FILE", help_heading = MACHINE, hide_short_help = true)]
    machine: Option<PathBuf>,
    /// Multiprocessors that CTAs are launched on; overrides the machine file.
    ///
    /// Default: 1; with clusters of several CTAs or overlapping launches, all of the configuration.
    #[arg(long, value_name = "N", value_parser = sms, help_heading = MACHINE, hide_short_help = true)]
    sms: Option<Multiprocessors>,
    /// Seed of all random choices.
    ///
    /// It overrides the machine file.
    #[arg(long, value_name = "N", help_heading = MACHINE)]
    seed: Option<u64>,
    /// Contents of shared and local memory before a PTX program writes them; overrides the machine file.
    #[arg(long, value_name = "unknown|zero|random", value_parser = fill, help_heading = MACHINE, hide_short_help = true)]
    fill: Option<Fill>,
    /// Cycles after which a run is stopped.
    ///
    /// The run is then unfinished. The option overrides the machine file.
    #[arg(long, value_name = "N", value_parser = cycles, help_heading = MACHINE, hide_short_help = true)]
    max_cycles: Option<NonZeroU32>,
    /// What happens to a warp whose operation is refused; overrides the machine file.
    #[arg(long, value_name = "POLICY", value_parser = fault_policy, help_heading = MACHINE, hide_short_help = true)]
    fault_policy: Option<FaultPolicy>,
    /// Which of the lanes that execute `elect.sync` together becomes the leader; overrides the machine file.
    #[arg(long, value_name = "POLICY", value_parser = leader_policy, help_heading = MACHINE, hide_short_help = true)]
    leader_policy: Option<LeaderPolicy>,
    /// Schedule that the run follows: a file that `bcu check --save-schedule` has written.
    #[arg(long, value_name = "FILE", help_heading = MACHINE, hide_short_help = true)]
    schedule: Option<PathBuf>,
    /// Engine that runs the unit; default: the model, and for a waveform the rust-hdl unit.
    #[arg(long, value_enum, value_name = "ENGINE", help_heading = MACHINE, hide_short_help = true)]
    engine: Option<Engine>,
}

fn fault_policy(text: &str) -> std::result::Result<FaultPolicy, String> {
    let found = FaultPolicy::ALL.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| format!("expected {}", FaultPolicy::ALL.map(|(name, _)| name).join(", ")))
}

fn cycles(text: &str) -> std::result::Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("expected a number from 1 to {}", u32::MAX))
}

fn sms(text: &str) -> std::result::Result<Multiprocessors, String> {
    let number: u32 = text.parse().map_err(|_| "expected a number from 1 to 64".to_string())?;
    Multiprocessors::try_from(number)
}

fn fill(text: &str) -> std::result::Result<Fill, String> {
    let found = Fill::ALL.iter().find(|(name, _)| *name == text).map(|(_, fill)| *fill);
    found.ok_or_else(|| format!("expected {}", Fill::ALL.map(|(name, _)| name).join(", ")))
}

fn assumption(text: &str) -> std::result::Result<Assumption, String> {
    let ways = AssumedGuard::ALL.map(|(name, _)| name).join(", ");
    let (line, way) = text.split_once('=').ok_or_else(|| "expected LINE=WAY, for instance `12=taken`".to_string())?;
    let line = line
        .parse()
        .ok()
        .filter(|line| *line > 0)
        .ok_or_else(|| format!("`{line}` is not a line number; expected 1 or more"))?;
    let way = AssumedGuard::ALL
        .iter()
        .find(|(name, _)| *name == way)
        .ok_or_else(|| format!("expected one of {ways} after the `=`"))?
        .1;
    Ok(Assumption { line, way })
}

fn leader_policy(text: &str) -> std::result::Result<LeaderPolicy, String> {
    let found = LeaderPolicy::ALL.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| format!("expected {}", LeaderPolicy::ALL.map(|(name, _)| name).join(", ")))
}

impl CaseArgs {
    /// The engine that runs the unit; `wave` is whether the run writes a waveform.
    pub fn engine(&self, wave: bool) -> Engine {
        self.engine.unwrap_or(if wave { Engine::Rtl } else { Engine::Model })
    }

    /// Whether the command line has the option `--engine`.
    pub fn names_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// The configuration of a run of `programs`: that of `--config`, or else the default for the language of the programs.
    fn config(&self, programs: &[PathBuf]) -> Result<Config> {
        config(self.config.as_deref().unwrap_or_else(|| self.usual(programs)))
    }

    /// If the size of the configuration is not compiled into this command, rebuilds the command and
    /// returns the result of the rebuilt command; otherwise `None`. The caller must not have read
    /// standard input before, because the rebuilt command reads it.
    pub fn rebuilt(&self, engine: Engine, programs: &[PathBuf], hardware: Option<&dyn Hardware>) -> Result<Option<Result>> {
        match hardware.filter(|_| engine != Engine::Model) {
            Some(hardware) => Ok(hardware.rebuilt(&self.config(programs)?)),
            None => Ok(None),
        }
    }

    /// Whether one of `programs`, or the machine file, is read from standard input.
    pub fn reads_input(&self, programs: &[PathBuf]) -> bool {
        programs.iter().chain(&self.machine).chain(&self.schedule).any(|path| path.as_os_str() == "-")
    }

    /// Reads the files that the arguments name. If `programs` is empty, the built-in program is
    /// used.
    pub fn load(&self, programs: &[PathBuf]) -> Result<Case> {
        self.load_seed(programs, None)
    }

    /// Like [`CaseArgs::load`], with this seed in place of that of the arguments.
    pub fn load_seed(&self, programs: &[PathBuf], seed: Option<u64>) -> Result<Case> {
        let inputs = programs.iter().chain(&self.machine).chain(&self.schedule).filter(|path| path.as_os_str() == "-").count();
        if inputs > 1 {
            return Err(Failure::plain(
                format!("`-` is given {inputs} times: standard input can be read only once"),
                Some("give at most one input as `-`, and the others as files"),
            ));
        }
        let config = self.config(programs)?;
        let description = match &self.machine {
            Some(path) => Source::read(path)?,
            None => Source { name: "machine".to_string(), text: String::new() },
        };
        // Options override the keys of the machine file.
        let mut machine = Machine::parse(&description.text).map_err(|e| description.errors(&[e]))?;
        machine.seed = seed.or(self.seed).unwrap_or(machine.seed);
        machine.on(self.sms);
        machine.fill = self.fill.unwrap_or(machine.fill);
        machine.max_cycles = self.max_cycles.unwrap_or(machine.max_cycles);
        machine.fault_policy = self.fault_policy.unwrap_or(machine.fault_policy);
        machine.assumptions = self.assumptions.clone();
        machine.leader_policy = self.leader_policy.unwrap_or(machine.leader_policy);
        if self.warps.is_some() && !machine.ctas.is_empty() {
            let help = "set `warps` in the machine file";
            return Err(Failure::plain("--warps cannot be used with a machine file that describes CTAs", Some(help)));
        }
        // If the machine file describes the CTAs, no option may describe them too.
        let lanes = config.lanes as u32;
        let shapes = [self.launch.grid, self.launch.cluster, self.launch.block];
        if (shapes.iter().any(Option::is_some) || self.launch.cooperative) && !machine.ctas.is_empty() {
            let help = "remove the options, or remove `[[cta]]` from the machine file";
            return Err(Failure::plain(
                "--grid, --cluster, --block and --cooperative cannot be used with a machine file that describes CTAs",
                Some(help),
            ));
        }
        // The shape of the launch, and whether its CTA fits the configuration.
        let mut launch = machine.launch(config.lanes);
        launch.threads = self.launch.block.or(self.warps.map(|w| [w.saturating_mul(lanes), 1, 1])).or(launch.threads);
        launch.grid = self.launch.grid.unwrap_or(launch.grid);
        launch.cluster = self.launch.cluster;
        launch.cooperative = self.launch.cooperative;
        launch.kernel = self.launch.kernel.clone();
        if let Some(warps) = launch.all_threads().map(|t| t.div_ceil(lanes)).filter(|w| *w as usize > config.warps) {
            let message = format!(
                "a CTA of {warps} warps does not fit the configuration, which has {} warps of {lanes} lanes",
                config.warps
            );
            return Err(Failure::plain(message, Some("use fewer warps, or a larger configuration: `bcu configs` lists them")));
        }
        // The programs: kernels with their launches, or texts that are assigned to warps.
        let (sources, compiled, launched) = self.sources(programs, &launch, machine.seed)?;
        let (session, outputs) = match launched {
            Some((ready, outputs)) => (Session::of_launches(config, &machine, ready), outputs),
            None => {
                let roles = self.roles.iter().flat_map(RoleArg::roles).collect();
                let cuda = sources.iter().flat_map(Program::cuda_kernels).collect();
                let launch = Launch { params: self.launch.integers()?, roles, cuda, ..launch };
                let assignment = programs::assignment(&sources, &launch)?;
                (Session::of_programs(config, &machine, assignment), vec![])
            }
        };
        let mut session = session.map_err(|error| Failure::plain(error.message, error.help.as_deref()))?;
        if let Some(path) = &self.schedule {
            let source = Source::read(path)?;
            let schedule = Schedule::parse(&source.text).map_err(|error| source.errors(&[error]))?;
            if schedule == Schedule::default() {
                let help = "`bcu check --save-schedule` writes such files";
                let message = format!("{}: the schedule has no `[[constraint]]` and no `[priorities]`", source.name);
                return Err(Failure::plain(message, Some(help)));
            }
            session
                .follow(&schedule)
                .map_err(|error| Failure::plain(format!("{}: {}", source.name, error.message), error.help.as_deref()))?;
        }
        let project = self.project.as_ref().map(|path| path.display().to_string());
        let setup = Setup { compiled, project, parts: session.parts() };
        Ok(Case { session, sources, description, outputs, setup })
    }

    /// The name of the configuration of a run without `--config`: `intel` for vISA programs, else `default`.
    fn usual(&self, programs: &[PathBuf]) -> &'static str {
        let by_name = || programs.iter().any(|path| Kind::from_file_name(&path.display().to_string()) == Some(Kind::Visa));
        match self.lang {
            Some(Lang::Visa) => "intel",
            None if by_name() => "intel",
            _ => "default",
        }
    }

    /// The texts of the programs; for a launch file or a single PTX kernel, the launches too.
    fn sources(
        &self,
        programs: &[PathBuf],
        launch: &Launch,
        seed: u64,
    ) -> Result<(Vec<Program>, Option<Compiled>, Option<Launched>)> {
        if let [path] = programs {
            if grids::is_launch_file(path) {
                let common = (launch, seed, self.lang);
                let given = self.launch.program.as_deref();
                let (program, compiled, launched) = grids::from_file(path, given, &self.launch, common)?;
                return Ok((vec![program], compiled, Some(launched)));
            }
        }
        if self.launch.program.is_some() {
            return Err(Failure::plain(
                "--program needs a launch file",
                Some("give the program itself as the input, without `--program`"),
            ));
        }
        let (sources, compiled) = read::read(programs, self.lang, &self.launch)?;
        let launched = match &sources[..] {
            [only] if self.roles.is_empty() && only.text().is_one_kernel(launch.kernel.as_deref()) => {
                Some(grids::from_args(only, &self.launch, (launch, seed))?)
            }
            _ => None,
        };
        Ok((sources, compiled, launched))
    }
}
