// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several multiprocessors at their ports: clusters and grids across all of them, and operations on mbarriers of other CTAs.

use super::bench::{default_sizes, small, tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::latency::{CLUSTER_ALONE_RELEASE, GPU_CLUSTER_RELEASE};
use bcu_model::op::{Code, Form};
use bcu_model::Sizes;

const ARRIVE: u128 = 0x3e1;
const WAIT: u128 = 0x3e1 | 2 << 80;
const GRID_LAUNCH: u128 = 0x3e2;
const GRID_WAIT: u128 = GRID_LAUNCH | 1 << 80;
/// Init of an object. The word has an immediate count, and an address that is a register plus an offset.
const INIT: u128 = 0xbe0;
/// Arrive on an object of any CTA of the cluster, without a destination register. Count and address are as in `INIT`.
const REMOTE_ARRIVE: u128 = 0xbea | 1 << 85 | 0xff << 16;

/// A unit whose faults and memory requests are accepted, with all lanes active.
fn gpu(sizes: Sizes) -> Bench {
    let mut bench = unit("gpu", sizes);
    for sm in 0..sizes.sms() {
        let name = |port: &str| format!("sm_{sm}_{port}");
        let all = ["instr_active", "instr_guard", "launch_lanes", "exit_lanes"];
        all.iter().for_each(|port| bench.set(&name(port), u64::MAX));
        let one = ["fault_ready", "instr_uniform", "wait_limit", "mem_request_ready"];
        one.iter().for_each(|port| bench.set(&name(port), 1));
        bench.set(&name("instr_form"), Form::Aligned.value());
    }
    bench.set("flush_ready", 1);
    bench
}

/// Launches a CTA of one warp in each of these places (multiprocessor, CTA slot); their order gives the ranks in a cluster.
fn launch(bench: &mut Bench, cluster: u64, places: &[(u64, u64)]) {
    for (rank, (sm, cta)) in places.iter().enumerate() {
        let size = places.len() as u64;
        let payload = [("cta", *cta), ("warps", 1 << cta), ("cluster", cluster), ("rank", rank as u64), ("size", size)];
        bench.send(&format!("sm_{sm}_launch"), &payload);
        assert_eq!(bench.get(&format!("sm_{sm}_launched_valid")), 1);
    }
    bench.cycles(20);
}

/// Waits until the warp may issue, and offers an instruction until it is accepted.
fn issue(bench: &mut Bench, sm: u64, warp: u64, word: u128) {
    let blocked = format!("sm_{sm}_blocked");
    bench.cycle();
    if bench.get(&blocked) >> warp & 1 == 1 {
        bench.wait(|bench| bench.get(&blocked) >> warp & 1 == 0);
    }
    // The guard is PT.
    for number in 0..4 {
        bench.set(&format!("sm_{sm}_instr_word_{number}"), ((word | 0x7000) >> (32 * number)) as u64 & 0xffff_ffff);
    }
    bench.send(&format!("sm_{sm}_instr"), &[("warp", warp)]);
}

/// Cycles from the last arrive of a cluster in these places to the release of all the other warps, which wait.
fn release(sizes: Sizes, places: &[(u64, u64)]) -> u64 {
    let mut bench = gpu(sizes);
    launch(&mut bench, 1, places);
    let (last, others) = places.split_last().unwrap();
    for (sm, warp) in others {
        issue(&mut bench, *sm, *warp, ARRIVE);
        issue(&mut bench, *sm, *warp, WAIT);
    }
    bench.cycles(60);
    issue(&mut bench, last.0, last.1, ARRIVE);
    let waiting: u64 = others.iter().filter(|(sm, _)| *sm == 0).fold(0, |all, (_, warp)| all | 1 << warp);
    let cycles = bench.until("sm_0_cluster_release_valid");
    assert_eq!(bench.get("sm_0_cluster_release_warps"), waiting);
    for sm in 1..2 {
        let waiting: u64 = others.iter().filter(|(of, _)| *of == sm).fold(0, |all, (_, warp)| all | 1 << warp);
        assert_eq!(bench.get(&format!("sm_{sm}_cluster_release_warps")), waiting, "in the same cycle");
    }
    cycles
}

/// The first CTAs of two multiprocessors, alternating.
fn places(size: u64) -> Vec<(u64, u64)> {
    (0..size).map(|rank| (rank % 2, rank / 2)).collect()
}

#[test]
fn the_last_arrive_releases_a_cluster_over_two_multiprocessors() {
    for stages in [0, 1, 7, 50] {
        let expected = GPU_CLUSTER_RELEASE + 2 * u64::from(stages);
        for (sizes, size) in [(tiny(), 2), (small(), 2), (small(), 4), (default_sizes(), 8), (default_sizes(), 16)] {
            assert_eq!(release(sizes.with_links(stages), &places(size)), expected, "{size} CTAs, {stages} stages");
        }
        // The latency is the same if all CTAs are on one multiprocessor.
        assert_eq!(release(small().with_links(stages), &[(0, 0), (0, 1)]), expected);
    }
}

#[test]
fn a_cta_alone_is_released_by_its_own_multiprocessor() {
    let mut bench = gpu(tiny().with_links(0));
    bench.send("sm_0_launch", &[("warps", 3), ("size", 1)]);
    bench.cycles(30);
    issue(&mut bench, 0, 0, ARRIVE);
    issue(&mut bench, 0, 0, WAIT);
    bench.cycles(30);
    issue(&mut bench, 0, 1, ARRIVE);
    assert_eq!(bench.until("sm_0_cluster_release_valid"), 6 + CLUSTER_ALONE_RELEASE);
    assert_eq!(bench.get("sm_0_cluster_release_warps"), 1);
}

#[test]
fn a_cluster_slot_is_closed_everywhere_and_used_again() {
    let mut bench = gpu(small());
    for round in 0..3 {
        launch(&mut bench, 2, &[(1, 0), (0, 1), (1, 1)]);
        for (sm, warp) in [(1, 0), (0, 1), (1, 1)] {
            issue(&mut bench, sm, warp, ARRIVE);
        }
        bench.cycles(30);
        bench.send("sm_1_exit", &[("warp", 0)]);
        bench.send("sm_1_retire", &[("cta", 1)]);
        bench.cycles(40);
        assert_eq!(bench.get("sm_1_live"), 0, "round {round}");
        bench.send("sm_0_exit", &[("warp", 1)]);
        bench.until("sm_0_cluster_closed_valid");
        let closed = ["sm_0_cluster_closed_cluster", "sm_1_cluster_closed_valid", "sm_1_cluster_closed_cluster"];
        assert_eq!(bench.get_all(&closed), [2, 1, 2]);
        for (sm, cta) in [(0, 1), (1, 0)] {
            bench.send(&format!("sm_{sm}_retire"), &[("cta", cta)]);
        }
        bench.cycles(60);
    }
}

/// Lets a warp arrive remotely at the mbarrier of the CTA of this rank.
fn arrive_at(bench: &mut Bench, sm: u64, warp: u64, rank: u64) {
    bench.set(&format!("sm_{sm}_instr_ra"), rank << 24);
    issue(bench, sm, warp, REMOTE_ARRIVE | 1 << 64);
}

#[test]
fn operations_reach_the_ctas_of_their_cluster_alone() {
    for stages in [0, 3] {
        let mut bench = gpu(small().with_links(stages));
        launch(&mut bench, 0, &[(0, 0), (1, 1)]);
        launch(&mut bench, 3, &[(1, 0), (0, 1)]);
        // Each CTA has an object that expects as many arrivals as a warp has lanes.
        for (sm, warp) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            bench.set(&format!("sm_{sm}_instr_ra"), if [(1, 1), (0, 1)].contains(&(sm, warp)) { 1 << 24 } else { 0 });
            issue(&mut bench, sm, warp, INIT | 8 << 64);
        }
        bench.cycles(30);
        // One arrival at each object, two of them in the same cycle.
        arrive_at(&mut bench, 0, 0, 1);
        arrive_at(&mut bench, 1, 1, 0);
        arrive_at(&mut bench, 1, 0, 1);
        arrive_at(&mut bench, 0, 1, 0);
        for _ in 0..400 {
            bench.cycle();
            assert_eq!(bench.get_all(&["sm_0_fault_valid", "sm_1_fault_valid"]), [0, 0]);
        }
        // Four of eight arrivals are pending; four more complete the phase. The token is the word before the arrival.
        for (sm, warp, rank) in [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1)] {
            bench.set(&format!("sm_{sm}_instr_ra"), rank << 24);
            issue(&mut bench, sm, warp, 0xbea | 1 << 64 | 2 << 16);
            bench.until(&format!("sm_{sm}_token_valid"));
            let word = bench.get(&format!("sm_{sm}_token_word"));
            assert_eq!((word >> 63, (word >> 43).wrapping_neg() & 0xf_ffff), (0, 4), "{sm} {warp}");
        }
    }
}

#[test]
fn nobody_is_there_before_the_launch_and_behind_the_end() {
    let mut bench = gpu(small());
    let payload = [("cta", 0), ("warps", 1), ("cluster", 1), ("rank", 0), ("size", 2)];
    bench.send("sm_0_launch", &payload);
    bench.cycles(40);
    let absent = |bench: &mut Bench| {
        arrive_at(bench, 0, 0, 1);
        bench.until("sm_0_fault_valid");
        bench.get_all(&["sm_0_fault_code", "sm_0_fault_has_warp", "sm_0_fault_cta"])
    };
    assert_eq!(absent(&mut bench), [Code::RankAbsent.value(), 0, 0]);
    let payload = [("cta", 1), ("warps", 2), ("cluster", 1), ("rank", 1), ("size", 2)];
    bench.send("sm_1_launch", &payload);
    bench.cycles(40);
    bench.send("sm_1_exit", &[("warp", 1)]);
    bench.cycles(40);
    assert_eq!(absent(&mut bench), [Code::RankAbsent.value(), 0, 0]);
}

#[test]
fn a_grid_waits_for_the_one_it_depends_on() {
    let mut bench = gpu(tiny());
    bench.send("open", &[("grid", 0), ("ctas", 1)]);
    bench.send("open", &[("grid", 1), ("ctas", 1), ("prerequisites", 1), ("early", 1)]);
    bench.wait(|bench| bench.get("sm_1_grid_opened_valid") == 1 && bench.get("sm_1_grid_opened_grid") == 1);
    bench.cycles(20);
    assert_eq!(bench.get("may_launch"), 0b01, "the other one has not issued");
    bench.send("sm_0_launch", &[("warps", 1), ("has_grid", 1), ("grid", 0)]);
    bench.cycles(20);
    issue(&mut bench, 0, 0, GRID_LAUNCH);
    bench.wait(|bench| bench.get("may_launch") == 0b11);
    bench.send("sm_1_launch", &[("warps", 1), ("has_grid", 1), ("grid", 1)]);
    bench.cycles(20);
    issue(&mut bench, 1, 0, GRID_WAIT);
    bench.cycles(40);
    assert_eq!(bench.get("sm_1_blocked"), 1);
    bench.send("sm_0_exit", &[("warp", 0)]);
    bench.wait(|bench| bench.get_all(&["flush_valid", "flush_grid"]) == [1, 0]);
    bench.strobe("flushed", &[("grid", 0)]);
    bench.until("sm_1_grid_release_valid");
    assert_eq!(bench.get("sm_1_grid_release_warps"), 1);
}

/// A second grid in a grid slot is launched when its open is accepted (`hasty`), or after `grid_opened` has reported the second grid.
/// Returns the cycles from the wait of its CTA to its release, if the release precedes the end of the prerequisite grid.
fn wait_of_a_second_grid(hasty: bool) -> Option<u64> {
    let mut bench = gpu(small().with_links(50));
    let opened = |bench: &mut Bench, grid: u64| {
        bench.wait(|bench| bench.get("sm_1_grid_opened_valid") == 1 && bench.get("sm_1_grid_opened_grid") == grid);
    };
    // The first grid of slot 0 has one CTA, which ends; the grid is flushed and closed.
    bench.send("open", &[("grid", 0), ("ctas", 1)]);
    opened(&mut bench, 0);
    bench.send("sm_1_launch", &[("warps", 1), ("has_grid", 1), ("grid", 0)]);
    bench.cycles(20);
    bench.send("sm_1_exit", &[("warp", 0)]);
    bench.cycles(20);
    bench.send("sm_1_retire", &[]);
    bench.until("flush_valid");
    bench.strobe("flushed", &[("grid", 0)]);
    bench.cycles(150);
    bench.send("close", &[("grid", 0)]);
    // Grid 1 lets its dependents begin, and keeps running.
    bench.send("open", &[("grid", 1), ("ctas", 1)]);
    opened(&mut bench, 1);
    bench.send("sm_0_launch", &[("warps", 1), ("has_grid", 1), ("grid", 1)]);
    bench.cycles(20);
    issue(&mut bench, 0, 0, GRID_LAUNCH);
    bench.cycles(150);
    // The second grid of slot 0 depends on grid 1.
    bench.send("open", &[("grid", 0), ("ctas", 1), ("prerequisites", 0b10), ("early", 1)]);
    bench.until("opened_valid");
    bench.wait(|bench| bench.get("may_launch") & 1 == 1);
    if !hasty {
        opened(&mut bench, 0);
    }
    bench.send("sm_1_launch", &[("warps", 1), ("has_grid", 1), ("grid", 0)]);
    bench.set("sm_1_launch_has_grid", 0);
    issue(&mut bench, 1, 0, GRID_WAIT);
    let early = (1..300).find(|_| {
        bench.cycle();
        bench.get("sm_1_grid_release_valid") == 1
    });
    if early.is_none() {
        bench.send("sm_0_exit", &[("warp", 0)]);
        bench.until("flush_valid");
        bench.strobe("flushed", &[("grid", 1)]);
        bench.until("sm_1_grid_release_valid");
    }
    early
}

/// The rule of `docs/contract/grids.md` for launches: a CTA is launched only after `grid_opened` has reported its grid. The strobe for the
/// former grid of the slot is not enough.
#[test]
fn a_wait_of_a_grid_launched_after_its_own_opened_passes_when_its_prerequisite_is_flushed() {
    assert_eq!(wait_of_a_second_grid(false), None);
    assert!(wait_of_a_second_grid(true).is_some(), "the rule is not needed any more");
}
