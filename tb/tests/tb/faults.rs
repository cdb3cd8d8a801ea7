// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep detects every fault of `tb/faults.toml` in the machine code, or in the export if only Verilator can run the fault.
//! If lockstep missed an inserted fault, it would miss the same fault in a real unit.
//!
//! Each unit runs the random operations of its lockstep run from seed 0 on, [`EPISODE`] cycles per seed and at most [`CYCLES`] in all,
//! until each fault of the unit has been detected. Every third fault of a unit, beginning with the first, is then shrunk and reported as in
//! lockstep; the other faults are only detected. The bench that is shipped with exports must find each fault as well.

use bcu_hw::export::options;
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{export_faulty, Fault, FaultError, Options, Reads};
use bcu_hw::{catalog, netlist};
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Port;
use bcu_isa::units::{parts, SEVERAL, WHOLE};
use bcu_jit::Compiled;
use bcu_model::{by_name, Sizes};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{campaign, design, BenchError, Effort, EPISODE, POWER_UP};
use bcu_tb::lockstep::{
    first_difference, Backend, Bench, CompiledBackend, Divergence, Entrant, LockstepError, Recording, VerilatorBackend,
};
use bcu_tb::testbench::{recordings, Play};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const CYCLES: usize = 400_000;
/// One in this number of a unit's faults is shrunk, beginning with the first.
const SHRUNK: usize = 3;
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
    /// The configuration in which the fault can be detected, if not `small`.
    config: Option<String>,
    block: String,
    signal: String,
    reads: String,
    seen_by: Option<String>,
    /// The wrong behaviour that the fault causes, in one sentence.
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
    /// The text `export` with this fault inserted.
    fn apply(&self, export: &str) -> String {
        let start = export.find(&format!("\nmodule {} (", self.module));
        let start = start.unwrap_or_else(|| panic!("fault `{}`: the export has no module `{}`", self.name, self.module));
        let end = start + export[start..].find("\nendmodule").expect("a module has an end");
        let module = &export[start..end];
        let places = module.matches(&self.text).count();
        assert_eq!(places, 1, "fault `{}`: `{}` occurs {places} times in:{module}", self.name, self.text);
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
        .unwrap_or_else(|e| panic!("fault `{}/{}`: {e}", entry.unit, entry.name));
    Box::new(CompiledBackend { code: Compiled::of_netlist(&netlist, unit.ports()).unwrap() })
}

/// The Verilator backend of a unit for the exported text `text`.
fn verilated(unit: &dyn Unit, text: String) -> Box<dyn Backend> {
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let top = Options::new(unit.name()).top;
    let design = Verilated::build(&Design { text, top, ports: unit.ports() }, &work, Optimisation::None).unwrap();
    Box::new(VerilatorBackend { design, ports: unit.ports(), seed: POWER_UP })
}

/// The divergence of a faulty unit from its model, for the operations of consecutive seeds from `seed` on.
fn hunt(config: &Config, unit_name: &str, fault: &str, breaks: &str, backend: Box<dyn Backend>, seed: u64) -> Divergence {
    let (sizes, name) = (Sizes::try_from(config).unwrap(), unit_name.to_string());
    let ports = unit(config, unit_name).ports();
    let model = move || by_name(&name, sizes).unwrap();
    let named = |ports: &[Port]| ports.iter().map(|p| (p.name.clone(), p.width)).collect::<Vec<_>>();
    assert_eq!(named(&ports), named(model().ports()), "unit and model have different ports, so every fault would be detected");
    let mut bench = Bench { ports, model: Box::new(model), entrants: vec![Entrant { backend, cycles_left: CYCLES }] };
    let effort = Effort { cycles: CYCLES, block: 0, verilator: 0, icarus: 0 };
    let command = |seed, cycles| format!("lockstep of `{fault}` seed {seed} for {cycles} cycles");
    match campaign(&mut bench, unit_name, config, effort, seed, &command, &mut |_| ()) {
        Err(BenchError::Lockstep(LockstepError::Divergence(found))) => {
            println!("{fault}: {breaks}\n{found}\n");
            // A shrunk run still contains fixed work: `mbarrier` clears its entries first and may end with a walk over them, and in `bcu`
            // each launch walks over the warps.
            let most = if unit_name == "bcu" { 150 } else { 100 };
            assert!(
                found.minimal_cycles <= most,
                "{fault}: the shrunk run has {} cycles; expected at most {most}",
                found.minimal_cycles
            );
            *found
        }
        Err(other) => panic!("{fault}: {other}"),
        Ok(()) => panic!("{fault}: not caught in {CYCLES} cycles: {breaks}"),
    }
}

/// The recordings of one unit, by configuration. All faults of the unit use them.
#[derive(Default)]
struct Played(BTreeMap<String, Vec<Recording>>);

impl Played {
    fn recordings_of(&mut self, entry: &Entry, play: Play) -> &[Recording] {
        let config = entry.config();
        self.0.entry(config.name.clone()).or_insert_with(|| recordings(&entry.unit, &config, play).unwrap())
    }
}

/// For each fault, the number of cycles until lockstep detects it; `None`: more than [`CYCLES`].
fn detected(entries: &[Entry], backends: &mut [Box<dyn Backend>]) -> Vec<Option<usize>> {
    let mut cycles = vec![None; entries.len()];
    for seed in 0..CYCLES / EPISODE {
        let mut played = Played::default();
        let sides = entries.iter().zip(backends.iter_mut()).zip(&mut cycles);
        for ((entry, backend), cycles) in sides.filter(|(_, cycles)| cycles.is_none()) {
            let [run] = played.recordings_of(entry, Play { seed: seed as u64, runs: 1, cycles: EPISODE, legal: false }) else {
                panic!("one run is played")
            };
            let found = first_difference(run, &backend.replay(&run.inputs).unwrap());
            *cycles = found.map(|found| seed * EPISODE + found.cycle);
        }
    }
    cycles
}

/// Lockstep and the Verilog bench detect every fault of a unit, and lockstep shrinks every third fault. This test repeats the bench's
/// comparison on the machine code of the faulty unit, which has the same netlist as the faulty export.
fn every_fault_is_caught(unit: &str) {
    let entries: Vec<_> = file().fault.into_iter().filter(|entry| entry.unit == unit).collect();
    let mut backends: Vec<_> = entries.iter().map(compiled).collect();
    let cycles = detected(&entries, &mut backends);
    for (entry, cycles) in entries.iter().zip(&cycles) {
        let Some(cycles) = cycles else { continue };
        println!("{unit}/{}: detected after {cycles} cycles", entry.name);
    }
    let missed: Vec<_> =
        entries.iter().zip(&cycles).filter(|(_, cycles)| cycles.is_none()).map(|(entry, _)| &entry.name).collect();
    assert!(missed.is_empty(), "lockstep does not detect these in {CYCLES} cycles: {missed:#?}");

    let mut played = Played::default();
    let mut is_missed = |(entry, backend): &mut (&Entry, &mut Box<dyn Backend>)| {
        let mut runs = played.recordings_of(entry, Play::usual(unit)).iter();
        runs.all(|run| first_difference(run, &backend.replay(&run.inputs).unwrap()).is_none())
    };
    let tried = entries.iter().zip(&mut backends).filter_map(|mut tried| is_missed(&mut tried).then_some(&tried.0.name));
    let missed: Vec<_> = tried.collect();
    assert!(missed.is_empty(), "the bench does not detect {missed:#?}; see `Play::usual`");

    for ((entry, backend), cycles) in entries.iter().zip(backends).zip(cycles).step_by(SHRUNK) {
        let seed = cycles.map_or(0, |cycles| cycles / EPISODE) as u64;
        hunt(&entry.config(), unit, &entry.name, &entry.breaks, backend, seed);
    }
}

/// Defines a test for each of these units, so that the units run in parallel, and a test of the list of units and of their numbers of
/// faults. `gpu` has no faults of its own, because it consists of other units.
macro_rules! each_unit {
    ($($unit:ident)*) => {
        mod every_fault_is_caught {
            $(#[test]
            fn $unit() {
                super::every_fault_is_caught(stringify!($unit));
            })*
        }
        #[test]
        fn every_unit_has_ten_faults_with_names_of_their_own() {
            let tested = [$(stringify!($unit)),*];
            let untested: Vec<_> = parts().chain([WHOLE]).filter(|unit| *unit != SEVERAL && !tested.contains(unit)).collect();
            assert!(untested.is_empty(), "units without a test here: {untested:?}");
            for unit in tested {
                let names: Vec<_> = file().fault.into_iter().filter(|entry| entry.unit == unit).map(|entry| entry.name).collect();
                assert!(names.len() >= 10, "`{unit}` has {} faults in tb/faults.toml; expected at least 10", names.len());
                let twice: Vec<_> = names.iter().filter(|name| names.iter().filter(|n| n == name).count() > 1).collect();
                assert!(twice.is_empty(), "`{unit}` has several faults of the same name: {twice:?}");
            }
            let unknown: Vec<_> = file().fault.into_iter().map(|entry| entry.unit).filter(|unit| !tested.contains(&unit.as_str())).collect();
            assert!(unknown.is_empty(), "units that no test here runs: {unknown:?}");
        }
    };
}

each_unit! {
    cta_table decode gather mem_order named gateway mbarrier cluster grid warp_status deadlock_detector cluster_hub grid_hub bcu
}

#[test]
fn a_faulty_export_is_caught_by_verilator() {
    let entries = file().fault;
    for name in
        [("named", "row_is_not_forwarded"), ("named", "fault_queue_overflows"), ("cta_table", "launch_overtakes_clearing")]
    {
        let entry = entries.iter().find(|entry| (entry.unit.as_str(), entry.name.as_str()) == name).unwrap();
        let unit = unit(&entry.config(), &entry.unit);
        let text = export_faulty(unit.block(), &options(&*unit), &entry.fault()).unwrap();
        let found = hunt(&entry.config(), &entry.unit, &entry.name, &entry.breaks, verilated(&*unit, text), 0);
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
        hunt(&config(), &entry.unit, &entry.name, &entry.breaks, verilated(&*unit, text), 0);
    }
}

#[test]
fn a_fault_that_does_not_fit_is_refused_with_the_names_that_there_are() {
    let right = Fault {
        block: "deadlock_detector".into(),
        signal: "stalled".into(),
        seen_by: Some("awake_warp_read".into()),
        reads: Reads::Inverted,
    };
    let unit = unit(&config(), "deadlock_detector");
    let built = |fault: &Fault| netlist::build_faulty(unit.block(), unit.name(), fault);
    let refused = |fault: Fault| built(&fault).unwrap_err();
    assert!(built(&right).is_ok());
    let error = refused(Fault { block: "deadlock_detector.rows".into(), ..right.clone() });
    assert!(
        matches!(&error, FaultError::NoBlock { blocks, .. } if blocks == &["deadlock_detector", "deadlock_detector.recent_op", "deadlock_detector.report_buffer"]),
        "{error}"
    );
    let error = refused(Fault { signal: "stalls".into(), ..right.clone() });
    assert!(matches!(&error, FaultError::NoSignal { signals, .. } if signals.contains(&"stalled".to_string())), "{error}");
    let error = refused(Fault { seen_by: Some("seen.live".into()), ..right.clone() });
    assert!(
        matches!(&error, FaultError::NotDriven { driven, .. } if driven.contains(&"awake_warp_read".to_string())),
        "{error}"
    );
    let error = refused(Fault { seen_by: Some("live_warp_read".into()), ..right.clone() });
    assert!(matches!(error, FaultError::NotRead { .. }), "{error}");
    let error = refused(Fault { reads: Reads::Signal("has_deadlock".into()), ..right });
    assert!(matches!(error, FaultError::Width { width: 8, other_width: 1, .. }), "{error}");
}
