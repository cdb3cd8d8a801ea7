// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The module level of PTX: header, kernels, functions, variables, and bare fragments outside any kernel.

use super::ast::{CodeKind, Directives, Module};
use super::builder::Builder;
use super::complaint::{shorten, MAX_ERRORS};
use super::cursor::Cursor;
use super::lex::{lex, Kind};
use super::parser::Parser;
use super::scope::{similar, Names};
use super::sources::Sources;
use super::target::{Target, Version, NEWEST_TARGET, NEWEST_VERSION};
use crate::window;
use bcu_isa::diag::Diagnostic;
use std::collections::{HashMap, HashSet};

/// Parses a PTX module or a bare fragment of instructions.
///
/// # Errors
/// All errors in the text itself, in text order, 20 at most. [`lower`](super::lower) reports errors that depend on a launch (values of ids
/// and counts, roles, branches).
pub fn parse(source: &str) -> Result<Module, Vec<Diagnostic>> {
    let tokens = lex(source).map_err(|error| vec![error])?;
    let module = Module {
        version: NEWEST_VERSION,
        target: NEWEST_TARGET,
        codes: Vec::new(),
        narrow: false,
        variables: Vec::new(),
        variable_types: Vec::new(),
        shared: None,
        shared_names: vec![],
        dynamic: Vec::new(),
        dynamic_align: DYNAMIC_ALIGN,
        relocations: Vec::new(),
        end: window::GLOBAL,
        directives: Directives::default(),
    };
    let mut parser = Parser {
        sources: Sources::read(source, &tokens),
        cursor: Cursor::new(source, tokens),
        code_names: HashSet::new(),
        elsewhere: HashSet::new(),
        undeclared: Vec::new(),
        module,
        builder: Builder::outside(),
        symbols: HashMap::new(),
        next_global: window::GLOBAL,
        external: false,
        in_param: false,
        section: DEFAULT_SECTION.to_string(),
        fragments: Vec::new(),
        errors: Vec::new(),
        line_starts: std::iter::once(0).chain(source.match_indices('\n').map(|(i, _)| i + 1)).collect(),
        started: false,
        too_deep: false,
    };
    parser.module();
    parser.finish()
}

/// The name of fragment code before any `// bcu: warps … run NAME`.
const DEFAULT_SECTION: &str = "main";

/// The smallest alignment of dynamic shared memory, whatever its declaration states.
const DYNAMIC_ALIGN: u64 = 16;

impl Parser<'_> {
    pub(super) fn names(&mut self) -> &mut Names {
        &mut self.builder.names
    }

    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Reads `.loc` or `.file`, which end with their line.
    pub(super) fn location(&mut self) {
        let is_location = self.cursor.text() == ".loc";
        let mut words = vec![];
        self.cursor.advance();
        while self.cursor.kind() != Kind::End && !self.cursor.on_new_line() {
            if !self.cursor.is(b',') {
                words.push(self.cursor.text());
            }
            self.cursor.advance();
        }
        if is_location {
            self.sources.loc(&words);
        }
    }

    pub(super) fn gave_up(&self) -> bool {
        self.too_deep || self.errors.len() >= MAX_ERRORS
    }

    /// Records an error and continues after the statement.
    pub(super) fn recover(&mut self, result: Result<(), Diagnostic>) {
        if let Err(error) = result {
            self.errors.push(error);
            if let Err(error) = self.cursor.skip_statement() {
                self.errors.push(error);
            }
        }
    }

    fn module(&mut self) {
        while self.cursor.kind() != Kind::End && !self.gave_up() {
            let result = self.module_statement();
            self.recover(result);
        }
    }

    /// Reads a statement outside of kernels and functions. Instructions, labels and `.reg` there belong to a fragment,
    /// a list of instructions without a kernel around it.
    fn module_statement(&mut self) -> Result<(), Diagnostic> {
        if self.between_statements()? {
            return Ok(());
        }
        let first = !std::mem::replace(&mut self.started, true);
        let (text, span) = (self.cursor.text(), self.cursor.span());
        if self.cursor.kind() != Kind::Dotted || text == ".reg" {
            return self.fragment_statement();
        }
        let result = match text {
            ".version" => self.version(first),
            ".target" => self.target(),
            ".address_size" => self.address_size(),
            // A linking directive precedes a declaration, which is read as the next statement. Only `.extern` has an effect.
            ".visible" | ".extern" | ".weak" | ".common" => {
                self.external = text == ".extern";
                self.cursor.advance();
                return Ok(());
            }
            ".entry" => self.code(CodeKind::Kernel),
            ".func" => self.code(CodeKind::Function),
            ".global" | ".const" => self.global(),
            ".shared" => self.shared(),
            ".local" | ".tex" | ".texref" | ".surfref" | ".samplerref" | ".pragma" | ".alias" => self.skip_declaration(),
            ".file" | ".loc" => {
                self.location();
                Ok(())
            }
            ".section" => {
                self.cursor.advance();
                self.cursor.advance();
                if !self.cursor.is(b'{') {
                    return Err(self.cursor.unexpected("`{`"));
                }
                self.cursor.skip_balanced()
            }
            _ => {
                let known = [
                    ".version",
                    ".target",
                    ".address_size",
                    ".visible",
                    ".extern",
                    ".entry",
                    ".func",
                    ".global",
                    ".const",
                    ".shared",
                    ".section",
                ];
                let diagnostic = Diagnostic::new(
                    span,
                    format!("`{text}` is not a statement here"),
                    "expected a kernel, a variable or an instruction",
                );
                Err(match similar(text, known.into_iter()) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                })
            }
        };
        self.external = false;
        result
    }

    /// Reads a `// bcu:` comment or a `#define`, which is allowed between any two statements; false if neither is next.
    pub(super) fn between_statements(&mut self) -> Result<bool, Diagnostic> {
        match self.cursor.kind() {
            Kind::Directive => self.directive()?,
            Kind::Define => {
                self.cursor.advance();
                let (name, _) = self.cursor.name("the name of the constant")?;
                let value = self.cursor.constant()?;
                if self.cursor.take(Kind::EndOfDefine).is_none() {
                    return Err(self.cursor.unexpected("the end of the line"));
                }
                self.cursor.defines.insert(name, value);
            }
            Kind::EndOfDefine => self.cursor.advance(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn version(&mut self, first: bool) -> Result<(), Diagnostic> {
        let start = self.cursor.span();
        self.cursor.advance();
        if !first {
            return Err(Diagnostic::new(start, "`.version` is misplaced", "expected it once, as the first statement"));
        }
        let version = Some(self.cursor.text()).filter(|_| self.cursor.kind() == Kind::Float).and_then(Version::parse);
        self.module.version = version.ok_or_else(|| self.cursor.unexpected("a version like 9.4"))?;
        self.cursor.advance();
        Ok(())
    }

    fn address_size(&mut self) -> Result<(), Diagnostic> {
        self.cursor.advance();
        let span = self.cursor.span();
        let bits = self.cursor.constant()?;
        if bits != 32 && bits != 64 {
            return Err(Diagnostic::new(span, format!("addresses of {bits} bits"), "expected 32 or 64"));
        }
        self.module.narrow = bits == 32;
        if self.module.variables.is_empty() {
            self.next_global = self.module.base();
        }
        Ok(())
    }

    fn target(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.cursor.advance();
            let (name, span) = self.cursor.name("a target like sm_90")?;
            if let Some(target) = Target::parse(name) {
                self.module.target = target;
            } else if !["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"].contains(&name) {
                return Err(Diagnostic::new(
                    span,
                    format!("`{name}` is not a target"),
                    "expected an architecture like sm_90 or sm_90a",
                ));
            }
            if !self.cursor.is(b',') {
                return Ok(());
            }
        }
    }

    fn fragment_statement(&mut self) -> Result<(), Diagnostic> {
        let span = self.cursor.span();
        let index = self.fragments.iter().position(|f| f.name == self.section).unwrap_or_else(|| {
            self.fragments.push(Builder::new(&self.section, CodeKind::Fragment, span.clone()));
            self.fragments.len() - 1
        });
        if self.cursor.is(b'}') && self.fragments[index].names.depth() == 0 {
            let error = self.cursor.unexpected("an instruction; no `{` is open");
            self.cursor.advance();
            return Err(error);
        }
        std::mem::swap(&mut self.builder, &mut self.fragments[index]);
        let result = self.statement();
        std::mem::swap(&mut self.builder, &mut self.fragments[index]);
        result
    }

    fn finish(mut self) -> Result<Module, Vec<Diagnostic>> {
        let kernels = self.module.codes.iter().any(|code| code.kind == CodeKind::Kernel);
        for fragment in std::mem::take(&mut self.fragments) {
            if kernels {
                let error = Diagnostic::new(
                    fragment.span.clone(),
                    "an instruction outside of the kernels",
                    "expected it inside of `.entry name { … }`",
                );
                self.errors.push(error);
            }
            self.build(fragment);
        }
        if self.errors.is_empty() && self.module.codes.iter().all(|code| code.kind == CodeKind::Function) {
            let error = Diagnostic::new(
                0..0,
                "this text has no kernel and no instruction to run",
                "expected `.entry`, or instructions",
            );
            self.errors.push(error.help("the shortest fragment is `// bcu: threads 64` and `bar.sync 0;`"));
        }
        if self.errors.is_empty() && kernels {
            self.parameters_exist();
        }
        if self.errors.is_empty() {
            self.operands_exist();
        }
        self.errors.truncate(MAX_ERRORS);
        self.errors.iter_mut().for_each(|error| shorten(&mut error.message));
        self.module.end = self.next_global;
        if self.errors.is_empty() {
            return Ok(self.module);
        }
        Err(self.errors)
    }
}
