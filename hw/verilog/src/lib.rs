// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a rust-hdl block to Verilog-2005 text, or to SystemVerilog text with the same modules.
//!
//! Inside a text a port of a payload's type is one port: in Verilog-2005 a vector whose comment has the bits of its fields, in SystemVerilog a
//! packed structure of the export's package. The ports of the top module are one per field in both.
//!
//! The text that rust-hdl itself prints depends on Verilog's context widths and on processes that some simulators never start. This printer
//! computes each net's value with explicit widths and writes it as one `assign`. If a construct cannot be printed faithfully, the printer
//! reports an error that names the block and the signal. The files, in order of processing:
//!
//! - `collect`, `outline`, `signal`, `marks`: a block becomes a tree of modules. `fault` injects a fault into one instance of it.
//! - `scope`, `stmt`, `expr`, `select`: statements become values. Values and their constructors are in `value`, `basic`, `bits` and `make`,
//!   together `ir`.
//! - `pass`, `vector`, `lift`, `in_place`, `same`: single bits become vectors.
//! - `check`, `print_error`: errors.
//! - `reset`: the resets of registers.
//! - `constant`, `constant_register`, `reached`: the ports and registers that the text omits.
//! - `builder`, `uses`, `copies`, `interim`, `interim_names`, `structure`, `structure_join`, `structure_text`, `structure_vectors`, `literal`,
//!   `names`, `naming`, `text`, `operators`, `wires`, `choice`, `process`, `register_bits`, `statement`, `docs`, `sizes`, `instance`, `module`,
//!   `module_text`, `custom`: values become text. `package`: the types of a SystemVerilog text.
//! - `primitive`, `primitive_shape`, `primitive_text`, `primitive_cases`: instances of parameterised modules that are written by hand, and the
//!   blocks that these modules must equal.
//! - `module_names`, `file`, `options`, `wrap`: the modules are named and joined in one file, with lines of limited length; equal modules are
//!   printed once.
//! - `netlist`: the same values as a flat list of gates, instead of text.

mod basic;
mod bits;
mod builder;
mod check;
mod choice;
pub(crate) mod collect;
mod constant;
mod constant_register;
mod copies;
mod custom;
mod docs;
mod expr;
pub(crate) mod fault;
mod file;
mod in_place;
mod instance;
mod interim;
mod interim_names;
pub(crate) mod ir;
mod lift;
mod literal;
mod make;
pub mod marks;
mod module;
mod module_names;
mod module_text;
pub(crate) mod names;
mod naming;
pub mod netlist;
mod operators;
mod options;
mod outline;
mod package;
mod pass;
mod primitive;
mod primitive_cases;
mod primitive_shape;
mod primitive_text;
mod print_error;
mod process;
mod reached;
mod register_bits;
mod reset;
mod same;
pub(crate) mod scope;
mod select;
mod signal;
mod sizes;
mod statement;
mod stmt;
mod structure;
mod structure_join;
mod structure_text;
mod structure_vectors;
mod text;
mod uses;
pub(crate) mod value;
mod vector;
mod wires;
mod wrap;

pub use names::snake_case;
pub use options::{module_name, Options, PREFIX, RAM_STYLE};
pub use package::{Language, Package};
pub use primitive::module_of as primitive_module;
pub use primitive_cases::{primitives, Case, LOGIC, PART};
pub use print_error::PrintError;
pub use reset::{Reset, PORT_DOC as RESET_DOC};
pub use signal::{is_clock, leaves, literal_value, width_of};
pub use sizes::{Size, IDENTITY};

pub use fault::{Fault, FaultError, Reads};
pub(crate) use file::walk;
pub use file::{export, export_faulty, units_in};
pub use names::{is_identifier, mangle};
pub use value::{Cmp, Op, Reduce};
pub use wrap::{wrap, WIDTH};
