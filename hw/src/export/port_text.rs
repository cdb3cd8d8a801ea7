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

/// The sentence of a doc about configurations without a counter of lost faults.
const NOT_COUNTED: &str = " Always 0 without `lose_faults` in the configuration.";

/// The doc of that counter without the sentence.
const LOST: &str = "Number of faults lost since reset because the fault queue was full; it stops at 65535.";

/// What the header of the fault queue states about a full queue.
const FULL: &str = "While the queue is full, the stream stops; with `lose_faults` faults are lost instead, and counted.";

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
    phrases(config).iter().fold(text, |text, (phrase, other)| text.replace(phrase, other))
}

/// Phrases of docs about several configurations, each with what it means in this configuration: the unit of barriers that the configuration
/// has, in place of both; whether faults are lost.
pub fn phrases(config: &Config) -> Vec<(String, String)> {
    let unit = if config.has_gateway() { "`gateway`" } else { "`named`" };
    let (lost, full) = if config.lose_faults {
        (LOST, "A fault that finds the queue full is lost, and counted.")
    } else {
        ("Always 0: no fault is lost in this configuration.", "While the queue is full, the stream stops.")
    };
    let pairs = [
        ("`named` or `gateway`", unit),
        ("`named` and `gateway`", unit),
        (&format!("{LOST}{NOT_COUNTED}"), lost),
        (FULL, full),
    ];
    pairs.map(|(phrase, other)| (phrase.to_string(), other.to_string())).to_vec()
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
