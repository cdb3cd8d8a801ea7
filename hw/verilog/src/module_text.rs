// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module as text.

use super::primitive::Instance;
use super::wrap::{comment_lines, WIDTH};
use std::collections::BTreeMap;

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

/// `module name (` with one port per line and its comment beside it, or above it if the line would be too long; the name includes the
/// parameters, if any.
pub fn header(name: &str, text: &ModuleText, docs: &BTreeMap<String, String>) -> String {
    if text.ports.is_empty() {
        return format!("module {name};\n");
    }
    let declared = text.ports.iter().map(|p| p.declaration.trim_end().len()).max().unwrap_or(0);
    let last = text.ports.len() - 1;
    let mut lines: Vec<(String, Option<&String>)> = vec![];
    for (at, port) in text.ports.iter().enumerate() {
        let comma = if at == last { "" } else { "," };
        let doc = docs.get(&port.name).or(port.doc.as_ref());
        lines.push((format!("  {:declared$} {}{comma}", port.declaration.trim_end(), port.name), doc));
    }
    let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let mut out = format!("module {name} (\n");
    for (line, doc) in lines {
        let doc = doc.map(|doc| doc.split_whitespace().collect::<Vec<_>>().join(" "));
        match doc {
            Some(doc) if width + 5 + doc.len() <= WIDTH => out.push_str(&format!("{line:width$}  // {doc}\n")),
            doc => {
                for comment in doc.iter().flat_map(|doc| comment_lines("  ", doc)) {
                    out.push_str(&format!("{comment}\n"));
                }
                out.push_str(&format!("{line}\n"));
            }
        }
    }
    out + ");\n"
}
