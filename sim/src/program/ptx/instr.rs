// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One statement inside of a kernel, function or fragment: declarations, labels, scopes, instructions.

use super::arith::{Format, Scalar};
use super::ast::{Cell, Elect, Guard, Instr, Op, Operand, Slot, Type};
use super::barrier::Modifier;
use super::computed::constant;
use super::lex::Kind;
use super::opcode::{classify, Class};
use super::operand::{Arg, MAX_NAME};
use super::parse::{shorten, Parser};
use super::target::Feature;
use crate::program::Place;
use bcu_hw::diag::Diagnostic;
use std::ops::Range;

impl Parser<'_> {
    /// Takes one statement of a body; the closing `}` of the body itself is the caller's.
    pub(super) fn statement(&mut self) -> Result<(), Diagnostic> {
        match self.cursor.kind() {
            Kind::Punct(b'{') => {
                let span = self.cursor.span();
                self.cursor.advance();
                self.names().open(span)
            }
            Kind::Punct(b'}') => {
                self.cursor.advance();
                self.names().close();
                Ok(())
            }
            Kind::Dotted => self.declaration(),
            Kind::Name if self.cursor.kind_after() == Kind::Punct(b':') => self.label(),
            Kind::Name | Kind::Punct(b'@') => self.instruction(),
            Kind::Ellipsis => {
                let (first, span) = (self.cursor.at(), self.cursor.span());
                self.cursor.advance();
                self.emit(first, span, None, Op::Time, Vec::new());
                Ok(())
            }
            _ => Err(self.cursor.unexpected("an instruction, a label or a declaration")),
        }
    }

    fn label(&mut self) -> Result<(), Diagnostic> {
        let (name, span) = self.cursor.name("a label")?;
        self.cursor.expect(b':', "`:`")?;
        let index = self.builder.instrs.len();
        if self.names().label(name, index) {
            return Ok(());
        }
        Err(Diagnostic::new(span, format!("the label `{name}` stands twice in this scope"), "expected another name"))
    }

    fn declaration(&mut self) -> Result<(), Diagnostic> {
        match self.cursor.text() {
            ".reg" => self.registers(),
            // The two whose end is the end of their line.
            ".loc" | ".file" => {
                self.skip_line();
                Ok(())
            }
            ".shared" => self.shared(),
            ".local" | ".param" | ".global" | ".const" | ".pragma" | ".branchtargets" | ".calltargets" | ".callprototype" => {
                self.cursor.skip_statement()
            }
            _ => Err(self.cursor.unexpected("`.reg`, `.shared`, `.local`, `.param`, `.pragma`, `.loc` or an instruction")),
        }
    }

    /// `.reg .b32 %r<26>, x;`
    fn registers(&mut self) -> Result<(), Diagnostic> {
        self.cursor.advance();
        let mut ty = None;
        loop {
            let span = self.cursor.span();
            let Some(modifier) = self.cursor.take(Kind::Dotted) else { break };
            ty = Type::from_modifier(modifier).or(ty);
            if ty.is_none() && !matches!(modifier, ".v2" | ".v4") {
                let message = format!("`{modifier}` is no type of a register");
                return Err(Diagnostic::new(span, message, "expected a type like .pred, .u32 or .b64"));
            }
        }
        let ty = ty.ok_or_else(|| self.cursor.unexpected("a type like .pred, .u32 or .b64"))?;
        loop {
            let (name, span) = self.cursor.name("the name of a register")?;
            if self.cursor.eat(b'<') {
                let count = self.cursor.constant()?;
                let count = u32::try_from(count).map_err(|_| {
                    let message = format!("{count} registers `{name}`");
                    Diagnostic::new(span, message, "expected a number of registers that fits 32 bits")
                })?;
                self.cursor.expect(b'>', "`>`")?;
                self.names().declare_family(name, count, ty);
            } else {
                self.names().declare(name, ty);
            }
            if !self.cursor.eat(b',') {
                return self.cursor.expect(b';', "`;`");
            }
        }
    }

    fn guard(&mut self) -> Result<Option<Guard>, Diagnostic> {
        if !self.cursor.eat(b'@') {
            return Ok(None);
        }
        let negated = self.cursor.eat(b'!');
        let (name, span) = self.cursor.name("a predicate")?;
        let slot = self.declared_register(name, span)?;
        Ok(Some(Guard { slot, negated }))
    }

    fn instruction(&mut self) -> Result<(), Diagnostic> {
        let (first, start) = (self.cursor.at(), self.cursor.span().start);
        let guard = self.guard()?;
        let (opcode, opcode_span) = self.cursor.name("an instruction")?;
        let mut modifiers: Vec<Modifier> = Vec::new();
        while self.cursor.kind() == Kind::Dotted {
            modifiers.push((self.cursor.text(), self.cursor.span()));
            self.cursor.advance();
        }
        let head = opcode_span.start..self.cursor.last_end();
        let names: Vec<&str> = modifiers.iter().map(|m| m.0).collect();
        let class = classify(opcode, &names);
        let (op, writes) = match class {
            Class::Unknown(near) => {
                let diagnostic =
                    Diagnostic::new(opcode_span, format!("there is no PTX instruction `{opcode}`"), "expected an instruction");
                return Err(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                });
            }
            Class::NotBuilt => {
                let opcode = self.cursor.source[head.clone()].to_string();
                self.args()?;
                (Op::NotBuilt { opcode, span: head }, Vec::new())
            }
            Class::Barrier => {
                let (barrier, destination) = self.barrier((opcode, opcode_span), &modifiers)?;
                (Op::Barrier(barrier), destination.into_iter().collect())
            }
            Class::Branch => {
                let (label, span) = self.cursor.name("the label to go to")?;
                let (index, scope) = (self.builder.instrs.len(), self.names().current());
                self.builder.branches.push((index, scope, label.to_string(), span));
                (Op::Branch { target: 0 }, Vec::new())
            }
            Class::Meet { elect } => {
                let feature = if elect { Feature::Elect } else { Feature::WarpSync };
                if let Some((message, help)) = feature.refusal(self.module.version, self.module.target) {
                    return Err(Diagnostic::new(head, message, "not in this version or target").help(help));
                }
                self.meet(head, elect)?
            }
            class => {
                let types: Vec<Type> = names.iter().filter_map(|name| Type::from_modifier(name)).collect();
                // A fragment may leave the type out.
                let words = types.iter().all(|ty| ty.bits == 32) && !names.iter().any(|name| matches!(*name, ".v2" | ".v4"));
                self.plain(class, words && matches!(opcode, "ld" | "st"))?
            }
        };
        let end = self.cursor.last_end();
        if !self.cursor.is(b';') {
            return Err(self.cursor.unexpected("`;`"));
        }
        self.emit(first, start..end, guard, op, writes);
        self.cursor.advance();
        Ok(())
    }

    /// Operands of `bar.warp.sync mask` and `elect.sync d|p, mask`.
    fn meet(&mut self, head: Range<usize>, elect: bool) -> Result<(Op, Vec<Slot>), Diagnostic> {
        let args = self.args()?;
        let wrong = |label: &str| Err(Diagnostic::new(head.clone(), "wrong operands", label));
        let (destination, mask) = match (&args[..], elect) {
            ([mask], false) => (None, mask),
            ([destination, mask], true) => (Some(destination), mask),
            (_, false) => return wrong("expected one member mask: `bar.warp.sync 0xffffffff;`"),
            (_, true) => return wrong("expected destinations and a member mask: `elect.sync _|p, 0xffffffff;`"),
        };
        if !matches!(mask.operand, Operand::Immediate(_) | Operand::Register { negated: false, .. }) {
            let label = "expected the lanes as a number or a .b32 register";
            return Err(Diagnostic::new(mask.span.clone(), "this is no member mask", label));
        }
        let elect = match destination.map(|arg| &arg.slots[..]) {
            None => None,
            Some([leads]) => Some(Elect { leader: None, leads: Some(*leads) }),
            Some([leader, leads]) => Some(Elect { leader: Some(*leader), leads: Some(*leads) }),
            Some(_) => return wrong("expected destinations like `d|p` or `_|p`"),
        };
        let writes = destination.map_or(Vec::new(), |arg| arg.slots.clone());
        Ok((Op::Meet { elect, members: mask.operand.clone(), span: mask.span.clone() }, writes))
    }

    /// An instruction that neither synchronises nor branches.
    /// `words` says that an access is one of 32-bit words, whose values are kept.
    fn plain(&mut self, class: Class, words: bool) -> Result<(Op, Vec<Slot>), Diagnostic> {
        self.in_call = class == Class::Call;
        let args = self.args();
        self.in_call = false;
        let args = args?;
        let destination = |args: &[Arg]| args.first().map_or(Vec::new(), |arg| arg.slots.clone());
        Ok(match class {
            Class::Call => {
                let named = |arg: &&Arg| arg.symbol.is_some() || matches!(arg.operand, Operand::Register { .. });
                let callee = args.iter().find(named).and_then(|arg| arg.symbol.clone());
                // A call does not keep the carry flag.
                let flag = self.names().known_carry().into_iter().collect();
                (Op::Call { callee: callee.filter(|name| name.len() <= MAX_NAME) }, flag)
            }
            Class::End => (Op::End, Vec::new()),
            Class::Trap => (Op::Trap, Vec::new()),
            Class::Access { space, write } => {
                let address = args.iter().find_map(|arg| arg.address.clone()).filter(|_| words && args.len() == 2);
                let stored = args.get(1).filter(|_| write).map(|arg| match arg.literal {
                    Some(literal) => constant(literal.bits(Scalar::Float(Format::F32))),
                    None => arg.operand.clone(),
                });
                let cell = address.map(|(base, offset)| Cell { base, offset, stored });
                (Op::Access { space, write, cell }, destination(&args))
            }
            Class::Time { writes } => (Op::Time, if writes { destination(&args) } else { Vec::new() }),
            Class::Calc(calc) => self.calc(calc, args),
            Class::Barrier | Class::Branch | Class::Meet { .. } | Class::NotBuilt | Class::Unknown(_) => (Op::Time, Vec::new()),
        })
    }

    fn emit(&mut self, first: usize, span: Range<usize>, guard: Option<Guard>, op: Op, writes: Vec<Slot>) {
        let mut text = self.cursor.since(first);
        shorten(&mut text);
        let place = Place { line: self.line_of(span.start), text };
        self.builder.instrs.push(Instr { span, place, guard, op, writes });
    }
}
