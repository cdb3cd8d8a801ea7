// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Primitives: blocks whose instances are instances of a parameterised module `<prefix>_prim_<kind>`, which is written by hand. The text of
//! an instance gives the parameters, and each payload as one vector: the concatenation of its fields, the first field in the lowest bits.
//! A field that no instance of the type needs is not in the vector.

use super::builder::{Builder, Child};
use super::collect::{Module, Tree};
use super::ir::NetId;
use super::module_text::{ModuleText, PortText};
use super::names::mangle;
use super::reset::{Reset, RESET};
use rust_hdl::prelude::AtomKind;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The parameterised module that a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// The last part of the module's name: `queue`.
    pub kind: String,
    /// The parameters, each with the port whose width is its value, under the port's name in rust-hdl.
    pub parameters: Vec<(String, String)>,
}

/// An instance of a parameterised module.
#[derive(Clone, Debug)]
pub struct Instance {
    pub kind: String,
    pub parameters: Vec<(String, usize)>,
    ports: Vec<Port>,
}

/// A port of an instance.
#[derive(Clone, Debug)]
struct Port {
    name: String,
    is_input: bool,
    /// The nets of the port under their rust-hdl names, lowest bits first; empty if no field of the payload is needed.
    nets: Vec<String>,
}

impl Primitive {
    /// Parses the text of the mark [`PRIMITIVE`](crate::marks::PRIMITIVE).
    pub fn parse(text: &str) -> Self {
        let mut words = text.split(' ');
        let kind = words.next().unwrap_or_default().to_string();
        let parameter = |word: &str| word.split_once('=').map(|(name, port)| (name.to_string(), port.to_string()));
        Primitive { kind, parameters: words.filter_map(parameter).collect() }
    }

    /// The instance `module` of this primitive. `is_needed` is false for a field of a payload that no module reads.
    pub fn instance(&self, module: &Module, reset: Reset, is_needed: impl Fn(&str) -> bool) -> Instance {
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
        let port = |signal: &super::signal::Signal| Port {
            name: if signal.name == RESET { reset.port().to_string() } else { mangle(&signal.name) },
            is_input: signal.kind == AtomKind::InputParameter,
            nets: nets(&signal.name).into_iter().map(|(name, _)| name).collect(),
        };
        Instance {
            kind: self.kind.clone(),
            parameters: self.parameters.iter().map(|(name, port)| (name.clone(), width(port))).collect(),
            ports: signals.into_iter().map(port).collect(),
        }
    }
}

impl Instance {
    /// The text of the instance for the module that contains it: ports without a body.
    pub fn text(self) -> ModuleText {
        let nets = self.ports.iter().flat_map(|port| port.nets.iter().map(|net| (port, net)));
        let port = |(port, net): (&Port, &String)| PortText {
            raw: net.clone(),
            name: port.name.clone(),
            declaration: String::new(),
            doc: None,
        };
        ModuleText { doc: vec![], ports: nets.map(port).collect(), body: String::new(), primitive: Some(self) }
    }

    /// `module #(.WIDTH(8)) name`.
    fn head(&self, module: &str, name: &str) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(|(name, value)| format!(".{name}({value})")).collect();
        format!("{module} #({}) {name}", parameters.join(", "))
    }

    /// A module `top` with the ports `ports`, which are those of the block, that contains only the instance.
    pub fn wrapper(&self, prefix: &str, top: &str, ports: &[PortText]) -> String {
        let declared: Vec<String> = ports.iter().map(|port| format!("{}{}", port.declaration, port.name)).collect();
        let name = |net: &String| ports.iter().find(|port| port.raw == *net).map_or(String::new(), |port| port.name.clone());
        let pin = |port: &Port| {
            let nets = port.nets.iter().rev().map(name).collect();
            format!(".{}({})", port.name, joined(nets))
        };
        let pins: Vec<String> = self.ports.iter().map(pin).collect();
        let mut text = format!("module {top} (\n  {}\n);\n", declared.join(",\n  "));
        let _ = write!(text, "  {} (\n    {}\n  );\nendmodule\n", self.head(&module_of(prefix, &self.kind), "part"), pins.join(",\n    "));
        text
    }
}

/// The module of a kind of primitive.
pub fn module_of(prefix: &str, kind: &str) -> String {
    format!("{prefix}_prim_{kind}")
}

/// One value, or the concatenation of several.
fn joined(values: Vec<String>) -> String {
    match &values[..] {
        [value] => value.clone(),
        _ => format!("{{{}}}", values.join(", ")),
    }
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

impl Builder<'_> {
    /// The text of a child that is a primitive, and its connections. An output that nothing reads is left open.
    pub(super) fn primitive(
        &mut self,
        child: usize,
        printed: &Child,
        instance: &Instance,
        wires: &mut Vec<NetId>,
    ) -> (String, Vec<(String, String)>) {
        let inner = &self.tree.modules[child];
        let name = self.text.names.fresh(&inner.instance);
        let mut pins = vec![];
        for port in &instance.ports {
            let nets = port.nets.iter().rev().filter_map(|net| self.scope.net(&format!("{}${net}", inner.instance)));
            let nets: Vec<NetId> = nets.collect();
            let is_open = !port.is_input && nets.iter().all(|&net| self.named[net] == 0);
            let values = nets.into_iter().map(|net| match port.is_input {
                true => self.connection(net, wires),
                false => {
                    if !is_open && !self.aliased.contains(&net) {
                        wires.push(net);
                    }
                    self.text.net_names[net].clone()
                }
            });
            let values: Vec<String> = values.collect();
            let value = match port.is_input {
                _ if is_open => String::new(),
                true if values.is_empty() => "1'b0".to_string(),
                _ => joined(values),
            };
            pins.push((port.name.clone(), value));
        }
        (instance.head(printed.module_name, &name), pins)
    }
}
