// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules that come from the contract page of a unit, and not from its ports. The file `<unit>.rules` in this folder contains the rules
//! of a unit.
//!
//! A paragraph of the file is Verilog, or one rule:
//!
//! ```text
//! user waits                                   the side that breaks the rule, `user` or `unit`; the name of the rule
//!   if op_taken && |(waiting & op_bit)         Verilog: 1 in a cycle in which the rule is broken; may continue on further lines
//!   says "warp %0d issues while it waits", op_warp
//!   case op_valid=1 op_ready=1 waiting=1; op_valid=0
//! ```
//!
//! `case` is a stimulus that breaks the rule: for each cycle it lists the ports that are not 0; `;` ends a cycle, and a line of `case`
//! may continue on the next line. A paragraph that begins with the line `where PORT` is omitted for a unit without this port.
//! `each PORT_{n} LINE` repeats LINE for each port with such a name, with the port's number in place of `{n}`. `{width PORT}` is the number
//! of bits of a port.

use super::rule::{By, Rule};
use bcu_isa::ports::Port;

/// The text of the rules file of the unit `unit`; `None` if the unit has no such file.
fn source(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "bcu" => include_str!("bcu.rules"),
        "cta_table" => include_str!("cta_table.rules"),
        "decode" => include_str!("decode.rules"),
        "gather" => include_str!("gather.rules"),
        "mem_order" => include_str!("mem_order.rules"),
        "named" => include_str!("named.rules"),
        "gateway" => include_str!("gateway.rules"),
        "mbarrier" => include_str!("mbarrier.rules"),
        "cluster" => include_str!("cluster.rules"),
        "grid" => include_str!("grid.rules"),
        "warp_status" => include_str!("warp_status.rules"),
        "deadlock_detector" => include_str!("deadlock_detector.rules"),
        _ => return None,
    })
}

/// The Verilog declarations and the rules from the rules file of the unit `unit`.
pub fn rules(unit: &str, ports: &[Port]) -> (String, Vec<Rule>) {
    let (mut state, mut rules) = (String::new(), vec![]);
    for paragraph in source(unit).unwrap_or_default().split("\n\n") {
        let mut lines = paragraph.lines().filter(|line| !line.starts_with("//")).peekable();
        let mut is_built = true;
        while let Some(port) = lines.peek().and_then(|line| line.strip_prefix("where ")) {
            is_built &= ports.iter().any(|known| known.name == port);
            lines.next();
        }
        let lines: Vec<&str> = lines.collect();
        match lines.split_first() {
            _ if !is_built => {}
            Some((head, body)) if head.starts_with("user ") || head.starts_with("unit ") => rules.push(rule(head, body)),
            _ => lines.iter().flat_map(|line| each(line, ports)).for_each(|line| state += &format!("  {line}\n")),
        }
    }
    (state, rules)
}

/// Expands a line of a Verilog paragraph: replaces `each` and `{width PORT}`.
fn each(line: &str, ports: &[Port]) -> Vec<String> {
    let width = |name: &str| ports.iter().find(|port| port.name == name).map_or(1, |port| port.width);
    let indent = &line[..line.len() - line.trim_start().len()];
    let Some((port, rest)) = line.trim_start().strip_prefix("each ").and_then(|rest| rest.split_once(' ')) else {
        return vec![match line.split_once("{width ").and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
            Some((before, (port, after))) => format!("{before}{}{after}", width(port)),
            None => line.to_string(),
        }];
    };
    let numbered = |text: &str, n: usize| text.replace("{n}", &n.to_string());
    let is_there = |n: &usize| ports.iter().any(|known| known.name == numbered(port, *n));
    (0..).take_while(is_there).map(|n| format!("{indent}{}", numbered(rest, n))).collect()
}

/// The part of a rule to which a line belongs.
enum Place {
    If,
    Says,
    Case,
}

/// The rule in a paragraph: `head` is its first line, `body` the other lines. A line without a keyword continues the `if` or
/// the `case` before it.
fn rule(head: &str, body: &[&str]) -> Rule {
    let (by, name) = match head.split_once(' ') {
        Some(("user", name)) => (By::User, name),
        Some((_, name)) => (By::Unit, name),
        None => (By::Unit, head),
    };
    let (mut broken, mut says, mut case) = (String::new(), "", String::new());
    let mut place = Place::If;
    for line in body {
        let line = line.trim();
        let rest = match line.split_once(' ') {
            Some(("if", rest)) => {
                place = Place::If;
                rest
            }
            Some(("says", rest)) => {
                place = Place::Says;
                rest
            }
            Some(("case", rest)) => {
                place = Place::Case;
                rest
            }
            _ => line,
        };
        match place {
            Place::If => broken += &format!(" {rest}"),
            Place::Says => says = rest,
            Place::Case => case += &format!(" {rest}"),
        }
    }
    let says = says.trim_start_matches('"');
    let (message, arguments) = says.split_once('"').unwrap_or((says, ""));
    let cycle = |text: &str| text.split_whitespace().filter_map(|port| port.split_once('=')).map(owned).collect();
    Rule {
        by,
        name: name.to_string(),
        broken: broken.trim().to_string(),
        message: message.to_string(),
        arguments: arguments.to_string(),
        case: case.split(';').map(cycle).collect(),
    }
}

fn owned((port, value): (&str, &str)) -> (String, String) {
    (port.to_string(), value.to_string())
}
