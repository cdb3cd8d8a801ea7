// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows of the table of speeds: each row replays one recorded stimulus, and must produce the recorded outputs.

use crate::{barriers, simulation};
use bcu_engine::{Engine, Inside, UnitVcd};
use bcu_hw::catalog;
use bcu_hw::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::ports::Dir;
use bcu_jit::Compiled;
use bcu_machine::trace::vcd::Vcd;
use bcu_model::dut::Dut;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use bcu_tb::lockstep::{first_difference, Bench, Recording, Replay};
use std::cell::RefCell;
use std::error::Error;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

pub type Failure = Box<dyn Error>;

pub const ENGINE: &str = "engine";
pub const SIMULATION: &str = "rust_hdl::Simulation";
const PORTS: &str = "engine, VCD of ports";
const INSIDE: &str = "engine, VCD of all";
const COMPILED: &str = "compiled";
const COMPILED_PORTS: &str = "compiled, VCD of ports";
const COMPILED_INSIDE: &str = "compiled, VCD of all";
const BATCH: &str = "verilated, one call";
const SINGLE: &str = "verilated, by cycle";
const MODEL: &str = "model at ports";
const BARRIERS: &str = "Barriers::apply";

/// Every row, in the order of the table.
pub const NAMES: [&str; 11] =
    [ENGINE, PORTS, INSIDE, SIMULATION, COMPILED, COMPILED_PORTS, COMPILED_INSIDE, BATCH, SINGLE, MODEL, BARRIERS];

/// The result of one replay.
pub struct Pass {
    /// Number of cycles, or number of operations.
    pub count: usize,
    /// Duration in seconds, without setup and checking.
    pub seconds: f64,
    /// Further figures of the replay as text for the last column, such as bytes of waveform per
    /// cycle.
    pub other_counts: String,
}

pub struct Row<'a> {
    pub name: &'static str,
    /// Unit of the row's speed.
    pub rate_unit: &'static str,
    pub replay: Box<dyn FnMut() -> Result<Pass, Failure> + 'a>,
}

/// The data that all rows share.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub unit: &'a str,
    pub config: &'a Config,
    pub bench: &'a Bench,
    pub recording: &'a Recording,
}

/// Counts the written bytes and discards them, so that the speed of the disk is not measured.
#[derive(Default)]
struct Written(u64);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Trace {
    Nothing,
    Ports,
    Everything,
}

impl<'a> Rows<'a> {
    /// All rows of the unit, or only the row `only`.
    pub fn build_rows(self, only: Option<&str>) -> Result<Vec<Row<'a>>, Failure> {
        let wanted = |name: &str| only.is_none_or(|only| only == name);
        let mut rows: Vec<Row<'a>> = vec![];
        for (name, trace) in [(ENGINE, Trace::Nothing), (PORTS, Trace::Ports), (INSIDE, Trace::Everything)] {
            rows.push(cycles(name, move || self.engine(trace)));
        }
        rows.push(cycles(SIMULATION, move || {
            let (seconds, values) = simulation::replay(self.build()?, self.recording)?;
            self.pass(seconds, values, String::new())
        }));
        let compiled = [(COMPILED, Trace::Nothing), (COMPILED_PORTS, Trace::Ports), (COMPILED_INSIDE, Trace::Everything)];
        for (name, trace) in compiled.into_iter().filter(|(name, _)| wanted(name)) {
            let unit = self.build()?;
            let (inside, mut code) = match trace {
                Trace::Everything => {
                    let inside = Inside::new(unit.block());
                    let code = Compiled::traced(unit, |atoms| inside.wires(atoms))?;
                    (inside, code)
                }
                _ => (Inside::default(), Compiled::new(unit)?),
            };
            rows.push(cycles(name, move || self.compiled(&mut code, &inside, trace)));
        }
        if wanted(BATCH) || wanted(SINGLE) {
            let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("verilated");
            let design = Verilated::build(&design(self.build()?.as_ref(), self.config)?, &cache, Optimisation::Full)?;
            let design_copy = design.clone();
            rows.push(cycles(BATCH, move || {
                let (mut instance, mut values) = (design.instance(1), self.untouched());
                let start = Instant::now();
                instance.run(&self.recording.inputs, &mut values)?;
                self.pass(start.elapsed().as_secs_f64(), values, String::new())
            }));
            rows.push(cycles(SINGLE, move || {
                let mut instance = design_copy.instance(1);
                let (seconds, values) = self.clock(|inputs, outputs| {
                    instance.cycle(inputs, outputs);
                    Ok(())
                })?;
                self.pass(seconds, values, String::new())
            }));
        }
        rows.push(cycles(MODEL, move || {
            let mut model = (self.bench.model)();
            let (seconds, values) = self.clock(|inputs, outputs| {
                model.cycle(inputs, outputs);
                Ok(())
            })?;
            self.pass(seconds, values, String::new())
        }));
        if self.unit == "named" {
            let work = barriers::Work::new(self.config, self.recording)?;
            rows.push(Row { name: BARRIERS, rate_unit: "operations/s", replay: Box::new(move || work.replay()) });
        }
        rows.retain(|row| wanted(row.name));
        Ok(rows)
    }

    fn build(&self) -> Result<Box<dyn Unit>, Failure> {
        let missing = || format!("`{}` is not in the catalogue in the size of `{}`", self.unit, self.config.name);
        Ok(catalog::build(self.config, self.unit).ok_or_else(missing)?)
    }

    /// A buffer for the outputs. Filling it makes the system allocate its memory before the
    /// measurement. The value is one that only a 64-bit port can output, so a missing output is
    /// noticed.
    fn untouched(&self) -> Vec<u64> {
        vec![u64::MAX; self.recording.outputs.len()]
    }

    /// Clocks the unit through the recording. Returns the seconds and the outputs.
    fn clock(&self, mut cycle: impl FnMut(&[u64], &mut [u64]) -> Result<(), Failure>) -> Result<(f64, Vec<u64>), Failure> {
        let [ins, outs] = [Dir::In, Dir::Out].map(|dir| self.recording.width(dir));
        let mut values = self.untouched();
        let start = Instant::now();
        for (inputs, outputs) in self.recording.inputs.chunks_exact(ins).zip(values.chunks_exact_mut(outs)) {
            cycle(inputs, outputs)?;
        }
        Ok((start.elapsed().as_secs_f64(), values))
    }

    /// The result of a replay. Fails if the outputs differ from the recorded ones, because the
    /// speed of a wrong replay is meaningless.
    fn pass(&self, seconds: f64, values: Vec<u64>, other_counts: String) -> Result<Pass, Failure> {
        match first_difference(self.recording, &Replay { values, unknown: vec![] }) {
            None => Ok(Pass { count: self.recording.cycles(), seconds, other_counts }),
            Some(found) => {
                let outputs: Vec<_> = self.recording.ports.iter().filter(|p| p.dir == Dir::Out).collect();
                let names: Vec<_> = found.ports.iter().map(|at| outputs[*at].name.as_str()).collect();
                let place = format!("cycle {}, {}", found.cycle, names.join(", "));
                Err(format!("the outputs differ from the model's ({place}); run `cargo test -p bcu-tb lockstep`").into())
            }
        }
    }

    fn compiled(&self, code: &mut Compiled, inside: &Inside, trace: Trace) -> Result<Pass, Failure> {
        code.restart();
        let mut vcd = inside.start(Written::default(), (self.unit, &self.recording.ports), &[])?;
        let (seconds, values) = self.clock(|inputs, outputs| {
            code.cycle(inputs, outputs);
            if trace != Trace::Nothing {
                vcd.inside().values().copy_from_slice(code.traced_values());
                vcd.cycle(inputs, outputs)?;
            }
            Ok(())
        })?;
        let written = vcd.finish()?;
        let other_counts = match trace {
            Trace::Nothing => String::new(),
            _ => format!("{:.1} bytes/cycle", written.0 as f64 / self.recording.cycles() as f64),
        };
        self.pass(seconds, values, other_counts)
    }

    fn engine(&self, trace: Trace) -> Result<Pass, Failure> {
        let mut engine = Engine::new(self.build()?);
        let vcd = match trace {
            Trace::Everything => UnitVcd::new(Written::default(), engine.unit(), &[])?,
            _ => Vcd::of_ports(Written::default(), self.unit, &self.recording.ports, &[])?.into(),
        };
        let vcd = Rc::new(RefCell::new(vcd));
        if trace == Trace::Everything {
            let vcd = vcd.clone();
            engine.watch(move |block| vcd.borrow_mut().capture(block));
        }
        let (seconds, values) = self.clock(|inputs, outputs| {
            engine.cycle(inputs, outputs);
            if trace != Trace::Nothing {
                vcd.borrow_mut().vcd.cycle(inputs, outputs)?;
            }
            Ok(())
        })?;
        if let Some(failure) = engine.failure() {
            return Err(failure.clone().into());
        }
        let cycles = self.recording.cycles() as f64;
        let passes = engine.passes() as f64 / cycles;
        // The engine holds a second reference to the waveform, but `Rc::into_inner` needs the only
        // reference. So the engine is dropped first.
        drop(engine);
        let written = Rc::into_inner(vcd).ok_or("the trace is still in use")?.into_inner().vcd.finish()?;
        let other_counts = match trace {
            Trace::Nothing => format!("{passes:.1} passes/cycle"),
            _ => format!("{:.1} bytes/cycle", written.0 as f64 / cycles),
        };
        self.pass(seconds, values, other_counts)
    }
}

fn cycles<'a>(name: &'static str, replay: impl FnMut() -> Result<Pass, Failure> + 'a) -> Row<'a> {
    Row { name, rate_unit: "cycles/s", replay: Box::new(replay) }
}
