// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the parser.

use super::ast::Module;
use super::builder::Builder;
use super::cursor::Cursor;
use super::symbol::Symbol;
use bcu_isa::diag::Diagnostic;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The state of the parser of a module.
pub(super) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    pub code_names: HashSet<&'a str>,
    /// What is declared and not looked at: functions of other modules, textures.
    pub elsewhere: HashSet<&'a str>,
    /// Names of operands that nothing has declared so far, in kernels and functions.
    pub undeclared: Vec<(String, Range<usize>)>,
    pub module: Module,
    pub builder: Builder,
    /// What the whole module knows by name.
    pub symbols: HashMap<String, Symbol>,
    /// Where the next variable in global memory may begin.
    pub next_global: u64,
    /// Behind `.extern`.
    pub external: bool,
    /// The instruction is about a parameter.
    pub in_param: bool,
    /// Where bare instructions go.
    pub section: String,
    pub fragments: Vec<Builder>,
    pub errors: Vec<Diagnostic>,
    pub line_starts: Vec<usize>,
    /// A statement other than `.version` has been seen.
    pub started: bool,
    /// Scopes nest too deeply: what would be said about the rest follows from that.
    pub too_deep: bool,
}
