// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Summary of a PTX module: its kernels, the parameters and sizes that a launch must give, and the instructions that are not supported yet.

use super::ast::{Code, CodeKind, Module};
use super::declared::Param;
use super::lower::reached;
use super::special::opaque_special;
use crate::{Call, Callee, Op, Operand};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel, with the functions that it may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kernel {
    pub name: String,
    pub params: Vec<Param>,
    /// Bytes of shared memory that the kernel declares in its body.
    pub shared_bytes: u64,
    /// Threads of a CTA that the kernel requires (`.reqntid`) or allows at most (`.maxntid`).
    pub required_threads: Option<[u32; 3]>,
    pub most_threads: Option<[u32; 3]>,
    /// CTAs of a cluster that the kernel requires (`.reqnctapercluster`) or allows at most (`.maxclusterrank`).
    pub cluster: Option<[u32; 3]>,
    pub most_of_cluster: Option<u32>,
    /// The constant ids of the kernel's barriers.
    pub barriers: Vec<u64>,
    /// Whether the kernel has barriers whose id is in a register.
    pub other_barriers: bool,
    /// Instructions that are not supported yet: opcode and first line.
    pub not_built: Vec<NotBuilt>,
    /// Calls of `malloc` and `free`, which use the heap: function and first line.
    pub heap: Vec<NotBuilt>,
    /// Instructions with an effect that is not calculated: opcode and first line.
    pub unknown_results: Vec<NotBuilt>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotBuilt {
    pub opcode: String,
    /// Line number, from 1.
    pub line: usize,
}

/// The kernels in text order; if the text has none, its fragments.
pub fn kernels(module: &Module) -> Vec<Kernel> {
    let runs = |code: &Code| code.kind != CodeKind::Function;
    let found = module.codes.iter().enumerate().filter(|(_, code)| runs(code));
    found.map(|(index, code)| kernel(module, index, code)).collect()
}

fn kernel(module: &Module, index: usize, code: &Code) -> Kernel {
    let (mut barriers, mut other_barriers) = (BTreeSet::new(), false);
    let (mut not_built, mut unknown, mut heap) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let codes = reached(module, &[index]);
    for instr in codes.iter().filter_map(|code| module.codes.get(*code)).flat_map(Code::instrs) {
        match &instr.op {
            Op::Barrier(barrier) => match barrier.id {
                Operand::Immediate(id) => {
                    barriers.insert(id as u64);
                }
                _ => other_barriers = true,
            },
            Op::NotBuilt { opcode } => {
                not_built.entry(opcode.clone()).or_insert(instr.place.line);
            }
            Op::Call(Call { callee: Callee::Outside(name), .. }) if ["malloc", "free"].contains(&name.as_str()) => {
                heap.entry(name.clone()).or_insert(instr.place.line);
            }
            _ => {}
        }
        if instr.is_unevaluated() {
            let special = opaque_special(&instr.place.text).map_or(String::new(), |name| format!(" of {name}"));
            unknown.entry(format!("{}{special}", instr.opcode())).or_insert(instr.place.line);
        }
    }
    let list = |found: BTreeMap<String, usize>| found.into_iter().map(|(opcode, line)| NotBuilt { opcode, line }).collect();
    Kernel {
        name: code.name.clone(),
        params: code.params.clone(),
        shared_bytes: code.shared,
        required_threads: code.bounds.reqntid,
        most_threads: code.bounds.maxntid,
        cluster: code.bounds.reqnctapercluster.as_ref().map(|(size, _)| *size),
        most_of_cluster: code.bounds.maxclusterrank.as_ref().map(|(most, _)| *most),
        barriers: barriers.into_iter().collect(),
        other_barriers,
        not_built: list(not_built),
        heap: list(heap),
        unknown_results: list(unknown),
    }
}
