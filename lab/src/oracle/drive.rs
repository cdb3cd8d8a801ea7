// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Episodes: a legal user drives the model, the Verilog replays the inputs, and an oracle checks the outputs of the Verilog.

use super::pins::{Pin, Pins};
use super::units::oracle;
use anyhow::{Context, Result};
use bcu_hw::catalog;
use bcu_hw::export::options;
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{export_faulty, Fault, Options};
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::{shown_by_name, Sizes};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::legal::catalog::for_unit;
use bcu_tb::lockstep::channels::{channels, show_cycle, Channel, Event};
use bcu_tb::lockstep::units::{design, POWER_UP};
use std::path::Path;

/// Number of cycles of an episode. Each episode has a seed of its own.
pub const EPISODE: usize = 10_000;

/// The maximum number of cycles that are printed with a failure, including the cycle of the failure.
const HISTORY: usize = 20;

/// A verilated unit under test.
pub struct Bench {
    unit: &'static str,
    config: Config,
    pub ports: Vec<Port>,
    design: Verilated,
    /// Output channels of the unit.
    offers: Vec<Channel>,
}

/// The result of an episode.
pub struct Episode {
    pub operations: u64,
    pub cycles: u64,
    /// Number of cycles in which an output channel was valid and not ready, over all output channels of the unit.
    pub stalls: u64,
    pub failure: Option<Failure>,
    /// An error of the model that ends the episode: the legal user detects that the model exceeds a time limit of the user. No page
    /// specifies these limits.
    pub complaint: Option<String>,
}

/// An error that an oracle detects.
pub struct Failure {
    pub cycle: u64,
    pub what: String,
    /// The port values of the cycles up to the error.
    pub history: String,
}

impl Bench {
    /// Verilates the unit, with `fault` in it if given. Compiled files are stored under `directory`.
    ///
    /// # Errors
    /// If there is no such unit, the fault cannot be inserted, or a tool fails.
    pub fn new(
        unit: &'static str,
        config: &Config,
        fault: Option<&Fault>,
        optimisation: Optimisation,
        directory: &Path,
    ) -> Result<Bench> {
        let built =
            catalog::build(config, unit).with_context(|| format!("configuration `{}` has no unit `{unit}`", config.name))?;
        let design = match fault {
            None => design(built.as_ref(), config)?,
            Some(fault) => faulty(built.as_ref(), fault)?,
        };
        let design = Verilated::build(&design, &directory.join("verilated"), optimisation)?;
        let ports = built.ports();
        let offers =
            channels(&ports).into_iter().filter(|channel| channel.ready.as_ref().is_some_and(|pin| pin.port.dir == Dir::In));
        let offers = offers.collect();
        Ok(Bench { unit, config: config.clone(), ports, design, offers })
    }

    /// Runs one seed.
    ///
    /// # Errors
    /// If the unit has no legal user or no oracle.
    pub fn episode(&self, seed: u64, cycles: usize) -> Result<Episode> {
        let (inputs, complaint) = self.inputs(seed, cycles)?;
        let widths = [Dir::In, Dir::Out].map(|dir| self.ports.iter().filter(|port| port.dir == dir).count());
        let mut outputs = vec![0; inputs.len() / widths[0].max(1) * widths[1]];
        self.design.instance(POWER_UP).run(&inputs, &mut outputs)?;
        let reset = Pin::new(&self.ports, "reset").map_err(anyhow::Error::msg)?;
        let mut has_begun = false;
        let mut judge = oracle(self.unit, &self.ports, &self.config).map_err(anyhow::Error::msg)?;
        let rows = || inputs.chunks_exact(widths[0].max(1)).zip(outputs.chunks_exact(widths[1].max(1)));
        let history = |end: usize| {
            let lines = rows().enumerate().take(end + 1).skip((end + 1).saturating_sub(HISTORY));
            lines.map(|(at, (inputs, outputs))| format!("  {at:>7}  {}\n", show_cycle(&self.ports, inputs, outputs))).collect()
        };
        let mut stalls = 0;
        for (cycle, (inputs, outputs)) in rows().enumerate() {
            stalls += self.offers.iter().filter(|offer| offer.event(inputs, outputs) == Event::Waits).count() as u64;
            let pins = Pins { inputs, outputs };
            if pins.is(&reset) {
                judge.reset();
                has_begun = true;
                continue;
            }
            // Outputs before the first reset are undefined, so they are not checked.
            let judged = if has_begun { judge.advance(&pins, cycle as u64) } else { Ok(()) };
            if let Err(what) = judged {
                let failure = Failure { cycle: cycle as u64, what, history: history(cycle) };
                return Ok(Episode {
                    operations: judge.operations(),
                    cycles: cycle as u64 + 1,
                    stalls,
                    failure: Some(failure),
                    complaint,
                });
            }
        }
        let (operations, cycles) = (judge.operations(), rows().len() as u64);
        Ok(Episode { operations, cycles, stalls, failure: None, complaint })
    }

    /// Runs a legal user on the model. Returns the values that it drives at all input ports, cycle
    /// by cycle, and the error of the model that it detects, if any.
    fn inputs(&self, seed: u64, cycles: usize) -> Result<(Vec<u64>, Option<String>)> {
        let no_user = || format!("`{}`: the unit has no legal user in configuration `{}`", self.unit, self.config.name);
        let mut model = shown_by_name(self.unit, Sizes::try_from(&self.config)?).with_context(no_user)?;
        let mut user = for_unit(self.unit, &self.ports, &self.config, seed).with_context(no_user)?;
        let mut outputs = vec![0; self.ports.iter().filter(|port| port.dir == Dir::Out).count()];
        let mut inputs = vec![];
        for _ in 0..cycles {
            model.shown(&mut outputs);
            let driven = user.drive(&outputs);
            inputs.extend_from_slice(driven);
            model.edge(driven);
            if let Some(failure) = user.failure() {
                return Ok((inputs, Some(failure.to_string())));
            }
        }
        Ok((inputs, None))
    }
}

/// The exported text of a unit with `fault` in it.
fn faulty(unit: &dyn Unit, fault: &Fault) -> Result<Design> {
    let mut options = options(unit);
    // Without a list of separate units, the exported text includes the subunits.
    options.units.clear();
    let text = export_faulty(unit.block(), &options, fault)?;
    Ok(Design { text, top: Options::new(unit.name()).top, ports: unit.ports() })
}
