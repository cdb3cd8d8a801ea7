// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs kernels that keep the unit silent for a long time, on units of all sizes. With the limits of [`Patience`], no run is reported as a
//! hang; with lower limits, runs of the same kernels are reported as hangs.

mod kernels;

use super::super::report::{HangCause, Verdict};
use super::*;
use crate::cycle::Observer;
use crate::describe::Machine;
use crate::gpu::Gpu;
use crate::report::Report;
use crate::run::{assemble, report};
use crate::run_error::RunError;
use bcu_isa::config::{named, NAMED};
use bcu_isa::units::UnitName;
use bcu_program::{load, runs, Kind, Launch, WarpProgram};
use kernels::{deadlock, kernels, left_open};

/// The cycle limit of a run; every kernel needs fewer cycles.
const MOST: u64 = 400_000;

/// A kernel on a unit.
struct Case {
    name: &'static str,
    config: Config,
    machine: Machine,
    programs: Vec<WarpProgram>,
}

impl Case {
    fn gpu(&self) -> Gpu<'_> {
        assemble(None, &self.config, &self.machine, &self.programs, &[]).unwrap_or_else(|e| panic!("{self}: {e}"))
    }

    /// The limits for runs of this kernel.
    fn patience(&self) -> Patience {
        self.patience_of(&self.config)
    }

    /// The limits for this kernel on a unit of configuration `config`.
    fn patience_of(&self, config: &Config) -> Patience {
        Patience::new(config, self.gpu().unit.has_several(), self.machine.hang_after.get())
    }

    fn run(&self, patience: &Patience) -> Result<Report, RunError> {
        let mut gpu = self.gpu();
        let (cause, cycles) = gpu.play(patience, MOST, &mut Observer::of_all(&mut |_| ()))?;
        Ok(report(gpu, &self.machine, &self.config, cause, cycles))
    }

    /// The maximum number of consecutive cycles without an event, in the run of this kernel.
    fn silence(&self) -> u64 {
        let (mut gpu, mut silent, mut longest) = (self.gpu(), 0, 0);
        while !gpu.finished() && gpu.cycle < MOST {
            let moved = gpu.run_cycle(&mut Observer::of_all(&mut |_| ())).unwrap();
            silent = if moved || gpu.running() { 0 } else { silent + 1 };
            longest = longest.max(silent);
        }
        longest
    }

    /// Whether the run of this kernel is reported as a hang with the limits `patience`.
    fn hangs_falsely(&self, patience: &Patience) -> bool {
        match self.run(patience) {
            Ok(report) => report.hang.is_some_and(|hang| hang.cause == HangCause::NothingCanChange),
            Err(RunError::Contradiction(_)) => true,
            Err(error) => panic!("{self}: {error}"),
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} on\n{}", self.name, self.config.to_toml())
    }
}

/// A configuration with these sizes, which may differ from the sizes in all configuration files.
fn of_size([warps, cta_slots, mbarrier_objects, sms, link_stages, cluster_slots, grid_slots]: [usize; 7]) -> Config {
    let smem_bytes = (8 * mbarrier_objects).max(512);
    let sizes = Config { warps, cta_slots, mbarrier_objects, smem_bytes, sms, ..named("small").unwrap() };
    Config { name: "sized".to_string(), link_stages, cluster_slots, grid_slots, max_remote: 1, ..sizes }
}

/// The named configuration, with links of 50 stages.
fn far(name: &str) -> Config {
    Config { link_stages: 50, ..named(name).unwrap() }
}

/// Every named configuration; each configuration with links a second time, with long links; and configurations with the extreme sizes that
/// can be built.
fn units() -> Vec<Config> {
    let all = NAMED.iter().filter_map(|(name, _)| named(name));
    let distant = NAMED.iter().map(|(name, _)| far(name)).filter(|config| config.has(UnitName::Gpu));
    let sizes = [
        [1, 1, 4, 1, 0, 2, 2],
        [1, 16, 64, 3, 50, 16, 4],
        [4, 2, 8, 1, 50, 2, 2],
        [13, 8, 16, 2, 7, 64, 16],
        [64, 1, 64, 2, 50, 2, 64],
        [64, 64, 128, 1, 3, 256, 8],
    ];
    all.chain(distant).chain(sizes.map(of_size)).collect()
}

#[test]
fn no_kernel_hangs_on_any_unit() {
    for case in units().iter().flat_map(kernels) {
        let report = case.run(&case.patience()).unwrap_or_else(|e| panic!("{case}: {e}"));
        assert_eq!(report.verdict, Verdict::Completed, "{case}\n{report}");
    }
}

#[test]
fn with_less_patience_than_the_unit_takes_each_of_them_hangs() {
    let alone = Config { sms: 1, ..far("small") };
    for case in [far("tiny"), far("small"), alone].iter().flat_map(kernels) {
        let (patience, silence) = (case.patience(), case.silence());
        assert!(silence > 5 && silence < patience.while_leaving(1), "{silence}: {case}");
        let limit = |idle: u64| Patience { idle, drops: 0, walk: 0, ..patience.clone() };
        assert!(case.hangs_falsely(&limit(silence)) && !case.hangs_falsely(&limit(silence + 1)), "{silence}: {case}");
    }
}

#[test]
fn limits_of_a_faster_unit_are_false_hangs() {
    for case in kernels(&far("small")).iter().filter(|case| ["clusters", "remote"].contains(&case.name)) {
        assert!(case.hangs_falsely(&case.patience_of(&named("small").unwrap())), "{case}");
    }
    // Many CTAs, each with many cache entries, leave a unit whose other sizes are small.
    for case in kernels(&of_size([1, 16, 64, 3, 1, 16, 4])).iter().filter(|case| case.name == "objects") {
        assert!(case.hangs_falsely(&Patience { walk: 0, drops: 0, ..case.patience() }), "{case}");
    }
}

#[test]
fn limits_rise_with_every_latency() {
    let config = named("small").unwrap();
    let limits = |latencies: &[(&str, u64)], several: bool| {
        let Patience { drain, idle, drops, .. } = Patience::from_latencies(latencies, &config, several, 1);
        [drain, idle, drops]
    };
    for several in [false, true] {
        let default_limits = limits(latency::ALL, several);
        let slower: Vec<_> = latency::ALL.iter().map(|(name, cycles)| (*name, cycles + 100)).collect();
        assert!(default_limits.iter().zip(limits(&slower, several)).all(|(default, slower)| slower >= default + 100));
        for index in 0..slower.len() {
            let mut latencies = latency::ALL.to_vec();
            latencies[index].1 += 1000;
            assert!(limits(&latencies, several).iter().all(|limit| *limit >= latencies[index].1), "{}", latencies[index].0);
        }
    }
    assert_eq!(Patience::new(&config, false, 9999).while_leaving(0), 9999);
}

#[test]
fn what_a_cta_leaves_open_is_reported_after_its_end() {
    // In a configuration without mbarriers, clusters and grids, the CTA slot is released before the
    // Release operation reaches `named`. So the fault is reported when the last CTA has already
    // left.
    let case = left_open(&named("named_only").unwrap());
    let report = case.run(&case.patience()).unwrap();
    assert_eq!((report.verdict, report.faults.len()), (Verdict::Fault, 1), "{report}");
    let quick: Vec<_> = latency::ALL.iter().map(|(name, _)| (*name, 1)).collect();
    let report = case.run(&Patience::from_latencies(&quick, &case.config, false, 1)).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
}

#[test]
fn a_run_hangs_after_the_unit_has_reported_its_deadlocks() {
    for config in units().iter().filter(|config| config.warps > 1) {
        let case = deadlock(config);
        let deadlocks = |patience: &Patience| {
            let report = case.run(patience).ok()?;
            assert_eq!(report.verdict, Verdict::Hung, "{case}");
            Some(report.faults.iter().filter(|fault| fault.code == "deadlock").count())
        };
        let (case_patience, all_ctas) = (case.patience(), Some(config.cta_slots.min(config.warps / 2)));
        assert_eq!(deadlocks(&case_patience), all_ctas, "{case}");
        assert_ne!(deadlocks(&Patience { idle: config.warps as u64 / 2, ..case_patience }), all_ctas, "{case}");
    }
}
