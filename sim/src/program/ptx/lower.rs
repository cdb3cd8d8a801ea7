// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module and a launch into the steps of every warp; what ids and counts are worth is checked here.

use super::ast::{Code, CodeKind, Instr, Module, Op};
use super::check::Findings;
use super::eval::WarpContext;
use super::launch::{plan, Launch, Plan};
use super::parse::{shorten, MAX_ERRORS};
use super::scope::similar;
use super::walk::Walk;
use crate::program::WarpProgram;
use bcu_hw::diag::Diagnostic;
use std::collections::{HashMap, HashSet};

/// The most steps of all warps together.
pub const MAX_TOTAL_STEPS: usize = 1_000_000;

/// What a run executes.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// One program per warp, CTA by CTA.
    pub warps: Vec<WarpProgram>,
    /// CTAs of the grid.
    pub ctas: usize,
    /// Threads of the CTA; of the last warp only the lanes below exist.
    pub threads: u32,
    /// What a run survives but hardly meant, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers the kernels that run, for every CTA of the grid; what else the module has is not judged.
///
/// # Errors
/// Roles and threads that do not fit; an id above 15, a count that is no multiple of the lanes, above 4095, or 0 for an
/// arrival; a branch, barrier, id or count that depends on what only the run knows; a program too long.
pub fn lower(module: &Module, launch: &Launch) -> Result<Lowered, Vec<Diagnostic>> {
    let plan = plan(module, launch)?;
    let mut findings = Findings::new(launch.lanes, plan.threads);
    let used = reached(module, &plan.warps);
    // Every constant is checked, in code that no warp reaches as well.
    let instrs = used.iter().flat_map(|code| &module.codes[*code].instrs);
    let wrong = instrs.filter_map(|instr| built(instr).and_then(|()| findings.constants(instr)).err());
    let errors: Vec<Diagnostic> = wrong.take(MAX_ERRORS).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let params = arguments(module, launch, &used)?;
    let barrier_functions = barrier_functions(module);
    let mut lowering = Lowering { module, launch, plan: &plan, params, barrier_functions, total: 0, findings };
    let [x, y, z] = launch.grid;
    let ctas = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    let mut warps: Vec<WarpProgram> = Vec::new();
    for ctaid in ctas {
        warps.extend(lowering.cta(ctaid)?);
    }
    Ok(Lowered { warps, ctas: (x * y * z) as usize, threads: plan.threads, warnings: lowering.findings.into_warnings() })
}

/// Refuses what nothing runs yet.
fn built(instr: &Instr) -> Result<(), Diagnostic> {
    let Op::NotBuilt { opcode, span } = &instr.op else { return Ok(()) };
    let error = Diagnostic::new(span.clone(), format!("`{opcode}` is not built yet"), "known, but nothing runs it yet");
    Err(error
        .help("what synchronises so far: bar.sync, bar.arrive, bar.red and the same of barrier, bar.warp.sync, elect.sync"))
}

/// The codes that warps run, and the functions that these may call.
pub(super) fn reached(module: &Module, warps: &[usize]) -> Vec<usize> {
    let functions = || (0..module.codes.len()).filter(|code| module.codes[*code].kind == CodeKind::Function);
    let mut found: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = warps.to_vec();
    while let Some(code) = left.pop() {
        if found.contains(&code) {
            continue;
        }
        found.push(code);
        for instr in &module.codes[code].instrs {
            if let Op::Call { callee } = &instr.op {
                let called = |code: &usize| callee.as_ref().is_none_or(|name| module.codes[*code].name == *name);
                left.extend(functions().filter(called).filter(|code| !found.contains(code)));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Values of parameters by name, those of the launch before those of the text.
fn arguments(module: &Module, launch: &Launch, used: &[usize]) -> Result<HashMap<String, u64>, Vec<Diagnostic>> {
    let kernels: Vec<&Code> =
        used.iter().map(|code| &module.codes[*code]).filter(|code| code.kind == CodeKind::Kernel).collect();
    let known = || kernels.iter().flat_map(|code| &code.params).map(|param| param.name.as_str());
    let unknown = launch.params.iter().find(|(name, _)| !kernels.is_empty() && !known().any(|known| known == name));
    if let Some((name, _)) = unknown {
        let error = Diagnostic::new(0..0, format!("no kernel that runs has a parameter `{name}`"), "expected a parameter");
        let mut names = known().collect::<Vec<_>>().join("`, `");
        shorten(&mut names);
        return Err(vec![match similar(name, known()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if names.is_empty() => error.help("it has none"),
            None => error.help(format!("there is `{names}`")),
        }]);
    }
    let of_text = module.directives.params.iter().map(|(name, value, _)| (name.clone(), *value));
    Ok(of_text.chain(launch.params.iter().cloned()).collect())
}

/// What the CTAs of a grid are lowered with.
struct Lowering<'a> {
    module: &'a Module,
    launch: &'a Launch,
    plan: &'a Plan,
    params: HashMap<String, u64>,
    barrier_functions: HashSet<&'a str>,
    /// Steps of all warps so far.
    total: usize,
    findings: Findings,
}

impl Lowering<'_> {
    fn cta(&mut self, ctaid: [u32; 3]) -> Result<Vec<WarpProgram>, Vec<Diagnostic>> {
        let Lowering { module, launch, plan, params, barrier_functions, total, findings } = self;
        let lanes = launch.lanes as usize;
        let mut warps: Vec<WarpProgram> = Vec::new();
        let mut errors: Vec<Diagnostic> = Vec::new();
        for (warp, &code) in plan.warps.iter().enumerate() {
            let code = &module.codes[code];
            let live = (plan.threads as usize - warp * lanes).min(lanes);
            let (ntid, nctaid, all) = (plan.ntid, launch.grid, plan.warps.len());
            // What a kernel declares in its body, such as the result of a call, is no parameter of it.
            let own = params.iter().filter(|(name, _)| code.has_param(name));
            let params = &own.map(|(name, value)| (name.clone(), *value)).collect();
            let context = WarpContext { warp, lanes, live, warps: all, ntid, ctaid, nctaid, params };
            let walk = Walk { code, context, barrier_functions, highest_leads: launch.highest_leads };
            let mut steps = Vec::new();
            let outcome = walk.steps(findings, &mut steps);
            *total += steps.len();
            match outcome {
                Ok(()) => warps.push(WarpProgram { name: code.name.clone(), steps }),
                // Every warp stumbles over the same place: the first one's complaint is enough.
                Err(error) if errors.iter().any(|e| e.span == error.span) => {}
                Err(error) => errors.push(error),
            }
            // The steps of a warp that fails took their time as well.
            if *total > MAX_TOTAL_STEPS {
                if errors.is_empty() {
                    let message = format!("warps 0 to {warp} take more than {MAX_TOTAL_STEPS} steps together");
                    let error = Diagnostic::new(code.span.clone(), message, "too long to unroll");
                    errors.push(error.help("lower the rounds of its loops, or the CTAs of the grid"));
                }
                break;
            }
        }
        if errors.is_empty() {
            Ok(warps)
        } else {
            Err(errors)
        }
    }
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
