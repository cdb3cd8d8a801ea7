// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of traced values. They are after the values that parts read from each other, so that the code of a unit is the same with and
//! without traced values, but for the stores of these values.

use super::layout::words;
use super::parts::Parts;
use bcu_hw::netlist::gates::{Function, Netlist, Wire};

/// The traced values of a netlist.
pub struct Trace {
    /// The wires that change, each with the index of its value among the words of parts. A wire may have several values.
    pub stored: Vec<(Wire, usize)>,
    /// The words of parts before the first cycle. Constants have their values here, so the code does not store them.
    pub part_words: Vec<u64>,
}

impl Trace {
    /// Gives a place to the value of each of the wires.
    pub fn new(netlist: &Netlist, parts: &Parts, wires: &[Wire]) -> Self {
        let mut trace = Trace { stored: vec![], part_words: vec![0; parts.part_word_count] };
        for &wire in wires {
            let (gate, at) = (&netlist.gates[wire], trace.part_words.len());
            trace.part_words.resize(at + words(gate.width), 0);
            match &gate.function {
                Function::Const(number) => {
                    let digits = number.iter_u64_digits();
                    trace.part_words[at..].iter_mut().zip(digits).for_each(|(word, digit)| *word = digit);
                }
                _ => trace.stored.push((wire, at)),
            }
        }
        trace
    }
}
