// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wires that the text adds: for a value that is used twice, for a choice inside an expression, for a value of which bits are taken.

use super::ir::{self, NetId, Node, Value};
use super::text::{plain, Text};
use super::value::id;

impl Text<'_> {
    /// Bits of a name. Nested offsets are added, because `a[7:4][0]` is not valid Verilog.
    pub(super) fn part(&mut self, base: &Value, low: usize, width: usize) -> String {
        if self.known(base).is_none() && self.is_simple(base) {
            match &base.node {
                Node::Assigned(_, inner) => return self.part(inner, low, width),
                Node::Slice(inner, at) => return self.part(inner, at + low, width),
                _ => {}
            }
        }
        let name = self.name(base);
        if width == base.width {
            name
        } else if width == 1 {
            format!("{name}[{low}]")
        } else {
            format!("{name}[{}:{low}]", low + width - 1)
        }
    }

    /// A name that holds all bits of `value`.
    pub(super) fn name(&mut self, value: &Value) -> String {
        if let Some(name) = self.known(value) {
            return name;
        }
        match &value.node {
            Node::Net(_) => self.expression(value),
            // Bits of a parameter may be selected, but not of a name of the package.
            Node::Const(_, Some(label)) if !self.label(*label).contains("::") => self.label(*label),
            Node::Assigned(_, inner) if self.is_simple(inner) => self.name(inner),
            _ => self.wire(value),
        }
    }

    pub(super) fn wire(&mut self, value: &Value) -> String {
        let text = self.right_side(value);
        self.wire_with(value, text)
    }

    pub(super) fn wire_with(&mut self, value: &Value, text: String) -> String {
        if let Some(name) = self.interims.held.remove(&id(value)) {
            return self.wire_named(value, name, &text);
        }
        let operation = self.wire_name(value);
        // A name that contains operands is tried first. The word of an operation alone is not used, because many values would share it; the
        // name made of a net and its bits is unique.
        let wanted = match self.bit_name(value) {
            None => vec![operation],
            Some(bits) if super::naming::names_operands(&operation) => vec![operation, bits],
            Some(bits) => vec![bits],
        };
        let name = self.names.fresh_of(&wanted);
        self.wire_named(value, name, &text)
    }

    pub(super) fn wire_named(&mut self, value: &Value, name: String, text: &str) -> String {
        let line = self.wire_line(value.width, &name, text);
        let all = ir::mask(value.width);
        if self.used_bits.get(&id(value)).is_some_and(|used| *used != all) {
            // Only some bits of the wire are read, so the lint warning about the unused bits is turned off.
            self.lines.push("// verilator lint_off UNUSED".to_string());
            self.lines.push(line);
            self.lines.push("// verilator lint_on UNUSED".to_string());
        } else {
            self.lines.push(line);
        }
        self.wires.insert(id(value), name.clone());
        name
    }

    fn wire_name(&mut self, value: &Value) -> String {
        if let Node::Assigned(net, _) = &value.node {
            return self.interim(id(value), *net);
        }
        if let Node::Const(_, None) = &value.node {
            return "constant".to_string();
        }
        let stem = |net: NetId| {
            let name = plain(&self.net_names[net]);
            name.strip_suffix("_q").unwrap_or(&name).to_string()
        };
        super::naming::describe(value, &stem, &|label| self.labels[label].name.clone())
    }
}
