// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on the machine: the unit and the model must give the same report, and neither may contradict the book of
//! arrivals, which follows the documents on its own.

use bcu_hw::catalog;
use bcu_hw::config::{named, Config};
use bcu_hw::isa::instr::{encode, BarMode, Instr, Op, Pred, Reg, Source};
use bcu_sim::engine::Engine;
use bcu_sim::machine::{run, Machine, Report, Verdict};
use bcu_sim::model::{by_name, Sizes};
use bcu_sim::program::{Action, Place, Space, Step, WarpProgram};
use fastrand::Rng;

/// Cases of each configuration.
const CASES: u64 = 300;

fn programs(random: &mut Rng, config: &Config, warps: usize) -> Vec<WarpProgram> {
    // Few ids and counts, so that warps meet; some cases never misuse anything.
    let beyond = u32::from(random.u8(..4) == 0);
    let ids = 1 + random.u32(..config.barriers as u32 + beyond);
    let clean = random.bool();
    let length = random.usize(1..12);
    let one = |warp: usize, random: &mut Rng| {
        let steps = (0..random.usize(..length)).map(|i| {
            let id = random.u32(..ids) & 15;
            let count = match random.u8(..8) {
                0 if !clean => random.u32(..4096),
                1..=4 => 0,
                _ => random.u32(1..=warps as u32) * config.lanes as u32,
            };
            let mode = if random.u8(..3) == 0 && (count != 0 || !clean) { BarMode::Arv } else { BarMode::Sync };
            let source = match random.u8(..4) {
                0 => Source::Rr { id: Reg(4), count: Reg(5) },
                1 => Source::Rri { id: Reg(4), count: count as u16 },
                2 => Source::Rir { id: id as u8, count: Reg(5) },
                _ => Source::I { id: id as u8, count: count as u16 },
            };
            let guard = Pred { not: random.u8(..20) == 0, ..Pred::PT };
            let mut word = encode(&Instr { guard, op: Op::Bar { mode, source } });
            if !clean && random.u8(..16) == 0 {
                word[random.usize(..4)] ^= 1 << random.u32(..32);
            }
            let (ra, rb) = if matches!(source, Source::Rri { .. }) { (0, id) } else { (id, count) };
            let action = match random.u8(..8) {
                0 => Action::Busy { cycles: random.u32(1..30) },
                1 => Action::Access { space: if random.bool() { Space::Shared } else { Space::Global }, write: random.bool() },
                2 if random.u8(..6) == 0 => Action::Exit,
                _ => Action::Barrier { word, ra, rb },
            };
            Step { action, place: Place { line: i + 1, text: format!("step {i}") } }
        });
        WarpProgram { name: format!("p{warp}"), steps: steps.collect() }
    };
    (0..warps).map(|warp| one(warp, random)).collect()
}

fn case(config: &Config, seed: u64) -> Report {
    let mut random = Rng::with_seed(seed);
    let warps = random.usize(1..=config.warps.min(6));
    let programs = programs(&mut random, config, warps);
    let policy = ["round_robin", "random", "oldest"][random.usize(..3)];
    let (period, ctas) = (if random.bool() { 1 } else { random.u32(1..40) }, random.u32(1..6));
    let threads = (warps - 1) * config.lanes + random.usize(1..=config.lanes);
    let text = format!(
        "policy = '{policy}'\nseed = {seed}\nfault_period = {period}\n[latency]\nglobal = {}\n[[cta]]\ncount = {ctas}\nthreads = {threads}\n",
        random.u32(1..60)
    );
    let machine = Machine::parse(&text).unwrap();
    let again = format!("configuration {}, seed {seed}: run the test {} again", config.name, module_path!());
    let mut engine = Engine::new(catalog::build(config, "bcu").unwrap());
    let of_unit = run(&mut engine, config, &machine, &programs, &mut |_| ()).unwrap_or_else(|e| panic!("{again}: {e}"));
    let sizes = [config.warps, config.lanes, config.cta_slots, config.barriers, config.pack_lsb].map(|n| n as u32);
    let mut model = by_name("bcu", Sizes::new(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]).unwrap()).unwrap();
    let of_model = run(model.as_mut(), config, &machine, &programs, &mut |_| ()).unwrap_or_else(|e| panic!("{again}: {e}"));
    assert_eq!(of_unit, of_model, "{again}");
    of_unit
}

fn check(name: &str) {
    let config = named(name).unwrap();
    let reports: Vec<Report> = (0..CASES).map(|seed| case(&config, seed)).collect();
    // Each kind of ending must have come up, or the cases test little.
    for verdict in [Verdict::Completed, Verdict::Fault, Verdict::Hung] {
        let count = reports.iter().filter(|r| r.verdict == verdict).count();
        assert!(count * 20 > reports.len(), "{verdict:?} in {count} of {} cases", reports.len());
    }
    assert!(reports.iter().any(|r| r.generations.iter().any(|g| g.exited.is_some())));
    assert!(reports.iter().any(|r| r.hang.as_ref().is_some_and(|h| h.circle.len() > 1)));
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
