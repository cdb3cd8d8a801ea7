// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep of the project's units: the simulators available for a unit of a configuration, and long campaigns.

use super::backends::{Backend, BackendError, CompiledBackend, EngineBackend, IcarusBackend, VerilatorBackend};
use super::bench::{Bench, Entrant, LockstepError};
use super::recording::Recording;
use super::report::Case;
use crate::cosim::reset::with_sync_reset;
use crate::cosim::verilator::{Optimisation, Verilated};
use crate::cosim::{CosimError, Design};
use crate::stimulus::error::StimulusError;
use crate::stimulus::for_unit;
use crate::stimulus::shape::Shape;
use bcu_hw::catalog;
use bcu_hw::export::{self, ExportError};
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{Options, Reset};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units;
use bcu_model::dut::Dut;
use bcu_model::sizes::SizeError;
use bcu_model::{by_name, Sizes};
use std::path::{Path, PathBuf};

/// Number of cycles of one seed in a campaign: a new seed with other parameters finds more than further cycles of the same seed.
pub const EPISODE: usize = 5_000;

/// Seed of the initial register values of a verilated unit.
pub const POWER_UP: u64 = 1;

/// The only simulator that runs the unit, beside the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lone {
    /// The machine code of the unit's netlist.
    Compiled,
    /// The unit's export under Verilator.
    Verilator,
}

/// The number of cycles that each simulator runs in total; `cycles` is the number for the model and for the machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    pub cycles: usize,
    /// Cycles of the rust-hdl block; 0 excludes it.
    pub block: usize,
    /// Cycles of Verilator; 0 excludes it.
    pub verilator: usize,
    /// Cycles of Icarus; 0 excludes it.
    pub icarus: usize,
}

/// Why a bench for a unit cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error("unit `{unit}` does not exist in configuration `{config}`; the units are {}", units::UNITS.join(", "))]
    NoUnit { unit: String, config: String },
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error("`{unit}`: the ports of the model differ from those of the unit: {what}")]
    Ports { unit: String, what: String },
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Cosim(#[from] CosimError),
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Lockstep(#[from] LockstepError),
}

impl BenchError {
    /// Whether the host caused the failure, for example by a missing tool, and not the unit.
    pub fn is_of_host(&self) -> bool {
        match self {
            BenchError::Cosim(error) => error.is_of_host(),
            BenchError::Backend(error) | BenchError::Lockstep(LockstepError::Backend { source: error, .. }) => {
                error.is_of_host()
            }
            _ => false,
        }
    }
}

/// The units of a configuration that are compared. `gpu` is included only if all multiprocessors together have at most 16 warps; in
/// larger configurations only the parts of `gpu` are compared.
pub fn compared(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    let is_small = config.warps * config.sms <= 16;
    catalog::built(config).filter(move |unit| *unit != units::SEVERAL || is_small)
}

/// The sizes that the stimulus uses.
pub fn shape(config: &Config) -> Shape {
    let Config { warps, lanes, cta_slots, barriers, pack_lsb, accesses_per_cycle, .. } = config;
    let numbers = [warps, lanes, cta_slots, barriers, pack_lsb, accesses_per_cycle].map(|number| *number as u64);
    let [warps, lanes, slots, barriers, pack_lsb, accesses_per_cycle] = numbers;
    let (words, limit_bits) = (config.smem_bytes as u64 / 8, config.limit_bits as u64);
    Shape {
        lanes,
        warps,
        slots,
        barriers,
        gateway_ids: config.gateway_ids as u64,
        pack_lsb,
        accesses_per_cycle,
        words,
        limit_bits,
        cluster_size: config.cluster_size as u64,
        cluster_slots: config.cluster_slots as u64,
        grids: config.grid_slots as u64,
        has_grids: config.has_grids(),
        sms: config.sms as u64,
        mbarriers: config.has_mbarrier(),
    }
}

/// The Verilog text of a unit for the simulators.
pub fn design(unit: &dyn Unit, config: &Config) -> Result<Design, BenchError> {
    design_with(unit, config, Reset::default())
}

/// As [`design`], with the reset `reset`.
pub fn design_with(unit: &dyn Unit, config: &Config, reset: Reset) -> Result<Design, BenchError> {
    Ok(design_of_text(unit.name(), export::text_with(config, unit.name(), reset)?, unit.ports(), reset.is_async_low))
}

/// The design with the text `text` of a unit.
fn design_of_text(unit: &str, text: String, ports: Vec<Port>, has_async_reset: bool) -> Design {
    let top = Options::new(unit).top;
    match has_async_reset {
        true => with_sync_reset(&text, &top, ports),
        false => Design { text, top, ports },
    }
}

/// Checks that a unit has a model with the same ports, and returns its sizes.
fn reference(unit: &str, config: &Config, ports: &[Port]) -> Result<Sizes, BenchError> {
    let sizes = Sizes::try_from(config)?;
    let no_unit = || BenchError::NoUnit { unit: unit.to_string(), config: config.name.clone() };
    let model = by_name(unit, sizes).ok_or_else(no_unit)?;
    let show = |p: Option<&Port>| p.map_or("nothing".to_string(), shown);
    for at in 0..ports.len().max(model.ports().len()) {
        let [given_port, model_port] = [show(ports.get(at)), show(model.ports().get(at))];
        if given_port != model_port {
            let what = format!("port {at} is {given_port} in the unit, {model_port} in the model");
            return Err(BenchError::Ports { unit: unit.to_string(), what });
        }
    }
    Ok(sizes)
}

/// The properties of a port that the unit's description and the model must have in common, as text.
fn shown(port: &Port) -> String {
    let Port { name, dir, width, values, channel, when, .. } = port;
    let part = channel.as_ref().map_or(String::new(), |c| format!(", {:?} of {}", c.part, c.name));
    let always = if when.is_empty() { ", significant in every cycle" } else { "" };
    format!("{dir:?} {name} of {width} bits {values:?}{part}{always}")
}

/// A bench with the model, the machine code, the rust-hdl block, and the export under Verilator and under Icarus. A simulator whose cycles
/// in `effort` are 0 is omitted. The simulators use folders under `directory`. `make` creates the unit that is compared and exported.
pub fn bench_of(
    make: Box<dyn Fn() -> Box<dyn Unit>>,
    config: &Config,
    effort: Effort,
    directory: PathBuf,
) -> Result<Bench, BenchError> {
    let built = make();
    let (name, ports) = (built.name(), built.ports());
    let sizes = reference(name, config, &ports)?;
    let code = CompiledBackend::new(make()).map_err(|error| BenchError::Backend(error.into()))?;
    let mut entrants = vec![Entrant { backend: Box::new(code) as Box<dyn Backend>, cycles_left: effort.cycles }];
    if effort.block > 0 {
        entrants.push(Entrant { backend: Box::new(EngineBackend { make }), cycles_left: effort.block });
    }
    if effort.verilator > 0 {
        let design = verilated(built.as_ref(), config, Optimisation::for_cycles(effort.verilator), &directory)?;
        let backend = VerilatorBackend { design, ports: ports.clone(), seed: POWER_UP };
        entrants.push(Entrant { backend: Box::new(backend), cycles_left: effort.verilator });
    }
    if effort.icarus > 0 {
        let backend = IcarusBackend { design: design(built.as_ref(), config)?, directory };
        entrants.push(Entrant { backend: Box::new(backend), cycles_left: effort.icarus });
    }
    Ok(Bench { ports, model: model(name, sizes), entrants })
}

/// A constructor of models for a unit that [`reference`] has checked.
fn model(name: &'static str, sizes: Sizes) -> Box<dyn Fn() -> Box<dyn Dut>> {
    Box::new(move || by_name(name, sizes).unwrap_or_else(|| unreachable!("`{name}` has a model")))
}

/// The export of a unit under Verilator, which uses folders under `directory`.
pub fn verilated(
    unit: &dyn Unit,
    config: &Config,
    optimisation: Optimisation,
    directory: &Path,
) -> Result<Verilated, BenchError> {
    Ok(Verilated::build(&design(unit, config)?, &directory.join("verilated"), optimisation)?)
}

/// A bench with the model and one simulator, which runs every cycle, for a unit of the catalogue.
pub fn bench_alone(unit: &str, config: &Config, lone: Lone, cycles: usize, directory: PathBuf) -> Result<Bench, BenchError> {
    let no_unit = || BenchError::NoUnit { unit: unit.to_string(), config: config.name.clone() };
    let built = catalog::build(config, unit).ok_or_else(no_unit)?;
    let (name, ports) = (built.name(), built.ports());
    let sizes = reference(name, config, &ports)?;
    let backend: Box<dyn Backend> = match lone {
        Lone::Compiled => Box::new(CompiledBackend::new(built).map_err(|error| BenchError::Backend(error.into()))?),
        Lone::Verilator => {
            let design = verilated(built.as_ref(), config, Optimisation::for_cycles(cycles), &directory)?;
            Box::new(VerilatorBackend { design, ports: ports.clone(), seed: POWER_UP })
        }
    };
    Ok(Bench { ports, model: model(name, sizes), entrants: vec![Entrant { backend, cycles_left: cycles }] })
}

/// A bench with the model, and the Verilog `text` of a unit's module under Verilator and under Icarus. A simulator whose cycles in `effort`
/// are 0 is omitted. `has_async_reset`: the reset of the module is asynchronous and active low.
pub fn bench_of_text(
    unit: &'static str,
    config: &Config,
    text: &str,
    has_async_reset: bool,
    effort: Effort,
    directory: PathBuf,
) -> Result<Bench, BenchError> {
    let sizes = Sizes::try_from(config)?;
    let no_unit = || BenchError::NoUnit { unit: unit.to_string(), config: config.name.clone() };
    let ports = by_name(unit, sizes).ok_or_else(no_unit)?.ports().to_vec();
    let design = design_of_text(unit, text.to_string(), ports.clone(), has_async_reset);
    let verilated = Verilated::build(&design, &directory.join("verilated"), Optimisation::for_cycles(effort.verilator))?;
    let verilator = VerilatorBackend { design: verilated, ports: ports.clone(), seed: POWER_UP };
    let mut entrants = vec![Entrant { backend: Box::new(verilator) as Box<dyn Backend>, cycles_left: effort.verilator }];
    if effort.icarus > 0 {
        entrants.push(Entrant { backend: Box::new(IcarusBackend { design, directory }), cycles_left: effort.icarus });
    }
    Ok(Bench { ports, model: model(unit, sizes), entrants })
}

/// [`bench_of`] for a unit of the catalogue.
pub fn bench(unit: &str, config: &Config, effort: Effort, directory: PathBuf) -> Result<Bench, BenchError> {
    let no_unit = || BenchError::NoUnit { unit: unit.to_string(), config: config.name.clone() };
    catalog::build(config, unit).ok_or_else(no_unit)?;
    let (name, wanted) = (unit.to_string(), config.clone());
    // A unit of this name and these sizes has already been built above.
    let make = move || catalog::build(&wanted, &name).unwrap_or_else(|| unreachable!("`{name}` is in the catalogue"));
    bench_of(Box::new(make), config, effort, directory)
}

/// Runs seeds from `seed` on, [`EPISODE`] cycles each, until `effort.cycles` are done. `command` returns the command that repeats a seed
/// for a number of cycles. `see` is called with every recording.
pub fn campaign(
    bench: &mut Bench,
    unit: &str,
    config: &Config,
    effort: Effort,
    seed: u64,
    command: &dyn Fn(u64, usize) -> String,
    see: &mut dyn FnMut(&Recording),
) -> Result<(), BenchError> {
    let mut cycles_left = effort.cycles;
    for seed in (0..).map(|number| seed.wrapping_add(number)) {
        let cycles = cycles_left.min(EPISODE);
        if cycles == 0 {
            break;
        }
        let names = [unit.to_string(), config.name.clone()];
        let [unit, config_name] = names;
        let case = Case { command: command(seed, cycles), unit, config: config_name, seed, cycles };
        let mut stimulus = for_unit(&case.unit, &bench.ports, shape(config), seed)?;
        see(&bench.run(&case, stimulus.as_mut())?);
        cycles_left -= cycles;
    }
    Ok(())
}

/// [`bench`] and [`campaign`] in one: a unit of the catalogue from `seed` on.
pub fn lockstep(
    unit: &str,
    config: &Config,
    effort: Effort,
    seed: u64,
    directory: PathBuf,
    command: &dyn Fn(u64, usize) -> String,
    see: &mut dyn FnMut(&Recording),
) -> Result<(), BenchError> {
    let mut bench = bench(unit, config, effort, directory)?;
    campaign(&mut bench, unit, config, effort, seed, command, see)
}
