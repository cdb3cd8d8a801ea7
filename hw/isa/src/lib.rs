// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What hardware and simulation share: the instruction word, the values of an operation, the configurations, and the description of ports.
//!
//! [`fields`] is the only place where a bit position of the instruction word is written. From its table [`instr`] encodes and decodes,
//! [`asm`] converts from text and [`disasm`] to text, [`doc`] prints `docs/contract/isa.md`, and the decoder for a waveform viewer is
//! generated.

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
