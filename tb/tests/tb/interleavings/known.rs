// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs whose outcomes are known. Most are those that earlier rules for one run as a proof accepted wrongly.

use super::parts::*;
use bcu_tb::interleavings::{ArrivalForm, Mbar, Misuse, OpKind, Outcome, Reduction, Token, Word};
use std::collections::BTreeSet;

#[test]
fn unordered_accesses_have_all_their_outcomes() {
    assert_eq!(results(&[&[store(X, 1)], &[load(X)]]), values(&[&[0], &[1]]));
    // Accesses of one warp to different words take effect in any order; to one word in order.
    let all: [&[u32]; 4] = [&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    assert_eq!(results(&[&[store(X, 1), store(Y, 1)], &[load(X), load(Y)]]), values(&all));
    assert_eq!(results(&[&[store(X, 1), load(Y)], &[store(Y, 1), load(X)]]), values(&all));
    let fence = OpKind::Fence { proxy: false };
    let fenced: [&[u32]; 3] = [&[0, 1], &[1, 0], &[1, 1]];
    assert_eq!(results(&[&[store(X, 1), fence, load(Y)], &[store(Y, 1), fence, load(X)]]), values(&fenced));
    assert_eq!(results(&[&[store(X, 1), store(X, 2)], &[load(X), load(X)]]).len(), 6);
    assert_eq!(explored(&[&[store(X, 1)], &[store(X, 2)]]).outcomes.len(), 2);
    // Two loads of one word keep their order only if both are strong.
    let weak = OpKind::Load { at: X, strong: false };
    let in_order: [&[u32]; 3] = [&[0, 0], &[0, 1], &[1, 1]];
    assert_eq!(results(&[&[store(X, 1)], &[load(X), load(X)]]), values(&in_order));
    assert_eq!(results(&[&[store(X, 1)], &[weak, load(X)]]), values(&all));
    assert_eq!(results(&[&[store(X, 1)], &[load(X), weak]]), values(&all));
}

#[test]
fn a_barrier_orders_accesses() {
    assert_eq!(results(&[&[store(X, 1), sync(0)], &[sync(0), load(X)]]), values(&[&[1]]));
    let (arrive, two) = (OpKind::ArriveNamed { id: 1, count: 2 }, OpKind::Sync { id: 1, count: Some(2) });
    assert_eq!(results(&[&[store(X, 1), arrive], &[two, load(X)]]), values(&[&[1]]));
    // A warp that only arrives runs ahead.
    assert_eq!(results(&[&[arrive, store(X, 1)], &[two, load(X)]]), values(&[&[0], &[1]]));
    // An exit completes the barrier without a count, and does not order accesses.
    assert_eq!(results(&[&[store(X, 1)], &[sync(0), load(X)]]), values(&[&[0], &[1]]));
    let red = |predicate| OpKind::Reduce { id: 2, count: None, reduction: Reduction::Popc, predicate };
    assert_eq!(results(&[&[red(true)], &[red(false)], &[red(true)]]), values(&[&[64, 64, 64]]));
}

#[test]
fn barriers_in_opposite_orders_are_a_deadlock() {
    let by = |id: u8| OpKind::Sync { id, count: Some(2) };
    let hang = explored(&[&[by(1), by(2)], &[by(2), by(1)]]);
    assert!(hang.outcomes.len() == 1 && hang.outcomes.iter().all(Outcome::hangs), "{hang:?}");
    assert_eq!(results(&[&[sync(1), store(X, 1)], &[sync(2)]]), [None].into());
    // A counted barrier is not helped by an exit.
    let few = |outcomes: &BTreeSet<Outcome>| outcomes.iter().map(Outcome::hangs).collect::<Vec<_>>();
    assert_eq!(few(&explored(&[&[OpKind::Sync { id: 1, count: Some(2) }], &[]]).outcomes), [true]);
}

#[test]
fn misuse_of_named_barriers_is_found() {
    let by = |count: u8| OpKind::Sync { id: 1, count: Some(count) };
    only_misuse(&[&[by(2)], &[by(3)], &[]], "count_mismatch");
    only_misuse(&[&[by(3)], &[]], "count_exceeds_cta");
    only_misuse(&[&[OpKind::ArriveNamed { id: 1, count: 2 }], &[]], "barrier_left_open");
    let red = OpKind::Reduce { id: 1, count: Some(2), reduction: Reduction::Or, predicate: true };
    only_misuse(&[&[by(2)], &[red]], "kind_mismatch");
    // The second arrival comes before the warp that waits, or after it.
    let arrive = OpKind::ArriveNamed { id: 1, count: 2 };
    let explored = explored(&[&[arrive, arrive], &[by(2), by(2)]]);
    assert!(explored.outcomes.len() == 2 && explored.misuses == [Misuse("double_arrival")].into(), "{explored:?}");
}

#[test]
fn an_mbarrier_orders_accesses() {
    let whole: [&[OpKind]; 2] = [&[init(1), sync(0), store(X, 1), arrive()], &[sync(0), wait(false), load(X)]];
    assert_eq!(results(&whole), values(&[&[1]]));
    let weak: [&[OpKind]; 2] = [&[init(1), sync(0), store(X, 1), relaxed()], &[sync(0), wait(false), load(X)]];
    assert_eq!(results(&weak), values(&[&[0], &[1]]));
    // The other parity is over before the first phase ends, and not afterwards.
    let early: [&[OpKind]; 2] = [&[init(1), sync(0), store(X, 1), arrive()], &[sync(0), wait(true), load(X)]];
    assert_eq!(results(&early), [None, Some(vec![0]), Some(vec![1])].into());
    let peek = OpKind::Peek { at: M, parity: false };
    assert_eq!(results(&[&[init(1), sync(0), arrive()], &[sync(0), peek]]), values(&[&[0], &[1]]));
    assert_eq!(results(&[&[init(2), sync(0), arrive()], &[sync(0), wait(false)]]), [None].into());
    only_misuse(
        &[&[init(1), sync(0), arrive(), wait(false), OpKind::Inval { at: M }, arrive()], &[sync(0)]],
        "mbarrier_invalid",
    );
}

/// Program 1: the phase may end before the bytes are expected.
#[test]
fn bytes_that_are_expected_apart_from_the_arrivals_may_come_too_late() {
    let expect = OpKind::ExpectTx { at: M, bytes: 16 };
    let first: &[OpKind] = &[init(2), sync(0), arrive()];
    let loads: &[OpKind] = &[sync(0), wait(false), load(Y)];
    let four = results(&[first, &[sync(0), arrive()], &[sync(0), expect, bulk(1)], loads]);
    assert_eq!(four, values(&[&[0], &[102]]));
    // With the bytes in an arrival there is one outcome.
    let with =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Expect(16), drop: false, relaxed: false, token: Token::Unused };
    for pieces in [1, 2] {
        assert_eq!(results(&[first, &[sync(0), with, bulk(pieces)], loads]), values(&[&[102]]));
    }
}

/// Program 2: late, the wait for parity 1 looks ordered; early, it passes at once.
#[test]
fn a_wait_for_the_next_phase_may_pass_at_once() {
    let producer: &[OpKind] = &[init(1), sync(0), arrive(), wait(false), store(X, 1), arrive()];
    assert_eq!(results(&[producer, &[sync(0), wait(true), load(X)]]), values(&[&[0], &[1]]));
}

/// Program 3: of two stores of equal values only one is ordered before the third store.
#[test]
fn a_store_beside_an_equal_store_still_conflicts_with_a_third() {
    let (arrive, two) = (OpKind::ArriveNamed { id: 1, count: 2 }, OpKind::Sync { id: 1, count: Some(2) });
    assert_eq!(explored(&[&[store(X, 1)], &[store(X, 1), arrive], &[two, store(X, 2)]]).outcomes.len(), 2);
    assert_eq!(explored(&[&[store(X, 1)], &[store(X, 1), arrive], &[two]]).outcomes.len(), 1);
}

/// Program 4: a copy without a wait may land before or after a barrier.
#[test]
fn a_copy_without_a_wait_is_not_ordered_by_a_barrier() {
    let with =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Expect(16), drop: false, relaxed: false, token: Token::Unused };
    let found = results(&[&[init(1), sync(0), with, bulk(1), sync(0)], &[sync(0), sync(0), load(X)]]);
    assert_eq!(found, values(&[&[0], &[101]]));
}

/// Program 7: the state that an arrival returns shows the order of the arrivals.
#[test]
fn a_stored_state_shows_the_order_of_arrivals() {
    let reported =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: false, token: Token::Reported };
    let waited =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: false, token: Token::Waited };
    assert_eq!(explored(&[&[init(2), sync(0), reported], &[sync(0), arrive()]]).outcomes.len(), 2);
    let wait = OpKind::WaitToken { at: M, token: 2 };
    assert_eq!(explored(&[&[init(2), sync(0), waited, wait], &[sync(0), arrive()]]).outcomes.len(), 1);
}

/// Program 8: the first arrival of the next phase may come before the only wait for this phase.
#[test]
fn a_wait_may_be_lapped() {
    let first: &[OpKind] = &[init(1), sync(0), arrive(), arrive()];
    assert_eq!(results(&[first, &[sync(0), wait(false), load(X)]]), [None, Some(vec![0])].into());
    let first: &[OpKind] = &[init(2), sync(0), arrive(), arrive(), arrive()];
    assert_eq!(results(&[first, &[sync(0), wait(false)]]), values(&[&[]]));
}

#[test]
fn groups_of_copies_are_waited_for() {
    let copy = OpKind::CpAsync { tile: 0 };
    assert_eq!(results(&[&[copy, OpKind::CpWaitAll, load(X)]]), values(&[&[101]]));
    assert_eq!(results(&[&[copy, OpKind::CpWait { pending: 0 }, load(X)]]), values(&[&[0], &[101]]));
    assert_eq!(results(&[&[copy, OpKind::CpCommit, OpKind::CpWait { pending: 0 }, load(X)]]), values(&[&[101]]));
    assert_eq!(results(&[&[copy, OpKind::CpCommit, OpKind::CpWait { pending: 1 }, load(X)]]), values(&[&[0], &[101]]));
    for noinc in [false, true] {
        let arrival = OpKind::CpArrive { at: M, noinc };
        let mut first = vec![init(1), sync(0), copy, arrival];
        first.extend((!noinc).then_some(arrive()));
        assert_eq!(results(&[&first, &[sync(0), wait(false), load(X)]]), values(&[&[101]]));
    }
    let fence = OpKind::Fence { proxy: true };
    let (send, commit) = (OpKind::BulkStore { tile: 0, pieces: 1 }, OpKind::BulkCommit);
    let from = |read| OpKind::BulkWait { pending: 0, read };
    let sent = Word::Global { word: 4 };
    assert_eq!(results(&[&[store(X, 7), fence, send, commit, from(false), load(sent)]]), values(&[&[7]]));
    assert_eq!(results(&[&[store(X, 7), fence, send, commit, from(true), load(sent)]]), values(&[&[0], &[7]]));
    assert_eq!(explored(&[&[store(X, 7), fence, send, commit, from(true), store(X, 8)]]).outcomes.len(), 1);
    assert_eq!(explored(&[&[store(X, 7), fence, send, commit, store(X, 8)]]).outcomes.len(), 2);
}

#[test]
fn a_cluster_orders_accesses_to_the_other_cta() {
    let (arrive, relaxed) = (OpKind::ArriveCluster { relaxed: false }, OpKind::ArriveCluster { relaxed: true });
    let (wait_all, peer_x) = (OpKind::WaitCluster, Word::Shared { word: 0, peer: true });
    let end = [arrive, wait_all];
    let stores = |by| [&[store(peer_x, 1), by, wait_all][..], &end].concat();
    let loads = [&[arrive, wait_all, load(X)][..], &end].concat();
    assert_eq!(results_of(cluster(&stores(arrive), &loads)), values(&[&[1]]));
    assert_eq!(results_of(cluster(&stores(relaxed), &loads)), values(&[&[0], &[1]]));
    // An arrival of the other CTA, and an asynchronous store with its bytes.
    let peer = Mbar { number: 0, peer: true };
    let remote =
        OpKind::Arrive { at: peer, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: false, token: Token::Unused };
    let waits = [&[init(1), arrive, wait_all, wait(false), load(X)][..], &end].concat();
    assert_eq!(
        results_of(cluster(&[&[arrive, wait_all, store(peer_x, 1), remote][..], &end].concat(), &waits)),
        values(&[&[1]])
    );
    let expects =
        OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Expect(4), drop: false, relaxed: false, token: Token::Unused };
    let waits = [&[init(1), arrive, wait_all, expects, wait(false), load(X)][..], &end].concat();
    let sent = OpKind::StoreAsync { word: 0, value: 9, at: 0 };
    assert_eq!(results_of(cluster(&[&[arrive, wait_all, sent][..], &end].concat(), &waits)), values(&[&[9]]));
    let misuse = |first: &[OpKind]| explored_program(cluster(first, &[arrive, wait_all])).misuses;
    assert_eq!(misuse(&[arrive, arrive]), [Misuse("cluster_double_arrival")].into());
    assert_eq!(misuse(&[wait_all]), [Misuse("cluster_wait_without_arrival")].into());
}
