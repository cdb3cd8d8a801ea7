// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values at the instruction port of the unit for an operation of a warp.

use super::super::warp::threads::bits;
use super::super::warp::{Active, Warp};
use super::issue::issue;
use super::{mbarrier, stop, StopKind, Stopped};
use bcu_model::decode::Instruction;
use bcu_model::op::Form as Lanes;
use bcu_program::word::{self, barrier_word, fence_word, result_word, Field};
use bcu_program::{Barrier, BarrierKind, Form, Instr, Op, Operand, RedOp, Word};

fn form(form: Form) -> Lanes {
    match form {
        Form::Raw => Lanes::Raw,
        Form::Aligned => Lanes::Aligned,
        Form::Gathered => Lanes::Gathered,
    }
}

/// The values at the instruction port for an instruction word of the program; the operands are the
/// values of its registers.
pub(super) fn word(warp: &Warp, request: &Word, lanes: Active) -> Instruction {
    let together = mbarrier::together(warp, request, lanes.executing);
    let executing = together.unwrap_or(lanes.executing);
    let mut issue = Instruction { word: request.word, form: form(request.form), ..self::issue(lanes.present, executing) };
    issue.predicate = request.predicate.map_or(u64::MAX >> (64 - warp.width), |slot| warp.truth(slot));
    for (register, value) in [(request.ra, &mut issue.ra), (request.rb, &mut issue.rb)] {
        let Some(slot) = register else { continue };
        let (operand_value, uniform) = warp.operand(slot, executing);
        *value = operand_value;
        // Lanes that go to the unit together for an mbarrier operation count as uniform. The operands of a wait may differ between these
        // lanes in bits other than the phase bit.
        issue.uniform &= uniform || together.is_some();
    }
    issue
}

/// The values at the instruction port for a `bar` or `barrier` instruction in these lanes. Fails if
/// an operand is unknown.
pub(super) fn issue_of(warp: &Warp, instr: &Instr, request: &Barrier, lanes: Active) -> Result<Instruction, Stopped> {
    let mut issue = issue(lanes.present, lanes.executing);
    let reader = Reader { warp, executing: lanes.executing };
    let wide = warp.width as u32;
    let good_id = |value| word::id(value, &request.id_span, "");
    let id = reader.field((&request.id, &request.id_span), "barrier id", &good_id)?;
    let no_read = Read { field: Field::Immediate(0), first: 0, uniform: true };
    let count = match &request.count {
        Some((operand, span)) => {
            reader.field((operand, span), "thread count", &|value| word::count(value, span, request.kind, "", wide))?
        }
        None => no_read,
    };
    let mut fields = [id.field, count.field];
    let reduces = matches!(request.kind, BarrierKind::Reduce(_));
    match fields {
        // A reduction cannot read id and count from two registers, so the count becomes an
        // immediate, which requires the same count in all lanes.
        [Field::Register, Field::Register] if reduces => {
            if let (false, Some((_, span))) = (count.uniform, &request.count) {
                return Err(stop::counts_differ(warp, span));
            }
            fields[1] = Field::Immediate(count.first);
            (issue.rb, issue.uniform) = (id.first, id.uniform);
        }
        [Field::Register, Field::Register] => {
            (issue.ra, issue.rb, issue.uniform) = (id.first, count.first, id.uniform && count.uniform);
        }
        [Field::Register, _] => (issue.rb, issue.uniform) = (id.first, id.uniform),
        [_, Field::Register] => (issue.rb, issue.uniform) = (count.first, count.uniform),
        _ => {}
    }
    let mut negated = false;
    if let Some((operand, span)) = &request.predicate {
        negated = matches!(operand, Operand::Register { negated: true, .. });
        issue.predicate = reader.predicate(operand, span)?;
    }
    let differs = lanes.executing != lanes.present;
    let guard = instr.guard.filter(|_| differs).map(|guard| guard.negated);
    issue.word = barrier_word(request.kind, fields[0], fields[1], guard, negated);
    issue.form = if request.aligned { Lanes::Aligned } else { Lanes::Gathered };
    Ok(issue)
}

/// The instruction that reads the result of the reduction `op`.
pub(super) fn result(op: RedOp, lanes: Active) -> Instruction {
    Instruction { word: result_word(op).0, ..issue(lanes.executing, lanes.executing) }
}

/// The instruction for a fence. A fence applies to the whole warp, even if only some lanes execute it: it also orders earlier accesses of
/// lanes with which the executing lanes have synchronised.
pub(super) fn fence(lanes: Active) -> Instruction {
    Instruction { word: fence_word(), ..issue(lanes.present, lanes.executing | lanes.unknown) }
}

/// The instruction for the executing lanes with the same member mask as the lowest lane; the other lanes issue separately.
pub(super) fn meeting(
    warp: &Warp,
    instr: &Instr,
    members: &Operand,
    executing: u64,
    cycle: u64,
) -> Result<Instruction, Stopped> {
    let all_lanes = u64::MAX >> (64 - warp.width);
    let mut first = None;
    let mut lanes = 0;
    for lane in bits(executing) {
        let mask = warp.value(members, lane, cycle).ok_or_else(|| stop::members(warp, instr, members))? & all_lanes;
        if *first.get_or_insert(mask) == mask {
            lanes |= 1 << lane;
        }
    }
    let elects = matches!(instr.op, Op::Meet { elect: Some(_), .. });
    let form = if elects { Lanes::Elect } else { Lanes::WarpSync };
    Ok(Instruction { form, members: first.unwrap_or(0), ..issue(lanes, lanes) })
}

/// Reads operands in the executing lanes of a warp.
struct Reader<'w> {
    warp: &'w Warp,
    executing: u64,
}

/// An operand of an instruction, as the executing lanes hold it.
struct Read {
    field: Field,
    /// The value in the lowest executing lane.
    first: u32,
    /// Whether all executing lanes have the same value.
    uniform: bool,
}

impl Reader<'_> {
    /// Reads an id or a count in every executing lane, and checks each value with `good`. The lanes may have different values, because the
    /// unit itself checks that they are equal.
    fn field(
        &self,
        (operand, span): (&Operand, &std::ops::Range<usize>),
        what: &str,
        good: &dyn Fn(u64) -> Result<u32, bcu_isa::diag::Diagnostic>,
    ) -> Result<Read, Stopped> {
        if let Operand::Immediate(value) = operand {
            let value = good(*value as u64).map_err(|error| Stopped::new(StopKind::LaneMask, error))?;
            return Ok(Read { field: Field::Immediate(value), first: value, uniform: true });
        }
        let mut read = Read { field: Field::Register, first: 0, uniform: true };
        for (number, lane) in bits(self.executing).enumerate() {
            let Some(value) = self.warp.value(operand, lane, 0) else {
                return Err(stop::operand(self.warp, (operand, span), lane, what));
            };
            let value = good(value & 0xffff_ffff).map_err(|error| Stopped::new(StopKind::LaneMask, error))?;
            if number == 0 {
                read.first = value;
            }
            read.uniform &= value == read.first;
        }
        Ok(read)
    }

    /// The lanes in which the value of a predicate is true. A negation in the operand is not
    /// applied here, because the instruction word contains it.
    fn predicate(&self, operand: &Operand, span: &std::ops::Range<usize>) -> Result<u64, Stopped> {
        let mut mask = 0;
        for lane in bits(self.executing) {
            let known_value = match operand {
                Operand::Register { slot, .. } => self.warp.register(*slot, lane),
                lane_operand => self.warp.value(lane_operand, lane, 0),
            };
            let known_value =
                known_value.ok_or_else(|| stop::operand(self.warp, (operand, span), lane, "predicate to reduce"))?;
            mask |= (known_value & 1) << lane;
        }
        Ok(mask)
    }
}
