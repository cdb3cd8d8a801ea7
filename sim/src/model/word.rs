// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The model's own reading of instruction words: the opcodes of BAR, field by field as the instruction set writes them.
//!
//! An oracle that shared the assembler's table could not find an error in it.

use super::op::Kind;

/// Where the barrier id or the count of a form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Immediate(u32),
    /// The register of bits 31:24.
    Ra,
    /// The register of bits 39:32.
    Rb,
}

/// A BAR instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub kind: Kind,
    pub id: Source,
    pub count: Source,
}

impl Bar {
    /// Whether an operand comes from a register, so that lanes may differ in it.
    pub fn has_registers(&self) -> bool {
        !matches!((self.id, self.count), (Source::Immediate(_), Source::Immediate(_)))
    }
}

const OPTYPE: Field = Field { low: 0, width: 8 };
const STYPE: Field = Field { low: 8, width: 4 };
const PG: Field = Field { low: 12, width: 3 };
const PG_NOT: Field = Field { low: 15, width: 1 };
const RA: Field = Field { low: 24, width: 8 };
const RB: Field = Field { low: 32, width: 8 };
const BARID: Field = Field { low: 40, width: 4 };
const CNT: Field = Field { low: 44, width: 12 };
const MODE: Field = Field { low: 80, width: 1 };
/// What the unit looks at; the bits above are not its own.
const LOOKED_AT: Field = Field { low: 0, width: 109 };

/// `optype` of BAR.
const BAR: u32 = 0x1d;

#[derive(Clone, Copy)]
struct Field {
    low: u32,
    width: u32,
}

impl Field {
    const fn mask(self) -> u128 {
        ((1 << self.width) - 1) << self.low
    }

    fn of(self, word: u128) -> u32 {
        ((word & self.mask()) >> self.low) as u32
    }
}

/// Reads a word (bits 31:0 first); `None` if it is no instruction that is built.
pub fn decode(word: [u32; 4]) -> Option<Bar> {
    let word = word.iter().rev().fold(0u128, |word, part| word << 32 | u128::from(*part));
    let immediate = |field: Field| Source::Immediate(field.of(word));
    if OPTYPE.of(word) != BAR {
        return None;
    }
    let (id, count, operands): (_, _, &[Field]) = match STYPE.of(word) {
        0xb => (immediate(BARID), immediate(CNT), &[BARID, CNT]),
        0x3 => (Source::Ra, Source::Rb, &[RA, RB]),
        0x5 => (Source::Rb, immediate(CNT), &[RB, CNT]),
        0x9 => (immediate(BARID), Source::Rb, &[RB, BARID]),
        _ => return None,
    };
    let fields = [OPTYPE, STYPE, PG, PG_NOT, MODE];
    let known = fields.iter().chain(operands).fold(0, |known, field| known | field.mask());
    if word & LOOKED_AT.mask() & !known != 0 {
        return None;
    }
    let kind = if MODE.of(word) == 0 { Kind::Sync } else { Kind::Arrive };
    Some(Bar { kind, id, count })
}
