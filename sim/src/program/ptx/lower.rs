// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module and a launch into the steps of every warp; what ids and counts are worth is checked here.

use super::ast::{CodeKind, Module, Op};
use super::check::Findings;
use super::eval::WarpContext;
use super::launch::{plan, Launch};
use super::parse::MAX_ERRORS;
use super::walk::Walk;
use crate::program::WarpProgram;
use bcu_hw::diag::Diagnostic;
use std::collections::{HashMap, HashSet};

/// The most steps of all warps together.
pub const MAX_TOTAL_STEPS: usize = 1_000_000;

/// What a run executes.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// One program per warp of the CTA.
    pub warps: Vec<WarpProgram>,
    /// Threads of the CTA; of the last warp only the lanes below exist.
    pub threads: u32,
    /// What a run survives but hardly meant, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a module for one CTA.
///
/// # Errors
/// Roles and threads that do not fit; an id above 15, a count that is no multiple of the lanes, above 4095, or 0 for an
/// arrival; a branch, barrier, id or count that depends on what only the run knows; a program too long.
pub fn lower(module: &Module, launch: &Launch) -> Result<Lowered, Vec<Diagnostic>> {
    let plan = plan(module, launch)?;
    let mut findings = Findings::new(launch.lanes, plan.threads);
    // Every constant is checked, in code that no warp reaches as well.
    let instrs = module.codes.iter().flat_map(|code| &code.instrs);
    let errors: Vec<Diagnostic> = instrs.filter_map(|instr| findings.constants(instr).err()).take(MAX_ERRORS).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let barrier_functions = barrier_functions(module);
    let given = module.directives.params.iter().map(|(name, value, _)| (name, *value));
    let given: HashMap<&String, u64> = given.chain(launch.params.iter().map(|(name, value)| (name, *value))).collect();
    let mut warps: Vec<WarpProgram> = Vec::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut total = 0;
    for (warp, &code) in plan.warps.iter().enumerate() {
        let code = &module.codes[code];
        let live = (plan.threads as usize - warp * launch.lanes as usize).min(launch.lanes as usize);
        let (ntid, ctaid, nctaid) = (plan.ntid, launch.ctaid, launch.nctaid);
        // What a kernel declares in its body, such as the result of a call, is no parameter of it.
        let params: HashMap<String, u64> =
            given.iter().filter(|(name, _)| code.has_param(name)).map(|(name, value)| (name.to_string(), *value)).collect();
        let context = WarpContext {
            warp,
            lanes: launch.lanes as usize,
            live,
            warps: plan.warps.len(),
            ntid,
            ctaid,
            nctaid,
            params: &params,
        };
        let walk = Walk { code, context, barrier_functions: &barrier_functions, highest_leads: launch.highest_leads };
        let mut steps = Vec::new();
        let outcome = walk.steps(&mut findings, &mut steps);
        total += steps.len();
        match outcome {
            Ok(()) => warps.push(WarpProgram { name: code.name.clone(), steps }),
            // Every warp stumbles over the same place: the first one's complaint is enough.
            Err(error) if errors.iter().any(|e| e.span == error.span) => {}
            Err(error) => errors.push(error),
        }
        // The steps of a warp that fails took their time as well.
        if total > MAX_TOTAL_STEPS {
            if errors.is_empty() {
                let message = format!("warps 0 to {warp} take more than {MAX_TOTAL_STEPS} steps together");
                let error = Diagnostic::new(code.span.clone(), message, "too long to unroll");
                errors.push(error.help("lower the rounds of its loops"));
            }
            break;
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Lowered { warps, threads: plan.threads, warnings: findings.into_warnings() })
}

/// Functions that execute a barrier themselves or through others.
fn barrier_functions(module: &Module) -> HashSet<&str> {
    let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut reached: Vec<&str> = Vec::new();
    for code in module.codes.iter().filter(|code| code.kind == CodeKind::Function) {
        for instr in &code.instrs {
            match &instr.op {
                Op::Barrier(_) | Op::Meet { .. } => reached.push(&code.name),
                Op::Call { callee: Some(callee) } => callers.entry(callee).or_default().push(&code.name),
                _ => {}
            }
        }
    }
    let mut found = HashSet::new();
    while let Some(name) = reached.pop() {
        if found.insert(name) {
            reached.extend(callers.get(name).into_iter().flatten());
        }
    }
    found
}
