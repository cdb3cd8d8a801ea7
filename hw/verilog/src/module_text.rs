// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module as text.

use super::primitive::Instance;

/// One port in the header of a module.
#[derive(Clone, Debug)]
pub struct PortText {
    /// The name in rust-hdl.
    pub raw: String,
    /// The name in the text.
    pub name: String,
    /// The declaration without the name: `input wire [3:0] `.
    pub declaration: String,
    /// The comment beside the port.
    pub doc: Option<String>,
    /// The names in rust-hdl of the fields of a structure, lowest bits first; empty for any other port.
    pub fields: Vec<String>,
}

/// A module without its name.
pub struct ModuleText {
    /// The comment above the module, line by line.
    pub doc: Vec<String>,
    pub ports: Vec<PortText>,
    pub body: String,
    /// The module is an instance of a parameterised module with this form, and has no text of its own.
    pub primitive: Option<Instance>,
}

impl PortText {
    /// Whether the port is `raw`, or a structure with this field.
    pub fn has(&self, raw: &str) -> bool {
        self.raw == raw || self.fields.iter().any(|field| field == raw)
    }
}

impl ModuleText {
    /// A key of the module's text: instances with equal keys share one module.
    pub fn key(&self) -> String {
        let port = |p: &PortText| format!("{}{}{}", p.declaration, p.name, p.doc.as_deref().unwrap_or_default());
        let ports: Vec<String> = self.ports.iter().map(port).collect();
        format!("{}\n{}\n{}", self.doc.join("\n"), ports.join(","), self.body)
    }

    /// The declarations of all ports.
    pub(super) fn declarations(&self) -> String {
        self.ports.iter().map(|port| format!("{}\n", port.declaration)).collect()
    }

    pub(super) fn port(&self, raw: &str) -> &str {
        self.ports.iter().find(|p| p.raw == raw).map_or("", |p| &p.name)
    }
}

/// Sections separated by empty lines, every line indented by one level.
pub fn indented(sections: &[Vec<String>]) -> String {
    let mut body = String::new();
    for section in sections.iter().filter(|s| !s.is_empty()) {
        body.push('\n');
        for line in section.iter().flat_map(|entry| entry.lines()) {
            body.push_str(format!("  {line}").trim_end());
            body.push('\n');
        }
    }
    body
}
