// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checker of the channel rules, written from a unit's port table, so that no channel of no unit is left out.

use bcu_hw::ports::{Dir, Port};
use std::fmt::Write as _;

/// A channel of a unit: its name, who drives its `valid`, and its payload.
struct Channel<'a> {
    name: &'a str,
    dir: Dir,
    payload: Vec<&'a str>,
}

/// Every channel in the port table.
fn channels(ports: &[Port]) -> Vec<Channel<'_>> {
    let mut list = vec![];
    for valid in ports {
        let Some(name) = valid.name.strip_suffix("_valid") else { continue };
        if !ports.iter().any(|p| p.name == format!("{name}_ready")) {
            continue;
        }
        let inside = |p: &&Port| p.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('_') && rest != "_valid");
        let payload = ports.iter().filter(|p| p.dir == valid.dir).filter(inside).map(|p| p.name.as_str()).collect();
        list.push(Channel { name, dir: valid.dir, payload });
    }
    list
}

/// The checker `channels` around `top`: the rules are assumed of channels that come in and asserted of those that go out.
pub fn checker(top: &str, ports: &[Port]) -> String {
    let mut text = "// SPDX-License-Identifier: Apache-2.0 OR MIT\nmodule channels (\n  input wire clock".to_string();
    for p in ports.iter().filter(|p| p.dir == Dir::In) {
        let _ = write!(text, ",\n  input wire [{}:0] {}", p.width - 1, p.name);
    }
    text += "\n);\n";
    for p in ports.iter().filter(|p| p.dir == Dir::Out) {
        let _ = writeln!(text, "  wire [{}:0] {};", p.width - 1, p.name);
    }
    let _ = write!(text, "  {top} dut (.clock(clock)");
    for p in ports {
        let _ = write!(text, ", .{0}({0})", p.name);
    }
    text += ");\n  reg begun = 0, fresh = 0;\n  always @(posedge clock) begin\n    begun <= 1;\n    fresh <= reset;\n  end\n  \
             always @(*) if (!begun) assume (reset);\n";
    for Channel { name, dir, payload } in channels(ports) {
        let all = if payload.is_empty() { "1'b0".to_string() } else { payload.join(", ") };
        let width: usize = ports.iter().filter(|p| payload.contains(&p.name.as_str())).map(|p| p.width).sum();
        let bits = width.max(1) - 1;
        let _ = write!(
            text,
            "  reg {name}_waits = 0;\n  reg [{bits}:0] {name}_before = 0;\n  wire [{bits}:0] {name}_payload = {{{all}}};\n  \
             always @(posedge clock) begin\n    {name}_waits <= !reset && {name}_valid && !{name}_ready;\n    {name}_before <= {name}_payload;\n  end\n"
        );
        if dir == Dir::In {
            let _ = writeln!(
                text,
                "  always @(*) if ({name}_waits && !reset) assume ({name}_valid && {name}_payload == {name}_before);"
            );
        } else {
            let _ = write!(
                text,
                "  always @(posedge clock) if (begun && !reset) begin\n    \
                 if ({name}_waits) {name}_holds: assert ({name}_valid);\n    \
                 if ({name}_waits) {name}_stable: assert ({name}_payload == {name}_before);\n    \
                 if (!{name}_valid) {name}_rests: assert ({name}_payload == (fresh ? 0 : {name}_before));\n    \
                 if (fresh) {name}_reset: assert (!{name}_valid);\n  end\n\
                 `ifdef COVER\n  always @(posedge clock) if (begun && !reset) begin\n    \
                 {name}_stalled: cover ({name}_waits && {name}_valid && {name}_ready);\n    \
                 {name}_full: cover ({name}_waits && {name}_valid && !{name}_ready && {name}_payload != 0);\n  end\n`endif\n"
            );
        }
    }
    text + "endmodule\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_hw::{catalog, config};

    #[test]
    fn every_ready_belongs_to_a_channel_with_payload() {
        let config = config::named("tiny").unwrap();
        for unit in catalog::UNITS {
            let ports = catalog::build(&config, unit).unwrap().ports();
            let found = channels(&ports);
            assert_eq!(found.len(), ports.iter().filter(|p| p.name.ends_with("_ready")).count(), "{unit}");
            assert!(found.iter().all(|c| !c.payload.is_empty()), "{unit}");
            assert!(found.iter().any(|c| c.dir == Dir::Out), "{unit} has no channel out");
        }
    }
}
