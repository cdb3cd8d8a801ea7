// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_<unit>_assert.v`: a checker of the rules that a unit and its user must keep, as interface assertions that read only the unit's
//! ports. Also the file that binds the checkers of an export.
//!
//! The rules of channels, strobes and values come from the port table ([`derived`]). The further rules of a unit's contract page
//! (`docs/contract`) are in the file `assert/<unit>.rules` ([`page`]).

mod derived;
mod page;
mod rule;

use super::port_text::range;
use super::set::{generated, Export, LICENCE};
use crate::ports::Unit;
use crate::verilog::module_name;
use bcu_isa::ports::Port;
use rule::By;
pub use rule::Rule;
use std::fmt::Write as _;

/// The Verilog declarations that the rules of the unit `unit` read, and the rules; `ports` is the port list of the unit,
/// `warps` the number of warps of the configuration.
pub fn rules(unit: &str, ports: &[Port], warps: usize) -> (String, Vec<Rule>) {
    let (mut state, mut rules) = derived::rules(ports, warps);
    let (more, of_page) = page::rules(unit, ports);
    state += &more;
    rules.extend(of_page);
    (state, rules)
}

/// The checkers of the units of an export, and the file that binds them.
pub(super) fn files(export: &Export) -> Vec<(String, String)> {
    let checker = |unit: &dyn Unit| (format!("{}.v", module(export.prefix, unit.name())), text(export, unit));
    let mut files: Vec<_> = export.units().map(checker).collect();
    files.push(bind(export));
    files
}

/// Name of the module that checks a unit.
pub fn module(prefix: &str, unit: &str) -> String {
    format!("{}_assert", module_name(prefix, unit))
}

fn bind(export: &Export) -> (String, String) {
    let file = format!("{}_assert.sv", export.prefix);
    let mut text = format!(
        "// SPDX-License-Identifier: {LICENCE}\n// {file}: binds the checker of each unit to every instance of it.\n// {}\n",
        generated()
    );
    for unit in export.units() {
        let checked = export.module(unit.name());
        let _ = writeln!(text, "bind {checked} {} #(.STOP(0)) promises (.broken(), .*);", module(export.prefix, unit.name()));
    }
    (file, text)
}

/// The text of a checker, in which every port of the unit is an input.
fn text(export: &Export, unit: &dyn Unit) -> String {
    let config = export.config;
    let (checker, macros) = (module(export.prefix, unit.name()), export.prefix.to_uppercase());
    let module = export.module(unit.name());
    let (state, rules) = rules(unit.name(), &unit.ports(), config.warps);
    let ports = export.ports(unit);
    let reset = if export.reset.is_async_low { "  wire reset = !reset_n;\n" } else { "" };
    let own = |text: &str| text.replace("`BCU_", &format!("`{macros}_"));
    let state = own(&state);
    let guard = format!("{macros}_CHECK_{}", unit.name().to_uppercase());
    let connections: String = ports.iter().map(|Port { name, .. }| format!(", .{name}(unit.{name})")).collect();
    let inputs = ports.iter().map(|port| format!("input wire {}{},", range(port.width), port.name));
    let inputs = wrapped(["input wire clock,".to_string()].into_iter().chain(inputs));
    let count = rules.len();
    let mut text = format!(
        "// SPDX-License-Identifier: {LICENCE}
// {checker}: interface assertions for `{module}` and its user, configuration {}.
// {}
//
// Reads: every port of `{module}`, by its name. Writes: `broken`, a bit for each rule, in the cycle in which it is broken; a message at the
// edge that ends that cycle. Bound to every instance by {}_assert.sv; in Verilog, write `{guard}(instance) after an instance. With
// {macros}_ASSERT defined, in SystemVerilog, the rules are concurrent assertions. STOP 1 ends the simulation at the first broken rule. Empty
// with SYNTHESIS.
`ifndef {guard}_V
`define {guard}_V
`define {guard}(unit) \\
  {checker} #(.STOP(0)) promises ( \\
    .broken(), .clock(unit.clock){connections});
`default_nettype none
`include \"{}\"
/* verilator lint_off TIMESCALEMOD */ /* verilator lint_off DECLFILENAME */ /* verilator lint_off UNUSEDSIGNAL */ /* verilator lint_off UNUSEDPARAM */ /* verilator lint_off WIDTH */ /* verilator lint_off BLKSEQ */
module {checker} #(
  parameter STOP = 0
) (
{inputs}  output wire [{}:0] broken
);
`ifndef SYNTHESIS
  localparam W = {}, L = {}, C = {};
{reset}  // No rule is checked before the first reset or in a cycle with reset.
  reg was_reset = 1'b0;
  always @(posedge clock) was_reset <= was_reset || reset;
  wire active = was_reset && !reset;
  reg after_reset;
  always @(posedge clock) after_reset <= reset;
{state}",
        config.name,
        generated(),
        export.prefix,
        export.defs(),
        count.saturating_sub(1),
        config.warps,
        config.lanes,
        config.cta_slots,
    );
    for (at, Rule { by, name, broken, message, arguments, .. }) in rules.iter().enumerate() {
        let broken = own(broken);
        let (who, label) = match by {
            By::User => (format!("the user of {module}"), "user"),
            By::Unit => (module.clone(), "unit"),
        };
        let message = format!("(\"%m: %0d: {who}: {message}\", $time{arguments})");
        let _ = writeln!(text, "  `{macros}_RULE({label}_{name}, {at}, ({broken}), {message})");
    }
    text + &format!(
        "  always @(posedge clock) if (STOP != 0 && |broken) $finish;
`else
  assign broken = {count}'d0;
`endif
endmodule
/* verilator lint_on BLKSEQ */ /* verilator lint_on WIDTH */ /* verilator lint_on UNUSEDPARAM */ /* verilator lint_on UNUSEDSIGNAL */ /* verilator lint_on DECLFILENAME */ /* verilator lint_on TIMESCALEMOD */
`default_nettype wire
`endif
"
    )
}

/// The definition of the macro `<prefix>_RULE`, which expands to a concurrent assertion or to a message.
pub(super) fn macros(prefix: &str) -> String {
    format!(
        "
// A rule of a checker: its name and number, an expression that must never be 1, and the arguments of the message.
`ifdef {prefix}_ASSERT
`define {prefix}_RULE(name, at, never, message) \\
  assign broken[at] = active && never === 1'b1; \\
  name: assert property (@(posedge clock) !broken[at]) else $error message;
`else
`define {prefix}_RULE(name, at, never, message) \\
  assign broken[at] = active && never === 1'b1; \\
  always @(posedge clock) if (broken[at]) $display message;
`endif
"
    )
}

/// Joins `words` to lines of at most 100 characters.
fn wrapped(words: impl Iterator<Item = String>) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in words {
        if line.len() + word.len() > 98 {
            text += &format!(" {line}\n");
            line.clear();
        }
        line += &format!(" {word}");
    }
    text + &format!(" {line}\n")
}
