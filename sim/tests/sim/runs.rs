// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs texts on the model of the unit, and records the instructions that the unit accepted and the lines of every warp.

use bcu_isa::config::{named, Config};
use bcu_isa::disasm;
use bcu_isa::op::Form;
use bcu_machine::report::RaceKind;
use bcu_machine::{run, Cycle, Machine, Report, RunError, Stopped, Verdict};
use bcu_model::dut::{ByName, Dut, Input, Output};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch};

/// The model of the unit for this configuration.
pub fn model(config: &Config) -> Box<dyn Dut> {
    by_name("bcu", Sizes::try_from(config).unwrap()).unwrap()
}

/// An instruction that the unit accepted, with its values at the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub warp: usize,
    /// The line and text of the instruction.
    pub place: String,
    pub form: Form,
    pub members: u64,
    pub word: [u32; 4],
    pub ra: u32,
    pub rb: u32,
    pub uniform: bool,
    pub active: u64,
    pub guard: u64,
    pub predicate: u64,
}

impl Taken {
    /// The instruction word as assembly; a WarpSync or Elect has no word.
    pub fn text(&self) -> String {
        match self.form {
            Form::WarpSync | Form::Elect => format!("{:?} {:#x}", self.form, self.members),
            _ => disasm::text(self.word),
        }
    }

    /// Whether the instruction reads the result of a reduction.
    pub fn fetches(&self) -> bool {
        self.text().contains("B2R.RESULT")
    }
}

/// The record of a run of one CTA.
pub struct Run {
    pub report: Report,
    /// The accepted instructions, in the order of time.
    pub instructions: Vec<Taken>,
    /// For each warp, its states in order: the line and text of an instruction, or the place of a wait. A repeated state counts
    /// once. The instruction that a warp executes in the cycle in which a wait ends is missing.
    pub states: Vec<Vec<String>>,
}

impl Run {
    /// The instructions of a warp that the unit accepted, without reads of results.
    pub fn arrivals(&self, warp: usize) -> Vec<&Taken> {
        self.instructions.iter().filter(|taken| taken.warp == warp && !taken.fetches()).collect()
    }

    /// The lines that a warp executed, in order, without the lines right after a wait.
    pub fn lines(&self, warp: usize) -> Vec<usize> {
        let of = |(line, text): (&str, &str)| line.parse().ok().filter(|_| text != "end of program");
        let line = |text: &String| text.strip_prefix("l.")?.split_once(' ').and_then(of);
        self.states[warp].iter().filter_map(line).collect()
    }

    /// The address and value of every word of global memory that was stored and is known.
    pub fn global(&self) -> Vec<(u32, u32)> {
        self.memory(None)
    }

    /// The address and value of every word of shared memory that was stored and is known.
    pub fn shared(&self) -> Vec<(u32, u32)> {
        self.memory(Some(0))
    }

    fn memory(&self, cta: Option<usize>) -> Vec<(u32, u32)> {
        self.report.memory.iter().filter(|word| word.cta == cta).map(|word| (word.address, word.value)).collect()
    }
}

/// The ports of the instruction channel.
struct Port {
    ready: Output,
    inputs: [Input; 14],
}

impl Port {
    fn new(dut: &dyn Dut) -> Port {
        let names = ["valid", "warp", "form", "members", "word_0", "word_1", "word_2", "word_3"];
        let more = ["ra", "rb", "uniform", "active", "guard", "predicate"];
        let names: Vec<&str> = names.into_iter().chain(more).collect();
        let inputs = std::array::from_fn(|i| dut.ports().input(&format!("instr_{}", names[i])).unwrap());
        Port { ready: dut.ports().output("instr_ready").unwrap(), inputs }
    }

    fn transfer(&self, seen: &Cycle) -> Option<Taken> {
        let [valid, warp, form, members, words @ .., ra, rb, uniform, active, guard, predicate] =
            self.inputs.map(|input| input.read(seen.inputs));
        let words: [u64; 4] = words;
        let warp = warp as usize;
        (valid == 1 && self.ready.read(seen.outputs) == 1).then(|| Taken {
            warp,
            place: seen.warp(warp),
            form: Form::from_u64(form),
            members,
            word: words.map(|word| word as u32),
            ra: ra as u32,
            rb: rb as u32,
            uniform: uniform == 1,
            active,
            guard,
            predicate,
        })
    }
}

/// Runs a text of any language with this launch, on a configuration.
pub fn try_run(kind: Kind, config: &str, machine: &str, text: &str, launch: &Launch) -> Result<Run, RunError> {
    let config = named(config).unwrap();
    let mut machine = Machine::parse(machine).unwrap();
    let loaded = load(kind, text, launch).unwrap_or_else(|e| panic!("{e:#?}"));
    machine.size(loaded.threads);
    let mut dut = model(&config);
    let port = Port::new(&*dut);
    let (mut instructions, mut states) = (vec![], vec![vec![]; loaded.programs.len()]);
    let mut first = true;
    let report = run(&mut *dut, &config, &machine, &loaded.programs, &mut |cycle: &Cycle| {
        // No instruction is accepted in the cycle of the reset.
        instructions.extend(port.transfer(cycle).filter(|_| !first));
        first = false;
        for (warp, states) in states.iter_mut().enumerate() {
            let state = cycle.warp(warp);
            if !state.is_empty() && states.last() != Some(&state) {
                states.push(state);
            }
        }
    })?;
    Ok(Run { report, instructions, states })
}

/// Runs PTX on the configuration `default`, whose warps have 32 lanes.
pub fn try_ptx(text: &str, launch: &Launch) -> Result<Run, RunError> {
    try_run(Kind::Ptx, "default", "", text, launch)
}

/// Runs PTX like `try_ptx`; the run must end.
pub fn ptx_with(text: &str, launch: &Launch) -> Run {
    let run = try_ptx(text, launch).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert!(matches!(run.report.verdict, Verdict::Completed | Verdict::Fault), "{}\n{text}", run.report);
    run
}

pub fn ptx(text: &str) -> Run {
    ptx_with(text, &Launch::new(32))
}

/// Runs BCU assembly on the configuration `default`.
pub fn bcu(text: &str) -> Run {
    try_run(Kind::Bcu, "default", "", text, &Launch::new(32)).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// One side of a race: its lane and its opcode.
pub type Side = (usize, String);

/// The races of a PTX program, whose run must end: both sides in order of time, and whether the first side is a copy for which no thread
/// waited. Races that only `--strict` reports are left out.
pub fn races(text: &str) -> Vec<([Side; 2], bool)> {
    let config = named("default").unwrap();
    let loaded = load(Kind::Ptx, text, &Launch::new(config.lanes as u32)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let mut machine = Machine { races: true, ..Machine::default() };
    machine.size(loaded.threads);
    let report = run(&mut *model(&config), &config, &machine, &loaded.programs, &mut |_| ());
    let report = report.unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}\n{text}");
    let side = |lane: usize, text: &str| (lane, text.split_whitespace().next().unwrap_or("").to_string());
    let sides = |[first, second]: [(usize, &str); 2]| [side(first.0, first.1), side(second.0, second.1)];
    let races = report.races.iter().filter(|race| !race.kind.needs_strict());
    races
        .map(|r| {
            (sides([(r.first.lane, &r.first.place.text), (r.second.lane, &r.second.place.text)]), r.kind == RaceKind::Copy)
        })
        .collect()
}

/// The reason why a PTX program cannot continue.
pub fn stopped(text: &str) -> Stopped {
    match try_ptx(text, &Launch::new(32)) {
        Err(RunError::Program { stopped, .. }) => *stopped,
        Err(other) => panic!("{other:?}\n{text}"),
        Ok(run) => panic!("{}\n{text}", run.report),
    }
}
