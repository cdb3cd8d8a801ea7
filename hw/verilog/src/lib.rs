// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a rust-hdl block to Verilog-2005 text.
//!
//! The text that rust-hdl itself prints depends on Verilog's context widths and on processes that some simulators never start. This printer
//! computes each net's value with explicit widths and writes it as one `assign`. It refuses what it cannot print faithfully, with block and
//! signal. The files, in order of processing:
//! `collect` and `outline` turn a block into a tree; `scope`, `stmt`, `expr` and `select` turn statements into values (`value`, `basic`,
//! `bits`, `make`; all in `ir`), `vector`, `lift`, `in_place` and `same` single bits into vectors; `check` refuses; `constant` and
//! `reached` find what needs no port;
//! `names`, `naming`, `uses`, `text`, `choice`, `process`, `step`, `module` and `custom` turn values into text; `file` joins the modules in
//! one file, equal ones once.

mod basic;
mod bits;
mod builder;
mod check;
mod choice;
pub(crate) mod collect;
mod constant;
mod custom;
mod docs;
mod expr;
pub(crate) mod fault;
mod file;
mod in_place;
pub(crate) mod ir;
mod lift;
mod make;
pub mod marks;
mod module;
mod module_text;
pub(crate) mod names;
mod naming;
pub mod netlist;
mod options;
mod outline;
mod pass;
mod print_error;
mod process;
mod reached;
mod same;
pub(crate) mod scope;
mod select;
mod signal;
mod sizes;
mod statement;
mod stmt;
mod text;
mod uses;
pub(crate) mod value;
mod vector;

pub use options::{module_name, Options, PREFIX, RAM_STYLE};
pub use print_error::PrintError;
pub use signal::{leaves, literal_value};
pub use sizes::{Size, IDENTITY};

pub use fault::{Fault, FaultError, Reads};
pub(crate) use file::walk;
pub use file::{export, export_faulty, units_in};
pub use names::{is_identifier, mangle};
pub use value::{Cmp, Op, Reduce};
