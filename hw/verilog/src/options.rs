// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Options of the exported Verilog besides the block itself: names, comments, and the units with separate files.

use crate::package::Language;
use crate::reset::Reset;
use crate::sizes::Size;
use std::collections::BTreeMap;

/// The macro that selects the implementation of memories; it is defined in a file's header if a module of the file uses it.
pub const RAM_STYLE: &str = "`BCU_RAM_STYLE";

/// Default prefix of the names of exported modules.
pub const PREFIX: &str = "bcu";

/// The content of the exported text besides the block itself.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prefix of module names.
    pub prefix: String,
    /// Name of the top module, exactly as printed. The other modules of the text are named after it.
    pub top: String,
    /// Lines above the modules, without `//`: configuration, generator, licence.
    pub header: Vec<String>,
    /// Comment of each port of the top, in one line, by the port's exported name.
    pub port_docs: BTreeMap<String, String>,
    /// Phrases of doc comments, each with the phrase that is printed instead.
    pub phrases: Vec<(String, String)>,
    /// Names of the units with a separate text. An instance whose field has one of these names is an instance of the module
    /// `<prefix>_<name>`, which this text does not contain.
    pub units: Vec<&'static str>,
    /// Whether the instances of primitives are instances of parameterised modules, which are not in the text.
    pub primitives: bool,
    /// How registers are reset.
    pub reset: Reset,
    /// Whether registers have an initial value in their declaration, that of rust-hdl.
    pub initial_values: bool,
    /// Parameters of the top.
    pub sizes: Vec<Size>,
    /// Identity number of the configuration, written in the top.
    pub identity: Option<u32>,
    /// Each instance has a module of its own, named by the path of the instance. By default equal modules are printed once.
    pub separate: bool,
    /// Whether payloads between modules are structures, whose widths are sums; otherwise each field is a port.
    pub structures: bool,
    pub language: Language,
}

impl Options {
    /// Options for the unit of this name, with the prefix `bcu`.
    pub fn new(name: &str) -> Self {
        Options::prefixed(PREFIX, name)
    }

    /// Options for the unit of this name.
    pub fn prefixed(prefix: &str, name: &str) -> Self {
        let top = module_name(prefix, name);
        Options {
            prefix: prefix.to_string(),
            top,
            header: vec![],
            port_docs: BTreeMap::new(),
            phrases: vec![],
            units: vec![],
            primitives: false,
            reset: Reset::default(),
            initial_values: true,
            sizes: vec![],
            identity: None,
            separate: false,
            structures: true,
            language: Language::default(),
        }
    }

    /// Sets the exact name of the top module, independent of the unit's name.
    pub fn top(mut self, name: &str) -> Self {
        self.top = name.to_string();
        self
    }

    pub fn header(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.header.extend(lines.into_iter().map(Into::into));
        self
    }
}

/// The module of a unit: `<prefix>_<name>`, or the prefix alone for the whole unit, which is named `bcu`.
pub fn module_name(prefix: &str, name: &str) -> String {
    if name == PREFIX {
        prefix.to_string()
    } else {
        format!("{prefix}_{name}")
    }
}
