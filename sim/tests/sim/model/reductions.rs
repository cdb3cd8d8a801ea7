// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of a Reduce: results, the warps that receive them, and operations that may not share a generation.

use super::bench::{default_sizes, tiny};
use super::ops::{arrive, cta, exit, fault, has_read, launch, nothing, op, read, reduce, reduced, release, sync, write};
use bcu_model::barriers::{Barriers, Effect};
use bcu_model::op::{Code, Kind, Operation, RedOp, Reduction, StateWord};
use bcu_model::outcome::Reduced;

/// The result that three warps with these contributions receive at barrier 1 without a count.
fn of_three(redop: RedOp, values: [u8; 3]) -> Reduced {
    let mut b = cta(default_sizes(), 3);
    assert_eq!(b.apply(&reduce(0, 1, 0, redop, values[0]), 0), nothing());
    assert_eq!(b.apply(&reduce(2, 1, 0, redop, values[1]), 0), nothing());
    let effect = b.apply(&reduce(1, 1, 0, redop, values[2]), 0);
    let release = effect.release.unwrap();
    assert_eq!((release.warps, b.warps().waiting, effect.fault), (0b111, 0, None));
    assert!(b.warps().results[..3].iter().all(|r| *r == release.result) && b.warps().results[3] == Reduced::default());
    release.result
}

#[test]
fn every_reduction_is_what_its_name_says() {
    let result = |reduction, value| Reduced { reduction, value };
    // AND: a contribution is 1 if a lane is false.
    assert_eq!(of_three(RedOp::And, [0, 0, 0]), result(Reduction::And, 1));
    assert_eq!(of_three(RedOp::And, [0, 1, 0]), result(Reduction::And, 0));
    assert_eq!(of_three(RedOp::And, [1, 1, 1]), result(Reduction::And, 0));
    assert_eq!(of_three(RedOp::Or, [0, 0, 0]), result(Reduction::Or, 0));
    assert_eq!(of_three(RedOp::Or, [0, 0, 1]), result(Reduction::Or, 1));
    assert_eq!(of_three(RedOp::Or, [1, 1, 1]), result(Reduction::Or, 1));
    assert_eq!(of_three(RedOp::Popc, [32, 0, 7]), result(Reduction::Popc, 39));
    assert_eq!(of_three(RedOp::Popc, [32, 32, 32]), result(Reduction::Popc, 96));
}

#[test]
fn sixty_four_threads_of_the_instruction_set() {
    // The instructions are BAR.RED.POPC 0x0, 0x40, PT and B2R.RESULT R0, PT.
    let mut b = cta(default_sizes(), 4);
    let of = |warp| reduce(warp, 0, 0x40, RedOp::Popc, 32);
    assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0), fault(&read(0, StateWord::Result, 0), Code::NoResult));
    assert_eq!(b.apply(&of(3), 0), nothing());
    assert_eq!(b.apply(&of(0), 0), reduced(0, 0b1001, Reduction::Popc, 64));
    for warp in [0, 3] {
        assert_eq!(b.apply(&read(warp, StateWord::Result, 0), 0), has_read(warp, 64, false));
    }
    assert_eq!(b.apply(&read(1, StateWord::Result, 0), 0).fault.unwrap().code, Code::NoResult);
}

#[test]
fn a_predicate_is_the_result_of_and_and_or() {
    let mut b = cta(default_sizes(), 1);
    for (redop, value, predicate) in
        [(RedOp::And, 0, true), (RedOp::And, 1, false), (RedOp::Or, 1, true), (RedOp::Or, 0, false)]
    {
        b.apply(&reduce(0, 0, 0, redop, value), 0);
        assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0), has_read(0, 0, predicate));
    }
}

#[test]
fn a_result_stays_until_the_warps_next_reduction() {
    let mut b = cta(default_sizes(), 2);
    b.apply(&reduce(0, 0, 64, RedOp::Popc, 5), 0);
    b.apply(&reduce(1, 0, 64, RedOp::Popc, 6), 0);
    // Other generations, also at that barrier, do not change the result. A reduction in progress or a refused reduction does not either.
    b.apply(&sync(0, 0, 0), 0);
    b.apply(&sync(1, 0, 0), 0);
    b.apply(&reduce(1, 0, 32, RedOp::Or, 1), 0);
    b.apply(&reduce(0, 3, 64, RedOp::And, 0), 0);
    assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0), has_read(0, 11, false));
    assert_eq!(b.apply(&read(1, StateWord::Result, 0), 0), has_read(1, 0, true));
    b.apply(&reduce(1, 3, 32, RedOp::Popc, 3), 0);
    assert_eq!(b.apply(&read(1, StateWord::Result, 0), 0), has_read(1, 0, true));
    assert_eq!(b.apply(&reduce(1, 3, 64, RedOp::And, 0), 0), reduced(3, 0b11, Reduction::And, 1));
    assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0), has_read(0, 0, true));
}

#[test]
fn an_exit_completes_a_reduction_of_those_who_are_left() {
    let mut b = cta(default_sizes(), 4);
    b.apply(&reduce(0, 2, 0, RedOp::Popc, 9), 0);
    b.apply(&reduce(2, 2, 0, RedOp::Popc, 20), 0);
    assert_eq!(b.apply(&exit(1), 0), nothing());
    assert_eq!(b.apply(&exit(3), 0), reduced(2, 0b0101, Reduction::Popc, 29));
    assert_eq!(b.apply(&read(2, StateWord::Result, 0), 0), has_read(2, 29, false));
}

#[test]
fn kinds_do_not_meet_in_one_generation_but_may_follow() {
    let first = [sync(0, 1, 64), arrive(0, 1, 64), reduce(0, 1, 64, RedOp::And, 0), reduce(0, 1, 64, RedOp::Popc, 1)];
    let second = [sync(1, 1, 64), arrive(1, 1, 64), reduce(1, 1, 64, RedOp::And, 0), reduce(1, 1, 64, RedOp::Popc, 1)];
    for (i, one) in first.iter().enumerate() {
        for (k, other) in second.iter().enumerate() {
            let mut b = cta(default_sizes(), 2);
            assert_eq!(b.apply(one, 0), nothing());
            let alike = i == k || (i < 2 && k < 2);
            let before = b.warps().waiting;
            let effect = b.apply(other, 0);
            assert_eq!(effect.release.is_some(), alike, "{one:?} then {other:?}");
            if !alike {
                assert_eq!((effect, b.warps().waiting), (fault(other, Code::KindMismatch), before));
                // With another count as well, `kind_mismatch` has precedence.
                assert_eq!(b.apply(&Operation { count: 32, ..*other }, 0).fault.unwrap().code, Code::KindMismatch);
                // The generation continues, and the next one may be of any kind.
                assert!(b.apply(&Operation { warp: 1, ..*one }, 0).release.is_some());
                assert_eq!(b.apply(other, 0), nothing());
            }
        }
    }
}

#[test]
fn only_who_waits_gets_a_result() {
    // A generation that a Write completes has no waiting warp to receive its result.
    let mut b = cta(tiny(), 2);
    let word = 2 | 2 << 14 | 2 << 16 | 8 << 18;
    let effect = b.apply(&write(0, StateWord::Barrier, 0, word), 0);
    assert_eq!(effect, reduced(0, 0, Reduction::Popc, 8));
    assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0).fault.unwrap().code, Code::NoResult);
}

#[test]
fn a_new_cta_has_no_results() {
    let mut b = cta(tiny(), 1);
    b.apply(&reduce(0, 0, 0, RedOp::Or, 1), 0);
    b.apply(&release(0, 0b0001, false), 0);
    b.apply(&launch(0, 1, 4), 0);
    assert_eq!(b.apply(&read(0, StateWord::Result, 0), 0).fault.unwrap().code, Code::NoResult);
}

#[test]
fn a_second_id_without_a_count_is_an_implicit_conflict() {
    let implicit_conflict = Effect { implicit_conflict: Some(0), ..nothing() };
    let mut b = cta(default_sizes(), 4);
    assert_eq!(b.apply(&sync(0, 0, 0), 0), nothing());
    assert_eq!(b.apply(&arrive(3, 1, 64), 0), nothing(), "one with a count is no implicit conflict");
    assert_eq!(b.apply(&reduce(1, 2, 0, RedOp::Or, 0), 0), implicit_conflict);
    assert_eq!(b.apply(&sync(2, 0, 0), 0), nothing(), "the number of ids does not rise");
    assert_eq!(b.apply(&write(3, StateWord::Barrier, 5, 1 | 1 << 14), 0), implicit_conflict);
    assert_eq!(b.slot(0).uncounted_rows, 3);
    // A Write can also take the count from an open row, or give it one.
    assert_eq!(b.apply(&write(3, StateWord::Barrier, 1, 1 | 1 << 14), 0), implicit_conflict);
    assert_eq!(b.apply(&write(3, StateWord::Barrier, 1, 1 | 2 << 7 | 1 << 14), 0), nothing());
    assert_eq!(b.slot(0).uncounted_rows, 3);
}

#[test]
fn a_refused_reduce_is_no_contribution() {
    let mut b = cta(default_sizes(), 2);
    b.apply(&reduce(0, 0, 64, RedOp::Popc, 4), 0);
    let twice = reduce(0, 0, 64, RedOp::Popc, 8);
    assert_eq!(b.apply(&twice, 0), fault(&twice, Code::DoubleArrival));
    let skewed = Operation { uniform: false, ..op(Kind::Reduce, 1, 0, 64) };
    assert_eq!(b.apply(&skewed, 0), fault(&skewed, Code::OperandNotUniform));
    assert_eq!(b.apply(&reduce(1, 0, 64, RedOp::Popc, 1), 0).release.unwrap().result.value, 5);
}

#[test]
fn every_warp_of_the_largest_unit_counts() {
    let mut b = Barriers::new(super::bench::large());
    b.apply(&launch(0, 64, 16), 0);
    (0..63).for_each(|warp| assert_eq!(b.apply(&reduce(warp, 15, 0, RedOp::Popc, 32), 0), nothing()));
    assert_eq!(b.apply(&reduce(63, 15, 0, RedOp::Popc, 32), 0), reduced(15, u64::MAX, Reduction::Popc, 2048));
}
