// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a unit as machine code made from its netlist, on the calling thread: the same cycles as `Engine` of `bcu-engine`, many times
//! faster.
//!
//! The code computes the function of the exported Verilog. It runs in lockstep with the rust-hdl block and does not replace it. One call is
//! one cycle: outputs from the state and the inputs, and the state after the edge into a second buffer; then the buffers are swapped. A
//! cycle allocates no memory.

mod compile_error;
mod emit;
mod gates;
mod layout;
mod memory;
mod parts;
mod trace;

use bcu_hw::netlist;
use bcu_hw::netlist::gates::{Netlist, Wire};
use bcu_hw::ports::Unit;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;
pub use compile_error::CompileError;
use cranelift_jit::JITModule;
use emit::Code;
use layout::Layout;
use parts::Parts;
use trace::Trace;

/// A unit as machine code.
pub struct Compiled {
    ports: Vec<Port>,
    inputs: usize,
    outputs: usize,
    code: Vec<Code>,
    module: Option<JITModule>,
    state: Vec<u64>,
    next: Vec<u64>,
    memories: Vec<u64>,
    /// The values that parts read from each other, and after them the traced values.
    part_words: Vec<u64>,
    /// The index of the first traced value in `part_words`.
    first_traced: usize,
    initial: Vec<u64>,
}

impl Compiled {
    /// The unit at power-up: registers hold their initial values, memories 0.
    pub fn new(mut unit: Box<dyn Unit>) -> Result<Self, CompileError> {
        unit.block_mut().connect_all();
        Compiled::of_netlist(&netlist::build(unit.block(), unit.name()).map_err(CompileError::Print)?, unit.ports())
    }

    /// As [`Compiled::new`], and [`Compiled::traced_values`] returns the values of the wires that `select` returns. `select` gets the wires
    /// of all signals inside the unit, from [`build_with_atoms`](netlist::build_with_atoms).
    pub fn traced(mut unit: Box<dyn Unit>, select: impl FnOnce(&[Vec<Wire>]) -> Vec<Wire>) -> Result<Self, CompileError> {
        unit.block_mut().connect_all();
        let (netlist, atoms) = netlist::build_with_atoms(unit.block(), unit.name()).map_err(CompileError::Print)?;
        Compiled::with_wires(&netlist, unit.ports(), &select(&atoms))
    }

    /// As [`Compiled::new`], from the netlist of a unit with these ports.
    pub fn of_netlist(netlist: &Netlist, ports: Vec<Port>) -> Result<Self, CompileError> {
        Compiled::with_wires(netlist, ports, &[])
    }

    /// The netlist of a unit with these ports, and the traced wires.
    fn with_wires(netlist: &Netlist, ports: Vec<Port>, wires: &[Wire]) -> Result<Self, CompileError> {
        gates::check(netlist)?;
        let (layout, parts) = (Layout::new(netlist, &ports)?, Parts::new(netlist));
        let trace = Trace::new(netlist, &parts, wires);
        let (module, code) = emit::compile(netlist, &layout, &parts, &trace)?;
        let inputs = ports.iter().filter(|p| p.dir == Dir::In).count();
        let (initial, memories) = (layout.initial(netlist), vec![0; layout.memory_words]);
        let (state, next, outputs) = (initial.clone(), initial.clone(), ports.len() - inputs);
        Ok(Compiled {
            inputs,
            outputs,
            ports,
            code,
            module: Some(module),
            state,
            next,
            memories,
            part_words: trace.part_words,
            first_traced: parts.part_word_count,
            initial,
        })
    }

    /// The values of the traced wires in the last cycle, before its edge; each as words, low word first.
    pub fn traced_values(&self) -> &[u64] {
        &self.part_words[self.first_traced..]
    }

    /// Restores the power-up state.
    pub fn restart(&mut self) {
        self.state.copy_from_slice(&self.initial);
        self.memories.fill(0);
    }
}

impl Dut for Compiled {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        assert!(inputs.len() == self.inputs && outputs.len() == self.outputs, "expected one value per port");
        let (state, inputs) = (self.state.as_ptr(), inputs.as_ptr());
        let (next, memories, outputs, part_words) =
            (self.next.as_mut_ptr(), self.memories.as_mut_ptr(), outputs.as_mut_ptr(), self.part_words.as_mut_ptr());
        for code in &self.code {
            // SAFETY: the code reads `inputs` and `state` and writes `outputs`, `next`, `memories` and `part_words` within the lengths of its
            // layout; the lengths of the caller's buffers are asserted above. The code lives as long as `module`.
            unsafe { code(state, next, memories, inputs, outputs, part_words) };
        }
        std::mem::swap(&mut self.state, &mut self.next);
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: `self` is dropped, so no call of the code follows.
            unsafe { module.free_memory() };
        }
    }
}
