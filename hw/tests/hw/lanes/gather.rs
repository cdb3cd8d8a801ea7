// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `gather` on lanes of a warp that arrive one by one, wait for each other, and exit.

use super::bench::Bench;
use bcu_hw::unit::op::{FaultCode, Form, OpKind, RedOp};

const SYNC: u64 = OpKind::Sync as u64;
const ARRIVE: u64 = OpKind::Arrive as u64;
const REDUCE: u64 = OpKind::Reduce as u64;
const EXIT: u64 = OpKind::Exit as u64;
const LAUNCH: u64 = OpKind::Launch as u64;
const MISMATCH: u64 = FaultCode::GatherMismatch as u64;

/// An arrival of `lanes` of warp 2 at barrier 3, from an instruction.
fn arrival(kind: u64, form: Form, lanes: u64, members: u64) -> Vec<(&'static str, u64)> {
    let from = [("from_instr", 1), ("uniform", 1), ("warp", 2), ("cta", 1), ("id", 3), ("rd", 9), ("pu", 1)];
    let what = [("kind", kind), ("form", form as u64), ("lanes", lanes), ("members", members)];
    from.into_iter().chain(what).collect()
}

fn exit(lanes: u64) -> Vec<(&'static str, u64)> {
    vec![("kind", EXIT), ("warp", 2), ("cta", 1), ("lanes", lanes)]
}

const STROBE: [&str; 4] = ["lanes_valid", "lanes_mask", "lanes_leaders", "lanes_retry"];

/// The operation that is passed on two cycles after the last transfer, or later if it waits for another operation of its warp: (kind,
/// fault), or `None`. Afterwards the outputs are those of the next cycle, which has all other effects of the transfer, except that the lanes
/// strobe is another cycle later.
fn passed(bench: &mut Bench) -> Option<(u64, u64)> {
    bench.cycle();
    while !bench.takes() {
        assert_eq!(bench.get("op_valid"), 0);
        bench.cycle();
    }
    assert_eq!(bench.get("op_valid"), 0);
    bench.cycle();
    let op = (bench.get("op_valid") == 1).then(|| (bench.get("op_kind"), bench.get("op_fault")));
    bench.cycle();
    op
}

/// The fields `STROBE` a cycle later.
fn next_strobe(bench: &mut Bench) -> Vec<u64> {
    assert_eq!(bench.get("lanes_valid"), 0);
    bench.cycle();
    bench.get_all(&STROBE)
}

#[test]
fn a_barrier_reached_in_three_pieces_by_a_warp_with_an_exited_lane() {
    let mut bench = Bench::new("gather");
    bench.send(&exit(0b1000));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(bench.get_all(&["warp_exited_valid", "exit_pending", "op_absorbed"]), [0, 0, 0]);
    let mut piece = |lanes: u64, votes: u64| {
        let mut fields = arrival(REDUCE, Form::Gathered, lanes, 0);
        fields.extend([("count", 8), ("redop", RedOp::Popc as u64), ("votes", votes)]);
        bench.send(&fields);
        let found = passed(&mut bench);
        (found, bench.get("op_absorbed"), bench.get("gathering"))
    };
    assert_eq!(piece(0b0010, 0b0010), (None, 0b100, 0));
    assert_eq!(piece(0b0001, 0b0000), (None, 0b100, 0));
    assert_eq!(piece(0b0100, 0b0100), (Some((REDUCE, 0)), 0, 0));
    let names = ["op_id", "op_count", "op_redop", "op_value", "op_uniform", "op_warp", "op_cta"];
    assert_eq!(bench.get_all(&names), [3, 8, 2, 2, 1, 2, 1]);
    assert_eq!(bench.get_all(&["op_from_instr", "lanes_valid", "exit_pending"]), [1, 0, 0]);
}

#[test]
fn pieces_in_successive_cycles_see_each_other() {
    let mut bench = Bench::new("gather");
    for lane in 0..4 {
        bench.send(&arrival(ARRIVE, Form::Gathered, 1 << lane, 0));
        assert_eq!(bench.get("op_valid"), 0);
    }
    assert_eq!(passed(&mut bench), Some((ARRIVE, 0)));
    // Lanes that arrive without waiting resume at once.
    assert_eq!(next_strobe(&mut bench), [1, 0b1111, 0, 0]);
}

#[test]
fn the_exit_of_the_last_lanes_that_are_missing_completes_a_barrier() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::Gathered, 0b0101, 0));
    assert_eq!(passed(&mut bench), None);
    bench.send(&exit(0b1000));
    assert_eq!(passed(&mut bench), None);
    bench.send(&exit(0b0100));
    assert_eq!(passed(&mut bench), Some((EXIT, FaultCode::WarpBlocked as u64)));
    bench.set(&[("op_ready", 0)]);
    bench.send(&exit(0b0010));
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
    assert_eq!(bench.get_all(&["op_from_instr", "op_warp", "exit_pending", "warp_exited_valid"]), [0, 2, 0b100, 0]);
    bench.set(&[("op_ready", 1), ("op_done", 0b100)]);
    bench.cycle();
    bench.set(&[("op_done", 0)]);
    bench.cycle();
    assert_eq!(bench.get("exit_pending"), 0);

    bench.send(&exit(0b0101));
    assert_eq!(passed(&mut bench), Some((EXIT, 0)));
    assert_eq!(bench.get_all(&["warp_exited_valid", "warp_exited_warp", "exit_pending", "gathering"]), [1, 2, 0b100, 0]);
    bench.send(&exit(0b0001));
    assert_eq!(passed(&mut bench), Some((EXIT, FaultCode::NotResident as u64)));
}

#[test]
fn a_gathering_takes_no_other_barrier_and_no_lane_twice() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::Gathered, 0b0001, 0));
    assert_eq!(passed(&mut bench), None);
    for fields in [
        arrival(SYNC, Form::Gathered, 0b0001, 0),
        arrival(ARRIVE, Form::Gathered, 0b0010, 0),
        arrival(SYNC, Form::Gathered, 0b0010, 0).into_iter().map(|f| if f.0 == "id" { ("id", 4) } else { f }).collect(),
    ] {
        bench.send(&fields);
        assert_eq!(passed(&mut bench).map(|p| p.1), Some(MISMATCH));
        assert_eq!(bench.get("op_absorbed"), 0);
    }
    // Lanes with different operands are passed on; `named` refuses them.
    let ragged: Vec<_> = arrival(SYNC, Form::Gathered, 0b0010, 0).into_iter().filter(|f| f.0 != "uniform").collect();
    bench.send(&ragged);
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
    assert_eq!(bench.get("op_uniform"), 0);
    bench.send(&arrival(SYNC, Form::Gathered, 0b1110, 0));
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
}

#[test]
fn an_aligned_barrier_wants_all_live_lanes_and_a_raw_one_any() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::Aligned, 0b0111, 0));
    assert_eq!(passed(&mut bench), Some((SYNC, FaultCode::PartialMask as u64)));
    bench.send(&arrival(SYNC, Form::Raw, 0b0111, 0));
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
    bench.send(&exit(0b1000));
    assert_eq!(passed(&mut bench), None);
    bench.send(&arrival(SYNC, Form::Aligned, 0b0111, 0));
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
}

#[test]
fn two_groups_of_a_warp_meet_at_once() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::WarpSync, 0b0001, 0b0011));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(bench.get_all(&["op_absorbed", "lanes_valid"]), [0b100, 0]);
    bench.send(&arrival(SYNC, Form::WarpSync, 0b0100, 0b1100));
    assert_eq!(passed(&mut bench), None);
    // Three errors: overlapping member masks, lanes that are not members, and a lane that waits.
    for (lanes, members) in [(0b0010, 0b0110), (0b1000, 0b0100), (0b0001, 0b0011)] {
        bench.send(&arrival(SYNC, Form::WarpSync, lanes, members));
        assert_eq!(passed(&mut bench), Some((SYNC, MISMATCH)));
    }
    bench.send(&arrival(SYNC, Form::Elect, 0b0010, 0b0011));
    assert_eq!(passed(&mut bench), Some((SYNC, MISMATCH)));
    bench.send(&arrival(SYNC, Form::WarpSync, 0b1000, 0b1100));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(next_strobe(&mut bench), [1, 0b1100, 0, 0]);
    assert_eq!(bench.get("lanes_warp"), 2);
    bench.send(&arrival(SYNC, Form::WarpSync, 0b0010, 0b0011));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(next_strobe(&mut bench), [1, 0b0011, 0, 0]);
}

#[test]
fn a_third_group_must_try_again_until_a_place_is_free() {
    let mut bench = Bench::with_config("default", "gather");
    bench.send(&arrival(SYNC, Form::WarpSync, 0x1, 0x3));
    bench.send(&arrival(SYNC, Form::WarpSync, 0x4, 0xc));
    for form in [Form::Elect, Form::WarpSync] {
        bench.send(&arrival(SYNC, form, 0x10, 0x30));
        assert_eq!(passed(&mut bench), None);
        assert_eq!(bench.get("op_absorbed"), 4);
        assert_eq!(next_strobe(&mut bench), [1, 0x10, 0, 1]);
    }
    bench.send(&arrival(SYNC, Form::WarpSync, 0x8, 0xc));
    bench.send(&arrival(SYNC, Form::Elect, 0x10, 0x30));
    bench.cycles(2);
    assert_eq!(next_strobe(&mut bench), [1, 0xc, 0, 0]);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["lanes_valid", "op_absorbed"]), [0, 4]);
    assert_eq!(next_strobe(&mut bench)[0], 0);
    bench.send(&arrival(SYNC, Form::Elect, 0x20, 0x30));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(next_strobe(&mut bench), [1, 0x30, 0x10, 0]);
    bench.send(&arrival(SYNC, Form::WarpSync, 0x2, 0x3));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(next_strobe(&mut bench), [1, 0x3, 0, 0]);
}

#[test]
fn an_elect_has_one_leader_at_the_end_that_the_policy_says() {
    for (policy, leader) in [(0, 0b0010), (1, 0b1000)] {
        let mut bench = Bench::new("gather");
        bench.set(&[("leader_policy", policy)]);
        bench.send(&arrival(SYNC, Form::Elect, 0b1000, 0b1110));
        bench.send(&arrival(SYNC, Form::Elect, 0b0110, 0b1110));
        assert_eq!(passed(&mut bench), None);
        assert_eq!(next_strobe(&mut bench), [1, 0b1110, leader, 0]);
    }
}

#[test]
fn two_groups_that_one_exit_completes_leave_one_after_the_other() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::Elect, 0b0001, 0b1001));
    bench.send(&arrival(SYNC, Form::WarpSync, 0b0010, 0b1010));
    // The member masks 1010 and 1001 overlap in lane 3.
    assert_eq!(passed(&mut bench), Some((SYNC, MISMATCH)));
    bench.send(&arrival(SYNC, Form::WarpSync, 0b0010, 0b0110));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(bench.get("gathering"), 0);
    bench.send(&exit(0b1100));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(next_strobe(&mut bench), [1, 0b0001, 0b0001, 0]);
    bench.cycle();
    assert_eq!(bench.get_all(&STROBE), [1, 0b0010, 0, 0]);
    bench.cycle();
    assert_eq!(bench.get("lanes_valid"), 0);
}

#[test]
fn a_launch_begins_anew_and_its_last_warp_may_be_partial() {
    let mut bench = Bench::new("gather");
    bench.send(&arrival(SYNC, Form::Gathered, 0b0111, 0));
    bench.send(&arrival(SYNC, Form::WarpSync, 0b1000, 0b1000));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(bench.get("gathering"), 0);
    assert_eq!(next_strobe(&mut bench), [1, 0b1000, 0, 0]);
    bench.send(&arrival(SYNC, Form::WarpSync, 0b1000, 0b1100));
    assert_eq!(passed(&mut bench), None);
    assert_eq!(bench.get("gathering"), 0b100);
    bench.send(&[("kind", LAUNCH), ("cta", 1), ("mask", 0b0110), ("lanes", 0b0011)]);
    // The arrival follows the launch directly. The last warp of the launch has two lanes, and the arrival waits for the row of that warp.
    bench.send(&arrival(SYNC, Form::Aligned, 0b0011, 0));
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_kind", "op_mask", "gathering"]), [1, LAUNCH, 0b110, 0b100]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "gathering"]), [0, 0]);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_valid", "op_kind", "op_fault"]), [1, SYNC, 0]);
    let full: Vec<_> =
        arrival(SYNC, Form::Aligned, 0b1111, 0).into_iter().map(|f| if f.0 == "warp" { ("warp", 1) } else { f }).collect();
    bench.send(&full);
    assert_eq!(passed(&mut bench), Some((SYNC, 0)));
}

#[test]
fn nothing_is_lost_while_what_leaves_stands() {
    let mut bench = Bench::new("gather");
    bench.set(&[("op_ready", 0)]);
    let mut sent_count = 0;
    for id in 0..8 {
        bench.set(&[("in_valid", 1), ("in_kind", SYNC), ("in_id", id), ("in_from_instr", 1), ("in_uniform", 1)]);
        bench.set(&[("in_warp", id % 4)]);
        bench.cycle();
        if !bench.takes() {
            break;
        }
        sent_count += 1;
    }
    bench.set(&[("in_valid", 0)]);
    bench.cycles(4);
    assert_eq!((sent_count, bench.takes(), bench.get("op_id")), (2, false, 0));
    bench.set(&[("op_ready", 1)]);
    for id in 0..sent_count {
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, id]);
    }
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [0, sent_count - 1]);
    assert!(bench.takes());
}
