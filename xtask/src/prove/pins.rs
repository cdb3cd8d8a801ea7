// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a checker that follow from a unit's port table, as Verilog: inputs that the solver drives, outputs as wires, an instance,
//! and the comparison with a second instance. Each output is compared in the cycles in which it is defined.

use bcu_hw::export::port_text::condition;
use bcu_isa::ports::{Dir, Port, When};
use std::fmt::Write as _;

/// Suffix of the names of the second instance's outputs.
const SECOND_SUFFIX: &str = "_";

/// The files that properties include: name and text.
pub fn files(unit: &str, top: &str, ports: &[Port]) -> [(String, String); 5] {
    let instance = |module: &str| format!("  {module} dut (\n{}  );\n", connections(ports, ""));
    let either = format!("`ifdef REFERENCE\n{}`else\n{}`endif\n", instance(&format!("{unit}_reference")), instance(top));
    [
        (format!("{unit}_inputs.vh"), inputs(ports)),
        (format!("{unit}_unit.vh"), wires(ports, "") + &either),
        (format!("{unit}_other.vh"), wires(ports, SECOND_SUFFIX)),
        (format!("{unit}_to_other.vh"), connections(ports, SECOND_SUFFIX)),
        (format!("{unit}_same.vh"), same(ports)),
    ]
}

fn ports_of(ports: &[Port], dir: Dir) -> impl Iterator<Item = &Port> {
    ports.iter().filter(move |p| p.dir == dir)
}

/// The inputs as ports of a module, the clock first.
pub fn inputs(ports: &[Port]) -> String {
    let input = |p: &Port| format!(",\n  input wire [{}:0] {}", p.width - 1, p.name);
    format!("  input wire clock{}\n", ports_of(ports, Dir::In).map(input).collect::<String>())
}

/// A wire for each output.
pub fn wires(ports: &[Port], suffix: &str) -> String {
    ports_of(ports, Dir::Out).map(|p| format!("  wire [{}:0] {}{suffix};\n", p.width - 1, p.name)).collect()
}

/// The connections of an instance; its outputs drive the wires whose names end in `suffix`.
pub fn connections(ports: &[Port], suffix: &str) -> String {
    let to = |p: &Port| if p.dir == Dir::In { "" } else { suffix };
    let connections: String = ports.iter().map(|p| format!(",\n    .{0}({0}{1})", p.name, to(p))).collect();
    format!("    .clock(clock){connections}\n")
}

/// An assertion `j_<name>` for each channel, and for each output that belongs to no channel: both instances have equal values in the cycles
/// in which the outputs are defined.
fn same(ports: &[Port]) -> String {
    let mut text = String::new();
    for (label, equal) in equalities(ports) {
        let _ = writeln!(text, "    {label}: assert ({});", equal.join("\n      && "));
    }
    text
}

/// The labels of the assertions that [`same`] writes.
#[cfg(test)]
pub fn labels(ports: &[Port]) -> Vec<String> {
    equalities(ports).into_iter().map(|(label, _)| label).collect()
}

fn equalities(ports: &[Port]) -> Vec<(String, Vec<String>)> {
    let mut list: Vec<(String, Vec<String>)> = vec![];
    for p in ports_of(ports, Dir::Out) {
        let label = format!("j_{}", p.channel.as_ref().map_or(&p.name, |channel| &channel.name));
        let equal = format!("({}{} == {}{SECOND_SUFFIX})", unless(&p.when), p.name, p.name);
        match list.iter_mut().find(|(known, _)| *known == label) {
            Some((_, parts)) => parts.push(equal),
            None => list.push((label, vec![equal])),
        }
    }
    list
}

/// The text `!(…) || `, where `…` are the conditions `when`; an empty text if there are no conditions.
pub fn unless(when: &[When]) -> String {
    condition(when, str::to_string).map_or(String::new(), |all| format!("!({all}) || "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_isa::ports::{Channel, Part};

    #[test]
    fn a_payload_is_compared_where_it_means_something_and_all_else_always() {
        let port = |name: &str, width, part, when: &[(&str, &[u64])]| Port {
            name: name.to_string(),
            dir: Dir::Out,
            width,
            group: "",
            doc: String::new(),
            values: vec![],
            channel: part,
            when: when.iter().map(|(port, values)| When { port: port.to_string(), values: values.to_vec() }).collect(),
        };
        let channel_of = |part| Some(Channel { name: "op".to_string(), part });
        let ports = [
            port("op_valid", 1, channel_of(Part::Valid), &[]),
            port("op_data", 8, channel_of(Part::Payload), &[("op_valid", &[1]), ("op_kind", &[2, 4])]),
            port("busy", 1, None, &[]),
        ];
        let expected = "    j_op: assert ((op_valid == op_valid_)\n      && \
                        (!((op_valid == 1) && (op_kind == 2 || op_kind == 4)) || op_data == op_data_));\n    \
                        j_busy: assert ((busy == busy_));\n";
        assert_eq!(same(&ports), expected);
        assert_eq!(labels(&ports), ["j_op", "j_busy"]);
    }
}
