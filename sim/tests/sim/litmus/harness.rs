// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs litmus programs with many seeds.

use super::super::runs::model;
use bcu_isa::config::named;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_program::{load, Kind, Launch};

/// Number of seeds for each pair of memories.
const SEEDS: u64 = 40;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Litmus {
    /// `r0` and `r1` of lane 0 of each warp at the end of the run.
    pub registers: Vec<[u32; 2]>,
    /// The word `x` at the end of the run.
    pub x: u32,
    /// The word `y` at the end of the run.
    pub y: u32,
}

/// The number of runs with a given outcome, and of all runs.
pub struct Count {
    found: usize,
    runs: usize,
    /// The first run with the outcome.
    first: Option<String>,
}

impl Count {
    #[track_caller]
    pub fn never(self) {
        let Count { found, runs, first } = self;
        assert_eq!(found, 0, "seen in {found} of {runs} runs, of which one is\n{}", first.unwrap_or_default());
    }

    #[track_caller]
    pub fn sometimes(self) {
        assert!(self.found > 0 || self.runs < 4 * SEEDS as usize, "not seen in {} runs", self.runs);
    }
}

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// Runs a fragment with many seeds.
pub fn runs(text: &str, seeds: u64, mut each: impl FnMut(u64, &Report)) {
    let config = named("default").unwrap();
    let loaded = load(Kind::Ptx, text, &Launch::new(32)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let first = setting("BCU_SEED", 1);
    for seed in first..first + setting("BCU_ROUNDS", seeds) {
        let latency = "[latency]\nshared = 5\nglobal = 15\nspread = 60\n";
        let mut machine = Machine::parse(&format!("policy = 'random'\nseed = {seed}\n{latency}")).unwrap();
        machine.size(loaded.threads);
        let report = run(&mut *model(&config), &config, &machine, &loaded.programs, &mut |_| ());
        let report = report.unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{text}"));
        assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}\n{text}");
        each(seed, &report);
    }
}

/// The word at an address of global memory, or of the CTA's shared memory; 0 if no thread has stored there.
pub fn word(report: &Report, cta: Option<usize>, address: u32) -> u32 {
    report.memory.iter().find(|word| word.cta == cta && word.address == address).map_or(0, |word| word.value)
}

/// Runs these warps with their first `lanes` lanes, for `x` and `y` in each combination of global and shared memory. Both words are 0 at
/// the start.
#[track_caller]
pub fn litmus(warps: &[&str], lanes: usize, wanted: impl Fn(&Litmus) -> bool) -> Count {
    let mut count = Count { found: 0, runs: 0, first: None };
    for (x, y) in [("global", "global"), ("shared", "shared"), ("global", "shared"), ("shared", "global")] {
        let text = text(warps, lanes).replace(".X.", &format!(".{x}.")).replace(".Y.", &format!(".{y}."));
        let cta = |space: &str| (space == "shared").then_some(0);
        runs(&text, SEEDS, |seed, report| {
            let register = |i: usize| word(report, None, 1024 + 4 * i as u32);
            let registers = (0..warps.len()).map(|warp| [register(2 * warp), register(2 * warp + 1)]).collect();
            let seen = Litmus { registers, x: word(report, cta(x), 64), y: word(report, cta(y), 128) };
            count.runs += 1;
            if wanted(&seen) {
                count.found += 1;
                count.first.get_or_insert_with(|| {
                    format!(
                        "{seen:?}, seed {seed}; repeat with: BCU_SEED={seed} BCU_ROUNDS=1 cargo test -p bcu-engine --test sim litmus\n{text}"
                    )
                });
            }
        });
    }
    count
}

fn text(warps: &[&str], lanes: usize) -> String {
    let mut text = format!("// bcu: threads {}\n", 32 * warps.len());
    for (warp, body) in warps.iter().enumerate() {
        let at = 1024 + 8 * warp;
        text += &format!(
            "// bcu: warps {warp} run warp{warp}
    mov.u32 r0, 0;
    mov.u32 r1, 0;
    mov.u32 r9, %laneid;
    setp.ge.u32 p9, r9, {lanes};
    @p9 exit;
    st.X.u32 [64], 0;
    st.Y.u32 [128], 0;
    bar.sync 0;
    {}
    setp.ne.u32 p9, r9, 0;
    @p9 exit;
    st.global.u32 [{at}], r0;
    st.global.u32 [{}], r1;
    exit;\n",
            body.replace("; ", ";\n    "),
            at + 4
        );
    }
    text
}
