// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cta_table` at its ports: launches, exits, retirements, their order and their faults.

use super::bench::{small, tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::latency::{CTA_TABLE_LAUNCH, CTA_TABLE_OP, CTA_TABLE_RETIRE};
use bcu_model::op::{Code, Kind};

const OP: [&str; 6] = ["op_kind", "op_fault", "op_warp", "op_cta", "op_mask", "op_lanes"];
const BESIDE: [&str; 4] = ["size_warps", "size_live", "size_barriers", "saved"];
const EXIT: u64 = Kind::Exit as u64;
const LAUNCH: u64 = Kind::Launch as u64;
const RELEASE: u64 = Kind::Release as u64;
const NOT_RESIDENT: u64 = Code::NotResident as u64;
const WARP_BLOCKED: u64 = Code::WarpBlocked as u64;
const SLOT_OCCUPIED: u64 = Code::SlotOccupied as u64;

/// Steps of a walk over the warps of `small`, and of `tiny`.
const WALK: u64 = 8;
const TINY_WALK: u64 = 4;

fn bench() -> Bench {
    let mut bench = unit("cta_table", small());
    bench.set("op_ready", 1);
    bench
}

/// Sends a request on one channel; expects its operation `latency` cycles after the first cycle of the offer. An exit is accepted at once,
/// the other requests when they are done.
fn request(bench: &mut Bench, channel: &str, payload: &[(&str, u64)], latency: u64) -> Vec<u64> {
    bench.offer(channel, payload);
    bench.cycle();
    assert_eq!(bench.finish_transfer(channel), channel == "exit");
    assert_eq!(bench.until("op_valid"), latency);
    assert!(channel == "exit" || bench.finish_transfer(channel));
    let op = bench.get_all(&OP);
    bench.cycle();
    assert_eq!(bench.get("op_valid"), 0);
    assert_eq!(bench.get_all(&OP), op, "the payload stays");
    op
}

fn launch(bench: &mut Bench, cta: u64, warps: u64, exited: u64) -> Vec<u64> {
    let payload = [("cta", cta), ("warps", warps), ("exited", exited), ("lanes", 0b0111), ("barriers", 5)];
    request(bench, "launch", &payload, WALK + CTA_TABLE_LAUNCH)
}

/// Retires the CTA of an occupied slot; a refused retirement answers a cycle earlier.
fn retire(bench: &mut Bench, cta: u64, saved: u64) -> Vec<u64> {
    request(bench, "retire", &[("cta", cta), ("saved", saved)], WALK + CTA_TABLE_RETIRE)
}

fn retire_nobody(bench: &mut Bench, cta: u64, saved: u64) -> Vec<u64> {
    request(bench, "retire", &[("cta", cta), ("saved", saved)], WALK + CTA_TABLE_RETIRE - 1)
}

fn exit(bench: &mut Bench, warp: u64) -> Vec<u64> {
    request(bench, "exit", &[("warp", warp), ("lanes", 0b0101)], CTA_TABLE_OP)
}

/// One cycle; returns the channels whose offer was accepted, and withdraws those offers.
fn cycle(bench: &mut Bench) -> Vec<&'static str> {
    bench.cycle();
    let mut channels = vec!["exit", "retire", "launch"];
    channels.retain(|channel| bench.input(&format!("{channel}_valid")) == 1 && bench.finish_transfer(channel));
    channels
}

/// Runs a cycle in which `gather` reports that a warp has exited.
fn report_warp_exit(bench: &mut Bench, warp: u64) {
    bench.set_all(&[("warp_exited_valid", 1), ("warp_exited_warp", warp)]);
    bench.cycle();
    bench.set("warp_exited_valid", 0);
    bench.cycle();
}

/// Reports that no unit holds any state of this slot's CTA.
fn flush(b: &mut Bench, cta: u64) {
    b.set_all(&[("flushed_valid", 1), ("flushed_cta", cta)]);
    b.cycle();
    b.set("flushed_valid", 0);
}

#[test]
fn a_cta_comes_its_warps_exit_and_it_goes() {
    let mut b = bench();
    assert_eq!(launch(&mut b, 1, 0b1110_0100, 0b0100_0000), [LAUNCH, 0, 0, 1, 0b1110_0100, 0b0111]);
    assert_eq!(b.get_all(&BESIDE), [4, 3, 5, 0]);
    assert_eq!((b.get("live"), b.get("warp_cta_0")), (0b1010_0100, 0b1110_0100));
    assert_eq!(exit(&mut b, 7), [EXIT, 0, 7, 1, 0, 0b0101]);
    assert_eq!(b.get("live"), 0b1010_0100, "only some lanes of it have exited");
    report_warp_exit(&mut b, 7);
    assert_eq!(b.get("live"), 0b0010_0100);
    assert_eq!(retire(&mut b, 1, 1), [RELEASE, 0, 0, 1, 0b1110_0100, 0]);
    assert_eq!(b.get_all(&BESIDE), [4, 3, 5, 1]);
    // The warps keep the slot numbers of their last launch.
    assert_eq!((b.get("live"), b.get("warp_cta_0")), (0, 0b1110_0100));
    flush(&mut b, 1);
    assert_eq!(launch(&mut b, 0, 0b0000_0100, 0), [LAUNCH, 0, 0, 0, 0b0000_0100, 0b0111]);
    assert_eq!(b.get_all(&BESIDE), [1, 1, 5, 1]);
    assert_eq!((b.get("live"), b.get("warp_cta_0")), (0b0000_0100, 0b1110_0000));
}

#[test]
fn a_warp_exits_lane_by_lane_and_goes_once() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    for lanes in [0b0001, 0b0110] {
        let op = request(&mut b, "exit", &[("warp", 1), ("lanes", lanes)], CTA_TABLE_OP);
        assert_eq!(op, [EXIT, 0, 1, 0, 0, lanes]);
    }
    b.set_all(&[("warp_exited_valid", 1), ("warp_exited_warp", 1)]);
    b.cycle();
    assert_eq!(b.get("live"), 0b11, "next cycle");
    b.set("warp_exited_valid", 0);
    b.cycle();
    assert_eq!(b.get("live"), 0b01);
    assert_eq!(exit(&mut b, 1)[1], NOT_RESIDENT);
}

#[test]
fn a_launch_at_the_edge_at_which_the_old_warp_goes_is_of_a_new_one() {
    let mut b = bench();
    launch(&mut b, 0, 0b0010, 0);
    retire(&mut b, 0, 0);
    flush(&mut b, 0);
    b.offer("launch", &[("cta", 0), ("warps", 0b0010)]);
    b.cycles((WALK + CTA_TABLE_LAUNCH - 1) as usize);
    // Without this strobe the launch would take effect at the end of this cycle; `warp_exited` delays it by one cycle.
    b.strobe("warp_exited", &[("warp", 1)]);
    b.cycle();
    assert_eq!(b.get_all(&["op_valid", "live"]), [0, 0]);
    assert_eq!(cycle(&mut b), ["launch"]);
    assert_eq!(b.get_all(&["op_valid", "live"]), [1, 0b0010]);
}

#[test]
fn exits_of_warps_that_are_not_there() {
    let mut b = bench();
    assert_eq!(exit(&mut b, 3), [EXIT, NOT_RESIDENT, 3, 0, 0, 0b0101]);
    launch(&mut b, 1, 0b1000, 0);
    report_warp_exit(&mut b, 3);
    assert_eq!(exit(&mut b, 3)[..4], [EXIT, NOT_RESIDENT, 3, 1]);
    // Warp 1 has exited at the launch; `not_resident` precedes `warp_blocked`.
    launch(&mut b, 0, 0b0110, 0b0010);
    b.set("blocked", 0b0110);
    assert_eq!(exit(&mut b, 1)[1], NOT_RESIDENT);
    assert_eq!(exit(&mut b, 2)[1], WARP_BLOCKED);
    assert_eq!(b.get("live"), 0b0100);
    b.set("blocked", 0b0010);
    assert_eq!(exit(&mut b, 2)[1], 0);
}

#[test]
fn a_retirement_waits_until_nothing_of_its_warps_is_in_flight() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0b0010);
    launch(&mut b, 1, 0b1100, 0);
    // An operation of an exited warp also delays the retirement; an operation of the other CTA does not.
    b.set("in_flight", 0b1010);
    b.offer("retire", &[("cta", 0), ("saved", 1)]);
    b.offer("launch", &[("cta", 0), ("warps", 0b11_0000)]);
    b.cycles(WALK as usize + 3);
    for _ in 0..5 {
        b.cycle();
        assert_eq!(b.get_all(&["live", "op_valid", "retire_ready", "launch_ready"]), [0b1100, 0, 0, 0]);
    }
    // An exit passes the waiting retirement, and finds that the warps are no longer live.
    assert_eq!(exit(&mut b, 0)[..3], [EXIT, NOT_RESIDENT, 0]);
    b.set("in_flight", 0b1000);
    for _ in 0..2 {
        b.cycle();
        assert_eq!((b.get("op_valid"), b.get("retire_ready")), (0, 0));
    }
    assert_eq!(cycle(&mut b), ["retire"]);
    assert_eq!(b.get_all(&OP), [RELEASE, 0, 0, 0, 0b0011, 0]);
    assert_eq!(b.get("saved"), 1);
    assert_eq!(b.get_all(&["op_valid", "live"]), [1, 0b1100]);
    // The launch after the retirement finds the slot free when no state of the CTA remains.
    for _ in 0..30 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "launch_ready", "retired_valid"]), [0, 0, 0]);
    }
    flush(&mut b, 0);
    b.cycle();
    assert_eq!(b.get_all(&["op_valid", "retired_valid", "retired_cta"]), [0, 1, 0]);
    assert_eq!(b.until("op_valid"), WALK + CTA_TABLE_LAUNCH);
    assert_eq!(b.get_all(&["launch_ready", "op_kind", "op_fault", "live"]), [1, LAUNCH, 0, 0b11_1100]);
}

#[test]
fn blocked_counts_in_the_cycle_of_handling() {
    for (accepted, handled, fault) in [(0, 4, WARP_BLOCKED), (4, 0, 0)] {
        let mut b = bench();
        launch(&mut b, 0, 0b0100, 0);
        b.set("blocked", accepted);
        b.send("exit", &[("warp", 2)]);
        b.set("blocked", handled);
        b.cycle();
        b.set("blocked", accepted);
        b.cycle();
        assert_eq!((b.get("op_valid"), b.get("op_fault")), (1, fault));
    }
}

#[test]
fn an_exit_waits_for_what_its_warp_has_on_its_way() {
    let mut b = bench();
    launch(&mut b, 0, 0b0110, 0);
    b.set_all(&[("in_decode", 0b0110), ("blocked", 0b0100)]);
    b.send("exit", &[("warp", 2)]);
    for _ in 0..5 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "exit_ready", "exits", "seen_valid"]), [0, 0, 0b0100, 0]);
    }
    // The exit waits only for an operation in flight of its own warp; `blocked` is sampled after that operation has its effects.
    b.set_all(&[("in_decode", 0b0010), ("blocked", 0)]);
    b.cycle();
    b.set("blocked", 0b0100);
    b.cycle();
    assert_eq!(b.get_all(&["op_valid", "op_kind", "op_fault", "op_warp"]), [1, EXIT, 0, 2]);
}

#[test]
fn launches_into_what_is_taken() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0b0010);
    // The first launch is refused because its CTA slot is occupied, the second because of the warp slot of an exited warp. A refused launch
    // also counts its warps.
    assert_eq!(launch(&mut b, 0, 0b1100, 0b0100), [LAUNCH, SLOT_OCCUPIED, 0, 0, 0b1100, 0b0111]);
    assert_eq!(b.get_all(&BESIDE), [2, 1, 5, 0]);
    assert_eq!(launch(&mut b, 1, 0b0110, 0)[1], SLOT_OCCUPIED);
    assert_eq!((b.get("live"), b.get("warp_cta_0")), (0b0001, 0));
    assert_eq!(launch(&mut b, 1, 0b0100, 0)[1], 0);
}

#[test]
fn what_a_refused_launch_has_found_free_stays_free() {
    let mut b = bench();
    launch(&mut b, 0, 0b1000, 0);
    assert_eq!(launch(&mut b, 1, 0b1011, 0)[1], SLOT_OCCUPIED);
    assert_eq!(b.get("live"), 0b1000);
    assert_eq!(launch(&mut b, 1, 0b0010, 0)[1], 0);
    // Warp 0 belongs to no CTA.
    assert_eq!(b.get("live"), 0b1010);
    assert_eq!(retire(&mut b, 1, 0)[4], 0b0010);
    assert_eq!(retire(&mut b, 0, 0)[4], 0b1000);
}

#[test]
fn retiring_what_is_not_there() {
    let mut b = bench();
    assert_eq!(retire_nobody(&mut b, 1, 0), [RELEASE, NOT_RESIDENT, 0, 1, 0, 0]);
    launch(&mut b, 0, 0b0011, 0);
    launch(&mut b, 1, 0b1100, 0);
    retire(&mut b, 0, 0);
    assert_eq!(retire_nobody(&mut b, 0, 1), [RELEASE, NOT_RESIDENT, 0, 0, 0, 0]);
    assert_eq!(b.get("saved"), 0, "a refused retirement leaves no state");
    assert_eq!(b.get("live"), 0b1100, "the other CTA stays");
}

#[test]
fn a_slot_that_is_not_built_is_occupied_and_empty() {
    // C = 1: the port has one bit, and the unit has one slot.
    let mut b = unit("cta_table", tiny());
    b.set("op_ready", 1);
    let launch = |b: &mut Bench, cta| request(b, "launch", &[("cta", cta), ("warps", 0b0011)], TINY_WALK + CTA_TABLE_LAUNCH);
    assert_eq!(launch(&mut b, 1)[..4], [LAUNCH, SLOT_OCCUPIED, 0, 1]);
    assert_eq!(request(&mut b, "retire", &[("cta", 1)], TINY_WALK + CTA_TABLE_RETIRE - 1)[1], NOT_RESIDENT);
    assert_eq!((b.get("live"), b.get("warp_cta_0")), (0, 0));
    assert_eq!(launch(&mut b, 0)[1], 0);
}

#[test]
fn of_one_cycle_exit_comes_first_then_retire_then_launch() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    b.offer("launch", &[("cta", 0), ("warps", 0b0011)]);
    b.offer("retire", &[("cta", 0)]);
    b.offer("exit", &[("warp", 1)]);
    // The exit delays the walk of the retirement by one cycle. The launch begins in the cycle after the operation of the retirement, if no
    // state of the CTA remains.
    let retired = WALK + CTA_TABLE_RETIRE + 1;
    let launched = retired + 1 + WALK + CTA_TABLE_LAUNCH;
    let (mut transferred, mut ops) = (vec![], vec![]);
    for at in 0..=launched {
        b.set("flushed_valid", u64::from(at == retired));
        transferred.extend(cycle(&mut b).into_iter().map(|channel| (at, channel)));
        if b.get("op_valid") == 1 {
            ops.push((at, b.get("op_kind"), b.get("op_fault")));
        }
    }
    assert_eq!(transferred, [(0, "exit"), (retired, "retire"), (launched, "launch")]);
    assert_eq!(ops, [(CTA_TABLE_OP, EXIT, 0), (retired, RELEASE, 0), (launched, LAUNCH, 0)]);
}

#[test]
fn launches_and_releases_wait_for_clearing() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    b.set("clearing", 1);
    // A retirement of an empty slot is a fault and waits for nothing.
    assert_eq!(retire_nobody(&mut b, 1, 0)[..2], [RELEASE, NOT_RESIDENT]);
    b.offer("launch", &[("cta", 1), ("warps", 0b1100), ("exited", 0)]);
    b.cycles(WALK as usize + 3);
    for _ in 0..5 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "launch_ready", "live"]), [0, 0, 0b0011]);
    }
    assert_eq!(exit(&mut b, 0)[0], EXIT);
    b.set("clearing", 0);
    b.cycle();
    assert_eq!(b.get("op_valid"), 0);
    assert_eq!(cycle(&mut b), ["launch"]);
    assert_eq!(b.get_all(&["op_valid", "op_kind", "live"]), [1, LAUNCH, 0b1111]);
    // While rows are being cleared, a retirement waits, but the warps of its CTA are no longer live.
    b.set("clearing", 1);
    b.offer("retire", &[("cta", 0)]);
    b.cycles(WALK as usize + 4);
    for _ in 0..5 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "live", "retire_ready"]), [0, 0b1100, 0]);
    }
    b.set("clearing", 0);
    b.cycles(2);
    assert_eq!(b.get("op_valid"), 0);
    assert_eq!(cycle(&mut b), ["retire"]);
    assert_eq!(b.get_all(&["op_valid", "op_kind", "op_fault"]), [1, RELEASE, 0]);
}

#[test]
fn a_launch_waits_for_the_one_on_its_way() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0b0010);
    b.set("launching", 1);
    b.offer("launch", &[("cta", 1), ("warps", 0b1110), ("exited", 0), ("barriers", 7)]);
    b.cycles(30);
    assert_eq!(b.get_all(&["op_valid", "launch_ready"]), [0, 0]);
    // A retirement and an exit pass the launch.
    assert_eq!(exit(&mut b, 0)[..2], [EXIT, 0]);
    assert_eq!(retire(&mut b, 0, 0)[..2], [RELEASE, 0]);
    flush(&mut b, 0);
    assert_eq!(b.get_all(&BESIDE), [2, 1, 5, 0]);
    b.set("launching", 0);
    assert_eq!(b.until("op_valid"), 1 + WALK + CTA_TABLE_LAUNCH);
    assert_eq!(b.get_all(&BESIDE), [3, 3, 7, 0]);
}

#[test]
fn an_operation_holds_until_it_is_taken() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    b.set("op_ready", 0);
    b.send("exit", &[("warp", 0)]);
    b.cycle();
    b.offer("exit", &[("warp", 1)]);
    for _ in 0..6 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "op_warp", "exit_ready"]), [1, 0, 0]);
    }
    b.set("op_ready", 1);
    for shown in [[1, 0], [0, 1], [0, 0], [1, 0]] {
        let transferred = cycle(&mut b);
        assert_eq!(b.get_all(&["op_valid", "exit_ready"]), shown);
        assert_eq!(transferred.contains(&"exit"), shown == [0, 1]);
    }
    assert_eq!(b.get("op_warp"), 1);
}

#[test]
fn reset_empties_everything() {
    let mut b = bench();
    launch(&mut b, 1, 0b0011, 0);
    b.set("op_ready", 0);
    b.send("exit", &[("warp", 0)]);
    b.offer("retire", &[("cta", 1)]);
    b.cycles(5);
    assert_eq!(b.get("op_valid"), 1);
    b.set("retire_valid", 0);
    b.reset();
    b.cycle();
    assert!(b.get_all(&OP).iter().chain(&b.get_all(&BESIDE)).all(|value| *value == 0));
    assert_eq!(b.get_all(&["op_valid", "live", "warp_cta_0"]), [0; 3]);
    assert_eq!(b.get_all(&["launch_ready", "retire_ready", "exit_ready"]), [0, 0, 1]);
    b.set("op_ready", 1);
    assert_eq!(launch(&mut b, 1, 0b0011, 0)[1], 0);
}

#[test]
fn a_retirement_right_behind_the_launch_of_its_slot_waits_for_it() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    // The launch waits until no rows are cleared. A retirement that is offered during this wait names the same slot.
    b.set("clearing", 1);
    b.offer("launch", &[("cta", 1), ("warps", 0b1100), ("exited", 0)]);
    b.cycles(3);
    b.offer("retire", &[("cta", 1)]);
    for _ in 0..20 {
        b.cycle();
        assert_eq!(b.get_all(&["op_valid", "retire_ready", "launch_ready", "launched_valid"]), [0; 4]);
    }
    b.set("clearing", 0);
    let mut ops = vec![];
    for _ in 0..WALK + 12 {
        let transferred = cycle(&mut b);
        if transferred.contains(&"launch") {
            assert_eq!(b.get_all(&["launched_valid", "launched_cta", "live"]), [1, 1, 0b1111]);
            b.offer("exit", &[("warp", 2)]);
        }
        if b.get("op_valid") == 1 {
            let signs = b.get_all(&["launched_valid", "retired_valid"]);
            ops.push((b.get("op_kind"), b.get("op_fault"), signs[0], signs[1]));
        }
    }
    assert_eq!(ops, [(LAUNCH, 0, 1, 0), (EXIT, 0, 0, 0), (RELEASE, 0, 0, 0)]);
}

#[test]
fn a_retirement_and_an_exit_of_others_pass_a_launch_that_waits_for_a_cta_that_leaves() {
    let mut b = bench();
    launch(&mut b, 0, 0b0011, 0);
    launch(&mut b, 1, 0b1100, 0);
    retire(&mut b, 0, 0);
    // The launch names the CTA slot, or a warp slot, of the leaving CTA.
    for (cta, warps) in [(0, 0b11_0000), (1, 0b11_0010)] {
        b.offer("launch", &[("cta", cta), ("warps", warps), ("exited", 0)]);
        b.cycles(20);
        assert_eq!(b.get("launch_ready"), 0);
        if cta == 0 {
            assert_eq!(exit(&mut b, 2)[..3], [EXIT, 0, 2]);
            assert_eq!(retire(&mut b, 1, 0)[..4], [RELEASE, 0, 0, 1]);
            flush(&mut b, 1);
        }
        b.cycles(40);
        assert_eq!(b.get("launch_ready"), 0);
        flush(&mut b, 0);
        assert_eq!(b.until("op_valid"), 1 + WALK + CTA_TABLE_LAUNCH);
        assert_eq!(b.get_all(&["launch_ready", "op_kind", "op_fault", "op_cta"]), [1, LAUNCH, 0, cta]);
        assert!(b.finish_transfer("launch"));
        b.cycle();
        retire(&mut b, cta, 0);
        flush(&mut b, cta);
        if cta == 0 {
            launch(&mut b, 0, 0b0011, 0);
            retire(&mut b, 0, 0);
        }
    }
}

#[test]
fn an_exit_behind_the_retirement_of_its_cta_finds_its_warp_gone() {
    let mut b = bench();
    launch(&mut b, 1, 0b1100, 0);
    b.set("in_flight", 0b0100);
    b.offer("retire", &[("cta", 1)]);
    b.cycle();
    assert_eq!(exit(&mut b, 3)[..3], [EXIT, 0, 3], "the walk searches for its warps");
    b.cycles(WALK as usize);
    assert_eq!(exit(&mut b, 2)[..3], [EXIT, NOT_RESIDENT, 2]);
    b.set("in_flight", 0);
    assert_eq!(b.until("op_valid"), 3);
    assert_eq!(b.get_all(&["op_kind", "op_fault", "op_cta"]), [RELEASE, 0, 1]);
}

/// The exits of a CTA continue while another CTA is launched.
#[test]
fn a_launch_does_not_hold_up_exits() {
    let mut b = bench();
    launch(&mut b, 0, 0b1111, 0);
    b.offer("launch", &[("cta", 1), ("warps", 0b11_0000), ("exited", 0)]);
    let (mut exits, mut cycles) = (0, 0);
    b.offer("exit", &[("warp", 0)]);
    while exits < 4 {
        cycles += 1;
        if cycle(&mut b).contains(&"exit") {
            exits += 1;
            b.offer("exit", &[("warp", exits % 4)]);
        }
    }
    assert_eq!(cycles, 10, "one in three cycles");
    b.set("exit_valid", 0);
    b.wait(|b| b.finish_transfer("launch"));
    assert_eq!(b.get("live"), 0b11_1111);
}

#[test]
fn a_cta_of_a_cluster_or_a_grid_cannot_be_saved() {
    let bound: [&[(&str, u64)]; 2] = [&[("size", 2), ("rank", 1)], &[("has_grid", 1)]];
    for place in bound {
        let mut bench = bench();
        request(&mut bench, "launch", &[&[("warps", 0b11), ("lanes", 0b1111)], place].concat(), WALK + CTA_TABLE_LAUNCH);
        let refused = retire_nobody(&mut bench, 0, 1);
        assert_eq!(refused[..2], [RELEASE, Code::CannotSave as u64]);
        // The state is unchanged: the warps of the CTA are live, and the CTA can be retired without saving.
        assert_eq!(exit(&mut bench, 1)[..2], [EXIT, 0]);
        assert_eq!(retire(&mut bench, 0, 0)[..2], [RELEASE, 0]);
    }
}

#[test]
fn signs_are_of_what_was_done() {
    let mut b = bench();
    launch(&mut b, 1, 0b1100, 0);
    assert_eq!(b.get_all(&["launched_valid", "launched_cta"]), [0, 1], "one cycle, and the slot stays");
    launch(&mut b, 1, 0b0011, 0);
    retire_nobody(&mut b, 0, 0);
    assert_eq!(b.get_all(&["launched_valid", "launched_cta", "retired_valid", "retired_cta"]), [0, 1, 0, 0]);
    // The launch is reported as complete although no warp of the CTA is live.
    b.offer("launch", &[("cta", 0), ("warps", 0b0001), ("exited", 0b0001)]);
    b.cycle();
    assert_eq!(b.until("launched_valid"), WALK + CTA_TABLE_LAUNCH);
    assert_eq!(b.get_all(&["launched_cta", "live"]), [0, 0b1100]);
}
