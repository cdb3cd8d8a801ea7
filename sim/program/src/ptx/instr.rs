// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One statement of a kernel, function or fragment: declarations, labels, scopes, instructions.

use super::address::address;
use super::barrier::{is_word, Modifier};
use super::class::Class;
use super::complaint::shorten;
use super::lex::Kind;
use super::opcode::classify;
use super::operand::Arg;
use super::parser::Parser;
use super::target::Feature;
use crate::arith::{Calc, Operation, Type};
use crate::{BarrierKind, CopyWait, Elect, Guard, Instr, Op, Operand, Place, Slot};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The operation of an instruction, with the registers that it writes.
type LoweredOp = (Op, Vec<Option<Slot>>);

impl Parser<'_> {
    /// Reads one statement of a body; the caller reads the closing `}` of the body itself.
    pub(super) fn statement(&mut self) -> Result<(), Diagnostic> {
        match self.cursor.kind() {
            Kind::Punct(b'{') => {
                let span = self.cursor.span();
                self.cursor.advance();
                let opened = self.names().open(span);
                self.too_deep |= opened.is_err();
                opened
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
                let (first, span) = (self.cursor.position(), self.cursor.span());
                self.cursor.advance();
                self.emit(first, span, None, (Op::Busy { cycles: 1 }, Vec::new()), false);
                Ok(())
            }
            _ => Err(self.cursor.unexpected("an instruction, a label or a declaration")),
        }
    }

    fn label(&mut self) -> Result<(), Diagnostic> {
        let (name, span) = self.cursor.name("a label")?;
        self.cursor.expect(b':', "`:`")?;
        let index = self.builder.instrs.len();
        self.builder.last_label = Some(name.to_string());
        if self.names().label(name, index) {
            return Ok(());
        }
        Err(Diagnostic::new(span, format!("the label `{name}` is defined twice in this scope"), "expected another name"))
    }

    fn declaration(&mut self) -> Result<(), Diagnostic> {
        match self.cursor.text() {
            ".reg" => self.registers(),
            ".loc" | ".file" => {
                self.location();
                Ok(())
            }
            ".shared" => self.shared(),
            ".local" | ".param" => self.in_frame(),
            ".global" | ".const" => self.global(),
            ".branchtargets" => self.table(),
            ".pragma" | ".calltargets" | ".callprototype" => self.cursor.skip_statement(),
            _ => Err(self.cursor.unexpected("`.reg`, `.shared`, `.local`, `.param`, `.pragma`, `.loc` or an instruction")),
        }
    }

    /// Reads the table `.branchtargets first, second;`, whose name is the label before it.
    fn table(&mut self) -> Result<(), Diagnostic> {
        self.cursor.advance();
        let mut labels = Vec::new();
        loop {
            let (label, span) = self.cursor.name("a label")?;
            labels.push((label.to_string(), span));
            if !self.cursor.eat(b',') {
                break;
            }
        }
        if let Some(name) = self.builder.last_label.clone() {
            self.builder.tables.insert(name, labels);
        }
        self.cursor.expect(b';', "`;`")
    }

    /// Reads a declaration of registers, such as `.reg .b32 %r<26>, x;`, and declares them.
    fn registers(&mut self) -> Result<(), Diagnostic> {
        self.cursor.advance();
        let mut ty = None;
        loop {
            let span = self.cursor.span();
            let Some(modifier) = self.cursor.take(Kind::Dotted) else { break };
            ty = Type::from_modifier(modifier).or(ty);
            if ty.is_none() && !matches!(modifier, ".v2" | ".v4") {
                let message = format!("`{modifier}` is not a register type");
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

    /// Reads an instruction from its guard to its `;`. Its opcode and modifiers give the class, which determines how operands are read.
    fn instruction(&mut self) -> Result<(), Diagnostic> {
        let (first, start) = (self.cursor.position(), self.cursor.span().start);
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
                    Diagnostic::new(opcode_span, format!("`{opcode}` is not a PTX instruction"), "expected an instruction");
                return Err(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                });
            }
            Class::NotBuilt => {
                let opcode = self.cursor.source[head.clone()].to_string();
                self.args()?;
                (Op::NotBuilt { opcode }, Vec::new())
            }
            Class::Barrier => {
                let (barrier, destination) = self.barrier((opcode, opcode_span), &modifiers)?;
                (Op::Barrier(barrier), destination.into_iter().map(Some).collect())
            }
            Class::ClusterBarrier => (self.cluster_barrier((opcode, opcode_span), &modifiers)?, Vec::new()),
            Class::GridControl => (self.grid_control((opcode, opcode_span), &modifiers)?, Vec::new()),
            Class::Mbarrier => self.mbarrier((opcode, opcode_span), &modifiers)?,
            Class::Commit => self.commit((opcode, opcode_span), &modifiers)?,
            Class::TensorCore => self.tensor_core(&names, head)?,
            Class::Cluster => self.in_cluster(opcode, &names, head)?,
            Class::Fence => (self.fence((opcode, opcode_span), &modifiers)?, Vec::new()),
            // The targets of branches are resolved when all labels of the code are known.
            Class::Branch => {
                let (label, span) = self.cursor.name("the label to go to")?;
                let (index, scope) = (self.builder.instrs.len(), self.names().current());
                self.builder.branches.push((index, scope, label.to_string(), span));
                (Op::Branch { target: 0 }, Vec::new())
            }
            Class::Switch => {
                let index = self.arg()?.operand;
                self.cursor.expect(b',', "`,`")?;
                let (table, span) = self.cursor.name("the label of a `.branchtargets`")?;
                let (instr, scope) = (self.builder.instrs.len(), self.names().current());
                self.builder.switches.push((instr, scope, table.to_string(), span));
                (Op::Switch { index, targets: Vec::new() }, Vec::new())
            }
            Class::Meet { elect } => {
                let feature = if elect { Feature::Elect } else { Feature::WarpSync };
                if let Some((message, help)) = feature.refusal(self.module.version, self.module.target) {
                    return Err(
                        Diagnostic::new(head, message, "not available in this PTX version or for this target").help(help)
                    );
                }
                self.meet(head, elect)?
            }
            Class::Exchange(exchange) => self.exchange(exchange, names.contains(&".sync"), head)?,
            Class::Warpgroup => self.warpgroup(&names)?,
            Class::Memory => self.memory(opcode, &names, head)?,
            Class::Call => self.call(head)?,
            Class::Stack => self.stack(opcode, head)?,
            class => self.plain(class, opcode, &names)?,
        };
        let end = self.cursor.last_end();
        if !self.cursor.is(b';') {
            return Err(self.cursor.unexpected("`;`"));
        }
        self.emit_all(first, start..end, guard, (op, writes));
        self.cursor.advance();
        Ok(())
    }

    /// Reads the operands of `bar.warp.sync mask` or `elect.sync d|p, mask`, and returns the operation and its destinations.
    fn meet(&mut self, head: Range<usize>, elect: bool) -> Result<LoweredOp, Diagnostic> {
        let args = self.args()?;
        let opcode = if elect { "elect.sync" } else { "bar.warp.sync" };
        let wrong = |label: &str| Err(Diagnostic::new(head.clone(), format!("wrong operands of `{opcode}`"), label));
        let (destination, mask) = match (&args[..], elect) {
            ([mask], false) => (None, mask),
            ([destination, mask], true) => (Some(destination), mask),
            (_, false) => return wrong("expected one member mask: `bar.warp.sync 0xffffffff;`"),
            (_, true) => return wrong("expected destinations and a member mask: `elect.sync _|p, 0xffffffff;`"),
        };
        let good = match mask.operand {
            Operand::Register { slot, negated } => !negated && self.names().type_of(slot).is_none_or(is_word),
            Operand::Immediate(_) => true,
            _ => false,
        };
        if !good {
            let label = "expected the lanes as a number or a .b32 register";
            return Err(Diagnostic::new(mask.span.clone(), "invalid member mask", label));
        }
        let elect = match destination.map(|arg| &arg.slots[..]) {
            None => None,
            Some([leads]) => Some(Elect { leader: None, leads: Some(*leads) }),
            Some([leader, leads]) => Some(Elect { leader: Some(*leader), leads: Some(*leads) }),
            Some(_) => return wrong("expected destinations like `d|p` or `_|p`"),
        };
        let writes = destination.map_or(Vec::new(), |arg| arg.slots.iter().copied().map(Some).collect());
        Ok((Op::Meet { elect, members: mask.operand.clone() }, writes))
    }

    /// Reads the operands of an instruction other than synchronisation, branches and memory accesses. Returns the operation and its
    /// destinations.
    fn plain(&mut self, class: Class, opcode: &str, modifiers: &[&str]) -> Result<LoweredOp, Diagnostic> {
        let args = self.args()?;
        let first = |args: Vec<Arg>| args.into_iter().next();
        let named = |arg: Option<Arg>| arg.map_or(Vec::new(), |arg| arg.slots.into_iter().map(Some).collect());
        Ok(match class {
            Class::Return => (Op::Return, Vec::new()),
            Class::Exit => (Op::Exit, Vec::new()),
            Class::Trap => (Op::Trap, Vec::new()),
            Class::CommitCopies { bulk } => (Op::CommitCopies { bulk }, Vec::new()),
            Class::WaitCopies { bulk, waits_for_all, read } => {
                let max_in_flight = match first(args).map(|arg| arg.operand) {
                    Some(Operand::Immediate(groups)) if !waits_for_all => u32::try_from(groups).ok(),
                    _ => None,
                };
                if bulk && max_in_flight.is_none() {
                    return Err(self.cursor.unexpected("a constant, the number of groups that may remain in flight"));
                }
                (Op::WaitCopies(CopyWait { bulk, max_in_flight, read }), Vec::new())
            }
            Class::Registers { grows } => match first(args).map(|arg| arg.operand) {
                Some(Operand::Immediate(count)) => {
                    (Op::Registers { count: u32::try_from(count).unwrap_or(u32::MAX), grows }, Vec::new())
                }
                _ => return Err(self.cursor.unexpected("a constant, the number of registers")),
            },
            Class::Address => address(opcode, modifiers, args),
            Class::Calc(calc) => self.calc(calc, args),
            Class::Time { writes } => (Op::Busy { cycles: 1 }, if writes { named(first(args)) } else { Vec::new() }),
            _ => (Op::Busy { cycles: 1 }, Vec::new()),
        })
    }

    /// Emits the instructions of one statement. Only the first instruction and the fetch of a reduction's result take time.
    fn emit_all(&mut self, first: usize, span: Range<usize>, guard: Option<Guard>, (op, writes): LoweredOp) {
        match op {
            Op::Barrier(barrier) => {
                let result = match barrier.kind {
                    BarrierKind::Reduce(op) => Some(op),
                    BarrierKind::Sync | BarrierKind::Arrive => None,
                };
                self.emit(first, span.clone(), guard, (Op::Barrier(barrier), Vec::new()), false);
                if let Some(op) = result {
                    self.emit(first, span, guard, (Op::Result(op), writes), false);
                }
            }
            Op::Calc { calc: Calc { op: Operation::Split { bits, .. }, pair }, sources } => {
                let mut parts: Vec<_> = writes.into_iter().enumerate().filter(|(i, to)| *i == 0 || to.is_some()).collect();
                // If one of the destinations is also the source, it is written last.
                parts.sort_by_key(|(_, to)| to.is_some_and(|to| sources.contains(&Operand::register(to))));
                for (number, (element, to)) in parts.into_iter().enumerate() {
                    let calc = Calc { op: Operation::Split { bits, element: element as u32 }, pair };
                    self.emit(first, span.clone(), guard, (Op::Calc { calc, sources: sources.clone() }, vec![to]), number > 0);
                }
            }
            op => self.emit(first, span, guard, (op, writes), false),
        }
    }

    fn emit(&mut self, first: usize, span: Range<usize>, guard: Option<Guard>, (op, writes): LoweredOp, is_untimed: bool) {
        let mut text = self.cursor.since(first);
        shorten(&mut text);
        let place = Place { line: self.line_of(span.start), text: text.into(), origin: self.sources.of_instruction() };
        self.builder.instrs.push(Instr { op, guard, writes: writes.into(), place, span, is_untimed });
    }
}
