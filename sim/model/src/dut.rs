// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common interface of all clocked devices: the rust-hdl block, the model, the verilated export. A driver looks up the ports
//! by name once and keeps their handles.

use bcu_isa::ports::{Dir, Port};

/// A device under test with the ports of one unit.
pub trait Dut {
    /// All ports but the clock, in the unit's port order.
    fn ports(&self) -> &[Port];

    /// Runs one clock cycle: drives the inputs, samples every output before the rising edge, then clocks.
    ///
    /// `inputs` holds one value per input port and `outputs` one per output port, each in port order; `reset` is an input
    /// like any other. Since no unit has a combinational path from input to output, the outputs of a cycle do not depend
    /// on the inputs of the same cycle.
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]);
}

/// A device whose outputs can be read before the inputs of the cycle are chosen.
pub trait Shown: Dut {
    /// Writes the outputs of the present cycle to `outputs`, in port order; the device is not clocked.
    fn shown(&self, outputs: &mut [u64]);

    /// Applies the rising edge that ends this cycle, with these inputs.
    fn edge(&mut self, inputs: &[u64]);
}

impl<D: Dut + ?Sized> Dut for &mut D {
    fn ports(&self) -> &[Port] {
        (**self).ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        (**self).cycle(inputs, outputs);
    }
}

impl<D: Dut + ?Sized> Dut for Box<D> {
    fn ports(&self) -> &[Port] {
        (**self).ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        (**self).cycle(inputs, outputs);
    }
}

/// The port list lacks a required port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}`: no {direction} port of this name")]
pub struct NoPort {
    /// `input` or `output`.
    pub direction: &'static str,
    pub name: String,
}

/// An input port that was looked up by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input(usize);

/// The index of a port that a unit does not have: its input is ignored, and its output reads 0.
const NOWHERE: usize = usize::MAX;

/// An output port that was looked up by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(usize);

impl Input {
    /// A port that the unit does not have.
    pub const ABSENT: Input = Input(NOWHERE);

    /// The index of the port among the inputs of a cycle.
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }

    /// The value of the port among the inputs of a cycle; 0 if `inputs` is too short.
    #[inline]
    pub fn read(self, inputs: &[u64]) -> u64 {
        inputs.get(self.0).copied().unwrap_or(0)
    }
}

impl Output {
    /// A port that the unit does not have.
    pub const ABSENT: Output = Output(NOWHERE);

    /// The index of the port among the outputs of a cycle.
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }

    /// The value of the port among the outputs of a cycle; 0 if `outputs` is too short.
    #[inline]
    pub fn read(self, outputs: &[u64]) -> u64 {
        outputs.get(self.0).copied().unwrap_or(0)
    }
}

/// Looks up the ports of a list by name.
pub trait ByName {
    /// The input port of this name.
    ///
    /// # Errors
    /// The list has no input of this name.
    fn input(&self, name: &str) -> Result<Input, NoPort>;
    /// The output port of this name.
    ///
    /// # Errors
    /// The list has no output of this name.
    fn output(&self, name: &str) -> Result<Output, NoPort>;
    /// The number of ports of a direction.
    fn count(&self, dir: Dir) -> usize;
}

impl ByName for [Port] {
    fn input(&self, name: &str) -> Result<Input, NoPort> {
        position(self, Dir::In, name).map(Input)
    }
    fn output(&self, name: &str) -> Result<Output, NoPort> {
        position(self, Dir::Out, name).map(Output)
    }
    fn count(&self, dir: Dir) -> usize {
        self.iter().filter(|p| p.dir == dir).count()
    }
}

fn position(ports: &[Port], dir: Dir, name: &str) -> Result<usize, NoPort> {
    let direction = if dir == Dir::In { "input" } else { "output" };
    let place = ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name);
    place.ok_or_else(|| NoPort { direction, name: name.to_string() })
}

/// A device with the values at its ports; an input keeps its value until it is set again.
pub struct Pins<D> {
    dut: D,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl<D: Dut> Pins<D> {
    /// Starts with all inputs 0.
    pub fn new(dut: D) -> Pins<D> {
        let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; dut.ports().count(dir)]);
        Pins { dut, inputs, outputs }
    }

    pub fn ports(&self) -> &[Port] {
        self.dut.ports()
    }

    pub fn set(&mut self, input: Input, value: u64) {
        if let Some(place) = self.inputs.get_mut(input.0) {
            *place = value;
        }
    }

    /// The value driven on an input.
    pub fn driven(&self, input: Input) -> u64 {
        input.read(&self.inputs)
    }

    /// The value of an output in the last cycle.
    pub fn get(&self, output: Output) -> u64 {
        output.read(&self.outputs)
    }

    pub fn cycle(&mut self) {
        self.dut.cycle(&self.inputs, &mut self.outputs);
    }

    /// The values of all inputs and outputs in the last cycle, in port order.
    pub fn values(&self) -> (&[u64], &[u64]) {
        (&self.inputs, &self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, dir: Dir) -> Port {
        let (name, doc) = (name.to_string(), String::new());
        Port { name, dir, width: 1, group: "", doc, values: vec![], channel: None, when: vec![] }
    }

    /// A device whose outputs are its inputs.
    struct Wire([Port; 2]);

    impl Dut for Wire {
        fn ports(&self) -> &[Port] {
            &self.0
        }
        fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
            outputs.copy_from_slice(inputs);
        }
    }

    #[test]
    fn a_port_that_a_unit_does_not_have_is_driven_with_nothing_and_shows_0() {
        let mut pins = Pins::new(Wire([port("a", Dir::In), port("b", Dir::Out)]));
        let (a, b) = (pins.ports().input("a").unwrap(), pins.ports().output("b").unwrap());
        pins.set(a, 5);
        pins.set(Input::ABSENT, 7);
        pins.cycle();
        assert_eq!((pins.driven(a), pins.get(b), pins.values()), (5, 5, (&[5][..], &[5][..])));
        assert_eq!((pins.driven(Input::ABSENT), pins.get(Output::ABSENT)), (0, 0));
    }

    #[test]
    fn a_port_that_is_missing_or_of_the_other_direction_is_named() {
        let ports = [port("a", Dir::Out), port("b", Dir::In), port("c", Dir::In)];
        assert_eq!((ports.input("c").unwrap().index(), ports.output("a").unwrap().index()), (1, 0));
        assert_eq!(ports.output("c").unwrap_err().to_string(), "`c`: no output port of this name");
        assert_eq!(ports.input("d").unwrap_err().to_string(), "`d`: no input port of this name");
    }
}
