// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings from the operands and the texts of the programs: register values that are cut to their
//! low bits, constants that do not fit the CTA, reserved ids, and the warnings of the parsers.

use super::codes::{Code, COUNT_ALIAS, COUNT_EXCEEDS_CTA, EQUAL_REGISTERS, ID_ALIAS, ID_OUT_OF_RANGE, RESERVED_ID, TEXT};
use super::finding::{Case, Finding};
use crate::issued::Operand;
use crate::sentence::no_barrier;
use bcu_isa::instr::{self, decode, RedSource, Source};
use bcu_isa::register::Reg;
use bcu_program::{Barrier, Op, Operand as Asked, Place, Word};
use std::collections::HashSet;
use std::sync::Arc;

/// The largest barrier id that an instruction can hold.
const MAX_ID: u32 = 15;
/// The largest count that an instruction can hold, in threads.
const MAX_COUNT: u32 = 4095;

/// The barrier ids that CUTLASS reserves (`ReservedNamedBarriers`).
const RESERVED: std::ops::RangeInclusive<u8> = 1..=7;

pub fn find(case: &Case) -> Vec<Finding> {
    let mut found = aliases(case);
    constants(case, &mut found);
    found.extend(case.subject.warnings.iter().map(|(file, warning)| {
        let at = case.at(*file, &warning.span);
        let mut finding = Finding::new(&TEXT, Some(at), format!("{}: {}", warning.message, warning.label));
        finding.times = 0;
        finding.help = warning.help.clone().unwrap_or(TEXT.help.to_string());
        finding
    }));
    found
}

/// Reports register values of ids and counts that have more bits than the unit reads; the unit ignores the upper bits.
fn aliases(case: &Case) -> Vec<Finding> {
    let mut found = vec![];
    for issue in &case.issued.issues {
        let place = &case.issued.places[issue.place];
        let mut alias = |code: &'static Code, message: String| {
            let mut finding = Finding::new(code, case.locate_in(issue.cta, issue.warp, place), message);
            (finding.cta, finding.warp, finding.cycle) = (Some(issue.cta), Some(issue.warp), Some(issue.cycle));
            finding.barrier = Some(issue.barrier());
            found.push(finding);
        };
        if let Operand::Register(id) = issue.id {
            if id > MAX_ID {
                alias(
                    &ID_ALIAS,
                    format!(
                        "the register holds {id} as barrier id; hardware uses only the low 4 bits, which name barrier {}",
                        id & MAX_ID
                    ),
                );
            }
        }
        if let Operand::Register(count) = issue.count {
            if count > MAX_COUNT {
                let meant = match count & MAX_COUNT {
                    0 => "no count".to_string(),
                    cut => format!("{cut} threads"),
                };
                alias(
                    &COUNT_ALIAS,
                    format!(
                        "the register holds {count} as thread count; hardware uses only the low 12 bits, which give {meant}"
                    ),
                );
            }
        }
    }
    found
}

/// Reports wrong constants in the barrier instructions of the programs, whether or not the run
/// executes these instructions.
fn constants(case: &Case, found: &mut Vec<Finding>) {
    let lanes = case.subject.config.lanes;
    // A program is checked once for all CTAs with the same number of warps and of declared barriers.
    let mut checked_cases: HashSet<(*const bcu_program::Code, usize, usize, usize)> = HashSet::new();
    for (cta, plan) in case.plans.iter().enumerate() {
        let warps = plan.programs.len();
        for (warp, program) in plan.programs.iter().enumerate() {
            if !checked_cases.insert((Arc::as_ptr(&program.code), program.entry, warps, plan.barriers)) {
                continue;
            }
            for instr in program.function().iter().flat_map(|function| &function.instrs) {
                let Some(Numbers { id, count, equal }) = numbers(&instr.op) else { continue };
                let mut add = |code: &'static Code, place: &Place, message: String| {
                    let at = case.locate_in(cta, warp, place);
                    found.push(Finding { times: 0, ..Finding::new(code, at, message) });
                };
                if let Some(register) = equal {
                    let message = format!("{register} holds both the barrier id and the count");
                    add(&EQUAL_REGISTERS, &instr.place, message);
                }
                if let Some(id) = id.filter(|id| usize::from(*id) >= plan.barriers) {
                    add(&ID_OUT_OF_RANGE, &instr.place, no_barrier(id, plan.barriers as u32));
                }
                if let Some(count) = count.filter(|count| usize::from(*count) > warps * lanes) {
                    let message = format!("the count of {count} threads exceeds the CTA's {warps} warps of {lanes} lanes");
                    add(&COUNT_EXCEEDS_CTA, &instr.place, message);
                }
                let cutlass = case.subject.strict || program.name.contains("cutlass");
                if let Some(id) = id.filter(|id| cutlass && RESERVED.contains(id)) {
                    add(&RESERVED_ID, &instr.place, format!("barrier {id} is one of the barriers 1 to 7, which CUTLASS uses"));
                }
            }
        }
    }
}

/// The immediate id and count of an arrival; and the register, if the instruction takes id and count from one register.
struct Numbers {
    id: Option<u8>,
    count: Option<u16>,
    equal: Option<Reg>,
}

fn numbers(op: &Op) -> Option<Numbers> {
    match op {
        Op::Word(Word { word, .. }) => {
            let instr = decode(*word).ok()?;
            let (id, count) = immediates(&instr.op);
            let equal = match instr.op {
                instr::Op::Bar { source: Source::Rr { id, count }, .. } => Some(id).filter(|id| *id == count),
                _ => None,
            };
            Some(Numbers { id, count, equal })
        }
        Op::Barrier(Barrier { id, count, .. }) => {
            let number = |operand: &Asked| match operand {
                Asked::Immediate(value) => Some(*value),
                _ => None,
            };
            let id = number(id).and_then(|id| u8::try_from(id).ok());
            let count = count.as_ref().map_or(Some(0), |(count, _)| number(count)).and_then(|count| u16::try_from(count).ok());
            Some(Numbers { id, count, equal: None })
        }
        _ => None,
    }
}

/// The immediate id and count in an instruction word.
fn immediates(op: &instr::Op) -> (Option<u8>, Option<u16>) {
    use instr::Op;
    match *op {
        Op::Bar { source: Source::I { id, count }, .. } | Op::Red { source: RedSource::I { id, count }, .. } => {
            (Some(id), Some(count))
        }
        Op::Bar { source: Source::Rri { count, .. }, .. } | Op::Red { source: RedSource::Rri { count, .. }, .. } => {
            (None, Some(count))
        }
        Op::Bar { source: Source::Rir { id, .. }, .. } | Op::Red { source: RedSource::Rir { id, .. }, .. } => (Some(id), None),
        _ => (None, None),
    }
}
