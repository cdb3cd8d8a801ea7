// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Disassembles an instruction into its full form, with every operand written out; `asm` accepts this text.

use super::fields::Kind;
use super::ids::FieldId;
use super::instr::{decode, join, to_values, Instr};
use super::mnemonic;
use super::register::{Pred, Reg};
use std::fmt;

/// The text of any word, for traces and waveform viewers: `BAR.SYNC 0x1, 0x80`, or `illegal 0x…: why` with all 128 bits.
pub fn text(word: [u32; 4]) -> String {
    match decode(word) {
        Ok(instr) => instr.to_string(),
        Err(why) => format!("illegal {:#034x}: {why}", join(word)),
    }
}

impl fmt::Display for Instr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (form, values) = to_values(self);
        if self.guard != Pred::PT {
            write!(f, "@{} ", self.guard)?;
        }
        f.write_str(&mnemonic::full_mnemonic(form, &values))?;
        for (i, id) in form.row().operands.iter().enumerate() {
            f.write_str(if i == 0 { " " } else { ", " })?;
            let value = values[*id as usize];
            match id.field().kind {
                Kind::Address(offset) => match values[offset as usize] {
                    0 => write!(f, "[{}]", Reg(value as u8))?,
                    offset => write!(f, "[{}+{offset:#x}]", Reg(value as u8))?,
                },
                Kind::Reg => write!(f, "{}", Reg(value as u8))?,
                Kind::Pred => write!(
                    f,
                    "{}",
                    Pred { index: value as u8, not: *id == FieldId::Pp && values[FieldId::PpNot as usize] != 0 }
                )?,
                _ => write!(f, "{value:#x}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Reg::RZ => f.write_str("RZ"),
            Reg(n) => write!(f, "R{n}"),
        }
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.not { "!" } else { "" })?;
        match self.index & 7 {
            7 => f.write_str("PT"),
            n => write!(f, "P{n}"),
        }
    }
}
