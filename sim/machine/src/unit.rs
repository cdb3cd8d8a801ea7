// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unit that the machine drives: `bcu` for one multiprocessor, or `gpu` for several multiprocessors, whose port names have the prefixes
//! `sm_0_`, `sm_1_` and so on (`docs/contract/multiprocessors.md`).

use super::reference::{Contradiction, Reference};
use super::run_error::RunError;
use super::sm::Sm;
use super::wires::{Hub, HubWires, MissingPort, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Dut, Input};
use std::ops::Range;

/// The unit with its port values. The unit is a device next to the model, or the model alone.
pub(super) struct Unit<'a> {
    dut: Option<&'a mut dyn Dut>,
    pub reference: Reference,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    /// The inputs of the last cycle.
    last_inputs: Vec<u64>,
    reset: Input,
    /// For each multiprocessor, the ranges of its inputs and outputs.
    parts: Vec<[Range<usize>; 2]>,
    /// The ports of the hub for grids, if there are several multiprocessors.
    hub: Option<HubWires>,
}

/// The prefix of the port names of multiprocessor `number`.
fn prefix(number: usize) -> String {
    format!("sm_{number}_")
}

/// The number of multiprocessors of a unit with the ports `ports`; `None` if the port names have no prefixes.
pub(super) fn several(ports: &[Port]) -> Option<usize> {
    let count = (0..).take_while(|number| ports.input(&format!("{}instr_valid", prefix(*number))).is_ok()).count();
    Some(count).filter(|count| *count > 0)
}

/// The ports of a multiprocessor, with the names that `bcu` has, and their ranges in all inputs and outputs.
pub(super) fn part(ports: &[Port], number: Option<usize>) -> (Vec<Port>, [Range<usize>; 2]) {
    let before = number.map_or(String::new(), prefix);
    let own_ports: Vec<Port> = ports
        .iter()
        .filter_map(|port| Some(Port { name: port.name.strip_prefix(&before)?.to_string(), ..port.clone() }))
        .collect();
    let places = [Dir::In, Dir::Out].map(|dir| {
        let first = ports.iter().filter(|port| port.dir == dir).position(|port| port.name.starts_with(&before)).unwrap_or(0);
        first..first + own_ports.count(dir)
    });
    (own_ports, places)
}

/// For each multiprocessor of a unit with the ports `ports`, its ports and their ranges, as `part` returns them.
pub(super) fn parts(ports: &[Port]) -> Vec<(Vec<Port>, [Range<usize>; 2])> {
    match several(ports) {
        Some(count) => (0..count).map(|number| part(ports, Some(number))).collect(),
        None => vec![part(ports, None)],
    }
}

impl<'a> Unit<'a> {
    /// The unit, and the pins of each of its multiprocessors. Without a device the unit is the model, and `is_several` selects the model of
    /// `gpu`.
    pub fn new(dut: Option<&'a mut dyn Dut>, sizes: &Config, is_several: bool) -> Result<(Unit<'a>, Vec<Pins>), RunError> {
        let is_several = dut.as_ref().map_or(is_several, |dut| several(dut.ports()).is_some());
        let reference = Reference::new(sizes, is_several)?;
        let ports = dut.as_ref().map_or(reference.ports(), |dut| dut.ports());
        let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; ports.count(dir)]);
        let reset = ports.input("reset").map_err(MissingPort)?;
        let found = parts(ports);
        let pins = found.iter().map(|(own, _)| Pins::new(own)).collect::<Result<_, _>>()?;
        let parts = found.into_iter().map(|(_, places)| places).collect();
        let hub = is_several.then(|| HubWires::find(ports)).transpose().map_err(MissingPort)?;
        let last_inputs = inputs.clone();
        Ok((Unit { dut, reference, inputs, outputs, last_inputs, reset, parts, hub }, pins))
    }

    /// Whether the unit is `gpu`, for several multiprocessors.
    pub fn has_several(&self) -> bool {
        self.hub.is_some()
    }

    /// The hub for grids, if the unit has one.
    pub fn hub(&mut self) -> Option<Hub<'_>> {
        self.hub.map(|at| Hub { inputs: &mut self.inputs, outputs: &self.outputs, at })
    }

    /// The number of further cycles in which nothing happens in the unit, with what the multiprocessors drive now. It is 0 beside a device,
    /// which has to run in every cycle.
    pub fn idle_cycles(&self, sms: &[Sm]) -> u64 {
        let cycles = if self.dut.is_none() { self.reference.idle_cycles() } else { 0 };
        // The hub's inputs are driven in place; those of the multiprocessors are copied from the pins in the next cycle.
        if cycles == 0 || self.inputs != self.last_inputs {
            return 0;
        }
        let mut driven = sms.iter().zip(&self.parts);
        let are_unchanged = driven.all(|(sm, [inputs, _])| sm.pins.drives(&self.inputs[inputs.clone()]));
        if are_unchanged {
            cycles
        } else {
            0
        }
    }

    /// Advances by `cycles` cycles in which nothing happens, at most [`Unit::idle_cycles`].
    pub fn sleep(&mut self, cycles: u64) {
        self.reference.sleep(cycles);
    }

    /// Runs clock cycle `cycle` for the multiprocessors; cycle 0 is a reset.
    pub fn cycle(&mut self, cycle: u64, sms: &mut [Sm]) -> Result<(), Contradiction> {
        for (sm, [inputs, _]) in sms.iter().zip(&self.parts) {
            self.inputs[inputs.clone()].copy_from_slice(&sm.pins.inputs);
        }
        self.inputs[self.reset.index()] = u64::from(cycle == 0);
        self.last_inputs.copy_from_slice(&self.inputs);
        match &mut self.dut {
            None => self.reference.cycle(&self.inputs, &mut self.outputs),
            Some(dut) => {
                dut.cycle(&self.inputs, &mut self.outputs);
                self.reference.check(cycle, &self.inputs, &self.outputs)?;
            }
        }
        for (sm, [_, outputs]) in sms.iter_mut().zip(&self.parts) {
            sm.pins.outputs.copy_from_slice(&self.outputs[outputs.clone()]);
        }
        Ok(())
    }
}
