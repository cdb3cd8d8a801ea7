// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text of structures: ports, connections, assignments, declarations, and the names of fields.

use super::builder::Builder;
use super::docs;
use super::ir::NetId;
use super::literal::{literal, range};
use super::module_text::PortText;
use super::scope::Role;
use super::structure::{groups, Link, Structure};
use num_bigint::BigUint;
use std::collections::HashSet;
use std::ops::Range;

/// A part of a value that is written to a structure.
enum Part {
    /// A field of a structure.
    Field(usize, usize),
    Text(String),
}

/// The net, the highest and the lowest bit of the text `name[7:0]` or `name[7]`.
fn bits_of(text: &str) -> Option<(String, usize, usize)> {
    let (name, bits) = text.strip_suffix(']')?.split_once('[')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
    Some((name.to_string(), high.parse().ok()?, low.parse().ok()?)).filter(|_| is_name)
}

impl Builder<'_> {
    /// The port of a structure of this module.
    pub(super) fn structure_port(&mut self, at: usize) -> PortText {
        let structure = &self.structures[at];
        let direction = if structure.role == Role::Input { "input " } else { "output" };
        let doc = self.docs.take(&structure.raw);
        let (declaration, doc) = match self.language.type_name(&structure.descriptor) {
            Some(name) => (format!("{direction} {name} "), doc),
            None => {
                let fields = structure.fields(self.scope);
                let doc = match doc {
                    Some(doc) => format!("{} Bits: {fields}.", doc.trim_end()),
                    None => format!("Bits: {fields}."),
                };
                (format!("{direction} wire {}", range(structure.width())), Some(doc))
            }
        };
        let fields = structure.nets.iter().map(|&net| self.scope.nets[net].name.clone()).collect();
        PortText { raw: structure.raw.clone(), name: structure.name.clone(), declaration, doc, fields }
    }

    /// The connection of a child's structure.
    pub(super) fn structure_pin(&mut self, at: usize, wires: &mut Vec<NetId>) -> String {
        let nets = self.structures[at].nets.clone();
        match (self.structures[at].role, self.structures[at].link) {
            (Role::ChildInput(_), _) => {
                let mut parts = vec![];
                for net in nets {
                    let field = self.origin(net).and_then(|source| self.field(source));
                    parts.push(match field {
                        Some((structure, field)) => Part::Field(structure, field),
                        None => Part::Text(self.connection(net, wires)),
                    });
                }
                let parts = self.with_constants(parts, &self.structures[at].nets);
                self.joined(&parts)
            }
            (_, Link::Fields) => {
                let names: Vec<&str> = nets.iter().rev().map(|&net| self.text.net_names[net].as_str()).collect();
                format!("{{{}}}", names.join(", "))
            }
            _ => self.structures[at].name.clone(),
        }
    }

    /// The structure and field of a net that the text reads from a vector.
    pub(super) fn field(&self, net: NetId) -> Option<(usize, usize)> {
        let (at, field) = *self.field_of.get(&net)?;
        (self.structures[at].has_fields() && self.structures[at].link != Link::Fields).then_some((at, field))
    }

    /// The parts, in which a constant next to a field of a structure is the adjacent field of that structure, if this field has the value
    /// of the constant. `nets` are the nets to which the parts are assigned.
    fn with_constants(&self, mut parts: Vec<Part>, nets: &[NetId]) -> Vec<Part> {
        let last = parts.len().saturating_sub(1);
        let upwards = (1..parts.len()).map(|part| (part - 1, part));
        let downwards = (0..last).rev().map(|part| (part + 1, part));
        for (beside, part) in upwards.chain(downwards) {
            let (Part::Field(at, field), Part::Text(_)) = (&parts[beside], &parts[part]) else { continue };
            let Some(adjacent) = (field + part).checked_sub(beside) else { continue };
            let Some(&source) = self.structures[*at].nets.get(adjacent) else { continue };
            if self.scope.passes_constant(source, nets[part]) {
                parts[part] = Part::Field(*at, adjacent);
            }
        }
        parts
    }

    /// The parts, lowest bits first, as one value: all fields of a structure, or of one inside it, become one part.
    fn joined(&mut self, parts: &[Part]) -> String {
        let (mut texts, mut end) = (vec![], parts.len());
        while end > 0 {
            let mut start = end - 1;
            match &parts[start] {
                Part::Text(text) => texts.push(text.clone()),
                Part::Field(at, field) => {
                    let follows =
                        |part: &Part, field: usize| matches!(part, Part::Field(of, lower) if of == at && lower + 1 == field);
                    let mut first = *field;
                    while start > 0 && follows(&parts[start - 1], first) {
                        start -= 1;
                        first -= 1;
                    }
                    let (text, length) = self.range_of(*at, first..field + 1);
                    start = end - length;
                    texts.push(text);
                }
            }
            end = start;
        }
        let texts = self.neighbours_joined(texts);
        match texts.as_slice() {
            [one] => one.clone(),
            _ => format!("{{{}}}", texts.join(", ")),
        }
    }

    /// The values, highest bits first, with neighbouring bits of one net as one range, or as the net if these are all its bits.
    fn neighbours_joined(&self, texts: Vec<String>) -> Vec<String> {
        let mut found: Vec<(String, Option<(String, usize, usize)>)> = vec![];
        for text in texts {
            let bits = bits_of(&text);
            let above = found.last().and_then(|(_, bits)| bits.clone());
            match (above, bits) {
                (Some((of, high, end)), Some((name, next, low))) if of == name && end == next + 1 => {
                    found.pop();
                    let whole = (0..self.scope.nets.len())
                        .find(|&net| self.text.net_names[net] == name)
                        .is_some_and(|net| low == 0 && high + 1 == self.scope.nets[net].width);
                    let text = if whole { name.clone() } else { format!("{name}[{high}:{low}]") };
                    found.push((text, Some((name, high, low))));
                }
                (_, bits) => found.push((text, bits)),
            }
        }
        found.into_iter().map(|(text, _)| text).collect()
    }

    /// Whether nothing reads the output structure of a primitive.
    pub(super) fn is_open(&self, at: usize) -> bool {
        let structure = &self.structures[at];
        let Role::ChildOutput(child) = structure.role else { return false };
        let is_primitive = self.children.get(&child).is_some_and(|child| child.text.primitive.is_some());
        is_primitive && structure.nets.iter().all(|&net| self.named[net] == 0 && !self.aliased.contains(&net))
    }

    /// The text of the highest of these fields, with as many lower ones as one name can have, and their number.
    fn range_of(&mut self, at: usize, fields: Range<usize>) -> (String, usize) {
        let structure = &mut self.structures[at];
        let last = fields.end - 1;
        if fields.len() == structure.nets.len() {
            structure.read.extend(fields.clone());
            return (structure.name.clone(), fields.len());
        }
        if self.language.is_system() {
            let inner = groups(&structure.descriptor)
                .into_iter()
                .find(|(_, group)| group.end == fields.end && group.start >= fields.start && group.len() > 1);
            if let Some((path, group)) = inner {
                structure.read.extend(group.clone());
                return (format!("{}.{path}", structure.name), group.len());
            }
        }
        structure.read.insert(last);
        (self.text.net_names[structure.nets[last]].clone(), 1)
    }

    /// The statements that write the output structures.
    pub(super) fn output_structures(&mut self) -> Vec<String> {
        let mut lines = vec![];
        for at in 0..self.structures.len() {
            if self.structures[at].role != Role::Output {
                continue;
            }
            let nets = self.structures[at].nets.clone();
            if nets.iter().all(|net| self.driven_by_child.contains(net)) {
                continue;
            }
            let mut parts = vec![];
            for &net in &nets {
                if self.is_inside(net) {
                    for comment in self.scope.comments.get(&net).into_iter().flatten() {
                        lines.push(format!("// {comment}"));
                    }
                }
                let field = self.origin(net).and_then(|source| self.field(source));
                parts.push(match (field, self.is_inside(net), self.roots.get(&net)) {
                    (Some((structure, field)), ..) => Part::Field(structure, field),
                    (None, true, Some(root)) if !self.renamed.contains(&net) => Part::Text(self.text.right_side(root)),
                    _ => Part::Text(self.text.net_names[net].clone()),
                });
            }
            let name = self.structures[at].name.clone();
            let parts = self.with_constants(parts, &nets);
            let value = self.joined(&parts);
            lines.push(format!("assign {name} = {value};"));
        }
        lines
    }

    /// The declaration of a register or signal that is a structure.
    pub(super) fn declared_structure(&self, at: usize, initial: Option<&BigUint>) -> String {
        let structure = &self.structures[at];
        let name = self.language.type_name(&structure.descriptor).unwrap_or_default();
        match initial {
            Some(initial) => format!("{name} {} = {};", structure.name, literal(structure.width(), initial)),
            None => format!("{name} {};", structure.name),
        }
    }

    /// The declarations of vectors that children drive.
    pub(super) fn vectors(&self) -> Vec<String> {
        let declared = |(at, s): &(usize, &Structure)| {
            let is_vector = matches!(s.role, Role::ChildOutput(_)) && s.link == Link::Vector;
            is_vector && !self.is_register(s) && !self.is_open(*at)
        };
        let one = |(_, s): (usize, &Structure)| match self.language.type_name(&s.descriptor) {
            Some(name) => format!("{name} {};", s.name),
            None => format!("wire {}{};", range(s.width()), s.name),
        };
        self.structures.iter().enumerate().filter(declared).map(one).collect()
    }

    /// Whether the structure is the value of a register.
    pub(super) fn is_register(&self, structure: &Structure) -> bool {
        matches!(structure.role, Role::ChildOutput(child) if self.tree.modules[child].register.is_some())
    }

    /// The names of fields that `texts` read, each with its bits of the vector, and a net of the fields that nothing reads.
    pub(super) fn unpacking(&mut self, texts: &[&str]) -> Vec<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let words: HashSet<&str> = texts.iter().flat_map(|text| text.split(word)).collect();
        for at in std::mem::take(&mut self.text.vectors.read) {
            let count = self.structures[at].nets.len();
            self.structures[at].read.extend(0..count);
        }
        let mut lines = vec![];
        for at in 0..self.structures.len() {
            let structure = &self.structures[at];
            if self.is_register(structure) {
                lines.extend(self.unread_constants(at));
                continue;
            }
            let is_read = matches!(structure.role, Role::Input | Role::ChildOutput(_));
            if !is_read || structure.link == Link::Fields || self.is_open(at) {
                continue;
            }
            let mut unread = vec![];
            for (field, &net) in structure.nets.iter().enumerate() {
                let name = &self.text.net_names[net];
                // SystemVerilog also reads part of a field.
                let named = words.contains(name.as_str());
                let output = self.aliased.contains(&net) && structure.link == Link::Vector && self.drives_output(net);
                if !self.language.is_system() && (named || output) {
                    let kind =
                        if output { "assign ".to_string() } else { format!("wire {}", range(self.scope.nets[net].width)) };
                    let comment = self.unpacked.iter().find(|&&local| self.text.net_names[local] == *name).copied();
                    if let Some(text) = comment.and_then(|local| self.docs.take(&self.scope.nets[local].name)) {
                        lines.extend(docs::lines(&text));
                    }
                    lines.push(format!("{kind}{name} = {}{};", structure.name, structure.select(field..field + 1)));
                } else if !named && !structure.read.contains(&field) && structure.link == Link::Vector {
                    unread.push(field);
                }
            }
            if let Some(line) = self.unused(at, &unread) {
                lines.push(line);
            }
        }
        lines
    }

    /// A net of the fields of a register with a constant value that are not read as part of the whole register.
    fn unread_constants(&mut self, at: usize) -> Option<String> {
        let structure = &self.structures[at];
        let is_unread = |field: &usize| self.scope.is_known(structure.nets[*field]) && !structure.read.contains(field);
        let unread: Vec<usize> = (0..structure.nets.len()).filter(is_unread).collect();
        self.unused(at, &unread)
    }

    /// Whether an output of this module has the name of the field.
    fn drives_output(&self, field: NetId) -> bool {
        let name = &self.text.net_names[field];
        self.unpacked.iter().any(|&net| self.scope.nets[net].role == Role::Output && self.text.net_names[net] == *name)
    }

    /// A net that lint tools take as the use of these fields.
    fn unused(&mut self, at: usize, fields: &[usize]) -> Option<String> {
        let structure = &self.structures[at];
        let mut parts: Vec<String> = vec![];
        if self.language.is_system() {
            parts.extend(fields.iter().rev().map(|&field| self.text.net_names[structure.nets[field]].clone()));
        } else {
            let mut end = fields.len();
            while end > 0 {
                let mut start = end - 1;
                while start > 0 && fields[start - 1] + 1 == fields[start] {
                    start -= 1;
                }
                parts.push(format!("{}{}", structure.name, structure.select(fields[start]..fields[end - 1] + 1)));
                end = start;
            }
        }
        let value = match parts.as_slice() {
            [] => return None,
            // Icarus 11 stops at the reduction of a member of a nested structure, unless it is in braces.
            [one] if !self.language.is_system() => format!("^{one}"),
            _ => format!("^{{{}}}", parts.join(", ")),
        };
        let name = self.text.names.fresh(&format!("unused_{}", structure.name));
        Some(self.text.wire_line(1, &name, &value))
    }
}
