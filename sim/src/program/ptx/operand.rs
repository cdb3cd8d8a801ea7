// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of an instruction: registers, constants, special registers, and whatever else stands between commas.

use super::ast::{Operand, Slot, Special};
use super::lex::Kind;
use super::literal::Literal;
use super::parse::Parser;
use super::scope::similar;
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::lex::number;
use std::ops::Range;

/// An operand as it stands in the text.
pub(super) struct Arg {
    pub operand: Operand,
    pub span: Range<usize>,
    /// The registers it names as a destination: of `{%r1, %r2}` and `%r1|%p1` both.
    pub slots: Vec<Slot>,
    /// A name that is no register: a variable, a function, a label.
    pub symbol: Option<String>,
    /// Of `[r0+4]` the register or number in front, and the number behind.
    pub address: Option<(Operand, u32)>,
    /// A constant in floating point, whose bits depend on where it stands.
    pub literal: Option<Literal>,
    /// Of `{%r1, %r2}` both, with something opaque for `_`.
    pub pair: Option<[Operand; 2]>,
}

/// A longer name is not looked up: every step would take time in its length. Of a parameter nothing is known then, and a
/// function is any function.
pub(super) const MAX_NAME: usize = 4096;

/// More operands than any instruction has.
const MAX_OPERANDS: usize = 64;

/// The largest fragment of a matrix that PTX knows has so many registers.
const MAX_VECTOR: usize = 128;

/// Special registers whose value only a run knows, without their numbers and axes.
const OPAQUE_SPECIALS: &[&str] = &[
    "%smid",
    "%nsmid",
    "%gridid",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%envreg",
    "%pm",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
];

const SPECIALS: &[&str] = &["%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid", "%nwarpid", "%warp_size"];

impl Parser<'_> {
    /// Operands up to the `;`, which stays.
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

    fn arg(&mut self) -> Result<Arg, Diagnostic> {
        let start = self.cursor.span().start;
        let mut arg = Arg {
            operand: Operand::Opaque,
            span: start..start,
            slots: Vec::new(),
            symbol: None,
            address: None,
            literal: None,
            pair: None,
        };
        match self.cursor.kind() {
            Kind::Punct(b'[') => (arg.operand, arg.address) = self.address()?,
            Kind::Punct(b'{') => (arg.slots, arg.pair) = self.vector()?,
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
            Kind::Punct(b'(') if self.in_call => self.cursor.skip_balanced()?,
            _ if self.cursor.at_constant() => arg.operand = Operand::Immediate(self.cursor.constant()?),
            Kind::Name => self.named(&mut arg)?,
            _ => return Err(self.cursor.unexpected("an operand")),
        }
        arg.span = start..self.cursor.last_end();
        Ok(arg)
    }

    /// A constant in floating point, behind its sign.
    fn float(&mut self, negative: bool) -> Option<Literal> {
        let literal = Literal::read(self.cursor.text(), negative);
        self.cursor.advance();
        literal
    }

    /// A register, a special register or a symbol, with what may follow it.
    fn named(&mut self, arg: &mut Arg) -> Result<(), Diagnostic> {
        let (name, span) = self.cursor.name("an operand")?;
        if name == "_" {
            return self.second_of_pair(arg);
        }
        if let Some(special) = self.special(name, span.clone())? {
            arg.operand = special;
            return Ok(());
        }
        // What is called without a declaration is a function, even where registers are implied.
        let function = self.in_call && !name.starts_with('%') && self.names().declared(name).is_none();
        let slot = if function { None } else { self.names().register(name) };
        match slot {
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
                if self.cursor.eat(b'+') || self.cursor.is(b'-') {
                    self.cursor.constant()?;
                }
                Ok(())
            }
        }
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

    /// The special register of this name and the axis behind it, if it is one and no register of the program hides it.
    fn special(&mut self, name: &str, span: Range<usize>) -> Result<Option<Operand>, Diagnostic> {
        let axis = |axes: [Special; 3], parser: &mut Self| {
            let at = parser.cursor.span();
            let index = match parser.cursor.take(Kind::Dotted) {
                Some(".x") => 0,
                Some(".y") => 1,
                Some(".z") => 2,
                Some(".w") => return Ok(Operand::Opaque),
                // The whole vector, in old texts.
                None => return Ok(Operand::Opaque),
                Some(other) => {
                    let message = format!("`{name}` has no `{other}`");
                    return Err(Diagnostic::new(at, message, "expected .x, .y or .z"));
                }
            };
            Ok(Operand::Special(axes[index]))
        };
        let each = |make: fn(usize) -> Special| [make(0), make(1), make(2)];
        Ok(Some(match name {
            "%tid" => axis(each(Special::Tid), self)?,
            "%ntid" => axis(each(Special::Ntid), self)?,
            "%ctaid" => axis(each(Special::Ctaid), self)?,
            "%nctaid" => axis(each(Special::Nctaid), self)?,
            "%laneid" => Operand::Special(Special::Laneid),
            "%warpid" => Operand::Special(Special::Warpid),
            "%nwarpid" => Operand::Special(Special::Nwarpid),
            _ if OPAQUE_SPECIALS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
                || OPAQUE_SPECIALS.contains(&name) =>
            {
                self.cursor.take(Kind::Dotted);
                Operand::Opaque
            }
            _ if name.starts_with('%') && self.names().register(name).is_none() => return Err(self.undeclared(name, span)),
            _ => return Ok(None),
        }))
    }

    /// `[name]` or `[name+0]` may be a kernel parameter; anything else is not looked into.
    fn address(&mut self) -> Result<(Operand, Option<(Operand, u32)>), Diagnostic> {
        let first = self.cursor.at();
        self.cursor.skip_balanced()?;
        let text = self.cursor.since(first);
        let name = text.trim_matches(['[', ']', ' ']).trim_end_matches("+0").trim();
        let address = self.base_and_offset(&text);
        let plain = !name.starts_with('%') && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
        Ok((if plain && name.len() <= MAX_NAME { Operand::Param(name.to_string()) } else { Operand::Opaque }, address))
    }

    /// Reads `[r0]`, `[r0+4]`, `[r0-4]`, `[0x10]`; `None` if it is something else, like a variable.
    fn base_and_offset(&mut self, text: &str) -> Option<(Operand, u32)> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
        let number = |text: &str| number(text.trim()).and_then(|n| u32::try_from(n).ok());
        if let Some(address) = number(inner) {
            return Some((Operand::Immediate(address.into()), 0));
        }
        let (base, offset) = match inner.find(['+', '-']) {
            None => (inner, 0),
            Some(at) if inner[at..].starts_with('+') => (&inner[..at], number(&inner[at + 1..])?),
            Some(at) => (&inner[..at], number(&inner[at + 1..])?.wrapping_neg()),
        };
        let base = base.trim();
        // In a fragment a name alone may be a parameter, so only what is a register already counts as one.
        let slot = self.names().known(base).filter(|_| base.len() <= MAX_NAME)?;
        Some((Operand::Register { slot, negated: false }, offset))
    }

    /// The registers of a vector, and of one with two elements both.
    fn vector(&mut self) -> Result<(Vec<Slot>, Option<[Operand; 2]>), Diagnostic> {
        let (mut slots, mut elements) = (Vec::new(), Vec::new());
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
                Kind::Int | Kind::Float | Kind::Punct(b'-' | b'~' | b'(') => elements.push(self.arg()?.operand),
                _ => return Err(self.cursor.unexpected("a register or `}`")),
            }
        }
        Ok((slots, elements.try_into().ok()))
    }

    /// The register of this name, or a complaint that there is none.
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
