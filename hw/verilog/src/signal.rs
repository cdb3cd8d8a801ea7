// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The signals of a block: names, widths and fields, and the variants of their enums.

use num_bigint::{BigInt, BigUint};
use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One signal or constant of a module, under its rust-hdl name (`bus$data`, `x$3`).
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    /// Fields of a payload, lowest bits first; empty for plain values.
    pub fields: Vec<Field>,
    /// Nested payloads: the name of each in Rust, and the range of its fields in `fields`.
    pub groups: Vec<(String, Range<usize>)>,
    pub descriptor: TypeDescriptor,
    pub kind: AtomKind,
    /// Width in bits, at least 1 in a printable module.
    pub width: usize,
    pub signed: bool,
    /// Whether a call of `connect` has declared the signal as driven.
    pub connected: bool,
    /// Value of a constant; meaningless for signals.
    pub value: BigUint,
}

/// A field of a payload, which is a separate net.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the net: `op$kind`.
    pub name: String,
    pub width: usize,
    pub signed: bool,
}

impl Signal {
    pub fn new(name: String, atom: &dyn Atom) -> Signal {
        let descriptor = atom.descriptor();
        // A constant is one number, even if its type has fields.
        let fields = if atom.kind() == AtomKind::Constant { vec![] } else { fields_of(&name, &descriptor) };
        Signal {
            name,
            groups: if fields.is_empty() { vec![] } else { groups_of(&descriptor, 0) },
            fields,
            kind: atom.kind(),
            width: atom.bits(),
            signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            descriptor,
            connected: atom.connected(),
            value: literal_value(&atom.verilog()).to_biguint().unwrap_or_default(),
        }
    }

    /// The nets of the signal, lowest bits first.
    pub fn nets(&self) -> Vec<Field> {
        match self.fields.as_slice() {
            [] => vec![Field { name: self.name.clone(), width: self.width, signed: self.signed }],
            fields => fields.to_vec(),
        }
    }

    /// The lowest bit of the field whose net has this name; 0 for a plain value.
    pub fn low(&self, net: &str) -> usize {
        self.fields.iter().take_while(|field| field.name != net).map(|field| field.width).sum()
    }
}

/// Name of the bundle's field that holds its payload. Names of nets omit this part.
pub const PAYLOAD: &str = "payload";

/// The plain values inside a payload as (name, type), lowest bits first, with nested payloads expanded. A plain value yields itself. `$`
/// separates the parts of a name.
pub fn leaves(name: &str, descriptor: &TypeDescriptor) -> Vec<(String, TypeDescriptor)> {
    let TypeKind::Composite(fields) = &descriptor.kind else { return vec![(name.to_string(), descriptor.clone())] };
    let base = name.strip_suffix(PAYLOAD).and_then(|bundle| bundle.strip_suffix('$')).unwrap_or(name);
    let inner = |field: &TypeField| match field.kind.kind {
        TypeKind::Composite(_) => leaves(base, &field.kind),
        _ => vec![(format!("{base}${}", field.fieldname), field.kind.clone())],
    };
    fields.iter().flat_map(|field| inner(field)).collect()
}

/// The payloads nested in a payload, with the ranges of their fields, counted from `first`.
pub fn groups_of(descriptor: &TypeDescriptor, first: usize) -> Vec<(String, Range<usize>)> {
    let TypeKind::Composite(fields) = &descriptor.kind else { return vec![] };
    let (mut at, mut found) = (first, vec![]);
    for field in fields {
        let count = leaves("", &field.kind).len();
        if matches!(field.kind.kind, TypeKind::Composite(_)) {
            found.push((field.fieldname.clone(), at..at + count));
            found.extend(groups_of(&field.kind, at));
        }
        at += count;
    }
    found
}

/// The fields of a payload; empty for a plain value.
pub fn fields_of(name: &str, descriptor: &TypeDescriptor) -> Vec<Field> {
    if !matches!(descriptor.kind, TypeKind::Composite(_)) {
        return vec![];
    }
    let field = |(name, kind): (String, TypeDescriptor)| {
        let signed = matches!(kind.kind, TypeKind::Signed(_));
        Field { name, width: width_of(&kind), signed }
    };
    leaves(name, descriptor).into_iter().map(field).collect()
}

/// Width in bits of a plain value, as [`leaves`] returns it; 0 for a payload.
pub fn width_of(descriptor: &TypeDescriptor) -> usize {
    match &descriptor.kind {
        TypeKind::Bits(width) | TypeKind::Signed(width) => *width,
        TypeKind::Enum(names) => clog2(names.len()),
        TypeKind::Composite(_) => 0,
    }
}

/// Whether values of this type are clocks, which are no values of gates.
pub fn is_clock(descriptor: &TypeDescriptor) -> bool {
    descriptor.name == "clock"
}

/// Values and widths of each `Type$Variant`.
pub type Variants = BTreeMap<String, BTreeSet<(usize, usize)>>;

pub(super) fn variants_of(descriptor: &TypeDescriptor, into: &mut Variants) {
    match &descriptor.kind {
        TypeKind::Enum(names) => {
            for (value, name) in names.iter().enumerate() {
                into.entry(name.replace("::", "$")).or_default().insert((value, clog2(names.len())));
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|f| variants_of(&f.kind, into)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// Value of a rust-hdl literal, which exposes its value only as text: `8'h1f`, `32'h-5`.
pub fn literal_value(literal: &VerilogLiteral) -> BigInt {
    let text = format!("{literal:x}");
    let digits = text.split_once("'h").map_or("0", |(_, d)| d);
    BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default()
}
