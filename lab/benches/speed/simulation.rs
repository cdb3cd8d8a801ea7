// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unit in the simulation that is part of rust-hdl: a clock, a testbench in a separate thread, and the circuit passed back and forth
//! between them.

use crate::rows::Failure;
use bcu_hw::ports::Unit;
use bcu_isa::ports::Dir;
use bcu_tb::lockstep::Recording;
use rust_hdl::core::prelude::{Block, Logic, Probe, Sim, Simulation};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Half a clock cycle, in units of simulation time.
const HALF: u64 = 10;

/// Wraps a unit of any type and size in the single type that the simulation is compiled for.
struct Circuit {
    unit: Box<dyn Unit>,
    clock: bool,
}

impl Logic for Circuit {
    fn update(&mut self) {
        self.unit.block_mut().update();
    }
}

impl Block for Circuit {
    fn connect_all(&mut self) {
        self.unit.block_mut().connect_all();
    }
    fn update_all(&mut self) {
        self.unit.block_mut().update_all();
    }
    fn has_changed(&self) -> bool {
        self.unit.block().has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.unit.block().accept(name, probe);
    }
}

/// Simulates the recording. Returns the time of its cycles in seconds, and the outputs. Starting
/// the simulation and checking are excluded.
pub fn replay(unit: Box<dyn Unit>, recording: &Recording) -> Result<(f64, Vec<u64>), Failure> {
    let [ins, outs] = [Dir::In, Dir::Out].map(|dir| recording.width(dir));
    let (inputs, length) = (recording.inputs.clone(), recording.outputs.len());
    let answer = Arc::new(Mutex::new(None));
    let place = answer.clone();
    let mut simulation = Simulation::new();
    simulation.add_clock(HALF, |circuit: &mut Box<Circuit>| {
        circuit.clock = !circuit.clock;
        let level = circuit.clock;
        circuit.unit.set_clock(level);
    });
    simulation.add_testbench(move |mut sim: Sim<Circuit>| {
        let mut values = vec![u64::MAX; length];
        let mut circuit = sim.init()?;
        // The inputs change while the clock is low, because they must not change together with the rising edge.
        circuit = sim.wait(HALF / 2, circuit)?;
        let start = Instant::now();
        for (row, sampled) in inputs.chunks_exact(ins).zip(values.chunks_exact_mut(outs)) {
            // The outputs are sampled and the inputs driven at one time per cycle. That is enough,
            // because no output depends on an input of the same cycle.
            circuit.unit.sample(sampled);
            circuit.unit.drive(row);
            circuit = sim.wait(2 * HALF, circuit)?;
        }
        if let Ok(mut place) = place.lock() {
            *place = Some((start.elapsed().as_secs_f64(), values));
        }
        sim.done(circuit)
    });
    let circuit = Box::new(Circuit { unit, clock: false });
    simulation.run(circuit, u64::MAX).map_err(|e| format!("the simulation stopped: {e:?}"))?;
    let answer = answer.lock().ok().and_then(|mut answer| answer.take());
    Ok(answer.ok_or("the testbench did not end")?)
}
