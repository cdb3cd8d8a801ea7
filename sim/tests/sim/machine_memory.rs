// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory with real values: the value that another warp reads proves whether its arrival waited for the accesses before it.

use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_jit::Compiled;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_program::{load, Kind, Launch};

const EXCHANGE: &str = include_str!("../../../examples/exchange.bcu");
const SEEDS: u64 = 40;

fn unit() -> (Config, Compiled) {
    let config = named("default").unwrap();
    let unit = Compiled::new(catalog::build(&config, "bcu").unwrap()).unwrap();
    (config, unit)
}

fn exchange((config, unit): &mut (Config, Compiled), seed: u64, unannounced: bool) -> Report {
    let loaded = load(Kind::Bcu, EXCHANGE, &Launch::new(config.lanes as u32)).unwrap_or_else(|e| panic!("{e:?}"));
    let mut machine =
        Machine::parse(&format!("policy = 'random'\nseed = {seed}\n[latency]\nshared = 3\nspread = 60\n")).unwrap();
    machine.size(loaded.threads);
    machine.unannounced = unannounced;
    unit.restart();
    let report = run(unit, config, &machine, &loaded.programs, &mut |_| ()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}");
    report
}

/// Whether every thread has read the value that its neighbour's warp wrote.
fn right(report: &Report) -> bool {
    let global: Vec<(u32, u32)> =
        report.memory.iter().filter(|word| word.cta.is_none()).map(|word| (word.address, word.value)).collect();
    assert_eq!(global.len(), 128, "{report}");
    global.iter().all(|(address, value)| {
        let (warp, lane) = (address / 128, address / 4 % 32);
        *value == 0x1000 + ((warp + 1) % 4) * 0x100 + lane
    })
}

#[test]
fn with_the_wait_every_value_is_right() {
    let mut unit = unit();
    for seed in 0..SEEDS {
        assert!(right(&exchange(&mut unit, seed, false)), "seed {seed}: run the test {} again", module_path!());
    }
}

#[test]
fn without_the_wait_wrong_values_are_read() {
    let mut unit = unit();
    let wrong = (0..SEEDS).filter(|seed| !right(&exchange(&mut unit, *seed, true))).count();
    assert!(wrong > 0, "no run of {SEEDS} read a wrong value, so the test above proves nothing");
}
