// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on the machine. The unit and the model must give the same report; the unit runs as machine code, and in some cases also
//! as the rust-hdl block. A run that skips idle cycles gives this report too. The arrivals, releases and faults of the report must match the ports.

use super::random_bcu::program;
use super::record::Seen;
use super::runs::model;
use bcu_engine::Engine;
use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_jit::Compiled;
use bcu_machine::report::arrival::Reduction;
use bcu_machine::report::stop::Stop;
use bcu_machine::{run, run_with, Machine, Observer, Report, Verdict};
use bcu_model::dut::Dut;
use bcu_program::bcu::parse_for;
use fastrand::Rng;

/// Number of cases of each configuration.
const CASES: u64 = 500;
/// Number of cases that also run on the rust-hdl block, which is much slower than its machine code.
const ON_BLOCK: u64 = 2;

fn case(config: &Config, code: &mut Compiled, seed: u64) -> Report {
    let mut random = Rng::with_seed(seed);
    let warps = random.usize(1..=config.warps.min(6));
    let program = program(&mut random, config, warps);
    let loaded =
        parse_for(&program, Some(warps), config.lanes as u32).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{program}"));
    let policy = ["round_robin", "random", "oldest"][random.usize(..3)];
    let (period, ctas) = (if random.bool() { 1 } else { random.u32(1..40) }, random.u32(1..6));
    let threads = (warps - 1) * config.lanes + random.usize(1..=config.lanes);
    let faults = ["report", "report", "trap", "hang"][random.usize(..4)];
    let width = [1, 1, 2, 4][random.usize(..4)];
    let leader = ["lowest", "highest"][random.usize(..2)];
    let text = format!(
        "leader_policy = '{leader}'\nfault_policy = '{faults}'\npolicy = '{policy}'\nseed = {seed}\nissue_per_cycle = {width}\nfault_period = {period}\n[latency]\nglobal = {}\nspread = {}\n[[cta]]\ncount = {ctas}\nthreads = {threads}\n",
        random.u32(1..60),
        random.u32(..50)
    );
    let machine = Machine::parse(&text).unwrap();
    let again = format!("configuration {}, seed {seed}: run the test {} again\n{text}{program}", config.name, module_path!());
    let on =
        |dut: &mut dyn Dut| run(dut, config, &machine, &loaded.warps, &mut |_| ()).unwrap_or_else(|e| panic!("{again}: {e}"));
    code.restart();
    let of_unit = on(code);
    if seed < ON_BLOCK {
        assert_eq!(on(&mut Engine::new(catalog::build(config, "bcu").unwrap())), of_unit, "{again}");
    }
    let mut reference = model(config);
    let mut seen = Seen::new(&*reference);
    let report = run(&mut *reference, config, &machine, &loaded.warps, &mut |cycle| seen.cycle(cycle));
    assert_eq!(report.as_ref(), Ok(&of_unit), "{again}");
    seen.check(&of_unit, config.lanes);
    let skipping = run_with(None, config, &machine, &loaded.warps, &mut vec![], Observer::of_changes(&mut |_| ()));
    assert_eq!(skipping.as_ref(), Ok(&of_unit), "without idle cycles: {again}");
    assert_ne!(of_unit.verdict, Verdict::Unfinished, "loops are counted: {again}\n{of_unit}");
    of_unit
}

fn check(name: &str) {
    let config = named(name).unwrap();
    let mut code = Compiled::new(catalog::build(&config, "bcu").unwrap()).unwrap();
    let reports: Vec<Report> = (0..CASES).map(|seed| case(&config, &mut code, seed)).collect();
    // Each verdict must occur, or the cases test little.
    for verdict in [Verdict::Completed, Verdict::Fault, Verdict::Hung] {
        let count = reports.iter().filter(|r| r.verdict == verdict).count();
        assert!(count * 20 > reports.len(), "{verdict:?} in {count} of {} cases", reports.len());
    }
    assert!(reports.iter().any(|r| r.generations.iter().any(|g| g.exited.is_some())));
    assert!(reports.iter().any(|r| r.hang.as_ref().is_some_and(|h| h.circle.len() > 1)));
    for stop in [Stop::Trapped, Stop::Hangs] {
        assert!(reports.iter().any(|r| r.faults.iter().any(|f| f.stopped == Some(stop))));
    }
    assert!(reports.iter().any(|r| r.hang.as_ref().is_some_and(|h| !h.lanes.is_empty())));
    assert!(reports.iter().any(|r| r.memory.iter().any(|word| word.value != 0)));
    let reductions = || reports.iter().flat_map(|r| &r.generations).filter_map(|g| g.reduction.zip(g.value));
    for wanted in [(Reduction::And, 0), (Reduction::And, 1), (Reduction::Or, 0), (Reduction::Or, 1), (Reduction::Popc, 0)] {
        assert!(reductions().any(|found| found == wanted), "{wanted:?}");
    }
    assert!(reductions().any(|(reduction, value)| reduction == Reduction::Popc && value > 1));
    for code in
        ["no_result", "bad_state_word", "kind_mismatch", "operand_not_uniform", "partial_mask", "gather_mismatch", "deadlock"]
    {
        assert!(reports.iter().any(|r| r.faults.iter().any(|f| f.code == code)), "{code}");
    }
}

#[test]
fn tiny() {
    check("tiny");
}

#[test]
fn small() {
    check("small");
}

#[test]
fn default() {
    check("default");
}
