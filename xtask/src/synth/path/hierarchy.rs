// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The modules of a design before it is flattened, from the JSON that Yosys writes. It finds the module and the signal of a name in the
//! mapped netlist, and the module that drives a signal.

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A design of modules.
pub struct Hierarchy {
    top: String,
    modules: BTreeMap<String, Module>,
}

#[derive(Default)]
struct Module {
    /// The name in the source text, without parameters.
    name: String,
    /// File and line of the source text.
    source: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    nets: BTreeMap<String, Vec<u64>>,
    instances: BTreeMap<String, Instance>,
}

struct Instance {
    module: String,
    pins: BTreeMap<String, Vec<u64>>,
}

/// A signal in an instance of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The instances from the top to the module.
    pub instances: Vec<String>,
    pub signal: String,
    pub bit: usize,
    pub relation: Relation,
}

/// How a wire is related to the signal of its [`Place`]. Yosys names a wire without a name after a signal nearby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The wire is the signal.
    Is,
    /// The signal is computed from the wire.
    Into,
    /// The wire is computed from the signal.
    From,
    /// The name is of a cell or is not known.
    Cell,
}

/// The kinds of cells in names that Yosys makes: `<signal>_<kind>_<pin>`.
const KINDS: [&str; 10] =
    ["_SB_LUT4_", "_SB_DFF", "_SB_CARRY_", "_SB_RAM40", "_LUT4_", "_PFUMX_", "_L6MUX21_", "_CCU2C_", "_TRELLIS_", "_DP16KD_"];
/// What follows in names of the kinds above.
const REST_OF_KIND: [&str; 13] = ["", "FF", "E", "SR", "ESR", "SS", "ESS", "R", "ER", "S", "ES", "4K", "DPR16X4"];
/// The pins by which cells drive wires, besides those of ECP5's memories, which begin with `DO`.
const DRIVING_PINS: [&str; 7] = ["O", "Q", "Z", "CO", "RDATA", "S0", "S1"];

impl Hierarchy {
    /// Reads what `write_json` wrote after `hierarchy` and `proc`.
    pub fn read(json: &str, top: &str) -> Result<Hierarchy> {
        let design: Value = serde_json::from_str(json).context("Yosys wrote no JSON")?;
        let found = design["modules"].as_object().context("Yosys wrote no modules")?;
        let modules = found.iter().map(|(name, module)| (name.clone(), Module::read(name, module))).collect();
        Ok(Hierarchy { top: top.to_string(), modules })
    }

    fn module(&self, instances: &[String]) -> Option<&Module> {
        instances.iter().try_fold(self.modules.get(&self.top)?, |module, instance| {
            self.modules.get(&module.instances.get(instance)?.module)
        })
    }

    /// The name of the module of an instance, and the file and line of its text.
    pub fn text_of(&self, instances: &[String]) -> Option<(&str, &str)> {
        self.module(instances).map(|module| (module.name.as_str(), module.source.as_str()))
    }

    /// Whether the place is an input of the top.
    pub fn is_input(&self, place: &Place) -> bool {
        place.instances.is_empty() && self.module(&[]).is_some_and(|top| top.inputs.contains(&place.signal))
    }

    /// The place of a name of the flat netlist.
    pub fn place(&self, name: &str) -> Place {
        let (name, bit) = bit_of(name);
        let (mut instances, mut rest) = (vec![], name);
        while let Some(module) = self.module(&instances) {
            let is_inside = |instance: &&String| rest.strip_prefix(instance.as_str()).is_some_and(|rest| rest.starts_with('.'));
            let Some(inside) = module.instances.keys().filter(is_inside).max_by_key(|instance| instance.len()) else { break };
            rest = &rest[inside.len() + 1..];
            instances.push(inside.clone());
        }
        let nets = self.module(&instances).map(|module| &module.nets);
        let is_net = |name: &str| nets.is_some_and(|nets| nets.contains_key(name));
        let (signal, bit, relation) = if is_net(rest) {
            (rest, bit, Relation::Is)
        } else {
            let cuts = KINDS.iter().flat_map(|kind| rest.match_indices(kind).map(|(at, kind)| (at, at + kind.len())));
            match cuts.filter(|(at, _)| is_net(&rest[..*at])).max() {
                Some((at, after)) => (&rest[..at], 0, relation(&rest[after..])),
                None => (rest, 0, Relation::Cell),
            }
        };
        Place { instances, signal: signal.to_string(), bit, relation }
    }

    /// The place where a signal is computed, read from memory or held: the path follows the ports of modules.
    pub fn driver(&self, place: &Place) -> Place {
        let mut place = place.clone();
        // A path through ports is finite; the limit is for a design with a loop of wires.
        for _ in 0..100 {
            match self.source(&place) {
                Some(source) => place = source,
                None => break,
            }
        }
        place
    }

    /// One step toward the driver.
    fn source(&self, place: &Place) -> Option<Place> {
        let Place { instances, signal, bit, relation } = place;
        let module = self.module(instances)?;
        let wire = *module.nets.get(signal)?.get(*bit)?;
        let position = |bits: &[u64]| bits.iter().position(|bit| *bit == wire);
        for (name, instance) in &module.instances {
            let Some(inner) = self.modules.get(&instance.module) else { continue };
            let output = inner.outputs.iter().find_map(|port| Some((port, position(instance.pins.get(port)?)?)));
            if let Some((port, bit)) = output {
                let instances = [instances.as_slice(), std::slice::from_ref(name)].concat();
                return Some(Place { instances, signal: port.clone(), bit, relation: *relation });
            }
        }
        let (port, bit) = module.inputs.iter().find_map(|port| Some((port, position(module.nets.get(port)?)?)))?;
        let (instance, outer) = instances.split_last()?;
        let parent = self.module(outer)?;
        let wire = parent.instances.get(instance)?.pins.get(port)?.get(bit)?;
        let named = |(name, bits): (&String, &Vec<u64>)| Some((name.clone(), bits.iter().position(|bit| bit == wire)?));
        let (signal, bit) = parent.nets.iter().find_map(named)?;
        Some(Place { instances: outer.to_vec(), signal, bit, relation: *relation })
    }
}

impl Module {
    fn read(name: &str, json: &Value) -> Module {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let entries = |key: &str| json[key].as_object().into_iter().flat_map(Map::iter);
        let ports = |direction: &str| {
            let of_direction = entries("ports").filter(|(_, port)| port["direction"] == direction);
            of_direction.map(|(name, _)| name.clone()).collect()
        };
        let is_named = |name: &String| !name.starts_with('$');
        let instance = |cell: &Value| Instance {
            module: text(&cell["type"]),
            pins: cell["connections"].as_object().into_iter().flatten().map(|(pin, bits)| (pin.clone(), wires(bits))).collect(),
        };
        Module {
            name: match json["attributes"]["hdlname"].as_str() {
                Some(name) => name.trim_start_matches('\\').to_string(),
                None => name.to_string(),
            },
            source: text(&json["attributes"]["src"]),
            inputs: ports("input"),
            outputs: ports("output"),
            nets: entries("netnames")
                .filter(|(name, _)| is_named(name))
                .map(|(name, net)| (name.clone(), wires(&net["bits"])))
                .collect(),
            instances: entries("cells")
                .filter(|(name, cell)| is_named(name) && !text(&cell["type"]).starts_with("$_"))
                .map(|(name, cell)| (name.clone(), instance(cell)))
                .collect(),
        }
    }
}

/// The numbers of wires; a constant is `u64::MAX`.
pub fn wires(bits: &Value) -> Vec<u64> {
    bits.as_array().into_iter().flatten().map(|bit| bit.as_u64().unwrap_or(u64::MAX)).collect()
}

/// A name and the bit that follows it in brackets.
pub fn bit_of(name: &str) -> (&str, usize) {
    let split = || {
        let (base, bit) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((base, bit.parse().ok()?))
    };
    split().unwrap_or((name, 0))
}

/// The relation of a wire named `<signal>_<kind>_<pins>`, from what follows the kind. The kind of a flip-flop or memory may have further
/// letters.
fn relation(pins: &str) -> Relation {
    let mut pins = pins.split('_').filter(|part| !REST_OF_KIND.contains(part));
    match pins.next() {
        Some(pin) if DRIVING_PINS.contains(&pin) || pin.starts_with("DO") => Relation::Into,
        Some(_) => Relation::From,
        None => Relation::Cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `top` has the instances `a` and `b` of `leaf`, and `a` drives the input of `b`.
    const DESIGN: &str = r#"{"modules": {
        "top": {"attributes": {"src": "t.v:1.1-9.10"},
            "ports": {"x": {"direction": "input", "bits": [2, 3]}},
            "netnames": {"x": {"bits": [2, 3]}, "a_y": {"bits": [4, 5]}, "$auto$1": {"bits": [6]}},
            "cells": {
                "a": {"type": "$paramod\\leaf\\N=2", "connections": {"i": [2, 3], "y": [4, 5]}},
                "b": {"type": "$paramod\\leaf\\N=2", "connections": {"i": [5, 6], "y": [7, 8]}},
                "$and$1": {"type": "$and", "connections": {"Y": [6]}}}},
        "$paramod\\leaf\\N=2": {"attributes": {"hdlname": "\\leaf", "src": "folder/leaf.v:3.1-4.2"},
            "ports": {"i": {"direction": "input", "bits": [2, 3]}, "y": {"direction": "output", "bits": [4, 5]}},
            "netnames": {"i": {"bits": [2, 3]}, "y": {"bits": [4, 5]}},
            "cells": {}}}}"#;

    fn design() -> Hierarchy {
        Hierarchy::read(DESIGN, "top").unwrap()
    }

    fn place(instances: &[&str], signal: &str, bit: usize, relation: Relation) -> Place {
        let instances = instances.iter().map(ToString::to_string).collect();
        Place { instances, signal: signal.to_string(), bit, relation }
    }

    #[test]
    fn a_name_of_the_flat_netlist_is_split_into_instances_and_signal() {
        let found = |name: &str| design().place(name);
        assert_eq!(found("b.i[1]"), place(&["b"], "i", 1, Relation::Is));
        assert_eq!(found("a_y"), place(&[], "a_y", 0, Relation::Is));
        assert_eq!(found("a.y_SB_LUT4_O_I2[3]"), place(&["a"], "y", 0, Relation::Into));
        assert_eq!(found("a.i_LUT4_B_Z_PFUMX_BLUT_Z"), place(&["a"], "i", 0, Relation::From));
        assert_eq!(found("a.y_TRELLIS_FF_Q_DI"), place(&["a"], "y", 0, Relation::Into));
        assert_eq!(found("a.y_SB_DFFESR_Q_D"), place(&["a"], "y", 0, Relation::Into));
        assert_eq!(found("a.y_SB_RAM40_4K_RDATA_3"), place(&["a"], "y", 0, Relation::Into));
        assert_eq!(found("a.y_TRELLIS_DPR16X4_DO_1"), place(&["a"], "y", 0, Relation::Into));
        assert_eq!(found("a.y_SB_RAM40_4K_WDATA"), place(&["a"], "y", 0, Relation::From));
        assert_eq!(found("a.words.0.0"), place(&["a"], "words.0.0", 0, Relation::Cell));
    }

    #[test]
    fn a_signal_is_followed_to_its_driver() {
        let driver = |place: Place| design().driver(&place);
        let is = |instances: &[&str], signal: &str, bit| place(instances, signal, bit, Relation::Is);
        assert_eq!(driver(is(&["b"], "i", 0)), is(&["a"], "y", 1));
        assert_eq!(driver(is(&[], "a_y", 0)), is(&["a"], "y", 0));
        assert_eq!(driver(is(&["a"], "i", 1)), is(&[], "x", 1));
        assert!(
            design().is_input(&is(&[], "x", 1))
                && !design().is_input(&is(&[], "a_y", 0))
                && !design().is_input(&is(&["a"], "i", 0))
        );
        // The second input of `b` is a value without a name.
        assert_eq!(driver(is(&["b"], "i", 1)), is(&["b"], "i", 1));
        assert_eq!(design().text_of(&["a".to_string()]), Some(("leaf", "folder/leaf.v:3.1-4.2")));
    }
}
