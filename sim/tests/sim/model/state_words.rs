// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State words: their layout, impossible words, and rows that are saved and restored.

use super::bench::{default_sizes, for_seeds, small, Random};
use super::ops::{arrive, cta, exit, fault, has_read, launch, nothing, op, read, reduce, release, released, sync, write};
use bcu_model::barriers::{Barriers, Effect};
use bcu_model::op::{Code, Kind, Operation, RedOp, StateWord};
use StateWord::{Barrier, Result, Warp};

fn barrier_word(b: &mut Barriers, warp: u8, id: u8) -> u32 {
    b.apply(&read(warp, Barrier, id), 0).read.unwrap().value
}

fn warp_word(b: &mut Barriers, warp: u8) -> u32 {
    b.apply(&read(warp, Warp, 0), 0).read.unwrap().value
}

#[test]
fn the_fields_of_a_barrier_stand_where_the_documents_have_them() {
    let mut b = cta(default_sizes(), 8);
    assert_eq!(b.apply(&read(0, Barrier, 5), 0), has_read(0, 0, false));
    b.apply(&sync(0, 0, 96), 0);
    assert_eq!(barrier_word(&mut b, 0, 0), 1 | 3 << 7 | 1 << 14 | 1 << 31);
    assert_eq!(barrier_word(&mut b, 1, 0), 1 | 3 << 7 | 1 << 14);
    b.apply(&reduce(1, 1, 0, RedOp::Popc, 30), 0);
    b.apply(&reduce(2, 1, 0, RedOp::Popc, 2), 0);
    assert_eq!(barrier_word(&mut b, 1, 1), 2 | 2 << 14 | 2 << 16 | 32 << 18 | 1 << 31);
    // AND is true while every contribution was true, OR once one was true.
    b.apply(&reduce(3, 2, 64, RedOp::And, 0), 0);
    assert_eq!(barrier_word(&mut b, 4, 2), 1 | 2 << 7 | 2 << 14 | 1 << 18);
    b.apply(&reduce(5, 3, 64, RedOp::And, 1), 0);
    assert_eq!(barrier_word(&mut b, 4, 3), 1 | 2 << 7 | 2 << 14);
    b.apply(&reduce(6, 4, 64, RedOp::Or, 1), 0);
    assert_eq!(barrier_word(&mut b, 4, 4), 1 | 2 << 7 | 2 << 14 | 1 << 16 | 1 << 18);
}

#[test]
fn the_fields_of_a_warp_stand_where_the_documents_have_them() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(warp_word(&mut b, 0), 3 << 12);
    b.apply(&reduce(0, 1, 0, RedOp::Popc, 7), 0);
    assert_eq!(warp_word(&mut b, 0), 3 << 12 | 1 << 14 | 1 << 15);
    b.apply(&reduce(1, 1, 0, RedOp::Popc, 8), 0);
    assert_eq!(warp_word(&mut b, 0), 15 | 2 << 12);
    b.apply(&sync(0, 9, 64), 0);
    assert_eq!(warp_word(&mut b, 0), 15 | 2 << 12 | 1 << 14 | 9 << 15);
    b.apply(&sync(1, 9, 64), 0);
    b.apply(&reduce(1, 2, 32, RedOp::And, 0), 0);
    assert_eq!(warp_word(&mut b, 1), 1);
}

#[test]
fn reads_are_refused_for_what_they_use() {
    let mut b = cta(default_sizes(), 2);
    b.apply(&launch(0, 2, 4), 0);
    let code = |b: &mut Barriers, op: Operation| b.apply(&op, 0).fault.map(|f| f.code);
    assert_eq!(code(&mut b, read(0, Barrier, 4)), Some(Code::IdOutOfRange));
    assert_eq!(code(&mut b, Operation { uniform: false, ..read(0, Barrier, 4) }), Some(Code::IdOutOfRange));
    assert_eq!(code(&mut b, read(0, Warp, 4)), None);
    assert_eq!(code(&mut b, Operation { uniform: false, ..read(0, Warp, 4) }), Some(Code::OperandNotUniform));
    assert_eq!(code(&mut b, Operation { uniform: false, ..read(0, Result, 4) }), Some(Code::OperandNotUniform));
    assert_eq!(code(&mut b, read(0, Result, 4)), Some(Code::NoResult));
    assert_eq!(code(&mut b, Operation { fault: Code::NotResident, ..read(0, Result, 4) }), Some(Code::NotResident));
    assert_eq!(code(&mut b, write(0, Barrier, 4, 1 << 30)), Some(Code::IdOutOfRange));
    assert_eq!(code(&mut b, Operation { uniform: false, ..write(0, Barrier, 3, 1 << 30) }), Some(Code::OperandNotUniform));
    assert_eq!(code(&mut b, write(0, Warp, 15, 3 << 12)), None);
}

/// A CTA of four warps launched, three live, with four barriers: warp 0 waits at 3 with a count, warp 1 has arrived at 2.
fn scene() -> Barriers {
    let mut b = Barriers::new(default_sizes());
    b.apply(&Operation { live: 3, ..launch(0, 4, 4) }, 0);
    b.apply(&sync(0, 3, 96), 0);
    b.apply(&arrive(1, 2, 96), 0);
    b
}

#[test]
fn every_impossible_barrier_word_is_refused() {
    let (sync, and, or, popc) = (1 << 14, 2 << 14, 2 << 14 | 1 << 16, 2 << 14 | 2 << 16);
    let good = [
        0,
        1 | sync,
        2 | sync | 1 << 31,
        3 | 4 << 7 | sync,
        1 | and,
        1 | and | 1 << 18,
        1 | 2 << 7 | or | 1 << 18,
        2 | 4 << 7 | popc | 64 << 18,
        1 | popc,
    ];
    let bad = [
        ("bit 30", 1 | sync | 1 << 30),
        ("bit 30 alone", 1 << 30),
        ("kind 3", 1 | 3 << 14),
        ("kind 0 with a count", 1),
        ("kind 0 with expected", 2 << 7),
        ("kind 0 with a redop", 1 << 16),
        ("kind 0 with an accumulator", 1 << 18),
        ("kind 0 with an arrived bit", 1 << 31),
        ("no warp has arrived", sync),
        ("no warp has arrived at a reduction", 2 << 7 | popc),
        ("sync with a redop", 1 | sync | 1 << 16),
        ("sync with an accumulator", 1 | sync | 1 << 18),
        ("redop 3", 1 | 2 << 14 | 3 << 16),
        ("AND above 1", 1 | and | 2 << 18),
        ("OR above 1", 1 | or | 2 << 18),
        ("POPC above its lanes", 1 | 3 << 7 | popc | 33 << 18),
        ("expected above launched", 1 | 5 << 7 | sync),
        ("complete", 2 | 2 << 7 | sync),
        ("more than complete", 3 | 2 << 7 | sync),
        ("more than live", 4 | sync),
    ];
    for word in good {
        let mut b = scene();
        assert_eq!(b.apply(&write(2, Barrier, 1, word), 0), nothing(), "{word:#x}");
        assert_eq!(barrier_word(&mut b, 2, 1), word, "{word:#x}");
    }
    for (why, word) in bad {
        let mut b = scene();
        let before = b.row(0, 1).copied();
        let op = write(2, Barrier, 1, word);
        assert_eq!(b.apply(&op, 0), fault(&op, Code::BadStateWord), "{why}");
        assert_eq!(b.row(0, 1).copied(), before, "{why}");
    }
    // No word may be written to a row in which a warp waits; every legal word may be written to a row in which only an ARV has arrived.
    let mut b = scene();
    for word in good {
        assert_eq!(b.apply(&write(2, Barrier, 3, word), 0).fault.unwrap().code, Code::BadStateWord, "{word:#x}");
    }
    assert_eq!(b.apply(&write(2, Barrier, 2, 0), 0), nothing());
    assert_eq!((b.row(0, 2), b.slot(0).open_rows), (Some(&Default::default()), 1));
}

#[test]
fn every_impossible_warp_word_is_refused() {
    let none = 3 << 12;
    let good = [none, 1, 1 << 12, 1 | 1 << 12, 128 | 2 << 12, none | 1 << 19, none | 1 << 14 | 2 << 15];
    let bad = [
        ("a bit above 19", none | 1 << 20),
        ("bit 31", none | 1 << 31),
        ("no result with a value", none | 1),
        ("AND above 1", 2),
        ("OR above 1", 2 | 1 << 12),
        ("POPC above the lanes launched", 129 | 2 << 12),
        ("an id without waiting", none | 2 << 15),
        ("an id that is not declared", none | 1 << 14 | 4 << 15),
        ("a barrier where it has not arrived", none | 1 << 14 | 1 << 15),
    ];
    for word in good {
        let mut b = scene();
        let op = write(1, Warp, 0, word);
        assert_eq!(b.commit(&op).traps, word >> 19 & 1 == 1, "`warp_status` holds the trapped warps");
        assert_eq!(b.apply(&op, 0), nothing(), "{word:#x}");
        assert_eq!(warp_word(&mut b, 1), word & !(1 << 19));
    }
    for (why, word) in bad {
        let mut b = scene();
        let op = write(1, Warp, 0, word);
        assert_eq!(b.apply(&op, 0), fault(&op, Code::BadStateWord), "{why}");
        assert_eq!(warp_word(&mut b, 1), none, "{why}");
    }
    // The word is for a warp that already waits.
    let mut b = scene();
    assert_eq!(b.apply(&write(0, Warp, 0, none), 0).fault.unwrap().code, Code::BadStateWord);
    assert_eq!(b.warps().waiting, 1);
}

#[test]
fn a_word_that_completes_its_generation_does_so_at_once() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&write(0, Barrier, 3, 2 | 1 << 14), 0), released(0, 3, 0));
    assert_eq!((b.slot(0).last_uncounted, b.slot(0).open_rows), (0, 0), "no row is open that an exit could complete");
    // The exit reads the row of the id that a Write has named last.
    assert_eq!(b.apply(&write(0, Barrier, 5, 1 | 1 << 14 | 1 << 31), 0), nothing());
    assert_eq!(b.apply(&write(0, Warp, 0, 3 << 12 | 1 << 14 | 5 << 15), 0), nothing());
    assert_eq!(b.warps().waiting, 0b01);
    assert_eq!(b.apply(&exit(1), 0), released(0, 5, 0b01));
    assert_eq!(b.warps().waiting, 0);
}

#[test]
fn a_word_that_completes_its_generation_does_not_hide_an_open_barrier_from_an_exit() {
    let mut b = cta(default_sizes(), 2);
    assert_eq!(b.apply(&sync(0, 1, 0), 0), nothing());
    assert_eq!(b.apply(&write(1, Barrier, 2, 2 | 1 << 14), 0), released(0, 2, 0));
    assert_eq!(b.apply(&exit(1), 0), released(0, 1, 0b01));
}

/// All state that the warps can read: the words of a CTA in slot `cta` with these warps.
fn saved(b: &mut Barriers, cta: u8, warps: u64) -> Vec<Operation> {
    let mut words = vec![];
    for (id, warp) in (0..8).flat_map(|id| (0..8).map(move |warp| (id, warp))).filter(|(_, w)| warps >> w & 1 != 0) {
        let at = |op| Operation { cta, ..op };
        words.push(at(write(warp, Barrier, id, b.apply(&at(read(warp, Barrier, id)), 0).read.unwrap().value)));
    }
    for warp in (0..8).filter(|w| warps >> w & 1 != 0) {
        words.push(Operation { cta, ..write(warp, Warp, 0, warp_word(b, warp)) });
    }
    words
}

#[test]
fn a_cta_that_is_saved_and_restored_elsewhere_goes_on_as_if_nothing_had_been() {
    for_seeds("a_cta_that_is_saved", 40, |seed| {
        let (mut random, mut b) = (Random(seed), Barriers::new(small()));
        let mut live = 0xf_u64;
        b.apply(&launch(0, 4, 8), 0);
        let mut step = |b: &mut [&mut Barriers], cta: u8, live: &mut u64| {
            let able = *live & !b[0].warps().waiting;
            if able == 0 {
                return vec![nothing(); b.len()];
            }
            let warp = (0..).map(|_| random.below(4)).find(|w| able >> w & 1 != 0).unwrap() as u8;
            let id = random.below(3) as u8;
            let count = [0, 8, 12][id as usize];
            let redop = RedOp::from_value(random.below(3));
            let value = random.below(if redop == RedOp::Popc { 5 } else { 2 }) as u8;
            let kind = [Kind::Sync, Kind::Arrive, Kind::Reduce, Kind::Reduce, Kind::Exit][random.below(5) as usize];
            *live &= if kind == Kind::Exit { !(1 << warp) } else { u64::MAX };
            let op = Operation { redop, value, ..op(kind, warp, id, count) };
            // The restored CTA is in slot 1, with warp slots 4 to 7.
            let place = |moved: bool| Operation { warp: warp + 4 * u8::from(moved), cta: u8::from(moved), ..op };
            assert_eq!(cta, 0);
            b.iter_mut().enumerate().map(|(i, b)| b.apply(&place(i == 1), 0)).collect()
        };
        for _ in 0..random_length(seed) {
            step(&mut [&mut b], 0, &mut live);
        }
        let words = saved(&mut b, 0, 0xf);
        let mut moved = b.clone();
        moved.apply(&release(0, 0xf, true), 0);
        (0..8).for_each(|id| assert_eq!(moved.clear_row(0, id, true), nothing()));
        assert_eq!(moved.warps().waiting, 0);
        moved.apply(&Operation { live: live.count_ones() as u8, ..launch(1, 4, 8) }, 0);
        for word in &words {
            let effect = moved.apply(&Operation { warp: word.warp + 4, cta: 1, ..*word }, 0);
            assert_eq!((effect.fault, effect.release), (None, None), "{word:?}");
        }
        for id in 0..8 {
            let (one, other) = (b.row(0, id).unwrap(), moved.row(1, id).unwrap());
            assert_eq!((one.arrived << 4, one.waiting << 4), (other.arrived, other.waiting), "id {id}");
            assert_eq!((one.count, one.expected, one.result()), (other.count, other.expected, other.result()), "id {id}");
        }
        assert_eq!(b.warps().waiting << 4, moved.warps().waiting);
        for _ in 0..40 {
            let effects = step(&mut [&mut b, &mut moved], 0, &mut live);
            let [one, other] = &effects[..] else { panic!("two effects") };
            let release = |e: &Effect| e.release.map(|r| (r.id, r.result));
            assert_eq!((release(one), one.fault.map(|f| f.code)), (release(other), other.fault.map(|f| f.code)));
            assert_eq!(one.release.map_or(0, |r| r.warps << 4), other.release.map_or(0, |r| r.warps));
            assert_eq!(b.warps().waiting << 4, moved.warps().waiting);
        }
    });
}

/// The number of operations before a CTA is saved.
fn random_length(seed: u64) -> u64 {
    1 + seed % 13
}
