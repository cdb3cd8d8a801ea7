// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structures: ports of a payload's type that are one vector in the text, and the vectors that connect such ports in their parent.
//!
//! A field of a structure is read by its own name. In Verilog-2005 a wire of that name has the bits of the vector, if the field is read; in
//! SystemVerilog the name is `structure.field`. An output structure is written as a whole.

use super::builder::{Builder, Child};
use super::collect::Tree;
use super::docs;
use super::ir::{self, NetId, Node};
use super::names::Names;
use super::reached::Ports;
use super::scope::{Role, Scope};
use super::signal::{groups_of, PAYLOAD};
use super::text::{literal, range};
use num_bigint::BigUint;
use rust_hdl::prelude::{TypeDescriptor, TypeKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// How a child's output structure is connected.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Link {
    /// To a vector of this module.
    Vector,
    /// To an output structure of this module.
    Port,
    /// To the outputs of this module that have the fields.
    Fields,
}

/// One structure in the text of a module.
pub(super) struct Structure {
    /// The name in rust-hdl, in the module that has the port.
    pub raw: String,
    /// The name in this text.
    pub name: String,
    pub role: Role,
    /// The nets of the fields, lowest bits first.
    pub nets: Vec<NetId>,
    pub descriptor: TypeDescriptor,
    pub link: Link,
    /// Bits `low..high` of each field.
    pub bits: Vec<Range<usize>>,
    /// The fields that are read as part of the whole vector or of a range of it.
    pub read: BTreeSet<usize>,
}

/// A part of a value that is written to a structure.
enum Part {
    /// A field of a structure.
    Field(usize, usize),
    Text(String),
}

/// The structures of a module and of its children, not yet named.
pub(super) fn structures(
    tree: &Tree,
    scope: &Scope,
    children: &BTreeMap<usize, Child>,
    ports: Option<&Ports>,
) -> Vec<Structure> {
    let mut found = vec![];
    for payload in &scope.built_payloads {
        let raw = match payload.role {
            Role::Input | Role::Output => {
                let is_structure = ports.is_some_and(|ports| ports.structures.contains(&payload.name));
                is_structure.then(|| payload.name.clone())
            }
            Role::ChildInput(child) | Role::ChildOutput(child) => {
                let raw = payload.name.get(tree.modules[child].instance.len() + 1..).unwrap_or_default();
                let has = |child: &Child| child.text.ports.iter().any(|port| port.raw == raw && !port.fields.is_empty());
                children.get(&child).filter(|child| has(child)).map(|_| raw.to_string())
            }
            _ => None,
        };
        found
            .extend(raw.map(|raw| Structure::new(raw, &payload.name, payload.role, &payload.nets, &payload.descriptor, scope)));
    }
    found
}

/// The name of a payload's signal: without the part `payload` of a channel.
fn stem(name: &str) -> &str {
    name.strip_suffix(PAYLOAD).and_then(|bundle| bundle.strip_suffix('$')).unwrap_or(name)
}

/// The path of each plain field of a payload: `request.kind`; lowest bits first.
pub fn paths(descriptor: &TypeDescriptor) -> Vec<String> {
    let TypeKind::Composite(fields) = &descriptor.kind else { return vec![String::new()] };
    let mut found = vec![];
    for field in fields {
        let name = super::names::mangle(&field.fieldname);
        found.extend(paths(&field.kind).into_iter().map(|inner| match inner.as_str() {
            "" => name.clone(),
            inner => format!("{name}.{inner}"),
        }));
    }
    found
}

/// The path of each payload inside a payload, with the range of its plain fields.
fn groups(descriptor: &TypeDescriptor) -> Vec<(String, Range<usize>)> {
    let paths = paths(descriptor);
    let path = |(name, range): (String, Range<usize>)| {
        let name = super::names::mangle(&name);
        let first = paths.get(range.start)?;
        let at = first.split('.').position(|part| part == name)?;
        Some((first.split('.').take(at + 1).collect::<Vec<_>>().join("."), range))
    };
    groups_of(descriptor, 0).into_iter().filter_map(path).collect()
}

impl Structure {
    pub(super) fn new(
        raw: String,
        name: &str,
        role: Role,
        nets: &[NetId],
        descriptor: &TypeDescriptor,
        scope: &Scope,
    ) -> Structure {
        let mut low = 0;
        let bits = nets.iter().map(|&net| {
            let first = low;
            low += scope.nets[net].width;
            first..low
        });
        let bits = bits.collect();
        let (name, nets, descriptor) = (stem(name).to_string(), nets.to_vec(), descriptor.clone());
        Structure { raw, name, role, nets, descriptor, link: Link::Vector, bits, read: BTreeSet::new() }
    }

    pub(super) fn width(&self) -> usize {
        self.bits.last().map_or(0, |bits| bits.end)
    }

    fn is_port(&self) -> bool {
        matches!(self.role, Role::Input | Role::Output)
    }

    /// Whether the text reads the fields of the structure by their names.
    pub(super) fn has_fields(&self) -> bool {
        !matches!(self.role, Role::ChildInput(_))
    }

    /// `[12:0]`, `[3]`.
    fn select(&self, fields: Range<usize>) -> String {
        let (low, high) = (self.bits[fields.start].start, self.bits[fields.end - 1].end);
        match high - low {
            1 => format!("[{low}]"),
            _ => format!("[{}:{low}]", high - 1),
        }
    }

    /// The fields with their bits, highest first, for the comment of a port.
    fn fields(&self, scope: &Scope) -> String {
        let name = |net: NetId| super::names::mangle(scope.nets[net].name.rsplit('$').next().unwrap_or_default());
        let one = |at: usize| format!("{} {}", self.select(at..at + 1), name(self.nets[at]));
        (0..self.nets.len()).rev().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// The net, the highest and the lowest bit of the text `name[7:0]` or `name[7]`.
fn bits_of(text: &str) -> Option<(String, usize, usize)> {
    let (name, bits) = text.strip_suffix(']')?.split_once('[')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
    Some((name.to_string(), high.parse().ok()?, low.parse().ok()?)).filter(|_| is_name)
}

/// Names the structures that are ports of the instance; `ports` is false for those of the children.
pub(super) fn name(structures: &mut [Structure], ports: bool, instance: &str, names: &mut Names) {
    for structure in structures.iter_mut().filter(|s| s.is_port() == ports && s.has_fields()) {
        // A port with the name of its instance would hide that name.
        if structure.name == instance {
            structure.name += "_value";
        }
        structure.name = names.fresh(&structure.name);
    }
}

/// The structure and field of each net that is a field of a structure.
pub(super) fn fields(structures: &[Structure]) -> HashMap<NetId, (usize, usize)> {
    let of = |(at, structure): (usize, &Structure)| {
        structure.nets.iter().enumerate().map(move |(field, &net)| (net, (at, field))).collect::<Vec<_>>()
    };
    structures.iter().enumerate().flat_map(of).collect()
}

impl Builder<'_> {
    /// The net whose value a net passes on.
    pub(super) fn origin(&self, net: NetId) -> Option<NetId> {
        match ir::peel(self.roots.get(&net)?).node {
            Node::Net(source) => Some(source),
            _ => None,
        }
    }

    /// Whether the net is a field of a structure that is an output of this module.
    pub(super) fn is_output_field(&self, net: NetId) -> bool {
        self.field_of.get(&net).is_some_and(|(at, _)| self.structures[*at].role == Role::Output)
    }

    /// Connects the output structures of children to outputs of this module that only pass on their values.
    pub(super) fn join_structures(&mut self) {
        for output in (0..self.structures.len()).filter(|&at| self.structures[at].role == Role::Output).collect::<Vec<_>>() {
            let nets = self.structures[output].nets.clone();
            let sources: Option<Vec<NetId>> = nets.iter().map(|&net| self.origin(net)).collect();
            let Some(source) = sources.as_ref().and_then(|nets| self.field_of.get(&nets[0])).map(|(at, _)| *at) else {
                continue;
            };
            let whole = &self.structures[source];
            if !matches!(whole.role, Role::ChildOutput(_))
                || whole.link != Link::Vector
                || Some(&whole.nets) != sources.as_ref()
            {
                continue;
            }
            self.structures[source].name = self.structures[output].name.clone();
            self.structures[source].link = Link::Port;
            let paths = paths(&self.structures[output].descriptor);
            for ((&inner, &net), path) in sources.iter().flatten().zip(&nets).zip(paths) {
                if self.language.is_system() {
                    self.text.net_names[net] = format!("{}.{path}", self.structures[output].name);
                }
                self.text.net_names[inner] = self.text.net_names[net].clone();
                self.aliased.insert(inner);
                self.driven_by_child.insert(net);
            }
        }
        for at in 0..self.structures.len() {
            if matches!(self.structures[at].role, Role::ChildOutput(_)) && self.structures[at].link == Link::Vector {
                self.join_fields(at);
            }
        }
    }

    /// Names the fields of a child's output structure by the nets of this module that only pass on their values.
    fn join_fields(&mut self, at: usize) {
        let targets: Vec<Option<NetId>> = self.structures[at].nets.iter().map(|&field| self.target(field)).collect();
        let is_output = |net: &Option<NetId>| net.is_some_and(|net| self.scope.nets[net].role == Role::Output);
        let all = targets.iter().all(is_output);
        if !all && self.language.is_system() {
            return;
        }
        if all {
            self.structures[at].link = Link::Fields;
        }
        for (field, target) in self.structures[at].nets.clone().into_iter().zip(targets) {
            if let Some(net) = target {
                self.text.net_names[field] = self.text.net_names[net].clone();
                self.aliased.insert(field);
                self.driven_by_child.insert(net);
                if !all {
                    self.unpacked.insert(net);
                }
            }
        }
    }

    /// The output or signal of this module, outside its structures, that only passes on the value of a net.
    fn target(&self, source: NetId) -> Option<NetId> {
        let passes = |net: &NetId| {
            let direct = matches!(self.scope.nets[*net].role, Role::Output | Role::Local) && !self.field_of.contains_key(net);
            direct && self.live.contains(net) && !self.driven_by_child.contains(net) && self.origin(*net) == Some(source)
        };
        let mut nets: Vec<NetId> = (0..self.scope.nets.len()).filter(passes).collect();
        nets.sort_by_key(|&net| self.scope.nets[net].role != Role::Output);
        nets.first().copied()
    }

    /// Gives the fields of payloads and of output structures that only pass on another net the name of that net, so that they need no
    /// text of their own.
    pub(super) fn rename(&mut self) {
        for net in self.nets(|net| net.role == Role::Local && net.optional || net.role == Role::Output) {
            if self.scope.nets[net].role == Role::Output && !self.is_output_field(net) || self.driven_by_child.contains(&net) {
                continue;
            }
            if let Some(source) = self.origin(net) {
                self.text.net_names[net] = self.text.net_names[source].clone();
                self.renamed.insert(net);
            }
        }
    }

    /// Whether an output field is written in the text of its structure, without a net of its own.
    pub(super) fn is_inside(&self, net: NetId) -> bool {
        let simple =
            |net: NetId| self.named[net] == 0 && self.roots.get(&net).is_some_and(|root| self.text.is_simple_root(root));
        self.is_output_field(net) && (self.renamed.contains(&net) || simple(net))
    }

    /// The port of a structure of this module.
    pub(super) fn structure_port(&mut self, at: usize) -> super::module_text::PortText {
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
        super::module_text::PortText { raw: structure.raw.clone(), name: structure.name.clone(), declaration, doc, fields }
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
    fn field(&self, net: NetId) -> Option<(usize, usize)> {
        let (at, field) = *self.field_of.get(&net)?;
        (self.structures[at].has_fields() && self.structures[at].link != Link::Fields).then_some((at, field))
    }

    /// The parts, lowest bits first, as one value: neighbours from one structure become a range of it.
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

    /// The text of the highest of these fields, with as many lower ones as one name or range can have, and their number.
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
            return match inner {
                Some((path, group)) => {
                    structure.read.extend(group.clone());
                    (format!("{}.{path}", structure.name), group.len())
                }
                None => (self.text.net_names[structure.nets[last]].clone(), 1),
            };
        }
        if fields.len() == 1 {
            return (self.text.net_names[structure.nets[last]].clone(), 1);
        }
        structure.read.extend(fields.clone());
        (format!("{}{}", structure.name, structure.select(fields.clone())), fields.len())
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
            let value = self.joined(&parts);
            lines.push(format!("assign {name} = {value};"));
        }
        lines
    }

    /// Makes structures of the registers of a payload's type, of which the text has all fields.
    pub(super) fn own_structures(&mut self) {
        for payload in &self.scope.built_payloads {
            let printed = |net: &NetId| {
                self.live.contains(net) && !self.driven_by_child.contains(net) && !self.field_of.contains_key(net)
            };
            let is_structure = match payload.role {
                Role::ChildOutput(child) => self.tree.modules[child].register.is_some(),
                _ => false,
            };
            if !is_structure || payload.nets.len() < 2 || !payload.nets.iter().all(printed) {
                continue;
            }
            let mut structure = Structure::new(
                payload.name.clone(),
                &payload.name,
                payload.role,
                &payload.nets,
                &payload.descriptor,
                self.scope,
            );
            let name = match payload.role {
                Role::ChildOutput(child) => {
                    let instance = &self.tree.modules[child].instance;
                    format!("{}_q", instance.strip_suffix("_q").unwrap_or(instance))
                }
                _ => structure.name.clone(),
            };
            structure.name = self.text.names.fresh(&name);
            for (field, (&net, path)) in structure.nets.iter().zip(paths(&structure.descriptor)).enumerate() {
                self.text.net_names[net] = format!("{}.{path}", structure.name);
                self.field_of.insert(net, (self.structures.len(), field));
            }
            self.structures.push(structure);
        }
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

    /// Gives the text the structures that it may read as vectors.
    pub(super) fn state_vectors(&mut self) {
        for structure in &self.structures {
            let is_read = matches!(structure.role, Role::Input | Role::ChildOutput(_)) && structure.link != Link::Fields;
            let nets = structure.nets.iter().filter(|_| is_read);
            let fields = nets.zip(&structure.bits).map(|(&net, bits)| (self.text.net_names[net].clone(), bits.clone()));
            self.text.vectors.add(&structure.name, fields);
        }
    }

    /// The names of fields that `texts` read, each with its bits of the vector, and a net of the fields that nothing reads.
    pub(super) fn unpacking(&mut self, texts: &[&str]) -> Vec<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let words: HashSet<&str> = texts.iter().flat_map(|text| text.split(word)).collect();
        for (at, fields) in std::mem::take(&mut self.text.vectors.read) {
            self.structures[at].read.extend(fields);
        }
        let mut lines = vec![];
        for at in 0..self.structures.len() {
            let structure = &self.structures[at];
            let is_read = matches!(structure.role, Role::Input | Role::ChildOutput(_)) && !self.is_register(structure);
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
