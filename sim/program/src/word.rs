// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction word of a barrier whose id and count are operands, and the checks of id and count (PTX page on bar/barrier, operands a
//! and b).

use super::instr::{BarrierKind, RedOp};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{self, encode, BarMode, Instr, RedSource, Source};
use bcu_isa::register::{Pred, Reg};
use std::ops::Range;

/// An operand of the instruction word: in the word, or in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Immediate(u32),
    Register,
}

/// The registers and predicates in the word: its operands, its guard, the predicate to reduce, and the destinations.
const FIRST: Reg = Reg(0);
const SECOND: Reg = Reg(1);
const GUARD: u8 = 0;
const REDUCED: u8 = 1;
const RESULT: Reg = Reg(2);
const RESULT_PREDICATE: u8 = 2;

/// The largest count of the instruction word.
const MAX_COUNT: u32 = 4095;

/// Checks the id of a barrier. `written` is the id as spelled in the text, empty if the id is not a number in the text.
pub fn id(id: u64, span: &Range<usize>, written: &str) -> Result<u32, Diagnostic> {
    u32::try_from(id).ok().filter(|id| *id < 16).ok_or_else(|| {
        let message = format!("barrier {} does not exist", shown(id, written));
        Diagnostic::new(span.clone(), message, "expected a barrier id from 0 to 15")
    })
}

/// Checks the thread count of a barrier, for warps of `lanes` lanes.
pub fn count(count: u64, span: &Range<usize>, kind: BarrierKind, written: &str, lanes: u32) -> Result<u32, Diagnostic> {
    let error = |message: String, label: String| Err(Diagnostic::new(span.clone(), message, label));
    let shown = shown(count, written);
    let Some(count) = u32::try_from(count).ok().filter(|count| *count <= MAX_COUNT) else {
        let label = format!("expected a multiple of {lanes} up to {MAX_COUNT}");
        return error(format!("a barrier of {shown} threads"), label).map_err(|e| match count {
            4096 => {
                e.help("4096 does not fit the 12 bits of the instruction word and would mean all threads: leave the count out")
            }
            _ => e,
        });
    };
    if !count.is_multiple_of(lanes) {
        let below = count - count % lanes;
        let label = format!("expected a multiple of {lanes}, like {}", below + lanes);
        return error(format!("a barrier of {shown} threads, which are not whole warps"), label);
    }
    if count == 0 && kind == BarrierKind::Arrive {
        return error(
            "an arrival at a barrier of 0 threads".into(),
            "expected the number of threads that complete the barrier".into(),
        );
    }
    Ok(count)
}

/// A number as written, otherwise its value.
pub fn shown(value: u64, written: &str) -> String {
    if written.is_empty() {
        (value as i64).to_string()
    } else {
        written.to_string()
    }
}

/// The BCU instruction word of a barrier (BAR and BAR_RED, all operand forms); its register operands are `FIRST` and `SECOND`.
///
/// An id needs 4 bits and a count 12; a count of 0 is all threads of the CTA. For a reduction with an id in a register, the count is
/// immediate: BAR_RED has no encoding with two registers, and the layout of one register with id and count depends on the
/// configuration.
pub fn barrier_word(kind: BarrierKind, id: Field, count: Field, guard: Option<bool>, negated: bool) -> [u32; 4] {
    let op = match kind {
        BarrierKind::Sync => bar(BarMode::Sync, id, count),
        BarrierKind::Arrive => bar(BarMode::Arv, id, count),
        BarrierKind::Reduce(op) => reduce(op, id, count, Pred { index: REDUCED, not: negated }),
    };
    let guard = guard.map_or(Pred::PT, |negated| Pred { index: GUARD, not: negated });
    encode(&Instr { guard, op })
}

/// The word that fetches the result of a reduction, and its register and predicate numbers.
pub fn result_word(op: RedOp) -> ([u32; 4], (u8, u8)) {
    let (rd, pu) = match op {
        RedOp::Popc => (RESULT, Pred::PT.index),
        RedOp::And | RedOp::Or => (Reg::RZ, RESULT_PREDICATE),
    };
    (encode(&Instr { guard: Pred::PT, op: instr::Op::Result { rd, pu } }), (rd.0, pu))
}

/// FENCE.MEM.
pub fn fence_word() -> [u32; 4] {
    encode(&Instr { guard: Pred::PT, op: instr::Op::Fence })
}

fn bar(mode: BarMode, id: Field, count: Field) -> instr::Op {
    use Field::{Immediate, Register};
    let source = match (id, count) {
        (Immediate(id), Immediate(count)) => Source::I { id: id as u8, count: count as u16 },
        (Register, Immediate(count)) => Source::Rri { id: SECOND, count: count as u16 },
        (Immediate(id), Register) => Source::Rir { id: id as u8, count: SECOND },
        (Register, Register) => Source::Rr { id: FIRST, count: SECOND },
    };
    instr::Op::Bar { mode, source }
}

fn reduce(op: RedOp, id: Field, count: Field, pp: Pred) -> instr::Op {
    use Field::{Immediate, Register};
    let op = match op {
        RedOp::And => instr::RedOp::And,
        RedOp::Or => instr::RedOp::Or,
        RedOp::Popc => instr::RedOp::Popc,
    };
    let source = match (id, count) {
        (Immediate(id), Immediate(count)) => RedSource::I { id: id as u8, count: count as u16 },
        (Immediate(id), Register) => RedSource::Rir { id: id as u8, count: SECOND },
        (Register, Immediate(count)) => RedSource::Rri { id: SECOND, count: count as u16 },
        (Register, Register) => RedSource::Rri { id: SECOND, count: 0 },
    };
    instr::Op::Red { op, source, pp }
}
