// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints a structured program as PTX: branches and labels, calls, predicates.

use super::tree::{Binary, Compare, Condition, Program, Shuffle, Statement, Value, Vote, SLOTS, VARIABLES};
use std::fmt::Write;

struct Printer {
    text: String,
    labels: usize,
    threads: u32,
    /// The end labels of the enclosing loops.
    loops: Vec<usize>,
    in_function: bool,
}

/// The kernel `k`, which stores the variables of every thread to `out`, thread after thread.
pub fn ptx(program: &Program) -> String {
    let mut printer = Printer { text: String::new(), labels: 0, threads: program.threads, loops: vec![], in_function: true };
    let text = &mut printer.text;
    *text += ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (number, body) in program.functions.iter().enumerate() {
        printer.text += &format!(".func (.param .b32 result) f{number} (.param .b32 given)\n{{\n");
        printer.registers(program.loops);
        printer.line("ld.param.u32 %v0, [given]");
        (1..VARIABLES).for_each(|i| printer.line(&format!("add.u32 %v{i}, %v0, {i}")));
        printer.block(body);
        printer.line("st.param.b32 [result], %v0");
        printer.text += "    ret;\n}\n";
    }
    printer.in_function = false;
    printer.text += ".visible .entry k (.param .u64 out)\n{\n";
    printer.registers(program.loops);
    printer.text += &format!("    .shared .align 4 .b8 slots[{}];\n", 4 * SLOTS as u32 * program.threads);
    printer.line("mov.u32 %slots, slots");
    printer.line("mad.lo.u32 %own, %thread, 4, %slots");
    for slot in 0..SLOTS {
        printer.line(&format!("mul.lo.u32 %t0, %thread, {}", slot + 7));
        let offset = printer.offset(slot);
        printer.line(&format!("st.shared.u32 [%own+{offset}], %t0"));
    }
    (0..VARIABLES).for_each(|i| printer.line(&format!("mad.lo.u32 %v{i}, %thread, {}, {i}", 2 * i + 1)));
    printer.line("ld.param.u64 %out, [out]");
    printer.line(&format!("mul.wide.u32 %wide, %thread, {}", 4 * VARIABLES));
    printer.line("add.u64 %out, %out, %wide");
    printer.block(&program.body);
    printer.leave();
    printer.text += "}\n";
    printer.text
}

impl Printer {
    fn registers(&mut self, loops: usize) {
        let text = &mut self.text;
        let _ = writeln!(text, "    .reg .u32 %v<{VARIABLES}>, %c<{}>, %t<3>, %thread, %lane, %slots, %own;", loops + 1);
        *text += "    .reg .u64 %out, %wide;\n    .reg .pred %p, %q;\n";
        self.line("mov.u32 %thread, %tid.x");
        self.line("mov.u32 %lane, %laneid");
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line};");
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn place_label(&mut self, label: usize) {
        let _ = writeln!(self.text, "L{label}:");
    }

    fn offset(&self, slot: usize) -> u32 {
        4 * self.threads * slot as u32
    }

    /// Prints the end of the thread, or its return from the function.
    fn leave(&mut self) {
        if self.in_function {
            self.line("st.param.b32 [result], %v0");
        } else {
            (0..VARIABLES).for_each(|i| self.line(&format!("st.global.u32 [%out+{}], %v{i}", 4 * i)));
        }
        self.line("ret");
    }

    fn condition(&mut self, condition: &Condition) {
        let name = match condition.compare {
            Compare::Equal => "eq",
            Compare::NotEqual => "ne",
            Compare::Less => "lt",
            Compare::LessEqual => "le",
            Compare::Greater => "gt",
            Compare::GreaterEqual => "ge",
        };
        self.line(&format!("setp.{name}.u32 %p, {}, {}", value(condition.a), value(condition.b)));
    }

    fn block(&mut self, block: &[Statement]) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { .. } => self.line(&assignment(statement).unwrap_or_default()),
            Statement::Select { to, condition, a, b } => {
                self.condition(condition);
                self.line(&format!("selp.u32 %v{to}, {}, {}, %p", value(*a), value(*b)));
            }
            Statement::If { condition, then, otherwise, style } => self.branches(condition, then, otherwise, *style),
            Statement::Loop { number, rounds, mask, body } => {
                self.line(&format!("and.b32 %c{number}, {}, {mask}", value(*rounds)));
                self.rounds(*number, body);
            }
            Statement::Together { number, rounds, body } => {
                self.line(&format!("mov.u32 %c{number}, {rounds}"));
                self.rounds(*number, body);
            }
            Statement::Break(condition) => {
                self.condition(condition);
                let end = self.loops.last().copied().unwrap_or_default();
                self.line(&format!("@%p bra L{end}"));
            }
            Statement::Leave(condition) => {
                self.condition(condition);
                let end_label = self.label();
                self.line(&format!("@!%p bra L{end_label}"));
                self.leave();
                self.place_label(end_label);
            }
            Statement::Store { slot, from } => {
                let offset = self.offset(*slot);
                self.line(&format!("mov.u32 %t0, {}", value(*from)));
                self.line(&format!("st.shared.u32 [%own+{offset}], %t0"));
            }
            Statement::Load { slot, to } => {
                let offset = self.offset(*slot);
                self.line(&format!("ld.shared.u32 %v{to}, [%own+{offset}]"));
            }
            Statement::Call { to, function, with } => {
                self.text += "    {\n    .param .b32 a;\n    .param .b32 r;\n";
                self.line(&format!("mov.u32 %t0, {}", value(*with)));
                self.line("st.param.b32 [a], %t0");
                self.line(&format!("call.uni (r), f{function}, (a)"));
                self.line(&format!("ld.param.b32 %v{to}, [r]"));
                self.text += "    }\n";
            }
            Statement::Barrier => self.line("bar.sync 0"),
            Statement::Exchange { to, slot, distance } => {
                self.line("bar.sync 0");
                self.line(&format!("add.u32 %t0, %thread, {distance}"));
                self.line(&format!("rem.u32 %t0, %t0, {}", self.threads));
                self.line("mad.lo.u32 %t0, %t0, 4, %slots");
                let offset = self.offset(*slot);
                self.line(&format!("ld.shared.u32 %v{to}, [%t0+{offset}]"));
                self.line("bar.sync 0");
            }
            Statement::Shuffle { to, kind, from, by } => {
                let (name, clamp) = match kind {
                    Shuffle::Up => ("up", 0),
                    Shuffle::Down => ("down", 31),
                    Shuffle::Butterfly => ("bfly", 31),
                    Shuffle::Index => ("idx", 31),
                };
                self.line(&format!("mov.u32 %t0, {}", value(*from)));
                self.line(&format!("shfl.sync.{name}.b32 %v{to}, %t0, {by}, {clamp}, 0xffffffff"));
            }
            Statement::Vote { to, kind, condition } => {
                self.condition(condition);
                match kind {
                    Vote::Ballot => self.line(&format!("vote.sync.ballot.b32 %v{to}, %p, 0xffffffff")),
                    Vote::Any | Vote::All => {
                        let name = if matches!(kind, Vote::Any) { "any" } else { "all" };
                        self.line(&format!("vote.sync.{name}.pred %q, %p, 0xffffffff"));
                        self.line(&format!("selp.u32 %v{to}, 1, 0, %q"));
                    }
                }
            }
        }
    }

    /// Prints a loop whose counter is already set.
    fn rounds(&mut self, number: usize, body: &[Statement]) {
        let (start, end) = (self.label(), self.label());
        self.place_label(start);
        self.line(&format!("setp.eq.u32 %p, %c{number}, 0"));
        self.line(&format!("@%p bra L{end}"));
        self.line(&format!("sub.u32 %c{number}, %c{number}, 1"));
        self.loops.push(end);
        self.block(body);
        self.loops.pop();
        self.line(&format!("bra L{start}"));
        self.place_label(end);
    }

    fn branches(&mut self, condition: &Condition, then: &[Statement], otherwise: &[Statement], style: u8) {
        self.condition(condition);
        if let (0, [one], []) = (style, then, otherwise) {
            if let Some(text) = assignment(one) {
                return self.line(&format!("@%p {text}"));
            }
        }
        let (second, join) = (self.label(), self.label());
        let (guard, first, last) = if style == 1 { ("@%p", otherwise, then) } else { ("@!%p", then, otherwise) };
        self.line(&format!("{guard} bra L{second}"));
        self.block(first);
        self.line(&format!("bra L{join}"));
        self.place_label(second);
        self.block(last);
        self.place_label(join);
    }
}

fn assignment(statement: &Statement) -> Option<String> {
    let Statement::Assign { to, op, a, b } = statement else { return None };
    let name = match op {
        Binary::Add => "add.u32",
        Binary::Sub => "sub.u32",
        Binary::Mul => "mul.lo.u32",
        Binary::And => "and.b32",
        Binary::Or => "or.b32",
        Binary::Xor => "xor.b32",
        Binary::Left => "shl.b32",
        Binary::Right => "shr.u32",
        Binary::Min => "min.u32",
        Binary::Max => "max.u32",
    };
    Some(format!("{name} %v{to}, {}, {}", value(*a), value(*b)))
}

fn value(value: Value) -> String {
    match value {
        Value::Variable(number) => format!("%v{number}"),
        Value::Constant(constant) => constant.to_string(),
        Value::Thread => "%thread".to_string(),
        Value::Lane => "%lane".to_string(),
    }
}
