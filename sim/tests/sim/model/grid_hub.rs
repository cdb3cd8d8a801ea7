// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `grid_hub` at its ports: grids that are opened, launched, flushed and closed, and the grids that depend on them.

use super::bench::{for_seeds, small, unit, Random};
use bcu_model::bench::Bench;
use bcu_model::grid::{GridHubKind, GridMessageKind};
use bcu_model::latency::{GRID_HUB_FLUSH, GRID_HUB_FLUSHED, GRID_HUB_LAUNCH, GRID_HUB_OPENED};

const TO: [&str; 6] = ["to_0_valid", "to_0_kind", "to_0_grid", "to_1_valid", "to_1_kind", "to_1_grid"];
const OPENED: u64 = GridHubKind::Opened as u64;
const READY: u64 = GridHubKind::Ready as u64;
const ISSUED: u64 = GridMessageKind::LaunchedDependents as u64;
const ENDED: u64 = GridMessageKind::Ended as u64;

fn bench() -> Bench {
    let mut bench = unit("grid_hub", small());
    bench.set("flush_ready", 1);
    bench
}

/// Opens a grid; returns whether the request was accepted.
fn open(bench: &mut Bench, grid: u64, ctas: u64, prerequisites: u64, early: u64) -> bool {
    bench.send("open", &[("grid", grid), ("ctas", ctas), ("prerequisites", prerequisites), ("early", early)]);
    bench.cycle();
    assert_eq!(bench.get_all(&["opened_valid", "opened_grid"]), [1, grid]);
    bench.get("opened_refused") == 0
}

fn close(bench: &mut Bench, grid: u64) -> bool {
    bench.send("close", &[("grid", grid)]);
    bench.cycle();
    assert_eq!(bench.get_all(&["closed_valid", "closed_grid"]), [1, grid]);
    bench.get("closed_refused") == 0
}

/// Runs a cycle with these messages of multiprocessors.
fn send_messages(bench: &mut Bench, messages: &[(u64, u64, u64)]) {
    for (sm, kind, grid) in messages {
        bench.set_all(&[
            (&format!("from_{sm}_valid"), 1),
            (&format!("from_{sm}_kind"), *kind),
            (&format!("from_{sm}_grid"), *grid),
        ]);
    }
    bench.cycle();
    (0..2).for_each(|sm| bench.set(&format!("from_{sm}_valid"), 0));
}

fn flushed(bench: &mut Bench, grid: u64) {
    bench.set_all(&[("flushed_valid", 1), ("flushed_grid", grid)]);
    bench.cycle();
    bench.set("flushed_valid", 0);
}

/// Reports that the only CTA of a grid has issued and ended, and flushes the grid.
fn complete(bench: &mut Bench, grid: u64) {
    send_messages(bench, &[(0, ISSUED, grid)]);
    send_messages(bench, &[(0, ENDED, grid)]);
    bench.wait(|bench| bench.get_all(&["flush_valid", "flush_grid"]) == [1, grid]);
    flushed(bench, grid);
}

/// The messages of the hub in the next cycles: kind and grid.
fn hub_messages(bench: &mut Bench, cycles: usize) -> Vec<(u64, u64)> {
    let mut seen = vec![];
    for _ in 0..cycles {
        bench.cycle();
        let [valid, kind, grid, ..] = bench.get_all(&TO)[..] else { unreachable!() };
        assert_eq!(bench.get_all(&TO[..3]), bench.get_all(&TO[3..]), "the same for all");
        if valid == 1 {
            seen.push((kind, grid));
        }
    }
    seen
}

#[test]
fn a_grid_from_open_to_close() {
    let mut bench = bench();
    bench.send("open", &[("grid", 2), ("ctas", 3)]);
    assert_eq!(bench.until("to_0_valid"), GRID_HUB_OPENED);
    assert_eq!(bench.get_all(&TO), [1, OPENED, 2, 1, OPENED, 2]);
    assert_eq!(hub_messages(&mut bench, 10), [(READY, 2)]);
    assert_eq!(bench.get_all(&["may_launch", "open_grids", "flushed_grids"]), [4, 4, 0]);
    // Messages of several multiprocessors in one cycle all count.
    send_messages(&mut bench, &[(0, ISSUED, 2), (1, ISSUED, 2)]);
    send_messages(&mut bench, &[(0, ENDED, 2), (1, ISSUED, 2)]);
    assert!(!close(&mut bench, 2));
    bench.cycles(10);
    assert_eq!(bench.get("flush_valid"), 0);
    send_messages(&mut bench, &[(0, ENDED, 2), (1, ENDED, 2)]);
    assert_eq!(bench.until("flush_valid"), GRID_HUB_FLUSH);
    assert_eq!(bench.get_all(&["flush_grid", "may_launch", "open_grids", "flushed_grids"]), [2, 0, 0, 0]);
    assert!(!close(&mut bench, 2) && !open(&mut bench, 2, 1, 0, 0));
    flushed(&mut bench, 2);
    bench.cycle();
    assert_eq!(bench.get("flushed_grids"), 4);
    assert!(!open(&mut bench, 2, 1, 0, 0) && close(&mut bench, 2) && !close(&mut bench, 2));
    assert!(open(&mut bench, 2, 1, 0, 0));
}

#[test]
fn a_dependent_is_launched_and_ready_when_its_prerequisites_are_flushed() {
    let mut bench = bench();
    assert!(open(&mut bench, 0, 1, 0, 0) && open(&mut bench, 1, 1, 0, 0) && open(&mut bench, 2, 1, 0b0011, 0));
    assert_eq!(hub_messages(&mut bench, 20).iter().filter(|(_, grid)| *grid == 2).collect::<Vec<_>>(), [&(OPENED, 2)]);
    assert_eq!(bench.get("may_launch"), 0b0011);
    complete(&mut bench, 1);
    assert_eq!(hub_messages(&mut bench, 20), []);
    // The slot is used again, for another grid.
    assert!(close(&mut bench, 1) && open(&mut bench, 1, 1, 0, 0));
    assert_eq!(hub_messages(&mut bench, 20), [(OPENED, 1), (READY, 1)]);
    send_messages(&mut bench, &[(0, ISSUED, 0)]);
    bench.cycles(5);
    assert_eq!(bench.get("may_launch") & 4, 0, "the grid is not early");
    send_messages(&mut bench, &[(1, ENDED, 0)]);
    bench.until("flush_valid");
    flushed(&mut bench, 0);
    assert_eq!(bench.until("to_1_valid"), GRID_HUB_FLUSHED);
    assert_eq!(bench.get_all(&TO[..3]), [1, READY, 2]);
    assert_eq!(bench.get("may_launch") & 4, 4);
}

#[test]
fn an_early_grid_is_launched_when_all_ctas_of_its_prerequisites_have_issued() {
    let mut bench = bench();
    assert!(open(&mut bench, 3, 2, 0, 0) && open(&mut bench, 0, 1, 0b1000, 1));
    send_messages(&mut bench, &[(0, ISSUED, 3)]);
    bench.cycles(10);
    assert_eq!(bench.get("may_launch"), 0b1000);
    send_messages(&mut bench, &[(1, ISSUED, 3)]);
    assert_eq!(bench.wait(|bench| bench.get("may_launch") == 0b1001), GRID_HUB_LAUNCH);
    assert_eq!(hub_messages(&mut bench, 20), [], "its warps wait");
    send_messages(&mut bench, &[(0, ENDED, 3), (1, ENDED, 3)]);
    bench.until("flush_valid");
    flushed(&mut bench, 3);
    assert_eq!(hub_messages(&mut bench, 20), [(READY, 0)]);
}

#[test]
fn prerequisites_that_are_not_in_flight_have_completed() {
    let mut bench = bench();
    assert!(open(&mut bench, 0, 1, 0b1111, 0), "only itself and free slots as prerequisites");
    complete(&mut bench, 0);
    assert!(open(&mut bench, 1, 1, 0b0001, 0), "one that is flushed");
    assert!(open(&mut bench, 2, 1, 0, 0));
    bench.cycles(5);
    send_messages(&mut bench, &[(0, ISSUED, 2)]);
    send_messages(&mut bench, &[(0, ENDED, 2)]);
    bench.until("flush_valid");
    // A prerequisite may be flushed in the cycle of the open.
    bench.set_all(&[("flushed_valid", 1), ("flushed_grid", 2)]);
    bench.send("open", &[("grid", 3), ("ctas", 1), ("prerequisites", 0b0100), ("early", 0)]);
    bench.set("flushed_valid", 0);
    assert_eq!(hub_messages(&mut bench, 20), [(OPENED, 3), (READY, 3)]);
    assert_eq!(bench.get("may_launch"), 0b1010);
}

#[test]
fn no_ctas_and_slots_in_use_are_refused() {
    let mut bench = bench();
    assert!(!open(&mut bench, 0, 0, 0, 0) && !close(&mut bench, 0));
    assert!(open(&mut bench, 0, u64::from(u32::MAX), 0, 0) && !open(&mut bench, 0, 1, 0, 0));
    flushed(&mut bench, 0);
    bench.cycle();
    assert_eq!(bench.get_all(&["open_grids", "flushed_grids"]), [1, 0], "no flush was requested");
}

#[test]
fn grids_that_end_together_are_flushed_in_turn() {
    let mut bench = bench();
    bench.set("flush_ready", 0);
    (0..4).for_each(|grid| assert!(open(&mut bench, grid, 1, 0, 0)));
    bench.cycles(10);
    for grid in [2, 0] {
        send_messages(&mut bench, &[(0, ISSUED, grid), (1, ISSUED, grid + 1)]);
        send_messages(&mut bench, &[(0, ENDED, grid), (1, ENDED, grid + 1)]);
    }
    bench.cycles(10);
    let mut flushed = vec![];
    bench.set("flush_ready", 1);
    for _ in 0..20 {
        bench.cycle();
        flushed.extend((bench.get("flush_valid") == 1).then(|| bench.get("flush_grid")));
    }
    assert_eq!(flushed, [2, 3, 0, 1]);
}

/// Random grids that depend on earlier ones: each is launched, ready and flushed once, never too early.
#[test]
fn no_grid_is_ready_before_its_prerequisites() {
    for_seeds("no_grid_is_ready_before_its_prerequisites", 20, |seed| {
        let mut random = Random(seed);
        let mut bench = bench();
        // For each grid slot: the CTAs that have to issue and to end, and the prerequisites of the grid; then one bit per slot: whether it
        // is used, complete, ready; and the number of flushes.
        let (mut issue, mut end, mut needs) = ([0u64; 4], [0u64; 4], [0u64; 4]);
        let (mut used, mut complete, mut ready, mut flushes) = (0u64, 0u64, 0u64, 0);
        for _ in 0..3000 {
            let grid = random.below(4) as usize;
            bench.set_all(&[
                ("open_valid", 0),
                ("close_valid", 0),
                ("flushed_valid", 0),
                ("from_0_valid", 0),
                ("from_1_valid", 0),
            ]);
            if used >> grid & 1 == 0 {
                let ctas = 1 + random.below(4);
                let of = random.below(16);
                (issue[grid], end[grid], needs[grid]) = (ctas, ctas, of & used & !complete);
                (used, ready) = (used | 1 << grid, ready & !(1 << grid));
                let values = [("open_grid", grid as u64), ("open_ctas", ctas), ("open_prerequisites", of), ("open_valid", 1)];
                bench.set_all(&values);
            } else if complete >> grid & 1 == 1 {
                bench.set_all(&[("close_grid", grid as u64), ("close_valid", 1)]);
                (used, complete) = (used & !(1 << grid), complete & !(1 << grid));
            } else if bench.get("may_launch") >> grid & 1 == 1 && end[grid] > 0 {
                let sm = random.below(2);
                let kind = if issue[grid] > 0 && (issue[grid] == end[grid] || random.one_in(2)) { ISSUED } else { ENDED };
                let of = if kind == ISSUED { &mut issue } else { &mut end };
                of[grid] -= 1;
                bench.set_all(&[
                    (&format!("from_{sm}_valid"), 1),
                    (&format!("from_{sm}_kind"), kind),
                    (&format!("from_{sm}_grid"), grid as u64),
                ]);
            }
            bench.cycle();
            if bench.get("to_0_valid") == 1 && bench.get("to_0_kind") == READY {
                let grid = bench.get("to_0_grid");
                assert_eq!((needs[grid as usize], ready >> grid & 1), (0, 0), "grid {grid}");
                ready |= 1 << grid;
            }
            if bench.get("flush_valid") == 1 {
                let grid = bench.get("flush_grid");
                assert_eq!((issue[grid as usize], end[grid as usize]), (0, 0), "grid {grid}");
                bench.set_all(&[("open_valid", 0), ("close_valid", 0), ("from_0_valid", 0), ("from_1_valid", 0)]);
                flushed(&mut bench, grid);
                (complete, flushes) = (complete | 1 << grid, flushes + 1);
                needs.iter_mut().for_each(|of| *of &= !(1 << grid));
            }
        }
        assert!(flushes > 50, "{flushes}");
    });
}
