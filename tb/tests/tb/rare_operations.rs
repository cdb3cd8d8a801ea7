// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The delay that a burst of exits, or the release of a CTA, causes for the arrivals of another CTA, in the whole unit with 64 warps.
//!
//! The warps of CTA 1 arrive in turn, one in every cycle, at barriers of all its warps. Meanwhile the warps of CTA 0 exit, or CTA 0 is
//! released with every barrier open.

use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_isa::op::Form;
use bcu_isa::{asm, instr};
use bcu_jit::Compiled;
use bcu_model::bench::Bench;
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};

/// Number of warps of each CTA.
const WARPS: u64 = 32;

/// Two CTAs, and the arrivals of the second CTA.
struct Traffic {
    bench: Bench,
    lanes: u64,
    /// `arrivals`: number of arrivals taken. `idle_cycles`: number of cycles without an arrival. `row`: the number of consecutive idle
    /// cycles up to now. `longest`: the maximum of `row`.
    arrivals: u64,
    idle_cycles: u64,
    row: u64,
    longest: u64,
}

impl Traffic {
    fn new(config: &Config, dut: Box<dyn Dut>) -> Self {
        let lanes = u64::MAX >> (64 - config.lanes);
        let mut bench = Bench::new(dut);
        bench.set("fault_ready", 1);
        for cta in 0..2 {
            let warps = (u64::MAX >> (64 - WARPS)) << (cta * WARPS);
            bench.send("launch", &[("cta", cta), ("warps", warps), ("lanes", lanes), ("barriers", config.barriers as u64)]);
            while bench.get("live") & warps != warps {
                bench.cycle();
            }
        }
        Traffic { bench, lanes, arrivals: 0, idle_cycles: 0, row: 0, longest: 0 }
    }

    fn offer(&mut self, warp: u64, text: &str) {
        let word = instr::encode(&asm::assemble(text, self.lanes.count_ones()).unwrap().instr).map(u64::from);
        let words = [("word_0", word[0]), ("word_1", word[1]), ("word_2", word[2]), ("word_3", word[3])];
        let lanes = [("active", self.lanes), ("guard", self.lanes), ("uniform", 1)];
        let whose = [("warp", warp), ("form", Form::Aligned as u64)];
        self.bench.offer("instr", &[&words[..], &lanes, &whose].concat());
    }

    /// Runs one cycle in which an arrival of CTA 1 is on offer; no operation is misuse.
    fn cycle(&mut self) {
        let all = WARPS * u64::from(self.lanes.count_ones());
        self.offer(WARPS + self.arrivals % WARPS, &format!("BAR.ARV {}, {all}", self.arrivals / WARPS % 4));
        self.bench.cycle();
        assert_eq!(self.bench.get("fault_valid"), 0, "fault {}", self.bench.get("fault_code"));
        if self.bench.finish_transfer("instr") {
            (self.arrivals, self.row) = (self.arrivals + 1, 0);
        } else {
            (self.idle_cycles, self.row) = (self.idle_cycles + 1, self.row + 1);
            self.longest = self.longest.max(self.row);
        }
    }

    /// While no other operation occurs, an arrival is taken in every cycle.
    fn undisturbed(&mut self) {
        (0..100).for_each(|_| self.cycle());
        assert_eq!((self.arrivals, self.idle_cycles), (100, 0));
    }
}

/// Calls `play` for the unit's machine code and for the model.
fn each(play: impl Fn(Traffic, &Config)) {
    let config = named("large").unwrap();
    let sizes = Sizes::try_from(&config).unwrap();
    play(Traffic::new(&config, by_name("bcu", sizes).unwrap()), &config);
    play(Traffic::new(&config, Box::new(Compiled::new(catalog::build(&config, "bcu").unwrap()).unwrap())), &config);
}

/// Each of 32 exits is taken within four cycles, and delays the arrivals of the other CTA by at most two cycles.
#[test]
fn exits_in_a_burst_cost_others_their_own_slots() {
    each(|mut traffic, _| {
        traffic.undisturbed();
        let (mut exited, mut cycles) = (0, 0);
        while exited < WARPS {
            let lanes = traffic.lanes;
            traffic.bench.offer("exit", &[("warp", exited), ("lanes", lanes)]);
            traffic.cycle();
            cycles += 1;
            exited += u64::from(traffic.bench.finish_transfer("exit"));
        }
        traffic.bench.set("exit_valid", 0);
        while traffic.bench.get("live") & (1 << WARPS) - 1 != 0 {
            traffic.cycle();
        }
        eprintln!(
            "{WARPS} exits: {cycles} cycles, the other CTA loses {} cycles, at most {} in a row",
            traffic.idle_cycles, traffic.longest
        );
        assert!(cycles <= WARPS * 4, "{WARPS} exits took {cycles} cycles");
        assert!(traffic.idle_cycles <= 2 * WARPS, "{WARPS} exits cost the other CTA {} cycles", traffic.idle_cycles);
    });
}

/// A release stops the arrivals of the other CTA for the cycles in which it clears all barriers of its CTA, and no longer.
#[test]
fn a_release_stops_others_no_longer_than_it_clears() {
    each(|mut traffic, config| {
        for id in 0..config.barriers as u64 {
            let lanes = u64::from(traffic.lanes.count_ones());
            traffic.offer(id, &format!("BAR.ARV {id}, {}", WARPS * lanes));
            traffic.bench.cycle();
            assert!(traffic.bench.finish_transfer("instr"));
        }
        traffic.bench.set("instr_valid", 0);
        traffic.bench.cycles(20);
        traffic.undisturbed();
        traffic.bench.offer("retire", &[("cta", 0), ("saved", 1)]);
        let mut cycles = 0;
        while !traffic.bench.finish_transfer("retire") {
            traffic.cycle();
            cycles += 1;
        }
        traffic.bench.set("retire_valid", 0);
        (0..100).for_each(|_| traffic.cycle());
        eprintln!(
            "release: {cycles} cycles, the other CTA loses {} cycles, at most {} in a row",
            traffic.idle_cycles, traffic.longest
        );
        assert!(traffic.longest <= 12 + config.barriers as u64, "the other CTA was stopped for {} cycles", traffic.longest);
    });
}
