// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules that follow from a port table: rules 2, 5 and 7 of *Rules for all units* in `docs/contract/bcu.md`.

use super::super::port_text::condition;
use super::rule::{By, Cycle, Rule};
use bcu_isa::ports::{transfers, Dir, Port, Transfer, When};
use std::fmt::Write as _;

/// The rules, and the Verilog declarations that the rules read. For each channel two wires are declared: `<channel>_taken` is 1 in a
/// transfer; `<channel>_offered` is the payload, with 0 in each field that is not meaningful in the cycle.
pub fn rules(ports: &[Port], warps: usize) -> (String, Vec<Rule>) {
    let (mut state, mut rules) = (String::new(), vec![]);
    for transfer in transfers(ports) {
        match transfer.ready {
            Some(_) => channel(&transfer, &mut state, &mut rules),
            None => strobe(&transfer, &mut rules),
        }
        known_payload(&transfer, &mut rules);
    }
    known_levels(ports, &mut rules);
    rules.extend(ports.iter().filter_map(|port| of_values(port, warps)));
    (state, rules)
}

fn by(dir: Dir) -> By {
    match dir {
        Dir::In => By::User,
        Dir::Out => By::Unit,
    }
}

fn rule(by: By, name: String, broken: String, message: String, case: Vec<Cycle>) -> Rule {
    Rule { by, name, broken, message, arguments: String::new(), case }
}

/// A cycle in which each port in `values` has the given value, in Verilog.
fn cycle(values: &[(&str, &str)]) -> Cycle {
    values.iter().map(|(port, value)| (port.to_string(), value.to_string())).collect()
}

/// Adds the rules of a channel (rule 2): an offer and each of its meaningful fields hold until the transfer, and a unit offers nothing in
/// the cycle after a reset.
fn channel(transfer: &Transfer, state: &mut String, rules: &mut Vec<Rule>) {
    let Transfer { name, dir, payload, .. } = transfer;
    let bits: usize = payload.iter().map(|port| port.width).sum();
    let fields: Vec<String> = payload.iter().map(|port| masked(port)).collect();
    let _ = writeln!(
        state,
        "  wire {name}_taken = active && {name}_valid && {name}_ready;\n  wire [{top}:0] {name}_offered = {{{}}};\n  \
         reg {name}_waits;\n  reg [{top}:0] {name}_offered_before;\n  always @(posedge clock) begin\n    \
         {name}_waits <= active && {name}_valid && !{name}_ready;\n    {name}_offered_before <= {name}_offered;\n  end",
        fields.join(", "),
        top = bits - 1
    );
    let valid = format!("{name}_valid");
    let offer = |more: Vec<(String, String)>| {
        let mut cycle = cycle(&[(&valid, "1")]);
        cycle.extend(more);
        cycle
    };
    let by = by(*dir);
    rules.push(rule(
        by,
        format!("{name}_held"),
        format!("{name}_waits && {valid} !== 1'b1"),
        format!("{valid} falls before {name}_ready"),
        vec![offer(vec![]), vec![]],
    ));
    let changed = first_field(payload).map_or_else(Cycle::new, |field| cycle(&[(field, "1")]));
    rules.push(rule(
        by,
        format!("{name}_stable"),
        format!("{name}_waits && {valid} === 1'b1 && {name}_offered_before !== {name}_offered"),
        format!("the payload of {name} changes before {name}_ready"),
        vec![offer(vec![]), offer(changed)],
    ));
    if *dir == Dir::Out {
        rules.push(rule(
            by,
            format!("{name}_after_reset"),
            format!("after_reset && {valid} !== 1'b0"),
            format!("{valid} is 1 in the cycle after a reset"),
            vec![offer(vec![])],
        ));
    }
}

/// Adds rule 5 for an output strobe: while its `valid` is 0, each payload field that is meaningful in every cycle is 0.
fn strobe(transfer: &Transfer, rules: &mut Vec<Rule>) {
    let Transfer { name, dir: Dir::Out, valid, payload, .. } = transfer else { return };
    for port in payload.iter().filter(|port| port.when.is_empty()) {
        rules.push(rule(
            By::Unit,
            format!("{}_idle", port.name),
            format!("{} === 1'b0 && {} != 0", valid.name, port.name),
            format!("{} is not 0 without {name}_valid", port.name),
            vec![cycle(&[(&port.name, "1")])],
        ));
    }
}

/// Adds the rule that an offered payload has no unknown bit in a meaningful field.
fn known_payload(transfer: &Transfer, rules: &mut Vec<Rule>) {
    let Transfer { name, dir, valid, payload, .. } = transfer;
    let Some(field) = first_field(payload) else { return };
    let fields: Vec<String> = payload.iter().map(|port| masked(port)).collect();
    rules.push(rule(
        by(*dir),
        format!("{name}_known"),
        format!("{} === 1'b1 && ^{{{}}} === 1'bx", valid.name, fields.join(", ")),
        format!("the payload of {name} has unknown bits"),
        vec![cycle(&[(&valid.name, "1"), (field, "'bx")])],
    ));
}

/// Adds a rule for the inputs and a rule for the outputs: ports that are meaningful in every cycle have no unknown bit.
fn known_levels(ports: &[Port], rules: &mut Vec<Rule>) {
    for (dir, name) in [(Dir::In, "inputs"), (Dir::Out, "outputs")] {
        let is_level = |port: &&Port| port.dir == dir && port.when.is_empty() && port.name != "reset";
        let levels: Vec<&str> = ports.iter().filter(is_level).map(|port| port.name.as_str()).collect();
        let Some(port) = levels.first() else { continue };
        rules.push(rule(
            by(dir),
            format!("{name}_known"),
            format!("^{{{}}} === 1'bx", levels.join(", ")),
            format!("unknown bits in always meaningful {name}"),
            vec![cycle(&[(port, "'bx")])],
        ));
    }
}

/// The rule that a warp number is below `warps` (rule 7), or that a value of an enumeration has a name. `None`: the port is neither a warp
/// number nor an enumeration, or every value of its width is legal.
fn of_values(port: &Port, warps: usize) -> Option<Rule> {
    let is_warp = port.name == "warp" || port.name.ends_with("_warp");
    let (limit, of) = match port.values.len() {
        0 if is_warp => (warps, format!("there are {warps} warps")),
        0 => return None,
        values => (values, format!("there are {values} values")),
    };
    let has_more = 1_u128.checked_shl(port.width as u32).is_none_or(|all| all > limit as u128);
    let mut broken = cycle(&[(&port.name, &limit.to_string())]);
    broken.extend(port.when.iter().filter_map(|When { port, values }| Some((port.clone(), values.first()?.to_string()))));
    let condition = condition(&port.when, str::to_string).map_or(String::new(), |condition| format!("{condition} && "));
    has_more.then(|| Rule {
        arguments: format!(", {}", port.name),
        ..rule(
            by(port.dir),
            format!("{}_in_range", port.name),
            format!("{condition}{} >= {limit}", port.name),
            format!("{} is %0d, {of}", port.name),
            vec![broken],
        )
    })
}

/// Verilog expression: the bits of `port` in the cycles in which `port` is meaningful, else 0. A condition on `valid` is omitted, because
/// each rule checks `valid` itself.
fn masked(port: &Port) -> String {
    match condition(port.when.iter().filter(|when| !when.port.ends_with("_valid")), str::to_string) {
        Some(condition) => format!("({condition}) ? {} : {}'d0", port.name, port.width),
        None => port.name.clone(),
    }
}

/// The first field of the payload that is meaningful in a cycle in which every other field is 0.
fn first_field<'a>(payload: &[&'a Port]) -> Option<&'a str> {
    let is_free = |when: &When| when.port.ends_with("_valid") || when.values.contains(&0);
    payload.iter().find(|port| port.when.iter().all(is_free)).map(|port| port.name.as_str())
}
