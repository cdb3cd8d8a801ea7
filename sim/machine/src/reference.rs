// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The model of the unit. It either replaces the device, or runs next to the device on the same inputs; then every output is compared in
//! every cycle. Internal events are read from the model.

use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;
use bcu_model::meaning::Meaning;
use bcu_model::sizes::SizeError;
use bcu_model::{Bcu, Gpu, Model, Sizes, Sleeper};

/// A difference between the device and the model; the model follows the documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: the unit and its model differ: {what}")]
pub struct Contradiction {
    pub cycle: u64,
    pub what: String,
}

/// The model of `bcu`, for one multiprocessor, or of `gpu`, for several multiprocessors.
enum UnitModel {
    Bcu(Model<Sleeper>),
    Gpu(Model<Gpu>),
}

impl UnitModel {
    fn dut(&mut self) -> &mut dyn Dut {
        match self {
            UnitModel::Bcu(model) => model,
            UnitModel::Gpu(model) => model,
        }
    }
}

/// The model, and the outputs that are compared.
pub(super) struct Reference {
    model: UnitModel,
    ports: Vec<Port>,
    meaning: Meaning,
    outputs: Vec<u64>,
}

impl Reference {
    /// The model of `gpu` if `several` is set, else of `bcu`.
    pub fn new(config: &Config, several: bool) -> Result<Reference, SizeError> {
        let sizes = Sizes::try_from(config)?;
        let mut model = match several {
            true => UnitModel::Gpu(Model::new(sizes)),
            false => UnitModel::Bcu(Model::new(sizes)),
        };
        let ports = model.dut().ports().to_vec();
        let meaning = Meaning::new(&ports);
        let outputs = vec![0; ports.iter().filter(|port| port.dir == Dir::Out).count()];
        Ok(Reference { model, ports, meaning, outputs })
    }

    /// The model of multiprocessor `number`, with the events of the last clock edge.
    pub fn unit(&self, number: usize) -> &Bcu {
        match &self.model {
            UnitModel::Bcu(model) => model.unit().bcu(),
            UnitModel::Gpu(model) => model.unit().sm(number),
        }
    }

    /// The number of further cycles in which nothing happens in the unit while the inputs are those of the last cycle.
    pub fn idle_cycles(&self) -> u64 {
        match &self.model {
            UnitModel::Bcu(model) => model.unit().idle_cycles(),
            UnitModel::Gpu(model) => model.unit().idle_cycles(),
        }
    }

    /// Whether nothing happens in the part of multiprocessor `number` while the inputs are those of the last cycle.
    pub fn is_asleep(&self, number: usize) -> bool {
        match &self.model {
            UnitModel::Bcu(model) => model.unit().idle_cycles() > 0,
            UnitModel::Gpu(model) => model.unit().is_asleep(number),
        }
    }

    /// Advances the model by `cycles` cycles in which nothing happens, at most [`Reference::idle_cycles`].
    pub fn sleep(&mut self, cycles: u64) {
        match &mut self.model {
            UnitModel::Bcu(model) => model.unit_mut().sleep(cycles),
            UnitModel::Gpu(model) => model.unit_mut().sleep(cycles),
        }
    }

    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Runs a cycle of the model alone.
    pub fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.model.dut().cycle(inputs, outputs);
    }

    /// Runs cycle `cycle` of the model next to a device, and compares the device's outputs `shown`. Cycle 0 is the first reset cycle. It is
    /// not compared, because the outputs of a device are undefined until the reset has taken effect.
    pub fn check(&mut self, cycle: u64, inputs: &[u64], shown: &[u64]) -> Result<(), Contradiction> {
        self.model.dut().cycle(inputs, &mut self.outputs);
        if cycle == 0 || shown == self.outputs {
            return Ok(());
        }
        let Some(output) = self.meaning.difference(inputs, &self.outputs, shown) else { return Ok(()) };
        let outputs = self.ports.iter().filter(|port| port.dir == Dir::Out);
        let port = outputs.into_iter().nth(output);
        let name = port.map_or("", |port| port.name.as_str());
        let [is, should] = [shown, &self.outputs].map(|values| value(port, values[output]));
        Err(Contradiction { cycle, what: format!("`{name}` is {is}, but the model of the unit has {should}") })
    }
}

/// The name of a port value, or the number if it has no name.
fn value(port: Option<&Port>, value: u64) -> String {
    match port.and_then(|port| port.values.get(value as usize)) {
        Some(name) => name.clone(),
        None if value < 10 => value.to_string(),
        None => format!("{value:#x}"),
    }
}
