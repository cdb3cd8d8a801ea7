// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The place of a unit's values between cycles: 64-bit words, lowest bits first.

use super::compile_error::CompileError;
use bcu_hw::netlist::gates::{Access, Netlist};
use bcu_isa::ports::{Dir, Port};

/// The 64-bit words that a value of this width needs.
pub fn words(width: usize) -> usize {
    width.div_ceil(64)
}

/// Word offsets, each from the start of its buffer.
pub struct Layout {
    /// Each netlist input among the unit's inputs, and each netlist output among the unit's outputs.
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    pub registers: Vec<usize>,
    pub memories: Vec<MemoryPlace>,
    pub state_words: usize,
    pub memory_words: usize,
}

pub struct MemoryPlace {
    /// First word of the memory, and the distance between its words.
    pub base: usize,
    pub stride: usize,
    /// Offset of each field in a word.
    pub fields: Vec<usize>,
    /// Indexed memory: offset in the state of each field of the word that was read.
    pub read: Vec<usize>,
}

impl Layout {
    pub fn new(netlist: &Netlist, ports: &[Port]) -> Result<Self, CompileError> {
        let place = |name: &str, dir: Dir| {
            let found = ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name);
            found.ok_or_else(|| CompileError::Port(name.to_string()))
        };
        let inputs = netlist.inputs.iter().map(|p| place(&p.name, Dir::In)).collect::<Result<_, _>>()?;
        let outputs = netlist.outputs.iter().map(|o| place(&o.port.name, Dir::Out)).collect::<Result<_, _>>()?;
        let (mut state_words, mut memory_words) = (0, 0);
        let take = |count: usize, from: &mut usize| {
            let at = *from;
            *from += count;
            at
        };
        let registers = netlist.registers.iter().map(|r| take(words(r.width), &mut state_words)).collect();
        let mut memories = vec![];
        for memory in &netlist.memories {
            let mut stride = 0;
            let fields = memory.fields.iter().map(|&(width, _)| take(words(width), &mut stride)).collect();
            let read = match memory.access {
                Access::Marked { .. } => vec![],
                Access::Indexed { .. } => {
                    memory.fields.iter().map(|&(width, _)| take(words(width), &mut state_words)).collect()
                }
            };
            memories.push(MemoryPlace { base: take(stride * memory.words, &mut memory_words), stride, fields, read });
        }
        Ok(Layout { inputs, outputs, registers, memories, state_words, memory_words })
    }

    /// The state at power-up.
    pub fn initial(&self, netlist: &Netlist) -> Vec<u64> {
        let mut state = vec![0; self.state_words];
        for (register, &at) in netlist.registers.iter().zip(&self.registers) {
            for (word, value) in state.iter_mut().skip(at).zip(register.initial.iter_u64_digits()) {
                *word = value;
            }
        }
        state
    }
}
