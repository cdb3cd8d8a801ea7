// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each rule for the verdict of one run is needed: a program with several outcomes is not proved by this rule alone, so an error in the rule
//! would make the verdict wrong.

use super::parts::*;
use bcu_tb::interleavings::{compare_program, ArrivalForm, OpKind, Program, Token, Totals, Word};

/// The schedules in which the first run is tried: in some, the run itself has a fault, or another rule is broken too.
const SCHEDULES: u64 = 60;

/// Checks that in some schedule the run of a program is no proof by this rule alone, and in none a proof.
#[track_caller]
fn only(rule: &str, program: Program) {
    let mut totals = Totals::default();
    for seed in 1..=SCHEDULES {
        let wrong = compare_program(&program, seed, &mut totals);
        assert!(wrong.is_none(), "{}\n{}", wrong.unwrap_or_default(), program.ptx());
        if totals.rules.contains_key(rule) {
            return;
        }
    }
    panic!("{rule}: {:?} in {SCHEDULES} schedules\n{}", totals.rules, program.ptx());
}

fn arrival(form: ArrivalForm, drop: bool, token: Token) -> OpKind {
    OpKind::Arrive { at: M, count: 1, form, drop, relaxed: false, token }
}

/// Operations that take time, so that a copy may land before the next one.
fn late() -> Vec<OpKind> {
    [store(Word::Shared { word: 5, peer: false }, 1), OpKind::Fence { proxy: false }].repeat(2)
}

fn expecting(bytes: i32) -> OpKind {
    arrival(ArrivalForm::Expect(bytes), false, Token::Unused)
}

#[test]
fn memory() {
    only("memory", program(&[&[store(X, 1)], &[store(X, 2)]]));
}

#[test]
fn named_barrier() {
    let (arrive, by) = (OpKind::ArriveNamed { id: 1, count: 2 }, OpKind::Sync { id: 1, count: Some(2) });
    only("named barrier", program(&[&[arrive, arrive], &[by, by]]));
}

#[test]
fn mbarrier() {
    only("mbarrier", program(&[&[init(1), sync(0), expecting(16), bulk(1)], &[sync(0), arrive()]]));
}

#[test]
fn expectation_without_an_arrival() {
    let expects: &[OpKind] = &[sync(0), OpKind::ExpectTx { at: M, bytes: 16 }, bulk(1)];
    let loads: &[OpKind] = &[sync(0), wait(false), load(Y)];
    only("expectation without an arrival", program(&[&[init(2), sync(0), arrive()], &[sync(0), arrive()], expects, loads]));
}

#[test]
fn wait_after_the_phase_before() {
    let producer: &[OpKind] = &[init(1), sync(0), arrive(), wait(false), arrive()];
    let peek = OpKind::Peek { at: M, parity: true };
    only("wait after the phase before", program(&[producer, &[sync(0), wait(true), peek]]));
}

#[test]
fn wait_before_the_phase_after() {
    only("wait before the phase after", program(&[&[init(1), sync(0), arrive(), arrive()], &[sync(0), wait(false)]]));
}

#[test]
fn wait_that_no_loop_repeats() {
    let peek = OpKind::Peek { at: M, parity: false };
    only("wait that no loop repeats", program(&[&[init(1), sync(0), arrive()], &[sync(0), peek]]));
}

#[test]
fn state_that_an_arrival_returns() {
    let reported = arrival(ArrivalForm::Plain, false, Token::Reported);
    only("state that an arrival returns", program(&[&[init(2), sync(0), reported], &[sync(0), arrive()]]));
}

#[test]
fn init_before_the_other_operations() {
    only("init", program(&[&[init(1), expecting(16)], &[bulk(1)]]));
}

#[test]
fn invalidation_after_the_other_operations() {
    let inval = OpKind::Inval { at: M };
    only("invalidation", program(&[&[init(1), sync(0), arrive(), wait(false), inval], &[sync(0), wait(false)]]));
}

#[test]
fn last_drop() {
    let drop = arrival(ArrivalForm::Expect(16), true, Token::Unused);
    let first = [&[init(1), sync(0), bulk(1)][..], &late(), &[drop]].concat();
    only("last drop", program(&[&first, &[sync(0)]]));
}

#[test]
fn bytes_of_a_phase() {
    let first = [&[init(3), sync(0)][..], &late(), &[expecting((1 << 20) - 2)]].concat();
    only("bytes of a phase", program(&[&first, &[sync(0), expecting(16), bulk(1)], &[sync(0), wait(false)]]));
}

#[test]
fn shared_memory_of_another_cta() {
    let arrive = |relaxed| [OpKind::ArriveCluster { relaxed }, OpKind::WaitCluster];
    let peer = Word::Shared { word: 0, peer: true };
    let stores = [&arrive(false)[..], &[store(peer, 1)], &arrive(true)].concat();
    only("shared memory of another CTA", cluster(&stores, &[arrive(false), arrive(false)].concat()));
}
