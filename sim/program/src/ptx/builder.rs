// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel or function while it is being read.

use super::ast::CodeKind;
use super::declared::Param;
use super::launch_bounds::Bounds;
use super::scope::Names;
use super::symbol::Symbol;
use crate::Instr;
use std::collections::HashMap;
use std::ops::Range;

/// A kernel, function or fragment section while it is being read.
pub(super) struct Builder {
    pub name: String,
    pub kind: CodeKind,
    pub span: Range<usize>,
    pub names: Names,
    pub instrs: Vec<Instr>,
    /// For each branch, the index of its instruction, its scope, its label and the label's span. Labels are resolved once all are known.
    pub branches: Vec<(usize, usize, String, Range<usize>)>,
    /// For each indirect branch, the index of its instruction, its scope, and the name of its label table with the name's span.
    pub switches: Vec<(usize, usize, String, Range<usize>)>,
    pub tables: HashMap<String, Vec<(String, Range<usize>)>>,
    /// The label that was read last; it becomes the name of a `.branchtargets` table after it.
    pub last_label: Option<String>,
    pub bounds: Bounds,
    pub params: Vec<Param>,
    /// Bytes of shared memory declared so far.
    pub shared: u64,
    /// Whether the body is being read, in which declarations are local.
    pub open: bool,
    pub symbols: HashMap<String, Symbol>,
    /// Bytes of the frame so far.
    pub frame: u64,
    /// For each parameter of a function, its bytes in the frame.
    pub parameters: Vec<Range<u64>>,
    /// The bytes of a function's result in the frame.
    pub result: Option<Range<u64>>,
}

impl Builder {
    pub fn new(name: &str, kind: CodeKind, span: Range<usize>) -> Self {
        Builder {
            name: name.to_string(),
            kind,
            span,
            names: Names::new(kind != CodeKind::Kernel),
            instrs: Vec::new(),
            branches: Vec::new(),
            switches: Vec::new(),
            tables: HashMap::new(),
            last_label: None,
            bounds: Bounds::default(),
            params: Vec::new(),
            shared: 0,
            open: true,
            symbols: HashMap::new(),
            frame: 0,
            parameters: Vec::new(),
            result: None,
        }
    }

    /// The builder while no code is open; declarations are then visible in the whole module.
    pub fn outside() -> Self {
        Builder { open: false, ..Builder::new("", CodeKind::Fragment, 0..0) }
    }
}
