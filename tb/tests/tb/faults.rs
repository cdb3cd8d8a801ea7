// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep catches every fault of `tb/faults.toml` in the machine code, and in the export where Verilator runs it alone. A run that
//! does not tell these from the model would not find such a fault in the units themselves either.

use bcu_hw::export::options;
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{export_faulty, Fault, FaultError, Options, Reads};
use bcu_hw::{catalog, netlist};
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Port;
use bcu_jit::Compiled;
use bcu_model::{by_name, Sizes};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{campaign, design, BenchError, Effort, POWER_UP};
use bcu_tb::lockstep::{
    first_difference, Backend, Bench, CompiledBackend, Divergence, Entrant, LockstepError, VerilatorBackend,
};
use bcu_tb::testbench::{recordings, Play};
use serde::Deserialize;
use std::path::PathBuf;

const CYCLES: usize = 400_000;
const CONFIG: &str = "small";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fault: Vec<Entry>,
    in_text: Vec<TextEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    unit: String,
    /// Where it can be seen, if not at `small`.
    config: Option<String>,
    block: String,
    signal: String,
    reads: String,
    seen_by: Option<String>,
    /// What the fault breaks, one sentence.
    breaks: String,
}

/// A fault in the exported text of a unit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextEntry {
    name: String,
    unit: String,
    module: String,
    text: String,
    becomes: String,
    breaks: String,
}

impl TextEntry {
    /// `export` with this fault.
    fn apply(&self, export: &str) -> String {
        let start = export.find(&format!("\nmodule {} (", self.module));
        let start = start.unwrap_or_else(|| panic!("fault `{}`: the export has no module `{}`", self.name, self.module));
        let end = start + export[start..].find("\nendmodule").expect("a module has an end");
        let module = &export[start..end];
        let places = module.matches(&self.text).count();
        assert_eq!(places, 1, "fault `{}`: `{}` stands {places} times in:{module}", self.name, self.text);
        [&export[..start], &module.replace(&self.text, &self.becomes), &export[end..]].concat()
    }
}

impl Entry {
    fn fault(&self) -> Fault {
        let Entry { block, signal, seen_by, reads, .. } = self;
        Fault { block: block.clone(), signal: signal.clone(), seen_by: seen_by.clone(), reads: Reads::parse(reads) }
    }

    fn config(&self) -> Config {
        named(self.config.as_deref().unwrap_or(CONFIG)).unwrap()
    }
}

fn file() -> File {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/faults.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn config() -> Config {
    named(CONFIG).unwrap()
}

fn unit(config: &Config, name: &str) -> Box<dyn Unit> {
    catalog::build(config, name).unwrap()
}

fn compiled(entry: &Entry) -> Box<dyn Backend> {
    let unit = unit(&entry.config(), &entry.unit);
    let netlist = netlist::build_faulty(unit.block(), unit.name(), &entry.fault())
        .unwrap_or_else(|e| panic!("fault `{}`: {e}", entry.name));
    Box::new(CompiledBackend { code: Compiled::of_netlist(&netlist, unit.ports()).unwrap() })
}

/// What of a unit runs under Verilator if its exported text is this.
fn verilated(unit: &dyn Unit, text: String) -> Box<dyn Backend> {
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let top = Options::new(unit.name()).top;
    let design = Verilated::build(&Design { text, top, ports: unit.ports() }, &work, Optimisation::None).unwrap();
    Box::new(VerilatorBackend { design, ports: unit.ports(), seed: POWER_UP })
}

/// The divergence of a faulty unit from its model.
fn hunt(config: &Config, unit_name: &str, fault: &str, breaks: &str, backend: Box<dyn Backend>) -> Divergence {
    let (sizes, name) = (Sizes::try_from(config).unwrap(), unit_name.to_string());
    let ports = unit(config, unit_name).ports();
    let model = move || by_name(&name, sizes).unwrap();
    let named = |ports: &[Port]| ports.iter().map(|p| (p.name.clone(), p.width)).collect::<Vec<_>>();
    assert_eq!(named(&ports), named(model().ports()), "unit and model have other ports: every fault would be caught");
    let mut bench = Bench { ports, model: Box::new(model), entrants: vec![Entrant { backend, left: CYCLES }] };
    let effort = Effort { cycles: CYCLES, block: 0, verilator: 0, icarus: 0 };
    let command = |seed, cycles| format!("lockstep of `{fault}` seed {seed} for {cycles} cycles");
    match campaign(&mut bench, unit_name, config, effort, 0, &command, &mut |_| ()) {
        Err(BenchError::Lockstep(LockstepError::Divergence(found))) => {
            println!("{fault}: {breaks}\n{found}\n");
            // In `mbarrier` entries are cleared first, and a walk over them may come last; in `bcu` each launch is a walk over the warps.
            let most = if unit_name == "bcu" { 150 } else { 100 };
            assert!(found.minimal_cycles <= most, "{fault}: {} cycles are not much of a shrink", found.minimal_cycles);
            *found
        }
        Err(other) => panic!("{fault}: {other}"),
        Ok(()) => panic!("{fault}: not caught in {CYCLES} cycles: {breaks}"),
    }
}

#[test]
fn every_fault_is_caught_and_shrunk() {
    let entries = file().fault;
    assert!(entries.len() >= 14);
    for entry in &entries {
        hunt(&entry.config(), &entry.unit, &entry.name, &entry.breaks, compiled(entry));
    }
}

/// What the bench in Verilog compares is compared here in the machine code of the faulty unit, of the same netlist.
#[test]
fn the_bench_of_a_unit_finds_every_fault_of_it() {
    let entries = file().fault;
    let is_missed = |entry: &&Entry| {
        let played = recordings(&entry.unit, &entry.config(), Play::usual(&entry.unit)).unwrap();
        let mut backend = compiled(entry);
        played.iter().all(|run| first_difference(run, &backend.replay(&run.inputs).unwrap()).is_none())
    };
    let missed: Vec<_> = entries.iter().filter(is_missed).map(|entry| format!("{}/{}", entry.unit, entry.name)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_faulty_export_is_caught_by_verilator() {
    let entries = file().fault;
    for name in ["row_is_not_forwarded", "fault_queue_overflows", "launch_overtakes_clearing"] {
        let entry = entries.iter().find(|entry| entry.name == name).unwrap();
        let unit = unit(&entry.config(), &entry.unit);
        let text = export_faulty(unit.block(), &options(&*unit), &entry.fault()).unwrap();
        let found = hunt(&entry.config(), &entry.unit, &entry.name, &entry.breaks, verilated(&*unit, text));
        assert!(found.ports[0].1.iter().any(|(backend, _)| backend == "verilator"), "{found}");
    }
}

#[test]
fn every_fault_in_the_text_is_caught_and_shrunk() {
    let entries = file().in_text;
    assert!(entries.len() >= 2);
    for entry in &entries {
        let unit = unit(&config(), &entry.unit);
        let text = entry.apply(&design(&*unit, &config()).unwrap().text);
        hunt(&config(), &entry.unit, &entry.name, &entry.breaks, verilated(&*unit, text));
    }
}

#[test]
fn a_fault_that_does_not_fit_is_refused_with_the_names_that_there_are() {
    let right = Fault {
        block: "deadlock_detector".into(),
        signal: "stalled".into(),
        seen_by: Some("wakes".into()),
        reads: Reads::Inverted,
    };
    let unit = unit(&config(), "deadlock_detector");
    let built = |fault: &Fault| netlist::build_faulty(unit.block(), unit.name(), fault);
    let refused = |fault: Fault| built(&fault).unwrap_err();
    assert!(built(&right).is_ok());
    let error = refused(Fault { block: "deadlock_detector.rows".into(), ..right.clone() });
    assert!(
        matches!(&error, FaultError::NoBlock { blocks, .. } if blocks == &["deadlock_detector", "deadlock_detector.recent", "deadlock_detector.report"]),
        "{error}"
    );
    let error = refused(Fault { signal: "stalls".into(), ..right.clone() });
    assert!(matches!(&error, FaultError::NoSignal { signals, .. } if signals.contains(&"stalled".to_string())), "{error}");
    let error = refused(Fault { seen_by: Some("seen.live".into()), ..right.clone() });
    assert!(matches!(&error, FaultError::NotDriven { driven, .. } if driven.contains(&"wakes".to_string())), "{error}");
    let error = refused(Fault { seen_by: Some("lives".into()), ..right.clone() });
    assert!(matches!(error, FaultError::NotRead { .. }), "{error}");
    let error = refused(Fault { reads: Reads::Signal("found".into()), ..right });
    assert!(matches!(error, FaultError::Width { width: 8, other_width: 1, .. }), "{error}");
}
