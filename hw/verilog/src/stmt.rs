// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Walks the statements of `update` in order: afterwards every net has the one value to which it settles.
//!
//! Later assignments win, an `if` or `match` becomes a choice between the values of its branches, and loops are unrolled. Next values of
//! registers are then printed in the clocked process, and every other net as one `assign`. The alternative would be a combinational
//! process, but Verilog-2005 has no `always_comb`. `always @*` waits for a change: if it reads only constants or registers at their initial
//! value, it never starts, and its nets stay x.

use super::collect::readable;
use super::ir::{self, Cmp, NetId, Node, Value};
use super::scope::{assigned_value, Assigned, Role, Scope};
use super::signal::literal_value;
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression as X, VerilogLink, VerilogLinkDetails,
    VerilogLoop, VerilogMatch, VerilogStatement,
};
use std::collections::BTreeMap;

impl Scope<'_> {
    pub fn block(&mut self, block: &VerilogBlock) {
        block.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, statement: &VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                if let Some((nets, width)) = self.target(target) {
                    let value = self.lower(value, width);
                    self.assign_all(&nets, &value);
                }
            }
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                self.assign_field(base, *width, offset, replacement);
            }
            VerilogStatement::If(c) => self.conditional(c),
            VerilogStatement::Match(m) => self.choice(m),
            VerilogStatement::Loop(l) => self.unroll(l),
            VerilogStatement::Comment(text) => {
                self.pending_comments.push(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            VerilogStatement::Macro(block) => self.block(block),
            VerilogStatement::Link(links) => links.iter().for_each(|l| self.link(l)),
        }
    }

    /// The nets that the left side `target` of an assignment denotes, lowest bits first, and their total width.
    fn target(&mut self, target: &X) -> Option<(Vec<NetId>, usize)> {
        let X::Signal(raw) = target else { return None };
        let name = self.resolve(raw)?;
        let nets = self.leaves(&name);
        let Some(&id) = nets.first() else {
            self.error(
                &name,
                "assigned, but no signal of this name exists",
                "rename the field: the macro of rust-hdl cuts a name that ends in `self`",
            );
            return None;
        };
        match self.nets[id].role {
            Role::Input => {
                self.error(&name, "an input of the block is written inside it", "assign a local or an output instead")
            }
            Role::ChildOutput(_) => {
                self.error(&name, "an output of a child is written from outside", "assign an input of the child")
            }
            _ => {}
        }
        let width = nets.iter().map(|&net| self.nets[net].width).sum();
        Some((nets, width))
    }

    /// Assigns each net its bits of the value.
    fn assign_all(&mut self, nets: &[NetId], value: &Value) {
        let mut low = 0;
        for &net in nets {
            let width = self.nets[net].width;
            self.assign(net, ir::slice(value, low, width));
            low += width;
        }
    }

    fn assign(&mut self, net: NetId, value: Value) {
        let comments = std::mem::take(&mut self.pending_comments);
        if self.nets[net].role == Role::Absent {
            return;
        }
        let known = self.comments.entry(net).or_default();
        for comment in comments {
            if !known.contains(&comment) {
                known.push(comment);
            }
        }
        self.assigned.insert(net, Assigned { value: assigned_value(net, value), always: true });
    }

    fn assign_field(&mut self, base: &X, width: usize, offset: &X, replacement: &X) {
        let Some((nets, whole)) = self.target(base) else { return };
        let (Some(&net), X::Signal(raw)) = (nets.first(), base) else { return };
        if self.nets[net].role == Role::Absent {
            return;
        }
        let name = self.nets[net].name.clone();
        let offset = self.number(offset).and_then(|n| usize::try_from(n).ok()).filter(|n| n + width <= whole);
        let Some(low) = offset else {
            self.error(&name, "a field outside the structure is written", "make the type of the signal a `#[payload]`");
            return;
        };
        let value = self.lower(replacement, width);
        let leaves = self.resolved(raw).and_then(|name| self.leaves_of_bits(&name, low, width));
        if let Some(leaves) = leaves {
            return self.assign_all(&leaves, &value);
        }
        let Some(old) = self.assigned.get(&net).cloned() else {
            self.error(&name, "a field is written before the whole signal has a value", "assign the whole structure first");
            return;
        };
        self.assign(net, ir::splice(&old.value, low, value));
        if let Some(new) = self.assigned.get_mut(&net) {
            new.always = old.always;
        }
    }

    fn conditional(&mut self, c: &VerilogConditional) {
        if let Some(test) = self.number(&c.test) {
            return if test == 0.into() { self.otherwise(&c.otherwise) } else { self.block(&c.then) };
        }
        let test = self.lower(&c.test, 1);
        let before = self.assigned.clone();
        self.block(&c.then);
        let yes = std::mem::replace(&mut self.assigned, before);
        self.otherwise(&c.otherwise);
        let no = std::mem::take(&mut self.assigned);
        self.assigned = merge(&test, yes, no);
    }

    fn otherwise(&mut self, branch: &VerilogBlockOrConditional) {
        match branch {
            VerilogBlockOrConditional::Block(block) => self.block(block),
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement),
            VerilogBlockOrConditional::None => {}
        }
    }

    /// Walks a `match`. Rust's `match` is exhaustive, so its last arm applies when no other arm matches.
    fn choice(&mut self, m: &VerilogMatch) {
        let width = self.width(&m.test).unwrap_or(1);
        let test = self.lower(&m.test, width);
        let before = self.assigned.clone();
        let mut arms = vec![];
        for case in &m.cases {
            let fallback = case.condition == "default";
            let label = if fallback { None } else { self.arm(&case.condition, &test) };
            self.assigned = before.clone();
            self.block(&case.block);
            arms.push((label, std::mem::take(&mut self.assigned)));
            if fallback {
                break;
            }
        }
        let Some((_, mut result)) = arms.pop() else {
            self.assigned = before;
            return;
        };
        for (label, state) in arms.into_iter().rev() {
            if let Some(label) = label {
                let condition = ir::compare(Cmp::Eq, false, test.clone(), label);
                result = merge(&condition, state, result);
            }
        }
        self.assigned = result;
    }

    fn arm(&mut self, condition: &str, test: &Value) -> Option<Value> {
        if super::names::number(condition).is_some() {
            let value = self.arm_number(condition, test.width);
            if value.is_none() {
                self.error(condition, format!("this match arm cannot occur in {} bits", test.width), "remove the arm");
            }
            return value;
        }
        match self.label(condition) {
            Some(id) => {
                let label = &self.labels[id];
                let named = (label.width == test.width).then_some(id);
                Some(ir::expr(test.width, Node::Const(label.value.clone(), named)))
            }
            None => {
                self.error(
                    condition,
                    "this match arm is neither a literal nor a variant of an enum in the block's signals",
                    "write the number itself, or `Type::Variant`",
                );
                None
            }
        }
    }

    fn unroll(&mut self, l: &VerilogLoop) {
        let outer = self.loops.iter().any(|(name, _)| *name == l.index);
        if outer || self.net(&l.index).is_some() || self.label(&l.index).is_some() {
            let what = if outer { "an outer loop" } else { "a field of the block" };
            self.error(&l.index, format!("this loop index has the name of {what}"), "rename the index");
            return;
        }
        let bound = |b| i64::try_from(literal_value(b)).ok();
        let (Some(from), Some(to)) = (bound(&l.from), bound(&l.to)) else {
            self.error(&l.index, "a bound of this loop does not fit 64 bits", "use bounds of type usize");
            return;
        };
        for value in from..to {
            self.loops.push((l.index.clone(), value));
            self.block(&l.block);
            self.loops.pop();
        }
    }

    fn link(&mut self, link: &VerilogLink) {
        let full = |base: &str, details: &VerilogLinkDetails| {
            let joined = format!("{base}{}", details.my_name).replace('.', "$");
            joined.trim_start_matches('$').to_string()
        };
        let (target, source) = match link {
            VerilogLink::Forward(d) => (full(&d.other_name, d), full(&d.owner_name, d)),
            VerilogLink::Backward(d) => (full(&d.owner_name, d), full(&d.other_name, d)),
            VerilogLink::Bidirectional(d) => {
                let name = readable(&full(&d.owner_name, d));
                return self.error(
                    &name,
                    "bidirectional signals cannot be printed",
                    "split it into an input, an output and an enable",
                );
            }
        };
        if let Some((nets, width)) = self.target(&X::Signal(target)) {
            let value = self.lower(&X::Signal(source), width);
            self.assign_all(&nets, &value);
        }
    }
}

/// The state after the two branches of a choice.
fn merge(condition: &Value, yes: BTreeMap<NetId, Assigned>, mut no: BTreeMap<NetId, Assigned>) -> BTreeMap<NetId, Assigned> {
    let mut merged = BTreeMap::new();
    for (net, y) in yes {
        let state = match no.remove(&net) {
            Some(n) => {
                let chosen = ir::mux(condition, &y.value, &n.value);
                let known = matches!(&chosen.node, Node::Assigned(id, _) if *id == net);
                Assigned { value: if known { chosen } else { assigned_value(net, chosen) }, always: y.always && n.always }
            }
            None => Assigned { always: false, ..y },
        };
        merged.insert(net, state);
    }
    merged.extend(no.into_iter().map(|(net, n)| (net, Assigned { always: false, ..n })));
    merged
}
