// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The package of a SystemVerilog export: a packed structure for each payload, and an enumeration for each set of named values.

use super::collect::collect;
use super::literal::{literal, range};
use super::names::snake_case;
use super::signal::width_of;
use super::wrap::wrap;
use num_bigint::BigUint;
use rust_hdl::prelude::{Block, TypeDescriptor, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The language of the text.
#[derive(Clone, Debug, Default)]
pub enum Language {
    #[default]
    Verilog2005,
    SystemVerilog(Package),
}

/// The types of an export.
#[derive(Clone, Debug)]
pub struct Package {
    /// The name of the package.
    pub name: String,
    /// The name of each payload's type, by its layout; with the type.
    types: BTreeMap<String, (String, TypeDescriptor)>,
    /// For each enumeration, the values by the name in rust-hdl, with the width.
    enums: BTreeMap<String, (usize, Vec<(usize, String)>)>,
}

impl Language {
    pub fn is_system(&self) -> bool {
        matches!(self, Language::SystemVerilog(_))
    }

    /// The word before the name of a declared net.
    pub fn net(&self) -> &'static str {
        match self {
            Language::Verilog2005 => "wire",
            Language::SystemVerilog(_) => "logic",
        }
    }

    /// The type of a payload, `bcu_pkg::op_t`. `None` in Verilog-2005.
    pub(super) fn type_name(&self, descriptor: &TypeDescriptor) -> Option<String> {
        match self {
            Language::Verilog2005 => None,
            Language::SystemVerilog(package) => {
                package.types.get(&layout(descriptor)).map(|(name, _)| format!("{}::{name}", package.name))
            }
        }
    }

    /// The name of the enumeration's value `OpKind$Sync`, if it has this number.
    pub(super) fn value_name(&self, label: &str, width: usize, value: &BigUint) -> Option<String> {
        let Language::SystemVerilog(package) = self else { return None };
        let (of, variant) = label.split_once('$')?;
        let (bits, values) = package.enums.get(of)?;
        let known = values.iter().any(|(number, name)| name == variant && BigUint::from(*number) == *value);
        (known && *bits == width).then(|| format!("{}::{of}{variant}", package.name))
    }
}

impl Package {
    /// The types of all signals of the blocks.
    pub fn of<'a>(name: &str, blocks: impl IntoIterator<Item = &'a dyn Block>) -> Package {
        let (mut found, mut values) = (BTreeMap::new(), BTreeMap::<String, BTreeSet<(usize, usize)>>::new());
        for block in blocks {
            for module in collect(block, "").modules {
                for signal in module.signals.iter().filter(|signal| signal.fields.len() > 1) {
                    insert(&signal.descriptor, &mut found);
                }
                for (variant, numbers) in module.variants {
                    values.entry(variant).or_default().extend(numbers);
                }
            }
        }
        let mut names = BTreeSet::new();
        let mut types = BTreeMap::new();
        for (layout, descriptor) in found {
            let base = snake_case(&descriptor.name);
            let wide = format!("{base}_{}", width(&descriptor));
            let numbered = (2..).map(|number| format!("{wide}_{number}"));
            let free = [base.clone(), wide.clone()].into_iter().chain(numbered).map(|name| name + "_t");
            let name = free.into_iter().find(|name| names.insert(name.clone())).unwrap_or_default();
            types.insert(layout, (name, descriptor));
        }
        let mut enums: BTreeMap<String, (usize, Vec<(usize, String)>)> = BTreeMap::new();
        for (name, numbers) in values {
            if let (Some((of, variant)), [(value, width)]) =
                (name.split_once('$'), &numbers.into_iter().collect::<Vec<_>>()[..])
            {
                let entry = enums.entry(of.to_string()).or_insert((*width, vec![]));
                if entry.0 == *width {
                    entry.1.push((*value, variant.to_string()));
                }
            }
        }
        enums.values_mut().for_each(|(_, values)| values.sort());
        enums.retain(|_, (_, values)| values.windows(2).all(|pair| pair[0].0 != pair[1].0));
        Package { name: name.to_string(), types, enums }
    }

    /// The names of the types with their widths that occur in a text.
    pub(super) fn used<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a str, usize)> + 'a {
        let names = self.types.values().map(|(name, descriptor)| (name.as_str(), width(descriptor)));
        let mut names: Vec<_> = names.filter(|(name, _)| text.contains(&format!("{}::{name} ", self.name))).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The text of the package, with these lines above it.
    pub fn text(&self, header: &[String]) -> String {
        let mut text: String = header.iter().map(|line| format!("// {line}\n")).collect();
        text += &format!("// verilator lint_off TIMESCALEMOD\n\npackage {};\n", self.name);
        for (of, (width, values)) in &self.enums {
            text += &format!("\n  typedef enum logic {}{{\n", range(*width));
            let lines =
                values.iter().map(|(value, name)| format!("    {of}{name} = {}", literal(*width, &BigUint::from(*value))));
            text += &format!("{}\n  }} {}_e;\n", lines.collect::<Vec<_>>().join(",\n"), snake_case(of));
        }
        let mut done = BTreeSet::new();
        for (_, descriptor) in self.types.values() {
            self.structure(descriptor, &mut done, &mut text);
        }
        wrap(&(text + "\nendpackage\n// verilator lint_on TIMESCALEMOD\n"))
    }

    /// Appends the type of a payload after the types that it contains.
    fn structure(&self, descriptor: &TypeDescriptor, done: &mut BTreeSet<String>, text: &mut String) {
        let TypeKind::Composite(fields) = &descriptor.kind else { return };
        let Some((name, _)) = self.types.get(&layout(descriptor)) else { return };
        if !done.insert(name.clone()) {
            return;
        }
        fields.iter().for_each(|field| self.structure(&field.kind, done, text));
        // The first member of a packed structure has the highest bits.
        let members: Vec<(String, String, &str)> = fields
            .iter()
            .rev()
            .map(|field| {
                let kind = match (self.types.get(&layout(&field.kind)), &field.kind.kind) {
                    (Some((name, _)), _) => name.clone(),
                    (None, TypeKind::Signed(width)) => format!("logic signed {}", range(*width)).trim_end().to_string(),
                    (None, _) => format!("logic {}", range(width(&field.kind))).trim_end().to_string(),
                };
                let values = match &field.kind.kind {
                    TypeKind::Enum(names) => names.first().and_then(|name| name.split("::").next()).unwrap_or_default(),
                    _ => "",
                };
                (kind, super::names::mangle(&field.fieldname), values)
            })
            .collect();
        let longest = members.iter().map(|(kind, ..)| kind.len()).max().unwrap_or(0);
        text.push_str("\n  typedef struct packed {\n");
        for (kind, member, values) in members {
            let comment =
                if self.enums.contains_key(values) { format!("  // {}_e", snake_case(values)) } else { String::new() };
            text.push_str(&format!("    {kind:longest$} {member};{comment}\n"));
        }
        text.push_str(&format!("  }} {name};\n"));
    }
}

/// Inserts a payload with several fields, and the payloads inside it.
fn insert(descriptor: &TypeDescriptor, found: &mut BTreeMap<String, TypeDescriptor>) {
    if let TypeKind::Composite(fields) = &descriptor.kind {
        found.insert(layout(descriptor), descriptor.clone());
        fields.iter().for_each(|field| insert(&field.kind, found));
    }
}

/// A text that is equal for types with the same name, fields and widths.
fn layout(descriptor: &TypeDescriptor) -> String {
    match &descriptor.kind {
        TypeKind::Composite(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{} {}", field.fieldname, layout(&field.kind))).collect();
            format!("{} {{{}}}", descriptor.name, fields.join(", "))
        }
        TypeKind::Signed(width) => format!("signed {width}"),
        _ => format!("{}", width_of(descriptor)),
    }
}

fn width(descriptor: &TypeDescriptor) -> usize {
    match &descriptor.kind {
        TypeKind::Composite(fields) => fields.iter().map(|field| width(&field.kind)).sum(),
        _ => width_of(descriptor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::paths;
    use rust_hdl::prelude::TypeField;

    fn of(name: &str, fields: &[(&str, TypeDescriptor)]) -> TypeDescriptor {
        let field =
            |(name, kind): &(&str, TypeDescriptor)| Box::new(TypeField { fieldname: name.to_string(), kind: kind.clone() });
        TypeDescriptor { name: name.to_string(), kind: TypeKind::Composite(fields.iter().map(field).collect()) }
    }

    fn bits(width: usize) -> TypeDescriptor {
        TypeDescriptor { name: "bits".to_string(), kind: TypeKind::Bits(width) }
    }

    #[test]
    fn the_first_field_has_the_lowest_bits_and_a_nested_type_comes_first() {
        let inner = of("Request", &[("kind", bits(4)), ("valid", bits(1))]);
        let outer = of("Op", &[("warp", bits(3)), ("request", inner)]);
        let mut found = BTreeMap::new();
        insert(&outer, &mut found);
        let types = found.into_iter().map(|(layout, of)| (layout, (format!("{}_t", snake_case(&of.name)), of))).collect();
        let package = Package { name: "p".to_string(), types, enums: BTreeMap::new() };
        let text = package.text(&[]);
        let request = text.find("    logic       valid;\n    logic [3:0] kind;\n  } request_t;").expect(&text);
        let op = text.find("    request_t   request;\n    logic [2:0] warp;\n  } op_t;").expect(&text);
        assert!(request < op, "{text}");
        assert_eq!(paths(&outer), ["warp", "request.kind", "request.valid"]);
        assert_eq!(width(&outer), 8);
    }

    #[test]
    fn types_of_one_name_and_different_widths_are_different_types() {
        assert_ne!(
            layout(&of("Row", &[("a", bits(4)), ("b", bits(1))])),
            layout(&of("Row", &[("a", bits(5)), ("b", bits(1))]))
        );
    }
}
