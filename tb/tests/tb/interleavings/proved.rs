// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verdict of one run for every schedule, and the outcomes of an exploration, against the search through all interleavings.
//! `cargo lab interleavings` compares more programs.

use crate::ring::seeds;
use bcu_tb::interleavings::{compare, Totals};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of programs.
const PROGRAMS: u64 = 2000;

#[test]
fn a_proved_program_has_one_outcome_and_a_complete_exploration_has_all() {
    let seeds = seeds(PROGRAMS);
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let (mut totals, mut wrong) = (Totals::default(), vec![]);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return (totals, wrong);
            }
            wrong.extend(compare(seed, &mut totals));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut totals, mut wrong) = (Totals::default(), vec![]);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let (of_worker, found) = worker.join().unwrap();
            totals.add(&of_worker);
            wrong.extend(found);
        }
    });
    eprintln!("{totals}\n{:?}", totals.rules);
    let repeat = "repeat with: BCU_SEED=<seed> BCU_SEEDS=1 cargo test -p bcu-tb --test tb interleavings::proved";
    let number = wrong.len();
    assert!(wrong.is_empty(), "{number} programs; {repeat}; the first ones:\n{}", wrong[..number.min(3)].join("\n\n"));
}
