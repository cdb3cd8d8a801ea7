// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random legal kernels: bursts of 1 to 40 accesses of every kind before barriers of every kind, in loops, on 1 to 32 warps,
//! several CTAs, clusters and multiprocessors, with random schedules. Each must complete in every configuration that can hold
//! it, without a finding, with the values of a separate calculation, and without a broken promise at the ports of the unit.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-engine --test sim legal_kernels` runs M kernels from seed N in each configuration.

mod bench;
mod expected;
mod gateway;
mod kernel;
mod text;

pub use bench::{Bench, Case};

use bcu_isa::config::{named, NAMED};
use bcu_program::Kind;
use fastrand::Rng;
use kernel::Kernel;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// Draws and runs one kernel for a configuration with named barriers. The error contains the text of the kernel.
fn of_ptx(bench: &mut Bench, seed: u64, several: bool) -> Result<(), String> {
    let mut random = Rng::with_seed(seed);
    let config = bench.config.clone();
    let several = several && config.has_clusters() && config.has_mbarrier() && config.grids && config.sms > 1;
    let kernel = Kernel::draw(&mut random, &config, several);
    let words = kernel.ctas * kernel.threads * kernel::WORDS + kernel.ctas;
    let before: Vec<u32> = (0..words).map(|_| random.u32(..)).collect();
    let (text, after) = (text::ptx(&kernel), expected::expected(&kernel, &before));
    // A cluster may need all multiprocessors, so only kernels without clusters run on fewer.
    let machine = bench::machine(&mut random, seed, if several && kernel.cluster == 1 { config.sms } else { 1 });
    let cluster = (kernel.cluster > 1).then_some(kernel.cluster);
    let Kernel { ctas, threads, .. } = kernel;
    let case = Case { kind: Kind::Ptx, text: &text, ctas, cluster, threads, before: &before, after: &after };
    let wrong = |wrong| format!("{wrong}\n{machine}{ctas} CTAs of {threads} threads, clusters {cluster:?}\n{text}");
    bench.run(&case, &machine, random.bool()).map(|_| ()).map_err(wrong)
}

/// Draws and runs one program for a configuration with Intel's gateway. The error contains the text of the program.
fn of_gateway(bench: &mut Bench, seed: u64) -> Result<(), String> {
    let mut random = Rng::with_seed(seed);
    let program = gateway::Program::draw(&mut random, &bench.config);
    let threads = (program.warps * bench.config.lanes) as u32;
    let machine = format!("{}[[cta]]\ncount = {}\n", bench::machine(&mut random, seed, 1), program.ctas);
    let case =
        Case { kind: Kind::Visa, text: &program.text, ctas: program.ctas, cluster: None, threads, before: &[], after: &[] };
    let wrong = |wrong| format!("{wrong}\n{machine}{}", program.text);
    let report = bench.run(&case, &machine, random.bool()).map_err(wrong)?;
    let global = report.memory.iter().filter(|word| word.cta.is_none()).map(|word| (word.address, word.value));
    let nonzero_words: Vec<(u32, u32)> = global.filter(|(_, value)| *value != 0).collect();
    if nonzero_words == program.words {
        Ok(())
    } else {
        Err(wrong(format!("{nonzero_words:?}, expected {:?}", program.words)))
    }
}

/// Runs this number of kernels of a configuration; with `several` some of them run on several multiprocessors.
fn check(name: &str, rounds: u64, several: bool) {
    let mut bench = Bench::new(named(name).unwrap());
    let (first, count) = (setting("BCU_SEED").unwrap_or(1), setting("BCU_ROUNDS").unwrap_or(rounds));
    let (mut failed, mut why) = (0, String::new());
    for seed in first..first.saturating_add(count) {
        let outcome = match bench.config.has_gateway() {
            true => of_gateway(&mut bench, seed),
            false => of_ptx(&mut bench, seed, several || setting("BCU_ROUNDS").is_some()),
        };
        if let Err(wrong) = outcome {
            failed += 1;
            if why.is_empty() {
                let again = format!("BCU_SEED={seed} BCU_ROUNDS=1 cargo test -p bcu-engine --test sim legal_kernels::{name}");
                why = format!("the first, seed {seed}: {wrong}\nrepeat with: {again}");
            }
        }
    }
    assert!(failed == 0, "configuration {name}: {failed} of {count} legal kernels fail; {why}");
}

/// A test for each configuration: the number of kernels, and whether some of them run on several multiprocessors by default.
macro_rules! configurations {
    ($($name:ident: $rounds:literal, $several:literal;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $rounds, $several);
        })*

        #[test]
        fn every_configuration_has_its_kernels() {
            let tested = [$(stringify!($name)),*];
            assert!(NAMED.iter().all(|(name, _)| tested.contains(name)), "add the configuration to this list");
        }
    };
}

configurations! {
    default: 8, false;
    named_only: 4, false;
    large: 3, false;
    odd_sizes: 16, false;
    rows512: 2, false;
    small: 30, true;
    tiny: 40, true;
    warp32: 4, false;
    warp8: 12, false;
    warp8_bare: 12, false;
    warp8_no_state: 8, false;
    intel: 8, false;
    intel_tiny: 24, false;
}
