// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The functions of one cycle: gates in netlist order, each value stored to its destination as soon as it is computed.

use super::compile_error::CompileError;
use super::layout::{words, Layout};
use super::parts::{is_stored, Parts};
use super::trace::Trace;
use bcu_hw::netlist::gates::{Netlist, Wire};
use cranelift_codegen::ir::{types::I64, AbiParam, InstBuilder, MemFlags, Value};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, Module};
use std::collections::HashMap;

/// Arguments: state, state after the edge, memories, inputs, outputs, values passed between parts.
pub type Code = unsafe extern "C" fn(*const u64, *mut u64, *mut u64, *const u64, *mut u64, *mut u64);

/// The value of a gate as words, lowest first; bits above its width are 0.
pub type Bits = Vec<Value>;

/// A function under construction.
pub struct Emitter<'a, 'f> {
    pub netlist: &'a Netlist,
    pub layout: &'a Layout,
    parts: &'a Parts,
    sinks: &'a Sinks,
    pub code: FunctionBuilder<'f>,
    pub state: Value,
    pub next: Value,
    pub memories: Value,
    inputs: Value,
    outputs: Value,
    part_words: Value,
    /// Values already computed or loaded in this function.
    values: HashMap<Wire, Bits>,
}

/// The destinations of a gate's value.
type Sinks = HashMap<Wire, Vec<(Sink, usize)>>;

#[derive(Clone, Copy)]
enum Sink {
    Output,
    Next,
    Traced,
}

/// Compiles a netlist to machine code. Returns the functions, which the caller calls in their order once per cycle, and the module that
/// owns their code.
pub fn compile(
    netlist: &Netlist,
    layout: &Layout,
    parts: &Parts,
    trace: &Trace,
) -> Result<(JITModule, Vec<Code>), CompileError> {
    let target = |error: &dyn std::fmt::Display| CompileError::Target(error.to_string());
    let mut flags = settings::builder();
    // The lockstep tests find errors in the emitted code, so the verifier of Cranelift is off.
    let given =
        [("opt_level", "speed"), ("is_pic", "false"), ("use_colocated_libcalls", "false"), ("enable_verifier", "false")];
    for (key, value) in given {
        flags.set(key, value).map_err(|e| target(&e))?;
    }
    let isa = cranelift_native::builder().map_err(|e| target(&e))?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| target(&e))?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let sinks = sinks(netlist, layout, trace);
    let (mut context, mut scratch) = (module.make_context(), FunctionBuilderContext::new());
    let mut functions = vec![];
    for part in 0..parts.gates.len() {
        context.func.signature.params = vec![AbiParam::new(I64); 6];
        let mut code = FunctionBuilder::new(&mut context.func, &mut scratch);
        let entry = code.create_block();
        code.append_block_params_for_function_params(entry);
        code.switch_to_block(entry);
        let places = <[Value; 6]>::try_from(code.block_params(entry)).map_err(|e| target(&e))?;
        let [state, next, memories, inputs, outputs, part_words] = places;
        let (sinks, values) = (&sinks, HashMap::new());
        Emitter { netlist, layout, parts, sinks, code, state, next, memories, inputs, outputs, part_words, values }
            .whole_part(part);
        let id = module.declare_anonymous_function(&context.func.signature).map_err(|e| target(&e))?;
        module.define_function(id, &mut context).map_err(|e| target(&e))?;
        module.clear_context(&mut context);
        functions.push(id);
    }
    module.finalize_definitions().map_err(|e| target(&e))?;
    // SAFETY: each function was declared with these six parameters and the C calling convention of this processor.
    let code = |id| unsafe { std::mem::transmute::<*const u8, Code>(module.get_finalized_function(id)) };
    let code = functions.into_iter().map(code).collect();
    Ok((module, code))
}

fn sinks(netlist: &Netlist, layout: &Layout, trace: &Trace) -> Sinks {
    let mut sinks: Sinks = HashMap::new();
    for (output, &at) in netlist.outputs.iter().zip(&layout.outputs) {
        sinks.entry(output.value).or_default().push((Sink::Output, at));
    }
    for (register, &at) in netlist.registers.iter().zip(&layout.registers) {
        sinks.entry(register.next).or_default().push((Sink::Next, at));
    }
    for &(wire, at) in &trace.stored {
        sinks.entry(wire).or_default().push((Sink::Traced, at));
    }
    sinks
}

impl Emitter<'_, '_> {
    fn whole_part(mut self, part: usize) {
        let (netlist, parts, sinks) = (self.netlist, self.parts, self.sinks);
        for wire in parts.gates[part].clone() {
            let sinks = sinks.get(&wire);
            if sinks.is_none() && is_stored(netlist, wire) {
                continue;
            }
            let value = self.gate(&netlist.gates[wire]);
            for &(sink, at) in sinks.into_iter().flatten() {
                let base = match sink {
                    Sink::Output => self.outputs,
                    Sink::Next => self.next,
                    Sink::Traced => self.part_words,
                };
                self.store(base, at, &value);
            }
            if let Some(&at) = parts.part_words.get(&wire) {
                self.store(self.part_words, at, &value);
            }
            self.values.insert(wire, value);
        }
        if part + 1 == parts.gates.len() {
            for at in 0..netlist.memories.len() {
                self.clock_memory(at);
            }
        }
        self.code.ins().return_(&[]);
        self.code.seal_all_blocks();
        self.code.finalize();
    }

    /// The value of a gate; loaded from storage if this function has not used it yet.
    pub fn value(&mut self, wire: Wire) -> Bits {
        if let Some(known) = self.values.get(&wire) {
            return known.clone();
        }
        let gate = &self.netlist.gates[wire];
        let value = match self.parts.part_words.get(&wire) {
            Some(&at) => self.load(self.part_words, at, gate.width),
            None => self.gate(gate),
        };
        self.values.insert(wire, value.clone());
        value
    }

    pub fn load(&mut self, base: Value, at: usize, width: usize) -> Bits {
        let load = |word| self.code.ins().load(I64, MemFlags::trusted(), base, 8 * (at + word) as i32);
        (0..words(width)).map(load).collect()
    }

    pub fn store(&mut self, base: Value, at: usize, value: &[Value]) {
        for (word, &part) in value.iter().enumerate() {
            self.code.ins().store(MemFlags::trusted(), part, base, 8 * (at + word) as i32);
        }
    }

    /// An input, without bits above its width, which a caller may have set.
    pub fn input(&mut self, at: usize, width: usize) -> Bits {
        let place = self.layout.inputs[at];
        let value = self.load(self.inputs, place, width);
        self.cut(value, width)
    }
}
