// SPDX-License-Identifier: Apache-2.0 OR MIT
//! mbarrier objects: the word as on sm_90, the effects of operations on it, and each fault, also where several apply.

use super::bench::{for_seeds, Random};
use bcu_model::mbarrier_object::{MbarrierKind, Object};
use bcu_model::op::Code;
use MbarrierKind::*;

/// An object that expects `n` arrivals, after these operations; each has a number of arrivals and a number of bytes.
fn after(n: u32, operations: &[(MbarrierKind, u32, u32)]) -> Object {
    operations.iter().fold(Object::new(n), |object, (kind, n, t)| object.after(*kind, *n, *t, true).unwrap().0)
}

fn code(object: Object, kind: MbarrierKind, n: u32, t: u32) -> Code {
    object.after(kind, n, t, true).unwrap_err()
}

#[test]
fn words_are_those_observed_on_sm_90() {
    let observed = [
        (after(1, &[]), 0x7fff_f800_001f_fffe),
        (after(2, &[]), 0x7fff_f000_001f_fffc),
        (after(3, &[]), 0x7fff_e800_001f_fffa),
        (after(3, &[(Arrive, 1, 0)]), 0x7fff_f000_001f_fffa),
        (after(3, &[(Drop, 1, 0)]), 0x7fff_f000_001f_fffc),
        (after(3, &[(Expect, 0, 64)]), 0x7fff_ebff_f81f_fffa),
        (after(3, &[(Expect, 0, 0x12345)]), 0x7fff_ebdb_977f_fffa),
        (after(2, &[(Arrive, 1, 0), (Arrive, 1, 0)]), 0xffff_f000_001f_fffc),
        (after(32, &[]), 0x7fff_0000_001f_ffc0),
    ];
    for (object, word) in observed {
        assert_eq!(object.word(), word, "{object:?}: {:#x}", object.word());
        assert_eq!(Object::from_word(word), object);
    }
}

#[test]
fn every_word_is_read_and_written_back() {
    for_seeds("every_word_is_read_and_written_back", 4, |seed| {
        let mut random = Random(seed);
        for _ in 0..1000 {
            let word = random.next();
            assert_eq!(Object::from_word(word).word(), word);
        }
    });
}

#[test]
fn a_phase_completes_with_its_last_arrival_and_its_last_byte() {
    let all_but_bytes = after(2, &[(ArriveExpect, 1, 100), (Arrive, 1, 0)]);
    assert_eq!((all_but_bytes.phase, all_but_bytes.pending, all_but_bytes.tx), (false, 0, 100));
    let (complete, flips) = all_but_bytes.after(Complete, 0, 100, true).unwrap();
    assert!(flips && complete.phase);
    assert_eq!((complete.pending, complete.expected, complete.tx), (2, 2, 0));
    // Bytes may arrive before they are expected.
    let early = after(1, &[(Complete, 0, 100)]);
    assert_eq!((early.phase, early.tx), (false, -100));
    assert_eq!(early.after(ArriveExpect, 1, 100, true).map(|(object, flips)| (object.phase, flips)), Ok((true, true)));
    // A drop lowers the expected arrivals of later phases.
    let dropped = after(2, &[(Arrive, 1, 0), (Drop, 1, 0)]);
    assert_eq!((dropped.phase, dropped.pending, dropped.expected), (true, 1, 1));
    let pending = after(1, &[(AddPending, 3, 0), (Arrive, 3, 0)]);
    assert_eq!((pending.phase, pending.pending), (false, 1));
}

#[test]
fn the_last_drop_leaves_an_object_that_answers_waits_only() {
    let (spent, flips) = after(1, &[]).after(Drop, 1, 0, true).unwrap();
    assert!(flips && spent.spent && spent.phase);
    assert_eq!(spent.word(), 1 << 63 | 1 << 42);
    assert_eq!(spent.after(TestWait, 0, 0, true), Ok((spent, false)));
    assert_eq!(code(spent, Arrive, 1, 0), Code::MbarrierInvalid);
    // All expected participants drop out while bytes are outstanding.
    let owed = after(1, &[(Expect, 0, 8)]);
    assert_eq!(code(owed, Drop, 1, 0), Code::MbarrierDropToZero);
    assert_eq!(code(after(1, &[]), DropNoComplete, 1, 0), Code::MbarrierDropToZero);
}

#[test]
fn what_is_no_object_is_refused() {
    let valid = Object::new(1);
    let invalid = [
        Object::default(),
        Object { other_layout: true, ..valid },
        Object { spent: true, ..valid },
        Object { expected: 0, ..valid },
    ];
    for object in invalid {
        for kind in [Arrive, Drop, Expect, Complete, AddPending, TestWait, TryWait] {
            assert_eq!(code(object, kind, 1, 0), Code::MbarrierInvalid, "{object:?} {kind:?}");
        }
    }
    assert_eq!(code(Object::from_word(0), TryWait, 0, 0), Code::MbarrierInvalid);
}

#[test]
fn each_fault_comes_before_those_behind_it() {
    let top = (1 << 20) - 1;
    assert_eq!(code(after(top, &[]), AddPending, 1, 0), Code::MbarrierCount);
    assert_eq!(code(after(2, &[(Expect, 0, top)]), Expect, 0, 1), Code::MbarrierTxRange);
    assert_eq!(code(after(2, &[(Complete, 0, top)]), Complete, 0, 1), Code::MbarrierTxRange);
    assert_eq!(
        code(after(1, &[(Expect, 0, top)]), ArriveExpect, 2, (1 << 21) - 1),
        Code::MbarrierTxRange,
        "and too many arrivals"
    );
    assert_eq!(code(after(2, &[]), Drop, 3, 0), Code::MbarrierOverArrival, "and expected arrivals below 0");
    assert_eq!(code(after(2, &[(Expect, 0, 4), (Arrive, 2, 0)]), Arrive, 1, 0), Code::MbarrierOverArrival, "nothing pending");
    assert_eq!(code(after(2, &[(AddPending, 2, 0)]), Drop, 3, 0), Code::MbarrierDropToZero);
    assert_eq!(code(after(2, &[]), ArriveNoComplete, 2, 0), Code::MbarrierCompletes);
    assert_eq!(code(after(1, &[(Complete, 0, 4), (Arrive, 1, 0)]), Expect, 0, 4), Code::MbarrierExpectLate);
    // Values at the limits are legal.
    assert_eq!(after(1, &[(Complete, 0, top), (Expect, 0, top), (Expect, 0, top)]).tx, top as i32);
    assert_eq!(after(top - 1, &[(AddPending, 1, 0)]).pending, top);
}
