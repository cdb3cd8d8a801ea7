// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What hardware and simulation share: the instruction word, the values of an operation, the configurations, and the description of ports.
//!
//! [`fields`] is the only place where a bit position of the instruction word is written. [`instr`] encodes and decodes, [`asm`] and
//! [`disasm`] convert from and to text, and [`doc`] prints `docs/contract/isa.md`. A waveform viewer's decoder is generated from the same
//! table.

pub mod asm;
pub mod config;
pub mod diag;
pub mod disasm;
pub mod doc;
pub mod fields;
pub mod forms;
pub mod ids;
pub mod instr;
pub mod lex;
pub mod mbar;
pub mod mnemonic;
pub mod nbar;
pub mod op;
pub mod operands;
pub mod ports;
pub mod register;
pub mod units;
