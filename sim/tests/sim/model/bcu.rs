// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit at its ports: order, latencies, and the barrier code of the documents end to end.

use super::bench::{default_sizes, small, unit};
use super::decode::{immediate, set_word};
use bcu_model::bench::Bench;
use bcu_model::latency::{BCU_EXIT_RELEASE, BCU_RELEASE};
use bcu_model::op::{Code, FaultPolicy, Form};
use bcu_model::Sizes;

pub const RELEASE: [&str; 4] = ["release_valid", "release_cta", "release_id", "release_warps"];
pub const FAULT: [&str; 5] = ["fault_valid", "fault_code", "fault_warp", "fault_cta", "fault_id"];
pub const ARV: u128 = 1;
pub const SYNC: u128 = 0;
pub const B2R_WARP: u128 = 0xb1c;
const R2B_WARP: u128 = 0x31e;
const R2B_BAR: u128 = R2B_WARP | 1 << 80;

/// A unit after the launch of a CTA with the warps of the mask `warps` in slot `cta`. All lanes are active, and faults are accepted.
pub fn launched(sizes: Sizes, cta: u64, warps: u64) -> Bench {
    let mut bench = unit("bcu", sizes);
    bench.set_all(&[("fault_ready", 1), ("instr_active", u64::MAX), ("instr_guard", u64::MAX), ("instr_uniform", 1)]);
    bench.set_all(&[("launch_lanes", u64::MAX), ("exit_lanes", u64::MAX)]);
    bench.send("launch", &[("cta", cta), ("warps", warps), ("barriers", 8)]);
    assert_eq!(bench.get("live"), warps);
    bench
}

/// Offers an instruction until it is accepted, whether the warp may issue or not.
pub fn force(bench: &mut Bench, warp: u64, word: u128) {
    set_word(bench, word);
    bench.send("instr", &[("warp", warp)]);
}

/// Waits until the warp may issue, and offers an instruction until it is accepted.
pub fn issue(bench: &mut Bench, warp: u64, word: u128) {
    bench.wait(|bench| bench.get("blocked") >> warp & 1 == 0);
    force(bench, warp, word);
}

#[test]
fn a_sync_of_the_whole_cta() {
    let mut bench = launched(default_sizes(), 3, 0b1111);
    (0..4).for_each(|warp| issue(&mut bench, warp, immediate(SYNC, 2, 0)));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 3, 2, 0b1111]);
    assert_eq!(bench.get("blocked"), 0, "the warps may issue in the cycle of the release");
}

#[test]
fn blocked_has_no_gap_from_decode_to_named() {
    let mut bench = launched(small(), 0, 0b11);
    issue(&mut bench, 0, immediate(SYNC, 0, 0));
    for _ in 0..10 {
        bench.cycle();
        assert_eq!(bench.get("blocked"), 1);
    }
}

#[test]
fn an_instruction_a_cycle() {
    let mut bench = launched(small(), 0, 0xff);
    bench.set("instr_valid", 1);
    for i in 0..16 {
        set_word(&mut bench, immediate(SYNC, i as u128 % 8, 4));
        bench.set("instr_warp", i % 8);
        bench.cycle();
        assert_eq!(bench.get("instr_ready"), 1);
        let released = i.checked_sub(BCU_RELEASE);
        assert_eq!(bench.get("release_warps"), released.map_or(0, |i| 1 << (i % 8)));
    }
}

#[test]
fn an_exit_completes_a_barrier() {
    let mut bench = launched(small(), 1, 0b0111);
    issue(&mut bench, 0, immediate(SYNC, 1, 0));
    issue(&mut bench, 2, immediate(SYNC, 1, 0));
    bench.send("exit", &[("warp", 1)]);
    assert_eq!(bench.until("release_valid"), BCU_EXIT_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 1, 1, 0b0101]);
    assert_eq!(bench.get("live"), 0b0101);
}

#[test]
fn producer_and_consumer() {
    let mut bench = launched(default_sizes(), 0, 0b11);
    for _ in 0..3 {
        issue(&mut bench, 0, immediate(ARV, 0, 64));
        issue(&mut bench, 0, immediate(SYNC, 1, 64));
        issue(&mut bench, 1, immediate(SYNC, 0, 64));
        bench.until("release_valid");
        assert_eq!((bench.get_all(&RELEASE), bench.get("blocked")), (vec![1, 0, 0, 0b10], 0b01));
        issue(&mut bench, 1, immediate(ARV, 1, 64));
        bench.until("release_valid");
        assert_eq!((bench.get_all(&RELEASE), bench.get("blocked")), (vec![1, 0, 1, 0b01], 0));
    }
    assert_eq!(bench.get("fault_valid"), 0);
}

#[test]
fn of_an_arrival_and_an_exit_in_one_cycle_the_arrival_is_first() {
    let mut bench = launched(small(), 0, 0b11);
    set_word(&mut bench, immediate(SYNC, 0, 0));
    bench.set_all(&[("instr_warp", 1), ("instr_valid", 1), ("exit_warp", 1), ("exit_valid", 1)]);
    bench.cycle();
    assert_eq!(bench.get_all(&["instr_ready", "exit_ready"]), [1, 1]);
    bench.set_all(&[("instr_valid", 0), ("exit_valid", 0)]);
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&FAULT), [1, Code::WarpBlocked.value(), 1, 0, 0]);
    assert_eq!((bench.get("live"), bench.get("blocked")), (0b11, 0b10));
    // An ARV does not block its warp, so an exit of the warp is legal; the exit waits until the ARV is through.
    let mut bench = launched(small(), 0, 0b11);
    set_word(&mut bench, immediate(ARV, 0, 8));
    bench.set_all(&[("instr_warp", 1), ("instr_valid", 1), ("exit_warp", 1), ("exit_valid", 1)]);
    bench.cycle();
    bench.set_all(&[("instr_valid", 0), ("exit_valid", 0)]);
    bench.wait(|bench| bench.get("live") == 0b01);
    issue(&mut bench, 0, immediate(SYNC, 0, 8));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b01, 0));
}

#[test]
fn a_busy_residency_stops_no_instruction() {
    let mut bench = launched(small(), 0, 0b111);
    bench.set_all(&[("exit_warp", 2), ("exit_valid", 1), ("instr_valid", 1), ("instr_warp", 0)]);
    set_word(&mut bench, immediate(SYNC, 0, 0));
    bench.cycle();
    assert_eq!(bench.get_all(&["instr_ready", "exit_ready"]), [1, 1]);
    bench.set_all(&[("exit_valid", 0), ("instr_warp", 1)]);
    bench.cycle();
    assert_eq!(bench.get("instr_ready"), 1);
    bench.set("instr_valid", 0);
    // The exit takes two cycles of `named` before the second instruction, which completes the barrier.
    assert_eq!(bench.until("release_valid"), BCU_RELEASE + 2);
    assert_eq!((bench.get("release_warps"), bench.get("live")), (0b011, 0b011));
}

#[test]
fn a_blocked_warp_may_not_issue() {
    let mut bench = launched(small(), 0, 0b11);
    force(&mut bench, 0, immediate(SYNC, 3, 0));
    force(&mut bench, 0, immediate(SYNC, 3, 0));
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&FAULT), [1, Code::WarpBlocked.value(), 0, 0, 3]);
    assert_eq!(bench.get("blocked"), 1);
}

#[test]
fn retiring_a_cta_with_an_open_barrier_frees_its_warps() {
    let mut bench = launched(small(), 1, 0b1100);
    issue(&mut bench, 3, immediate(SYNC, 5, 0));
    bench.send("retire", &[("cta", 1)]);
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&FAULT), [1, Code::BarrierLeftOpen.value(), 0, 1, 5]);
    assert_eq!((bench.get("live"), bench.get("blocked")), (0, 0));
    // A launch into the slot waits until the slot's rows are cleared.
    bench.send("launch", &[("cta", 1), ("warps", 0b1100)]);
    issue(&mut bench, 2, immediate(SYNC, 5, 0));
    issue(&mut bench, 3, immediate(SYNC, 5, 0));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 1, 5, 0b1100]);
}

#[test]
fn a_stalled_fault_channel_stops_the_issue_and_loses_nothing() {
    let mut bench = launched(small(), 0, 0b11);
    bench.set("fault_ready", 0);
    set_word(&mut bench, immediate(ARV, 0, 0));
    bench.set_all(&[("instr_warp", 0), ("instr_valid", 1)]);
    let mut accepted = 0;
    for _ in 0..30 {
        bench.cycle();
        accepted += bench.get("instr_ready");
    }
    // Of the 11 accepted instructions four are in the fault queue, three in `mem_order`, two in `gather` and two in `decode`.
    assert_eq!(accepted, 11);
    bench.set_all(&[("instr_valid", 0), ("fault_ready", 1)]);
    let mut faults = 0;
    for _ in 0..20 {
        bench.cycle();
        faults += bench.get("fault_valid");
    }
    assert_eq!(faults, 11);
}

#[test]
fn after_reset_a_launch_waits_for_the_tables() {
    let mut bench = unit("bcu", small());
    bench.offer("launch", &[("warps", 1), ("barriers", 1)]);
    let cycles = (0..).take_while(|_| {
        bench.cycle();
        bench.get("live") == 0
    });
    // The unit clears 2 slots of 8 rows from the first cycle on: `clearing` is 0 in cycle 17, and `live` changes one cycle later. The
    // launch is offered from cycle 0 on.
    assert_eq!(cycles.count(), 18);
    // The fault of an instruction without a resident warp comes earlier: the unit accepts instructions while it clears rows.
    let mut bench = unit("bcu", small());
    force(&mut bench, 0, immediate(SYNC, 0, 0));
    bench.until("fault_valid");
    assert_eq!(bench.get("fault_code"), Code::NotResident.value());
}

/// A warp must be blocked in every cycle from its operation on if the operation is refused under Trap, or is a state word that makes the
/// warp wait.
#[test]
fn blocked_has_no_gap_before_what_an_operation_makes_of_its_warp() {
    let waits = 3 << 15 | 1 << 14 | 3 << 12;
    for between in 0..3 {
        let mut bench = launched(small(), 0, 0b11);
        bench.set("fault_policy", FaultPolicy::Trap.value());
        issue(&mut bench, 0, immediate(ARV, 0, 0));
        bench.cycles(between);
        force(&mut bench, 1, immediate(ARV, 0, 8));
        let outputs: Vec<u64> = (0..12)
            .map(|_| {
                bench.cycle();
                bench.get("blocked") & 1
            })
            .collect();
        assert_eq!(outputs, [1; 12], "a refused ARV");
    }
    let mut bench = launched(small(), 0, 0b11);
    bench.set("instr_ra", 1 << 31 | 2 << 7 | 1 << 14 | 1);
    issue(&mut bench, 0, R2B_BAR | 3 << 40);
    bench.set("instr_ra", waits);
    issue(&mut bench, 0, R2B_WARP);
    let outputs: Vec<u64> = (0..12)
        .map(|_| {
            bench.cycle();
            bench.get("blocked") & 1
        })
        .collect();
    assert_eq!((outputs, bench.get("fault_valid")), (vec![1; 12], 0), "a warp that a state word makes wait");
}

/// Lanes of a CTA wait for other lanes of their warp. A CTA that is launched right after that CTA does not inherit these waits.
#[test]
fn a_new_cta_is_not_stuck_with_the_old_ones_lanes() {
    for delay in 0..8 {
        let mut bench = launched(small(), 0, 0b1);
        bench.set_all(&[("instr_form", Form::WarpSync.value()), ("instr_active", 0b0011), ("instr_members", 0b0111)]);
        issue(&mut bench, 0, 0);
        bench.set_all(&[("instr_form", Form::Gathered.value()), ("instr_active", 0b1100)]);
        issue(&mut bench, 0, immediate(SYNC, 0, 0));
        bench.until("fault_valid");
        assert_eq!((bench.get("fault_code"), bench.get("gathering")), (Code::Deadlock.value(), 1));
        bench.cycles(1 + delay as usize / 2);
        bench.send("retire", &[("cta", 0), ("saved", 1)]);
        bench.cycles(delay as usize % 2);
        bench.send("launch", &[("cta", 0), ("warps", 1)]);
        for cycle in 0..40 {
            bench.cycle();
            assert_eq!(bench.get("fault_valid"), 0, "delay {delay}, cycle {cycle}");
            assert_eq!(bench.get("live") & bench.get("gathering"), 0);
        }
        assert_eq!(bench.get_all(&["live", "gathering"]), [1, 0]);
    }
}

/// Warps of a CTA wait for ever. A CTA that is launched right after that CTA does not inherit these waits.
#[test]
fn a_new_cta_is_not_stuck_with_the_old_ones_waits() {
    for delay in 0..16 {
        let mut bench = launched(small(), 0, 0b111);
        issue(&mut bench, 0, immediate(SYNC, 0, 0));
        issue(&mut bench, 1, immediate(SYNC, 1, 8));
        bench.cycles(12 + delay % 4);
        bench.offer("retire", &[("cta", 0), ("saved", 1)]);
        bench.cycles(delay / 4);
        bench.offer("launch", &[("cta", 0), ("warps", 0b011)]);
        bench.wait(|bench| bench.finish_transfer("retire"));
        bench.wait(|bench| bench.finish_transfer("launch"));
        for cycle in 0..40 {
            bench.cycle();
            assert_eq!(bench.get("fault_valid"), 0, "delay {delay}, cycle {cycle}: {:?}", bench.get_all(&FAULT));
        }
        assert_eq!(bench.get_all(&["live", "blocked"]), [0b011, 0]);
    }
}

#[test]
fn a_waiting_warp_can_be_read_when_it_is_not_busy_and_not_before() {
    let read = 0xb1c;
    for parked in [false, true] {
        let begun = || {
            let mut bench = launched(small(), 0, 0b11);
            if parked {
                bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", 0)]);
                bench.cycle();
                bench.set("issue_0_valid", 0);
            }
            issue(&mut bench, 0, immediate(SYNC, 0, 0));
            bench
        };
        // In each of the first 12 cycles after the arrival, a Read is refused if the warp is busy, and only then.
        let mut refused = vec![];
        for after in 0..12 {
            let mut bench = begun();
            (0..after).for_each(|_| bench.cycle());
            set_word(&mut bench, read);
            bench.set_all(&[("instr_valid", 1), ("instr_warp", 0)]);
            bench.cycle();
            assert_eq!(bench.get_all(&["instr_ready", "blocked"]), [1, 1]);
            let busy = bench.get("busy");
            bench.set_all(&[("instr_valid", 0), ("perform_0_valid", parked.into()), ("perform_0_warp", 0)]);
            let fault = (0..30).any(|_| {
                bench.cycle();
                bench.set("perform_0_valid", 0);
                bench.get("fault_valid") == 1 && bench.get("fault_code") == Code::WarpBlocked.value()
            });
            assert_eq!(u64::from(fault), busy, "{after} cycles after the arrival, parked: {parked}");
            refused.push(fault);
        }
        assert!(refused[0] && !refused[11], "{refused:?}");
        assert!(refused.is_sorted_by(|a, b| a >= b), "{refused:?}");
    }
}
