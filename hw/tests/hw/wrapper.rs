// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrappers in other languages: their ports are those that Yosys reads from the Verilog of the export.

use super::printer::tools::{run, Scratch};
use bcu_hw::export::wrapper::HostLanguage;
use bcu_hw::export::{files_with, Style};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config};
use std::collections::BTreeMap;

/// Direction and width of each port, by name.
type Ports = BTreeMap<String, (Direction, usize)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

/// The ports of each module, as Yosys reads them.
fn ports_of_verilog(scratch: &Scratch, modules: &[String]) -> BTreeMap<String, Ports> {
    let read: String = modules.iter().map(|module| format!("read_verilog -lib {module}.v; ")).collect();
    run(scratch, &format!("yosys -q -p '{read}write_json ports.json'"));
    let text = std::fs::read_to_string(scratch.path.join("ports.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let direction = |text: &serde_json::Value| if text == "input" { Direction::In } else { Direction::Out };
    let ports_of = |module: &String| {
        let ports = json["modules"][module]["ports"].as_object().unwrap_or_else(|| panic!("no module {module}"));
        let port = |port: &serde_json::Value| (direction(&port["direction"]), port["bits"].as_array().unwrap().len());
        (module.clone(), ports.iter().map(|(name, value)| (name.clone(), port(value))).collect())
    };
    modules.iter().map(ports_of).collect()
}

/// The ports of each module, as a wrapper in Scala has them: `name` is the text before the name of the module; `kinds` gives direction and
/// width of the text after `val NAME = `.
fn ports_of_scala(text: &str, name: &str, port: impl Fn(&str) -> Option<(Direction, usize)>) -> BTreeMap<String, Ports> {
    let mut found = BTreeMap::new();
    for class in text.split("\nclass ").skip(1) {
        let module = class.split_once(name).and_then(|(_, rest)| rest.split('"').next()).expect("the name of a module");
        let declared = class.lines().filter_map(|line| line.trim().strip_prefix("val ")?.split_once(" = "));
        let ports = declared.filter_map(|(name, kind)| Some((name.to_string(), port(kind.split("  //").next()?)?)));
        found.insert(module.to_string(), ports.collect());
    }
    found
}

fn chisel_port(kind: &str) -> Option<(Direction, usize)> {
    let (direction, kind) = match kind.split_once('(')? {
        ("Input", kind) => (Direction::In, kind),
        ("Output", kind) => (Direction::Out, kind),
        _ => return None,
    };
    let width = match kind {
        "Bool())" | "Clock())" => 1,
        kind => kind.strip_prefix("UInt(")?.strip_suffix(".W))")?.parse().ok()?,
    };
    Some((direction, width))
}

fn spinal_port(kind: &str) -> Option<(Direction, usize)> {
    let (direction, kind) = match kind.split_once(' ')? {
        ("in", kind) => (Direction::In, kind),
        ("out", kind) => (Direction::Out, kind),
        _ => return None,
    };
    let width = match kind {
        "Bool()" => 1,
        kind => kind.strip_prefix("Bits(")?.strip_suffix(" bits)")?.parse().ok()?,
    };
    Some((direction, width))
}

/// The ports of each module, as a wrapper in Python has them: the members with their widths, and the connections of the instance, which
/// must be the members, the clock and the reset.
fn ports_of_python(text: &str) -> BTreeMap<String, Ports> {
    let mut found = BTreeMap::new();
    for class in text.split("\nclass ").skip(1) {
        let (members, instance) = class.split_once("Instance(\n").expect("an instance");
        let member = |line: &str| {
            let (name, kind) = line.trim().strip_prefix('"')?.split_once("\": ")?;
            let (kind, rest) = kind.split_once('(')?;
            let direction = if kind == "In" { Direction::In } else { Direction::Out };
            Some((name.to_string(), (direction, rest.split(')').next()?.parse().ok()?)))
        };
        let mut ports: Ports = members.lines().filter_map(member).collect();
        ports.extend(["clock", "reset"].map(|name| (name.to_string(), (Direction::In, 1))));
        let connection = |line: &str| {
            let (left, right) = line.trim().trim_end_matches(',').split_once('=')?;
            let (kind, name) = left.split_once('_')?;
            let value = match name {
                "clock" => "ClockSignal()".to_string(),
                "reset" => "ResetSignal()".to_string(),
                name => format!("self.{name}"),
            };
            assert!(kind == "p" || right == value, "{line}");
            let direction = if kind == "i" { Direction::In } else { Direction::Out };
            (kind != "p").then(|| (name.to_string(), direction))
        };
        let connected: BTreeMap<_, _> = instance.lines().filter_map(connection).collect();
        assert_eq!(connected, ports.iter().map(|(name, (direction, _))| (name.clone(), *direction)).collect());
        let module = instance.trim().strip_prefix('"').and_then(|rest| rest.split('"').next()).expect("the name of a module");
        found.insert(module.to_string(), ports);
    }
    found
}

#[test]
fn wrappers_have_the_ports_that_yosys_reads_from_the_verilog() {
    for (name, prefix) in [("tiny", PREFIX), ("odd_sizes", "mine"), ("intel", PREFIX), ("warp8_bare", "a_b")] {
        let config = config::by_name(name).unwrap();
        let scratch = Scratch::new(&format!("wrapper-{name}"));
        let files = files_with(
            &config,
            catalog::outermost(&config),
            prefix,
            Style { wrappers: &HostLanguage::ALL, ..Style::default() },
        )
        .unwrap();
        files.iter().for_each(|(file, text)| scratch.write(file, text));
        let text = |name: &str| &files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no file {name}")).1;
        let manifest = if prefix == PREFIX { "manifest.json".to_string() } else { format!("{prefix}_manifest.json") };
        let manifest: serde_json::Value = serde_json::from_str(text(&manifest)).unwrap();
        let units = manifest["units"].as_array().unwrap();
        let modules: Vec<String> = units.iter().map(|unit| unit["module"].as_str().unwrap().to_string()).collect();
        let expected = ports_of_verilog(&scratch, &modules);
        assert!(expected.values().all(|ports| ports.len() > 2) && expected.len() >= 8, "{expected:?}");
        let chisel = ports_of_scala(text(&format!("{prefix}_chisel.scala")), "desiredName: String = \"", chisel_port);
        let spinal = ports_of_scala(text(&format!("{prefix}_spinal.scala")), "setBlackBoxName(\"", spinal_port);
        let amaranth = ports_of_python(text(&format!("{prefix}_amaranth.py")));
        for (language, found) in [("Chisel", chisel), ("SpinalHDL", spinal), ("Amaranth", amaranth)] {
            assert!(found.keys().eq(expected.keys()), "{name}, {language}: {:?}", found.keys());
            for (module, ports) in &expected {
                assert_eq!(found[module], *ports, "{name}, {language}, {module}");
            }
        }
    }
}

/// No port has a name that is a keyword of Scala or Python, or a member of the classes around it.
#[test]
fn ports_have_names_that_the_languages_allow() {
    const TAKEN: &str = "abstract case catch class def do else extends false final finally for forSome if implicit import lazy match new \
                         null object override package private protected return sealed super this throw trait try true type val var while \
                         with yield and as assert async await break continue del elif except from global in is lambda nonlocal not or \
                         pass raise folder elaborate signature io name clone wait notify FILES";
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        for unit in catalog::built(&config) {
            for port in catalog::build(&config, unit).unwrap().ports() {
                assert!(TAKEN.split_whitespace().all(|word| word != port.name), "{}, {unit}: `{}`", config.name, port.name);
            }
        }
    }
}
