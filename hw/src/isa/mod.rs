// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The BCU instruction word: one table of fields, and everything that is derived from it.
//!
//! [`fields`] is the only place where a bit position is written. [`instr`] encodes and decodes, [`asm`] and [`disasm`] go
//! from and to text, [`doc`] prints `docs/isa.md`; a waveform viewer's decoder is generated from the same table.

pub mod asm;
pub mod disasm;
pub mod doc;
pub mod fields;
pub mod forms;
pub mod instr;
pub mod lex;
pub mod mbar;
pub mod mnemonic;
pub mod nbar;
pub mod operands;
