// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wait of an arrival in `mem_order` after its last access is performed, while other warps have accesses, arrivals and reads in
//! every cycle.

use super::bench::{default_sizes, for_seeds, small, tiny, unit, Random};
use bcu_model::bench::Bench;
use bcu_model::op::Kind;
use bcu_model::Sizes;

/// An outstanding access of another warp, and the cycle in which it is performed.
struct Outstanding {
    warp: u64,
    epoch: u64,
    due: u64,
}

/// The full load: every other warp issues an access, arrives after it, and reads, at random.
struct Load {
    bench: Bench,
    random: Random,
    warps: u64,
    outstanding: Vec<Outstanding>,
    /// For every other warp: an operation of it is parked or in flight.
    arrived: Vec<bool>,
    /// Transferred operations, each with the number of cycles to its effects.
    leaving: Vec<(u64, u64)>,
    offered: Option<u64>,
}

impl Load {
    fn new(sizes: Sizes, warps: u64, seed: u64) -> Load {
        let mut bench = unit("mem_order", sizes);
        bench.set_all(&[("op_ready", 1), ("in_from_instr", 1)]);
        bench.until("in_ready");
        let arrived = vec![false; warps as usize];
        Load { bench, random: Random(seed), warps, outstanding: vec![], arrived, leaving: vec![], offered: None }
    }

    /// One cycle; the operations and accesses of warp 0 come from the test. Returns the warp whose operation is offered.
    fn cycle(&mut self) -> Option<u64> {
        let now = self.bench.cycle_count();
        let (bench, random) = (&mut self.bench, &mut self.random);
        // The oldest due access is performed, unless the test performs one of warp 0.
        if bench.input("perform_0_valid") == 0 {
            if let Some(at) = self.outstanding.iter().position(|access| access.due <= now) {
                let Outstanding { warp, epoch, .. } = self.outstanding.remove(at);
                bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", warp), ("perform_0_epoch", epoch)]);
            }
        }
        let other = 1 + random.below(self.warps - 1);
        let is_idle = !self.arrived[other as usize] && !self.outstanding.iter().any(|access| access.warp == other);
        if is_idle {
            let epoch = bench.get("epoch") >> other & 1;
            bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", other)]);
            self.outstanding.push(Outstanding { warp: other, epoch, due: now + 6 + random.below(30) });
        }
        // A channel's offer holds; a warp without an operation arrives, or reads.
        if self.offered.is_none() {
            let warp = 1 + random.below(self.warps - 1);
            if !self.arrived[warp as usize] && !(is_idle && warp == other) {
                let kind = if random.one_in(2) { Kind::Arrive } else { Kind::Read };
                bench.set_all(&[("in_valid", 1), ("in_warp", warp), ("in_kind", kind.value())]);
                self.arrived[warp as usize] = true;
                self.offered = Some(warp);
            }
        }
        let committed = self.leaving.iter().filter(|(when, _)| *when == now).fold(0, |all, (_, warp)| all | 1 << warp);
        self.leaving.retain(|(when, _)| *when > now);
        bench.set("commit", committed);
        (1..self.warps).filter(|warp| committed >> warp & 1 == 1).for_each(|warp| self.arrived[warp as usize] = false);
        bench.cycle();
        bench.set_all(&[("issue_0_valid", 0), ("perform_0_valid", 0)]);
        if self.offered.is_some() && bench.get("in_ready") == 1 {
            bench.set("in_valid", 0);
            self.offered = None;
        }
        let offered_warp = (bench.get("op_valid") == 1).then(|| bench.get("op_warp"));
        offered_warp.into_iter().for_each(|warp| self.leaving.push((now + 3, warp)));
        offered_warp
    }

    /// Warp 0 issues an access and arrives; some time later the access is performed. Returns the cycles from that time to the offer of the
    /// arrival.
    fn wait(&mut self) -> u64 {
        let epoch = self.bench.get("epoch") & 1;
        self.bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", 0)]);
        self.bench.cycle();
        self.bench.set("issue_0_valid", 0);
        while self.offered.is_some() {
            self.cycle();
        }
        self.bench.set_all(&[("in_valid", 1), ("in_warp", 0), ("in_kind", Kind::Arrive.value())]);
        self.offered = Some(0);
        for _ in 0..40 + self.random.below(64) {
            assert_ne!(self.cycle(), Some(0), "before its access is performed");
        }
        self.bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", 0), ("perform_0_epoch", epoch)]);
        let performed = self.bench.cycle_count();
        while self.cycle() != Some(0) {
            assert!(self.bench.cycle_count() - performed < 10_000, "the operation is not offered");
        }
        let waited = self.bench.cycle_count() - 1 - performed;
        for _ in 0..8 {
            self.cycle();
        }
        waited
    }
}

/// The bound of `docs/contract/mem_order.md` while `op_ready` is 1.
#[test]
fn an_arrival_goes_in_bounded_time_after_its_last_access() {
    for (sizes, warps) in [(tiny(), 4u64), (small().with_accesses_per_cycle(1).unwrap(), 8), (default_sizes(), 32)] {
        let bound = 8 * warps.next_power_of_two() + 8;
        for_seeds("an_arrival_goes_in_bounded_time", 4, |seed| {
            let mut load = Load::new(sizes, warps, seed);
            let worst = (0..400).map(|_| load.wait()).max().unwrap_or(0);
            println!("{warps} warps, seed {seed}: at most {worst} cycles, bound {bound}");
            assert!(worst <= bound, "{worst} cycles");
        });
    }
}
