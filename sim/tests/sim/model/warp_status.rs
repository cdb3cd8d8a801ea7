// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `warp_status` at its ports: the cycles in which a warp stops and resumes.

use super::bench::{small, unit};
use bcu_model::bench::Bench;
use bcu_model::op::FaultPolicy;

/// Runs one cycle with the commit of an operation of these warps, with this flag.
fn commit(bench: &mut Bench, warps: u64, flag: &str) {
    bench.set_all(&[("commit_valid", 1), ("commit_warps", warps), (flag, 1)]);
    bench.cycle();
    bench.set_all(&[("commit_valid", 0), (flag, 0)]);
}

#[test]
fn the_policy_counts_in_the_cycle_of_the_refusal() {
    for (policy, trapped, stopped) in [(FaultPolicy::Report, 0, 0), (FaultPolicy::Trap, 2, 2), (FaultPolicy::Hang, 0, 2)] {
        let mut bench = unit("warp_status", small());
        bench.set("fault_policy", policy.value());
        commit(&mut bench, 2, "commit_refused");
        assert_eq!(bench.get_all(&["trapped", "stopped"]), [0, 0]);
        bench.set("fault_policy", FaultPolicy::Trap.value());
        for _ in 0..3 {
            bench.cycle();
            assert_eq!(bench.get_all(&["trapped", "stopped"]), [trapped, stopped], "{policy:?}");
        }
    }
}

#[test]
fn a_word_frees_a_trapped_warp_and_a_release_every_one() {
    let mut bench = unit("warp_status", small());
    bench.set("fault_policy", FaultPolicy::Hang.value());
    (0..4).for_each(|warp| commit(&mut bench, 1 << warp, "commit_refused"));
    commit(&mut bench, 0b0110, "commit_traps");
    bench.cycle();
    assert_eq!(bench.get_all(&["trapped", "stopped"]), [0b0110, 0b1111]);
    commit(&mut bench, 0b0010, "commit_untraps");
    bench.cycle();
    assert_eq!(bench.get_all(&["trapped", "stopped"]), [0b0100, 0b1111], "a state word does not include a hang");
    commit(&mut bench, 0b0111, "commit_cta_release");
    bench.cycle();
    assert_eq!(bench.get_all(&["trapped", "stopped"]), [0, 0b1000]);
    bench.reset();
    bench.cycle();
    assert_eq!(bench.get_all(&["trapped", "stopped"]), [0, 0]);
}

#[test]
fn what_is_no_transfer_stops_nobody() {
    let mut bench = unit("warp_status", small());
    bench.set_all(&[("fault_policy", FaultPolicy::Trap.value()), ("commit_warps", 0xff)]);
    bench.set_all(&[("commit_refused", 1), ("commit_traps", 1)]);
    bench.cycles(3);
    assert_eq!(bench.get_all(&["trapped", "stopped"]), [0, 0]);
}
