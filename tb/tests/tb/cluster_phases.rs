// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clusters over all multiprocessors of `gpu`, whose warps exit at random. In each round every thread stores the round's number, all
//! threads meet, and every thread reads what a thread of another CTA has stored. If a phase completes early, a thread reads another number;
//! if a phase is lost, the run hangs. As in every run, the model runs in parallel with the unit, and every output is compared in every
//! cycle. The expected number of rounds is computed here.
//!
//! The long form, clusters of 16 CTAs over 4 multiprocessors, with links of 0 to 50 stages:
//! `BCU_CONFIG=default BCU_ROUNDS=500 BCU_SEEDS=10 cargo test --release -p bcu-tb --test tb cluster_phases -- --nocapture`.

use crate::ring::{seeds, setting};
use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_machine::{run_with, Machine, Observer, Verdict};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_program::launch::{LaunchFile, Launches};
use bcu_program::runs;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use std::path::Path;

/// Number of warps of a CTA.
const WARPS: usize = 2;
/// Number of clusters in a run.
const CLUSTERS: usize = 6;

/// Each warp takes part in the first rounds of its cluster and then exits. The number of rounds, at least 1, is a hash of the CTA's number,
/// the warp and the seed.
const PHASES: &str = ".version 8.6
.target sm_90
.address_size 64
.visible .entry phases(.param .u64 k_out, .param .u32 k_rounds, .param .u32 k_seed, .param .u32 k_lanes)
{
.reg .pred p, q;
.reg .b32 t, warp, base, size, rank, seed, rounds, round, own, life, other, x, y, at, wrong;
.reg .b64 out;
.shared .align 4 .b32 stored[64];
ld.param.u64 out, [k_out];
ld.param.u32 rounds, [k_rounds];
ld.param.u32 seed, [k_seed];
mov.u32 t, %tid.x;
ld.param.u32 x, [k_lanes];
div.u32 warp, t, x;
mov.u32 size, %cluster_nctarank;
mov.u32 rank, %cluster_ctarank;
mov.u32 base, %clusterid.x;
mul.lo.u32 base, base, size;
shl.b32 y, t, 2;
mov.u32 own, stored;
add.u32 own, own, y;
mov.u32 other, rank;
mov.u32 round, 0;
mov.u32 life, 0;
mov.u32 wrong, 0;
bra LIFE;
ROUND:
add.u32 round, round, 1;
st.shared.u32 [own], round;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
add.u32 other, rank, round;
rem.u32 other, other, size;
LIFE:
add.u32 x, base, other;
shl.b32 x, x, 1;
add.u32 x, x, warp;
mul.lo.u32 x, x, 0x9e3779b9;
xor.b32 x, x, seed;
shr.u32 y, x, 16;
xor.b32 x, x, y;
mul.lo.u32 x, x, 0x85ebca6b;
shr.u32 y, x, 13;
xor.b32 x, x, y;
rem.u32 x, x, rounds;
add.u32 x, x, 1;
setp.eq.u32 p, life, 0;
@p mov.u32 life, x;
@p bra ROUND;
setp.lt.u32 q, x, round;
@q bra MET;
mapa.shared::cluster.u32 at, own, other;
ld.shared::cluster.u32 x, [at];
setp.ne.u32 q, x, round;
@q add.u32 wrong, wrong, 1;
MET:
barrier.cluster.arrive;
barrier.cluster.wait;
setp.lt.u32 q, round, life;
@q bra ROUND;
red.global.add.u32 [out], round;
red.global.add.u32 [out+4], wrong;
ret;
}
";

/// The number of rounds of a warp: the same function as in the kernel.
fn life(cta: usize, warp: usize, rounds: u32, seed: u32) -> u32 {
    let x = ((cta * 2 + warp) as u32).wrapping_mul(0x9e37_79b9) ^ seed;
    let x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    (x ^ x >> 13) % rounds + 1
}

/// The configuration with links whose length depends on the seed, and the maximum number of CTAs of a cluster.
fn sized(seed: u64) -> (Config, usize) {
    let name = std::env::var("BCU_CONFIG").unwrap_or_else(|_| "small".to_string());
    let config = named(&name).unwrap_or_else(|| panic!("BCU_CONFIG: configuration `{name}` does not exist"));
    let ctas = config.sms * config.cta_slots.min(config.warps / WARPS);
    let link_stages = [0, 1, 50, 7, 3, 23, 2, 37, 5, 13][seed as usize % 10];
    let size = ctas.min(config.cluster_size);
    (Config { link_stages, ..config }, size)
}

/// Runs the clusters. Returns the total number of phases of all clusters, and the number of cycles.
fn phases(unit: &mut dyn Dut, config: &Config, size: usize, rounds: u32, seed: u64) -> (u32, u64) {
    let (ctas, threads, hash) = (CLUSTERS * size, WARPS * config.lanes, seed as u32 * 0x0101);
    let launch = format!(
        "[buffers.out]\ntype = \"u32\"\nshape = [2]\nfill = 0\n[[launch]]\ngrid = [{ctas}]\ncluster = [{size}]\nblock = [{threads}]\n\
         args = [\"out\", {{ u32 = {rounds} }}, {{ u32 = {hash} }}, {{ u32 = {} }}]\n",
        config.lanes
    );
    let file = LaunchFile::parse(&launch).unwrap_or_else(|e| panic!("{e:?}"));
    let mut machine = Machine::parse(&format!(
        "policy = 'random'\nseed = {seed}\nmax_cycles = 100000000\n[latency]\nspread = {}\n",
        seed % 9
    ))
    .unwrap();
    machine.races = false;
    let base = machine.launch(config.lanes);
    let ready = Launches::from(&file).ready(PHASES, &base, seed, &mut |_| Ok(vec![]));
    let ready = ready.unwrap_or_else(|_| panic!("the launch does not fit the kernel"));
    let (mut memory, loaded) = (ready.memory.clone(), &runs(&ready.launches)[0]);
    let machine = machine.of_run(loaded);
    let report = run_with(Some(unit), config, &machine, &loaded.programs, &mut memory, Observer::of_all(&mut |_| ()));
    let report = report.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}");
    let lives = |cta| (0..WARPS).map(move |warp| life(cta, warp, rounds, hash));
    let thread_count: u32 = (0..ctas).flat_map(lives).sum::<u32>() * config.lanes as u32;
    let launch_result = ready.result(&memory);
    let out = [0, 1].map(|word| launch_result.buffers[0].get(word).map(<[u8]>::to_vec));
    assert_eq!(
        out,
        [thread_count, 0].map(|word| Some(word.to_le_bytes().to_vec())),
        "seed {seed}: rounds of all threads, and numbers that were wrong"
    );
    // A cluster has two phases for each round. The number of its rounds is the maximum over its warps.
    let last = |cluster| (cluster * size..(cluster + 1) * size).flat_map(lives).max().unwrap_or(0);
    ((0..CLUSTERS).map(|cluster| 2 * last(cluster)).sum(), report.cycles)
}

#[test]
fn no_phase_is_lost_or_early_on_the_model() {
    for seed in seeds(10) {
        let (config, size) = sized(seed);
        let mut model = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
        let (phases, cycles) = phases(&mut *model, &config, size, setting("BCU_ROUNDS", 40) as u32, seed);
        eprintln!("model: clusters of {size}, links of {}, seed {seed}: {phases} phases, {cycles} cycles", config.link_stages);
    }
}

#[test]
fn no_phase_is_lost_or_early_on_the_exported_verilog() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    for seed in seeds(1) {
        let (config, size) = sized(seed);
        let unit = catalog::build(&config, "gpu").unwrap();
        let verilated = Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap();
        let mut instance = verilated.instance(seed);
        let (phases, cycles) = phases(&mut instance, &config, size, setting("BCU_ROUNDS", 40) as u32, seed);
        eprintln!(
            "Verilator: clusters of {size}, links of {}, seed {seed}: {phases} phases, {cycles} cycles",
            config.link_stages
        );
    }
}
