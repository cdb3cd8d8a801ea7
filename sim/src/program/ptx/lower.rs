// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module and a launch into the steps of every warp; what ids and counts are worth is checked here.

use super::ast::{BarrierKind, CodeKind, Module, Op};
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
    let params: HashMap<String, u64> = module.directives.params.iter().chain(&launch.params).cloned().collect();
    let mut warps: Vec<WarpProgram> = Vec::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut total = 0;
    for (warp, &code) in plan.warps.iter().enumerate() {
        let code = &module.codes[code];
        let live = (plan.threads as usize - warp * launch.lanes as usize).min(launch.lanes as usize);
        let (ntid, ctaid, nctaid) = (plan.ntid, launch.ctaid, launch.nctaid);
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
        match (Walk { code, context, barrier_functions: &barrier_functions }).steps(&mut findings) {
            Ok(steps) => {
                total += steps.len();
                if total > MAX_TOTAL_STEPS {
                    let message = format!("warps 0 to {warp} take more than {MAX_TOTAL_STEPS} steps together");
                    return Err(vec![
                        Diagnostic::new(code.span.clone(), message, "too long to unroll").help("lower the rounds of its loops")
                    ]);
                }
                warps.push(WarpProgram { name: code.name.clone(), steps });
            }
            // Every warp stumbles over the same place: the first one's complaint is enough.
            Err(error) if errors.iter().any(|e| e.span == error.span) => {}
            Err(error) => errors.push(error),
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
                Op::Barrier(_) => reached.push(&code.name),
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

/// An operand of the instruction word: its value, and whether the word or a register holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Immediate(u32),
    Register(u32),
}

/// The BCU instruction word of a barrier (BAR and BAR_RED, all operand forms), and the values of registers ra and rb.
///
/// An id needs 4 bits and a count 12; a count of 0 is all threads of the CTA.
pub fn barrier_word(kind: BarrierKind, id: Field, count: Field) -> ([u32; 4], u32, u32) {
    let (optype, mode) = match kind {
        BarrierKind::Sync => (BAR, 0),
        BarrierKind::Arrive => (BAR, 1),
        BarrierKind::Reduce(op) => (BAR_RED, op as u128 | PT << (98 - 80)),
    };
    let (form, ra, rb) = match (id, count) {
        (Field::Immediate(id), Field::Immediate(count)) => (STYPE_I | at(id, 40) | at(count, 44), 0, 0),
        (Field::Register(id), Field::Immediate(count)) => (STYPE_RRI | at(SECOND, 32) | at(count, 44), 0, id),
        (Field::Immediate(id), Field::Register(count)) => (STYPE_RIR | at(SECOND, 32) | at(id, 40), 0, count),
        // A reduction has no form with two registers; where one packs both is a matter of the configuration.
        (Field::Register(id), Field::Register(count)) if optype == BAR_RED => {
            (STYPE_RRI | at(SECOND, 32) | at(count, 44), 0, id)
        }
        (Field::Register(id), Field::Register(count)) => (STYPE_R | at(FIRST, 24) | at(SECOND, 32), id, count),
    };
    let word = optype | form | PT << 12 | mode << 80;
    ([0, 32, 64, 96].map(|low| (word >> low) as u32), ra, rb)
}

const BAR: u128 = 0x1d;
const BAR_RED: u128 = 0x2d;
const STYPE_I: u128 = 0xb << 8;
const STYPE_R: u128 = 0x3 << 8;
const STYPE_RRI: u128 = 0x5 << 8;
const STYPE_RIR: u128 = 0x9 << 8;
/// The predicate that is always true.
const PT: u128 = 7;
/// The registers named in the word; their values travel beside it.
const FIRST: u32 = 0;
const SECOND: u32 = 1;

fn at(field: u32, bit: u32) -> u128 {
    u128::from(field) << bit
}

#[cfg(test)]
mod tests {
    use super::super::ast::RedOp;
    use super::*;

    #[test]
    fn words_have_the_bits_of_the_instruction_set() {
        use Field::{Immediate as Imm, Register as Reg};
        for (kind, id, count, word, ra, rb) in [
            (BarrierKind::Sync, Imm(0), Imm(0), [0x7b1d, 0, 0, 0], 0, 0),
            (BarrierKind::Sync, Imm(15), Imm(0xfe0), [0x7b1d, 0xfe0f00, 0, 0], 0, 0),
            (BarrierKind::Arrive, Imm(1), Imm(64), [0x7b1d, 0x040100, 0x10000, 0], 0, 0),
            (BarrierKind::Sync, Reg(3), Imm(64), [0x751d, 0x040001, 0, 0], 0, 3),
            (BarrierKind::Arrive, Imm(2), Reg(96), [0x791d, 0x201, 0x10000, 0], 0, 96),
            (BarrierKind::Sync, Reg(3), Reg(64), [0x731d, 1, 0, 0], 3, 64),
            (BarrierKind::Reduce(RedOp::And), Imm(1), Imm(0), [0x7b2d, 0x100, 0, 0x1c], 0, 0),
            (BarrierKind::Reduce(RedOp::Popc), Imm(1), Imm(0), [0x7b2d, 0x100, 0x20000, 0x1c], 0, 0),
            (BarrierKind::Reduce(RedOp::Or), Reg(5), Reg(64), [0x752d, 0x040001, 0x10000, 0x1c], 0, 5),
        ] {
            assert_eq!(barrier_word(kind, id, count), (word, ra, rb), "{kind:?} {id:?} {count:?}");
        }
    }
}
