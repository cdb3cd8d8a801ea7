// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aligns the names and the comments of the ports in the header of a module.

/// A port: its declaration, its name with the comma, and its comment.
struct Port<'t> {
    declaration: &'t str,
    name: &'t str,
    comment: Option<&'t str>,
}

/// The text of a module with its ports in columns.
pub fn ports(text: &str) -> String {
    let parsed: Vec<Option<Port<'_>>> = text.lines().map(port).collect();
    let widest = |of: &dyn Fn(&Port<'_>) -> usize| parsed.iter().flatten().map(of).max().unwrap_or_default();
    let (declaration, name) = (widest(&|port| port.declaration.len()), widest(&|port| port.name.len()));
    let lines = text.lines().zip(&parsed).map(|(line, port)| match port {
        None => format!("{line}\n"),
        Some(port) => {
            let start = format!("  {:declaration$} {:name$}", port.declaration, port.name);
            match port.comment {
                Some(comment) => format!("{start}  {comment}\n"),
                None => format!("{}\n", start.trim_end()),
            }
        }
    });
    let aligned: String = lines.collect();
    if text.ends_with('\n') {
        aligned
    } else {
        aligned.trim_end_matches('\n').to_string()
    }
}

/// The port that a line declares.
fn port(line: &str) -> Option<Port<'_>> {
    let (code, comment) = match line.find("//") {
        Some(at) => (&line[..at], Some(&line[at..])),
        None => (line, None),
    };
    let code = code.strip_prefix("  ").filter(|code| code.starts_with("input ") || code.starts_with("output "))?.trim_end();
    let (declaration, name) = code.rsplit_once(' ')?;
    Some(Port { declaration: declaration.trim_end(), name, comment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_comments_are_in_columns() {
        let text = "module m (\n  input  wire       a,   // One.\n  output wire [LW-1:0] bcd\n);\n  wire x;\nendmodule";
        let expected = "module m (\n  input  wire          a,   // One.\n  output wire [LW-1:0] bcd\n);\n  wire x;\nendmodule";
        assert_eq!(ports(text), expected.replace("a,   //", "a,   //"));
    }
}
