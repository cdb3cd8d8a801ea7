// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structures: ports of a payload's type that are one vector in the text, and the vectors that connect such ports in their parent.
//!
//! A field of a structure is read by its own name. In Verilog-2005 a wire of that name has the bits of the vector, if the field is read; in
//! SystemVerilog the name is `structure.field`. An output structure is written as a whole.

use super::ir::NetId;
use super::names::Names;
use super::scope::{Role, Scope};
use super::signal::{groups_of, PAYLOAD};
use rust_hdl::prelude::{TypeDescriptor, TypeKind};
use std::collections::{BTreeSet, HashMap};
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
pub(super) fn groups(descriptor: &TypeDescriptor) -> Vec<(String, Range<usize>)> {
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

    pub(super) fn is_port(&self) -> bool {
        matches!(self.role, Role::Input | Role::Output)
    }

    /// Whether the text reads the fields of the structure by their names.
    pub(super) fn has_fields(&self) -> bool {
        !matches!(self.role, Role::ChildInput(_))
    }

    /// `[12:0]`, `[3]`.
    pub(super) fn select(&self, fields: Range<usize>) -> String {
        let (low, high) = (self.bits[fields.start].start, self.bits[fields.end - 1].end);
        match high - low {
            1 => format!("[{low}]"),
            _ => format!("[{}:{low}]", high - 1),
        }
    }

    /// The fields with their bits, highest first, for the comment of a port.
    pub(super) fn fields(&self, scope: &Scope) -> String {
        let name = |net: NetId| scope.nets[net].name.rsplit('$').next().unwrap_or_default();
        let one = |at: usize| format!("{} {}", self.select(at..at + 1), name(self.nets[at]));
        (0..self.nets.len()).rev().map(one).collect::<Vec<_>>().join(", ")
    }
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
