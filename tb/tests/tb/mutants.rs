// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bench that is shipped with exports finds single faults that Yosys draws: 20 in each unit, with a fixed seed. The bench must find 95
//! of 100 detectable faults. `cargo lab mutate --bench` draws more, and proves which of them are detectable.

use bcu_hw::export;
use bcu_isa::config::{named, Config};
use bcu_isa::ports::{Dir, Port};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{EPISODE, POWER_UP};
use bcu_tb::lockstep::{first_that_counts, Recording};
use bcu_tb::testbench::{recordings, Play};
use std::fs;
use std::path::Path;
use std::process::Command;

const SEED: usize = 1;
const MUTANTS: usize = 20;
/// Number of lockstep seeds that decide whether a mutant is detectable.
const SEEDS: usize = 10;
/// The input that selects a mutant, and its width in bits; the value 0 selects no mutant.
const SELECT: (&str, usize) = ("mutant", 16);

fn yosys(folder: &Path, script: &str) {
    fs::write(folder.join("script.ys"), script).unwrap();
    let done = Command::new("yosys").args(["-q", "-s", "script.ys"]).current_dir(folder).output();
    let done = done.expect("yosys is needed: apt-get install yosys");
    assert!(done.status.success(), "yosys failed: {}{}", String::from_utf8_lossy(&done.stderr), script);
}

/// The exported unit as one Verilog text with all mutants, and the change of each mutant. The input `SELECT` selects one mutant.
fn mutated(text: &str, top: &str, folder: &Path) -> (String, Vec<String>) {
    fs::write(folder.join("unit.v"), text).unwrap();
    let drawn = 2 * MUTANTS;
    let list = format!("mutate -list {drawn} -seed {SEED} -o list");
    yosys(folder, &format!("read_verilog unit.v\nprep -flatten -top {top}\nwrite_rtlil base.il\n{list}\n"));
    let list = fs::read_to_string(folder.join("list")).unwrap();
    // Excludes changes of lines that are not logic: clocks, the resets of a read port, which are not driven, and the enable of a read port,
    // which must be constant for Yosys.
    let is_logic = |line: &&str| !["CLK", "clock", "_SRST", "_ARST", "RD_EN"].iter().any(|port| line.contains(port));
    let changes: Vec<String> =
        list.lines().filter_map(|line| line.strip_prefix("mutate ")).filter(is_logic).take(MUTANTS).map(String::from).collect();
    let change = |(at, change): (usize, &String)| format!("mutate -ctrl {} {} {} {change}\n", SELECT.0, SELECT.1, at + 1);
    let mutations: String = changes.iter().enumerate().map(change).collect();
    // Verilator 5.006 generates wrong code for vectors whose bits have separate drivers, so the vectors are split.
    yosys(folder, &format!("read_rtlil base.il\n{mutations}splitnets\nwrite_verilog -noattr mutated.v\n"));
    (fs::read_to_string(folder.join("mutated.v")).unwrap(), changes)
}

/// Whether a significant output of the unit with this mutant differs from the model in any of the runs.
fn differs(design: &Verilated, played: &[Recording], mutant: u64) -> bool {
    played.iter().any(|run| {
        let rows: Vec<u64> =
            run.inputs.chunks_exact(run.width(Dir::In)).flat_map(|row| row.iter().copied().chain([mutant])).collect();
        let mut values = vec![0; run.outputs.len()];
        design.instance(POWER_UP).run(&rows, &mut values).unwrap();
        first_that_counts(run, run.width(Dir::Out)..values.len(), |at| values[at] != run.outputs[at]).is_some()
    })
}

fn config_of(unit: &str) -> Config {
    ["small", "intel_tiny"].into_iter().filter_map(named).find(|config| config.has_unit(unit)).unwrap()
}

/// The bench finds at least 95 of 100 of the mutants that lockstep finds.
fn bench_finds(unit: &str) {
    let config = config_of(unit);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let folder = cache.join(unit);
    fs::create_dir_all(&folder).unwrap();
    let top = export::options(&*bcu_hw::catalog::build(&config, unit).unwrap()).top;
    let (text, changes) = mutated(&export::text(&config, unit).unwrap(), &top, &folder);
    let mut ports = bcu_hw::catalog::build(&config, unit).unwrap().ports();
    let (name, width) = (SELECT.0.to_string(), SELECT.1);
    ports.push(Port {
        name,
        dir: Dir::In,
        width,
        group: "fault",
        doc: String::new(),
        values: vec![],
        channel: None,
        when: vec![],
    });
    let design = Verilated::build_with(&Design { text, top, ports }, &cache, Optimisation::None, &["-fno-dfg"]).unwrap();

    let play = Play { seed: 0, runs: SEEDS, cycles: EPISODE, legal: false };
    let [lockstep, bench] = [play, Play::usual(unit)].map(|play| recordings(unit, &config, play).unwrap());
    assert!(!differs(&design, &lockstep, 0), "without a mutant the text differs from the model");
    let (mut visible, mut missed) = (0, vec![]);
    for (change, mutant) in changes.iter().zip(1..) {
        let found = differs(&design, &bench, mutant);
        if found || differs(&design, &lockstep, mutant) {
            visible += 1;
            missed.extend((!found).then_some(change));
        }
    }
    println!("{unit}: the bench finds {} of {visible} detectable mutants of seed {SEED}", visible - missed.len());
    assert!(visible >= MUTANTS / 2, "{visible} of {} mutants are detectable; expected at least {}", changes.len(), MUTANTS / 2);
    assert!(missed.len() <= visible.div_ceil(20), "the bench misses {missed:#?}");
}

macro_rules! each_unit {
    ($($unit:ident)*) => {
        mod the_bench_finds_mutants {
            $(#[test]
            fn $unit() {
                super::bench_finds(stringify!($unit));
            })*
        }
    };
}

// `mbarrier` and `bcu` have no test here, because Yosys and the C++ compiler take minutes for them.
each_unit! {
    cta_table decode gather mem_order named gateway cluster grid warp_status deadlock_detector cluster_hub grid_hub
}
