// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instance of a primitive from its block. A field of the payload that no instance of the block's type needs is not in the vector.

use super::collect::{Module, Tree};
use super::module_text::{ModuleText, PortText};
use super::names::mangle;
use super::primitive::{joined, module_of, Instance, Port, Primitive};
use super::reset::{Reset, RESET};
use super::signal::Signal;
use rust_hdl::prelude::AtomKind;
use std::collections::BTreeSet;

/// The instance `module` of the primitive `primitive`. `is_needed` is false for a field of a payload that no module reads.
pub fn instance(primitive: &Primitive, module: &Module, reset: Reset, is_needed: impl Fn(&str) -> bool) -> Instance {
    let is_port = |kind: AtomKind| matches!(kind, AtomKind::InputParameter | AtomKind::OutputParameter);
    let signals: Vec<_> = module.signals.iter().filter(|signal| is_port(signal.kind)).collect();
    // All payloads of a primitive have the same fields: a field is in all of them or in none.
    let fields = signals.iter().map(|signal| signal.fields.len()).max().unwrap_or_default();
    let is_kept = |at: usize| signals.iter().filter_map(|s| s.fields.get(at)).any(|field| is_needed(&field.name));
    let kept: &[bool] = &(0..fields).map(is_kept).collect::<Vec<_>>();
    let nets = |name: &str| {
        let of = signals.iter().filter(|signal| signal.name == name).flat_map(|signal| {
            let is_payload = !signal.fields.is_empty();
            signal.nets().into_iter().enumerate().filter(move |(at, _)| !is_payload || kept[*at])
        });
        of.map(|(_, field)| (field.name, field.width)).collect::<Vec<_>>()
    };
    let width = |port: &str| nets(port).iter().map(|(_, width)| width).sum::<usize>().max(1);
    let port = |signal: &Signal| Port {
        raw: signal.name.clone(),
        is_structure: signal.fields.len() > 1 && kept.iter().all(|kept| *kept),
        name: if signal.name == RESET { reset.port().to_string() } else { mangle(&signal.name) },
        is_input: signal.kind == AtomKind::InputParameter,
        nets: nets(&signal.name).into_iter().map(|(name, _)| name).collect(),
    };
    Instance {
        kind: primitive.kind.clone(),
        parameters: primitive.parameters.iter().map(|(name, port)| (name.clone(), width(port))).collect(),
        ports: signals.iter().copied().map(port).collect(),
    }
}

/// The text of an instance for the module that contains it: ports without a body.
pub fn text(instance: Instance) -> ModuleText {
    let text = |port: &Port, raw: &str, fields: Vec<String>| PortText {
        raw: raw.to_string(),
        name: port.name.clone(),
        declaration: String::new(),
        doc: None,
        fields,
    };
    let texts = |port: &Port| match port.is_structure {
        true => vec![text(port, &port.raw, port.nets.clone())],
        false => port.nets.iter().map(|net| text(port, net, vec![])).collect(),
    };
    let ports = instance.ports.iter().flat_map(texts).collect();
    ModuleText { doc: vec![], ports, body: String::new(), primitive: Some(instance) }
}

/// A module `top` with the ports `ports`, which are those of the block, that contains only the instance.
pub fn wrapper(instance: &Instance, prefix: &str, top: &str, ports: &[PortText]) -> String {
    let declared: Vec<String> = ports.iter().map(|port| format!("{}{}", port.declaration, port.name)).collect();
    let name = |net: &String| ports.iter().find(|port| port.raw == *net).map_or(String::new(), |port| port.name.clone());
    let pin = |port: &Port| {
        let nets = port.nets.iter().rev().map(name).collect();
        format!(".{}({})", port.name, joined(nets))
    };
    let pins: Vec<String> = instance.ports.iter().map(pin).collect();
    let head = instance.head(&module_of(prefix, &instance.kind), "part");
    format!("module {top} (\n  {}\n);\n  {head} (\n    {}\n  );\nendmodule\n", declared.join(",\n  "), pins.join(",\n    "))
}

/// The modules that are not in the text because they are a primitive or part of one.
pub fn not_printed(tree: &Tree) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (at, module) in tree.modules.iter().enumerate().skip(1) {
        if module.primitive.is_some() || found.contains(&at) {
            found.insert(at);
            found.extend(&module.children);
        }
    }
    found
}
