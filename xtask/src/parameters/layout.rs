// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The layout of a module: the names and the comments of its ports in columns, and waivers around constants.

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

/// The text of a module with a waiver around each constant whose value is an expression of parameters: these have 32 bits, and Verilog-2005
/// has no expression of another width but a concatenation.
pub fn constants(text: &str) -> String {
    let is_wide = |line: &str| {
        let value = line.strip_prefix("  localparam [").and_then(|rest| rest.split_once(" = ")).map(|(_, value)| value);
        value.is_some_and(|value| !value.starts_with('{') && !value.contains('\''))
    };
    let lines = text.split('\n').map(|line| match is_wide(line) {
        true => format!("  // verilator lint_off WIDTH\n{line}\n  // verilator lint_on WIDTH"),
        false => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
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
    fn a_constant_of_parameters_is_waived() {
        let plain = "  localparam [3:0] a = 4'd7;\n  localparam [LW-1:0] c = {LW{1'b1}};\n";
        assert_eq!(constants(plain), plain);
        let wide = "  // verilator lint_off WIDTH\n  localparam [LW-1:0] b = WARPS - 2;\n  // verilator lint_on WIDTH\n";
        assert_eq!(constants("  localparam [LW-1:0] b = WARPS - 2;\n"), wide);
    }

    #[test]
    fn names_and_comments_are_in_columns() {
        let text = "module m (\n  input  wire       a,   // One.\n  output wire [LW-1:0] bcd\n);\n  wire x;\nendmodule";
        let expected = "module m (\n  input  wire          a,   // One.\n  output wire [LW-1:0] bcd\n);\n  wire x;\nendmodule";
        assert_eq!(ports(text), expected.replace("a,   //", "a,   //"));
    }
}
