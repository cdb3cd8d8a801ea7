// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The function of one cycle: gates in the order of the netlist, each value stored where it is needed as soon as it is known.

use super::layout::{words, Layout};
use super::CompileError;
use bcu_hw::netlist::{Netlist, Wire};
use cranelift_codegen::ir::{types::I64, AbiParam, InstBuilder, MemFlags, Value};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, Linkage, Module};
use std::collections::HashMap;

/// State, state after the edge, memories, inputs, outputs.
pub type Code = unsafe extern "C" fn(*const u64, *mut u64, *mut u64, *const u64, *mut u64);

/// A value of a gate: words, the lowest first; bits above its width are 0.
pub type Bits = Vec<Value>;

/// The function while it is made.
pub struct Emitter<'a, 'f> {
    pub netlist: &'a Netlist,
    pub layout: &'a Layout,
    pub code: FunctionBuilder<'f>,
    pub state: Value,
    pub next: Value,
    pub memories: Value,
    inputs: Value,
    outputs: Value,
    pub values: Vec<Bits>,
}

/// Makes the machine code of a netlist.
pub fn compile(netlist: &Netlist, layout: &Layout) -> Result<(JITModule, Code), CompileError> {
    let target = |error: &dyn std::fmt::Display| CompileError::Target(error.to_string());
    let mut flags = settings::builder();
    for (key, value) in [("opt_level", "speed"), ("is_pic", "false"), ("use_colocated_libcalls", "false")] {
        flags.set(key, value).map_err(|e| target(&e))?;
    }
    let isa = cranelift_native::builder().map_err(|e| target(&e))?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| target(&e))?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let mut context = module.make_context();
    context.func.signature.params = vec![AbiParam::new(I64); 5];
    let mut scratch = FunctionBuilderContext::new();
    let mut code = FunctionBuilder::new(&mut context.func, &mut scratch);
    let entry = code.create_block();
    code.append_block_params_for_function_params(entry);
    code.switch_to_block(entry);
    let [state, next, memories, inputs, outputs] = <[Value; 5]>::try_from(code.block_params(entry)).map_err(|e| target(&e))?;
    let values = Vec::with_capacity(netlist.gates.len());
    let emitter = Emitter { netlist, layout, code, state, next, memories, inputs, outputs, values };
    emitter.cycle()?;
    let signature = context.func.signature.clone();
    let id = module.declare_function("cycle", Linkage::Export, &signature).map_err(|e| target(&e))?;
    module.define_function(id, &mut context).map_err(|e| target(&e))?;
    module.finalize_definitions().map_err(|e| target(&e))?;
    let address = module.get_finalized_function(id);
    // SAFETY: the function was declared with these five parameters and the C calling convention of this processor.
    let code = unsafe { std::mem::transmute::<*const u8, Code>(address) };
    Ok((module, code))
}

impl Emitter<'_, '_> {
    fn cycle(mut self) -> Result<(), CompileError> {
        let (netlist, layout) = (self.netlist, self.layout);
        let mut sinks: HashMap<Wire, Vec<(Value, usize)>> = HashMap::new();
        for (output, &at) in netlist.outputs.iter().zip(&layout.outputs) {
            sinks.entry(output.value).or_default().push((self.outputs, at));
        }
        for (register, &at) in netlist.registers.iter().zip(&layout.registers) {
            sinks.entry(register.next).or_default().push((self.next, at));
        }
        for (wire, gate) in netlist.gates.iter().enumerate() {
            let value = self.gate(gate)?;
            for &(base, at) in sinks.get(&wire).into_iter().flatten() {
                self.store(base, at, &value);
            }
            self.values.push(value);
        }
        for at in 0..netlist.memories.len() {
            self.clock_memory(at);
        }
        self.code.ins().return_(&[]);
        self.code.seal_all_blocks();
        self.code.finalize();
        Ok(())
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

    /// An input, without the bits above its width that a caller may have set.
    pub fn input(&mut self, at: usize, width: usize) -> Bits {
        let place = self.layout.inputs[at];
        let value = self.load(self.inputs, place, width);
        self.cut(value, width)
    }
}
