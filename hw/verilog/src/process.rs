// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clocked processes of a module: of the registers with a reset, and of those without. Registers that change under the same condition
//! are grouped under one `if`.

use super::builder::{Builder, Next, Update};
use super::ir::{self, NetId, Node, Value};
use super::reset::Reset;
use super::same::same;
use super::statement::{self, Statement};
use super::text::plain;
use super::wrap::WIDTH;

/// Columns of the indentation, the arrow and the semicolon of an assignment within three conditions.
const LONGEST_INDENT: usize = 15;

/// A condition, and the registers whose next value the condition selects, with both branches.
struct Choice {
    condition: Value,
    branches: Vec<(NetId, Value, Value)>,
}

impl Builder<'_> {
    /// The update of a register; its next value has a wire only if something else reads it.
    pub(super) fn update(&mut self, q: NetId, d: NetId, wires: &mut Vec<NetId>) -> Update {
        let next = match self.roots.get(&d).filter(|_| self.named[d] == 0) {
            Some(root) => match &root.node {
                Node::Assigned(_, inner) => Next::Value(inner.clone()),
                _ => Next::Value((*root).clone()),
            },
            None => {
                wires.push(d);
                Next::Named(self.text.net_names[d].clone())
            }
        };
        Update { q, d, next }
    }

    /// `always @(posedge clock) begin … end`, once for the registers with a reset and once for those without.
    pub(super) fn process(&mut self, clock: &str, updates: Vec<Update>) -> Vec<Vec<String>> {
        let (with, without): (Vec<Update>, Vec<Update>) = updates.into_iter().partition(|update| self.has_reset(update));
        [with, without]
            .into_iter()
            .filter(|updates| !updates.is_empty())
            .map(|updates| self.process_of(clock, updates))
            .collect()
    }

    fn has_reset(&self, update: &Update) -> bool {
        match &update.next {
            Next::Value(value) => self.reset_value(value).is_some(),
            Next::Named(_) => self.reset_of_wire(update.d).is_some(),
        }
    }

    /// The constant during reset of a next value that has a wire; `None` with the reset of Rust, in which the wire alone contains it.
    fn reset_of_wire(&self, d: NetId) -> Option<Value> {
        let value = self.roots.get(&d).filter(|_| self.reset != Reset::default())?;
        self.reset_value(ir::peel(value)).map(|(constant, _)| constant.clone())
    }

    /// The constant of a next value during reset, and the next value without reset, if the next value is a choice between them.
    fn reset_value<'v>(&self, value: &'v Value) -> Option<(&'v Value, &'v Value)> {
        match &value.node {
            Node::Mux(c, yes, no) if self.is_reset(c) && ir::as_constant(yes).is_some() => Some((yes, no)),
            _ => None,
        }
    }

    fn process_of(&mut self, clock: &str, updates: Vec<Update>) -> Vec<String> {
        let (mut values, mut statements, mut cleared): (Vec<(NetId, Value)>, Vec<Statement>, Vec<Statement>) =
            Default::default();
        let mut comments = vec![];
        for Update { q, d, next } in updates {
            for comment in self.scope.comments.get(&d).into_iter().flatten() {
                comments.push(format!("  // {comment}"));
            }
            match next {
                Next::Named(name) => {
                    if let Some(constant) = self.reset_of_wire(d) {
                        let constant = self.text.right_side(&constant);
                        cleared.push(Statement::Assign(self.text.net_names[q].clone(), constant));
                    }
                    statements.push(Statement::Assign(self.text.net_names[q].clone(), name));
                }
                Next::Value(value) => {
                    self.inputs.insert(q, self.text.net_names[d].clone());
                    match self.reset_value(&value) {
                        Some((yes, no)) => {
                            let yes = self.text.right_side(yes);
                            cleared.push(Statement::Assign(self.text.net_names[q].clone(), yes));
                            values.push((q, no.clone()));
                        }
                        None => values.push((q, value)),
                    }
                }
            }
        }
        statements.extend(self.statements(values));
        let events =
            if self.reset.is_async_low && !cleared.is_empty() { self.reset.events(clock) } else { format!("posedge {clock}") };
        let always = if self.language.is_system() { "always_ff" } else { "always" };
        let mut lines = vec![format!("{always} @({events}) begin")];
        lines.extend(comments);
        if !cleared.is_empty() {
            statements = vec![Statement::If { condition: self.reset.condition().to_string(), yes: cleared, no: statements }];
        }
        statement::write(&statements, 1, self.language, &mut lines);
        lines.push("end".to_string());
        lines
    }

    fn is_reset(&self, value: &Value) -> bool {
        matches!(value.node, Node::Net(net) if self.text.net_names[net] == "reset")
    }

    /// The node of `value` inside its `Assigned` nodes, which may be printed at this place. `None`: `value` has a name or occurs more than
    /// once, so the text uses that name or a wire.
    pub(super) fn open(&self, value: &Value) -> Option<Value> {
        match &value.node {
            _ if self.text.known(value).is_some() || self.text.shared(value) => None,
            Node::Assigned(_, inner) => self.open(inner),
            _ => Some(value.clone()),
        }
    }

    fn statements(&mut self, values: Vec<(NetId, Value)>) -> Vec<Statement> {
        let (mut choices, mut statements, mut written): (Vec<Choice>, Vec<Statement>, _) = (vec![], vec![], vec![]);
        for (q, value) in values {
            let (value, writes) = self.writes(value);
            written.extend(writes.into_iter().enumerate().map(|(turn, writes)| (turn, q, writes)));
            let open = self.open(&value);
            match open.as_ref().map(|open| &open.node) {
                Some(Node::Net(net)) if *net == q => {}
                Some(Node::Mux(c, yes, no)) => {
                    let branch = (q, yes.clone(), no.clone());
                    match choices.iter_mut().find(|choice| same(&choice.condition, c)) {
                        Some(choice) => choice.branches.push(branch),
                        None => choices.push(Choice { condition: c.clone(), branches: vec![branch] }),
                    }
                }
                _ => {
                    let text = self.text.known(&value).unwrap_or_else(|| self.text.right_side(&value));
                    statements.push(self.next_value(q, text));
                }
            }
        }
        for choice in choices {
            statements.push(self.choice_statement(choice));
        }
        self.write_statements(written, &mut statements);
        statements
    }

    /// The assignment of a register.
    fn next_value(&mut self, q: NetId, text: String) -> Statement {
        let target = self.text.net_names[q].clone();
        let text = self.in_one_line(q, &target, self.scope.nets[q].width, text);
        Statement::Assign(target, text)
    }

    /// The text of a value for `target`, the register or bits of it. A text that does not fit in one line of the process is a wire with the
    /// suffix `_d`.
    pub(super) fn in_one_line(&mut self, q: NetId, target: &str, width: usize, text: String) -> String {
        if text.len() + target.len() + LONGEST_INDENT <= WIDTH {
            return text;
        }
        let name = &self.text.net_names[q];
        let stem = plain(name.strip_suffix("_q").unwrap_or(name));
        // The name of the register's input is not in the text otherwise.
        let input = self.inputs.remove(&q).filter(|input| !input.contains('.'));
        let next = input.unwrap_or_else(|| self.text.names.fresh(&format!("{stem}_d")));
        let line = self.text.wire_line(width, &next, &text);
        self.text.lines.push(line);
        next
    }

    /// The text of `condition`; `registers` is the number of registers that use it.
    pub(super) fn condition(&mut self, condition: &Value, registers: usize) -> String {
        match self.open(condition) {
            Some(open) => self.text.right_side(&open),
            None if self.text.is_read_only_by(condition, registers) => self.text.right_side(condition),
            None => self.text.operand(condition),
        }
    }

    fn choice_statement(&mut self, choice: Choice) -> Statement {
        let Choice { condition, branches } = choice;
        let stays = |q: NetId, value: &Value| matches!(ir::peel(value).node, Node::Net(net) if net == q);
        if let [(q, yes, no)] = &branches[..] {
            let chosen = |value: &Value| matches!(ir::peel(value).node, Node::Mux(..) | Node::Write(..) | Node::Marked(..));
            let plain = |value: &Value| !stays(*q, value) && !chosen(value);
            if plain(yes) && plain(no) {
                let text = self.text.choice(&ir::expr(yes.width, Node::Mux(condition, yes.clone(), no.clone())));
                return self.next_value(*q, text);
            }
        }
        let text = self.condition(&condition, branches.len());
        let yes = branches.iter().map(|(q, yes, _)| (*q, yes.clone())).collect();
        let no = branches.iter().map(|(q, _, no)| (*q, no.clone())).collect();
        Statement::If { condition: text, yes: self.statements(yes), no: self.statements(no) }
    }
}
