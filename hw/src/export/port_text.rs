// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of a port table as text: what a port means in one unit of one configuration, ranges, and the condition under which a port is
//! meaningful.
//!
//! A payload passes through several units, and its fields have one doc for all of them. A clause of a doc (the text between two `; `) that
//! begins with the name of a kind of operation is for the units that have such operations, and a word in capitals is a size:
//!
//! ```text
//! Write: the state word; mbarrier: the shared address; gateway: the message, whose bit 13 is 1 for a wait.
//! Number of barriers declared; a number above BARRIERS counts as BARRIERS.
//! ```

use crate::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port, When};

/// A feature of a configuration that some clauses need: the name in messages, the beginnings of these clauses, and whether a unit has it.
type Feature = (&'static str, &'static [&'static str], fn(&str, &Config) -> bool);

const FEATURES: [Feature; 4] = [
    ("mbarriers", &["mbarrier: "], |unit, config| config.has_mbarrier() && unit != "named"),
    ("barriers of a gateway", &["gateway: "], |unit, config| config.has_gateway() && unit != "named"),
    ("reductions", &["reduce: ", "result of the reduction", "kind of reduction"], |_, config| {
        config.has_named() && config.reductions
    }),
    (
        "state words",
        &["write: ", "read, write: ", "a state word is written", "one cycle: the result of a read"],
        |_, config| config.has_named() && config.state_words,
    ),
];

/// A sentence of the doc of a counter that only some configurations have.
const NOT_COUNTED: &str = "Always 0 without `lose_faults` in the configuration.";

/// The ports of a unit, each with its meaning in this unit and at the sizes of this configuration.
pub fn ports(unit: &dyn Unit, config: &Config) -> Vec<Port> {
    let mut ports = unit.ports();
    for port in &mut ports {
        port.doc = doc(&port.doc, port.dir, unit.name(), config);
    }
    ports
}

/// The doc of a port in a unit.
fn doc(doc: &str, dir: Dir, unit: &str, config: &Config) -> String {
    let absent = |clause: &str| {
        let clause = clause.to_lowercase();
        let of = FEATURES.iter().find(|(_, beginnings, _)| beginnings.iter().any(|beginning| clause.starts_with(beginning)));
        of.filter(|(_, _, built)| !built(unit, config)).map(|(name, ..)| *name)
    };
    let clauses: Vec<&str> = doc.split("; ").filter(|clause| absent(clause).is_none()).collect();
    let mut text = clauses.join("; ");
    if let (true, Some(feature)) = (text.is_empty(), doc.split("; ").find_map(absent)) {
        return match dir {
            Dir::In => format!("Unused: {feature} are not built."),
            Dir::Out => format!("Constant: {feature} are not built."),
        };
    }
    if text.contains(NOT_COUNTED) {
        if !config.lose_faults {
            return "Always 0: no fault is lost in this configuration.".to_string();
        }
        text = text.replace(NOT_COUNTED, "").trim_end().to_string();
    }
    if !text.ends_with('.') && doc.ends_with('.') {
        text.push('.');
    }
    if let Some(first) = text.get(..1) {
        text = format!("{}{}", first.to_uppercase(), &text[1..]);
    }
    text = text.replace("BARRIERS", &config.ids().to_string());
    text = match config.cluster_size {
        0 => text.replace(", 1 to CLUSTER_SIZE", ""),
        size => text.replace("CLUSTER_SIZE", &size.to_string()),
    };
    of_one_unit(&text, config)
}

/// The text with the unit of barriers that the configuration has, in place of both.
pub fn of_one_unit(text: &str, config: &Config) -> String {
    let one = if config.has_gateway() { "`gateway`" } else { "`named`" };
    text.replace("`named` or `gateway`", one).replace("`named` and `gateway`", one)
}

/// `[7:0] ` for a port with 8 bits; empty for a port with a single bit.
pub fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

/// A Verilog expression that is true in the cycles in which all conditions in `when` hold; `name` maps each port to its name in the text.
/// `None` if `when` is empty.
pub fn condition<'a>(when: impl IntoIterator<Item = &'a When>, name: impl Fn(&str) -> String) -> Option<String> {
    let one = |When { port, values }: &When| {
        let port = name(port);
        let any: Vec<String> = values.iter().map(|value| format!("{port} == {value}")).collect();
        format!("({})", any.join(" || "))
    };
    let all: Vec<String> = when.into_iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(" && "))
}
