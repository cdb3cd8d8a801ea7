// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One cycle of reset brings every unit into its initial state, whatever its registers and memories hold before: the outputs are the model's
//! from random power-up states under Verilator, and from unknown ones under Icarus (`lockstep.rs`). A register whose reset is missing
//! is found. Exports with other resets have the model's outputs as well.

use bcu_hw::export::{options, text_with};
use bcu_hw::verilog::{export_faulty, Fault, Options, Reads, Reset};
use bcu_hw::{catalog, export};
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Dir;
use bcu_tb::cosim::icarus;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::Design;
use bcu_tb::lockstep::units::{compared, design_with};
use bcu_tb::lockstep::{first_difference, first_that_counts, Recording, Replay};
use bcu_tb::testbench::{recordings, Play};
use std::path::PathBuf;

/// Seeds of the power-up states.
const POWER_UPS: std::ops::Range<u64> = 100..108;
const SHORT: Play = Play { seed: 0, runs: 2, cycles: 600, legal: false };

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep")
}

fn verilated(design: &Design) -> Verilated {
    Verilated::build(design, &folder().join("verilated"), Optimisation::None).unwrap()
}

/// The first power-up state, and cycle, from which a significant output differs from the model's.
fn difference(design: &Verilated, played: &[Recording]) -> Option<(u64, usize)> {
    POWER_UPS.into_iter().find_map(|seed| {
        played.iter().find_map(|run| {
            let mut values = vec![0; run.outputs.len()];
            design.instance(seed).run(&run.inputs, &mut values).unwrap();
            let width = run.width(Dir::Out);
            let at = first_that_counts(run, width..values.len(), |at| values[at] != run.outputs[at])?;
            Some((seed, at / width))
        })
    })
}

fn recorded(unit: &str, config: &Config, play: Play) -> Vec<Recording> {
    recordings(unit, config, play).unwrap()
}

/// Compares each unit of a configuration from all power-up states.
fn starts_from_any_state(config: &str, reset: Reset, units: &[&str]) {
    let config = named(config).unwrap();
    for unit in units {
        let built = catalog::build(&config, unit).unwrap();
        let design = verilated(&design_with(&*built, &config, reset).unwrap());
        let found = difference(&design, &recorded(unit, &config, SHORT));
        assert!(found.is_none(), "{unit} at {}, {reset:?}: power-up seed and cycle {found:?}", config.name);
    }
}

#[test]
fn every_unit_of_small_starts_from_any_state() {
    let units: Vec<&str> = compared(&named("small").unwrap()).collect();
    assert!(units.len() >= 10, "{units:?}");
    starts_from_any_state("small", Reset::default(), &units);
}

#[test]
fn the_gateway_starts_from_any_state() {
    starts_from_any_state("intel_tiny", Reset::default(), &["gateway"]);
}

/// The other resets.
const RESETS: [Reset; 3] = [
    Reset { is_async_low: false, of_all: true },
    Reset { is_async_low: true, of_all: false },
    Reset { is_async_low: true, of_all: true },
];

#[test]
fn the_whole_unit_with_another_reset_is_the_model() {
    for reset in RESETS {
        starts_from_any_state("tiny", reset, &["bcu"]);
    }
}

/// Every unit of two configurations under Icarus, in which registers without a reset are unknown.
#[test]
fn every_unit_with_another_reset_is_the_model_from_unknown_values_on() {
    for (config, reset) in RESETS.into_iter().flat_map(|reset| [("tiny", reset), ("intel_tiny", reset)]) {
        let config = named(config).unwrap();
        for unit in compared(&config) {
            let built = catalog::build(&config, unit).unwrap();
            let design = design_with(&*built, &config, reset).unwrap();
            for run in recorded(unit, &config, Play { seed: 7, runs: 1, cycles: 200, legal: false }) {
                let seen = icarus::replay(&design, &run.inputs, &folder()).unwrap();
                let found = first_difference(&run, &Replay { values: seen.ones, unknown: seen.unknown });
                assert!(found.is_none(), "{unit} at {}, {reset:?}: {found:?}", config.name);
            }
        }
    }
}

/// Registers without whose reset a unit does not start from every state: unit, block, and the input of the register.
const NEEDED: [(&str, &str, &str); 5] = [
    ("named", "named.commit_stage.refusals.faults.queue", "filled.d"),
    ("named", "named.warp_states.waits", "waiters.d"),
    ("mbarrier", "mbarrier.enqueue.tx_queue", "filled_next"),
    ("deadlock_detector", "deadlock_detector.report_buffer", "full.d"),
    ("grid", "grid.faults", "full.d"),
];

#[test]
fn a_register_without_its_reset_is_found() {
    let config = named("small").unwrap();
    for (unit, block, register) in NEEDED {
        let built = catalog::build(&config, unit).unwrap();
        let fault = Fault {
            block: block.to_string(),
            signal: "reset".to_string(),
            seen_by: Some(register.to_string()),
            reads: Reads::Zeros,
        };
        let wanted = Options { initial_values: false, ..options(&*built) };
        let text = export_faulty(built.block(), &wanted, &fault).unwrap_or_else(|error| panic!("{block}: {error}"));
        let design = Design { text, top: wanted.top, ports: built.ports() };
        let found = difference(&verilated(&design), &recorded(unit, &config, SHORT));
        assert!(found.is_some(), "{block}: no power-up state of {POWER_UPS:?} shows that {register} has no reset");
    }
}

/// The same for a primitive: the reset of all strobe registers.
#[test]
fn a_primitive_without_its_reset_is_found() {
    let config = named("small").unwrap();
    let built = catalog::build(&config, "cta_table").unwrap();
    let text = text_with(&config, "cta_table", Reset::default()).unwrap();
    let wrong = text.replace("if (reset) valid_q <= 1'b0;\n    else valid_q <= in_valid;", "valid_q <= in_valid;");
    assert_ne!(text, wrong);
    let design = |text| Design { text, top: export::options(&*built).top, ports: built.ports() };
    let played = recorded("cta_table", &config, SHORT);
    assert!(difference(&verilated(&design(text)), &played).is_none());
    assert!(difference(&verilated(&design(wrong)), &played).is_some());
}
