// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels and functions: header, body, and the labels of a finished piece of code.

use super::ast::{Code, CodeKind, Instr, Op};
use super::launch::MOST_NAMED;
use super::lex::Kind;
use super::parse::{shorten, Parser, MAX_ERRORS};
use super::scope::{similar, Names};
use super::signature::Param;
use bcu_hw::diag::Diagnostic;
use std::ops::Range;

/// A kernel, function or fragment section while it is read.
pub(super) struct Builder {
    pub name: String,
    kind: CodeKind,
    pub span: Range<usize>,
    pub names: Names,
    pub instrs: Vec<Instr>,
    /// Branch instruction, its scope, its label and the label's place: resolved once all labels are known.
    pub branches: Vec<(usize, usize, String, Range<usize>)>,
    reqntid: Option<[u32; 3]>,
    maxntid: Option<[u32; 3]>,
    params: Vec<Param>,
    /// Bytes of shared memory declared so far.
    pub shared: u64,
}

impl Builder {
    pub fn new(name: &str, kind: CodeKind, span: Range<usize>) -> Self {
        let names = Names::new(kind != CodeKind::Kernel);
        let (instrs, branches) = (Vec::new(), Vec::new());
        let (reqntid, maxntid, params) = (None, None, Vec::new());
        Builder { name: name.to_string(), kind, span, names, instrs, branches, reqntid, maxntid, params, shared: 0 }
    }
}

impl Parser<'_> {
    /// `.entry name (…) … { … }`, or the same of a function, or its declaration.
    pub(super) fn code(&mut self, kind: CodeKind) -> Result<(), Diagnostic> {
        self.cursor.advance();
        if self.cursor.is(b'(') {
            self.cursor.skip_balanced()?;
        }
        let (name, span) = self.cursor.name("the name of the kernel or function")?;
        let mut params = Vec::new();
        if self.cursor.is(b'(') {
            match kind {
                CodeKind::Kernel => params = self.parameters()?,
                CodeKind::Function | CodeKind::Fragment => self.cursor.skip_balanced()?,
            }
        }
        self.builder = Builder { params, ..Builder::new(name, kind, span.clone()) };
        while let Some(directive) = self.cursor.take(Kind::Dotted) {
            let mut numbers = Vec::new();
            while self.cursor.at_constant() {
                numbers.push(u32::try_from(self.cursor.constant()?).unwrap_or(u32::MAX));
                self.cursor.eat(b',');
            }
            if directive == ".pragma" {
                self.cursor.take(Kind::Str);
                self.cursor.eat(b';');
            }
            let of = |i: usize| numbers.get(i).copied().unwrap_or(1);
            match directive {
                ".reqntid" => self.builder.reqntid = Some([of(0), of(1), of(2)]),
                ".maxntid" => self.builder.maxntid = Some([of(0), of(1), of(2)]),
                _ => {}
            }
        }
        if self.cursor.eat(b';') {
            return Ok(());
        }
        let open = self.cursor.span();
        self.cursor.expect(b'{', "`{`")?;
        loop {
            let closes = self.cursor.is(b'}') && self.builder.names.depth() == 0;
            if closes || self.gave_up() {
                break;
            }
            if self.cursor.kind() == Kind::End {
                return Err(Diagnostic::new(open, format!("`{name}` does not end"), "expected `}` for this"));
            }
            let result = match self.between_statements() {
                Ok(false) => self.statement(),
                other => other.map(drop),
            };
            self.recover(result);
        }
        self.cursor.advance();
        if !self.code_names.insert(name) {
            self.errors.push(Diagnostic::new(span, format!("`{name}` stands twice in this text"), "expected another name"));
        }
        let builder = std::mem::replace(&mut self.builder, Builder::new("", CodeKind::Fragment, 0..0));
        self.build(builder);
        Ok(())
    }

    /// Resolves the branches of a finished piece and adds it to the module.
    pub(super) fn build(&mut self, mut builder: Builder) {
        if builder.names.depth() > 0 && !self.gave_up() {
            self.errors.push(Diagnostic::new(
                builder.span.clone(),
                "a `{` behind this is not closed",
                "expected as many `}` as `{`",
            ));
        }
        for (index, scope, label, span) in std::mem::take(&mut builder.branches) {
            if self.gave_up() {
                break;
            }
            let target = builder.names.resolve(scope, &label);
            match builder.instrs.get_mut(index).zip(target) {
                Some((instr, target)) => instr.op = Op::Branch { target },
                None => {
                    let error = Diagnostic::new(
                        span,
                        format!("there is no label `{label}` here"),
                        "expected a label of this or an outer scope",
                    );
                    self.errors.push(match builder.names.similar_label(scope, &label) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
            }
        }
        let Builder { name, kind, span, names, instrs, reqntid, maxntid, params, shared, .. } = builder;
        let registers = names.into_registers();
        self.module.codes.push(Code { name, kind, span, instrs, registers, reqntid, maxntid, params, shared });
    }

    /// Complaints about values for what is a parameter of no kernel; in a fragment nobody declares parameters.
    pub(super) fn parameters_exist(&mut self) {
        let module = &self.module;
        let known = || module.codes.iter().flat_map(|code| &code.params).map(|param| param.name.as_str());
        let wrong = module.directives.params.iter().filter(|(name, ..)| !known().any(|k| k == name));
        let complaint = |(name, _, span): &(String, u64, Range<usize>)| {
            let message = format!("no kernel here has a parameter `{name}`");
            let error = Diagnostic::new(span.clone(), message, "expected a parameter of a kernel");
            let mut list = known().take(MOST_NAMED).collect::<Vec<_>>().join("`, `");
            shorten(&mut list);
            match similar(name, known()) {
                Some(near) => error.help(format!("did you mean `{near}`? the parameters are `{list}`")),
                None if list.is_empty() => {
                    error.help("the kernels here have no parameters; what a call returns cannot be given")
                }
                None => error.help(format!("the parameters are `{list}`; what a call returns cannot be given")),
            }
        };
        let errors: Vec<Diagnostic> = wrong.map(complaint).take(MAX_ERRORS).collect();
        self.errors.extend(errors);
    }
}
