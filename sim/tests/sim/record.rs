// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run against the ports of the unit: it has every release and every fault once, every arrival of a generation is
//! an instruction that the unit accepted, and a completed run leaves no arrival over.

use super::runs::model;
use bcu_isa::config::named;
use bcu_isa::instr::{decode, Op};
use bcu_isa::op::{FaultCode, Form};
use bcu_machine::{run, ArrivalForm as Arrives, Cycle, Machine, Report, RunError, Verdict};
use bcu_model::dut::{ByName, Dut, Input, Output};
use bcu_program::{load, Kind, Launch};
use std::collections::{BTreeSet, HashMap};

/// Cycle, CTA and warp of an arrival.
type Who = (u64, usize, usize);

/// The events at the ports of a run.
#[derive(Default)]
pub struct Seen {
    inputs: HashMap<String, Input>,
    outputs: HashMap<String, Output>,
    cycle: u64,
    /// CTA and warp of each warp slot.
    owners: Vec<Option<(usize, usize)>>,
    launched: usize,
    /// Arrivals of whole warps.
    whole: BTreeSet<Who>,
    /// Gathered arrivals of some lanes of a warp.
    pieces: BTreeSet<Who>,
    /// Whether state words were written, which may remove arrivals from their generations.
    restored: bool,
    /// The releases: cycle, id, number of warps and value.
    releases: Vec<(u64, u64, usize, u64)>,
    /// The faults: cycle, code and id.
    faults: Vec<(u64, String, u64)>,
}

impl Seen {
    pub fn new(dut: &dyn Dut) -> Seen {
        let names = || dut.ports().iter().map(|port| port.name.clone());
        let inputs = names().filter_map(|name| Some((name.clone(), dut.ports().input(&name).ok()?))).collect();
        let outputs = names().filter_map(|name| Some((name.clone(), dut.ports().output(&name).ok()?))).collect();
        Seen { inputs, outputs, owners: vec![None; 64], ..Seen::default() }
    }

    /// Observes a cycle; to be called in every cycle of a run.
    pub fn cycle(&mut self, seen: &Cycle) {
        let now = self.cycle;
        self.cycle += 1;
        if now == 0 {
            return;
        }
        let input = |name: &str| self.inputs[name].read(seen.inputs);
        let output = |name: &str| self.outputs[name].read(seen.outputs);
        if output("release_valid") == 1 {
            let warps = output("release_warps").count_ones() as usize;
            self.releases.push((now, output("release_id"), warps, output("release_value")));
        }
        if output("fault_valid") == 1 && input("fault_ready") == 1 {
            let code = FaultCode::from_u64(output("fault_code")).name();
            // An operation that is in flight when its warp is stopped is refused too. This is only a consequence of the first fault, so it
            // is left out.
            if code != "warp_blocked" {
                self.faults.push((now, code, output("fault_id")));
            }
        }
        let launch = (input("launch_valid") == 1 && output("launch_ready") == 1).then(|| input("launch_warps"));
        let words = [0, 1, 2, 3].map(|word| input(&format!("instr_word_{word}")) as u32);
        let accepted = input("instr_valid") == 1 && output("instr_ready") == 1;
        let executes = input("instr_active") & input("instr_guard") != 0;
        let (form, slot) = (Form::from_u64(input("instr_form")), input("instr_warp") as usize);
        if accepted && executes && !matches!(form, Form::WarpSync | Form::Elect) {
            let owner = self.owners[slot].expect("an instruction of a warp that was launched");
            match (decode(words).map(|instr| instr.op), form) {
                (Ok(Op::Bar { .. } | Op::Red { .. }), Form::Gathered) => _ = self.pieces.insert((now, owner.0, owner.1)),
                (Ok(Op::Bar { .. } | Op::Red { .. }), _) => _ = self.whole.insert((now, owner.0, owner.1)),
                (Ok(Op::R2b { .. }), _) => self.restored = true,
                _ => {}
            }
        }
        if let Some(mask) = launch {
            let slots = (0..64).filter(|slot| mask >> slot & 1 == 1);
            slots.enumerate().for_each(|(warp, slot)| self.owners[slot] = Some((self.launched, warp)));
            self.launched += 1;
        }
    }

    /// Compares the report of the run with the ports; `lanes` is the width of a warp.
    pub fn check(&self, report: &Report, lanes: usize) {
        let reported: Vec<_> = report.generations.iter().map(|g| (g.released, u64::from(g.id), g.waits.len())).collect();
        let shown: Vec<_> = self.releases.iter().map(|&(cycle, id, warps, _)| (cycle, id, warps)).collect();
        assert_eq!(reported, shown, "releases");
        for (generation, (.., value)) in report.generations.iter().zip(&self.releases) {
            assert!(generation.value.is_none_or(|own| u64::from(own) == *value), "{generation:?}");
            self.check_generation(generation, lanes);
        }
        let reported: Vec<_> = report.faults.iter().map(|f| (f.cycle, f.code.clone())).collect();
        let shown: Vec<_> = self.faults.iter().map(|(cycle, code, _)| (*cycle, code.clone())).collect();
        assert_eq!(reported, shown, "faults");
        for (fault, (.., id)) in report.faults.iter().zip(&self.faults) {
            assert!(fault.id.is_none_or(|own| u64::from(own) == *id), "{fault:?}");
        }
        let arrivals = report.generations.iter().flat_map(|g| g.arrivals.iter().map(|a| (a.cycle, g.cta, a.warp)));
        let (arrived, count) = (arrivals.clone().collect::<BTreeSet<Who>>(), arrivals.count());
        assert_eq!(arrived.len(), count, "an arrival belongs to one generation");
        if report.verdict == Verdict::Completed && !self.restored {
            let unmatched: Vec<_> = self.whole.difference(&arrived).collect();
            assert!(unmatched.is_empty(), "arrivals in no generation: {unmatched:?}");
        }
    }

    fn check_generation(&self, generation: &bcu_machine::report::Generation, lanes: usize) {
        let arrived = generation.arrivals.len() + generation.restored;
        assert!(generation.threads.is_none_or(|threads| threads as usize == arrived * lanes), "{generation:?}");
        let warps: BTreeSet<usize> = generation.arrivals.iter().map(|arrival| arrival.warp).collect();
        assert_eq!(warps.len(), generation.arrivals.len(), "a warp arrives once: {generation:?}");
        for arrival in &generation.arrivals {
            let who = (arrival.cycle, generation.cta, arrival.warp);
            assert!(self.whole.contains(&who) || self.pieces.contains(&who), "{arrival:?} was not issued");
            let wait = generation.waits.iter().find(|wait| wait.warp == arrival.warp);
            let waited = wait.is_none_or(|wait| wait.cycles == generation.released - arrival.cycle);
            // A state word can turn an arrival into a wait, and the reverse.
            let waits = wait.is_some() == (arrival.form != Arrives::Arv);
            assert!(self.restored || waited && waits, "{generation:?}");
        }
    }
}

/// Runs the example programs that one run of the machine can execute. A run may end, hang, or stop with an error of the program; unless it
/// stops, its record is checked.
#[test]
fn the_record_of_every_example_agrees_with_the_ports() {
    let folders = ["../../examples", "../../examples/check"];
    let mut runs = 0;
    for file in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()) {
        let kind = match file.extension().and_then(|ending| ending.to_str()) {
            Some("bcu") => Kind::Bcu,
            Some("ptx") => Kind::Ptx,
            _ => continue,
        };
        let config = named("default").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        // Several launches need more than one run, and clusters more than one CTA.
        if text.contains("\n// launch: ") || text.contains("\n.reqnctapercluster ") {
            continue;
        }
        let loaded = load(kind, &text, &Launch::new(config.lanes as u32)).unwrap_or_else(|e| panic!("{file:?}: {e:?}"));
        for seed in 0..20 {
            let mut machine = Machine::parse(&format!("seed = {seed}\npolicy = 'random'\nmax_cycles = 20000")).unwrap();
            machine.size(loaded.threads);
            let mut dut = model(&config);
            let mut seen = Seen::new(&*dut);
            match run(&mut *dut, &config, &machine, &loaded.programs, &mut |cycle| seen.cycle(cycle)) {
                Ok(report) => seen.check(&report, config.lanes),
                Err(RunError::Program { .. }) => continue,
                Err(other) => panic!("{file:?}, seed {seed}: {other}"),
            }
            runs += 1;
        }
    }
    assert!(runs > 500, "{runs} runs");
}
