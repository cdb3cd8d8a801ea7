// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The BCU instruction word of a PTX barrier.

use super::ast::{self, BarrierKind};
use bcu_hw::isa::instr::{encode, BarMode, Instr, Op, Pred, RedOp, RedSource, Reg, Source};

/// An operand of the instruction word: its value, and whether the word or a register holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Immediate(u32),
    Register(u32),
}

/// The registers named in the word; their values travel beside it.
const FIRST: Reg = Reg(0);
const SECOND: Reg = Reg(1);

/// The BCU instruction word of a barrier (BAR and BAR_RED, all operand forms), and the values of registers ra and rb.
///
/// An id needs 4 bits and a count 12; a count of 0 is all threads of the CTA.
pub fn barrier_word(kind: BarrierKind, id: Field, count: Field) -> ([u32; 4], u32, u32) {
    let (op, ra, rb) = match kind {
        BarrierKind::Sync => bar(BarMode::Sync, id, count),
        BarrierKind::Arrive => bar(BarMode::Arv, id, count),
        BarrierKind::Reduce(op) => reduce(op, id, count),
    };
    (encode(&Instr { guard: Pred::PT, op }), ra, rb)
}

fn bar(mode: BarMode, id: Field, count: Field) -> (Op, u32, u32) {
    use Field::{Immediate, Register};
    let (source, ra, rb) = match (id, count) {
        (Immediate(id), Immediate(count)) => (Source::I { id: id as u8, count: count as u16 }, 0, 0),
        (Register(id), Immediate(count)) => (Source::Rri { id: SECOND, count: count as u16 }, 0, id),
        (Immediate(id), Register(count)) => (Source::Rir { id: id as u8, count: SECOND }, 0, count),
        (Register(id), Register(count)) => (Source::Rr { id: FIRST, count: SECOND }, id, count),
    };
    (Op::Bar { mode, source }, ra, rb)
}

fn reduce(op: ast::RedOp, id: Field, count: Field) -> (Op, u32, u32) {
    use Field::{Immediate, Register};
    let op = match op {
        ast::RedOp::And => RedOp::And,
        ast::RedOp::Or => RedOp::Or,
        ast::RedOp::Popc => RedOp::Popc,
    };
    let (source, rb) = match (id, count) {
        (Immediate(id), Immediate(count)) => (RedSource::I { id: id as u8, count: count as u16 }, 0),
        (Immediate(id), Register(count)) => (RedSource::Rir { id: id as u8, count: SECOND }, count),
        // There is no form with two registers, and where one packs both is a matter of the configuration.
        (Register(id), Immediate(count) | Register(count)) => (RedSource::Rri { id: SECOND, count: count as u16 }, id),
    };
    (Op::Red { op, source, pp: Pred::PT }, 0, rb)
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
            (BarrierKind::Reduce(RedOp::And), Imm(1), Imm(0), [0x7bdd, 0x100, 0, 0x1c], 0, 0),
            (BarrierKind::Reduce(RedOp::Popc), Imm(1), Imm(0), [0x7bdd, 0x100, 0x20000, 0x1c], 0, 0),
            (BarrierKind::Reduce(RedOp::Or), Reg(5), Reg(64), [0x75dd, 0x040001, 0x10000, 0x1c], 0, 5),
        ] {
            assert_eq!(barrier_word(kind, id, count), (word, ra, rb), "{kind:?} {id:?} {count:?}");
        }
    }
}
