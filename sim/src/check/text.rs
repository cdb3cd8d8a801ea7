// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the programs' texts and operands say: aliases, constants that do not fit the CTA, reserved ids, the readers' warnings.

use super::codes::{Code, COUNT_ALIAS, COUNT_EXCEEDS_CTA, EQUAL_REGISTERS, ID_ALIAS, ID_OUT_OF_RANGE, RESERVED_ID, TEXT};
use super::{At, Case, Finding};
use crate::machine::issued::Operand;
use crate::program::{Action, Place, WarpProgram};
use bcu_hw::isa::instr::{decode, Op, RedSource, Source};
use std::collections::HashSet;
use std::rc::Rc;

/// The largest id and count of an instruction.
const MAX_ID: u32 = 15;
const MAX_COUNT: u32 = 4095;

/// CUTLASS's `ReservedNamedBarriers`.
const RESERVED: std::ops::RangeInclusive<u8> = 1..=7;

pub fn find(case: &Case) -> Vec<Finding> {
    let mut found = aliases(case);
    constants(case, &mut found);
    found.extend(case.subject.warnings.iter().map(|(file, warning)| {
        let at = At { file: *file, start: warning.span.start, end: warning.span.end };
        let mut finding = Finding::new(&TEXT, Some(at), format!("{}: {}", warning.message, warning.label));
        finding.times = 0;
        finding.help = warning.help.clone().unwrap_or(TEXT.help.to_string());
        finding
    }));
    found
}

/// Registers that hold more than the instruction has bits for.
fn aliases(case: &Case) -> Vec<Finding> {
    let mut found = vec![];
    for issue in &case.issued.issues {
        let place = &case.issued.places[issue.place];
        let mut alias = |code: &'static Code, message: String| {
            let mut finding = Finding::new(code, case.at(issue.cta, issue.warp, place), message);
            (finding.cta, finding.warp, finding.cycle) = (Some(issue.cta), Some(issue.warp), Some(issue.cycle));
            finding.barrier = Some(issue.barrier());
            found.push(finding);
        };
        if let Operand::Register(id) = issue.id {
            if id > MAX_ID {
                alias(&ID_ALIAS, format!("the register gives barrier {id}, which means barrier {}", id & MAX_ID));
            }
        }
        if let Operand::Register(count) = issue.count {
            if count > MAX_COUNT {
                let meant = match count & MAX_COUNT {
                    0 => "no count".to_string(),
                    cut => format!("{cut} threads"),
                };
                alias(&COUNT_ALIAS, format!("the register gives a count of {count} threads, which means {meant}"));
            }
        }
    }
    found
}

/// What the instruction words of the programs say, whether or not the run comes there.
fn constants(case: &Case, found: &mut Vec<Finding>) {
    let lanes = case.subject.config.lanes;
    // CTAs alike need not be looked at again.
    let mut seen: HashSet<(*const WarpProgram, usize, usize)> = HashSet::new();
    for (cta, plan) in case.plans.iter().enumerate() {
        let warps = plan.programs.len();
        for (warp, program) in plan.programs.iter().enumerate() {
            if !seen.insert((Rc::as_ptr(program), warps, plan.barriers)) {
                continue;
            }
            for step in &program.steps {
                let Action::Barrier { word, .. } = &step.action else { continue };
                let mut add = |code: &'static Code, place: &Place, message: String| {
                    let at = case.at(cta, warp, place);
                    found.push(Finding { times: 0, ..Finding::new(code, at, message) });
                };
                let Ok(instr) = decode(*word) else { continue };
                let (id, count) = immediates(&instr.op);
                if let Op::Bar { source: Source::Rr { id, count }, .. } = instr.op {
                    if id == count {
                        let message = format!("{id} gives both the barrier and the count");
                        add(&EQUAL_REGISTERS, &step.place, message);
                    }
                }
                if let Some(id) = id.filter(|id| usize::from(*id) >= plan.barriers) {
                    let message = format!("barrier {id} does not exist: the CTA declares {}, ids from 0 on", plan.barriers);
                    add(&ID_OUT_OF_RANGE, &step.place, message);
                }
                if let Some(count) = count.filter(|count| usize::from(*count) > warps * lanes) {
                    let message = format!("the count of {count} threads exceeds the CTA's {warps} warps of {lanes}");
                    add(&COUNT_EXCEEDS_CTA, &step.place, message);
                }
                let cutlass = case.subject.strict || program.name.contains("cutlass");
                if let Some(id) = id.filter(|id| cutlass && RESERVED.contains(id)) {
                    add(&RESERVED_ID, &step.place, format!("barrier {id} is one that CUTLASS keeps for itself"));
                }
            }
        }
    }
}

/// Id and count that stand in the word.
fn immediates(op: &Op) -> (Option<u8>, Option<u16>) {
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
