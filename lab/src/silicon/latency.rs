// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures the cycles of operations on barriers and mbarriers, by kernels that read the clock of
//! the multiprocessor before and after 64 rounds of an operation.

use super::driver::Device;
use super::run::on_device;
use super::simulate::{Simulator, Work};
use anyhow::{anyhow, bail, Context, Result};
use bcu_isa::diag::Diagnostic;
use bcu_program::launch::{Argument, Buffer, Element, Fill, Given, KernelLaunch, Number, Target};
use std::time::Duration;
use toml::Spanned;

/// A text with kernels, and its file name for messages.
#[derive(Clone, Copy)]
struct Text {
    file: &'static str,
    ptx: &'static str,
    /// The lowest major compute capability on which the kernels run: 9 means 9.0.
    least: u32,
    /// Whether the simulator is required to run the kernels.
    simulated: bool,
}

const BARRIERS: Text = Text { file: "latency.ptx", ptx: include_str!("latency.ptx"), least: 8, simulated: true };

/// The simulator runs these kernels if it supports their use of mbarriers; otherwise the table states that it does not.
const MBARRIERS: Text = Text { file: "mbarrier.ptx", ptx: include_str!("mbarrier.ptx"), least: 9, simulated: false };

/// Number of rounds between the two reads of the clock.
const ROUNDS: f64 = 64.0;

/// The maximum number of warps. The result buffer has two parts of this number of entries: the cycles of each warp, then the result of each
/// warp's last reduction.
const WARPS: usize = 32;

/// The measurements: text, kernel, description, numbers of warps. `apart` is last, because it may
/// hang on a device without independent scheduling of lanes.
const MEASURED: [(Text, &str, &str, &[u32]); 9] = [
    (BARRIERS, "sync", "`bar.sync 0`", &[1, 2, 4, 8, 16, 32]),
    (BARRIERS, "popc", "`bar.red.popc`, its result used in the next round", &[1, 2, 4, 8, 16, 32]),
    (BARRIERS, "hand_over", "two hand-overs, each `bar.arrive` to `bar.sync`", &[2]),
    (BARRIERS, "warp", "`bar.warp.sync`, lanes together", &[1, 4, 32]),
    (MBARRIERS, "arrive", "`mbarrier.arrive` of one lane, its token used in the next round", &[1, 2, 4, 8, 16, 32]),
    (MBARRIERS, "try_wait", "`mbarrier.try_wait` for a complete phase, by one lane", &[1, 2, 4, 8, 16, 32]),
    (MBARRIERS, "give_up", "`mbarrier.try_wait` for an incomplete phase, by one lane, until its time-out", &[1, 32]),
    (MBARRIERS, "together", "`mbarrier.arrive` and `mbarrier.try_wait` of all threads", &[1, 2, 4, 8, 16, 32]),
    (BARRIERS, "apart", "`bar.warp.sync`, even and odd lanes apart", &[1, 4, 32]),
];

/// The cycles of one round of a measurement with a number of warps, over all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub what: &'static str,
    pub warps: u32,
    pub minimum: f64,
    pub median: f64,
    /// The cycles in the simulator, if it ran the kernel.
    pub simulated: Option<f64>,
}

/// A launch of one kernel, and the buffer for its result.
struct Measurement {
    text: Text,
    kernel: &'static str,
    warps: u32,
    launch: [KernelLaunch; 1],
    buffer: [Buffer; 1],
}

impl Measurement {
    fn new(text: Text, kernel: &'static str, warps: u32) -> Result<Measurement> {
        let zero = Fill::Value(Number::Integer(0));
        let buffer = Buffer::filled("out", Element::U64, &[2 * WARPS], &zero, 0).map_err(|error| anyhow!(error.message))?;
        let value = Argument::Address { buffer: "out".to_string(), offset: 0 };
        let launch = KernelLaunch {
            kernel: Some(Spanned::new(0..0, kernel.to_string())),
            grid: [1; 3],
            ctas: None,
            cluster: None,
            programmatic: false,
            cooperative: false,
            block: Some([warps * 32, 1, 1]),
            shared: 0,
            args: vec![Given { target: Target::Position(0), value, span: 0..0, key: 0..0 }],
            span: 0..0,
        };
        Ok(Measurement { text, kernel, warps, launch: [launch], buffer: [buffer] })
    }

    fn work(&self) -> Work<'_> {
        Work { file: self.text.file, text: self.text.ptx, launches: &self.launch, buffers: &self.buffer }
    }

    /// Cycles of a round for the slowest warp, from the buffers after the launch.
    fn cycles(&self, after: Result<Vec<Buffer>, String>) -> Result<f64> {
        let what = || format!("measuring `{}` with {} warps", self.kernel, self.warps);
        let after = after.map_err(|why| anyhow!(why)).with_context(what)?;
        let value = |at: usize| match after.first().and_then(|out| out.get(at)).map(|bytes| Element::U64.decode(bytes)) {
            Some(Number::Integer(value)) => Ok(value),
            _ => Err(anyhow!("no result of warp {}", at % WARPS)).with_context(what),
        };
        let mut longest = 0;
        for warp in 0..self.warps as usize {
            let (cycles, last) = (value(warp)?, value(WARPS + warp)?);
            let threads = i128::from(self.warps) * 32;
            if self.kernel == "popc" && last != threads {
                bail!("{}: warp {warp} read {last} threads instead of {threads}", what());
            }
            if cycles <= 0 {
                bail!("{}: warp {warp} took {cycles} cycles, so its clock does not run", what());
            }
            longest = longest.max(cycles);
        }
        Ok(longest as f64 / ROUNDS)
    }
}

/// Errors of generated launches, which have no source text.
fn describe_errors(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| format!("{}, {}", error.message, error.label)).collect::<Vec<_>>().join("; ")
}

/// Runs each measurement `runs` times, after one run that fills the instruction cache and is not
/// counted. Appends the results to `figures`, which after an error has those of the measurements
/// before it.
pub fn measure(
    device: &Device,
    simulator: &mut Simulator,
    runs: usize,
    limit: Duration,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    for (text, kernel, what, sizes) in MEASURED.into_iter().filter(|(text, ..)| device.about.capability.0 >= text.least) {
        for warps in sizes {
            let measurement = Measurement::new(text, kernel, *warps)?;
            let simulated = match measurement.cycles(simulator.run(&measurement.work(), &describe_errors)) {
                Err(_) if !text.simulated => None,
                cycles => Some(cycles.context("in the simulator")?),
            };
            let run = |_| measurement.cycles(on_device(device, &measurement.work(), text.ptx, &describe_errors, limit));
            let cycles = (0..=runs).map(run).collect::<Result<Vec<f64>>>()?;
            let (minimum, median) = summary(cycles.get(1..).unwrap_or(&[])).context("no runs; give `--runs` 1 or more")?;
            figures.push(Figure { what, warps: *warps, minimum, median, simulated });
        }
    }
    Ok(())
}

/// Minimum and median of `figures`. For an even number of figures, the median is the lower of the two middle ones.
fn summary(figures: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((*sorted.first()?, *sorted.get((sorted.len() - 1) / 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_program::ptx;

    #[test]
    fn the_text_parses_and_has_a_kernel_for_everything_that_is_measured() {
        for (text, kernel, _, _) in MEASURED {
            let module = ptx::parse(text.ptx).unwrap();
            assert_eq!(
                ptx::kernel(&module, Some(kernel)).map(|(name, params)| (name, params.len())),
                Ok((kernel.to_string(), 1))
            );
            assert_eq!(module.codes.len(), MEASURED.iter().filter(|(of, ..)| of.file == text.file).count());
        }
        let count = |text: Text, what: &str| text.ptx.matches(what).count();
        let eight = [
            count(BARRIERS, "    bar.red.popc.u32"),
            count(MBARRIERS, "    mbarrier.arrive.release.cta.shared::cta.b64 %token"),
            count(MBARRIERS, "    selp.u32 %parity"),
        ];
        assert_eq!(eight.map(|eight| eight * 8), [ROUNDS as usize; 3]);
        assert_eq!(count(MBARRIERS, "mov.u32 %round, 64;"), 2, "the loops of `together` and `give_up` are not unrolled");
    }

    #[test]
    fn the_simulator_runs_it_and_counts_cycles() {
        let mut simulator = Simulator::new().unwrap();
        for (text, kernel, _, sizes) in MEASURED.into_iter().filter(|(text, ..)| text.simulated) {
            for warps in sizes {
                let measurement = Measurement::new(text, kernel, *warps).unwrap();
                let cycles = measurement.cycles(simulator.run(&measurement.work(), &describe_errors)).unwrap();
                println!("{kernel} {warps}: {cycles}");
                // The minimum in cycles: a release is at least three cycles after the last arrival.
                // `warp` has no barrier of the CTA.
                let least = if kernel == "warp" { 1.0 } else { 3.0 };
                assert!((least..1000.0).contains(&cycles), "{kernel} {warps}: {cycles}");
            }
        }
    }

    #[test]
    fn wrong_results_are_no_figures() {
        let measurement = Measurement::new(BARRIERS, "popc", 2).unwrap();
        let result = |values: &[(usize, u64)]| {
            let mut out = measurement.buffer[0].clone();
            for (at, value) in values {
                (at * 8..).zip(value.to_le_bytes()).for_each(|(at, byte)| out.bytes.set(at, Some(byte)));
            }
            measurement.cycles(Ok(vec![out])).map_err(|error| format!("{error:#}"))
        };
        assert_eq!(result(&[(0, 640), (1, 1280), (32, 64), (33, 64)]), Ok(20.0));
        assert!(result(&[(0, 640), (1, 1280), (32, 64), (33, 63)]).is_err_and(|why| why.contains("warp 1 read 63 threads")));
        assert!(result(&[(0, 640), (32, 64), (33, 64)]).is_err_and(|why| why.contains("clock does not run")));
        let why = measurement.cycles(Err("the kernel did not end".to_string())).map_err(|error| format!("{error:#}"));
        assert_eq!(why, Err("measuring `popc` with 2 warps: the kernel did not end".to_string()));
    }

    #[test]
    fn the_summary_is_least_and_middle() {
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[3.0]), Some((3.0, 3.0)));
        assert_eq!(summary(&[9.0, 1.0, 5.0]), Some((1.0, 5.0)));
        assert_eq!(summary(&[9.0, 1.0, 5.0, 7.0]), Some((1.0, 5.0)));
    }
}
