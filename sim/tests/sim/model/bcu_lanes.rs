// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit at its ports: lanes that arrive one after the other, accesses before arrivals, deadlocks.

use super::bcu::{force, issue, launched, ARV, B2R_WARP, FAULT, RELEASE, SYNC};
use super::bench::{default_sizes, small, unit};
use super::decode::{immediate, set_word};
use bcu_model::bench::Bench;
use bcu_model::latency::{BCU_EXIT_RELEASE, BCU_RELEASE};
use bcu_model::op::{Code, Form};
use bcu_model::Sizes;

const LANES: [&str; 4] = ["lanes_warp", "lanes_mask", "lanes_leaders", "lanes_retry"];

/// Issues a barrier word in these lanes of a warp, under a form, as soon as the warp may issue.
fn lanes(bench: &mut Bench, warp: u64, form: Form, lanes: u64, word: u128) {
    bench.set_all(&[("instr_form", form.value()), ("instr_active", lanes)]);
    issue(bench, warp, word);
}

/// Lets the lanes `comers` of a warp arrive at a rendezvous with these members.
fn meet(bench: &mut Bench, warp: u64, form: Form, comers: u64, members: u64) {
    bench.set("instr_members", members);
    lanes(bench, warp, form, comers, 0);
}

/// The next fault: code, warp, slot, id.
fn fault(bench: &mut Bench) -> Vec<u64> {
    bench.until("fault_valid");
    bench.get_all(&FAULT[1..])
}

#[test]
fn a_warp_arrives_when_its_last_lane_has_come() {
    let mut bench = launched(small(), 0, 0b11);
    for piece in [0b0001, 0b0100, 0b1000] {
        lanes(&mut bench, 0, Form::Gathered, piece, immediate(SYNC, 2, 0));
        bench.cycles(6);
        assert_eq!(bench.get_all(&["blocked", "gathering", "fault_valid"]), [0; 3], "its other lanes may issue");
    }
    lanes(&mut bench, 0, Form::Gathered, 0b0010, immediate(SYNC, 2, 0));
    bench.cycles(8);
    assert_eq!(bench.get_all(&["blocked", "gathering"]), [1, 0]);
    lanes(&mut bench, 1, Form::Raw, 0b0001, immediate(SYNC, 2, 0));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 0, 2, 0b11]);
}

#[test]
fn a_warp_exits_lane_by_lane() {
    let mut bench = launched(small(), 1, 0b110);
    issue(&mut bench, 2, immediate(SYNC, 3, 0));
    for piece in [0b0001, 0b1010] {
        bench.send("exit", &[("warp", 1), ("lanes", piece)]);
        bench.cycles(10);
        assert_eq!((bench.get("live"), bench.get("release_valid")), (0b110, 0));
    }
    // An exit is refused only if all its lanes have already exited.
    bench.send("exit", &[("warp", 1), ("lanes", 0b0101)]);
    assert_eq!(bench.until("release_valid"), BCU_EXIT_RELEASE);
    assert_eq!((bench.get_all(&RELEASE), bench.get("live")), (vec![1, 1, 3, 0b100], 0b100));
    bench.send("exit", &[("warp", 1), ("lanes", 0b0001)]);
    assert_eq!(fault(&mut bench), [Code::NotResident.value(), 1, 1, 0]);
}

#[test]
fn an_exit_on_its_way_keeps_its_warp_from_issuing() {
    let mut bench = launched(small(), 0, 0b11);
    bench.send("exit", &[("warp", 1), ("lanes", 0b0011)]);
    bench.cycles(1);
    assert_eq!(bench.get("blocked"), 0b10);
    // The warp may issue only after the exit has its effects: then lanes 2 and 3 are all live lanes, and their aligned arrival is legal.
    lanes(&mut bench, 1, Form::Aligned, 0b1100, immediate(ARV, 2, 8));
    bench.cycles(12);
    assert_eq!(bench.get_all(&["fault_valid", "blocked"]), [0, 0]);
    // An instruction that a warp issues although an exit of it is in flight is refused.
    bench.send("exit", &[("warp", 1), ("lanes", 0b0100)]);
    force(&mut bench, 1, immediate(ARV, 3, 8));
    assert_eq!(fault(&mut bench), [Code::WarpBlocked.value(), 1, 0, 3]);
}

#[test]
fn an_exit_of_lanes_that_are_gone_is_found_in_gather() {
    let mut bench = launched(small(), 0, 0b11);
    bench.send("exit", &[("warp", 1), ("lanes", 0b0011)]);
    bench.send("exit", &[("warp", 1), ("lanes", 0b0001)]);
    assert_eq!(fault(&mut bench), [Code::NotResident.value(), 1, 0, 0]);
    assert_eq!(bench.get("live"), 0b11);
}

#[test]
fn the_last_warp_comes_with_the_lanes_of_its_launch() {
    let mut bench = unit("bcu", small());
    bench.set_all(&[("fault_ready", 1), ("instr_active", 0b0011), ("instr_guard", 0b1111), ("instr_uniform", 1)]);
    bench.send("launch", &[("warps", 0b101), ("lanes", 0b0011), ("barriers", 8)]);
    bench.until("live");
    lanes(&mut bench, 2, Form::Aligned, 0b0011, immediate(SYNC, 0, 0));
    lanes(&mut bench, 0, Form::Aligned, 0b1111, immediate(SYNC, 0, 0));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
    assert_eq!(bench.get("release_warps"), 0b101);
    lanes(&mut bench, 0, Form::Aligned, 0b0011, immediate(SYNC, 1, 0));
    assert_eq!(fault(&mut bench), [Code::PartialMask.value(), 0, 0, 1]);
}

#[test]
fn exited_lanes_are_not_waited_for() {
    let mut bench = launched(small(), 0, 0b1);
    lanes(&mut bench, 0, Form::Gathered, 0b0011, immediate(SYNC, 0, 0));
    bench.cycles(8);
    bench.send("exit", &[("warp", 0), ("lanes", 0b1100)]);
    // The arrival that enters `named` takes one cycle there, while the exit of a whole warp takes two.
    assert_eq!(bench.until("release_valid"), BCU_EXIT_RELEASE - 1);
    assert_eq!(bench.get_all(&RELEASE), [1, 0, 0, 0b1]);
}

/// An exit offered in the same cycle in which lanes of its warp arrive must take effect after the arrival.
#[test]
fn an_exit_in_the_cycle_of_an_arrival_comes_behind_it() {
    for (exiting, completes) in [(0b1100, true), (0b0110, false)] {
        let mut bench = launched(small(), 0, 0b1);
        bench.set_all(&[("instr_form", Form::Gathered.value()), ("instr_active", 0b0011), ("instr_valid", 1)]);
        bench.set_all(&[("exit_warp", 0), ("exit_lanes", exiting), ("exit_valid", 1)]);
        set_word(&mut bench, immediate(SYNC, 5, 0));
        bench.cycle();
        assert_eq!(bench.get_all(&["instr_ready", "exit_ready"]), [1, 1]);
        bench.set_all(&[("instr_valid", 0), ("exit_valid", 0)]);
        if completes {
            bench.until("release_valid");
            assert_eq!(bench.get_all(&RELEASE), [1, 0, 5, 0b1]);
        } else {
            assert_eq!(fault(&mut bench), [Code::WarpBlocked.value(), 0, 0, 0]);
            assert_eq!(bench.get("release_valid"), 0);
        }
    }
}

#[test]
fn a_piece_that_does_not_fit_is_refused_before_its_operands_are() {
    let mut bench = launched(small(), 0, 0b11);
    lanes(&mut bench, 0, Form::Gathered, 0b0001, immediate(SYNC, 2, 0));
    // The second lane names another id, which is also out of range: the fault found in `gather` has precedence.
    lanes(&mut bench, 0, Form::Gathered, 0b0010, immediate(SYNC, 9, 0));
    assert_eq!(fault(&mut bench), [Code::GatherMismatch.value(), 0, 0, 9]);
    lanes(&mut bench, 1, Form::Aligned, 0b0010, immediate(SYNC, 9, 0));
    assert_eq!(fault(&mut bench), [Code::PartialMask.value(), 1, 0, 9]);
    // Different register operands cannot be gathered: `named` reports the fault.
    bench.set("instr_uniform", 0);
    lanes(&mut bench, 1, Form::Gathered, 0b0010, 0x1d | 0x3 << 8 | 7 << 12);
    assert_eq!(fault(&mut bench)[0], Code::OperandNotUniform.value());
    // The refused arrivals have no effect: lane 0 of warp 0 still waits for the other lanes.
    bench.set("instr_uniform", 1);
    lanes(&mut bench, 0, Form::Gathered, 0b1110, immediate(SYNC, 2, 0));
    lanes(&mut bench, 1, Form::Aligned, 0b1111, immediate(SYNC, 2, 0));
    assert_eq!(bench.until("release_valid"), BCU_RELEASE);
}

#[test]
fn lanes_meet_and_one_of_them_leads() {
    for (policy, leader) in [(0, 0b0010), (1, 0b1000)] {
        let mut bench = launched(small(), 0, 0b11);
        bench.set("leader_policy", policy);
        meet(&mut bench, 1, Form::Elect, 0b0010, 0b1010);
        meet(&mut bench, 1, Form::WarpSync, 0b0001, 0b0101);
        bench.cycles(8);
        assert_eq!(bench.get_all(&["blocked", "gathering", "lanes_valid"]), [0; 3]);
        meet(&mut bench, 1, Form::Elect, 0b1000, 0b1010);
        bench.until("lanes_valid");
        assert_eq!(bench.get_all(&LANES), [1, 0b1010, leader, 0]);
        meet(&mut bench, 1, Form::WarpSync, 0b0100, 0b0101);
        bench.until("lanes_valid");
        assert_eq!(bench.get_all(&LANES), [1, 0b0101, 0, 0]);
        meet(&mut bench, 1, Form::WarpSync, 0b0100, 0b0011);
        assert_eq!(fault(&mut bench), [Code::GatherMismatch.value(), 1, 0, 0]);
    }
}

#[test]
fn a_third_meeting_is_sent_back_until_there_is_room() {
    let mut bench = launched(default_sizes(), 0, 0b1);
    for (comer, members) in [(0b1, 0b11), (0b100, 0b1100)] {
        meet(&mut bench, 0, Form::WarpSync, comer, members);
    }
    meet(&mut bench, 0, Form::WarpSync, 0b1_0000, 0b11_0000);
    bench.until("lanes_valid");
    assert_eq!(bench.get_all(&LANES), [0, 0b1_0000, 0, 1]);
    meet(&mut bench, 0, Form::WarpSync, 0b10, 0b11);
    bench.until("lanes_valid");
    assert_eq!(bench.get_all(&LANES), [0, 0b11, 0, 0]);
    meet(&mut bench, 0, Form::WarpSync, 0b1_0000, 0b11_0000);
    meet(&mut bench, 0, Form::WarpSync, 0b10_0000, 0b11_0000);
    bench.until("lanes_valid");
    assert_eq!(bench.get_all(&LANES), [0, 0b11_0000, 0, 0]);
}

/// A warp issues a memory access in its present epoch; returns the epoch.
fn access(bench: &mut Bench, warp: u64) -> u64 {
    bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", warp)]);
    bench.cycle();
    bench.set("issue_0_valid", 0);
    bench.get("epoch") >> warp & 1
}

fn perform(bench: &mut Bench, warp: u64, epoch: u64) {
    bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", warp), ("perform_0_epoch", epoch)]);
    bench.cycle();
    bench.set("perform_0_valid", 0);
}

#[test]
fn an_arrival_waits_for_the_accesses_before_it() {
    let mut bench = launched(small(), 0, 0b11);
    let epoch = access(&mut bench, 0);
    issue(&mut bench, 0, immediate(ARV, 0, 8));
    bench.wait(|bench| bench.get("waits_for_memory") == 0b01);
    // One cycle later no operation of the warp is in flight before `mem_order`.
    bench.cycle();
    assert_eq!((bench.get("epoch") & 1, bench.get("blocked")), (1 - epoch, 0), "the warp may issue, in the other epoch");
    issue(&mut bench, 1, immediate(SYNC, 0, 8));
    bench.cycles(20);
    assert_eq!(bench.get_all(&["release_valid", "waits_for_memory", "blocked"]), [0, 0b01, 0b10]);
    perform(&mut bench, 0, epoch);
    bench.until("release_valid");
    assert_eq!((bench.get_all(&RELEASE), bench.get("waits_for_memory")), (vec![1, 0, 0, 0b10], 0));
}

/// An exit completes a gathered arrival that does not wait, so its lanes resume. The warp's next operation or access is ordered after the
/// arrival only if the arrival is parked by then.
#[test]
fn an_arrival_that_an_exit_completes_blocks_its_warp_until_it_is_parked() {
    for parked in [false, true] {
        let mut bench = launched(small(), 0, 0b11);
        let epoch = access(&mut bench, 0);
        if parked {
            lanes(&mut bench, 0, Form::Raw, 0b1111, immediate(ARV, 1, 8));
            bench.wait(|bench| bench.get("waits_for_memory") == 0b1);
        }
        lanes(&mut bench, 0, Form::Gathered, 0b0111, immediate(ARV, 2, 8));
        bench.wait(|bench| bench.get("blocked") == 0);
        bench.send("exit", &[("warp", 0), ("lanes", 0b1000)]);
        bench.until("lanes_valid");
        assert_eq!(bench.get_all(&LANES), [0, 0b0111, 0, 0]);
        let before = bench.get("epoch");
        assert_eq!(bench.get("blocked"), 1, "its arrival is in flight");
        if parked {
            // The second parked operation blocks its warp from issuing until the first has left.
            bench.cycles(40);
            assert_eq!(bench.get("blocked"), 1);
            perform(&mut bench, 0, epoch);
        }
        bench.wait(|bench| bench.get("blocked") == 0);
        assert_ne!(bench.get("epoch"), before, "later accesses belong to the next epoch");
        bench.send("exit", &[("warp", 0), ("lanes", 0b0111)]);
        bench.wait(|bench| bench.get("live") == 0b10);
        if !parked {
            perform(&mut bench, 0, epoch);
        }
        bench.wait(|bench| bench.get("waits_for_memory") == 0);
        assert_eq!(bench.get("fault_valid"), 0);
    }
}

/// A core offers a B2R one cycle after it has sampled `busy` as 0. The B2R is not refused, because `busy` is 1 from the exit on if the exit
/// completes a second arrival.
#[test]
fn busy_has_no_gap_from_an_exit_to_the_second_parked_operation() {
    let mut bench = launched(small(), 0, 0b11);
    access(&mut bench, 0);
    lanes(&mut bench, 0, Form::Raw, 0b1111, immediate(ARV, 1, 8));
    bench.wait(|bench| bench.get("waits_for_memory") == 0b1);
    lanes(&mut bench, 0, Form::Gathered, 0b0111, immediate(SYNC, 2, 8));
    bench.wait(|bench| bench.get("blocked") == 0);
    assert_eq!(bench.get("busy"), 0);
    bench.send("exit", &[("warp", 0), ("lanes", 0b1000)]);
    for cycle in 1..40 {
        bench.cycle();
        assert_eq!(bench.get("busy"), 1, "{cycle} cycles after the exit");
    }
}

#[test]
fn a_parked_sync_holds_its_warp_and_an_exit_is_refused() {
    let mut bench = launched(small(), 0, 0b11);
    let epoch = access(&mut bench, 0);
    issue(&mut bench, 0, immediate(SYNC, 0, 0));
    bench.wait(|bench| bench.get("waits_for_memory") == 0b01);
    bench.cycles(5);
    assert_eq!(bench.get("blocked"), 0b01);
    bench.send("exit", &[("warp", 0)]);
    assert_eq!(fault(&mut bench), [Code::WarpBlocked.value(), 0, 0, 0]);
    issue(&mut bench, 1, immediate(SYNC, 0, 0));
    bench.cycles(10);
    perform(&mut bench, 0, epoch);
    bench.until("release_valid");
    assert_eq!((bench.get("release_warps"), bench.get("blocked")), (0b11, 0));
}

#[test]
fn at_the_limit_a_warp_issues_no_access() {
    let mut bench = launched(small().with_accesses_per_cycle(1).unwrap(), 0, 0b11);
    // The limit is one access below the maximum outstanding: one more access may be in flight and not counted yet.
    for _ in 0..5 {
        assert_eq!(access(&mut bench, 1), 0);
        bench.cycles(2);
        assert_eq!(bench.get("blocked"), 0);
    }
    let epoch = access(&mut bench, 1);
    bench.cycles(2);
    assert_eq!(bench.get("blocked"), 0b10);
    perform(&mut bench, 1, epoch);
    bench.cycles(5);
    assert_eq!(bench.get("blocked"), 0);
}

/// Drives the unit like a core that has a register between `blocked` and its offers, and asserts that no fault is reported. A warp issues
/// an access in every other cycle if its bit of `blocked` was 0 in the previous cycle. The warp offers a barrier `pause` cycles after its
/// last access. An exit of another warp, `exit` cycles after that access, may delay the offer.
fn barrier_after_accesses(sizes: Sizes, accesses: u64, pause: u64, exit: u64) {
    let what = format!("{accesses} accesses, the barrier {pause} cycles after them, an exit {exit} cycles after them");
    let mut bench = launched(sizes, 0, 0b111);
    let mut outstanding = std::collections::VecDeque::new();
    for _ in 0..accesses {
        // While the warp may not issue, memory performs its oldest accesses.
        while bench.get("blocked") & 1 == 1 {
            perform(&mut bench, 0, outstanding.pop_front().unwrap());
            bench.cycles(12);
        }
        outstanding.push_back(access(&mut bench, 0));
        bench.cycle();
    }
    set_word(&mut bench, immediate(SYNC, 1, 0));
    let (mut offered, mut transferred) = (false, false);
    for cycle in 0..40 {
        let may = cycle >= pause && bench.get("blocked") & 1 == 0;
        offered |= may;
        bench.set_all(&[("instr_warp", 0), ("instr_valid", u64::from(offered && !transferred))]);
        bench.set_all(&[("exit_warp", 2), ("exit_valid", u64::from(cycle == exit))]);
        bench.cycle();
        transferred |= offered && bench.get("instr_ready") == 1;
        assert_eq!(bench.get("fault_valid"), 0, "{what}");
        if cycle > 20 && !offered && !outstanding.is_empty() {
            // At its access limit the warp does not offer the barrier.
            bench.set("exit_valid", 0);
            perform(&mut bench, 0, outstanding.pop_front().unwrap());
        }
    }
    assert!(transferred, "{what}");
    issue(&mut bench, 1, immediate(SYNC, 1, 0));
    outstanding.into_iter().for_each(|epoch| perform(&mut bench, 0, epoch));
    bench.until("release_valid");
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b11, 0), "{what}");
}

/// The access limit is visible two cycles after the access that reaches it. A barrier that the warp has chosen before these two cycles are
/// over is legal.
#[test]
fn a_barrier_after_a_burst_of_accesses_is_not_refused() {
    for sizes in [small(), default_sizes()] {
        for accesses in 1..=40 {
            for (pause, exit) in (0..4).flat_map(|pause| (0..4).map(move |exit| (pause, exit))) {
                barrier_after_accesses(sizes, accesses, pause, exit);
            }
        }
    }
}

/// An exit of other lanes of the warp passes an instruction that waits for its transfer.
#[test]
fn an_exit_of_other_lanes_does_not_refuse_an_instruction_that_is_offered() {
    let mut bench = launched(small(), 0, 0b111);
    // The exit of another warp is in flight to `gather`, so the instruction is not accepted at once.
    bench.send("exit", &[("warp", 2), ("lanes", 0b1111)]);
    bench.cycle();
    set_word(&mut bench, immediate(SYNC, 1, 0));
    bench.set_all(&[("instr_form", Form::Gathered.value()), ("instr_active", 0b0011)]);
    bench.set_all(&[("instr_warp", 0), ("instr_valid", 1)]);
    bench.cycle();
    assert_eq!(bench.get_all(&["instr_ready", "blocked"]), [0, 0b100]);
    bench.set_all(&[("exit_warp", 0), ("exit_lanes", 0b1100), ("exit_valid", 1)]);
    let mut transferred = vec![];
    for _ in 0..20 {
        bench.cycle();
        assert_eq!(bench.get("fault_valid"), 0);
        for channel in ["exit", "instr"] {
            if bench.input(&format!("{channel}_valid")) == 1 && bench.finish_transfer(channel) {
                transferred.push(channel);
            }
        }
    }
    assert_eq!(transferred, ["exit", "instr"]);
    lanes(&mut bench, 1, Form::Raw, 0b1111, immediate(SYNC, 1, 0));
    bench.until("release_valid");
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b11, 0));
}

#[test]
fn a_retirement_waits_for_what_is_parked() {
    let mut bench = launched(small(), 0, 0b11);
    let epoch = access(&mut bench, 0);
    issue(&mut bench, 0, immediate(ARV, 0, 8));
    bench.wait(|bench| bench.get("waits_for_memory") == 0b01);
    bench.offer("retire", &[("cta", 0), ("saved", 1)]);
    bench.offer("launch", &[("cta", 0), ("warps", 0b11), ("barriers", 8)]);
    bench.cycles(20);
    assert_eq!(bench.get_all(&["live", "retire_ready", "launch_ready", "waits_for_memory"]), [0, 0, 0, 0b01]);
    perform(&mut bench, 0, epoch);
    bench.wait(|bench| bench.finish_transfer("retire"));
    bench.wait(|bench| bench.finish_transfer("launch"));
    // No state of the old CTA remains.
    issue(&mut bench, 0, immediate(SYNC, 0, 0));
    issue(&mut bench, 1, immediate(SYNC, 0, 0));
    bench.until("release_valid");
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b11, 0));
}

#[test]
fn a_cta_whose_warps_wait_for_each_other_is_reported_once() {
    let mut bench = launched(small(), 1, 0b1100);
    issue(&mut bench, 2, immediate(SYNC, 0, 8));
    bench.cycles(40);
    assert_eq!(bench.get("fault_valid"), 0);
    issue(&mut bench, 3, immediate(SYNC, 1, 8));
    assert_eq!(fault(&mut bench), [Code::Deadlock.value(), 0, 1, 0]);
    for _ in 0..40 {
        bench.cycle();
        assert_eq!((bench.get("fault_valid"), bench.get("trapped"), bench.get("blocked")), (0, 0, 0b1100));
    }
}

#[test]
fn who_looks_at_a_hang_does_not_end_it() {
    let mut bench = launched(small(), 0, 0b11);
    issue(&mut bench, 0, immediate(SYNC, 0, 8));
    bench.send("exit", &[("warp", 1)]);
    assert_eq!(fault(&mut bench), [Code::Deadlock.value(), 0, 0, 0]);
    for read in 0..20 {
        force(&mut bench, 0, B2R_WARP);
        bench.until("writeback_valid");
        for _ in 0..20 {
            bench.cycle();
            assert_eq!(bench.get("fault_valid"), 0, "read {read}");
        }
    }
}

#[test]
fn lanes_that_wait_for_each_other_are_a_deadlock_and_a_parked_arrival_is_none() {
    let mut bench = launched(small(), 0, 0b1);
    let epoch = access(&mut bench, 0);
    lanes(&mut bench, 0, Form::Raw, 0b1111, immediate(ARV, 3, 8));
    bench.wait(|bench| bench.get("waits_for_memory") == 0b1);
    meet(&mut bench, 0, Form::WarpSync, 0b0001, 0b0011);
    lanes(&mut bench, 0, Form::Gathered, 0b1110, immediate(SYNC, 0, 0));
    bench.cycles(40);
    assert_eq!(bench.get_all(&["gathering", "fault_valid"]), [1, 0]);
    perform(&mut bench, 0, epoch);
    // The arrival of the parked warp has a count for two warps, but the CTA has one.
    assert_eq!(fault(&mut bench), [Code::CountExceedsCta.value(), 0, 0, 3]);
    assert_eq!(fault(&mut bench), [Code::Deadlock.value(), 0, 0, 0]);
}

#[test]
fn an_implicit_conflict_is_a_deadlock_though_a_warp_goes_on() {
    let mut bench = launched(small(), 0, 0b111);
    issue(&mut bench, 0, immediate(SYNC, 0, 0));
    issue(&mut bench, 1, immediate(SYNC, 1, 0));
    assert_eq!(fault(&mut bench), [Code::Deadlock.value(), 0, 0, 0]);
    assert_eq!(bench.get("blocked"), 0b011);
}

#[test]
fn completion_and_arrival_go_back_to_back() {
    // From the cycle on in which the release unblocks the warps, all warps arrive again, one per cycle.
    let mut bench = launched(small(), 0, 0b11);
    bench.set("instr_valid", 1);
    set_word(&mut bench, immediate(SYNC, 4, 0));
    let mut released = vec![];
    let mut next = 0;
    for cycle in 0..60 {
        bench.set("instr_warp", next);
        bench.set("instr_valid", u64::from(cycle == 0 || bench.get("blocked") >> next & 1 == 0));
        bench.cycle();
        if bench.input("instr_valid") == 1 {
            next = 1 - next;
        }
        if bench.get("release_valid") == 1 {
            released.push(cycle);
        }
        assert_eq!(bench.get("fault_valid"), 0);
    }
    let apart: Vec<_> = released.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(released.len() >= 4 && apart.iter().all(|apart| *apart <= BCU_RELEASE + 2), "{released:?}");
}

#[test]
fn an_illegal_word_is_forced_through_the_whole_unit_whatever_its_form() {
    for form in [Form::Aligned, Form::Gathered] {
        let mut bench = launched(small(), 0, 0b11);
        bench.set_all(&[("instr_form", form.value()), ("instr_active", 0b0001)]);
        force(&mut bench, 0, 0);
        assert_eq!(fault(&mut bench), [Code::IllegalInstruction.value(), 0, 0, 0]);
    }
}
