// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX as a program: [`parse`] reads a text, [`lower`] unrolls it into the steps of every warp of one CTA.
//!
//! The barrier instructions are those of the PTX page on bar/barrier; whatever else stands in a kernel is time or a memory
//! access. `docs/ptx.md` says what is accepted, what is evaluated before the run, and where the limits are.

mod arith;
mod ast;
mod barrier;
mod calc;
mod check;
mod computed;
mod cursor;
mod directive;
mod eval;
mod instr;
mod kernel;
mod lanes;
mod launch;
mod lex;
mod literal;
mod lower;
mod memory;
mod opcode;
mod operand;
mod parse;
mod refusal;
mod scope;
mod signature;
mod summary;
mod table;
mod table_computed;
mod target;
mod walk;
mod word;

pub use ast::{Barrier, BarrierKind, Code, CodeKind, Instr, Module, Op, RedOp, Role};
pub use launch::{Launch, MAX_CTAS, MAX_WARPS};
pub use lex::MAX_SOURCE;
pub use lower::{lower, Lowered, MAX_TOTAL_STEPS};
pub use parse::parse;
pub use signature::Param;
pub use summary::{kernels, Kernel, NotBuilt};
pub use table::markdown as opcode_page;
pub use target::{Target, Version, NEWEST_TARGET, NEWEST_VERSION};
pub use walk::MAX_STEPS;
