// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Simulates a side with random inputs from power-up, including its memories, to find early differences.
//!
//! 64 runs execute in parallel, one per bit of a 64-bit word. Registers start with the initial
//! value in the text, or with 0; memories start with 0.

use super::hash::hash;
use super::side::{EvaluationStep, Pins, Side};
use crate::circuit::aig::Start;
use std::collections::BTreeMap;

/// Number of cycles of each run.
pub const CYCLES: usize = 256;
/// `reset` can be 1 only in cycles whose numbers are multiples of this number. It is 1 in cycle 0 of all runs, and in each later multiple
/// in an eighth of the runs.
const RESETS: u64 = 64;

/// For each output bit, by name and index: its values in each cycle.
pub type Shown = BTreeMap<(String, usize), Vec<u64>>;

/// Simulates `CYCLES` cycles from power-up and returns the values of the output ports. Both sides get equal inputs, because an input's
/// values depend only on its name, bit and cycle.
pub fn simulate(side: &Side) -> Shown {
    let mut shown = Shown::new();
    let mut values = vec![0u64; side.gates.variables];
    let mut register_values: Vec<u64> =
        side.gates.latches.iter().map(|(.., start)| if *start == Start::Ones { u64::MAX } else { 0 }).collect();
    let mut words: Vec<Vec<u64>> = side.memories.iter().map(|m| vec![0; m.words * m.width]).collect();
    for cycle in 0..CYCLES {
        for input in &side.gates.inputs {
            values[input.variable] = random(&input.name, input.bit, cycle);
        }
        for ((variable, ..), value) in side.gates.latches.iter().zip(&register_values) {
            values[*variable] = *value;
        }
        for step in &side.steps {
            match *step {
                EvaluationStep::And(at) => {
                    let (variable, a, b) = side.gates.ands[at];
                    values[variable] = value_of(&values, a) & value_of(&values, b);
                }
                EvaluationStep::Read(at) => read(&side.pins[at], side.memories[at].width, &words[at], &mut values),
            }
        }
        for output in side.gates.outputs.iter().filter(|o| side.ports.contains_key(&o.name)) {
            let key = (output.name.clone(), output.bit);
            shown.entry(key).or_default().push(value_of(&values, output.literal));
        }
        for (at, pins) in side.pins.iter().enumerate() {
            write(pins, side.memories[at].width, &mut words[at], &values);
        }
        for (register_values, (_, next, _)) in register_values.iter_mut().zip(&side.gates.latches) {
            *register_values = value_of(&values, *next);
        }
    }
    shown
}

/// The value of a literal in each of the 64 runs.
pub fn value_of(values: &[u64], literal: u32) -> u64 {
    let value = values[literal as usize / 2];
    if literal & 1 == 1 {
        !value
    } else {
        value
    }
}

/// 64 random bits for an input in a cycle, the same on both sides.
fn random(name: &str, bit: usize, cycle: usize) -> u64 {
    let bits = hash(&(name, bit, cycle));
    match name {
        "reset" if cycle == 0 => u64::MAX,
        "reset" if cycle as u64 % RESETS == 0 => bits & bits.rotate_left(7) & bits.rotate_left(23),
        "reset" => 0,
        _ => bits,
    }
}

/// The index of the first bit of the word that `address` selects in run `run`; `None` if the address is beyond the last word. The memory
/// has `words` bits, in words of `width` bits.
fn place(address: &[u32], run: usize, width: usize, words: usize, values: &[u64]) -> Option<usize> {
    let number = (0..).zip(address).map(|(bit, literal)| (value_of(values, *literal) >> run & 1) << bit).sum::<u64>();
    let at = usize::try_from(number).ok()?.checked_mul(width)?;
    (at < words).then_some(at)
}

fn read(pins: &Pins, width: usize, words: &[u64], values: &mut [u64]) {
    let reads = pins.data.len() / width.max(1);
    for port in 0..reads {
        let bits = pins.address.len() / reads;
        let address = &pins.address[port * bits..(port + 1) * bits];
        let mut data = vec![0u64; width];
        for run in 0..64 {
            let Some(at) = place(address, run, width, words.len(), values) else { continue };
            for (data, word) in data.iter_mut().zip(&words[at..]) {
                *data |= word & 1 << run;
            }
        }
        for (variable, data) in pins.data[port * width..].iter().zip(data) {
            values[*variable] = data;
        }
    }
}

fn write(pins: &Pins, width: usize, words: &mut [u64], values: &[u64]) {
    let writes = pins.value.len() / width.max(1);
    for port in 0..writes {
        let bits = pins.place.len() / writes;
        let address = &pins.place[port * bits..(port + 1) * bits];
        let enable: Vec<u64> = pins.enable[port * width..(port + 1) * width].iter().map(|e| value_of(values, *e)).collect();
        let value: Vec<u64> = pins.value[port * width..(port + 1) * width].iter().map(|v| value_of(values, *v)).collect();
        for run in 0..64 {
            let Some(at) = place(address, run, width, words.len(), values) else { continue };
            for ((word, enable), value) in words[at..].iter_mut().zip(&enable).zip(&value) {
                let mask = enable & 1 << run;
                *word = *word & !mask | value & mask;
            }
        }
    }
}
