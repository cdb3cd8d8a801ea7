// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verdict of one run for every schedule, and the outcomes of an exploration, against the search through all interleavings.
//! `cargo lab interleavings` compares more programs.

use super::parts::*;
use crate::ring::seeds;
use bcu_tb::interleavings::{compare, compare_program, Atomic, OpKind, Program, Totals};
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

/// Three accesses to one word, of which the first run executes two before the third.
#[test]
fn an_exploration_finds_the_order_between_two_other_accesses() {
    let or = |operand| OpKind::Atomic { at: X, atomic: Atomic::Or, operand, used: false };
    let weak = OpKind::Load { at: X, strong: false };
    let atomics = program(&[&[init(1), or(1)], &[weak, or(2)], &[or(5)]]);
    for program in [Program { lane_zero_only: true, ..atomics }, program(&[&[store(X, 1)], &[load(X)], &[store(X, 9)]])] {
        let mut totals = Totals::default();
        for seed in 1..=60 {
            let wrong = compare_program(&program, seed, &mut totals);
            assert!(wrong.is_none(), "seed {seed}: {}\n{}", wrong.unwrap_or_default(), program.ptx());
        }
        assert!(totals.explored >= 40, "{totals}");
    }
}

/// Programs of longer campaigns whose verdict, exploration or search was wrong.
#[test]
fn programs_that_differed_agree() {
    for seed in [2_003_757, 2_025_661, 2_025_718, 2_004_406, 1_052_868, 1_055_916] {
        assert_eq!(compare(seed, &mut Totals::default()), None, "seed {seed}");
    }
}
