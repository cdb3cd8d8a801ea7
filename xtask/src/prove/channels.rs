// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checker of the channel rules: `valid` and the payload remain until `ready` is 1, and `valid`
//! is 0 after a reset. It is generated from a unit's port table, so it covers every channel of
//! every unit.

use super::pins;
use bcu_isa::ports::{transfers, Dir, Port, Transfer};
use std::fmt::Write as _;

/// Every channel of the port table, without the strobes.
fn channels(ports: &[Port]) -> impl Iterator<Item = Transfer<'_>> {
    transfers(ports).into_iter().filter(|transfer| transfer.ready.is_some())
}

/// The names of the output channels.
pub fn outgoing(ports: &[Port]) -> Vec<String> {
    channels(ports).filter(|c| c.dir == Dir::Out).map(|c| c.name.to_string()).collect()
}

/// The checker: a module `channels` with an instance of the module `top`. The rules are assumed of
/// input channels and asserted of output channels. A payload field counts only in the cycles in
/// which it is defined. As a fault to detect, the checker gets the `valid` of the channel `falters`
/// in every other cycle only.
pub fn checker(top: &str, ports: &[Port], falters: Option<&str>) -> String {
    let mut text = format!("// SPDX-License-Identifier: Apache-2.0 OR MIT\nmodule channels (\n{});\n", pins::inputs(ports));
    text += &pins::wires(ports, "");
    let mut connections = pins::connections(ports, "");
    if let Some(channel) = falters {
        connections = connections.replace(&format!("({channel}_valid)"), "(steady)");
        let _ = writeln!(
            text,
            "  wire steady;\n  reg even = 0;\n  always @(posedge clock) even <= !even;\n  assign {channel}_valid = steady && even;"
        );
    }
    let _ = write!(text, "  {top} dut (\n{connections}  );\n");
    text += "  reg begun = 0, fresh = 0;\n  always @(posedge clock) begin\n    begun <= 1;\n    fresh <= reset;\n  end\n  \
             always @(*) if (!begun) assume (reset);\n";
    for Transfer { name, dir, payload, .. } in channels(ports) {
        let equal: Vec<String> =
            payload.iter().map(|p| format!("({}{} == {1}_before)", pins::unless(&p.when), p.name)).collect();
        let same = if equal.is_empty() { "1'b1".to_string() } else { equal.join(" && ") };
        let any: String = payload.iter().map(|p| format!(" || {} != 0", p.name)).collect();
        for p in &payload {
            let _ = writeln!(
                text,
                "  reg [{}:0] {name}_before = 0;\n  always @(posedge clock) {name}_before <= {name};",
                p.width - 1,
                name = p.name
            );
        }
        let _ = write!(
            text,
            "  reg {name}_waits = 0;\n  wire {name}_same = {same};\n  \
             always @(posedge clock) {name}_waits <= !reset && {name}_valid && !{name}_ready;\n"
        );
        if dir == Dir::In {
            let _ = writeln!(text, "  always @(*) if ({name}_waits && !reset) assume ({name}_valid && {name}_same);");
        } else {
            let _ = write!(
                text,
                "  always @(posedge clock) if (begun && !reset) begin\n    \
                 if ({name}_waits) {name}_holds: assert ({name}_valid);\n    \
                 if ({name}_waits) {name}_stable: assert ({name}_same);\n    \
                 if (fresh) {name}_reset: assert (!{name}_valid);\n  end\n\
                 `ifdef COVER\n  always @(posedge clock) if (begun && !reset) begin\n    \
                 {name}_stalled: cover ({name}_waits && {name}_valid && {name}_ready);\n    \
                 {name}_full: cover ({name}_waits && {name}_valid && !{name}_ready && (1'b0{any}));\n  end\n`endif\n"
            );
        }
    }
    text + "endmodule\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_hw::{catalog, config};
    use bcu_isa::ports::Part;
    use bcu_isa::units;

    #[test]
    fn every_ready_belongs_to_a_channel_with_payload() {
        let configs = ["tiny", "intel_tiny"].map(|name| config::by_name(name).unwrap());
        for unit in units::UNITS {
            let ports = configs.iter().find_map(|config| catalog::build(config, unit)).unwrap().ports();
            let found: Vec<_> = channels(&ports).collect();
            let readys = ports.iter().filter(|p| p.channel.as_ref().is_some_and(|c| c.part == Part::Ready)).count();
            assert_eq!(found.len(), readys, "{unit}");
            assert!(found.iter().all(|c| !c.payload.is_empty()), "{unit}");
        }
    }
}
