// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of a unit's registers, memories and ports in buffers of 64-bit words; the lowest bits of a value are in its first word.

use super::compile_error::CompileError;
use bcu_hw::netlist::gates::{Access, Netlist};
use bcu_isa::ports::{Dir, Port};

/// The 64-bit words that a value of this width needs.
pub fn words(width: usize) -> usize {
    width.div_ceil(64)
}

/// Word offsets, each from the start of its buffer.
pub struct Layout {
    /// For each input of the netlist, its index among the unit's inputs.
    pub inputs: Vec<usize>,
    /// For each output of the netlist, its index among the unit's outputs.
    pub outputs: Vec<usize>,
    /// For each register, its offset in the state.
    pub registers: Vec<usize>,
    pub memories: Vec<MemoryPlace>,
    /// The length of the buffer for the state, in 64-bit words.
    pub state_words: usize,
    /// The length of the buffer for the memories, in 64-bit words.
    pub memory_words: usize,
}

/// The place of a memory in the buffer of memories. A word of the memory takes one or more 64-bit words for each of its fields.
pub struct MemoryPlace {
    /// The offset of the memory's first word, in 64-bit words.
    pub base: usize,
    /// The distance from a word of the memory to the next, in 64-bit words.
    pub stride: usize,
    /// For each field, its offset in a word of the memory.
    pub fields: Vec<usize>,
    /// For an indexed memory: for each field of the word that was read last, the offset of the field in the state.
    pub read: Vec<usize>,
}

impl Layout {
    /// Gives a place to every register, memory and port of a netlist.
    ///
    /// # Errors
    /// The netlist has a port that is not among `ports`.
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
