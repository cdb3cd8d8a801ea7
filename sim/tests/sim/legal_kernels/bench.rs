// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a program on the unit as machine code and reports errors of the run: any verdict but `completed`, a finding, a broken
//! promise, or unexpected values.

use crate::promises::Promises;
use bcu_hw::catalog;
use bcu_isa::config::Config;
use bcu_jit::Compiled;
use bcu_machine::check::check_run;
use bcu_machine::check::finding::Subject;
use bcu_machine::issued::Issued;
use bcu_machine::{run_with, unit, Machine, Observer, Report, Verdict};
use bcu_model::dut::Dut;
use bcu_program::{load, Kind, Launch, Run};
use bcu_program::{Image, Variable};
use fastrand::Rng;
use std::collections::HashMap;

/// The address of a kernel's buffer.
const BUFFER: u64 = 0x1_0000_0000;

/// The units of a configuration, each compiled at its first use.
pub struct Bench {
    pub config: Config,
    units: HashMap<&'static str, Compiled>,
}

/// A program with its launch.
pub struct Case<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// The number of CTAs.
    pub ctas: u32,
    /// The number of CTAs in a cluster; `None` without clusters.
    pub cluster: Option<u32>,
    /// The number of threads in a CTA.
    pub threads: u32,
    /// The contents, before the run, of the buffer whose address is the parameter of a PTX kernel; empty for other languages.
    pub before: &'a [u32],
    /// The expected contents of this buffer after the run; empty for other languages.
    pub after: &'a [u32],
}

fn bytes(words: &[u32]) -> Image {
    words.iter().flat_map(|word| word.to_le_bytes()).map(Some).collect()
}

/// A machine description: schedule, latencies, issue width, on at most this number of multiprocessors.
pub fn machine(random: &mut Rng, seed: u64, sms: usize) -> String {
    let policy = ["round_robin", "random", "oldest"][random.usize(..3)];
    let on = if sms > 1 && random.bool() { format!("sms = {}\n", random.usize(1..=sms)) } else { String::new() };
    let (width, shared, global) = (random.u32(1..=4), random.u32(1..40), random.u32(1..250));
    let (spread, period, limit) = (random.u32(..4) * random.u32(..60), random.u32(1..4), random.u32(1..20));
    format!(
        "policy = '{policy}'\nseed = {seed}\n{on}issue_per_cycle = {width}\nfault_period = {period}\nwait_limit = {limit}\n\
         max_cycles = 4000000\n[latency]\nshared = {shared}\nglobal = {global}\nspread = {spread}\n"
    )
}

impl Bench {
    pub fn new(config: Config) -> Bench {
        Bench { config, units: HashMap::new() }
    }

    /// The report of a run, or its error. With `check` the run is also checked for races and misuse.
    pub fn run(&mut self, case: &Case, description: &str, check: bool) -> Result<Report, String> {
        let config = &self.config;
        let mut machine = Machine::parse(description).map_err(|error| format!("{error:?}"))?;
        machine.races = check;
        let of_ptx = case.kind == Kind::Ptx;
        let launch = Launch {
            threads: Some([case.threads, 1, 1]),
            grid: [if of_ptx { case.ctas } else { 1 }, 1, 1],
            cluster: case.cluster.map(|size| [size, 1, 1]),
            arguments: if of_ptx { vec![BUFFER.to_le_bytes().map(Some).to_vec()] } else { vec![] },
            ..Launch::new(config.lanes as u32)
        };
        let loaded = load(case.kind, case.text, &launch).map_err(|errors| format!("{errors:#?}"))?;
        let run = Run::of_one(loaded);
        if of_ptx {
            machine = machine.of_run(&run);
        } else {
            machine.size(case.threads);
        }
        let name = unit(&machine, config, &run.programs).map_err(|error| error.message)?;
        let compiled = || Compiled::new(catalog::build(config, name).ok_or("no such unit")?).map_err(|error| error.to_string());
        if !self.units.contains_key(name) {
            self.units.insert(name, compiled()?);
        }
        let dut = self.units.get_mut(name).ok_or("no such unit")?;
        let mut issued = Issued::new(dut.ports()).map_err(|error| error.to_string())?;
        let mut promises = Promises::new(dut.ports(), config);
        let buffer = Variable::new("out", BUFFER, bytes(case.before));
        let mut variables = if of_ptx { vec![buffer] } else { vec![] };
        let report = run_with(
            Some(dut),
            config,
            &machine,
            &run.programs,
            &mut variables,
            Observer::of_all(&mut |cycle| {
                promises.cycle(cycle);
                issued.cycle(cycle);
            }),
        );
        let report = report.map_err(|error| error.to_string())?;
        if report.verdict != Verdict::Completed {
            return Err(report.to_string());
        }
        if let Some(broken) = promises.broken.first() {
            return Err(broken.clone());
        }
        let subject = Subject {
            files: &[case.text],
            programs: &run.programs,
            earlier: vec![],
            owners: &vec![0; run.programs.len()],
            warnings: &run.warnings.iter().map(|warning| (0, warning.clone())).collect::<Vec<_>>(),
            machine: &machine,
            config,
            strict: false,
        };
        // Warps of these kernels may exit before other warps wait at a barrier of all threads. Hardware permits this: no error.
        let found = check_run(&subject, &report, &issued).map_err(|error| error.message)?.findings;
        if let Some(found) = found.iter().find(|found| found.code.name != "exit_before_barrier") {
            return Err(format!("finding {}: {} ({})", found.code.name, found.message, found.circumstances()));
        }
        let after = bytes(case.after).values();
        let final_bytes = variables.first().map_or(vec![], |variable| variable.bytes.values());
        match final_bytes.iter().zip(&after).position(|(is, should)| is != should).map(|at| at & !3) {
            _ if final_bytes.len() != after.len() => Err(format!("{} bytes, expected {}", final_bytes.len(), after.len())),
            Some(at) => Err(format!("word {}: {:?}, expected {:?}", at / 4, &final_bytes[at..at + 4], &after[at..at + 4])),
            None => Ok(report),
        }
    }
}
