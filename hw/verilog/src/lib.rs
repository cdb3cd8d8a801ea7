// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a rust-hdl block to Verilog-2005 text.
//!
//! The text rust-hdl prints itself depends on Verilog's context widths and on processes that some simulators never start;
//! this printer computes each net's value with explicit widths and writes it as one `assign`. What it cannot print
//! faithfully it refuses, naming block and signal. The way through the files:
//! `collect` and `outline` block to tree; `scope`, `stmt`, `expr` and `select` statements to values (`ir`, `make`, `bits`), single bits to vectors (`vector`, `lift`, `in_place`, `same`); `check` refusals; `constant` and `reached` what needs no port;
//! `names`, `naming`, `uses`, `text`, `choice`, `process`, `step`, `module` and `custom` values to text; `file` modules to one
//! file, equal ones once.

mod bits;
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
pub(crate) mod names;
mod naming;
pub mod netlist;
mod outline;
mod process;
mod reached;
mod same;
pub(crate) mod scope;
mod select;
mod step;
mod stmt;
mod text;
mod uses;
mod vector;

use std::collections::BTreeMap;

pub use collect::leaves;
pub use collect::literal_value;
pub use fault::{Fault, FaultError, Reads};
pub(crate) use file::walk;
pub use file::{export, export_faulty, units_in};
pub use ir::{Cmp, Op, Reduce};
pub use names::{is_identifier, mangle};

/// The macro that says what memories are mapped to, in a file's header where one of its modules uses it.
pub const RAM_STYLE: &str = "`BCU_RAM_STYLE";

/// The names of exported modules begin with this, if nothing else is asked for.
pub const PREFIX: &str = "bcu";

/// What the text says beside the block itself.
#[derive(Clone, Debug)]
pub struct Options {
    /// Beginning of the names of modules.
    pub prefix: String,
    /// Name of the top module, exactly as printed. The other modules of the text are named after it.
    pub top: String,
    /// Lines above the modules, without `//`: configuration, generator, licence.
    pub header: Vec<String>,
    /// One line for each port of the top, by the port's name in the text.
    pub port_docs: BTreeMap<String, String>,
    /// What has a text of its own: an instance whose field has one of these names is of the module `<prefix>_<name>`, which is not in this text.
    pub units: Vec<&'static str>,
}

impl Options {
    /// Options for the unit of this name, with the prefix `bcu`.
    pub fn new(name: &str) -> Self {
        Options::prefixed(PREFIX, name)
    }

    /// Options for the unit of this name.
    pub fn prefixed(prefix: &str, name: &str) -> Self {
        let top = module_name(prefix, name);
        Options { prefix: prefix.to_string(), top, header: vec![], port_docs: BTreeMap::new(), units: vec![] }
    }

    /// Names the top module exactly so, whatever the unit is called.
    pub fn top(mut self, name: &str) -> Self {
        self.top = name.to_string();
        self
    }

    pub fn header(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.header.extend(lines.into_iter().map(Into::into));
        self
    }
}

/// The module of a unit: `<prefix>_<name>`, or the prefix alone for the whole, which is named `bcu`.
pub fn module_name(prefix: &str, name: &str) -> String {
    if name == PREFIX {
        prefix.to_string()
    } else {
        format!("{prefix}_{name}")
    }
}

/// Why a block cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block `{block}`, `{signal}`: {reason}; {help}")]
pub struct PrintError {
    /// Path of the instance from the top: `bcu_named.entries[3]`.
    pub block: String,
    /// The signal, name or literal it is about, as it stands in the Rust source.
    pub signal: String,
    pub reason: String,
    /// What to do about it.
    pub help: String,
}
