// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Primitives: blocks whose instances are instances of a parameterised module `<prefix>_prim_<kind>`, which is written by hand. The text of
//! an instance gives the parameters, and each payload as one vector: the concatenation of its fields, the first field in the lowest bits.

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
    pub(super) ports: Vec<Port>,
}

/// A port of an instance.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The name in rust-hdl.
    pub(super) raw: String,
    pub(super) name: String,
    pub(super) is_input: bool,
    /// The nets of the port under their rust-hdl names, lowest bits first; empty if no field of the payload is needed.
    pub(super) nets: Vec<String>,
    /// All fields of a payload are needed.
    pub(super) is_structure: bool,
}

impl Primitive {
    /// Parses the text of the mark [`PRIMITIVE`](crate::marks::PRIMITIVE).
    pub fn parse(text: &str) -> Self {
        let mut words = text.split(' ');
        let kind = words.next().unwrap_or_default().to_string();
        let parameter = |word: &str| word.split_once('=').map(|(name, port)| (name.to_string(), port.to_string()));
        Primitive { kind, parameters: words.filter_map(parameter).collect() }
    }
}

impl Instance {
    /// `module #(.WIDTH(8)) name`.
    pub(super) fn head(&self, module: &str, name: &str) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(|(name, value)| format!(".{name}({value})")).collect();
        format!("{module} #({}) {name}", parameters.join(", "))
    }
}

/// The module of a kind of primitive.
pub fn module_of(prefix: &str, kind: &str) -> String {
    format!("{prefix}_prim_{kind}")
}

/// One value, or the concatenation of several.
pub(super) fn joined(values: Vec<String>) -> String {
    match &values[..] {
        [value] => value.clone(),
        _ => format!("{{{}}}", values.join(", ")),
    }
}
