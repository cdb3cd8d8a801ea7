// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of operations on named barriers: the examples and rules of the documents, one scenario each.

use super::bench::{default_sizes, for_seeds, small, tiny, Random};
use super::ops::{arrive, cta, exit, fault, launch, nothing, op, release, released, sync};
use bcu_model::barriers::{Barriers, Effect, Row};
use bcu_model::op::{Code, Kind, Operation};
use bcu_model::outcome::Fault;

#[test]
fn a_cta_wide_sync_completes_with_its_last_warp() {
    let mut b = cta(default_sizes(), 4);
    for warp in [2, 0, 3] {
        assert_eq!(b.apply(&sync(warp, 0, 0), 0), nothing());
    }
    assert_eq!(b.warps().waiting, 0b1101);
    assert_eq!(b.apply(&sync(1, 0, 0), 0), released(0, 0, 0b1111));
    assert_eq!(b.warps().waiting, 0);
    assert_eq!(b.row(0, 0), Some(&Row::default()));
}

#[test]
fn forty_eight_threads_are_two_warps() {
    // BAR.SYNC 0x0 in a CTA of 48 threads: the second, half-filled warp counts as a whole warp.
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&sync(0, 0, 0), 0), nothing());
    assert_eq!(b.apply(&sync(1, 0, 0), 0), released(0, 0, 0b11));
}

#[test]
fn producer_and_consumer_of_the_documents() {
    // Producer: bar.arrive 0,64; bar.sync 1,64. Consumer: bar.sync 0,64; bar.arrive 1,64.
    let mut b = cta(default_sizes(), 2);
    for _ in 0..3 {
        assert_eq!(b.apply(&arrive(0, 0, 64), 0), nothing());
        assert_eq!(b.warps().waiting, 0);
        assert_eq!(b.apply(&sync(0, 1, 64), 0), nothing());
        assert_eq!(b.warps().waiting, 0b01);
        // The producer waits at barrier 1 now, so the completion of barrier 0 must not release it.
        assert_eq!(b.apply(&sync(1, 0, 64), 0), released(0, 0, 0b10));
        assert_eq!(b.warps().waiting, 0b01);
        assert_eq!(b.apply(&arrive(1, 1, 64), 0), released(0, 1, 0b01));
        assert_eq!(b.warps().waiting, 0);
    }
}

#[test]
fn a_count_names_a_part_of_the_cta() {
    let mut b = cta(default_sizes(), 8);
    // The count is CNT1 = 8 * 12 of the documents: any three warps out of eight.
    assert_eq!(b.apply(&sync(6, 1, 96), 0), nothing());
    assert_eq!(b.apply(&sync(1, 1, 96), 0), nothing());
    assert_eq!(b.apply(&sync(4, 1, 96), 0), released(0, 1, 0b101_0010));
}

#[test]
fn a_generation_of_one_warp_completes_at_once() {
    let mut b = cta(default_sizes(), 1);
    assert_eq!(b.apply(&sync(0, 3, 0), 0), released(0, 3, 1));
    assert_eq!(b.apply(&sync(0, 3, 32), 0), released(0, 3, 1));
    assert_eq!(b.apply(&arrive(0, 3, 32), 0), released(0, 3, 0));
    assert_eq!(b.warps().waiting, 0);
}

#[test]
fn a_barrier_nobody_waits_at_releases_nobody() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&arrive(0, 2, 64), 0), nothing());
    assert_eq!(b.apply(&arrive(1, 2, 64), 0), released(0, 2, 0));
}

#[test]
fn a_barrier_can_be_used_again_at_once() {
    let mut b = cta(default_sizes(), 3);
    for generation in 0..4 {
        // The last warp to arrive is a different one in each generation.
        let last = generation % 3;
        for warp in (0..3).filter(|w| *w != last) {
            assert_eq!(b.apply(&sync(warp, 5, 0), 0), nothing());
        }
        assert_eq!(b.apply(&sync(last, 5, 0), 0), released(0, 5, 0b111));
    }
    // The kind of completion may change between generations.
    assert_eq!(b.apply(&arrive(0, 5, 64), 0), nothing());
    assert_eq!(b.apply(&sync(1, 5, 64), 0), released(0, 5, 0b010));
}

#[test]
fn ctas_use_the_same_id_apart() {
    let mut b = cta(small(), 2);
    assert_eq!(b.apply(&launch(1, 2, 8), 0), nothing());
    let of = |cta, warp| Operation { cta, ..sync(warp, 7, 0) };
    assert_eq!(b.apply(&of(0, 0), 0), nothing());
    assert_eq!(b.apply(&of(1, 2), 0), nothing());
    assert_eq!(b.apply(&of(1, 3), 0), released(1, 7, 0b1100));
    assert_eq!(b.warps().waiting, 0b0001);
    assert_eq!(b.apply(&of(0, 1), 0), released(0, 7, 0b0011));
}

#[test]
fn an_exit_completes_the_barrier_without_count() {
    let mut b = cta(default_sizes(), 3);
    assert_eq!(b.apply(&sync(0, 2, 0), 0), nothing());
    assert_eq!(b.apply(&sync(1, 2, 0), 0), nothing());
    assert_eq!(b.apply(&exit(2), 0), released(0, 2, 0b011));
    assert_eq!(b.slot(0).live, 2);
    // Two warps are live now, so two arrivals complete the generation.
    assert_eq!(b.apply(&sync(0, 2, 0), 0), nothing());
    assert_eq!(b.apply(&sync(1, 2, 0), 0), released(0, 2, 0b011));
}

#[test]
fn an_exit_before_all_others_have_come_completes_nothing() {
    let mut b = cta(default_sizes(), 4);
    assert_eq!(b.apply(&sync(0, 0, 0), 0), nothing());
    assert_eq!(b.apply(&exit(3), 0), nothing());
    assert_eq!(b.apply(&sync(1, 0, 0), 0), nothing());
    assert_eq!(b.apply(&sync(2, 0, 0), 0), released(0, 0, 0b0111));
}

#[test]
fn an_exit_looks_at_the_last_id_used_without_count_alone() {
    let mut b = cta(default_sizes(), 3);
    // Two ids open without a count are a deadlock of the program; an exit completes neither of them.
    assert_eq!(b.apply(&sync(0, 1, 0), 0), nothing());
    assert_eq!(b.apply(&sync(1, 2, 0), 0), Effect { implicit_conflict: Some(0), ..nothing() });
    assert_eq!(b.apply(&exit(2), 0), nothing());
    assert_eq!(b.warps().waiting, 0b011);
    // A generation without a count that has completed leaves its row idle, so the exit completes nothing.
    let mut b = cta(default_sizes(), 1);
    assert_eq!(b.apply(&sync(0, 4, 0), 0), released(0, 4, 1));
    assert_eq!(b.apply(&exit(0), 0), nothing());
}

#[test]
fn an_exit_never_helps_a_count() {
    let mut b = cta(default_sizes(), 3);
    assert_eq!(b.apply(&sync(0, 0, 96), 0), nothing());
    assert_eq!(b.apply(&sync(1, 0, 96), 0), nothing());
    assert_eq!(b.apply(&exit(2), 0), nothing());
    assert_eq!(b.warps().waiting, 0b011);
    // The count may exceed the live warps: the launched warps are the bound.
    assert_eq!(b.row(0, 0).unwrap().expected, 3);
}

#[test]
fn a_warp_that_exits_after_an_arrive_stays_counted() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&arrive(0, 0, 64), 0), nothing());
    assert_eq!(b.apply(&exit(0), 0), nothing());
    assert_eq!(b.apply(&sync(1, 0, 64), 0), released(0, 0, 0b10));
}

#[test]
fn warps_that_had_exited_at_launch_are_not_waited_for() {
    let mut b = Barriers::new(default_sizes());
    assert_eq!(b.apply(&Operation { live: 2, ..launch(0, 4, 16) }, 0), nothing());
    assert_eq!(b.apply(&sync(1, 0, 0), 0), nothing());
    assert_eq!(b.apply(&sync(3, 0, 0), 0), released(0, 0, 0b1010));
    // The launched warps, not the live ones, bound a count.
    assert_eq!(b.apply(&sync(1, 0, 128), 0), nothing());
}

#[test]
fn barriers_declared_are_at_most_those_built() {
    let mut b = cta(tiny(), 2);
    assert_eq!(b.slot(0).declared, 4);
    assert_eq!(b.apply(&launch(1, 2, 3), 0), nothing());
    assert_eq!(b.slot(1).declared, 3);
}

/// One operation with every cause of a fault from `cause` on, in order of precedence, for a CTA of two warps of 32 lanes with
/// barrier 1 open: warp 0 has arrived with count 64.
fn with_causes(cause: usize) -> Operation {
    let from = |index| cause <= index;
    Operation {
        fault: if from(0) { Code::WarpBlocked } else { Code::None },
        id: if from(1) { 9 } else { 1 },
        uniform: !from(2),
        ..op(if cause == 3 { Kind::Arrive } else { Kind::Sync }, 0, 0, if cause == 3 { 0 } else { 97 })
    }
}

#[test]
fn of_several_causes_the_first_is_reported() {
    let mut b = Barriers::new(default_sizes());
    b.apply(&launch(0, 2, 8), 0);
    assert_eq!(b.apply(&arrive(0, 1, 64), 0), nothing());
    let mut check = |op: Operation, code: Code| {
        let before = b.clone();
        let effect = b.apply(&op, 0);
        assert_eq!(
            effect.fault,
            Some(Fault { code, has_warp: op.is_of_a_warp(), warp: op.warp, cta: op.cta, id: op.id, address: 0 }),
            "{op:?}"
        );
        assert_eq!((effect.release, effect.rows_to_clear), (None, false));
        assert_eq!(b.warps().waiting, before.warps().waiting, "{op:?} leaves its warp as it was");
        assert_eq!((b.row(0, 1), b.slot(0)), (before.row(0, 1), before.slot(0)), "{op:?} changes nothing");
    };
    check(with_causes(0), Code::WarpBlocked);
    check(with_causes(1), Code::IdOutOfRange);
    check(with_causes(2), Code::OperandNotUniform);
    check(with_causes(3), Code::CountZeroArrive);
    // 97 is no multiple of 32, exceeds 64, comes from a warp that has arrived, and differs from the first count.
    check(with_causes(4), Code::CountNotWarpMultiple);
    check(sync(0, 1, 96), Code::CountExceedsCta);
    check(sync(0, 1, 32), Code::DoubleArrival);
    check(sync(0, 1, 0), Code::DoubleArrival);
    check(sync(1, 1, 32), Code::CountMismatch);
    check(sync(1, 1, 0), Code::CountMismatch);
    check(op(Kind::Reduce, 1, 1, 32), Code::KindMismatch);
    check(op(Kind::Reduce, 0, 1, 64), Code::DoubleArrival);
    check(Operation { fault: Code::NotResident, ..op(Kind::Read, 1, 1, 0) }, Code::NotResident);
    check(Operation { fault: Code::NotResident, ..exit(1) }, Code::NotResident);
    check(Operation { fault: Code::SlotOccupied, ..launch(0, 1, 1) }, Code::SlotOccupied);
    check(Operation { fault: Code::NotResident, ..release(0, 0xf, false) }, Code::NotResident);
    // The generation continues as if none of the refused operations had occurred.
    assert_eq!(b.apply(&sync(1, 1, 64), 0), released(0, 1, 0b10));
}

#[test]
fn a_cta_that_was_never_launched_has_no_barriers() {
    let mut b = Barriers::new(tiny());
    assert_eq!(b.apply(&sync(0, 0, 0), 0), fault(&sync(0, 0, 0), Code::IdOutOfRange));
    assert_eq!(b.warps().waiting, 0);
}

#[test]
fn a_count_is_looked_at_with_all_its_bits() {
    let mut b = cta(tiny(), 4);
    // A warp has 4 lanes: 20 threads are five warps, 4092 threads are 1023 warps.
    for count in [20, 4092] {
        assert_eq!(b.apply(&arrive(0, 0, count), 0), fault(&arrive(0, 0, count), Code::CountExceedsCta));
    }
    assert_eq!(b.apply(&arrive(0, 0, 16), 0), nothing());
}

#[test]
fn a_fault_found_upstream_does_not_touch_blocked() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&sync(0, 0, 0), 0), nothing());
    let again = Operation { fault: Code::WarpBlocked, ..sync(0, 0, 0) };
    assert_eq!(b.apply(&again, 0), fault(&again, Code::WarpBlocked));
    assert_eq!(b.warps().waiting, 0b01, "the warp still waits");
}

#[test]
fn a_release_with_open_barriers_lets_their_warps_go() {
    let mut b = cta(tiny(), 4);
    assert_eq!(b.apply(&sync(1, 1, 0), 0), nothing());
    assert_eq!(b.apply(&arrive(2, 3, 8), 0), nothing());
    assert_eq!(b.apply(&release(0, 0xf, false), 0), Effect { rows_to_clear: true, ..nothing() });
    let left_open = |id| Some(Fault { code: Code::BarrierLeftOpen, id, ..Fault::default() });
    assert_eq!(b.clear_row(0, 0, false), nothing());
    assert_eq!(b.clear_row(0, 1, false), Effect { fault: left_open(1), ..nothing() });
    assert_eq!(b.warps().waiting, 0);
    assert_eq!(b.clear_row(0, 2, false), nothing());
    assert_eq!(b.clear_row(0, 3, false), Effect { fault: left_open(3), ..nothing() });
    assert_eq!(b.clear_row(0, 16, false), nothing());
    assert_eq!(b.apply(&release(0, 0xf, false), 0), nothing(), "all rows are idle");
}

#[test]
fn a_saved_cta_leaves_without_faults() {
    let mut b = cta(tiny(), 4);
    assert_eq!(b.apply(&sync(0, 2, 0), 0), nothing());
    assert_eq!(b.apply(&release(0, 0xf, true), 0), Effect { rows_to_clear: true, ..nothing() });
    assert_eq!(b.clear_row(0, 2, true), nothing());
    assert_eq!(b.warps().waiting, 0);
}

#[test]
fn a_release_without_open_barriers_needs_no_clearing() {
    let mut b = cta(tiny(), 2);
    assert_eq!(b.apply(&sync(0, 0, 0), 0), nothing());
    assert_eq!(b.apply(&arrive(0, 1, 8), 0), nothing());
    assert_eq!(b.apply(&sync(1, 1, 8), 0), released(0, 1, 0b10));
    assert_eq!(b.apply(&exit(1), 0), released(0, 0, 0b01));
    assert_eq!(b.apply(&release(0, 0xf, false), 0), nothing());
}

/// Traffic that keeps the promises: the state of rows, slots and warps stays consistent.
#[test]
fn state_is_consistent_under_random_traffic() {
    for_seeds("state_is_consistent", 20, |seed| {
        let (mut random, mut b) = (Random(seed), Barriers::new(small()));
        // Warps 0..4 in slot 0, 4..8 in slot 1.
        let (mut live, mut completed) = ([0u64; 2], 0);
        for _ in 0..5000 {
            let cta = random.below(2) as usize;
            let warp = cta as u64 * 4 + random.below(4);
            let lives = live[cta] >> warp & 1 != 0;
            let op = if live[cta] & !b.warps().waiting == 0 {
                if live[cta] != 0 || b.slot(cta as u8).launched != 0 {
                    let effect = b.apply(&release(cta as u8, 0xf << (cta * 4), random.one_in(2)), 0);
                    assert_eq!(effect.rows_to_clear, (0..8).any(|id| b.row(cta as u8, id).unwrap().is_open()));
                    (0..8).for_each(|id| {
                        b.clear_row(cta as u8, id, true);
                    });
                }
                live[cta] = 0xf << (cta * 4);
                launch(cta as u8, 4, 8)
            } else if !lives || b.warps().waiting >> warp & 1 != 0 {
                continue;
            } else if random.one_in(12) {
                live[cta] &= !(1 << warp);
                Operation { cta: cta as u8, ..exit(warp as u8) }
            } else {
                let count = [0, 0, 0, 8, 8, 12, 6][random.below(7) as usize];
                let kind = if random.one_in(3) { Kind::Arrive } else { Kind::Sync };
                Operation { cta: cta as u8, ..op(kind, warp as u8, random.below(2) as u8, count) }
            };
            completed += u64::from(b.apply(&op, 0).release.is_some());
            let mut waiting = 0;
            for cta in 0..2 {
                let rows: Vec<_> = (0..8).map(|id| b.row(cta, id).unwrap()).collect();
                assert!(rows.iter().all(|r| r.count == r.arrived.count_ones() && r.is_open() == (r.arrived != 0)));
                assert!(rows.iter().all(|r| r.waiting & !r.arrived == 0 && r.waiting & waiting == 0));
                assert_eq!(b.slot(cta).open_rows as usize, rows.iter().filter(|r| r.is_open()).count());
                assert_eq!(b.slot(cta).live, live[cta as usize].count_ones());
                waiting = rows.iter().fold(waiting, |all, r| all | r.waiting);
            }
            assert_eq!(b.warps().waiting, waiting, "after {op:?}");
        }
        assert!(completed > 50, "{completed} generations completed");
    });
}
