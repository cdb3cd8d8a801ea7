// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel or function while it is read.

use super::ast::CodeKind;
use super::declared::Param;
use super::launch_bounds::Bounds;
use super::scope::Names;
use super::symbol::Symbol;
use crate::Instr;
use std::collections::HashMap;
use std::ops::Range;

/// A kernel, function or fragment section while it is read.
pub(super) struct Builder {
    pub name: String,
    pub kind: CodeKind,
    pub span: Range<usize>,
    pub names: Names,
    pub instrs: Vec<Instr>,
    /// Branch instruction, its scope, its label and the label's place: resolved once all labels are known.
    pub branches: Vec<(usize, usize, String, Range<usize>)>,
    /// Instruction, scope and labels of a branch by a table.
    pub switches: Vec<(usize, usize, String, Range<usize>)>,
    pub tables: HashMap<String, Vec<(String, Range<usize>)>>,
    /// The label before this place.
    pub last_label: Option<String>,
    pub bounds: Bounds,
    pub params: Vec<Param>,
    /// Bytes of shared memory declared so far.
    pub shared: u64,
    /// The body is being read: what is declared is known in it only.
    pub open: bool,
    pub symbols: HashMap<String, Symbol>,
    /// Bytes of the frame so far, and in it the parameters and the result of a function.
    pub frame: u64,
    pub parameters: Vec<Range<u64>>,
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

    /// No code is open: what is declared here the whole module knows.
    pub fn outside() -> Self {
        Builder { open: false, ..Builder::new("", CodeKind::Fragment, 0..0) }
    }
}
