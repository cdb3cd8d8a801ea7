// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Choices as text: one line for each `if` or `match` arm, in order of priority.

use super::ir::{self, Node, Value};
use super::text::Text;

impl Text<'_> {
    /// `condition ? yes : no`, over several lines if a branch is itself a choice.
    pub fn choice(&mut self, value: &Value) -> String {
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
