// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unit under the machine: `bcu`, one multiprocessor, or `gpu`, several of them, whose ports have `sm_0_` and so on before their names
//! (`docs/multiprocessors.md`).

use super::wires::{Hub, HubWires, MissingPort, Pins};
use bcu_model::dut::{ByName, Dut, Input};
use bcu_isa::ports::{Dir, Port};
use std::ops::Range;

/// A device with the values at its ports.
pub(super) struct Unit<'a> {
    dut: &'a mut dyn Dut,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    reset: Input,
    /// Of each multiprocessor, its inputs and outputs among all.
    parts: Vec<[Range<usize>; 2]>,
    /// Of several.
    hub: Option<HubWires>,
}

/// What stands before the ports of a multiprocessor of several.
fn prefix(number: usize) -> String {
    format!("sm_{number}_")
}

/// How many multiprocessors a unit with these ports has, if it is one of several.
pub(super) fn several(ports: &[Port]) -> Option<usize> {
    let count = (0..).take_while(|number| ports.input(&format!("{}instr_valid", prefix(*number))).is_ok()).count();
    Some(count).filter(|count| *count > 0)
}

/// The ports of a multiprocessor with the names that those of `bcu` have, and where they stand among all inputs and outputs.
pub(super) fn part(ports: &[Port], number: Option<usize>) -> (Vec<Port>, [Range<usize>; 2]) {
    let before = number.map_or(String::new(), prefix);
    let own: Vec<Port> = ports
        .iter()
        .filter_map(|port| Some(Port { name: port.name.strip_prefix(&before)?.to_string(), ..port.clone() }))
        .collect();
    let places = [Dir::In, Dir::Out].map(|dir| {
        let first = ports.iter().filter(|port| port.dir == dir).position(|port| port.name.starts_with(&before)).unwrap_or(0);
        first..first + own.count(dir)
    });
    (own, places)
}

/// The multiprocessors of a unit with these ports.
pub(super) fn parts(ports: &[Port]) -> Vec<(Vec<Port>, [Range<usize>; 2])> {
    match several(ports) {
        Some(count) => (0..count).map(|number| part(ports, Some(number))).collect(),
        None => vec![part(ports, None)],
    }
}

impl<'a> Unit<'a> {
    /// The unit, and the pins of each of its multiprocessors.
    pub fn new(dut: &'a mut dyn Dut) -> Result<(Unit<'a>, Vec<Pins>), MissingPort> {
        let ports = dut.ports();
        let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; ports.count(dir)]);
        let reset = ports.input("reset")?;
        let found = parts(ports);
        let pins = found.iter().map(|(own, _)| Pins::new(own)).collect::<Result<_, _>>()?;
        let parts = found.into_iter().map(|(_, places)| places).collect();
        let hub = several(ports).map(|_| HubWires::find(ports)).transpose()?;
        Ok((Unit { dut, inputs, outputs, reset, parts, hub }, pins))
    }

    /// It has several multiprocessors, or could have.
    pub fn has_several(&self) -> bool {
        self.hub.is_some()
    }

    /// Its hub of grids.
    pub fn hub(&mut self) -> Option<Hub<'_>> {
        self.hub.map(|at| Hub { inputs: &mut self.inputs, outputs: &self.outputs, at })
    }

    /// One clock cycle with what stands at the pins of each multiprocessor.
    pub fn cycle<'p>(&mut self, reset: bool, pins: impl Iterator<Item = &'p mut Pins>) {
        let mut pins: Vec<&mut Pins> = pins.collect();
        for (pins, [inputs, _]) in pins.iter().zip(&self.parts) {
            self.inputs[inputs.clone()].copy_from_slice(&pins.inputs);
        }
        self.inputs[self.reset.index()] = reset.into();
        self.dut.cycle(&self.inputs, &mut self.outputs);
        for (pins, [_, outputs]) in pins.iter_mut().zip(&self.parts) {
            pins.outputs.copy_from_slice(&self.outputs[outputs.clone()]);
        }
    }
}
