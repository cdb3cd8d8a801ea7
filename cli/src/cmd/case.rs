// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `bcu run` and `bcu check` run: programs on a machine around a configuration of the unit.

mod grids;
mod language;
mod launch;
mod nvcc;
mod programs;
mod ran;

use super::config::config;
use crate::diag::Source;
use crate::failure::{Failure, Result};
use crate::hardware::{Device, Engine, Hardware};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;
use bcu_machine::report::UnknownValue;
use bcu_machine::{
    Assumption, Cycle, FaultPolicy, Fill, LeaderPolicy, Machine, Multiprocessors, Report, RunError, Stopped, Verdict, Way,
};
use bcu_model::dut::Dut;
use bcu_model::Sizes;
use bcu_program::launch::{Left, Mismatch};
use bcu_program::{runs, Kind, Launch, Variable};
use grids::Grids;
use language::Lang;
use launch::LaunchArgs;
use programs::RoleArg;
pub use programs::{Program, Team};
pub use ran::Ran;
use ran::{of_run, of_unit};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The arguments that say what to run.
#[derive(clap::Args)]
pub struct CaseArgs {
    /// Hardware configuration: a name (`bcu configs` lists them) or a TOML file; default: `default`, and for vISA `xe`.
    #[arg(long, value_name = "NAME|FILE")]
    config: Option<String>,
    /// Machine around the unit: a TOML file, see `bcu run --help`.
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// Language of the programs; default: by the endings `.bcu`, `.ptx` and `.visa`, of standard input by its first statement.
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<Lang>,
    /// Warps of the CTA; default: as the program says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    warps: Option<u32>,
    /// Which warps execute a PTX entry or, with several programs, a file: `producer=0`, `consumer=1-3`, `math=1,4-7`.
    #[arg(long = "role", value_name = "ENTRY=WARPS")]
    roles: Vec<RoleArg>,
    #[command(flatten)]
    launch: LaunchArgs,
    /// What becomes of a warp whose operation is refused; overrides the machine file.
    #[arg(long, value_name = "POLICY", value_parser = fault_policy)]
    fault_policy: Option<FaultPolicy>,
    /// Which of the lanes that meet at `elect.sync` leads; overrides the machine file.
    #[arg(long, value_name = "POLICY", value_parser = leader_policy)]
    leader_policy: Option<LeaderPolicy>,
    /// Multiprocessors that CTAs are launched on; overrides the machine file. Default: 1, or as many as the configuration has with clusters of several CTAs or launches that overlap.
    #[arg(long, value_name = "N", value_parser = sms)]
    sms: Option<Multiprocessors>,
    /// Seed of everything random; overrides the machine file.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What shared and local memory hold before a PTX program writes them; overrides the machine file.
    #[arg(long, value_name = "unknown|zero|random", value_parser = fill)]
    fill: Option<Fill>,
    /// Take the guard at this line for true, false or either by the seed where nobody knows it: `12=taken`.
    #[arg(long = "assume", value_name = "LINE=taken|not|random", value_parser = assumption)]
    assumptions: Vec<Assumption>,
    /// Cycles after which a run is stopped as unfinished; overrides the machine file.
    #[arg(long, value_name = "N")]
    max_cycles: Option<NonZeroU32>,
    /// What plays the unit; default: the model, and for a waveform the rust-hdl unit.
    #[arg(long, value_enum, value_name = "ENGINE")]
    engine: Option<Engine>,
}

/// How to print what came out.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// Everything that a run needs, read and checked.
pub struct Case {
    pub config: Config,
    pub machine: Machine,
    pub sources: Vec<Program>,
    pub team: Team,
    description: Source,
    /// Runs before, each of launches that may overlap, on machines of their own.
    earlier: Vec<(Machine, Team)>,
    grids: Option<Grids>,
}

fn fault_policy(text: &str) -> std::result::Result<FaultPolicy, String> {
    let found = FaultPolicy::ALL.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| format!("expected {}", FaultPolicy::ALL.map(|(name, _)| name).join(", ")))
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
    let ways = Way::ALL.map(|(name, _)| name).join(", ");
    let (line, way) = text.split_once('=').ok_or_else(|| "expected LINE=WAY, for instance `12=taken`".to_string())?;
    let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(|| format!("`{line}` is no line, from 1 on"))?;
    let way = Way::ALL.iter().find(|(name, _)| *name == way).ok_or_else(|| format!("expected one of {ways} behind the `=`"))?.1;
    Ok(Assumption { line, way })
}

fn leader_policy(text: &str) -> std::result::Result<LeaderPolicy, String> {
    let found = LeaderPolicy::ALL.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| format!("expected {}", LeaderPolicy::ALL.map(|(name, _)| name).join(", ")))
}

impl CaseArgs {
    /// What plays the unit in a run that writes a waveform, or in one that does not.
    pub fn engine(&self, wave: bool) -> Engine {
        self.engine.unwrap_or(if wave { Engine::Rtl } else { Engine::Model })
    }

    /// Whether the user has said what plays the unit.
    pub fn names_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// The configuration of a run of these programs.
    fn config(&self, programs: &[PathBuf]) -> Result<Config> {
        config(self.config.as_deref().unwrap_or_else(|| self.usual(programs)))
    }

    /// The result of a rebuilt command, if the size is not compiled into this one; before anything is read from standard input.
    pub fn rebuilt(&self, engine: Engine, programs: &[PathBuf], hardware: Option<&dyn Hardware>) -> Result<Option<Result>> {
        match hardware.filter(|_| engine != Engine::Model) {
            Some(hardware) => Ok(hardware.rebuilt(&self.config(programs)?)),
            None => Ok(None),
        }
    }

    /// Whether something is read from standard input.
    pub fn reads_input(&self, programs: &[PathBuf]) -> bool {
        programs.iter().chain(&self.machine).any(|path| path.as_os_str() == "-")
    }

    /// Reads the files; of `programs` none is the built-in program.
    pub fn load(&self, programs: &[PathBuf]) -> Result<Case> {
        let inputs = programs.iter().chain(&self.machine).filter(|path| path.as_os_str() == "-").count();
        if inputs > 1 {
            return Err(Failure::plain(
                "standard input, `-`, can be read once only",
                Some("put all but one of the texts in files"),
            ));
        }
        let config = self.config(programs)?;
        let description = match &self.machine {
            Some(path) => Source::read(path)?,
            None => Source { name: "machine".to_string(), text: String::new() },
        };
        let mut machine = Machine::parse(&description.text).map_err(|e| description.errors(&[e]))?;
        machine.seed = self.seed.unwrap_or(machine.seed);
        machine.on(self.sms);
        machine.fill = self.fill.unwrap_or(machine.fill);
        machine.max_cycles = self.max_cycles.unwrap_or(machine.max_cycles);
        machine.fault_policy = self.fault_policy.unwrap_or(machine.fault_policy);
        machine.assumptions = self.assumptions.clone();
        machine.leader_policy = self.leader_policy.unwrap_or(machine.leader_policy);
        if self.warps.is_some() && !machine.ctas.is_empty() {
            let help = "give `warps` there";
            return Err(Failure::plain("--warps does not go with a machine file that describes CTAs", Some(help)));
        }
        let lanes = config.lanes as u32;
        let shapes = [self.launch.grid, self.launch.cluster, self.launch.block];
        if shapes.iter().any(Option::is_some) && !machine.ctas.is_empty() {
            let help = "leave out either the options or `[[cta]]`";
            return Err(Failure::plain(
                "--grid, --cluster and --block do not go with a machine file that describes CTAs",
                Some(help),
            ));
        }
        let mut launch = machine.launch(config.lanes);
        launch.threads = self.launch.block.or(self.warps.map(|w| [w.saturating_mul(lanes), 1, 1])).or(launch.threads);
        launch.grid = self.launch.grid.unwrap_or(launch.grid);
        launch.cluster = self.launch.cluster;
        launch.kernel = self.launch.kernel.clone();
        if let Some(warps) = launch.all_threads().map(|t| t.div_ceil(lanes)).filter(|w| *w as usize > config.warps) {
            let message = format!("a CTA of {warps} warps, but the configuration has {} warps of {lanes} lanes", config.warps);
            return Err(Failure::plain(message, Some("take fewer warps, or a larger configuration: `bcu configs` lists them")));
        }
        let (sources, grids) = self.sources(programs, &launch, machine.seed)?;
        let mut teams: Vec<Team> = match &grids {
            None => vec![programs::load(&sources, &config, Launch { params: self.launch.integers()?, ..launch }, &self.roles)?],
            Some(grids) => runs(&grids.ready.launches).into_iter().map(Team::of_one).collect(),
        };
        for assumption in &self.assumptions {
            if !teams.iter().any(|team| assumption.fits(&team.run.programs)) {
                let message = format!("--assume: line {} has no instruction with a guard", assumption.line);
                return Err(Failure::plain(message, Some("name the line of a branch or barrier that begins with `@`")));
            }
        }
        let Some(team) = teams.pop() else { return Err(Failure::plain("nothing is launched", None)) };
        let earlier = teams.into_iter().map(|team| (machine.of_run(&team.run), team)).collect();
        let machine = machine.of_run(&team.run);
        Ok(Case { config, machine, sources, team, description, earlier, grids })
    }

    /// The configuration of a run that names none.
    fn usual(&self, programs: &[PathBuf]) -> &'static str {
        let by_name = || programs.iter().any(|path| Kind::of(&path.display().to_string()) == Some(Kind::Visa));
        match self.lang {
            Some(Lang::Visa) => "xe",
            None if by_name() => "xe",
            _ => "default",
        }
    }

    /// The texts of the programs; of a launch file or of one PTX kernel also its launches.
    fn sources(&self, programs: &[PathBuf], launch: &Launch, seed: u64) -> Result<(Vec<Program>, Option<Grids>)> {
        if let [path] = programs {
            if grids::is_launch_file(path) {
                let common = (launch, seed, self.lang);
                let given = self.launch.program.as_deref();
                let (program, grids) = grids::from_file(path, given, &self.launch, common)?;
                return Ok((vec![program], Some(grids)));
            }
        }
        if self.launch.program.is_some() {
            return Err(Failure::plain("--program goes with a launch file", Some("name the program itself")));
        }
        let sources = programs::read(&nvcc::prepare(programs, &self.launch.arch)?.paths, self.lang)?;
        let grids = match &sources[..] {
            [only] if self.roles.is_empty() && only.one_kernel(launch.kernel.as_deref()) => {
                Some(grids::from_args(only, &self.launch, (launch, seed))?)
            }
            _ => None,
        };
        Ok((sources, grids))
    }
}

impl Case {
    /// Shows what the loaders think of the programs.
    pub fn warn(&self) {
        for (file, program) in self.sources.iter().enumerate() {
            let of_file = self.team.warnings.iter().filter(|(of, _)| *of == file);
            program.source.warn(&of_file.map(|(_, warning)| warning.clone()).collect::<Vec<_>>());
        }
    }

    /// How a buffer is not as it should be after a run; if an element is unknown, also where it comes from.
    pub fn mismatch(&self, mismatch: &Mismatch, report: &Report) -> String {
        let at = self.grids.as_ref().and_then(|grids| grids.ready.unknown_at(mismatch));
        let is = |lost: &&UnknownValue| at.is_some_and(|at| (lost.address..lost.address + lost.bytes).contains(&at));
        let from = report.unknown_values.iter().find(is);
        let from = from.map_or(String::new(), |lost| format!("\n  the first unknown one was {lost}"));
        format!("error: {mismatch}{from}")
    }

    /// The programs' files, for headings.
    pub fn name(&self) -> String {
        self.sources.iter().map(Program::file_name).collect::<Vec<_>>().join(", ")
    }

    /// A program that cannot go on; what is wrong with it is a failed check.
    fn stopped(&self, team: &Team, warp: usize, stopped: &Stopped) -> Failure {
        let file = team.files.get(warp).copied().unwrap_or(0);
        let Some(program) = self.sources.get(file) else { return Failure::plain(stopped.diagnostic.message.clone(), None) };
        match stopped.wrong {
            true => program.source.failed(&[stopped.diagnostic.clone()]),
            false => program.source.errors(&[stopped.diagnostic.clone()]),
        }
    }

    /// Warp slots of all multiprocessors.
    pub fn warp_slots(&self) -> Result<usize> {
        let several = self.unit()? != WHOLE;
        Ok(self.config.warps * if several { self.config.sms } else { 1 })
    }

    /// The unit that all launches can run on.
    pub fn unit(&self) -> Result<&'static str> {
        let mut name = WHOLE;
        for (machine, team) in self.earlier.iter().map(|(machine, team)| (machine, team)).chain([(&self.machine, &self.team)]) {
            let needed = bcu_machine::unit(machine, &self.config, &team.run.programs).map_err(|error| self.misfit(error))?;
            name = if needed == WHOLE { name } else { needed };
        }
        Ok(name)
    }

    /// The ports of that unit.
    pub fn ports(&self) -> Result<Vec<Port>> {
        let sizes = Sizes::try_from(&self.config).map_err(|error| Failure::plain(error, None))?;
        let name = self.unit()?;
        let none = || Failure::plain(format!("there is no model of `{name}`"), None);
        Ok(bcu_model::by_name(name, sizes).ok_or_else(none)?.ports().to_vec())
    }

    /// What plays that unit in the place of the model.
    pub fn device(&self, engine: Engine, hardware: Option<&dyn Hardware>) -> Result<Option<Box<dyn Device>>> {
        let of = |hardware: &dyn Hardware| hardware.device(engine, &self.config, self.unit()?);
        hardware.filter(|_| engine != Engine::Model).map(of).transpose()
    }

    /// Machine, programs and configuration do not fit.
    fn misfit(&self, error: Diagnostic) -> Failure {
        match self.description.text.is_empty() || error.span.is_empty() {
            false => self.description.errors(&[as_written(error, &self.description.text)]),
            true => Failure::plain(error.message, error.help.as_deref()),
        }
    }

    /// Runs on a device, or on the model.
    pub fn run(&self, device: &mut Option<Box<dyn Device>>, engine: Engine, observe: &mut dyn FnMut(&Cycle)) -> Result<Ran> {
        let mut variables = self.grids.as_ref().map_or(vec![], |grids| grids.ready.memory.clone());
        for (machine, team) in &self.earlier {
            let ran = self.launch(device, (machine, team), &mut variables, &mut |_| {})?;
            let good = ran.report.as_ref().is_some_and(|report| report.verdict == Verdict::Completed);
            if !good || ran.error.is_some() {
                return Ok(ran);
            }
        }
        let mut ran = self.launch(device, (&self.machine, &self.team), &mut variables, observe)?;
        if let Some(report) = &mut ran.report {
            report.engine = Some(engine.name());
        }
        if let Some(grids) = &self.grids {
            ran.left = grids.finish(&variables)?;
        }
        Ok(ran)
    }

    fn launch(
        &self,
        device: &mut Option<Box<dyn Device>>,
        (machine, team): (&Machine, &Team),
        variables: &mut Vec<Variable>,
        observe: &mut dyn FnMut(&Cycle),
    ) -> Result<Ran> {
        let dut = device.as_mut().map(|device| -> &mut dyn Dut { &mut **device });
        let report = bcu_machine::run_with(dut, &self.config, machine, &team.run.programs, variables, observe);
        if let Err(RunError::Program { warp, stopped, .. }) = &report {
            return Err(self.stopped(team, *warp, stopped));
        }
        if let Err(RunError::Misfit(error)) = report {
            return Err(self.misfit(error));
        }
        let failure = device.as_ref().and_then(|device| device.failure());
        let error = failure.map(of_unit).or_else(|| report.as_ref().err().map(of_run));
        Ok(Ran { report: report.ok(), error, left: Left::default() })
    }
}

/// A complaint about a number that stands in `text` with 0x, 0o or 0b names it so, too.
fn as_written(mut error: Diagnostic, text: &str) -> Diagnostic {
    let written = text.get(error.span.clone()).unwrap_or("");
    let digits =
        [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(front, base)| Some((written.strip_prefix(front)?, base)));
    if let Some(value) = digits.and_then(|(digits, base)| u64::from_str_radix(&digits.replace('_', ""), base).ok()) {
        let value = value.to_string();
        let words: Vec<&str> = error.message.split(' ').map(|word| if word == value { written } else { word }).collect();
        error.message = words.join(" ");
    }
    error
}
