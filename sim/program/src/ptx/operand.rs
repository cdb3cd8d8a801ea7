// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of an instruction: registers, constants, special registers, and everything else between commas.

use super::ast::CodeKind;
use super::declared::Param;
use super::lex::Kind;
use super::literal::Literal;
use super::parser::Parser;
use super::scope::similar;
use super::special::{OPAQUE_SPECIALS, SPECIALS};
use super::symbol::Symbol;
use crate::{Operand, Slot};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// An operand as written.
pub(super) struct Arg {
    pub operand: Operand,
    pub span: Range<usize>,
    /// The registers that the operand names as a destination, such as both registers of `{%r1, %r2}` or of `%r1|%p1`.
    pub slots: Vec<Slot>,
    /// A name that is not a register: a variable, a function, a label.
    pub symbol: Option<String>,
    /// For `[r0+4]`, the register, symbol or number before the `+`, and the number after it.
    pub address: Option<(Operand, i64)>,
    /// A floating-point constant, whose bits depend on its context.
    pub literal: Option<Literal>,
    /// All elements of `{%r1, %r2}`, with an opaque operand for `_`.
    pub vector: Option<Vec<Operand>>,
    /// Elements of the vector that are floating-point constants, with their positions.
    pub literals: Vec<(usize, Literal)>,
}

/// Maximum length of a name that is looked up, because the cost of each step would grow with the length. A parameter with a longer name is
/// unknown, and a function with a longer name may be any function.
pub(super) const MAX_NAME: usize = 4096;

/// Maximum number of operands that are read; every instruction has fewer.
const MAX_OPERANDS: usize = 64;

/// Registers of the largest matrix fragment in PTX.
const MAX_VECTOR: usize = 128;

/// Registers, elements, and floating-point constants with their positions.
type Vector = (Vec<Slot>, Option<Vec<Operand>>, Vec<(usize, Literal)>);

impl Parser<'_> {
    /// Operands up to the `;`, which is not consumed.
    pub(super) fn args(&mut self) -> Result<Vec<Arg>, Diagnostic> {
        let mut args = Vec::new();
        if self.cursor.is(b';') {
            return Ok(args);
        }
        loop {
            if args.len() >= MAX_OPERANDS {
                let message = format!("an instruction with more than {MAX_OPERANDS} operands");
                return Err(Diagnostic::new(self.cursor.span(), message, "expected `;` before this"));
            }
            args.push(self.arg()?);
            if !self.cursor.eat(b',') {
                return Ok(args);
            }
        }
    }

    pub(super) fn arg(&mut self) -> Result<Arg, Diagnostic> {
        let start = self.cursor.span().start;
        let mut arg = Arg {
            operand: Operand::Opaque,
            span: start..start,
            slots: Vec::new(),
            symbol: None,
            address: None,
            literal: None,
            vector: None,
            literals: Vec::new(),
        };
        match self.cursor.kind() {
            Kind::Punct(b'[') => arg.address = self.address()?,
            Kind::Punct(b'{') => (arg.slots, arg.vector, arg.literals) = self.vector()?,
            Kind::Punct(b'!') => {
                self.cursor.advance();
                arg.operand = if self.cursor.at_constant() {
                    Operand::Immediate((self.cursor.constant()? == 0).into())
                } else {
                    let (name, span) = self.cursor.name("a predicate")?;
                    Operand::Register { slot: self.declared_register(name, span)?, negated: true }
                };
            }
            Kind::Float => arg.literal = self.float(false),
            Kind::Str => self.cursor.advance(),
            Kind::Punct(sign @ (b'-' | b'+')) if self.cursor.kind_after() == Kind::Float => {
                self.cursor.advance();
                arg.literal = self.float(sign == b'-');
            }
            _ if self.cursor.at_constant() => arg.operand = Operand::Immediate(self.cursor.constant()?),
            Kind::Name => self.named(&mut arg)?,
            _ => return Err(self.cursor.unexpected("an operand")),
        }
        arg.span = start..self.cursor.last_end();
        Ok(arg)
    }

    /// Reads a floating-point constant, after its sign.
    fn float(&mut self, negative: bool) -> Option<Literal> {
        let literal = Literal::read(self.cursor.text(), negative);
        self.cursor.advance();
        literal
    }

    /// Reads a register, a special register or a symbol, with an optional suffix, into `arg`.
    fn named(&mut self, arg: &mut Arg) -> Result<(), Diagnostic> {
        let (name, span) = self.cursor.name("an operand")?;
        if name == "_" {
            return self.second_of_pair(arg);
        }
        if let Some(special) = self.special(name, span.clone())? {
            arg.operand = special;
            return Ok(());
        }
        let declared = self.names().declared(name).is_some();
        if let (false, Some(symbol)) = (declared, self.symbol(name)) {
            let offset = self.offset()?;
            arg.symbol = Some(name.to_string());
            arg.operand = match symbol.operand() {
                Operand::Immediate(at) => Operand::Immediate(at.wrapping_add(offset)),
                Operand::Shared(at) => Operand::Shared(at.wrapping_add(offset)),
                Operand::Frame(at) => Operand::Frame(at.wrapping_add(offset as u64)),
                other => other,
            };
            return Ok(());
        }
        match self.names().register(name) {
            Some(slot) => {
                arg.slots.push(slot);
                // A byte or half of a register is not evaluated.
                let whole = self.cursor.take(Kind::Dotted).is_none();
                if whole {
                    arg.operand = Operand::Register { slot, negated: false };
                }
                self.second_of_pair(arg)
            }
            None if name.starts_with('%') => Err(self.undeclared(name, span)),
            None => {
                arg.symbol = Some(name.to_string());
                self.is_undeclared(name, span);
                let offset = self.offset()?;
                if name.len() <= MAX_NAME {
                    arg.operand = Operand::Symbol(name.to_string(), offset);
                }
                Ok(())
            }
        }
    }

    /// Records a name that is not declared so far, for an error at the end of the text. A fragment need not declare names.
    fn is_undeclared(&mut self, name: &str, span: Range<usize>) {
        if self.builder.kind != CodeKind::Fragment {
            self.undeclared.push((name.to_string(), span));
        }
    }

    /// Reads the offset after a name, such as `+4`, and returns it; 0 if there is none.
    fn offset(&mut self) -> Result<i64, Diagnostic> {
        if self.cursor.eat(b'+') || self.cursor.is(b'-') {
            return self.cursor.constant();
        }
        Ok(0)
    }

    fn second_of_pair(&mut self, arg: &mut Arg) -> Result<(), Diagnostic> {
        if self.cursor.eat(b'|') {
            let (name, span) = self.cursor.name("a register")?;
            if name != "_" {
                arg.slots.push(self.declared_register(name, span)?);
            }
        }
        Ok(())
    }

    /// Reads an address such as `[r0]`, `[r0+4]`, `[r0-4]`, `[name+8]` or `[0x10]`. `None` for anything else, such as a texture.
    fn address(&mut self) -> Result<Option<(Operand, i64)>, Diagnostic> {
        let first = self.cursor.position();
        self.cursor.advance();
        let found = self.base_and_offset()?.filter(|_| self.cursor.is(b']'));
        if found.is_some() {
            self.cursor.advance();
            return Ok(found);
        }
        self.cursor.rewind(first);
        self.cursor.skip_balanced()?;
        Ok(None)
    }

    pub(super) fn base_and_offset(&mut self) -> Result<Option<(Operand, i64)>, Diagnostic> {
        if self.cursor.at_constant() {
            return Ok(Some((Operand::Immediate(self.cursor.constant()?), 0)));
        }
        let span = self.cursor.span();
        let Some(name) = self.cursor.take(Kind::Name) else { return Ok(None) };
        if name.len() > MAX_NAME {
            return Ok(None);
        }
        let declared = self.names().declared(name).is_some();
        let base = match self.symbol(name) {
            Some(symbol) if !declared => symbol.operand(),
            _ if self.in_param && !declared => self.implied_parameter(name),
            _ => match self.names().register(name) {
                Some(slot) => Operand::Register { slot, negated: false },
                None if name.starts_with('%') => return Ok(None),
                None => {
                    self.is_undeclared(name, span);
                    Operand::Symbol(name.to_string(), 0)
                }
            },
        };
        Ok(Some((base, self.offset()?)))
    }

    /// In a fragment, declares the parameter `name` with 8 bytes, because fragments use parameters without a declaration. In other code the
    /// operand is opaque.
    fn implied_parameter(&mut self, name: &str) -> Operand {
        if self.builder.kind != CodeKind::Fragment {
            return Operand::Opaque;
        }
        let params = &mut self.builder.params;
        let offset = params.len() as u64 * 8;
        params.push(Param { name: name.to_string(), source_name: None, ty: ".b64".to_string(), bytes: 8, offset });
        let symbol = Symbol::Param(offset);
        let operand = symbol.operand();
        self.builder.symbols.insert(name.to_string(), symbol);
        operand
    }

    /// Reads a vector, and returns its registers, its elements and its floating-point constants.
    pub(super) fn vector(&mut self) -> Result<Vector, Diagnostic> {
        let (mut slots, mut elements, mut literals) = (Vec::new(), Vec::new(), Vec::new());
        let span = self.cursor.span();
        self.cursor.expect(b'{', "`{`")?;
        while !self.cursor.eat(b'}') {
            if slots.len() > MAX_VECTOR {
                let message = format!("a vector of more than {MAX_VECTOR} registers");
                return Err(Diagnostic::new(span, message, "expected fewer registers in this"));
            }
            match self.cursor.kind() {
                Kind::Name if self.cursor.text() != "_" => {
                    let arg = self.arg()?;
                    slots.extend(arg.slots);
                    elements.push(arg.operand);
                }
                Kind::Name => {
                    self.cursor.advance();
                    elements.push(Operand::Opaque);
                }
                Kind::Punct(b',') => self.cursor.advance(),
                Kind::Int | Kind::Float | Kind::Punct(b'-' | b'~' | b'(') => {
                    let arg = self.arg()?;
                    literals.extend(arg.literal.map(|literal| (elements.len(), literal)));
                    elements.push(arg.operand);
                }
                _ => return Err(self.cursor.unexpected("a register or `}`")),
            }
        }
        Ok((slots, Some(elements), literals))
    }

    /// The register of this name, or an error if it is not declared.
    pub(super) fn declared_register(&mut self, name: &str, span: Range<usize>) -> Result<Slot, Diagnostic> {
        self.names().register(name).ok_or_else(|| self.undeclared(name, span))
    }

    pub(super) fn undeclared(&self, name: &str, span: Range<usize>) -> Diagnostic {
        let message = format!("the register `{name}` is not declared here");
        let diagnostic = Diagnostic::new(span, message, "expected a register of a `.reg` declaration, or a special register");
        match similar(name, SPECIALS.iter().chain(OPAQUE_SPECIALS).copied()) {
            Some(special) => diagnostic.help(format!("did you mean `{special}`?")),
            None => diagnostic.help(format!("declare it in this or an outer scope: `.reg .u32 {name};`")),
        }
    }
}
