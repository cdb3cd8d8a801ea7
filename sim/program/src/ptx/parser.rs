// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the parser.

use super::ast::Module;
use super::builder::Builder;
use super::cursor::Cursor;
use super::sources::Sources;
use super::symbol::Symbol;
use bcu_isa::diag::Diagnostic;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The state of the parser of a module.
pub(super) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    pub sources: Sources<'a>,
    pub code_names: HashSet<&'a str>,
    /// Declared names that are not examined: functions of other modules, textures.
    pub elsewhere: HashSet<&'a str>,
    /// Operand names in kernels and functions that are not declared so far.
    pub undeclared: Vec<(String, Range<usize>)>,
    pub module: Module,
    pub builder: Builder,
    /// The names that are visible in the whole module.
    pub symbols: HashMap<String, Symbol>,
    /// The first address for the next variable in global memory.
    pub next_global: u64,
    /// Whether the declaration being read has `.extern` before it.
    pub external: bool,
    /// Whether the instruction being read accesses a parameter.
    pub in_param: bool,
    /// The name of the fragment section to which instructions outside of kernels and functions belong.
    pub section: String,
    pub fragments: Vec<Builder>,
    pub errors: Vec<Diagnostic>,
    pub line_starts: Vec<usize>,
    /// Whether a statement other than `.version` has been read.
    pub started: bool,
    /// Whether scopes are nested too deeply. Errors after this point would only be consequences.
    pub too_deep: bool,
}
