// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What ids and thread counts may be (PTX page on bar/barrier, operands a and b), and the action of an executed barrier.

use super::ast::{Barrier, BarrierKind, Instr, Op, Operand};
use super::eval::Registers;
use super::walk::Walk;
use super::word::{barrier_word, Field};
use crate::program::Action;
use bcu_hw::diag::Diagnostic;
use std::ops::Range;

/// Checks of ids and counts, for one launch.
pub(super) struct Findings {
    lanes: u32,
    threads: u32,
    warnings: Vec<Diagnostic>,
}

impl Findings {
    pub fn new(lanes: u32, threads: u32) -> Self {
        Findings { lanes, threads, warnings: Vec::new() }
    }

    /// In the order of the text.
    pub fn into_warnings(mut self) -> Vec<Diagnostic> {
        self.warnings.sort_by_key(|warning| warning.span.start);
        self.warnings
    }

    /// Checks what an instruction says without registers.
    pub fn constants(&mut self, instr: &Instr) -> Result<(), Diagnostic> {
        let Op::Barrier(barrier) = &instr.op else { return Ok(()) };
        if let Operand::Immediate(id) = barrier.id {
            self.id(id as u64, &barrier.id_span)?;
        }
        if let Some((Operand::Immediate(count), span)) = &barrier.count {
            self.count(*count as u64, span, barrier.kind)?;
        }
        Ok(())
    }

    fn id(&self, id: u64, span: &Range<usize>) -> Result<u32, Diagnostic> {
        u32::try_from(id).ok().filter(|id| *id < 16).ok_or_else(|| {
            let message = format!("barrier {} does not exist", id as i64);
            Diagnostic::new(span.clone(), message, "expected a barrier id from 0 to 15")
        })
    }

    fn count(&mut self, count: u64, span: &Range<usize>, kind: BarrierKind) -> Result<u32, Diagnostic> {
        let error = |message: String, label: String| Err(Diagnostic::new(span.clone(), message, label));
        let shown = count as i64;
        let Some(count) = u32::try_from(count).ok().filter(|count| *count <= MAX_COUNT) else {
            let label = format!("expected a multiple of {} up to {MAX_COUNT}", self.lanes);
            return error(format!("a barrier of {shown} threads"), label).map_err(|e| match shown {
                4096 => e.help(
                    "4096 does not fit the 12 bits of the instruction word and would mean all threads: leave the count out",
                ),
                _ => e,
            });
        };
        if !count.is_multiple_of(self.lanes) {
            let below = count - count % self.lanes;
            let label = format!("expected a multiple of {}, like {}", self.lanes, below + self.lanes);
            return error(format!("a barrier of {count} threads, which are no whole warps"), label);
        }
        if count == 0 && kind == BarrierKind::Arrive {
            return error(
                "an arrival at a barrier of 0 threads".into(),
                "expected the number of threads that complete it".into(),
            );
        }
        if count > self.threads.next_multiple_of(self.lanes)
            && self.warnings.len() < MAX_WARNINGS
            && !self.warnings.iter().any(|w| w.span == *span)
        {
            let message = format!("a barrier of {count} threads in a CTA of {}", self.threads);
            self.warnings.push(Diagnostic::new(span.clone(), message, "this barrier cannot complete"));
        }
        Ok(count)
    }
}

/// After so many warnings no more are told.
const MAX_WARNINGS: usize = 20;

/// The largest count of the instruction word.
const MAX_COUNT: u32 = 4095;

/// The action of a barrier that the warp executes, with the values of its register operands.
pub(super) fn barrier_action(
    barrier: &Barrier,
    walk: &Walk,
    registers: &Registers,
    instr: &Instr,
    findings: &mut Findings,
) -> Result<Action, Diagnostic> {
    let value = |operand: &Operand, span: &Range<usize>, what: &str| match operand {
        Operand::Register { slot, .. } => {
            let lanes = registers.lanes(*slot);
            let warp = walk.context.warp;
            match lanes.first().copied().flatten() {
                Some(first) if lanes.iter().all(|lane| *lane == Some(first)) => Ok((first & 0xffff_ffff, true)),
                _ if lanes.contains(&None) => {
                    let message = format!("the {what} in warp {warp} is not known before the run");
                    Err(walk.explain(
                        *slot,
                        registers,
                        Diagnostic::new(span.clone(), message, "expected a value known at load time"),
                    ))
                }
                _ => {
                    let message = format!("the lanes of warp {warp} give different values for the {what}");
                    Err(Diagnostic::new(
                        span.clone(),
                        message,
                        "expected the same value in every lane; diverged barriers come later",
                    ))
                }
            }
        }
        Operand::Immediate(value) => Ok((*value as u64, false)),
        _ => Err(Diagnostic::new(instr.span.clone(), format!("the {what} is no number"), "expected a constant or a register")),
    };
    let field = |value: u32, register: bool| if register { Field::Register(value) } else { Field::Immediate(value) };
    let (id, in_register) = value(&barrier.id, &barrier.id_span, "barrier id")?;
    let id = field(findings.id(id, &barrier.id_span)?, in_register);
    let count = match &barrier.count {
        Some((operand, span)) => {
            let (count, in_register) = value(operand, span, "thread count")?;
            field(findings.count(count, span, barrier.kind)?, in_register)
        }
        None => Field::Immediate(0),
    };
    let (word, ra, rb) = barrier_word(barrier.kind, id, count);
    Ok(Action::Barrier { word, ra, rb })
}
