// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX programs: [`parse`] reads a text, [`lower`] produces the program of every warp of a launch.
//!
//! `docs/guide/ptx.md` describes the accepted subset and its limits; `docs/guide/opcodes.md` describes each instruction.

mod address;
mod ast;
mod asynchronous;
mod barrier;
mod bounds;
mod builder;
mod bulk;
pub(crate) mod calc;
mod call;
mod callers;
pub(crate) mod class;
mod cluster;
mod cluster_barrier;
mod complaint;
mod computed;
mod cursor;
mod declared;
mod directive;
mod exchange;
mod fence;
mod instr;
mod kernel;
mod launch;
mod launch_bounds;
mod lex;
mod literal;
mod lower;
mod matrix;
mod mbarrier;
mod mbarrier_form;
mod mbarrier_operands;
mod memory;
pub(crate) mod opcode;
mod operand;
mod parse;
mod parser;
mod scope;
mod signature;
mod sources;
mod special;
mod stack;
mod summary;
mod symbol;
mod table;
mod table_computed;
mod table_row;
mod target;
mod tensor;
mod tensor_core;
mod tensormap;
mod texture;
mod variable;
mod warpgroup;

pub use ast::{Code, CodeKind, Module, Role};
pub use declared::{Param, VariableType};
pub use launch::{check_grid, kernel, Launch, MAX_CTAS, MAX_WARPS};
pub use launch_bounds::Bounds;
pub use lex::MAX_SOURCE;
pub use lower::{lower, Lowered};
pub use parse::parse;
pub use summary::{kernels, Kernel, NotBuilt};
pub use table::markdown as opcode_page;
pub use target::{Target, Version, NEWEST_TARGET, NEWEST_VERSION};
