// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lowers a module and a launch into the programs of the warps of every CTA; constants of barriers are checked here.

use super::ast::{Code, CodeKind, Module};
use super::cluster_barrier;
use super::complaint::{shorten, MAX_ERRORS};
use super::declared::Param;
use super::launch::{plan, Launch, Plan};
use super::scope::similar;
use crate::kind::Kind;
use crate::launch::name_parameters;
use crate::part::ctaid;
use crate::word;
use crate::{
    window, Access, AccessKind, Bare, Barrier, Bulk, Call, Callee, Clusters, Function, Grid, Instr, Op, Operand, Special,
    TensorCopy, TextureUse, WarpProgram,
};
use bcu_isa::diag::Diagnostic;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of warnings that are reported.
const MAX_WARNINGS: usize = 20;

/// The programs of a run.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// One program per warp, CTA by CTA.
    pub warps: Vec<WarpProgram>,
    /// CTAs of the grid that run.
    pub ctas: usize,
    pub clusters: Clusters,
    /// Threads of the CTA; the last warp may have fewer lanes.
    pub threads: u32,
    /// Warnings about legal but suspicious use, in text order.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers the kernels that run, for every CTA of the grid; the rest of the module is not checked.
///
/// # Errors
/// Roles and threads that do not match; an id above 15; a count that is not a multiple of the lanes, above 4095, or 0 for an arrival; an
/// instruction that is not supported yet; an argument that matches no parameter.
pub fn lower(module: &Module, launch: &Launch) -> Result<Lowered, Vec<Diagnostic>> {
    let plan = plan(module, launch)?;
    let used = reached(module, &plan.warps);
    // Every constant of these functions is checked, also in instructions that no warp reaches.
    let mut warnings = vec![];
    let instrs = used.iter().flat_map(|code| module.codes[*code].instrs());
    let wrong = instrs
        .filter_map(|instr| built(instr).and_then(|()| constants(instr, (launch.lanes, plan.threads), &mut warnings)).err());
    let errors: Vec<Diagnostic> = wrong.take(MAX_ERRORS).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    if plan.clusters.explicit() {
        let instrs: Vec<&Instr> = used.iter().flat_map(|code| module.codes[*code].instrs()).collect();
        warnings.extend(cluster_barrier::unmatched(&instrs));
    }
    let params = arguments(module, launch, &used)?;
    warnings.sort_by_key(|warning: &Diagnostic| warning.span.start);
    let code = Arc::new(code(module, &plan));
    let grids: HashMap<usize, Arc<Grid>> =
        plan.warps.iter().map(|index| (*index, Arc::new(grid(module, launch, &plan, (*index, &params))))).collect();
    // The checks above bound the number of CTAs that run.
    let all = launch.grid.iter().map(|size| u64::from(*size)).product();
    let numbers: Vec<u64> = launch.part.as_ref().map_or_else(|| (0..all).collect(), |part| part.numbers().collect());
    let mut warps: Vec<WarpProgram> = Vec::new();
    for ctaid in numbers.iter().map(|number| ctaid(*number, launch.grid)) {
        for entry in &plan.warps {
            let name = module.codes[*entry].name.clone();
            let grid = grids.get(entry).cloned().unwrap_or_default();
            warps.push(WarpProgram { name, code: code.clone(), entry: *entry, grid, ctaid });
        }
    }
    Ok(Lowered { warps, ctas: numbers.len(), clusters: plan.clusters, threads: plan.threads, warnings })
}

/// Copies that are not supported yet: a part of the modifier that selects the copy, and the reason.
const NOT_COPIED: [(&str, &str); 3] = [
    (".cta_group", "needs a pair of CTAs, which is not supported yet"),
    (".im2col::w", "needs the im2col mode of rows of pixels; only `.im2col` is supported"),
    (".im2col_no_offs", "stores pixels; only loads are supported in im2col mode"),
];

/// Fails for an instruction that is not supported yet.
fn built(instr: &Instr) -> Result<(), Diagnostic> {
    let Op::NotBuilt { opcode } = &instr.op else { return Ok(()) };
    let message = format!("`{opcode}` is not supported yet");
    let needs = NOT_COPIED.iter().find(|(modifier, _)| opcode.starts_with("cp.") && opcode.contains(modifier));
    if let Some((_, needs)) = needs {
        let error = Diagnostic::new(instr.span.clone(), message, *needs);
        return Err(error.help(
            "supported copies: cp.async; cp.async.bulk and cp.async.bulk.tensor with .tile, .im2col, .tile::gather4 and .tile::scatter4, to global memory with .bulk_group, into shared memory with an mbarrier",
        ));
    }
    let error = Diagnostic::new(instr.span.clone(), message, "expected a supported instruction");
    Err(error.help(
        "supported synchronisation: bar and barrier with .sync, .arrive and .red, barrier.cluster, bar.warp.sync, elect.sync, mbarrier, griddepcontrol, fence",
    ))
}

/// Checks the constant operands of a barrier.
fn constants(instr: &Instr, (lanes, threads): (u32, u32), warnings: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
    let Op::Barrier(Barrier { kind, id, id_span, count, written, .. }) = &instr.op else { return Ok(()) };
    if let Operand::Immediate(id) = id {
        word::id(*id as u64, id_span, &written[0])?;
    }
    if let Some((Operand::Immediate(count), span)) = count {
        let checked = word::count(*count as u64, span, *kind, &written[1], lanes)?;
        if checked > threads.next_multiple_of(lanes) && warnings.len() < MAX_WARNINGS {
            let message =
                format!("a barrier of {} threads in a CTA of {threads} threads", word::shown(*count as u64, &written[1]));
            warnings.push(Diagnostic::new(span.clone(), message, "this barrier cannot complete"));
        }
    }
    Ok(())
}

/// The indices of the kernels and fragments that warps run, and of the functions that these may call.
pub(super) fn reached(module: &Module, warps: &[usize]) -> Vec<usize> {
    let functions = || (0..module.codes.len()).filter(|code| module.codes[*code].kind == CodeKind::Function);
    let mut found: Vec<usize> = Vec::new();
    let mut pending: Vec<usize> = warps.to_vec();
    while let Some(code) = pending.pop() {
        if found.contains(&code) {
            continue;
        }
        found.push(code);
        for instr in module.codes[code].instrs() {
            if let Op::Call(Call { callee, .. }) = &instr.op {
                let called = |code: &usize| match callee {
                    Callee::Outside(name) => module.codes[*code].name == *name,
                    Callee::Function(_) | Callee::Register(_) => true,
                };
                pending.extend(functions().filter(called).filter(|code| !found.contains(code)));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Values of parameters by name; those of the launch take precedence over those of the text.
fn arguments(module: &Module, launch: &Launch, used: &[usize]) -> Result<HashMap<String, u64>, Vec<Diagnostic>> {
    let kernels: Vec<&Code> =
        used.iter().map(|code| &module.codes[*code]).filter(|code| code.kind == CodeKind::Kernel).collect();
    let of_kernel = |code: &&Code| {
        let mut params = code.params.clone();
        name_parameters(&launch.cuda, &code.name, &mut params);
        params
    };
    let params: Vec<Param> = kernels.iter().flat_map(of_kernel).collect();
    let known =
        || params.iter().flat_map(|param| [Some(&param.name), param.source_name.as_ref()]).flatten().map(String::as_str);
    let unknown = launch.params.iter().find(|(name, _)| !kernels.is_empty() && !known().any(|known| known == name));
    if let Some((name, _)) = unknown {
        let error = Diagnostic::new(0..0, format!("no kernel that runs has a parameter `{name}`"), "expected a parameter");
        let mut names = known().collect::<Vec<_>>().join("`, `");
        shorten(&mut names);
        return Err(vec![match similar(name, known()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if names.is_empty() => error.help("the kernels that run have no parameters"),
            None => error.help(format!("the parameters are `{names}`")),
        }]);
    }
    let of_text = module.directives.params.iter().map(|(name, value, _)| (name.clone(), *value));
    // A name of the CUDA source is that of the parameters of all kernels that have it.
    let in_ptx = |(name, value): &(String, u64)| {
        let is_source = |param: &&Param| param.source_name.as_ref() == Some(name);
        let sources: Vec<(String, u64)> = params.iter().filter(is_source).map(|param| (param.name.clone(), *value)).collect();
        sources.into_iter().chain([(name.clone(), *value)]).collect::<Vec<_>>()
    };
    Ok(of_text.chain(launch.params.iter().flat_map(in_ptx)).collect())
}

/// Whether a kernel or a function that it may call reads where the reserved region of shared memory is.
fn uses_reserved(module: &Module, index: usize) -> bool {
    let is_reserved = |operand: &Operand| matches!(operand, Operand::Special(Special::Reserved(_)));
    let instrs = |code: &usize| module.codes[*code].instrs().iter().any(|instr| instr.operands().any(is_reserved));
    reached(module, &[index]).iter().any(instrs)
}

/// The launch parameters that all threads of a CTA share, for warps that run this code.
fn grid(module: &Module, launch: &Launch, plan: &Plan, (index, params): (usize, &HashMap<String, u64>)) -> Grid {
    let code = &module.codes[index];
    let end = code.params.iter().map(|param| param.offset + param.bytes).max().unwrap_or(0);
    let mut arguments = vec![None; end as usize];
    for (param, given) in code.params.iter().zip(&launch.arguments) {
        for (i, byte) in given.iter().enumerate().take(param.bytes as usize) {
            arguments[param.offset as usize + i] = *byte;
        }
    }
    for param in &code.params {
        let range = param.offset as usize..(param.offset + param.bytes) as usize;
        if arguments[range].iter().any(Option::is_some) {
            continue;
        }
        let Some(value) = params.get(&param.name) else { continue };
        for i in 0..param.bytes {
            // If the parameter is larger than the integer, the integer fills the first bytes, and the other bytes are 0.
            arguments[(param.offset + i) as usize] = value.checked_shr(8 * i as u32).map(|value| value as u8).or(Some(0));
        }
    }
    let bounded = code.kind == CodeKind::Kernel || module.shared.is_some();
    let declared = module.shared.unwrap_or(0);
    let shared = bounded.then(|| if launch.shared > 0 { module.dynamic_start() } else { declared });
    Grid {
        ntid: plan.ntid,
        clusters: plan.clusters,
        part: launch.part.clone(),
        programmatic: launch.programmatic,
        cooperative: launch.cooperative,
        reserved: uses_reserved(module, index),
        shared,
        dynamic: launch.shared,
        barriers: None,
        registers: code.bounds.maxnreg,
        params: code.params.clone(),
        arguments,
    }
}

/// All functions, with their symbols resolved.
fn code(module: &Module, plan: &Plan) -> crate::Code {
    let numbers: HashMap<&str, usize> = module.codes.iter().enumerate().map(|(at, code)| (code.name.as_str(), at)).collect();
    let dynamic = module.dynamic_start() as i64;
    // The addresses of functions are above 4 GiB.
    let number_of = |name: &str| numbers.get(name).filter(|_| !module.narrow);
    let function_at = |name: &str| number_of(name).map(|number| window::FUNCTIONS as i64 + *number as i64 * 16);
    let of_launch = |name: &str| module.dynamic.iter().any(|known| known == name);
    let resolve = |operand: &mut Operand| {
        if let Operand::Symbol(name, offset) = operand {
            *operand = match function_at(name) {
                Some(at) => Operand::Immediate(at.wrapping_add(*offset)),
                None if of_launch(name) => Operand::Shared(dynamic.wrapping_add(*offset)),
                None => Operand::Opaque,
            };
        }
    };
    let function = |code: &Code| {
        let mut function: Function = code.function.clone();
        for instr in &mut function.instrs {
            operands(&mut instr.op, &resolve);
            if !plan.clusters.explicit() {
                cluster_barrier::alone(instr);
            }
            if let Op::Call(call) = &mut instr.op {
                let number = match &call.callee {
                    Callee::Outside(name) => numbers.get(name.as_str()).copied(),
                    _ => None,
                };
                call.callee = number.map_or_else(|| call.callee.clone(), Callee::Function);
            }
        }
        function
    };
    let kernel = plan.warps.iter().any(|index| module.codes[*index].kind == CodeKind::Kernel);
    let bare = Bare { zeroed: false, unbounded: !kernel, rounded: false };
    let mut variables = module.variables.clone();
    for (variable, offset, name) in &module.relocations {
        let at = function_at(name)
            .or_else(|| module.variables.iter().find(|known| known.name == *name).map(|known| known.address as i64));
        let (Some(at), Some(variable)) = (at, variables.get_mut(*variable)) else { continue };
        let known = (*offset..variable.bytes.len()).zip(at.to_le_bytes()).take(module.pointer() as usize);
        known.for_each(|(at, value)| variable.bytes.set(at, Some(value)));
    }
    let functions = module.codes.iter().map(function).collect();
    let (shared, kernels) = (module.shared_names.clone(), kernels_of(module));
    let dynamic = dynamic_name(module, plan).map(|name| (name, dynamic as u64));
    crate::Code::new(Kind::Ptx, functions, variables, bare).with_shared(shared, dynamic).with_kernels(kernels)
}

fn kernels_of(module: &Module) -> Vec<usize> {
    (0..module.codes.len()).filter(|code| module.codes[*code].kind == CodeKind::Kernel).collect()
}

/// The name of dynamic shared memory that the instructions that run use; otherwise the only one of the module.
fn dynamic_name(module: &Module, plan: &Plan) -> Option<String> {
    let used = reached(module, &plan.warps);
    let operands = used.iter().flat_map(|code| module.codes[*code].instrs()).flat_map(|instr| instr.operands());
    let mut names = operands.filter_map(|operand| match operand {
        Operand::Symbol(name, _) if module.dynamic.contains(name) => Some(name.clone()),
        _ => None,
    });
    names.next().or_else(|| Some(module.dynamic.first()?.clone()).filter(|_| module.dynamic.len() == 1))
}

/// Visits the operands of an operation that may be symbols.
fn operands(op: &mut Op, resolve: &dyn Fn(&mut Operand)) {
    match op {
        Op::Mbarrier(asked) => asked.operands_mut().for_each(resolve),
        Op::Warpgroup(op) => op.operands_mut().for_each(resolve),
        Op::TensorCore(op) => op.operands_mut().into_iter().for_each(resolve),
        Op::Exchange { sources, .. } | Op::Calc { sources, .. } => sources.iter_mut().for_each(resolve),
        Op::Access(Access { kind, address, .. }) => {
            address.iter_mut().for_each(resolve);
            match kind {
                AccessKind::Store(Some(sources)) | AccessKind::Atomic { sources, .. } => sources.iter_mut().for_each(resolve),
                AccessKind::Matrix { stored, .. } => stored.iter_mut().flatten().for_each(resolve),
                AccessKind::Copy { from, .. } | AccessKind::CopyMap { from, .. } => resolve(from),
                AccessKind::Bulk(Bulk { from, signal, .. }) => {
                    resolve(from);
                    signal.iter_mut().for_each(|signal| resolve(&mut signal.address));
                }
                AccessKind::Tell { sources, signal, .. } => {
                    sources.iter_mut().chain([&mut signal.address]).for_each(resolve);
                }
                AccessKind::Tensor(TensorCopy { coordinates, shared, signal, .. }) => {
                    let shared = shared.iter_mut().map(|(shared, _)| shared);
                    let signal = signal.iter_mut().map(|signal| &mut signal.address);
                    coordinates.iter_mut().chain(shared).chain(signal).for_each(resolve);
                }
                AccessKind::Texture(TextureUse::Fetch { coordinates, .. }) => coordinates.iter_mut().for_each(resolve),
                AccessKind::Load
                | AccessKind::Store(None)
                | AccessKind::Prefetch { .. }
                | AccessKind::Texture(TextureUse::Extent(_))
                | AccessKind::Nothing => {}
            }
        }
        _ => {}
    }
}
