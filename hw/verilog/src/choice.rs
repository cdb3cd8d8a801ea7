// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Choices as text: one line for each `if` or `match` arm, in order of priority.

use super::ir::{self, Node, Value};
use super::text::Text;

impl Text<'_> {
    /// `condition ? yes : no`, over several lines if a branch is itself a choice; for single bits `&&` or `||` if a branch is constant.
    pub fn choice(&mut self, value: &Value) -> String {
        if let Some(logic) = self.with_constant(value) {
            return logic;
        }
        if let Node::Mux(c, yes, no) = &value.node {
            if !self.inlined_choice(yes) && !self.inlined_choice(no) {
                let (c, yes, no) = (self.operand(c), self.operand(yes), self.operand(no));
                return format!("{c} ? {yes} : {no}");
            }
        }
        let mut text = String::new();
        self.chain(value, 1, &mut text);
        text
    }

    /// The text of a choice between a constant and another single bit that is not itself a choice.
    fn with_constant(&mut self, value: &Value) -> Option<String> {
        let Node::Mux(c, yes, no) = &value.node else { return None };
        let bit = |branch: &Value| ir::as_constant(ir::peel(branch)).filter(|_| value.width == 1).map(|number| number.bit(0));
        // The bit is 0 or 1 by the condition alone in one of the cases, and the other branch decides in the other case.
        let (is_one, condition, other) = match (bit(yes), bit(no)) {
            (Some(is_one), None) => (is_one, if is_one { c.clone() } else { ir::not(c) }, no),
            (None, Some(is_one)) => (is_one, if is_one { ir::not(c) } else { c.clone() }, yes),
            _ => return None,
        };
        if self.inlined_choice(other) {
            return None;
        }
        let logic = ir::expr(1, Node::Logic(!is_one, condition, other.clone()));
        self.keep(&logic);
        Some(self.right_side(&logic))
    }

    /// Whether a choice is printed inside another choice instead of having a wire.
    fn inlined_choice(&self, value: &Value) -> bool {
        match &value.node {
            _ if self.known(value).is_some() || self.shared(value) => false,
            Node::Assigned(_, inner) => self.inlined_choice(inner),
            Node::Mux(..) => true,
            _ => false,
        }
    }

    /// Appends to `text` one line for each `if`, in order of priority.
    fn chain(&mut self, value: &Value, depth: usize, text: &mut String) {
        let mut value = value;
        loop {
            text.push('\n');
            text.push_str(&"  ".repeat(depth + 1));
            let Node::Mux(c, yes, no) = &ir::peel(value).node else { return };
            let condition = self.operand(c);
            text.push_str(&format!("{condition} ? "));
            if self.inlined_choice(yes) {
                text.push('(');
                self.chain(yes, depth + 1, text);
                text.push_str(") :");
            } else {
                let yes = self.operand(yes);
                text.push_str(&format!("{yes} :"));
            }
            if !self.inlined_choice(no) {
                text.push('\n');
                text.push_str(&"  ".repeat(depth + 1));
                let no = self.operand(no);
                text.push_str(&no);
                return;
            }
            value = no;
        }
    }
}
