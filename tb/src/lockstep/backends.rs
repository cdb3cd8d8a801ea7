// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The simulators that are compared with the model: the rust-hdl block, the machine code of its netlist, the export under Verilator, and
//! the export under Icarus.

use super::recording::Replay;
use crate::cosim::icarus;
use crate::cosim::verilator::Verilated;
use crate::cosim::{CosimError, Design};
use bcu_engine::Engine;
use bcu_engine::Unsettled;
use bcu_hw::ports::Unit;
use bcu_isa::ports::{Dir, Port};
use bcu_jit::{CompileError, Compiled};
use bcu_model::dut::Dut;
use std::path::PathBuf;

/// Why a backend failed to replay.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    #[error(transparent)]
    Cosim(#[from] CosimError),
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    #[error(transparent)]
    Compile(#[from] CompileError),
}

impl BackendError {
    /// Whether the host caused the failure, for example by a missing tool, and not the unit.
    pub fn is_of_host(&self) -> bool {
        matches!(self, BackendError::Cosim(error) if error.is_of_host())
    }
}

/// A simulator that replays recorded inputs from its initial state.
pub trait Backend {
    /// Name in reports.
    fn name(&self) -> &str;
    /// The maximum number of replays that shrinking a failure of this backend may take.
    fn tries(&self) -> usize;
    /// Replays recorded inputs, one value per input port and cycle.
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError>;
}

/// The rust-hdl block in its own simulation engine.
pub struct EngineBackend {
    /// Creates a new instance of the unit.
    pub make: Box<dyn Fn() -> Box<dyn Unit>>,
}

impl Backend for EngineBackend {
    fn name(&self) -> &str {
        "rust"
    }
    fn tries(&self) -> usize {
        1000
    }
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError> {
        let mut engine = Engine::new((self.make)());
        let values = run(&mut engine, inputs);
        match engine.failure() {
            Some(unsettled) => Err(unsettled.clone().into()),
            None => Ok(Replay { values, unknown: vec![] }),
        }
    }
}

/// The machine code that is compiled from the netlist of the rust-hdl block.
pub struct CompiledBackend {
    pub code: Compiled,
}

impl CompiledBackend {
    pub fn new(unit: Box<dyn Unit>) -> Result<Self, CompileError> {
        Ok(CompiledBackend { code: Compiled::new(unit)? })
    }
}

impl Backend for CompiledBackend {
    fn name(&self) -> &str {
        "compiled"
    }
    fn tries(&self) -> usize {
        3000
    }
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError> {
        self.code.restart();
        Ok(Replay { values: run(&mut self.code, inputs), unknown: vec![] })
    }
}

/// The export under Verilator; a recording is replayed in a single call.
pub struct VerilatorBackend {
    pub design: Verilated,
    pub ports: Vec<Port>,
    /// Seed of the initial values of registers.
    pub seed: u64,
}

impl Backend for VerilatorBackend {
    fn name(&self) -> &str {
        "verilator"
    }
    fn tries(&self) -> usize {
        3000
    }
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError> {
        let [ins, outs] = widths(&self.ports);
        let mut values = vec![0; inputs.len() / ins.max(1) * outs];
        self.design.instance(self.seed).run(inputs, &mut values)?;
        Ok(Replay { values, unknown: vec![] })
    }
}

/// The export under Icarus, from time 0.
pub struct IcarusBackend {
    pub design: Design,
    /// The folder for the files of the simulator.
    pub directory: PathBuf,
}

impl Backend for IcarusBackend {
    fn name(&self) -> &str {
        "icarus"
    }
    /// The number is small because every replay compiles the design again.
    fn tries(&self) -> usize {
        200
    }
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError> {
        let samples = icarus::replay(&self.design, inputs, &self.directory)?;
        Ok(Replay { values: samples.ones, unknown: samples.unknown })
    }
}

/// Applies the recorded inputs to a simulator. Returns one value per output port and cycle.
fn run(dut: &mut dyn Dut, inputs: &[u64]) -> Vec<u64> {
    let [ins, outs] = widths(dut.ports());
    let mut values = vec![0; inputs.len() / ins.max(1) * outs];
    for (row, sampled) in inputs.chunks_exact(ins.max(1)).zip(values.chunks_exact_mut(outs.max(1))) {
        dut.cycle(row, sampled);
    }
    values
}

fn widths(ports: &[Port]) -> [usize; 2] {
    [Dir::In, Dir::Out].map(|dir| ports.iter().filter(|p| p.dir == dir).count())
}
