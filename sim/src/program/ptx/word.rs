// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The BCU instruction word of a PTX barrier.

use super::ast::{self, BarrierKind, Slot};
use crate::program::{Source as Value, Write};
use bcu_hw::isa::instr::{encode, BarMode, Instr, Op, Pred, RedOp, RedSource, Reg, Source};

/// An operand of the instruction word: its value, which the word or a register holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Immediate(u32),
    Register(Value),
}

/// The registers and predicates named in the word, which get their values just before.
const FIRST: Reg = Reg(0);
const SECOND: Reg = Reg(1);
pub(super) const GUARD: u8 = 0;
pub(super) const REDUCED: u8 = 1;

/// What results are written to: the registers and predicates behind those above.
const RESULTS: Reg = Reg(2);
const RESULT_PREDICATES: u8 = 2;

/// The BCU instruction word of a barrier (BAR and BAR_RED, all operand forms), and what its registers must hold.
///
/// An id needs 4 bits and a count 12; a count of 0 is all threads of the CTA. Of a reduction with an id in a register, the count
/// is immediate: there is no form with two registers, and where one packs both is a matter of the configuration.
pub(super) fn barrier_word(kind: BarrierKind, id: Field, count: Field, guard: Pred, pp: Pred) -> ([u32; 4], Vec<Write>) {
    let (op, first, second) = match kind {
        BarrierKind::Sync => bar(BarMode::Sync, id, count),
        BarrierKind::Arrive => bar(BarMode::Arv, id, count),
        BarrierKind::Reduce(op) => reduce(op, id, count, pp),
    };
    let set = |(to, from): (Reg, Option<Value>)| from.map(|from| Write::Mov { to, from });
    (encode(&Instr { guard, op }), [(FIRST, first), (SECOND, second)].into_iter().filter_map(set).collect())
}

/// The machine's register for one of the program; `None` if the program has too many to tell them apart.
pub(super) fn register(slot: Slot) -> Option<Reg> {
    let number = usize::from(RESULTS.0) + slot;
    (number < usize::from(Reg::RZ.0)).then_some(Reg(number as u8))
}

/// The word that fetches the result of a reduction, for a destination of the program.
pub(super) fn result_word(op: ast::RedOp, destination: Slot) -> [u32; 4] {
    let register = |slot: Slot| Reg(RESULTS.0 + (slot % usize::from(Reg::RZ.0 - RESULTS.0)) as u8);
    let predicate = |slot: Slot| RESULT_PREDICATES + (slot % usize::from(Pred::PT.index - RESULT_PREDICATES)) as u8;
    let op = match op {
        ast::RedOp::Popc => Op::Result { rd: register(destination), pu: Pred::PT.index },
        ast::RedOp::And | ast::RedOp::Or => Op::Result { rd: Reg::RZ, pu: predicate(destination) },
    };
    encode(&Instr { guard: Pred::PT, op })
}

fn bar(mode: BarMode, id: Field, count: Field) -> (Op, Option<Value>, Option<Value>) {
    use Field::{Immediate, Register};
    let (source, first, second) = match (id, count) {
        (Immediate(id), Immediate(count)) => (Source::I { id: id as u8, count: count as u16 }, None, None),
        (Register(id), Immediate(count)) => (Source::Rri { id: SECOND, count: count as u16 }, None, Some(id)),
        (Immediate(id), Register(count)) => (Source::Rir { id: id as u8, count: SECOND }, None, Some(count)),
        (Register(id), Register(count)) => (Source::Rr { id: FIRST, count: SECOND }, Some(id), Some(count)),
    };
    (Op::Bar { mode, source }, first, second)
}

fn reduce(op: ast::RedOp, id: Field, count: Field, pp: Pred) -> (Op, Option<Value>, Option<Value>) {
    use Field::{Immediate, Register};
    let op = match op {
        ast::RedOp::And => RedOp::And,
        ast::RedOp::Or => RedOp::Or,
        ast::RedOp::Popc => RedOp::Popc,
    };
    let (source, second) = match (id, count) {
        (Immediate(id), Immediate(count)) => (RedSource::I { id: id as u8, count: count as u16 }, None),
        (Immediate(id), Register(count)) => (RedSource::Rir { id: id as u8, count: SECOND }, Some(count)),
        (Register(id), Immediate(count)) => (RedSource::Rri { id: SECOND, count: count as u16 }, Some(id)),
        (Register(id), Register(_)) => (RedSource::Rri { id: SECOND, count: 0 }, Some(id)),
    };
    (Op::Red { op, source, pp }, None, second)
}

#[cfg(test)]
mod tests {
    use super::super::ast::RedOp;
    use super::*;

    #[test]
    fn words_have_the_bits_of_the_instruction_set() {
        let (imm, reg) = (Field::Immediate, |value| Field::Register(Value::Number(value)));
        let (first, second) = (|v| (FIRST, v), |v| (SECOND, v));
        for (kind, id, count, word, held) in [
            (BarrierKind::Sync, imm(0), imm(0), [0x7b1d, 0, 0, 0], vec![]),
            (BarrierKind::Sync, imm(15), imm(0xfe0), [0x7b1d, 0xfe0f00, 0, 0], vec![]),
            (BarrierKind::Arrive, imm(1), imm(64), [0x7b1d, 0x040100, 0x10000, 0], vec![]),
            (BarrierKind::Sync, reg(3), imm(64), [0x751d, 0x040001, 0, 0], vec![second(3)]),
            (BarrierKind::Arrive, imm(2), reg(96), [0x791d, 0x201, 0x10000, 0], vec![second(96)]),
            (BarrierKind::Sync, reg(3), reg(64), [0x731d, 1, 0, 0], vec![first(3), second(64)]),
            (BarrierKind::Reduce(RedOp::And), imm(1), imm(0), [0x7bdd, 0x100, 0, 0x24], vec![]),
            (BarrierKind::Reduce(RedOp::Popc), imm(1), imm(0), [0x7bdd, 0x100, 0x20000, 0x24], vec![]),
            (BarrierKind::Reduce(RedOp::Or), reg(5), imm(64), [0x75dd, 0x040001, 0x10000, 0x24], vec![second(5)]),
        ] {
            let pp = Pred { index: REDUCED, not: true };
            let presets: Vec<Write> =
                held.into_iter().map(|(to, value)| Write::Mov { to, from: Value::Number(value) }).collect();
            assert_eq!(barrier_word(kind, id, count, Pred::PT, pp), (word, presets), "{kind:?}");
        }
    }

    #[test]
    fn results_never_go_where_operands_stand() {
        for slot in 0..1000 {
            let popc = result_word(RedOp::Popc, slot)[0] >> 16 & 0xff;
            assert!((2..255).contains(&popc), "{popc}");
            let and = result_word(RedOp::And, slot)[3] >> 10 & 7;
            assert!((2..7).contains(&and), "{and}");
        }
    }
}
