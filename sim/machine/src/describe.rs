// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine description, a TOML text: CTAs, memory latencies, schedule policy, seed, limits.

use super::assume::Assumption;
use super::report::Stop;
use super::schedule::Policy;
use super::schedule_file::Schedule;
use bcu_isa::diag::Diagnostic;
use bcu_program::{GridSize, Launch, Run};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use toml::Spanned;

/// The machine around the barrier unit. Every key is optional; the defaults are those of an empty text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Machine {
    /// The choice among the warps that can issue: `round_robin` (default), `random`, or `oldest`.
    pub policy: Policy,
    /// Seed of all random choices; 1 by default.
    pub seed: u64,
    /// Multiprocessors that CTAs are launched on; default: as many as the configuration has, if there are clusters of several CTAs or grids
    /// that overlap, else 1.
    #[cfg_attr(test, schemars(with = "Option<Multiprocessors>"))]
    pub sms: Option<Spanned<Multiprocessors>>,
    /// Instructions issued in a cycle, each of a different warp, 1 (default) to 4; at most one of them goes to the unit, and one to memory.
    pub issue_per_cycle: IssueWidth,
    /// Cycles after which a run that has not ended is stopped as `unfinished`; 100000 by default.
    pub max_cycles: NonZeroU32,
    /// Cycles without an event while every warp is blocked, after which the run counts as hung; more if the unit can take longer; 32 by
    /// default.
    pub hang_after: NonZeroU32,
    /// The machine accepts a fault in one of this number of cycles: 1 (default) = in every cycle; more puts the unit under backpressure.
    pub fault_period: NonZeroU32,
    /// What the unit does, in addition to the fault, with a warp whose operation it refuses: `report` (default) lets it resume, `trap`
    /// stops it and marks it in its state word, `hang` stops it without a mark.
    pub fault_policy: FaultPolicy,
    /// Which lane `elect.sync` makes the leader: `lowest` (default) or `highest`; a program must not depend on it.
    pub leader_policy: LeaderPolicy,
    /// Contents of shared and local memory before a PTX program writes them: `unknown` (default), `zero`, or `random` by the seed.
    pub fill: Fill,
    /// Maximum wait of a `mbarrier.try_wait` in units of 64 cycles before it returns false, if its hint is not lower; 16 by default.
    pub wait_limit: NonZeroU32,
    /// Latencies of memory accesses.
    pub latency: Latency,
    /// The CTAs, in launch order; default: one CTA.
    #[serde(rename = "cta")]
    pub ctas: Vec<Cta>,
    /// Whether the machine hides memory accesses from the unit, so that no arrival waits for them.
    /// Only tests set this field, to show that arrivals must wait for accesses; it is not a key of
    /// the description.
    #[serde(skip)]
    pub unannounced: bool,
    /// Whether the run detects data races.
    #[serde(skip)]
    pub races: bool,
    /// The schedule that the run follows.
    #[serde(skip)]
    pub schedule: Schedule,
    /// Whether the run is part of an exploration: it records the pairs of operations that another schedule may reverse, and accesses of
    /// different warps to the same bytes are performed in the order of their issue.
    #[serde(skip)]
    pub is_explored: bool,
    /// Assumed values of unknown guards.
    #[serde(skip)]
    pub assumptions: Vec<Assumption>,
    /// The grids of a launch, in order; empty if the description gives the CTAs. With grids, the
    /// description gives only the shape of a CTA.
    #[serde(skip)]
    pub grids: Vec<GridSize>,
}

/// Instructions issued in a cycle, 1 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "u32")]
pub struct IssueWidth(#[cfg_attr(test, schemars(range(min = 1, max = 4)))] u32);

impl IssueWidth {
    pub fn get(self) -> u32 {
        self.0
    }
}

/// Number of multiprocessors, 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "u32")]
pub struct Multiprocessors(#[cfg_attr(test, schemars(range(min = 1, max = 64)))] u32);

impl Multiprocessors {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Multiprocessors {
    type Error = String;

    fn try_from(count: u32) -> Result<Multiprocessors, String> {
        let within = (1..=64).contains(&count).then_some(Multiprocessors(count));
        within.ok_or_else(|| format!("{count} multiprocessors; expected 1 to 64"))
    }
}

/// Number of CTAs in a cluster, 1 to 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "u32")]
pub struct ClusterSize(#[cfg_attr(test, schemars(range(min = 1, max = 16)))] u32);

impl ClusterSize {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for ClusterSize {
    type Error = String;

    fn try_from(size: u32) -> Result<ClusterSize, String> {
        let within = (1..=16).contains(&size).then_some(ClusterSize(size));
        within.ok_or_else(|| format!("a cluster of {size} CTAs; expected 1 to 16"))
    }
}

impl Default for IssueWidth {
    fn default() -> Self {
        IssueWidth(1)
    }
}

impl TryFrom<u32> for IssueWidth {
    type Error = String;

    fn try_from(width: u32) -> Result<IssueWidth, String> {
        (1..=4)
            .contains(&width)
            .then_some(IssueWidth(width))
            .ok_or_else(|| format!("{width} instructions per cycle; expected 1 to 4"))
    }
}

/// Which of the lanes that execute `elect.sync` together becomes the leader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LeaderPolicy {
    /// The lowest lane.
    #[default]
    Lowest,
    /// The highest lane.
    Highest,
}

impl LeaderPolicy {
    /// Every policy with its name, in the order of the unit's port `leader_policy`.
    pub const ALL: [(&'static str, LeaderPolicy); 2] = [("lowest", LeaderPolicy::Lowest), ("highest", LeaderPolicy::Highest)];
}

/// The contents of memory before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Unknown values.
    #[default]
    Unknown,
    /// Zeros.
    Zero,
    /// Bytes drawn by the seed, such as a GPU may have from earlier programs.
    Random,
}

impl Fill {
    /// Every value with its name.
    pub const ALL: [(&'static str, Fill); 3] = [("unknown", Fill::Unknown), ("zero", Fill::Zero), ("random", Fill::Random)];
}

/// What happens to a warp whose operation is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultPolicy {
    /// It resumes.
    #[default]
    Report,
    /// It is trapped until its CTA ends.
    Trap,
    /// It hangs until its CTA ends.
    Hang,
}

impl FaultPolicy {
    /// Every policy with its name, in the order of the unit's port `fault_policy`.
    pub const ALL: [(&'static str, FaultPolicy); 3] =
        [("report", FaultPolicy::Report), ("trap", FaultPolicy::Trap), ("hang", FaultPolicy::Hang)];

    /// The state of a warp whose operation was refused; `None` if the warp resumes.
    pub fn stop(self) -> Option<Stop> {
        match self {
            FaultPolicy::Report => None,
            FaultPolicy::Trap => Some(Stop::Trapped),
            FaultPolicy::Hang => Some(Stop::Hangs),
        }
    }
}

/// Cycles from the issue of a memory access until it is performed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Latency {
    /// Shared memory; 20 by default.
    pub shared: NonZeroU32,
    /// Global memory; 200 by default.
    pub global: NonZeroU32,
    /// Maximum of additional cycles, drawn by the seed for each access; 0 by default.
    pub spread: u32,
}

/// One CTA, or several equal ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cta {
    /// Number of CTAs with this description; 1 by default.
    #[cfg_attr(test, schemars(with = "Option<NonZeroU32>"))]
    pub count: Option<Spanned<NonZeroU32>>,
    /// Number of consecutive CTAs that form a cluster, 1 (default) to 16; `count` is a multiple of it.
    #[cfg_attr(test, schemars(with = "Option<ClusterSize>"))]
    pub cluster: Option<Spanned<ClusterSize>>,
    /// Warps; default: as many as `threads` need, else one per program.
    #[cfg_attr(test, schemars(with = "Option<NonZeroU32>"))]
    pub warps: Option<Spanned<NonZeroU32>>,
    /// Threads, if the last warp does not have all lanes.
    #[cfg_attr(test, schemars(with = "Option<NonZeroU32>"))]
    pub threads: Option<Spanned<NonZeroU32>>,
    /// Barriers declared at launch, 0 to 16; default: as many as the configuration builds.
    #[cfg_attr(test, schemars(with = "Option<u8>"))]
    pub barriers: Option<Spanned<u8>>,
    /// Names of the programs, one per warp from warp 0 on, or one for all warps; default: the programs of the run in order.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub programs: Vec<Spanned<String>>,
}

/// Converts a constant of this file, which is greater than 0.
fn positive(value: u32) -> NonZeroU32 {
    NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN)
}

impl Default for Latency {
    fn default() -> Self {
        Latency { shared: positive(20), global: positive(200), spread: 0 }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            policy: Policy::default(),
            seed: 1,
            sms: None,
            issue_per_cycle: IssueWidth::default(),
            max_cycles: positive(100_000),
            hang_after: positive(32),
            fault_period: positive(1),
            fault_policy: FaultPolicy::default(),
            leader_policy: LeaderPolicy::default(),
            fill: Fill::default(),
            wait_limit: positive(16),
            latency: Latency::default(),
            ctas: vec![],
            unannounced: false,
            races: false,
            schedule: Schedule::default(),
            is_explored: false,
            assumptions: vec![],
            grids: vec![],
        }
    }
}

impl Machine {
    /// Parses a description. An unknown key, or a key with a wrong value, gives one diagnostic with its location.
    pub fn parse(text: &str) -> Result<Machine, Diagnostic> {
        toml::from_str(text).map_err(|error| Diagnostic::of_toml(&error, text))
    }

    /// Threads of the first CTA, if the description gives its threads or its warps, for warps of `lanes` lanes.
    pub fn threads(&self, lanes: usize) -> Option<u32> {
        let cta = self.ctas.first()?;
        let of_warps = |w: &Spanned<NonZeroU32>| w.get_ref().get().saturating_mul(lanes as u32);
        cta.threads.as_ref().map(|t| t.get_ref().get()).or_else(|| cta.warps.as_ref().map(of_warps))
    }

    /// A launch for warps of `lanes` lanes, with the number of threads from the description.
    pub fn launch(&self, lanes: usize) -> Launch {
        Launch { threads: self.threads(lanes).map(|threads| [threads, 1, 1]), ..Launch::new(lanes as u32) }
    }

    /// This machine with the grids of `run`.
    pub fn of_run(&self, run: &Run) -> Machine {
        let mut machine = self.clone();
        match run.grids[..] {
            [GridSize { ctas: 1, threads, .. }] => machine.size(threads),
            _ => machine.grids = run.grids.clone(),
        }
        machine
    }

    /// Replaces the described number of multiprocessors by `sms`, unless `sms` is `None`.
    pub fn on(&mut self, sms: Option<Multiprocessors>) {
        self.sms = sms.map(|sms| Spanned::new(0..0, sms)).or(self.sms.take());
    }

    /// Gives every CTA without a described size `threads` threads; a description without CTAs gets one CTA.
    pub fn size(&mut self, threads: u32) {
        if self.ctas.is_empty() {
            self.ctas.push(Cta::default());
        }
        self.ctas.iter_mut().for_each(|cta| cta.size(threads));
    }
}

impl Cta {
    /// Sets the number of threads, unless the description gives threads, warps or programs of the CTA.
    pub fn size(&mut self, threads: u32) {
        if self.threads.is_none() && self.warps.is_none() && self.programs.is_empty() {
            self.threads = NonZeroU32::new(threads).map(|t| Spanned::new(0..0, t));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_is_the_default_machine() {
        assert_eq!(Machine::parse("").unwrap(), Machine::default());
    }

    #[test]
    fn every_key_is_read() {
        let text = "policy = 'oldest'\nseed = 9\nissue_per_cycle = 4\nmax_cycles = 10\nhang_after = 11\nfault_period = 3\nwait_limit = 5\nfault_policy = 'trap'\nleader_policy = 'highest'\n\
                    [latency]\nshared = 4\nglobal = 5\nspread = 6\n\
                    [[cta]]\ncount = 2\nthreads = 40\nbarriers = 3\nprograms = ['a', 'b']\n[[cta]]\nwarps = 2\n";
        let machine = Machine::parse(text).unwrap();
        assert_eq!((machine.policy, machine.seed, machine.max_cycles.get()), (Policy::Oldest, 9, 10));
        assert_eq!((machine.latency.shared.get(), machine.latency.global.get(), machine.hang_after.get()), (4, 5, 11));
        assert_eq!(machine.issue_per_cycle.get(), 4);
        let wide = "seed = 1\nissue_per_cycle = 5";
        let error = Machine::parse(wide).unwrap_err();
        let said = ("5 instructions per cycle; expected 1 to 4", "5");
        assert_eq!((error.message.as_str(), &wide[error.span.clone()]), said);
        assert_eq!((machine.ctas.len(), machine.ctas[0].programs.len(), machine.fault_period.get()), (2, 2, 3));
        assert_eq!((machine.fault_policy, machine.leader_policy), (FaultPolicy::Trap, LeaderPolicy::Highest));
        assert_eq!((machine.latency.spread, machine.wait_limit.get()), (6, 5));
        assert_eq!(machine.ctas[0].threads.as_ref().unwrap().get_ref().get(), 40);
        assert_eq!(machine.ctas[1].warps.as_ref().unwrap().get_ref().get(), 2);
    }

    #[test]
    fn wrong_keys_and_values_are_shown_where_they_stand() {
        let place = |text: &str| {
            let d = Machine::parse(text).unwrap_err();
            (d.message, text[d.span].to_string())
        };
        let (message, at) = place("seed = 1\npolcy = 'oldest'\n");
        assert!(message.contains("unknown field `polcy`") && message.contains("`policy`"), "{message}");
        assert_eq!(at, "polcy");
        assert_eq!(place("[latency]\nshared = 0\n").1, "0");
        assert_eq!(place("policy = 'fifo'\n").1, "'fifo'");
        assert_eq!(place("[[cta]]\nwarps = -3\n").1, "-3");
        assert!(Machine::parse("seed = ").is_err());
    }
}
