// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `warp_status`: operations that take effect, most of them refused, under a changing fault policy. [`Trapped`] replaces
//! `warp_status` in runs of `named` alone.

use super::driver::{Driver, Level, Phase};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::Duty;
use super::Stimulus;

/// The flags of a commit, in the order of its ports.
const FLAGS: [&str; 4] = ["refused", "traps", "untraps", "cta_release"];

pub struct WarpStatus {
    driver: Driver,
    shape: Shape,
    commits: Duty,
    /// The kinds of operations, by weight. A kind is the index into [`FLAGS`] of the only flag that the operation sets; the index
    /// `FLAGS.len()` is an operation without a flag.
    kinds: Vec<(usize, u64)>,
    policy: Level,
    reset: usize,
    /// Ports of the commit: `valid`, `warps`.
    commit: [usize; 2],
    flags: Vec<usize>,
    refused: usize,
    /// Probability, in thousandths per cycle, that another unit refuses an operation.
    others: u64,
}

impl WarpStatus {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let kinds = (0..=FLAGS.len()).map(|flag| (flag, driver.rng.pick(&[1, 5, 20]).unwrap_or(1))).collect();
        Ok(WarpStatus {
            commits: Duty::source(&mut driver.rng),
            kinds,
            policy: driver.level("fault_policy")?,
            reset: driver.input("reset")?,
            commit: [driver.input("commit_valid")?, driver.input("commit_warps")?],
            refused: driver.input("refused")?,
            others: driver.rng.pick(&[0, 20, 300]).unwrap_or(0),
            flags: FLAGS.iter().map(|flag| driver.input(&format!("commit_{flag}"))).collect::<Result<_, _>>()?,
            shape,
            driver,
        })
    }
}

impl Stimulus for WarpStatus {
    fn next(&mut self, _: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        self.driver.set_policy(&self.policy);
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let refuses = phase == Phase::Run && rng.chance(self.others);
        inputs[self.refused] = if refuses { 1 << rng.below(self.shape.warps) } else { 0 };
        let valid = phase == Phase::Run && self.commits.allows_event(rng);
        inputs[self.commit[0]] = valid as u64;
        if valid || swarm.noise {
            let kind = rng.weighted(&self.kinds).unwrap_or(0);
            let mask = FLAGS.get(kind) == Some(&"cta_release");
            inputs[self.commit[1]] = if mask { rng.draw() & self.shape.all_warps() } else { 1 << rng.below(self.shape.warps) };
            for (number, flag) in self.flags.iter().enumerate() {
                // If a promise is broken, even mutually exclusive flags occur together.
                inputs[*flag] = (number == kind || rng.chance(swarm.broken)) as u64;
            }
        }
        &self.driver.inputs
    }
}

/// Drives the input `trapped` of `named` in runs of `named` alone: from the commits, and by chance after a refusal.
pub struct Trapped {
    input: usize,
    valid: usize,
    warps: usize,
    /// Ports of the flags `refused`, `traps`, `untraps`, `cta_release`.
    flags: [usize; 4],
    /// Probability, in thousandths, that a refused operation traps its warp. This probability replaces the fault policy.
    policy: u64,
}

impl Trapped {
    pub fn new(driver: &mut Driver) -> Result<Self, StimulusError> {
        let flag = |name: &str| driver.output(&format!("commit_{name}"));
        Ok(Trapped {
            flags: [flag("refused")?, flag("traps")?, flag("untraps")?, flag("cta_release")?],
            input: driver.input("trapped")?,
            valid: driver.output("commit_valid")?,
            warps: driver.output("commit_warps")?,
            policy: driver.rng.pick(&[0, 0, 100, 1000]).unwrap_or(0),
        })
    }

    /// Drives `trapped`; returns the trapped warps.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) -> u64 {
        let trapped = driver.inputs[self.input];
        driver.inputs[self.input] = match phase {
            Phase::Run if previous[self.valid] == 1 => {
                let warps = previous[self.warps];
                let [refused, traps, untraps, cta_release] = self.flags.map(|flag| previous[flag] == 1);
                let gains = traps || refused && driver.rng.chance(self.policy);
                trapped & !if untraps || cta_release { warps } else { 0 } | if gains { warps } else { 0 }
            }
            Phase::Run => trapped,
            Phase::Reset | Phase::Fresh => 0,
        };
        driver.inputs[self.input]
    }
}
