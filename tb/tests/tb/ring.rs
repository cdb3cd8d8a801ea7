// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A ring of four stages between a warp that fills them by bulk copies and two warps that read them. Each stage has an mbarrier for *full*
//! and one for *empty*. As in every run, the model runs in parallel with the unit, and every output is compared in every cycle. The results
//! are compared with sums computed here.
//!
//! The long form, on all simulators:
//! `BCU_ROUNDS=1000 BCU_SEEDS=8 cargo test --release -p bcu-tb --test tb ring`.

use bcu_engine::Engine;
use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_jit::Compiled;
use bcu_machine::{run_with, Machine, Observer, Verdict};
use bcu_model::dut::Dut;
use bcu_program::launch::{LaunchFile, Launches};
use bcu_program::runs;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use std::path::Path;

const STAGES: usize = 4;
/// Number of words of a stage: one for each thread of the two reading warps.
const WORDS: usize = 64;

/// The first lane of warp 0 fills the stages; warps 1 and 2 read them.
const RING: &str = ".version 8.6
.target sm_90a
.address_size 64
.visible .entry ring(.param .u64 k_in, .param .u64 k_out, .param .u32 k_rounds)
.reqntid 96
{
.reg .pred p, done;
.reg .b32 t, own, round, rounds, stage, parity, full, empty, data, i, word, sum, n;
.reg .b64 from, to, offset;
.shared .align 128 .b32 ring[256];
.shared .align 8 .b64 is_full[4];
.shared .align 8 .b64 is_empty[4];
mov.u32 t, %tid.x;
ld.param.u64 from, [k_in];
ld.param.u64 to, [k_out];
ld.param.u32 rounds, [k_rounds];
setp.ne.u32 p, t, 0;
@p bra READY;
mov.u32 i, 0;
MAKE:
shl.b32 n, i, 3;
mov.u32 full, is_full;
add.u32 full, full, n;
mov.u32 empty, is_empty;
add.u32 empty, empty, n;
mbarrier.init.shared.b64 [full], 1;
mbarrier.init.shared.b64 [empty], 64;
add.u32 i, i, 1;
setp.lt.u32 p, i, 4;
@p bra MAKE;
fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
mov.u32 round, 0;
mov.u32 sum, 0;
setp.ge.u32 p, t, 32;
@p bra NEXT;
setp.ne.u32 p, t, 0;
@p bra END;
NEXT:
and.b32 stage, round, 3;
shr.u32 parity, round, 2;
and.b32 parity, parity, 1;
shl.b32 n, stage, 3;
mov.u32 full, is_full;
add.u32 full, full, n;
mov.u32 empty, is_empty;
add.u32 empty, empty, n;
shl.b32 n, stage, 8;
mov.u32 data, ring;
add.u32 data, data, n;
add.u32 round, round, 1;
setp.ge.u32 p, t, 32;
@p bra READ;
xor.b32 parity, parity, 1;
FREE:
mbarrier.try_wait.parity.shared::cta.b64 done, [empty], parity;
@!done bra FREE;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [from], 256, [full];
add.u64 from, from, 256;
setp.lt.u32 p, round, rounds;
@p bra NEXT;
bra END;
READ:
mbarrier.try_wait.parity.shared::cta.b64 done, [full], parity;
@!done bra READ;
sub.u32 own, t, 32;
shl.b32 n, own, 2;
add.u32 data, data, n;
ld.shared.u32 word, [data];
mad.lo.u32 sum, word, round, sum;
mbarrier.arrive.shared::cta.b64 _, [empty];
setp.lt.u32 p, round, rounds;
@p bra NEXT;
cvt.u64.u32 offset, n;
add.u64 to, to, offset;
st.global.u32 [to], sum;
END:
ret;
}
";

pub fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name}: expected a number, found {value}")))
}

/// The word with index `index` of the data that pass through the ring.
fn word(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995
}

/// Runs the ring on a unit, whose outputs the machine compares with those of the model. Returns the number of cycles.
fn ring(unit: &mut dyn Dut, config: &Config, rounds: usize, seed: u64) -> u64 {
    let launch = format!(
        "[buffers.in]\ntype = \"u32\"\nshape = [{}]\nraw = \"in\"\n[buffers.out]\ntype = \"u32\"\nshape = [{WORDS}]\n\
         [[launch]]\nargs = [\"in\", \"out\", {{ u32 = {rounds} }}]\n",
        rounds * WORDS
    );
    let file = LaunchFile::parse(&launch).unwrap_or_else(|e| panic!("{e:?}"));
    // Latencies from a few to some hundred cycles, so that answers of both memories arrive out of order.
    let mut machine = Machine::parse(&format!(
        "policy = 'random'\nseed = {seed}\nmax_cycles = 10000000\nissue_per_cycle = {}\nwait_limit = {}\n\
         [latency]\nshared = {}\nglobal = {}\nspread = {}\n",
        1 + seed % 4,
        1 + seed % 7,
        1 + seed * 7 % 40,
        1 + seed * 31 % 300,
        [0, 7, 60, 400][seed as usize % 4]
    ))
    .unwrap();
    machine.races = rounds <= 100;
    let bytes: Vec<u8> = (0..rounds * WORDS).flat_map(|index| word(index).to_le_bytes()).collect();
    let base = machine.launch(config.lanes);
    let ready = Launches::from(&file).ready(RING, &base, seed, &mut |_| Ok(bytes.clone()));
    let ready = ready.unwrap_or_else(|_| panic!("the launch does not fit the kernel"));
    let (mut memory, mut cycles) = (ready.memory.clone(), 0);
    for run in &runs(&ready.launches) {
        let machine = machine.of_run(run);
        let report = run_with(Some(unit), config, &machine, &run.programs, &mut memory, Observer::of_all(&mut |_| ()));
        let report = report.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}");
        assert!(report.misuses.is_empty() && report.races.iter().all(|race| race.kind.needs_strict()), "seed {seed}: {report}");
        cycles += report.cycles;
    }
    let out = &ready.result(&memory).buffers[1];
    for thread in 0..WORDS {
        let each = (0..rounds).map(|round| word(round * WORDS + thread).wrapping_mul(round as u32 + 1));
        let sum = each.fold(0u32, u32::wrapping_add);
        assert_eq!(out.get(thread), Some(&sum.to_le_bytes()[..]), "seed {seed}: thread {thread}");
    }
    assert!(cycles >= (rounds / STAGES) as u64, "{cycles} cycles for {rounds} rounds");
    cycles
}

/// The seeds to run, from `BCU_SEED` on.
pub fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let first = setting("BCU_SEED", 1);
    first..first + setting("BCU_SEEDS", otherwise)
}

#[test]
fn a_ring_brings_every_word_on_the_compiled_unit() {
    let config = named("default").unwrap();
    let mut unit = Compiled::new(catalog::build(&config, "bcu").unwrap()).unwrap();
    for seed in seeds(6) {
        let rounds = setting("BCU_ROUNDS", 200) as usize;
        let cycles = ring(&mut unit, &config, rounds, seed);
        eprintln!("machine code: {rounds} rounds, seed {seed}, {cycles} cycles");
    }
}

#[test]
fn a_ring_brings_every_word_on_the_block() {
    let config = named("default").unwrap();
    let rounds = (setting("BCU_ROUNDS", 6) as usize).min(60);
    let mut engine = Engine::new(catalog::build(&config, "bcu").unwrap());
    let cycles = ring(&mut engine, &config, rounds, setting("BCU_SEED", 2));
    eprintln!("the block: {rounds} rounds, {cycles} cycles");
}

#[test]
fn a_ring_brings_every_word_on_the_exported_verilog() {
    let config = named("default").unwrap();
    let unit = catalog::build(&config, "bcu").unwrap();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ring");
    let verilated = Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap();
    for seed in seeds(3) {
        let rounds = setting("BCU_ROUNDS", 100) as usize;
        let cycles = ring(&mut verilated.instance(seed), &config, rounds, seed);
        eprintln!("Verilator: {rounds} rounds, seed {seed}, {cycles} cycles");
    }
}
