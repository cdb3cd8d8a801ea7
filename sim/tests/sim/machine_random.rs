// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on the machine: the unit, as machine code and for some of the cases as the rust-hdl block, and the model must give the
//! same report, and none may contradict the book of arrivals, which follows the documents on its own.

use bcu_hw::catalog;
use bcu_hw::config::{named, Config};
use bcu_hw::isa::instr::{decode, encode, BarMode, Instr, Op, Pred, RedOp, RedSource, Reg, Source, StateMode};
use bcu_sim::compiled::Compiled;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::machine::report::Stop;
use bcu_sim::machine::{run, Machine, Reduction, Report, Verdict};
use bcu_sim::model::{by_name, Sizes};
use bcu_sim::program::{self, Action, Cell, Data, Elect, Form, Place, Space, Step, Truth, WarpProgram, Write};
use fastrand::Rng;

/// Cases of each configuration.
const CASES: u64 = 500;
/// Of them on the block, which is much slower than its machine code.
const ON_BLOCK: u64 = 20;

/// A barrier instruction of any kind; few ids and counts, so that warps meet.
fn barrier(random: &mut Rng, config: &Config, (warps, ids, clean, offset, lanes): (usize, u32, bool, usize, bool)) -> Action {
    let id = random.u32(..ids) & 15;
    let count = match random.u8(..8) {
        0 if !clean => random.u32(..4096),
        1..=5 => 0,
        _ => random.u32(1..=warps as u32) * config.lanes as u32,
    };
    let pred =
        |random: &mut Rng| Pred { index: if random.u8(..3) == 0 { 7 } else { random.u8(..2) }, not: random.u8(..4) == 0 };
    // What misuses nothing keeps reductions and other arrivals apart.
    let kind = match random.u8(..10) {
        0..8 if clean => [0, 5][id as usize % 2],
        kind => kind,
    };
    let op = match kind {
        0..=4 => {
            let mode = if random.u8(..3) == 0 && (count != 0 || !clean) { BarMode::Arv } else { BarMode::Sync };
            let source = match random.u8(..4) {
                0 => Source::Rr { id: Reg(4), count: Reg(5) },
                1 => Source::Rri { id: Reg(4), count: count as u16 },
                2 => Source::Rir { id: id as u8, count: Reg(5) },
                _ => Source::I { id: id as u8, count: count as u16 },
            };
            Op::Bar { mode, source }
        }
        5..=7 => {
            let source = match random.u8(..4) {
                0 => RedSource::Packed(Reg(6)),
                1 => RedSource::Rri { id: Reg(4), count: count as u16 },
                2 => RedSource::Rir { id: id as u8, count: Reg(5) },
                _ => RedSource::I { id: id as u8, count: count as u16 },
            };
            // With few kinds some reductions complete.
            let op =
                [RedOp::And, RedOp::Or, RedOp::Popc][if clean { (id as usize / 2 + offset) % 3 } else { random.usize(..3) }];
            Op::Red { op, source, pp: pred(random) }
        }
        8 => match random.u8(..3) {
            0 => Op::Result { rd: Reg(random.u8(7..9)), pu: random.u8(..3) },
            1 => Op::B2r { mode: StateMode::Warp, rd: Reg(random.u8(7..9)), id: 0 },
            _ => Op::B2r { mode: StateMode::Bar, rd: Reg(random.u8(7..9)), id: id as u8 },
        },
        _ if clean => Op::B2r { mode: StateMode::Bar, rd: Reg(7), id: id as u8 },
        _ => {
            let mode = if random.bool() { StateMode::Bar } else { StateMode::Warp };
            Op::R2b { mode, id: id as u8, ra: Reg(random.u8(7..10)) }
        }
    };
    let guard = if random.u8(..6) == 0 { pred(random) } else { Pred::PT };
    let mut word = encode(&Instr { guard, op });
    if !clean && random.u8(..16) == 0 {
        word[random.usize(..4)] ^= 1 << random.u32(..32);
    }
    // A flipped bit may have made it another guard, but the machine takes the step's.
    let number = |value: u32, random: &mut Rng| match random.u8(..30) {
        0 if !clean => program::Source::LaneId,
        _ => program::Source::Number(value),
    };
    let mov = |to: u8, from| Write::Mov { to: Reg(to), from };
    let (ra, rb) = (number(id, random), number(count, random));
    let packed = number(id | count << config.pack_lsb, random);
    // R9 is a state word, R7 and R8 hold what B2R has read.
    let state = program::Source::Number(match random.u8(..4) {
        0 => random.u32(..),
        1 => random.u32(..4) | random.u32(..4) << 7 | random.u32(..3) << 14 | random.u32(..3) << 16,
        _ => 1 | random.u32(1..=warps as u32) << 7 | 1 << 14,
    });
    let presets = vec![mov(4, ra), mov(5, rb), mov(6, packed), mov(9, state)];
    let form = if lanes { [Form::Raw, Form::Aligned, Form::Gathered][random.usize(..3)] } else { Form::Raw };
    Action::Barrier { word, form, presets }
}

fn programs(random: &mut Rng, config: &Config, warps: usize) -> Vec<WarpProgram> {
    let beyond = u32::from(random.u8(..4) == 0);
    let ids = 1 + random.u32(..config.barriers as u32 + beyond);
    let (clean, offset, lanes) = (random.bool(), random.usize(..3), random.bool());
    let length = random.usize(3..14);
    let one = |warp: usize, random: &mut Rng| {
        let steps = (0..random.usize(..length)).map(|i| {
            let action = match random.u8(..10) {
                _ if i < 2 => {
                    Action::Write(Write::Predicate { to: i as u8, from: Truth::Mask(random.u64(..) | random.u64(..)) })
                }
                0 => Action::Busy { cycles: random.u32(1..30) },
                1 if random.bool() => {
                    let address = [program::Source::LaneId, program::Source::WarpId, program::Source::Number(8)];
                    let address = address[random.usize(..3)].clone();
                    let write = random.bool();
                    let data = match write {
                        true => Data::Store(Some(program::Source::Register(Reg(random.u8(4..9))))),
                        false => Data::Load(Reg(random.u8(7..9))),
                    };
                    let cell = Some(Cell { address, offset: random.u32(..8), data });
                    Action::Access { space: if random.bool() { Space::Shared } else { Space::Global }, write, cell }
                }
                1 => Action::Access {
                    space: if random.bool() { Space::Shared } else { Space::Global },
                    write: random.bool(),
                    cell: None,
                },
                2 if random.u8(..6) == 0 => Action::Exit,
                5 if lanes && random.u8(..3) == 0 => {
                    let elect = Elect { predicate: Some(random.u8(..2)), register: Some(Reg(random.u8(7..9))) };
                    let members = random.u64(..) | random.u64(..);
                    Action::Meet { members, elect: random.bool().then_some(elect) }
                }
                3 => Action::Write(Write::Predicate { to: random.u8(..2), from: Truth::Mask(random.u64(..)) }),
                4 => Action::Write(Write::Mov {
                    to: Reg(random.u8(4..9)),
                    from: program::Source::Register(Reg(random.u8(4..9))),
                }),
                _ => barrier(random, config, (warps, ids, clean, offset, lanes)),
            };
            let guard = match &action {
                Action::Barrier { word, .. } => decode(*word).map_or(Pred::PT, |instr| instr.guard),
                _ => Pred { index: if random.u8(..5) == 0 { random.u8(..2) } else { 7 }, not: false },
            };
            let active = if random.u8(..6) == 0 { random.u64(..) } else { u64::MAX };
            Step { action, active, guard, place: Place { line: i + 1, text: format!("step {i}") } }
        });
        WarpProgram { name: format!("p{warp}"), steps: steps.collect() }
    };
    (0..warps).map(|warp| one(warp, random)).collect()
}

fn case(config: &Config, code: &mut Compiled, seed: u64) -> Report {
    let mut random = Rng::with_seed(seed);
    let warps = random.usize(1..=config.warps.min(6));
    let programs = programs(&mut random, config, warps);
    let policy = ["round_robin", "random", "oldest"][random.usize(..3)];
    let (period, ctas) = (if random.bool() { 1 } else { random.u32(1..40) }, random.u32(1..6));
    let threads = (warps - 1) * config.lanes + random.usize(1..=config.lanes);
    let faults = ["report", "report", "trap", "hang"][random.usize(..4)];
    let leader = ["lowest", "highest"][random.usize(..2)];
    let text = format!(
        "leader_policy = '{leader}'\nfault_policy = '{faults}'\npolicy = '{policy}'\nseed = {seed}\nfault_period = {period}\n[latency]\nglobal = {}\nspread = {}\n[[cta]]\ncount = {ctas}\nthreads = {threads}\n",
        random.u32(1..60),
        random.u32(..50)
    );
    let machine = Machine::parse(&text).unwrap();
    let again = format!("configuration {}, seed {seed}: run the test {} again", config.name, module_path!());
    let on = |dut: &mut dyn Dut| run(dut, config, &machine, &programs, &mut |_| ()).unwrap_or_else(|e| panic!("{again}: {e}"));
    code.restart();
    let of_unit = on(code);
    if seed < ON_BLOCK {
        assert_eq!(on(&mut Engine::new(catalog::build(config, "bcu").unwrap())), of_unit, "{again}");
    }
    let [warps, lanes, slots, barriers] = [config.warps, config.lanes, config.cta_slots, config.barriers].map(|n| n as u32);
    let sizes = Sizes::new(warps, lanes, slots, barriers, config.pack_lsb as u32, config.max_outstanding as u32).unwrap();
    let mut model = by_name("bcu", sizes).unwrap();
    assert_eq!(of_unit, on(model.as_mut()), "{again}");
    of_unit
}

fn check(name: &str) {
    let config = named(name).unwrap();
    let mut code = Compiled::new(catalog::build(&config, "bcu").unwrap()).unwrap();
    let reports: Vec<Report> = (0..CASES).map(|seed| case(&config, &mut code, seed)).collect();
    // Each kind of ending must have come up, or the cases test little.
    for verdict in [Verdict::Completed, Verdict::Fault, Verdict::Hung] {
        let count = reports.iter().filter(|r| r.verdict == verdict).count();
        assert!(count * 20 > reports.len(), "{verdict:?} in {count} of {} cases", reports.len());
    }
    assert!(reports.iter().any(|r| r.generations.iter().any(|g| g.exited.is_some())));
    assert!(reports.iter().any(|r| r.hang.as_ref().is_some_and(|h| h.circle.len() > 1)));
    for stop in [Stop::Trapped, Stop::Hangs] {
        assert!(reports.iter().any(|r| r.faults.iter().any(|f| f.stopped == Some(stop))));
    }
    assert!(reports.iter().any(|r| r.hang.as_ref().is_some_and(|h| !h.lanes.is_empty())));
    assert!(reports.iter().any(|r| r.memory.iter().any(|word| word.value != 0)));
    let reductions = || reports.iter().flat_map(|r| &r.generations).filter_map(|g| g.reduction.zip(g.value));
    for wanted in [(Reduction::And, 0), (Reduction::And, 1), (Reduction::Or, 0), (Reduction::Or, 1), (Reduction::Popc, 0)] {
        assert!(reductions().any(|found| found == wanted), "{wanted:?}");
    }
    assert!(reductions().any(|(reduction, value)| reduction == Reduction::Popc && value > 1));
    for code in
        ["no_result", "bad_state_word", "kind_mismatch", "operand_not_uniform", "partial_mask", "gather_mismatch", "deadlock"]
    {
        assert!(reports.iter().any(|r| r.faults.iter().any(|f| f.code == code)), "{code}");
    }
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
