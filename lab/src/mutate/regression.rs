// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The regression on a mutated netlist: the tests of `bcu regress --engine verilator` for one
//! configuration. They run in stages, short runs first, because most faults are found early.
//!
//! A fault is killed if a scenario fails, or if an output differs from the model in a cycle of a
//! lockstep run. Lockstep runs compare the whole unit and each unit in it. Stimulus, model and scenarios are those of
//! the regression. The only difference from the regression is that failures are not shrunk.

use super::netlist::{Mutant, Netlist, SELECT, SELECT_BITS};
use anyhow::{bail, Context, Result};
use bcu_hw::catalog;
use bcu_hw::verilog::Options;
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_isa::units::{UNITS, WHOLE};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_tb::cosim::verilator::{Instance, Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{shape, EPISODE, POWER_UP};
use bcu_tb::lockstep::{first_that_counts, record, Recording};
use bcu_tb::scenario;
use bcu_tb::scenario::file::Scenario;
use bcu_tb::scenario::text::Suite;
use bcu_tb::stimulus::for_unit;
use bcu_tb::testbench::{self, Play};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Range;
use std::path::PathBuf;

/// Number of cycles that are simulated at a time; then their outputs are compared.
const CHUNK: usize = 250;
/// The maximum number of recordings in memory.
const AT_ONCE: usize = 4;

/// Option for Verilator 5.006, which generates wrong code from some of Yosys' texts when it optimises their data flow.
const OPTIONS: [&str; 1] = ["-fno-dfg"];

/// The test that found a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// The test's name in `bcu regress`.
    pub test: String,
    /// The seed of a lockstep test; `None` for a scenario, whose file has the seed.
    pub seed: Option<u64>,
    /// The first port that differed; `None` for a scenario.
    pub port: Option<String>,
    /// Number of lockstep cycles of this unit until the difference, over all seeds; 0 for a scenario.
    pub cycles: usize,
}

/// A part of the regression's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The cycles of each lockstep test from the first number (included) to the second number (excluded).
    Lockstep(usize, usize),
    /// The scenarios of the configuration that run on the whole unit.
    Scenarios,
}

/// The regression of one configuration.
pub struct Regression<'a> {
    /// The exported unit; scenarios run only if it is the whole unit.
    pub unit: &'static str,
    pub netlist: &'a Netlist,
    pub config: &'a Config,
    /// The folder in which Verilator compiles.
    pub directory: PathBuf,
}

/// The kill of each fault by its value of [`SELECT`]; `None`: not killed so far. The value 0 is the
/// unit without a fault.
type Found = BTreeMap<u64, Option<Kill>>;

/// A unit that is compiled with all its faults, of which the input [`SELECT`] selects one.
struct Mutated {
    unit: &'static str,
    design: Verilated,
}

impl Regression<'_> {
    /// Runs the stages for `mutants`. Calls `killed` for each mutant that is found, in no particular order.
    pub fn run(
        &self,
        mutants: &[&Mutant],
        stages: &[Stage],
        killed: &(dyn Fn(&Mutant, Kill) -> Result<()> + Sync),
    ) -> Result<()> {
        let mut alive: Vec<&Mutant> = mutants.to_vec();
        let mut built: BTreeMap<&str, Mutated> = BTreeMap::new();
        for stage in stages {
            match *stage {
                // A single unit simulates faster than the whole unit, and its ports make more signals observable.
                Stage::Lockstep(from, to) => {
                    for unit in UNITS {
                        let what = format!("lockstep/{unit}, cycles {from} to {to}");
                        let find = |m: &Mutated, found: &mut Found| m.lockstep(self.config, from..to, found);
                        self.stage(unit, &mut built, &mut alive, &what, killed, find)?;
                    }
                }
                Stage::Scenarios if self.unit != WHOLE => (),
                Stage::Scenarios => {
                    let find = |m: &Mutated, found: &mut Found| self.scenarios(m, found);
                    self.stage(WHOLE, &mut built, &mut alive, "scenarios", killed, find)?;
                }
            }
        }
        Ok(())
    }

    /// The `mutants` that the unit's exported testbench, with its stimulus and comparisons, does not find.
    pub fn missed_by_bench<'m>(&self, mutants: &[&'m Mutant]) -> Result<Vec<&'m Mutant>> {
        let mutated = self.build(self.unit, &top_of(self.unit))?;
        let played = testbench::recordings(self.unit, self.config, Play::usual(self.unit))?;
        let finds = |mutant: &Mutant| -> Result<bool> {
            for recording in &played {
                if mutated.difference(recording, mutant.select)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let found = mutants.par_iter().map(|mutant| finds(mutant)).collect::<Result<Vec<bool>>>()?;
        Ok(mutants.iter().zip(found).filter(|(_, found)| !found).map(|(mutant, _)| *mutant).collect())
    }

    /// Runs `find`, which implements one stage for `unit`, on the mutants of `alive` whose faults
    /// are in that unit. The unit without a fault runs as well and must pass. Mutants that are
    /// found are reported to `killed` and removed from `alive`.
    fn stage<'m>(
        &self,
        unit: &'static str,
        built: &mut BTreeMap<&'static str, Mutated>,
        alive: &mut Vec<&'m Mutant>,
        what: &str,
        killed: &(dyn Fn(&Mutant, Kill) -> Result<()> + Sync),
        find: impl Fn(&Mutated, &mut Found) -> Result<()>,
    ) -> Result<()> {
        let top = top_of(unit);
        let inside = self.netlist.below(&top);
        let concerned: Vec<&Mutant> = alive.iter().copied().filter(|m| inside.contains(&m.module)).collect();
        if concerned.is_empty() {
            return Ok(());
        }
        let mutated = match built.entry(unit) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.build(unit, &top)?),
        };
        let mut found: Found = concerned.iter().map(|m| (m.select, None)).chain([(0, None)]).collect();
        find(mutated, &mut found)?;
        if let Some(Some(kill)) = found.get(&0) {
            bail!("the regression fails without a fault: {kill:?}; it must pass before it can be measured");
        }
        for mutant in &concerned {
            if let Some(Some(kill)) = found.get(&mutant.select) {
                killed(mutant, kill.clone())?;
            }
        }
        alive.retain(|m| !matches!(found.get(&m.select), Some(Some(_))));
        let dead = concerned.len() - concerned.iter().filter(|m| found.get(&m.select) == Some(&None)).count();
        println!("mutate: {what}: {dead} of {} killed, {} left", concerned.len(), alive.len());
        Ok(())
    }

    fn build(&self, unit: &'static str, top: &str) -> Result<Mutated> {
        let plain = catalog::build(self.config, unit).with_context(|| format!("`{unit}`: unknown unit"))?;
        let mut ports = plain.ports();
        ports.push(Port {
            name: SELECT.to_string(),
            dir: Dir::In,
            width: SELECT_BITS,
            group: "fault",
            doc: String::new(),
            values: vec![],
            channel: None,
            when: vec![],
        });
        let design = Design { text: self.netlist.verilog(top)?, top: top.to_string(), ports };
        Ok(Mutated { unit, design: Verilated::build_with(&design, &self.directory, Optimisation::Full, &OPTIONS)? })
    }

    /// Runs, for each fault, those scenarios of the configuration that are for the whole unit, up
    /// to the first that fails.
    fn scenarios(&self, mutated: &Mutated, found: &mut Found) -> Result<()> {
        let suite = Suite::compiled_in();
        let mut scenarios: Vec<(String, &Scenario)> = vec![];
        for entry in &suite.entries {
            let scenario = entry.scenario.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?;
            if scenario.unit() == WHOLE && scenario.configs.iter().any(|c| *c.get_ref() == self.config.name) {
                scenarios.push((format!("scenario/{}/{}", entry.name, self.config.name), scenario));
            }
        }
        found.par_iter_mut().for_each(|(select, kill)| {
            let fails = |(_, scenario): &&(String, &Scenario)| {
                let mut unit = Faulty::new(&mutated.design, *select);
                scenario::run_on(scenario, self.config, None, "mutated unit", &mut unit).is_err()
            };
            *kill =
                scenarios.iter().find(fails).map(|(test, _)| Kill { test: test.clone(), seed: None, port: None, cycles: 0 });
        });
        Ok(())
    }
}

/// Name of a unit's module.
pub fn top_of(unit: &str) -> String {
    Options::new(unit).top
}

impl Mutated {
    /// Runs the cycles `span` of the unit's lockstep test.
    fn lockstep(&self, config: &Config, span: Range<usize>, found: &mut Found) -> Result<()> {
        let to = span.end;
        let starts: Vec<usize> = span.step_by(EPISODE).collect();
        for starts in starts.chunks(AT_ONCE) {
            let play = |start: &usize| Ok((*start, self.play(config, *start, EPISODE.min(to - start))?));
            let recordings: Vec<(usize, Recording)> = starts.par_iter().map(play).collect::<Result<_>>()?;
            let alive: Vec<(&u64, &mut Option<Kill>)> = found.iter_mut().filter(|(_, kill)| kill.is_none()).collect();
            alive.into_par_iter().try_for_each(|(select, kill)| -> Result<()> {
                for (start, recording) in &recordings {
                    if let Some((cycle, port)) = self.difference(recording, *select)? {
                        let test = format!("lockstep/{}/{}", self.unit, config.name);
                        *kill = Some(Kill { test, seed: Some(seed(*start)), port: Some(port), cycles: start + cycle + 1 });
                        break;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Records the stimulus of the episode that starts in cycle `start`, and the outputs of the
    /// model.
    fn play(&self, config: &Config, start: usize, cycles: usize) -> Result<Recording> {
        let mut model =
            by_name(self.unit, Sizes::try_from(config)?).with_context(|| format!("`{}`: the unit has no model", self.unit))?;
        let ports = catalog::build(config, self.unit).with_context(|| format!("`{}`: unknown unit", self.unit))?.ports();
        let mut stimulus = for_unit(self.unit, &ports, shape(config), seed(start))?;
        Ok(record(&ports, model.as_mut(), stimulus.as_mut(), cycles))
    }

    /// The first cycle in which the unit with the fault `select` differs from the model, and the first port that differs.
    fn difference(&self, recording: &Recording, select: u64) -> Result<Option<(usize, String)>> {
        let (inputs, outputs) = (recording.width(Dir::In), recording.width(Dir::Out));
        let mut instance = self.design.instance(POWER_UP);
        let (mut rows, mut values) = (vec![], vec![]);
        for from in (0..recording.cycles()).step_by(CHUNK) {
            let to = (from + CHUNK).min(recording.cycles());
            rows.clear();
            for row in recording.inputs[from * inputs..to * inputs].chunks_exact(inputs) {
                rows.extend_from_slice(row);
                rows.push(select);
            }
            values.resize((to - from) * outputs, 0);
            instance.run(&rows, &mut values)?;
            // The outputs of the first cycle are not compared, because before the first rising edge
            // they are undefined.
            let places = (from * outputs).max(outputs)..to * outputs;
            let differs = |at: usize| values[at - from * outputs] != recording.outputs[at];
            if let Some(at) = first_that_counts(recording, places, differs) {
                let port = recording.ports.iter().filter(|p| p.dir == Dir::Out).nth(at % outputs);
                return Ok(Some((at / outputs, port.map_or(String::new(), |p| p.name.clone()))));
            }
        }
        Ok(None)
    }
}

/// The seed of the episode that starts in cycle `start`: the regression uses the seeds 0, 1, 2 and so on.
fn seed(start: usize) -> u64 {
    (start / EPISODE) as u64
}

/// A mutated unit with one fault selected, with the ports of the original unit.
struct Faulty {
    instance: Instance,
    ports: Vec<Port>,
    row: Vec<u64>,
}

impl Faulty {
    fn new(design: &Verilated, select: u64) -> Faulty {
        let instance = design.instance(POWER_UP);
        let ports: Vec<Port> = instance.ports().iter().filter(|p| p.name != SELECT).cloned().collect();
        let inputs = ports.iter().filter(|p| p.dir == Dir::In).count();
        let mut row = vec![0; inputs];
        row.push(select);
        Faulty { instance, ports, row }
    }
}

impl Dut for Faulty {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.row[..inputs.len()].copy_from_slice(inputs);
        self.instance.cycle(&self.row, outputs);
    }
}
