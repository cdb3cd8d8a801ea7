// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The configuration in an exported module: sizes as parameters, and a number for waveforms. A user may set a parameter; a value other than
//! the exported one is an error at elaboration.

/// A size: parameter name and exported value.
pub type Size = (&'static str, u64);

/// The parameter list between the name of a module and its ports.
pub fn parameters(sizes: &[Size], system: bool) -> String {
    let width = sizes.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let kind = if system { "int" } else { "integer" };
    let one = |(name, value): &Size| format!("  parameter {kind} {name:width$} = {value}");
    match sizes {
        [] => String::new(),
        _ => format!(" #(\n{}\n)", sizes.iter().map(one).collect::<Vec<_>>().join(",\n")),
    }
}

/// Statements that elaborate only if every parameter has its exported value. Verilog-2005 has no user-defined error, so they are illegal with
/// another value: a replication by 0, and for Yosys, which accepts that, an instance of a module that does not exist. The tool's
/// message is about a line with all sizes.
pub fn comparison(sizes: &[Size]) -> String {
    if sizes.is_empty() {
        return String::new();
    }
    let is: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} == {value}")).collect();
    let is = is.join(" && ");
    format!(
        "\n  // The sizes of this export are fixed: elaboration fails if a parameter has another value. A\n  \
         // replication by 0 is an error; Yosys accepts it, so it reads an instance of no module.\n\
         `ifdef YOSYS\n  if (!({is})) begin : gen_other_sizes\n    \
         parameters_must_be_the_sizes_of_the_export error ();\n  end\n`else\n  \
         wire unused_sizes = {{\n    ({is}) {{1'b1}}\n  }};\n`endif\n"
    )
}

/// As [`comparison`], in SystemVerilog, which has user-defined errors at elaboration; and checks of the widths of types in `package`.
pub fn checks<'a>(sizes: &[Size], package: &str, types: impl Iterator<Item = (&'a str, usize)>) -> String {
    let sizes: Vec<String> = sizes
        .iter()
        .map(|(name, value)| {
            let label = name.to_lowercase();
            format!("  if ({name} != {value}) begin : gen_{label}_is_not_{value}\n    $error(\"exported with {name} = {value}\");\n  end\n")
        })
        .collect();
    let types: Vec<String> = types
        .map(|(name, width)| {
            format!("  if ($bits({package}::{name}) != {width}) begin : gen_{name}\n    $error(\"{name}: exported with {width} bits\");\n  end\n")
        })
        .collect();
    let mut text = String::new();
    // Icarus 11 has no `$error` outside of processes, and Yosys no `$bits` of a type.
    if !sizes.is_empty() {
        text += "\n  // The parameters and types are compared with those of this export.\n`ifndef __ICARUS__\n";
        text += &sizes.concat();
        if !types.is_empty() {
            text += "`ifndef YOSYS\n";
            text += &types.concat();
            text += "`endif\n";
        }
        text += "`endif\n";
    }
    text
}

/// Name of the wire whose value identifies the configuration of a module in a waveform.
pub const IDENTITY: &str = "export_id";

/// The declaration of the wire [`IDENTITY`].
pub fn identity(identity: Option<u32>, net: &str) -> String {
    identity.map_or(String::new(), |identity| {
        let value = match net {
            "wire" => format!("wire [31:0] {IDENTITY} = 32'h{identity:08x};"),
            net => format!("{net} [31:0] {IDENTITY};\n  assign {IDENTITY} = 32'h{identity:08x};"),
        };
        format!(
            "\n  // Of the configuration, for `bcu replay`.\n  // verilator lint_off UNUSEDSIGNAL\n  {value}\n  \
             // verilator lint_on UNUSEDSIGNAL\n"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_sizes_has_neither_list_nor_comparison() {
        assert_eq!((parameters(&[], false), comparison(&[])), (String::new(), String::new()));
    }

    #[test]
    fn parameters_have_the_values_of_the_text() {
        assert_eq!(
            parameters(&[("WARPS", 8), ("LANES", 4)], false),
            " #(\n  parameter integer WARPS = 8,\n  parameter integer LANES = 4\n)"
        );
    }
}
