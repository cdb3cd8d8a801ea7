// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep catches every fault of `tb/faults.toml` in the machine code, and in the export where Verilator runs it alone. A run that
//! does not tell these from the model would not find such a fault in the units themselves either.

use bcu_hw::config::{named, Config};
use bcu_hw::ports::{Port, Unit};
use bcu_hw::verilog::{export_faulty, Fault, FaultError, Options, Reads};
use bcu_hw::{catalog, netlist};
use bcu_sim::compiled::Compiled;
use bcu_sim::model::by_name;
use bcu_tb::cosim::verilator::Verilated;
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{campaign, sizes, BenchError, Effort, POWER_UP};
use bcu_tb::lockstep::{Bench, CompiledLane, Divergence, Entrant, Lane, LockstepError, VerilatorLane};
use serde::Deserialize;
use std::path::PathBuf;

const CYCLES: usize = 400_000;
const CONFIG: &str = "small";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fault: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    unit: String,
    block: String,
    signal: String,
    reads: String,
    seen_by: Option<String>,
    /// What the fault breaks, one sentence.
    breaks: String,
}

impl Entry {
    fn fault(&self) -> Fault {
        let Entry { block, signal, seen_by, reads, .. } = self;
        Fault { block: block.clone(), signal: signal.clone(), seen_by: seen_by.clone(), reads: Reads::parse(reads) }
    }
}

fn entries() -> Vec<Entry> {
    toml::from_str::<File>(include_str!("../../faults.toml")).unwrap().fault
}

fn config() -> Config {
    named(CONFIG).unwrap()
}

fn unit(name: &str) -> Box<dyn Unit> {
    catalog::build(&config(), name).unwrap()
}

fn compiled(entry: &Entry) -> Box<dyn Lane> {
    let unit = unit(&entry.unit);
    let netlist = netlist::of_faulty_unit(&*unit, &entry.fault()).unwrap_or_else(|e| panic!("fault `{}`: {e}", entry.name));
    Box::new(CompiledLane { code: Compiled::of_netlist(&netlist, unit.ports()).unwrap() })
}

fn verilated(entry: &Entry) -> Box<dyn Lane> {
    let unit = unit(&entry.unit);
    let options = Options::for_unit(&*unit);
    let text = export_faulty(unit.block(), &options, &entry.fault()).unwrap();
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let design = Verilated::build(&Design { text, top: options.top, ports: unit.ports() }, &work).unwrap();
    Box::new(VerilatorLane { design, ports: unit.ports(), seed: POWER_UP })
}

/// The divergence of a faulty unit from its model.
fn hunt(entry: &Entry, lane: Box<dyn Lane>) -> Divergence {
    let (config, name) = (config(), entry.unit.clone());
    let sizes = sizes(&config).unwrap();
    let ports = unit(&entry.unit).ports();
    let model = move || by_name(&name, sizes).unwrap();
    let named = |ports: &[Port]| ports.iter().map(|p| (p.name.clone(), p.width)).collect::<Vec<_>>();
    assert_eq!(named(&ports), named(model().ports()), "unit and model have other ports: every fault would be caught");
    let mut bench = Bench { ports, model: Box::new(model), entrants: vec![Entrant { lane, left: CYCLES }] };
    let effort = Effort { cycles: CYCLES, block: 0, verilator: 0, icarus: 0 };
    let command = |seed, cycles| format!("lockstep of `{}` seed {seed} for {cycles} cycles", entry.name);
    match campaign(&mut bench, &entry.unit, &config, effort, 0, &command, &mut |_| ()) {
        Err(BenchError::Lockstep(LockstepError::Divergence(found))) => *found,
        Err(other) => panic!("{}: {other}", entry.name),
        Ok(()) => panic!("{}: not caught in {CYCLES} cycles: {}", entry.name, entry.breaks),
    }
}

#[test]
fn every_fault_is_caught_and_shrunk() {
    let entries = entries();
    assert!(entries.len() >= 14);
    for entry in &entries {
        let found = hunt(entry, compiled(entry));
        println!("{}: {}\n{found}\n", entry.name, entry.breaks);
        assert!(found.minimal_cycles <= 60, "{}: {} cycles are not much of a shrink", entry.name, found.minimal_cycles);
    }
}

#[test]
fn a_faulty_export_is_caught_by_verilator() {
    let entries = entries();
    for name in ["row_is_not_forwarded", "fault_queue_overflows", "launch_overtakes_clearing"] {
        let entry = entries.iter().find(|entry| entry.name == name).unwrap();
        let found = hunt(entry, verilated(entry));
        assert!(found.ports[0].1.iter().any(|(lane, _)| lane == "verilator"), "{found}");
    }
}

#[test]
fn a_fault_that_does_not_fit_is_refused_with_the_names_that_there_are() {
    let right = Fault { block: "watch".into(), signal: "live".into(), seen_by: Some("there".into()), reads: Reads::Inverted };
    let refused = |fault: Fault| netlist::of_faulty_unit(&*unit("watch"), &fault).unwrap_err();
    assert!(netlist::of_faulty_unit(&*unit("watch"), &right).is_ok());
    let error = refused(Fault { block: "watch.rows".into(), ..right.clone() });
    assert!(matches!(&error, FaultError::NoBlock { blocks, .. } if blocks == &["watch", "watch.report"]), "{error}");
    let error = refused(Fault { signal: "lives".into(), ..right.clone() });
    assert!(matches!(&error, FaultError::NoSignal { signals, .. } if signals.contains(&"stalled".to_string())), "{error}");
    let error = refused(Fault { seen_by: Some("stalled".into()), ..right.clone() });
    assert!(matches!(&error, FaultError::NotDriven { driven, .. } if driven.contains(&"there".to_string())), "{error}");
    let error = refused(Fault { seen_by: Some("moved".into()), ..right.clone() });
    assert!(matches!(error, FaultError::NotRead { .. }), "{error}");
    let error = refused(Fault { reads: Reads::Signal("found".into()), ..right });
    assert!(matches!(error, FaultError::Width { width: 8, other_width: 1, .. }), "{error}");
}
