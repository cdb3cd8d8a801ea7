// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Splits the netlist into parts, each of which becomes a function: the cost of register allocation grows faster than the size of a
//! function.

use super::layout::words;
use bcu_hw::netlist::gates::{Access, Function, Netlist, Wire};
use std::collections::HashMap;
use std::ops::Range;

/// Gates of a part. Half or twice this number makes neither compilation nor a cycle faster.
const GATES: usize = 256;

/// The gates of each part, and the place where a part stores the values that later parts read.
pub struct Parts {
    /// The last part has no gates: after all gates, it updates the memories at the edge.
    pub gates: Vec<Range<Wire>>,
    /// For a value that a later part reads, its index among the words that parts store.
    pub part_words: HashMap<Wire, usize>,
    pub part_word_count: usize,
}

/// Whether a value is a constant, an input or stored between cycles. Every part that reads such a value loads or makes the value itself, so
/// no part stores the value for a later part.
pub fn is_stored(netlist: &Netlist, wire: Wire) -> bool {
    match netlist.gates[wire].function {
        Function::Const(_) | Function::Input(_) | Function::Register(_) => true,
        Function::Word { memory, .. } => matches!(netlist.memories[memory].access, Access::Indexed { .. }),
        _ => false,
    }
}

impl Parts {
    /// Splits the gates, in netlist order, into parts of `GATES` gates, and finds the values that parts read from each other.
    pub fn new(netlist: &Netlist) -> Self {
        let count = netlist.gates.len();
        let mut gates: Vec<Range<Wire>> = (0..count).step_by(GATES).map(|at| at..(at + GATES).min(count)).collect();
        gates.push(count..count);
        let mut parts = Parts { gates, part_words: HashMap::new(), part_word_count: 0 };
        for (wire, gate) in netlist.gates.iter().enumerate() {
            for operand in gate.function.operands() {
                parts.read(netlist, operand, wire / GATES);
            }
            if let Function::Word { memory, field } = gate.function {
                if let Access::Marked { selects, .. } = &netlist.memories[memory].access {
                    parts.read(netlist, selects[field], wire / GATES);
                }
            }
        }
        for memory in &netlist.memories {
            let fields = memory.fields.iter().map(|&(_, value)| value);
            let access = match &memory.access {
                Access::Marked { write, .. } => vec![*write],
                Access::Indexed { write, write_address, read, read_address } => {
                    [*write, *write_address, *read_address].into_iter().chain(*read).collect()
                }
            };
            fields.chain(access).for_each(|wire| parts.read(netlist, wire, usize::MAX));
        }
        parts
    }

    /// Records that a part reads this wire.
    fn read(&mut self, netlist: &Netlist, wire: Wire, part: usize) {
        if wire / GATES != part && !is_stored(netlist, wire) && !self.part_words.contains_key(&wire) {
            self.part_words.insert(wire, self.part_word_count);
            self.part_word_count += words(netlist.gates[wire].width);
        }
    }
}
