// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What ids and thread counts may be (PTX page on bar/barrier, operands a and b), and the action of an executed barrier.

use super::ast::{Barrier, BarrierKind, Instr, Op, Operand, Slot};
use super::eval::Registers;
use super::walk::{Active, Walk};
use super::word::{barrier_word, Field, GUARD, REDUCED};
use crate::program::{Action, Form, Source, Truth, Write};
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr::Pred;
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

    /// Tells of each place once.
    fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.iter().any(|w| w.span == warning.span) {
            self.warnings.push(warning);
        }
    }

    /// Checks what an instruction says without registers.
    pub fn constants(&mut self, instr: &Instr) -> Result<(), Diagnostic> {
        let Op::Barrier(barrier) = &instr.op else { return Ok(()) };
        if let Operand::Immediate(id) = barrier.id {
            self.id(id as u64, &barrier.id_span, &barrier.written[0])?;
        }
        if let Some((Operand::Immediate(count), span)) = &barrier.count {
            self.count(*count as u64, span, (barrier.kind, &barrier.written[1]))?;
        }
        Ok(())
    }

    /// `written` is how it stands in the text, empty where it does not.
    fn id(&self, id: u64, span: &Range<usize>, written: &str) -> Result<u32, Diagnostic> {
        u32::try_from(id).ok().filter(|id| *id < 16).ok_or_else(|| {
            let message = format!("barrier {} does not exist", shown(id, written));
            Diagnostic::new(span.clone(), message, "expected a barrier id from 0 to 15")
        })
    }

    fn count(&mut self, count: u64, span: &Range<usize>, (kind, written): (BarrierKind, &str)) -> Result<u32, Diagnostic> {
        let error = |message: String, label: String| Err(Diagnostic::new(span.clone(), message, label));
        let shown = shown(count, written);
        let Some(count) = u32::try_from(count).ok().filter(|count| *count <= MAX_COUNT) else {
            let label = format!("expected a multiple of {} up to {MAX_COUNT}", self.lanes);
            return error(format!("a barrier of {shown} threads"), label).map_err(|e| match count {
                4096 => e.help(
                    "4096 does not fit the 12 bits of the instruction word and would mean all threads: leave the count out",
                ),
                _ => e,
            });
        };
        if !count.is_multiple_of(self.lanes) {
            let below = count - count % self.lanes;
            let label = format!("expected a multiple of {}, like {}", self.lanes, below + self.lanes);
            return error(format!("a barrier of {shown} threads, which are no whole warps"), label);
        }
        if count == 0 && kind == BarrierKind::Arrive {
            return error(
                "an arrival at a barrier of 0 threads".into(),
                "expected the number of threads that complete it".into(),
            );
        }
        if count > self.threads.next_multiple_of(self.lanes) {
            let message = format!("a barrier of {shown} threads in a CTA of {}", self.threads);
            self.warn(Diagnostic::new(span.clone(), message, "this barrier cannot complete"));
        }
        Ok(count)
    }
}

/// A number as it was written, else its value.
fn shown(value: u64, written: &str) -> String {
    if written.is_empty() {
        (value as i64).to_string()
    } else {
        written.to_string()
    }
}

/// After so many warnings no more are told.
const MAX_WARNINGS: usize = 20;

/// The largest count of the instruction word.
const MAX_COUNT: u32 = 4095;

/// The action of a barrier that these lanes of the warp execute, with what its registers and predicates must hold, and the guard
/// in its word: none if all lanes that are here execute it.
pub(super) fn barrier_action(
    instr: &Instr,
    barrier: &Barrier,
    walk: &Walk,
    registers: &Registers,
    lanes: Active,
    findings: &mut Findings,
) -> Result<(Action, Pred), Diagnostic> {
    let reader = Reader { walk, registers, executing: lanes.executing };
    let id = reader.field(&barrier.id, &barrier.id_span, "barrier id", |id| findings.id(id, &barrier.id_span, ""))?;
    let mut count = match &barrier.count {
        Some((operand, span)) => {
            reader.field(operand, span, "thread count", |count| findings.count(count, span, (barrier.kind, "")))?
        }
        None => Field::Immediate(0),
    };
    if let (BarrierKind::Reduce(_), Field::Register(_), Field::Register(held), Some((_, span))) =
        (barrier.kind, &id, &count, &barrier.count)
    {
        let Source::Number(held) = *held else {
            let message = format!("the lanes of warp {} give different values for the thread count", walk.context.warp);
            let error = Diagnostic::new(span.clone(), message, "expected one value for all lanes");
            return Err(error.help("a reduction has no form with two registers; with a constant id the lanes may differ"));
        };
        count = Field::Immediate(held);
    }
    let mut masks = vec![];
    let mut guard = Pred::PT;
    if let Some(of) = instr.guard.filter(|_| lanes.executing != lanes.here) {
        guard = Pred { index: GUARD, not: of.negated };
        masks.push((GUARD, if of.negated { lanes.here & !lanes.executing } else { lanes.executing }));
    }
    let pp = match &barrier.predicate {
        Some((Operand::Immediate(value), _)) => Pred { not: *value == 0, ..Pred::PT },
        Some((Operand::Register { slot, negated }, span)) => {
            masks.push((REDUCED, reader.predicate(*slot, *negated, span, findings)));
            Pred { index: REDUCED, not: *negated }
        }
        _ => Pred::PT,
    };
    let (word, mut presets) = barrier_word(barrier.kind, id, count, guard, pp);
    presets.extend(masks.into_iter().map(|(to, mask)| Write::Predicate { to, from: Truth::Mask(mask) }));
    let form = if barrier.aligned { Form::Aligned } else { Form::Gathered };
    Ok((Action::Barrier { word, form, presets }, guard))
}

/// Reads operands in the executing lanes of a warp.
struct Reader<'w> {
    walk: &'w Walk<'w>,
    registers: &'w Registers,
    executing: u64,
}

impl Reader<'_> {
    /// An id or count, checked by `good` in every lane; the lanes may differ, which is then a matter of the unit.
    fn field(
        &self,
        operand: &Operand,
        span: &Range<usize>,
        what: &str,
        mut good: impl FnMut(u64) -> Result<u32, Diagnostic>,
    ) -> Result<Field, Diagnostic> {
        let slot = match operand {
            Operand::Immediate(value) => return Ok(Field::Immediate(good(*value as u64)?)),
            Operand::Register { slot, .. } => *slot,
            _ => {
                let message = format!("the {what} is no number");
                return Err(Diagnostic::new(span.clone(), message, "expected a constant or a register"));
            }
        };
        let held = self.registers.lanes(slot);
        let mut values = vec![0; held.len()];
        let mut first = None;
        let mut same = true;
        for (lane, held) in held.iter().enumerate().filter(|(lane, _)| self.executing >> lane & 1 == 1) {
            let Some(held) = held else {
                let message = format!("the {what} in warp {} is not known before the run", self.walk.context.warp);
                let error = Diagnostic::new(span.clone(), message, "expected a value known at load time");
                return Err(self.walk.explain(slot, self.registers, error));
            };
            let value = good(held & 0xffff_ffff)?;
            values[lane] = value;
            same &= *first.get_or_insert(value) == value;
        }
        Ok(Field::Register(match first {
            Some(first) if same => Source::Number(first),
            _ => Source::Lanes(values),
        }))
    }

    /// The lanes in which a predicate is true, before its negation. Where it is not known, the lane has
    /// false to reduce.
    fn predicate(&self, slot: Slot, negated: bool, span: &Range<usize>, findings: &mut Findings) -> u64 {
        let held = self.registers.lanes(slot);
        let executing = held.iter().enumerate().filter(|(lane, _)| self.executing >> lane & 1 == 1);
        let mut mask = 0;
        for (lane, held) in executing {
            if held.is_none() {
                let name = self.walk.code.registers.get(slot).map_or("it", String::as_str);
                let message = format!("the predicate `{name}` is not known before the run");
                let warning = Diagnostic::new(span.clone(), message, "counts as false in the lanes where it is not known");
                findings.warn(self.walk.explain(slot, self.registers, warning));
            }
            if held.map_or(negated, |value| value & 1 == 1) {
                mask |= 1 << lane;
            }
        }
        mask
    }
}
