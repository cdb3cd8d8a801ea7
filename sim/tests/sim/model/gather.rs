// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `gather`: the operations of lanes for their warp, and the cycles of their effects.

use super::bench::{default_sizes, small, unit};
use bcu_model::bench::Bench;
use bcu_model::gather::{Carried, Gather, GatherEffect, Laned, Lanes, Offered};
use bcu_model::op::{Code, Form, Kind, Operation, RedOp};

const ALL: u64 = 0xffff_ffff;

fn offered(kind: Kind, form: Form, warp: u8, lanes: u64) -> Offered {
    let op = Operation { kind, warp, uniform: true, ..Operation::default() };
    let carried = Carried { op, from_instr: true, rd: 255, pu: 7, ..Carried::default() };
    Offered { laned: Laned { carried, lanes, votes: 0 }, form, members: 0 }
}

/// A gathered operation of some lanes of warp 1 at barrier `id`.
fn piece(kind: Kind, id: u8, lanes: u64) -> Offered {
    let mut piece = offered(kind, Form::Gathered, 1, lanes);
    piece.laned.carried.op.id = id;
    piece
}

fn exit(warp: u8, lanes: u64) -> Offered {
    let mut exit = offered(Kind::Exit, Form::Raw, warp, lanes);
    exit.laned.carried.from_instr = false;
    exit
}

fn meet(form: Form, members: u64, lanes: u64) -> Offered {
    Offered { members, ..offered(Kind::Sync, form, 1, lanes) }
}

/// Warps 0 to 2 are launched, the last of them with the lanes 0 to 3.
fn launched() -> Gather {
    let mut gather = Gather::new(default_sizes());
    let mut launch = offered(Kind::Launch, Form::Raw, 0, 0xf);
    launch.laned.carried.op.mask = 0b111;
    launch.laned.carried.from_instr = false;
    assert_eq!(gather.apply(&launch, false), passed(&launch));
    gather
}

fn passed(offered: &Offered) -> GatherEffect {
    GatherEffect { passed: Some(offered.laned), ..GatherEffect::default() }
}

fn op_absorbed() -> GatherEffect {
    GatherEffect { op_absorbed: true, ..GatherEffect::default() }
}

/// The effect if `gather` passes the operation on with this fault.
fn refused(offered: &Offered, code: Code) -> GatherEffect {
    let mut laned = offered.laned;
    laned.carried.op.fault = code;
    GatherEffect { passed: Some(laned), ..GatherEffect::default() }
}

/// The effect if the instruction ends in `gather`, and these lanes of warp 1 resume.
fn proceeding(mask: u64, leaders: u64) -> GatherEffect {
    GatherEffect { lanes: Some(Lanes { warp: 1, mask, leaders, retry: false }), ..op_absorbed() }
}

/// The operation of the whole warp, with these lanes and votes; all other fields are those of the last operation.
fn whole(last: &Offered, lanes: u64, votes: u64) -> Option<Laned> {
    Some(Laned { lanes, votes, ..last.laned })
}

#[test]
fn pieces_of_a_barrier_become_one_arrival() {
    let mut g = launched();
    let mut pieces = [0xff, 0xff00, 0xffff_0000].map(|lanes| piece(Kind::Reduce, 3, lanes));
    for piece in &mut pieces {
        piece.laned.carried.op.redop = RedOp::Popc;
        piece.laned.carried.op.count = 64;
        piece.laned.votes = piece.laned.lanes & 0x1111_1111;
    }
    assert_eq!(g.apply(&pieces[0], false), op_absorbed());
    assert_eq!(g.apply(&pieces[1], false), op_absorbed());
    assert_eq!(g.warp(1).waiting(), 0xffff);
    assert_eq!(g.apply(&pieces[2], false).passed, whole(&pieces[2], ALL, 0x1111_1111));
    assert_eq!(g.warp(1).waiting(), 0);
    // A warp whose lanes arrive together does not wait.
    assert_eq!(g.apply(&piece(Kind::Sync, 3, ALL), false).passed, whole(&piece(Kind::Sync, 3, 0), ALL, 0));
}

#[test]
fn what_the_gathering_does_not_keep_is_that_of_its_last_operation() {
    let mut g = launched();
    let mut first = piece(Kind::Sync, 2, 0xff);
    first.laned.carried.op.data = 5;
    assert_eq!(g.apply(&first, false), op_absorbed());
    let mut last = piece(Kind::Sync, 2, ALL & !0xff);
    let carried = &mut last.laned.carried;
    (carried.rd, carried.pu, carried.op.data, carried.op.mask, carried.op.cta) = (9, 3, 7, 1, 5);
    assert_eq!(g.apply(&last, false).passed, whole(&last, ALL, 0));
}

#[test]
fn early_lanes_of_an_arrive_wait_for_their_warp_too() {
    let mut g = launched();
    assert_eq!(g.apply(&piece(Kind::Arrive, 0, 0xff), false), op_absorbed());
    let last = piece(Kind::Arrive, 0, ALL & !0xff);
    let expected = GatherEffect { passed: whole(&last, ALL, 0), op_absorbed: false, ..proceeding(ALL, 0) };
    assert_eq!(g.apply(&last, false), expected);
}

#[test]
fn lanes_that_are_not_there_are_not_waited_for() {
    let mut g = launched();
    // The last warp was launched with four lanes.
    let mut last = piece(Kind::Sync, 0, 0xf);
    last.laned.carried.op.warp = 2;
    assert_eq!(g.apply(&last, false), passed(&last));
    // The other lanes of warp 1 exit: some before the first arrival, some while the arrived lanes wait.
    assert_eq!(g.apply(&exit(1, 0xf), false), GatherEffect::default());
    assert_eq!(g.apply(&piece(Kind::Sync, 4, 0xff0), false), op_absorbed());
    assert_eq!(g.apply(&exit(1, 0xf000), false), GatherEffect::default());
    let completes = exit(1, 0xffff_0000);
    let effect = g.apply(&completes, false);
    let mut expected = whole(&piece(Kind::Sync, 4, 0), 0xff0, 0).unwrap();
    expected.carried.from_instr = false;
    assert_eq!(effect, GatherEffect { passed: Some(expected), ..GatherEffect::default() });
    assert_eq!(g.warp(1).live, 0xff0);
}

#[test]
fn an_exit_completes_all_that_waited_for_it() {
    let mut g = launched();
    g.apply(&piece(Kind::Arrive, 4, 0x3), false);
    g.apply(&meet(Form::Elect, 0x1c, 0xc), false);
    g.apply(&meet(Form::WarpSync, 0xffff_ff00, 0x300), false);
    // The exiting lane is the last lane for which the first rendezvous waits; the second rendezvous still waits for other lanes.
    let effect = g.apply(&exit(1, 0x10), false);
    assert_eq!(effect, GatherEffect { op_absorbed: false, ..proceeding(0xc, 0x4) });
    assert_eq!(g.apply(&exit(1, 0xffff_fce0), false), GatherEffect { op_absorbed: false, ..proceeding(0x300, 0) });
    // The resumed lanes exit: now all live lanes have arrived at the gathered operation.
    let effect = g.apply(&exit(1, 0x30c), false);
    assert_eq!(effect.passed.map(|p| (p.carried.op.kind, p.lanes)), Some((Kind::Arrive, 0x3)));
    assert_eq!(effect.lanes, Some(Lanes { warp: 1, mask: 0x3, leaders: 0, retry: false }));
}

#[test]
fn the_last_lanes_of_a_warp_exit() {
    let mut g = launched();
    assert_eq!(g.apply(&exit(1, 0xff), false), GatherEffect::default());
    // Lanes that have already exited do not matter.
    let last = exit(1, ALL);
    assert_eq!(g.apply(&last, false), GatherEffect { warp_exited: Some(1), ..passed(&last) });
    assert_eq!(g.apply(&last, false), refused(&last, Code::NotResident));
}

#[test]
fn a_lane_that_waits_does_not_exit() {
    let mut g = launched();
    g.apply(&piece(Kind::Sync, 0, 0x1), false);
    g.apply(&meet(Form::WarpSync, 0x6, 0x2), false);
    assert_eq!(g.apply(&exit(1, 0x9), false), refused(&exit(1, 0x9), Code::WarpBlocked));
    assert_eq!(g.apply(&exit(1, 0x2), false), refused(&exit(1, 0x2), Code::WarpBlocked));
    assert_eq!(g.warp(1).live, ALL);
    assert_eq!(g.apply(&exit(1, 0x4), false), GatherEffect { op_absorbed: false, ..proceeding(0x2, 0) });
}

#[test]
fn pieces_that_differ_are_a_mismatch_and_do_not_wait() {
    let mut g = launched();
    let mut first = piece(Kind::Reduce, 1, 0x1);
    first.laned.carried.op.count = 64;
    g.apply(&first, false);
    let mut differ = vec![first; 5];
    differ[0].laned.carried.op.kind = Kind::Sync;
    differ[1].laned.carried.op.redop = RedOp::Or;
    differ[2].laned.carried.op.id = 2;
    differ[3].laned.carried.op.count = 32;
    differ.iter_mut().for_each(|d| d.laned.lanes = 0x2);
    // The last of these operations matches the first, but one of its lanes already waits.
    differ[4].laned.lanes = 0x3;
    for other in differ {
        assert_eq!(g.apply(&other, false), refused(&other, Code::GatherMismatch));
        assert_eq!(g.warp(1).waiting(), 0x1);
    }
    // One of the lanes is not live.
    g.apply(&exit(1, 0x80), false);
    first.laned.lanes = 0xf0;
    assert_eq!(g.apply(&first, false), refused(&first, Code::GatherMismatch));
    // `gather` passes operands that are not uniform, and `named` refuses them.
    first.laned.lanes = 0x2;
    first.laned.carried.op.uniform = false;
    assert_eq!(g.apply(&first, false), passed(&first));
    assert_eq!(g.warp(1).waiting(), 0x1);
}

#[test]
fn aligned_takes_all_live_lanes_or_none() {
    let mut g = launched();
    let aligned = |lanes| offered(Kind::Sync, Form::Aligned, 1, lanes);
    assert_eq!(g.apply(&aligned(ALL), false), passed(&aligned(ALL)));
    assert_eq!(g.apply(&aligned(0xff), false), refused(&aligned(0xff), Code::PartialMask));
    g.apply(&exit(1, !0xff & ALL), false);
    assert_eq!(g.apply(&aligned(0xff), false), passed(&aligned(0xff)));
    assert_eq!(g.apply(&aligned(ALL), false), refused(&aligned(ALL), Code::PartialMask));
    // In the form Raw the warp arrives as a whole, whatever its mask.
    let raw = offered(Kind::Sync, Form::Raw, 1, 0x1);
    assert_eq!(g.apply(&raw, false), passed(&raw));
}

#[test]
fn what_has_a_fault_and_what_is_no_arrival_passes() {
    let mut g = launched();
    for kind in [Kind::Read, Kind::Write, Kind::Fence] {
        let op = offered(kind, Form::Elect, 9, 0x5);
        assert_eq!(g.apply(&op, false), passed(&op));
    }
    for kind in Kind::ALL {
        let mut op = offered(*kind, Form::Gathered, 1, 0x1);
        op.laned.carried.op.fault = Code::WarpBlocked;
        op.laned.carried.op.mask = 0b10;
        assert_eq!(g.apply(&op, false), passed(&op));
    }
    assert_eq!((g.warp(1).waiting(), g.warp(1).live), (0, ALL));
}

#[test]
fn lanes_of_a_warp_meet() {
    let mut g = launched();
    assert_eq!(g.apply(&meet(Form::WarpSync, 0xff, 0x0f), false), op_absorbed());
    assert_eq!(g.apply(&meet(Form::WarpSync, 0xff, 0x70), false), op_absorbed());
    assert_eq!(g.apply(&meet(Form::WarpSync, 0xff, 0x80), false), proceeding(0xff, 0));
    assert_eq!(g.warp(1).waiting(), 0);
    // Members that are not live are not awaited.
    g.apply(&exit(1, 0x80), false);
    assert_eq!(g.apply(&meet(Form::WarpSync, 0xff, 0x7f), false), proceeding(0x7f, 0));
}

#[test]
fn the_leader_is_the_lowest_or_the_highest_lane() {
    let mut g = launched();
    g.apply(&meet(Form::Elect, 0xf0, 0x80), false);
    // The leader policy applies when the election completes.
    assert_eq!(g.apply(&meet(Form::Elect, 0xf0, 0x70), false), proceeding(0xf0, 0x10));
    g.apply(&meet(Form::Elect, 0xf0, 0x70), false);
    assert_eq!(g.apply(&meet(Form::Elect, 0xf0, 0x80), true), proceeding(0xf0, 0x80));
    // A lane that has exited does not lead.
    g.apply(&exit(1, 0x10), false);
    assert_eq!(g.apply(&meet(Form::Elect, 0xf0, 0xe0), false), proceeding(0xe0, 0x20));
}

#[test]
fn disjoint_groups_meet_at_the_same_time_and_a_third_one_issues_again() {
    let mut g = launched();
    assert_eq!(g.apply(&meet(Form::WarpSync, 0x00ff, 0x01), false), op_absorbed());
    assert_eq!(g.apply(&meet(Form::Elect, 0xff00, 0x100), false), op_absorbed());
    let before = *g.warp(1);
    let third = meet(Form::WarpSync, 0xff_0000, 0x3_0000);
    let again = Lanes { warp: 1, mask: 0x3_0000, leaders: 0, retry: true };
    assert_eq!(g.apply(&third, false), GatherEffect { lanes: Some(again), ..op_absorbed() });
    assert_eq!(*g.warp(1), before);
    // Another warp has separate rendezvous.
    let mut other = third;
    other.laned.carried.op.warp = 0;
    assert_eq!(g.apply(&other, false), op_absorbed());
    // After one rendezvous completes, the third group of lanes can begin its rendezvous.
    assert_eq!(g.apply(&meet(Form::WarpSync, 0x00ff, 0xfe), false), proceeding(0xff, 0));
    assert_eq!(g.apply(&third, false), op_absorbed());
    assert_eq!(g.warp(1).waiting(), 0x3_0100);
}

#[test]
fn groups_that_contradict_one_another_are_a_mismatch() {
    let mut g = launched();
    g.apply(&meet(Form::WarpSync, 0xff, 0x01), false);
    let refuse = [
        meet(Form::WarpSync, 0x0e, 0x10),   // not a member
        meet(Form::WarpSync, 0xff, 0x01),   // waits already
        meet(Form::WarpSync, 0x1fe, 0x100), // overlaps and differs
        meet(Form::Elect, 0xff, 0x02),      // the other form
    ];
    for wrong in refuse {
        assert_eq!(g.apply(&wrong, false), refused(&wrong, Code::GatherMismatch));
    }
    // A lane that waits at a barrier, or that has exited, cannot arrive at a rendezvous.
    g.apply(&piece(Kind::Sync, 0, 0x100), false);
    g.apply(&exit(1, 0x200), false);
    for lane in [0x100, 0x200] {
        let wrong = meet(Form::WarpSync, 0xff00, lane);
        assert_eq!(g.apply(&wrong, false), refused(&wrong, Code::GatherMismatch));
    }
    assert_eq!(g.warp(1).waiting(), 0x101);
}

#[test]
fn a_gathering_is_kept_while_its_warp_does_something_else() {
    let mut g = launched();
    g.apply(&piece(Kind::Sync, 0, 0xffff), false);
    let raw = offered(Kind::Arrive, Form::Raw, 1, 0xffff_0000);
    assert_eq!(g.apply(&raw, false), passed(&raw));
    assert_eq!(g.apply(&meet(Form::WarpSync, 0xffff_0000, 0xffff_0000), false), proceeding(0xffff_0000, 0));
    let last = piece(Kind::Sync, 0, 0xffff_0000);
    assert_eq!(g.apply(&last, false).passed, whole(&last, ALL, 0));
}

#[test]
fn a_launch_starts_warps_afresh() {
    let mut g = launched();
    g.apply(&piece(Kind::Sync, 0, 0x1), false);
    g.apply(&meet(Form::Elect, 0x6, 0x2), false);
    let mut launch = offered(Kind::Launch, Form::Raw, 0, ALL);
    launch.laned.carried.op.mask = 0b10;
    assert_eq!(g.apply(&launch, false), passed(&launch));
    assert_eq!((g.warp(1).waiting(), g.warp(1).live, g.warp(2).live), (0, ALL, 0xf));
}

/// `small` after reset with warps 0 and 1; warp 1 has lanes 0 and 1 only. The operation port is ready.
fn bench() -> Bench {
    let mut bench = unit("gather", small());
    bench.set_all(&[("op_ready", 1), ("in_uniform", 1), ("in_kind", Kind::Launch.value())]);
    bench.strobe("in", &[("mask", 0b11), ("lanes", 0b0011)]);
    bench.cycles(4);
    bench
}

/// Runs one cycle in which lanes of a warp are offered and accepted.
fn take(bench: &mut Bench, kind: Kind, form: Form, warp: u64, lanes: u64, from_instr: u64) {
    let fields = [("in_kind", kind.value()), ("in_form", form.value()), ("in_warp", warp), ("in_lanes", lanes)];
    bench.set_all(&[&fields[..], &[("in_members", 0xf), ("in_from_instr", from_instr), ("in_valid", 1)]].concat());
    bench.cycle();
    assert_eq!(bench.get("entry_waits"), 0);
    bench.set("in_valid", 0);
}

const SHOWN: [&str; 5] = ["op_valid", "lanes_valid", "warp_exited_valid", "op_absorbed", "gathering"];

#[test]
fn an_operation_is_passed_on_two_cycles_after_its_transfer_and_the_other_effects_show_a_cycle_later() {
    let mut bench = bench();
    take(&mut bench, Kind::Sync, Form::WarpSync, 0, 0b0001, 1);
    bench.cycles(2);
    assert_eq!(bench.get_all(&SHOWN), [0, 0, 0, 0, 0]);
    bench.cycle();
    assert_eq!(bench.get_all(&SHOWN), [0, 0, 0, 1, 0]);
    take(&mut bench, Kind::Sync, Form::Gathered, 0, 0b1110, 1);
    bench.cycles(3);
    assert_eq!(bench.get_all(&SHOWN), [0, 0, 0, 1, 1], "all its lanes wait");
    bench.cycle();
    assert_eq!(bench.get_all(&SHOWN), [0, 0, 0, 0, 1]);
    take(&mut bench, Kind::Exit, Form::Raw, 1, 0b1111, 0);
    bench.cycle();
    let shown = bench.get_all(&["exit_pending", "op_valid"]);
    assert_eq!(shown, [0b10, 0], "the operation that the exit causes may be in flight");
    bench.cycle();
    assert_eq!(bench.get_all(&SHOWN), [1, 0, 0, 0, 1]);
    assert_eq!(bench.get_all(&["op_kind", "exit_pending"]), [Kind::Exit.value(), 0b10]);
    bench.cycle();
    assert_eq!(bench.get_all(&SHOWN), [0, 0, 1, 0, 1]);
    assert_eq!(bench.get_all(&["warp_exited_warp", "exit_pending"]), [1, 0b10]);
    bench.set("op_done", 0b10);
    bench.cycle();
    assert_eq!(bench.get_all(&["warp_exited_valid", "warp_exited_warp", "op_valid", "exit_pending"]), [0, 1, 0, 0b10]);
    bench.cycle();
    assert_eq!(bench.get("exit_pending"), 0);
}

#[test]
fn the_leader_policy_counts_in_the_cycle_after_the_transfer() {
    for (policy, leader) in [(0, 0b0001), (1, 0b1000)] {
        let mut bench = bench();
        bench.set("leader_policy", 1 - policy);
        take(&mut bench, Kind::Sync, Form::Elect, 0, 0b1111, 1);
        bench.set("leader_policy", policy);
        bench.cycle();
        bench.set("leader_policy", 1 - policy);
        bench.cycles(2);
        assert_eq!(bench.get_all(&["op_absorbed", "lanes_valid"]), [1, 0], "the lanes strobe is a cycle later than all else");
        bench.cycle();
        assert_eq!(bench.get_all(&["op_absorbed", "lanes_valid", "lanes_mask", "lanes_leaders"]), [0, 1, 0b1111, leader]);
    }
}

#[test]
fn two_operations_wait_for_a_stalled_port() {
    let mut bench = bench();
    bench.set_all(&[("op_ready", 0), ("in_kind", Kind::Read.value()), ("in_valid", 1)]);
    let mut full = vec![];
    for number in 0..6 {
        bench.set_all(&[("in_id", number), ("in_warp", number)]);
        bench.cycle();
        full.push(bench.get("full"));
    }
    assert_eq!(full, [0, 0, 1, 1, 1, 1]);
    bench.set_all(&[("op_ready", 1), ("in_valid", 0)]);
    for number in 0..2 {
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_id", "entry_waits"]), [1, number, 0]);
    }
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [0, 1]);
}

#[test]
fn an_operation_a_cycle() {
    let mut bench = bench();
    bench.set_all(&[
        ("in_kind", Kind::Sync.value()),
        ("in_lanes", 0b1111),
        ("in_form", Form::Gathered.value()),
        ("in_valid", 1),
    ]);
    for number in 0..20 {
        bench.set_all(&[("in_id", number % 16), ("in_warp", number % 3)]);
        bench.cycle();
        assert_eq!(bench.get("entry_waits"), 0);
        if number >= 2 {
            assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, (number - 2) % 16]);
        }
    }
}

#[test]
fn an_operation_waits_for_those_of_its_warp() {
    // The cycles between two operations of warp 0, and the cycles that the second one waits.
    for (distance, waits) in [(1, 2), (2, 1), (3, 0)] {
        let mut bench = bench();
        take(&mut bench, Kind::Sync, Form::Gathered, 0, 0b0001, 1);
        bench.cycles(distance - 1);
        take(&mut bench, Kind::Sync, Form::Gathered, 0, 0b1110, 1);
        for cycle in 0..5 {
            bench.cycle();
            let expected = [u64::from(cycle < waits), u64::from(cycle == waits + 1), 0];
            assert_eq!(bench.get_all(&["entry_waits", "op_valid", "op_fault"]), expected, "{distance}, {cycle}");
        }
    }
    // The fault of a launch, the cycles from it to an operation of a warp, that warp, and the cycles that the operation waits. Warp 1 is the
    // last one of the launch. The launch resets rows only without a fault.
    for (fault, distance, warp, waits) in [(0, 1, 0, 1), (0, 1, 1, 2), (0, 2, 0, 0), (0, 2, 1, 1), (1, 1, 0, 0), (1, 1, 1, 2)] {
        let mut bench = bench();
        bench.set_all(&[("in_kind", Kind::Launch.value()), ("in_mask", 0b11), ("in_lanes", 0b0011), ("in_warp", 2)]);
        bench.strobe("in", &[("fault", fault)]);
        bench.set("in_fault", 0);
        bench.cycles(distance - 1);
        take(&mut bench, Kind::Sync, Form::Gathered, warp, 0b0011, 1);
        let waiting: Vec<u64> = (0..3).map(|_| (bench.cycle(), bench.get("entry_waits")).1).collect();
        assert_eq!(waiting.iter().sum::<u64>(), waits, "{fault}, {distance}, {warp}");
    }
}

#[test]
fn reset_forgets_everything() {
    let mut bench = bench();
    take(&mut bench, Kind::Sync, Form::Gathered, 0, 0b1111, 0);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["exit_pending", "op_valid"]), [1, 1]);
    bench.reset();
    bench.cycle();
    let shown = bench.get_all(&["op_valid", "op_kind", "op_rd", "exit_pending", "gathering", "entry_waits", "full"]);
    assert_eq!(shown, [0; 7]);
    // Before the reset, warp 1 had two lanes.
    take(&mut bench, Kind::Sync, Form::Gathered, 1, 0b1111, 0);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_valid", "op_fault"]), [1, 0], "as if launched whole");
}

#[test]
fn a_release_leaves_nothing_that_waits() {
    let mut g = launched();
    assert_eq!(g.apply(&offered(Kind::Sync, Form::Gathered, 1, 0x1), false).passed, None);
    assert_ne!(g.warp(1).waiting(), 0);
    let mut release = offered(Kind::Release, Form::Raw, 0, 0);
    release.laned.carried.op.mask = 0b10;
    // A faulty Release has no effect on waiting lanes.
    let mut faulty = release;
    faulty.laned.carried.op.fault = Code::NotResident;
    assert_eq!(g.apply(&faulty, false), passed(&faulty));
    assert_ne!(g.warp(1).waiting(), 0);
    assert_eq!(g.apply(&release, false), passed(&release));
    assert_eq!(g.warp(1).waiting(), 0);
}
