// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `grid` at its ports: the messages about CTAs to the hub, and the lengths of waits.

use super::bench::{default_sizes, small, tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::grid::{GridHubKind, GridKind, GridMessageKind};
use bcu_model::latency::{GRID_FAULT, GRID_OPENED, GRID_OUT, GRID_RELEASE, GRID_WAIT};
use bcu_model::op::Code;
use bcu_model::Sizes;

const MESSAGE: [&str; 3] = ["grid_out_valid", "grid_out_kind", "grid_out_grid"];
const ISSUED: u64 = GridMessageKind::LaunchedDependents as u64;
const ENDED: u64 = GridMessageKind::Ended as u64;

/// After reset; all warps are live, and all outputs are accepted.
fn bench(sizes: Sizes) -> Bench {
    let mut bench = unit("grid", sizes);
    bench.set_all(&[("live", sizes.warp_mask()), ("grid_out_ready", 1), ("fault_ready", 1)]);
    bench
}

/// Runs one cycle with this strobe.
fn strobe(bench: &mut Bench, name: &str, payload: &[(&str, u64)]) {
    let valid = format!("{name}_valid");
    payload.iter().for_each(|(field, value)| bench.set(&format!("{name}_{field}"), *value));
    bench.set(&valid, 1);
    bench.cycle();
    bench.set(&valid, 0);
}

fn launch(bench: &mut Bench, cta: u64, grid: Option<u64>) {
    let has_grid = u64::from(grid.is_some());
    strobe(bench, "launch", &[("cta", cta), ("has_grid", has_grid), ("grid", grid.unwrap_or(0))]);
}

fn hub(bench: &mut Bench, kind: GridHubKind, grid: u64) {
    strobe(bench, "grid_in", &[("kind", kind.value()), ("grid", grid)]);
}

fn operate(bench: &mut Bench, kind: GridKind, warp: u64, cta: u64) {
    bench.send("op", &[("kind", kind.value()), ("warp", warp), ("cta", cta)]);
}

/// The messages of the next cycles: kind and grid.
fn messages(bench: &mut Bench, cycles: usize) -> Vec<(u64, u64)> {
    let mut seen = vec![];
    for _ in 0..cycles {
        bench.cycle();
        if bench.get("grid_out_valid") == 1 && bench.input("grid_out_ready") == 1 {
            seen.push((bench.get("grid_out_kind"), bench.get("grid_out_grid")));
        }
    }
    seen
}

#[test]
fn a_cta_issues_once_and_ends_once() {
    let mut bench = bench(small());
    launch(&mut bench, 1, Some(2));
    operate(&mut bench, GridKind::LaunchDependents, 0, 1);
    assert_eq!(bench.until("grid_out_valid"), GRID_OUT);
    assert_eq!(bench.get_all(&MESSAGE), [1, ISSUED, 2]);
    assert_eq!(bench.get("freed"), 0b01);
    (0..3).for_each(|warp| operate(&mut bench, GridKind::LaunchDependents, warp, 1));
    assert_eq!(messages(&mut bench, 10), []);
    bench.set("ended", 0b10);
    assert_eq!(messages(&mut bench, 10), [(ENDED, 2)]);
    assert_eq!(bench.get("freed"), 0b11);
    assert_eq!(messages(&mut bench, 10), []);
}

#[test]
fn a_cta_that_never_issues_does_so_when_it_ends() {
    let mut bench = bench(small());
    launch(&mut bench, 0, Some(3));
    assert_eq!(messages(&mut bench, 10), []);
    bench.set_all(&[("ended", 0b01), ("grid_out_ready", 0)]);
    for _ in 0..10 {
        bench.cycle();
        assert_eq!(bench.get("freed"), 0b10, "nothing has left");
    }
    assert_eq!(bench.get_all(&MESSAGE), [1, ISSUED, 3]);
    bench.set("grid_out_ready", 1);
    assert_eq!(messages(&mut bench, 10), [(ISSUED, 3), (ENDED, 3)]);
}

#[test]
fn a_cta_of_no_grid_tells_nothing_and_waits_for_nothing() {
    let mut bench = bench(small());
    launch(&mut bench, 0, None);
    operate(&mut bench, GridKind::LaunchDependents, 0, 0);
    assert_eq!(messages(&mut bench, 10), []);
    operate(&mut bench, GridKind::Wait, 1, 0);
    assert_eq!(bench.until("release_valid"), GRID_WAIT);
    assert_eq!(bench.get_all(&["release_warps", "commit_valid", "commit_warps", "commit_refused", "waiting"]), [2, 1, 2, 0, 0]);
    bench.set("ended", 0b01);
    assert_eq!(messages(&mut bench, 10), []);
    assert_eq!(bench.get("freed"), 0b11);
}

#[test]
fn a_slot_that_is_not_built_is_of_no_grid() {
    let mut bench = bench(tiny());
    launch(&mut bench, 1, Some(1));
    operate(&mut bench, GridKind::Wait, 1, 1);
    assert_eq!(bench.until("release_valid"), GRID_WAIT);
    operate(&mut bench, GridKind::LaunchDependents, 1, 1);
    assert_eq!(messages(&mut bench, 10), []);
    assert_eq!(bench.get("freed"), 1);
}

#[test]
fn warps_wait_until_their_grid_is_ready() {
    let mut bench = bench(small());
    hub(&mut bench, GridHubKind::Opened, 1);
    bench.cycle();
    assert_eq!(bench.get_all(&["opened_valid", "opened_grid"]), [1, 1]);
    launch(&mut bench, 0, Some(1));
    launch(&mut bench, 1, Some(2));
    (0..3).for_each(|warp| operate(&mut bench, GridKind::Wait, warp, 0));
    operate(&mut bench, GridKind::Wait, 4, 1);
    bench.cycles(5);
    assert_eq!(bench.get_all(&["waiting", "release_valid"]), [0b10111, 0]);
    hub(&mut bench, GridHubKind::Ready, 1);
    assert_eq!(bench.until("release_valid"), GRID_RELEASE);
    assert_eq!(bench.get_all(&["release_warps", "waiting"]), [0b111, 0b10000]);
    bench.cycle();
    assert_eq!(bench.get_all(&["release_valid", "release_warps"]), [0, 0]);
    // A grid stays ready until the next Opened message for its slot.
    operate(&mut bench, GridKind::Wait, 0, 0);
    assert_eq!(bench.until("release_valid"), GRID_WAIT);
    hub(&mut bench, GridHubKind::Opened, 1);
    assert_eq!(bench.until("opened_valid"), GRID_OPENED);
    operate(&mut bench, GridKind::Wait, 0, 0);
    bench.cycles(5);
    assert_eq!(bench.get("waiting"), 0b10001);
}

#[test]
fn of_a_wait_and_a_message_in_one_cycle_the_message_is_first() {
    for (first, then, waits) in [(GridHubKind::Opened, GridHubKind::Ready, 0), (GridHubKind::Ready, GridHubKind::Opened, 1)] {
        let mut bench = bench(small());
        launch(&mut bench, 0, Some(1));
        hub(&mut bench, first, 1);
        bench.cycles(3);
        bench.set_all(&[("op_valid", 1), ("op_kind", GridKind::Wait.value())]);
        hub(&mut bench, then, 1);
        bench.set("op_valid", 0);
        bench.cycles(2);
        assert_eq!(bench.get_all(&["waiting", "release_valid"]), [waits, 1 - waits]);
    }
}

#[test]
fn who_is_no_longer_live_is_not_answered() {
    let mut bench = bench(small());
    launch(&mut bench, 0, Some(1));
    (0..2).for_each(|warp| operate(&mut bench, GridKind::Wait, warp, 0));
    bench.cycles(3);
    bench.set("live", 0b10);
    hub(&mut bench, GridHubKind::Ready, 1);
    assert_eq!(bench.until("release_valid"), GRID_RELEASE);
    assert_eq!(bench.get_all(&["release_warps", "waiting"]), [0b10, 0]);
    // A wait of a warp that is not live has no effect, although the grid is ready.
    operate(&mut bench, GridKind::Wait, 0, 0);
    for _ in 0..5 {
        bench.cycle();
        assert_eq!(bench.get_all(&["release_valid", "waiting"]), [0, 0]);
    }
}

#[test]
fn faults_are_told_in_order_and_have_no_effect() {
    let mut bench = bench(small());
    launch(&mut bench, 1, Some(1));
    bench.set("fault_ready", 0);
    let illegal = ("fault", Code::IllegalInstruction.value());
    bench.send("op", &[("kind", GridKind::LaunchDependents.value()), ("warp", 3), ("cta", 1), illegal]);
    assert_eq!(bench.until("fault_valid"), GRID_FAULT);
    let fault = ["fault_code", "fault_has_warp", "fault_warp", "fault_cta"];
    assert_eq!(bench.get_all(&fault), [Code::IllegalInstruction.value(), 1, 3, 1]);
    assert_eq!(bench.get_all(&["commit_warps", "commit_refused"]), [8, 1]);
    // The next operation stays in the unit, and blocks the operation after it.
    bench.send("op", &[("warp", 4), ("fault", Code::NotResident.value())]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_ready", "commit_valid"]), [0, 0]);
    bench.set("fault_ready", 1);
    bench.cycles(3);
    assert_eq!(bench.get_all(&fault), [Code::NotResident.value(), 1, 4, 1]);
    assert_eq!(bench.get_all(&["fault_valid", "commit_warps", "commit_refused"]), [1, 16, 0]);
    assert_eq!(messages(&mut bench, 10), []);
}

#[test]
fn ctas_take_turns() {
    let mut bench = bench(default_sizes());
    (0..8).for_each(|cta| launch(&mut bench, cta, Some(cta % 4)));
    operate(&mut bench, GridKind::LaunchDependents, 0, 5);
    assert_eq!(messages(&mut bench, 10), [(ISSUED, 1)]);
    bench.set("ended", 0b1110_0110);
    let seen = messages(&mut bench, 40);
    let expected =
        [(6, ISSUED), (7, ISSUED), (1, ISSUED), (2, ISSUED), (5, ENDED), (6, ENDED), (7, ENDED), (1, ENDED), (2, ENDED)];
    assert_eq!(seen, expected.map(|(cta, kind)| (kind, cta % 4)));
    assert_eq!(bench.get("freed"), 0b1110_0110);
}

#[test]
fn a_launch_forgets_what_was_there() {
    let mut bench = bench(small());
    launch(&mut bench, 0, Some(1));
    operate(&mut bench, GridKind::LaunchDependents, 0, 0);
    bench.cycles(10);
    launch(&mut bench, 0, Some(3));
    assert_eq!(messages(&mut bench, 10), []);
    bench.set("ended", 1);
    assert_eq!(messages(&mut bench, 10), [(ISSUED, 3), (ENDED, 3)]);
    bench.set("ended", 0);
    launch(&mut bench, 0, Some(2));
    bench.reset();
    bench.cycle();
    assert_eq!(bench.get_all(&["freed", "waiting", "op_ready"]), [0b11, 0, 1]);
}
