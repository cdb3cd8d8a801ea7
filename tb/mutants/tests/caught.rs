// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep catches every fault of `faults.toml` in the rust-hdl block, and in the export where Verilator runs it alone.

use bcu_hw::config::named;
use bcu_mutants::{Fault, FAULTS};
use bcu_tb::lockstep::units::{bench_of, campaign, BenchError, Effort};
use bcu_tb::lockstep::{Divergence, LockstepError};
use std::path::PathBuf;

const CYCLES: usize = 400_000;

/// The divergence of a faulty unit, from its block or from its export only.
fn hunt(fault: &Fault, export: bool) -> Divergence {
    let config = named("small").unwrap();
    let effort = Effort { cycles: CYCLES, verilator: if export { CYCLES } else { 0 }, icarus: 0 };
    let (build, unit, wanted) = (fault.build, fault.unit, config.clone());
    let make = Box::new(move || build(&wanted, unit).unwrap());
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut bench = bench_of(make, &config, effort, work).unwrap();
    if export {
        bench.entrants.retain(|entrant| entrant.lane.name() == "verilator");
        assert_eq!(bench.entrants.len(), 1);
    }
    let command = |seed, cycles| format!("lockstep of `{}` seed {seed} for {cycles} cycles", fault.name);
    match campaign(&mut bench, unit, &config, effort, 0, &command, &mut |_| ()) {
        Err(BenchError::Lockstep(LockstepError::Divergence(found))) => *found,
        Err(other) => panic!("{}: {other}", fault.name),
        Ok(()) => panic!("{}: not caught in {CYCLES} cycles: {}", fault.name, fault.breaks),
    }
}

#[test]
fn every_fault_is_caught_and_shrunk() {
    assert!(FAULTS.len() >= 10);
    for fault in FAULTS {
        let found = hunt(fault, false);
        println!("{}: {}\n{found}\n", fault.name, fault.breaks);
        assert!(found.minimal_cycles <= 60, "{}: {} cycles are not much of a shrink", fault.name, found.minimal_cycles);
    }
}

#[test]
fn a_faulty_export_is_caught_by_verilator() {
    for name in ["row_is_not_forwarded", "fault_queue_overflows", "launch_overtakes_clearing"] {
        let fault = FAULTS.iter().find(|f| f.name == name).unwrap();
        let found = hunt(fault, true);
        assert!(found.ports[0].1.iter().any(|(lane, _)| lane == "verilator"), "{found}");
    }
}
