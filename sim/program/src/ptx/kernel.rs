// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels and functions: header, body, and the labels of a completed piece of code.

use super::ast::{Code, CodeKind};
use super::builder::Builder;
use super::callers::choose_callers;
use super::complaint::{shorten, MAX_ERRORS};
use super::launch::MOST_NAMED;
use super::lex::Kind;
use super::parser::Parser;
use super::scope::similar;
use super::symbol::Symbol;
use crate::{Function, Instr, Op};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Words that start another statement of the module.
const NEXT: &[&str] = &[
    ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared", ".file", ".section", ".alias",
];

impl Parser<'_> {
    /// Reads a kernel `.entry name (…) … { … }`, a function of the same form, or a declaration of a kernel or function.
    pub(super) fn code(&mut self, kind: CodeKind) -> Result<(), Diagnostic> {
        self.cursor.advance();
        let results = if self.cursor.is(b'(') { self.parameters()? } else { Vec::new() };
        let (name, span) = self.cursor.name("the name of the kernel or function")?;
        let params = if self.cursor.is(b'(') { self.parameters()? } else { Vec::new() };
        self.builder = Builder { params, ..Builder::new(name, kind, span.clone()) };
        self.sources.begin();
        self.place_parameters(kind)?;
        if let Some(result) = results.first() {
            let align = result.bytes.clamp(1, 16).next_power_of_two();
            let start = self.builder.frame.next_multiple_of(align);
            self.builder.frame = start + result.bytes;
            self.builder.result = Some(start..start + result.bytes);
            self.builder.symbols.insert(result.name.clone(), Symbol::Frame(start..start + result.bytes));
        }
        self.builder.bounds = self.bounds(NEXT)?;
        // ptxas accepts a prototype without `;`.
        let declares = self.cursor.eat(b';')
            || !self.cursor.is(b'{') && (self.cursor.kind() == Kind::End || NEXT.contains(&self.cursor.text()));
        if declares {
            self.elsewhere.insert(name);
            self.builder = Builder::outside();
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
                return Err(Diagnostic::new(open, format!("`{name}` is not closed"), "expected `}` for this"));
            }
            let result = match self.between_statements() {
                Ok(false) => self.statement(),
                other => other.map(drop),
            };
            self.recover(result);
        }
        self.cursor.advance();
        if !self.code_names.insert(name) {
            self.errors.push(Diagnostic::new(span, format!("`{name}` is defined twice in this text"), "expected another name"));
        }
        let builder = std::mem::replace(&mut self.builder, Builder::outside());
        self.build(builder);
        Ok(())
    }

    /// Resolves the branches of a completed piece of code and adds it to the module.
    pub(super) fn build(&mut self, mut builder: Builder) {
        if builder.names.depth() > 0 && !self.gave_up() {
            self.errors.push(Diagnostic::new(
                builder.span.clone(),
                "a `{` after this is not closed",
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
                        format!("label `{label}` is not defined here"),
                        "expected a label of this or an outer scope",
                    );
                    self.errors.push(match builder.names.similar_label(scope, &label) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
            }
        }
        self.switches(&mut builder);
        choose_callers(&mut builder.instrs);
        let Builder { name, kind, span, names, instrs, bounds, params, shared, frame, parameters, result, .. } = builder;
        let function = Function { name: name.clone(), instrs, registers: names.into_registers(), frame, parameters, result };
        self.module.codes.push(Code { name, kind, span, function, bounds, params, shared });
    }

    /// Resolves the labels of indirect branches.
    fn switches(&mut self, builder: &mut Builder) {
        for (index, scope, table, span) in std::mem::take(&mut builder.switches) {
            let labels = builder.tables.get(&table).cloned().unwrap_or_default();
            let found = labels.iter().map(|(label, _)| builder.names.resolve(scope, label)).collect::<Option<Vec<usize>>>();
            match (builder.instrs.get_mut(index), found.filter(|targets| !targets.is_empty())) {
                (Some(Instr { op: Op::Switch { targets, .. }, .. }), Some(found)) => *targets = found,
                _ if self.gave_up() => return,
                _ => {
                    let error = Diagnostic::new(
                        span,
                        format!("table `{table}` is not defined here"),
                        "expected the label of a `.branchtargets`, all of whose labels are here",
                    );
                    self.errors.push(error);
                }
            }
        }
    }

    /// Skips a statement, but records the names that it declares.
    pub(super) fn skip_declaration(&mut self) -> Result<(), Diagnostic> {
        while !matches!(self.cursor.kind(), Kind::Punct(b';' | b'}') | Kind::End) {
            match self.cursor.take(Kind::Name) {
                Some(name) => drop(self.elsewhere.insert(name)),
                None => self.cursor.advance(),
            }
        }
        self.cursor.skip_statement()
    }

    /// Reports operand names that are not declared.
    pub(super) fn operands_exist(&mut self) {
        let known = |name: &str| {
            let module = &self.module;
            let declared = self.code_names.contains(name) || self.elsewhere.contains(name) || self.symbols.contains_key(name);
            declared || module.dynamic.iter().any(|known| known == name)
        };
        let complaint = |(name, span): &(String, Range<usize>)| {
            let error =
                Diagnostic::new(span.clone(), format!("`{name}` is not declared"), "expected a register, variable or function");
            let known_names =
                || self.code_names.iter().chain(&self.elsewhere).copied().chain(self.symbols.keys().map(String::as_str));
            let near = if name.starts_with("WARP_S") { Some("WARP_SZ") } else { similar(name, known_names()) };
            near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?")))
        };
        let errors: Vec<Diagnostic> =
            self.undeclared.iter().filter(|(name, _)| !known(name)).map(complaint).take(MAX_ERRORS).collect();
        self.errors.extend(errors);
    }

    /// Reports each `// bcu: param` whose name is not a parameter of any kernel. Called only for a text with kernels, because a
    /// fragment declares no parameters.
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
                    error.help("the kernels here have no parameters; the result of a call is not a parameter that can be given")
                }
                None => error
                    .help(format!("the parameters are `{list}`; the result of a call is not a parameter that can be given")),
            }
        };
        let errors: Vec<Diagnostic> = wrong.map(complaint).take(MAX_ERRORS).collect();
        self.errors.extend(errors);
    }
}
