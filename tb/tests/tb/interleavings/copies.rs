// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs with `cp.async` whose outcomes are known.

use super::parts::*;
use bcu_tb::interleavings::{ArrivalForm, OpKind, Outcome, Token, Value, Word};

const FIRST: OpKind = OpKind::CpAsync { tile: 1 };
const SECOND: OpKind = OpKind::CpAsync { tile: 0 };
const LAST: Word = Word::Shared { word: 5, peer: false };

fn arrival(noinc: bool) -> OpKind {
    OpKind::CpArrive { at: M, noinc }
}

/// Each arrival completes a phase.
#[test]
fn two_arrivals_after_a_copy_are_two_operations() {
    assert_eq!(explored(&[&[init(1), FIRST, arrival(true), arrival(true)]]).outcomes.len(), 1);
}

/// The end of the second copy does not take the place of the end of the first.
#[test]
fn an_arrival_waits_for_the_earlier_copies() {
    let first: &[OpKind] = &[init(1), sync(0), FIRST, arrival(true), SECOND];
    assert_eq!(results(&[first, &[sync(0), wait(false), load(LAST)]]), values(&[&[102]]));
}

/// The increment of the pending arrivals names the rank of the CTA.
#[test]
fn a_cta_of_rank_1_can_count_its_copies() {
    let second: &[OpKind] = &[init(1), FIRST, arrival(false), arrive(), wait(false), load(LAST)];
    assert_eq!(results_of(cluster(&[], second)), values(&[&[102]]));
}

/// A copy reads and writes after the earlier accesses of its warp to the same bytes; a bulk copy does not, and later accesses do not wait.
#[test]
fn a_copy_is_ordered_after_the_earlier_accesses_of_its_warp() {
    let wait_all = OpKind::CpWaitAll;
    assert_eq!(results(&[&[store(X, 1), SECOND, wait_all, load(X)]]), values(&[&[101]]));
    assert_eq!(results(&[&[load(X), SECOND, wait_all]]), values(&[&[0]]));
    let source = OpKind::Store { at: Word::Global { word: 0 }, value: Value::Constant(9), strong: true };
    assert_eq!(results(&[&[source, SECOND, wait_all, load(X)]]), values(&[&[9]]));
    assert_eq!(results(&[&[SECOND, store(X, 1), wait_all, load(X)]]), values(&[&[1], &[101]]));
    // The copy does not wait for accesses to other bytes.
    assert_eq!(results(&[&[store(LAST, 1), SECOND, wait_all], &[load(LAST), load(X)]]).len(), 4);
    let expects =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Expect(16), drop: false, relaxed: false, token: Token::Unused };
    let bulk: [&[OpKind]; 1] = [&[init(1), expects, store(X, 1), bulk(1), wait(false), load(X)]];
    assert_eq!(results(&bulk), values(&[&[1], &[101]]));
}

/// The outcomes of a program whose copies are all waited for do not depend on the order of their ends.
#[test]
fn a_wait_for_a_group_waits_for_each_of_its_copies() {
    let (commit, groups) = (OpKind::CpCommit, |pending| OpKind::CpWait { pending });
    let in_group: &[OpKind] = &[FIRST, SECOND, commit, groups(0), load(X), load(LAST)];
    assert_eq!(results(&[in_group]), values(&[&[101, 102]]));
    let of_two: &[OpKind] = &[FIRST, commit, SECOND, commit, groups(1), load(LAST)];
    assert_eq!(results(&[of_two]), values(&[&[102]]));
    let outcomes = explored(&[&[FIRST, commit, SECOND, commit, groups(1), load(X)]]).outcomes;
    assert!(outcomes.len() == 2 && !outcomes.contains(&Outcome::Misuse), "{outcomes:?}");
}
