// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memories: their outputs, and their update at the edge.

use super::emit::{Bits, Emitter};
use bcu_hw::netlist::gates::Access;
use cranelift_codegen::ir::{types::I64, InstBuilder, Value};

impl Emitter<'_, '_> {
    /// A field of the word that a memory outputs in this cycle.
    pub fn word(&mut self, memory: usize, field: usize, width: usize) -> Bits {
        let place = &self.layout.memories[memory];
        let Access::Marked { selects, .. } = &self.netlist.memories[memory].access else {
            return self.load(self.state, place.read[field], width);
        };
        let (marks, at) = (self.value(selects[field])[0], place.fields[field]);
        let none: Bits = (0..super::layout::words(width)).map(|_| self.number(0)).collect();
        self.each(memory, marks, &none, |me, address, sum| {
            let word = me.load(address, at, width);
            sum.iter().zip(word).map(|(&a, b)| me.code.ins().bor(a, b)).collect()
        })
    }

    /// Emits the update of a memory at the clock edge. An indexed memory is read before it is written. A marked memory has no read at the
    /// edge, and writes the data to every word whose mark is 1.
    pub fn clock_memory(&mut self, at: usize) {
        let (memory, place) = (&self.netlist.memories[at], &self.layout.memories[at]);
        let data: Bits = memory.fields.iter().flat_map(|&(_, value)| self.value(value)).collect();
        match &memory.access {
            Access::Marked { write, .. } => {
                let marks = self.value(*write)[0];
                self.each(at, marks, &[], |me, address, _| {
                    me.store(address, 0, &data);
                    vec![]
                });
            }
            Access::Indexed { write, write_address, read, read_address } => {
                let address = self.value(*read_address)[0];
                let address = self.address(at, address);
                for (field, &(width, _)) in memory.fields.iter().enumerate() {
                    let mut word = self.load(address, place.fields[field], width);
                    // If the memory has a read enable and it is 0, the field keeps the value that was read before.
                    if let Some(read) = read {
                        let read = self.value(*read)[0];
                        let held_words = self.load(self.state, place.read[field], width);
                        let pairs = word.iter().zip(held_words);
                        word = pairs.map(|(&word, held_words)| self.code.ins().select(read, word, held_words)).collect();
                    }
                    self.store(self.next, place.read[field], &word);
                }
                // The write is in a block of code that is skipped if the write enable is 0.
                let (store, after) = (self.code.create_block(), self.code.create_block());
                let (write, address) = (self.value(*write)[0], self.value(*write_address)[0]);
                self.code.ins().brif(write, store, &[], after, &[]);
                self.code.switch_to_block(store);
                let address = self.address(at, address);
                self.store(address, 0, &data);
                self.code.ins().jump(after, &[]);
                self.code.switch_to_block(after);
            }
        }
    }

    /// The address of the word at `index`.
    fn address(&mut self, memory: usize, index: Value) -> Value {
        let place = &self.layout.memories[memory];
        let offset = self.code.ins().imul_imm(index, 8 * place.stride as i64);
        let base = self.code.ins().iadd_imm(self.memories, 8 * place.base as i64);
        self.code.ins().iadd(base, offset)
    }

    /// Emits a loop that executes `step` for every word whose mark is 1. The first execution receives the values `carried`, each later one
    /// the values that the previous execution returned. Returns the values of the last execution.
    fn each(
        &mut self,
        memory: usize,
        marks: Value,
        carried: &[Value],
        mut step: impl FnMut(&mut Self, Value, &[Value]) -> Bits,
    ) -> Bits {
        let (head, body, after) = (self.code.create_block(), self.code.create_block(), self.code.create_block());
        for _ in 0..=carried.len() {
            self.code.append_block_param(head, I64);
        }
        let start: Vec<_> = [marks].iter().chain(carried).map(|&v| v.into()).collect();
        self.code.ins().jump(head, &start);
        self.code.switch_to_block(head);
        let state = self.code.block_params(head).to_vec();
        self.code.ins().brif(state[0], body, &[], after, &[]);
        self.code.switch_to_block(body);
        let index = self.code.ins().ctz(state[0]);
        let address = self.address(memory, index);
        let carried = step(self, address, &state[1..]);
        let lower = self.code.ins().iadd_imm(state[0], -1);
        let rest = self.code.ins().band(state[0], lower);
        let again: Vec<_> = [rest].iter().chain(&carried).map(|&v| v.into()).collect();
        self.code.ins().jump(head, &again);
        self.code.switch_to_block(after);
        state[1..].to_vec()
    }
}
