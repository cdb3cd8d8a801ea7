// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The waveform from the machine code of a unit is that of the rust-hdl block byte for byte, with all signals inside: in runs of programs, and
//! with random inputs that may be illegal.

use crate::random_bcu::program;
use bcu_engine::{Engine, Inside, UnitVcd};
use bcu_hw::catalog;
use bcu_hw::ports::Unit;
use bcu_isa::config::{named, Config};
use bcu_isa::ports::{Dir, Port};
use bcu_isa::units::{SEVERAL, WHOLE};
use bcu_jit::Compiled;
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::{run, unit, Machine};
use bcu_model::dut::Dut;
use bcu_program::{load, Kind, WarpProgram};
use fastrand::Rng;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

const SEED: u64 = 20261130;

const RING: &str = include_str!("../../../examples/visa/ring.visa");
const ALL: &str = include_str!("../../../examples/visa/all.visa");
const PRODUCER_CONSUMER: &str = include_str!("../../../examples/producer_consumer.ptx");

/// The rust-hdl block with its waveform.
struct Block {
    engine: Engine,
    vcd: Rc<RefCell<UnitVcd<Vec<u8>>>>,
}

impl Block {
    fn new(unit: Box<dyn Unit>) -> Block {
        let mut engine = Engine::new(unit);
        let vcd = Rc::new(RefCell::new(UnitVcd::new(vec![], engine.unit(), &[]).unwrap()));
        let watched = vcd.clone();
        engine.watch(move |block| watched.borrow_mut().capture(block));
        Block { engine, vcd }
    }

    fn file(self) -> Vec<u8> {
        drop(self.engine);
        Rc::into_inner(self.vcd).unwrap().into_inner().vcd.finish().unwrap()
    }
}

impl Dut for Block {
    fn ports(&self) -> &[Port] {
        self.engine.ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.engine.cycle(inputs, outputs);
        self.vcd.borrow_mut().vcd.cycle(inputs, outputs).unwrap();
    }
}

/// The machine code of a unit with its waveform.
struct Code {
    code: Compiled,
    vcd: Vcd<Vec<u8>>,
}

impl Code {
    /// `change` changes the wires that have the values of the signals.
    fn new(unit: Box<dyn Unit>, change: impl FnOnce(&mut Vec<usize>)) -> Code {
        let (inside, name, ports) = (Inside::new(unit.block()), unit.name(), unit.ports());
        let select = |atoms: &[Vec<usize>]| {
            let mut wires = inside.wires(atoms);
            change(&mut wires);
            wires
        };
        let code = Compiled::traced(unit, select).unwrap();
        Code { code, vcd: inside.start(vec![], (name, &ports), &[]).unwrap() }
    }

    fn file(self) -> Vec<u8> {
        self.vcd.finish().unwrap()
    }
}

impl Dut for Code {
    fn ports(&self) -> &[Port] {
        self.code.ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.code.cycle(inputs, outputs);
        self.vcd.inside().values().copy_from_slice(self.code.traced_values());
        self.vcd.cycle(inputs, outputs).unwrap();
    }
}

/// The path of each signal by its identifier.
fn paths(header: &str) -> HashMap<&str, String> {
    let (mut scopes, mut paths) = (vec![], HashMap::new());
    for line in header.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["$scope", _, name, ..] => scopes.push(name),
            ["$upscope", ..] => drop(scopes.pop()),
            ["$var", _, _, id, name, ..] => drop(paths.insert(id, format!("{}.{name}", scopes.join(".")))),
            _ => {}
        }
    }
    paths
}

/// The first line in which the files differ, with the name of the signal and the time; `None` if the files are equal.
fn difference(block: &[u8], code: &[u8]) -> Option<String> {
    if block == code {
        return None;
    }
    let [block, code] = [block, code].map(|file| std::str::from_utf8(file).unwrap());
    let (mut time, mut pairs) = ("", block.lines().zip(code.lines()));
    let Some((a, b)) = pairs.find(|(a, b)| {
        time = a.strip_prefix('#').unwrap_or(time);
        a != b
    }) else {
        return Some("one file is longer".to_string());
    };
    let paths = paths(block);
    let name = |line: &str| {
        let id = line.split_once(' ').map_or(line.get(1..), |(_, id)| Some(id));
        id.and_then(|id| paths.get(id).cloned()).unwrap_or_default()
    };
    Some(format!("at {time} ns the block has `{a}` ({}), the machine code `{b}` ({})", name(a), name(b)))
}

/// Clocks block and machine code, and checks that their waveforms are equal. Returns the number of signals and the number of cycles.
fn check(what: &str, make: impl Fn() -> Box<dyn Unit>, clock: impl Fn(&mut dyn Dut)) -> (usize, u64) {
    let (mut block, mut code) = (Block::new(make()), Code::new(make(), |_| ()));
    clock(&mut block);
    clock(&mut code);
    assert_eq!(block.engine.failure(), None, "{what}");
    let cycles = block.engine.cycles();
    let file = code.file();
    if let Some(difference) = difference(&block.file(), &file) {
        panic!("{what}: {difference}");
    }
    (paths(std::str::from_utf8(&file).unwrap()).len(), cycles)
}

/// Clocks a unit with random inputs.
fn random_inputs(dut: &mut dyn Dut, cycles: usize) {
    let ports = dut.ports().to_vec();
    let of = |dir: Dir| ports.iter().filter(move |port| port.dir == dir);
    let (mut inputs, mut outputs) = (vec![0; of(Dir::In).count()], vec![0; of(Dir::Out).count()]);
    let mut random = Rng::with_seed(SEED);
    for cycle in 0..cycles {
        for (value, port) in inputs.iter_mut().zip(of(Dir::In)) {
            *value = match port.name.as_str() {
                "reset" => u64::from(cycle == 1 || random.usize(..100) == 0),
                _ if !port.values.is_empty() => random.u64(..port.values.len() as u64),
                _ if random.bool() => random.u64(..) & random.u64(..) & (u64::MAX >> (64 - port.width)),
                _ => continue,
            };
        }
        dut.cycle(&inputs, &mut outputs);
    }
}

/// Every unit, in larger configurations only the whole unit, from power-up on: the first reset comes in the second cycle.
#[test]
fn every_signal_of_every_unit_is_equal_with_random_inputs() {
    for (config, cycles) in [("tiny", 100), ("intel_tiny", 100), ("odd_sizes", 8), ("default", 8), ("intel", 8)] {
        let config = named(config).unwrap();
        let small = config.name.ends_with("tiny");
        for unit in catalog::built(&config).filter(|unit| small || *unit == WHOLE) {
            // A unit that contains other units runs fewer cycles, because the contained units are also compared alone.
            let cycles = if small && [WHOLE, SEVERAL].contains(&unit) { cycles / 4 } else { cycles };
            let make = || catalog::build(&config, unit).unwrap();
            let (signals, _) = check(&format!("{unit} at {}", config.name), make, |dut| random_inputs(dut, cycles));
            assert!(signals > make().ports().len() + 5, "{unit} at {}: {signals} signals", config.name);
        }
    }
}

/// Runs programs on both forms of the unit `expected`, and checks that their waveforms are equal.
fn check_run(config: &Config, machine: &Machine, programs: &[WarpProgram], expected: &str) {
    let name = unit(machine, config, programs).unwrap();
    assert_eq!(name, expected, "the unit that the programs need at {}", config.name);
    let what = format!("{name} at {}, seed {}", config.name, machine.seed);
    let (signals, cycles) = check(
        &what,
        || catalog::build(config, name).unwrap(),
        |dut| {
            run(dut, config, machine, programs, &mut |_| ()).unwrap();
        },
    );
    assert!(signals > 4000 && cycles > 60, "{what}: {signals} signals, {cycles} cycles");
}

#[test]
fn random_programs_have_the_same_waveform() {
    for (config, seeds) in [("tiny", 0..2), ("small", 2..3), ("default", 3..4)] {
        let config = named(config).unwrap();
        for seed in seeds {
            let mut random = Rng::with_seed(seed);
            let warps = random.usize(1..=3);
            let text = program(&mut random, &config, warps);
            let (policy, spread) = (["round_robin", "random", "oldest"][random.usize(..3)], random.u32(..20));
            let machine = format!(
                "policy = '{policy}'\nseed = {seed}\nmax_cycles = 90\n[latency]\nglobal = 9\nspread = {spread}\n[[cta]]\nwarps = {warps}\n"
            );
            let machine = Machine::parse(&machine).unwrap();
            let loaded = load(Kind::Bcu, &text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
            check_run(&config, &machine, &loaded.programs, WHOLE);
        }
    }
}

#[test]
fn texts_of_other_languages_have_the_same_waveform() {
    for (name, kind, text, cycles) in
        [("small", Kind::Ptx, PRODUCER_CONSUMER, 120), ("intel_tiny", Kind::Visa, RING, 150), ("intel", Kind::Visa, ALL, 70)]
    {
        let config = named(name).unwrap();
        let machine = format!("policy = 'random'\nseed = 3\nmax_cycles = {cycles}\n[latency]\nspread = 9\n");
        let mut machine = Machine::parse(&machine).unwrap();
        let loaded = load(kind, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        machine.size(loaded.threads);
        check_run(&config, &machine, &loaded.programs, WHOLE);
    }
}

#[test]
fn clusters_on_several_multiprocessors_have_the_same_waveform() {
    let text = "SETP P0, 1\nMOV R5, 7\nSHL R3, CTARANK, 24\nLOOP 2\n@P0 ST.SHARED [R3+0x40], R5\nBAR.SYNC 0x1\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nEND\n";
    for (name, seed, cycles) in [("tiny", 1, 110), ("small", 2, 65)] {
        let config = named(name).unwrap();
        let machine = format!(
            "policy = 'random'\nseed = {seed}\nmax_cycles = {cycles}\n[latency]\nspread = 5\n[[cta]]\ncount = 4\nwarps = 2\ncluster = 2\n"
        );
        let machine = Machine::parse(&machine).unwrap();
        let loaded = load(Kind::Bcu, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        check_run(&config, &machine, &loaded.programs, SEVERAL);
    }
}

/// The comparison must find a signal with the value of another signal.
#[test]
fn a_wrong_wire_is_found_and_named() {
    let make = || catalog::build(&named("tiny").unwrap(), "named").unwrap();
    let mut block = Block::new(make());
    random_inputs(&mut block, 50);
    let file = block.file();
    let mut found = 0;
    for at in 0..10 {
        let mut code = Code::new(make(), |wires| wires.swap(7 * at, 7 * at + 1));
        // Swapped values of different widths would not fit their places.
        if code.code.traced_values().len() == code.vcd.inside().word_count() {
            random_inputs(&mut code, 50);
            let difference = difference(&file, &code.file());
            found += difference.is_some_and(|text| text.contains("(named.")) as usize;
        }
    }
    assert!(found > 2, "{found} of 10 wrong wires are found");
}
