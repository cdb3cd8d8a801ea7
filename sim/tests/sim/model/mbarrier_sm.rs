// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` with a CTA and a model of shared memory.

use super::bench::unit;
use bcu_model::bench::Bench;
use bcu_model::mbarrier_object::MbarrierKind;

/// A unit with a CTA in slot 0; the memory stores the written words and answers after `latency` cycles.
pub struct Sm {
    pub bench: Bench,
    pub latency: usize,
    pub memory: std::collections::BTreeMap<u64, u64>,
    pub answers: std::collections::VecDeque<(usize, u64)>,
    pub faults: Vec<u64>,
    /// The returned tokens: warp, word, predicate.
    pub tokens: Vec<(u64, u64, u64)>,
    pub wakes: Vec<(u64, u64)>,
    pub commits: usize,
    pub cycle: usize,
}

impl Sm {
    pub fn new(sizes: bcu_model::Sizes, latency: usize) -> Sm {
        let mut bench = unit("mbarrier", sizes);
        bench.set_all(&[
            ("mem_request_ready", 1),
            ("fault_ready", 1),
            ("wait_limit", 1),
            ("op_uniform", 1),
            ("op_all_live_lanes", 1),
        ]);
        bench.set("launch_valid", 1);
        bench.cycle();
        bench.set("launch_valid", 0);
        let (memory, answers) = Default::default();
        Sm { bench, latency, memory, answers, faults: vec![], tokens: vec![], wakes: vec![], commits: 0, cycle: 0 }
    }

    pub fn run_cycle(&mut self) {
        let due = self.answers.front().copied().filter(|(when, _)| *when <= self.cycle);
        if due.is_some() {
            self.answers.pop_front();
        }
        let (valid, data) = due.map_or((0, 0), |(_, data)| (1, data));
        self.bench.set_all(&[("mem_response_valid", valid), ("mem_response_data", data)]);
        self.bench.cycle();
        self.cycle += 1;
        if self.bench.get("mem_request_valid") == 1 {
            let at = self.bench.get("mem_request_object");
            if self.bench.get("mem_request_write") == 1 {
                self.memory.insert(at, self.bench.get("mem_request_data"));
            }
            let word = self.memory.get(&at).copied().unwrap_or(0);
            self.answers.push_back((self.cycle + self.latency, word));
        }
        if self.bench.get("fault_valid") == 1 {
            self.faults.push(self.bench.get("fault_code"));
        }
        if self.bench.get("token_valid") == 1 {
            self.tokens.push((self.bench.get("token_warp"), self.bench.get("token_word"), self.bench.get("token_predicate")));
        }
        if self.bench.get("wake_valid") == 1 {
            self.wakes.push((self.bench.get("wake_warps"), self.bench.get("wake_value")));
        }
        self.commits += self.bench.get("commit_valid") as usize;
    }

    pub fn steps(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.run_cycle());
    }

    /// Runs one operation until it has had its effect.
    pub fn op(&mut self, warp: u64, kind: MbarrierKind, address: u64, count: u64, bytes: u64) {
        let before = self.commits;
        let number = MbarrierKind::ALL.iter().position(|k| *k == kind).unwrap() as u64;
        self.bench.set_all(&[("op_kind", number), ("op_warp", warp), ("op_address", address), ("op_count", count)]);
        self.bench.set_all(&[("op_bytes", bytes), ("op_valid", 1)]);
        loop {
            self.run_cycle();
            if self.bench.get("op_ready") == 1 {
                break;
            }
        }
        self.bench.set("op_valid", 0);
        for _ in 0..200 {
            if self.commits > before {
                return;
            }
            self.run_cycle();
        }
        panic!("{kind:?} of warp {warp} has no effect");
    }
}
