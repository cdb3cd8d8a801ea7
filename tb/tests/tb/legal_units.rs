// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of every single unit, on every configuration that has the unit: nothing it does earns a fault, and every effect is as the
//! pages say. The model answers; the machine code of the unit replays the inputs and must answer the same.

use bcu_hw::catalog;
use bcu_hw::config::{self, NAMED};
use bcu_hw::ports::{Dir, Port};
use bcu_sim::dut::ByName;
use bcu_sim::model::{shown_by_name, Sizes};
use bcu_tb::legal::for_unit;
use bcu_tb::lockstep::{first_difference, Backend, CompiledBackend, Recording};

/// What a run came to: what was done, and what failed.
struct Outcome {
    figures: Vec<(String, u64)>,
    failure: Option<String>,
}

/// One seed of a user against the model, then against the machine code.
fn run(unit: &str, config: &str, ports: &[Port], seed: u64, cycles: usize, code: &mut CompiledBackend) -> Outcome {
    let config = config::named(config).unwrap();
    let mut model = shown_by_name(unit, Sizes::try_from(&config).unwrap()).unwrap();
    let mut user = for_unit(unit, ports, &config, seed).unwrap();
    let mut recording = Recording::new(ports);
    let mut outputs = vec![0; ports.count(Dir::Out)];
    for _ in 0..cycles {
        model.shown(&mut outputs);
        let inputs = user.drive(&outputs);
        recording.inputs.extend_from_slice(inputs);
        recording.outputs.extend_from_slice(&outputs);
        model.edge(inputs);
        if user.failure().is_some() {
            break;
        }
    }
    let mut failure = user.failure().map(str::to_string);
    if failure.is_none() {
        let replay = code.replay(&recording.inputs).unwrap();
        failure = first_difference(&recording, &replay).map(|at| format!("cycle {}: model and machine code differ", at.cycle));
    }
    if let (Some(_), Ok(tail)) = (&failure, std::env::var("LEGAL_TAIL")) {
        tail_of(&recording, tail.parse().unwrap());
    }
    Outcome { figures: user.figures(), failure }
}

/// The last cycles of a recording, on request: every port that is not 0.
fn tail_of(recording: &Recording, cycles: usize) {
    let names = |dir| recording.ports.iter().filter(move |port| port.dir == dir).map(|port| port.name.as_str());
    for cycle in recording.cycles().saturating_sub(cycles)..recording.cycles() {
        let values = |dir, values: &[u64]| -> String {
            let shown = names(dir).zip(values).filter(|(_, value)| **value != 0);
            shown.map(|(name, value)| format!(" {name}={value:x}")).collect()
        };
        let (inputs, outputs) = (recording.input(cycle), recording.output(cycle));
        println!("{cycle}:{}\n      ->{}", values(Dir::In, inputs), values(Dir::Out, outputs));
    }
}

/// Seeds of a unit on every configuration that has it; what failed is reported with the command that repeats it.
fn check(unit: &str, seeds: u64, cycles: usize) {
    let number = |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |text| text.parse().unwrap());
    let only = std::env::var("LEGAL_CONFIG").ok();
    let (first, seeds, cycles) =
        (number("LEGAL_SEED", 0), number("LEGAL_SEEDS", seeds), number("LEGAL_CYCLES", cycles as u64) as usize);
    let mut failures = vec![];
    for (name, _) in NAMED.into_iter().filter(|(name, _)| only.as_ref().is_none_or(|only| only == name)) {
        let config = config::named(name).unwrap();
        let Some(built) = catalog::build(&config, unit) else { continue };
        let ports = built.ports();
        let mut code = CompiledBackend::new(built).unwrap();
        let (mut total, mut failed) = (std::collections::BTreeMap::<String, u64>::new(), vec![]);
        for seed in first..first + seeds {
            let outcome = run(unit, name, &ports, seed, cycles, &mut code);
            for (what, count) in outcome.figures {
                let most = what.starts_with("worst");
                let kept = total.entry(what).or_default();
                *kept = if most { count.max(*kept) } else { count + *kept };
            }
            if let Some(failure) = outcome.failure {
                failed.push(format!("{unit}/{name}: seed {seed}: {failure}\n  repeat: LEGAL_CONFIG={name} LEGAL_SEED={seed} LEGAL_SEEDS=1 LEGAL_CYCLES={cycles} cargo test -p bcu-tb --test tb legal_units::{unit}"));
            }
        }
        println!("{unit}/{name}: {seeds} seeds of {cycles} cycles, {} failed: {total:?}", failed.len());
        failures.extend(failed.into_iter().take(number("LEGAL_SHOW", 3) as usize));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

macro_rules! users {
    ($($unit:ident: $seeds:expr, $cycles:expr;)*) => {
        $(#[test]
        fn $unit() {
            check(stringify!($unit), $seeds, $cycles);
        })*
    };
}

users! {
    named: 20, 3000;
    gateway: 20, 3000;
    mem_order: 20, 3000;
    mbarrier: 20, 6000;
    cluster: 20, 3000;
    cluster_hub: 20, 3000;
    grid: 20, 3000;
    grid_hub: 20, 3000;
    warp_status: 20, 3000;
    cta_table: 20, 3000;
}
