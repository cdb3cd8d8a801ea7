// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `decode` at its ports: reductions and state words, with all fields of their operations.

use super::bench::{default_sizes, small, unit};
use super::decode::{decoded, ready};
use bcu_model::bench::Bench;
use bcu_model::op::{Code, Form, Kind, RedOp, StateWord};
use bcu_model::Sizes;

const REST: [&str; 11] =
    ["op_kind", "op_fault", "op_uniform", "op_id", "op_count", "op_redop", "op_state", "op_data", "op_votes", "op_rd", "op_pu"];

const REDUCE: u64 = Kind::Reduce as u64;
const READ: u64 = Kind::Read as u64;
const WRITE: u64 = Kind::Write as u64;
const FENCE: u64 = Kind::Fence as u64;
const ILLEGAL: u64 = Code::IllegalInstruction as u64;

/// A word without guard: optype, stype, and fields already in their place.
fn word(optype: u128, stype: u128, fields: u128) -> u128 {
    optype | stype << 8 | 7 << 12 | fields
}

fn red(stype: u128, redop: u128, fields: u128) -> u128 {
    word(0xdd, stype, redop << 80 | fields)
}

fn other_fields(bench: &mut Bench, word: u128) -> Vec<u64> {
    decoded(bench, word);
    bench.get_all(&REST)
}

#[test]
fn every_reduction_takes_its_operands_and_its_votes() {
    let mut bench = ready();
    // Lanes 1 to 3 execute, the predicate is true in lanes 0, 1 and 3.
    bench.set_all(&[("instr_active", 0b1110), ("instr_guard", 0b1111), ("instr_predicate", 0b1011)]);
    let (rb, not) = (5u128 << 32, 1u128 << 101);
    let reduce = |id, count, redop: RedOp, votes| vec![REDUCE, 0, 1, id, count, redop as u64, 0, 0, votes, 255, 7];
    assert_eq!(other_fields(&mut bench, red(0xb, 0, 3 << 40 | 0x80 << 44 | 5 << 98)), reduce(3, 0x80, RedOp::And, 0b1010));
    assert_eq!(other_fields(&mut bench, red(0xb, 2, not)), reduce(0, 0, RedOp::Popc, 0b0100));
    // ra = 0x12345679, rb = 0x9abcd02e.
    assert_eq!(other_fields(&mut bench, red(0x3, 1, rb)), reduce(0xe, 0xd02, RedOp::Or, 0b1010));
    assert_eq!(other_fields(&mut bench, red(0x5, 1, rb | 0x60 << 44)), reduce(0xe, 0x60, RedOp::Or, 0b1010));
    assert_eq!(other_fields(&mut bench, red(0x9, 1, rb | 6 << 40)), reduce(6, 0x02e, RedOp::Or, 0b1010));
    assert_eq!(bench.get("op_lanes"), 0b1110);
    bench.set("instr_uniform", 0);
    for (stype, uniform) in [(0xb, 1), (0x3, 0), (0x5, 0), (0x9, 0)] {
        assert_eq!(other_fields(&mut bench, red(stype, 0, 0))[2], uniform, "stype {stype:#x}");
    }
    // A BAR has no votes.
    assert_eq!(other_fields(&mut bench, word(0x1d, 0xb, 0))[8], 0);
}

#[test]
fn packed_registers_are_read_from_the_bit_of_the_configuration() {
    let mut bench = unit("decode", Sizes::new(8, 4, 2, 8, 16, 3).unwrap());
    bench.set_all(&[("live", 0xff), ("instr_warp", 5), ("instr_active", 0xf), ("instr_guard", 0xf)]);
    bench.set_all(&[("instr_rb", 0x9abc_d02e), ("instr_uniform", 1)]);
    assert_eq!(other_fields(&mut bench, red(0x3, 2, 0))[3..5], [0xe, 0xabc]);
}

#[test]
fn a_fence_is_its_warps_whatever_form_is_asked() {
    for form in [Form::Raw, Form::Aligned, Form::Gathered] {
        let mut bench = ready();
        bench.set_all(&[("instr_uniform", 0), ("instr_predicate", 0xf), ("instr_form", form as u64), ("instr_active", 0b0100)]);
        assert_eq!(other_fields(&mut bench, word(0xe3, 0x3, 0)), [FENCE, 0, 1, 0, 0, 0, 0, 0, 0, 255, 7]);
        assert_eq!(bench.get_all(&["op_form", "op_lanes", "in_decode"]), [0, 0b0100, 1 << 5], "{form:?}");
    }
    // Every other source type is illegal, and a 1 in any bit other than the guard is illegal.
    for stype in (0..16).filter(|stype| *stype != 0x3) {
        assert_eq!(other_fields(&mut ready(), word(0xe3, stype, 0))[1], ILLEGAL, "stype {stype:#x}");
    }
    for bit in 16..109 {
        assert_eq!(other_fields(&mut ready(), word(0xe3, 0x3, 1 << bit))[1], ILLEGAL, "bit {bit}");
    }
    // A refused Fence is in flight as well.
    let mut bench = ready();
    bench.set("blocked", 1 << 5);
    assert_eq!(other_fields(&mut bench, word(0xe3, 0x3, 0))[..2], [FENCE, Code::WarpBlocked as u64]);
    assert_eq!(bench.get("in_decode"), 1 << 5);
}

#[test]
fn state_words_are_read_and_written() {
    let mut bench = ready();
    bench.set_all(&[("instr_uniform", 0), ("instr_predicate", 0xf)]);
    let state = |s: StateWord| s as u64;
    let (bar, id) = (1u128 << 80, 9u128 << 40);
    let read = |word, bench: &mut Bench| other_fields(bench, word);
    let b2r = |fields| word(0x1c, 0xb, 17 << 16 | fields);
    assert_eq!(read(b2r(bar | id), &mut bench), [READ, 0, 1, 9, 0, 0, state(StateWord::Barrier), 0, 0, 17, 7]);
    assert_eq!(read(b2r(id), &mut bench), [READ, 0, 1, 0, 0, 0, state(StateWord::Warp), 0, 0, 17, 7]);
    let result = word(0xdc, 0x3, 4 << 16 | 2 << 106);
    assert_eq!(read(result, &mut bench), [READ, 0, 1, 0, 0, 0, state(StateWord::Result), 0, 0, 4, 2]);
    let r2b = |fields| word(0x1e, 0x3, 8 << 24 | fields);
    let data = 0x1234_5679;
    assert_eq!(read(r2b(bar | id), &mut bench), [WRITE, 0, 0, 9, 0, 0, state(StateWord::Barrier), data, 0, 255, 7]);
    assert_eq!(read(r2b(id), &mut bench), [WRITE, 0, 0, 0, 0, 0, state(StateWord::Warp), data, 0, 255, 7]);
}

#[test]
fn a_bit_outside_the_fields_is_illegal() {
    // optype, stype, and the bits above bit 15 that belong to a field of this encoding.
    let (red_bits, mode) = (3u128 << 80 | 0xf << 98, 1u128 << 80);
    let forms = [
        (0xdd, 0xb, red_bits | 0xffff << 40),
        (0xdd, 0x3, red_bits | 0xff << 32),
        (0xdd, 0x5, red_bits | 0xff << 32 | 0xfff << 44),
        (0xdd, 0x9, red_bits | 0xfff << 32),
        (0x1c, 0xb, mode | 0xff << 16 | 0xf << 40),
        (0xdc, 0x3, 0xff << 16 | 7 << 106),
        (0x1e, 0x3, mode | 0xff << 24 | 0xf << 40),
    ];
    let mut bench = ready();
    bench.set("instr_uniform", 0);
    for (optype, stype, fields) in forms {
        for bit in 12..128 {
            let op = other_fields(&mut bench, word(optype, stype, 0) ^ 1 << bit);
            let known = !(16..109).contains(&bit) || fields >> bit & 1 != 0;
            assert_eq!(op[1], if known { 0 } else { ILLEGAL }, "optype {optype:#x} stype {stype:#x} bit {bit}");
            if !known {
                assert_eq!(op, [0, ILLEGAL, 1, 0, 0, 0, 0, 0, 0, 255, 7]);
            }
        }
        for other in (0..16).filter(|s| *s != stype && !(optype == 0xdd && [0xb, 0x3, 0x5, 0x9].contains(s))) {
            assert_eq!(other_fields(&mut bench, word(optype, other, 0))[1], ILLEGAL, "optype {optype:#x} stype {other:#x}");
        }
    }
    assert_eq!(other_fields(&mut bench, red(0xb, 3, 0))[1], ILLEGAL, "redop 3");
}

#[test]
fn a_blocked_warp_may_read_and_write_its_state() {
    let mut bench = ready();
    bench.set("blocked", 0x20);
    for legal in [word(0x1c, 0xb, 0), word(0xdc, 0x3, 0), word(0x1e, 0x3, 0)] {
        assert_eq!(other_fields(&mut bench, legal)[1], 0);
        // An illegal word of a blocked warp gives `warp_blocked`.
        assert_eq!(other_fields(&mut bench, legal | 1 << 60)[..2], [0, Code::WarpBlocked as u64]);
    }
    assert_eq!(other_fields(&mut bench, red(0xb, 2, 3 << 40))[..4], [REDUCE, Code::WarpBlocked as u64, 1, 3]);
    bench.set("live", 0);
    assert_eq!(other_fields(&mut bench, word(0x1c, 0xb, 0))[..2], [READ, Code::NotResident as u64]);
}

#[test]
fn whose_second_operation_is_parked_may_not_even_read() {
    let mut bench = ready();
    bench.set("full", 0x20);
    for legal in [word(0x1c, 0xb, 0), word(0xdc, 0x3, 0), word(0x1e, 0x3, 0)] {
        assert_eq!(other_fields(&mut bench, legal)[1], Code::WarpBlocked as u64);
    }
    // All other instructions depend on `blocked` alone.
    assert_eq!(other_fields(&mut bench, red(0xb, 2, 0))[1], 0);
    assert_eq!(other_fields(&mut bench, word(0x1c, 0xb, 1 << 60))[1], ILLEGAL);
}

#[test]
fn a_reduce_has_a_form_as_a_sync_has() {
    for form in [Form::Raw, Form::Aligned, Form::Gathered] {
        let mut bench = ready();
        bench.set("instr_form", form.value());
        decoded(&mut bench, red(0xb, 1, 0));
        assert_eq!(bench.get_all(&["in_decode", "op_form"]), [1 << 5, form.value()]);
    }
}

#[test]
fn only_arrivals_have_a_form() {
    let mut bench = ready();
    bench.set_all(&[("instr_form", Form::Gathered.value()), ("instr_members", 0b11)]);
    for (word, form) in [
        (word(0x1d, 0xb, 0), Form::Gathered),
        (word(0x1d, 0xb, 1 << 80 | 4 << 44), Form::Gathered),
        (red(0xb, 0, 0), Form::Gathered),
        (word(0x1c, 0xb, 0), Form::Raw),
        (word(0x1e, 0x3, 0), Form::Raw),
        (word(0x1d, 0xb, 1 << 60), Form::Raw),
    ] {
        decoded(&mut bench, word);
        assert_eq!(bench.get_all(&["op_form", "op_members"]), [form.value(), 0], "{word:#x}");
    }
}

#[test]
fn lanes_that_meet_have_no_word() {
    for form in [Form::WarpSync, Form::Elect] {
        let mut bench = ready();
        bench.set_all(&[
            ("instr_form", form.value()),
            ("instr_members", 0b1010),
            ("instr_active", 0b0010),
            ("instr_uniform", 0),
        ]);
        for any in [0, word(0x1c, 0xb, 1 << 80), word(0x1e, 0x3, 9 << 40), red(0xb, 2, 3 << 40), u128::MAX] {
            assert_eq!(other_fields(&mut bench, any), [0, 0, 1, 0, 0, 0, 0, 0, 0, 255, 7]);
            assert_eq!(bench.get_all(&["op_form", "op_members", "op_lanes"]), [form.value(), 0b1010, 0b0010]);
        }
        // A word that a blocked warp may issue under other forms is refused here.
        bench.set("blocked", 0x20);
        assert_eq!(other_fields(&mut bench, word(0x1c, 0xb, 0))[1], Code::WarpBlocked as u64);
        assert_eq!(bench.get("op_form"), form.value(), "a faulty operation keeps its form");
    }
}

/// The whole unit with a CTA of two warps.
fn whole(sizes: Sizes) -> Bench {
    let mut bench = unit("bcu", sizes);
    let lanes = u64::MAX >> (64 - sizes.lanes());
    bench.set_all(&[("fault_ready", 1), ("instr_active", lanes), ("instr_guard", lanes), ("instr_uniform", 1)]);
    bench.send("launch", &[("cta", 0), ("warps", 0b11), ("lanes", lanes), ("barriers", 8)]);
    bench.until("live");
    bench
}

fn issue(bench: &mut Bench, warp: u64, word: u128, predicate: u64) {
    bench.wait(|bench| bench.get("blocked") >> warp & 1 == 0 || word & 0xff != 0xdd);
    super::decode::set_word(bench, word);
    bench.send("instr", &[("warp", warp), ("predicate", predicate)]);
}

#[test]
fn a_reduction_goes_through_the_whole_unit_and_back() {
    use bcu_model::latency::{BCU_RELEASE, BCU_WRITEBACK};
    const BACK: [&str; 5] = ["writeback_warp", "writeback_value", "writeback_predicate", "writeback_rd", "writeback_pu"];
    let result = word(0xdc, 0x3, 4 << 16 | 2 << 106);
    for (redop, votes, value, written) in [
        (0, [0xffff_ffff, 0xffff_ffff], 1, (0, 1)),
        (0, [0xffff_ffff, 0xffff_fffe], 0, (0, 0)),
        (1, [0, 0x8000_0000], 1, (0, 1)),
        (1, [0, 0], 0, (0, 0)),
        (2, [0xffff, 0xff], 24, (24, 0)),
    ] {
        let mut bench = whole(default_sizes());
        issue(&mut bench, 0, red(0xb, redop, 0), votes[0]);
        issue(&mut bench, 1, red(0xb, redop, 0), votes[1]);
        assert_eq!(bench.until("release_valid"), BCU_RELEASE);
        assert_eq!(bench.get_all(&["release_reduction", "release_value"]), [redop as u64 + 1, value]);
        for warp in [1, 0] {
            issue(&mut bench, warp, result, 0);
            assert_eq!(bench.until("writeback_valid"), BCU_WRITEBACK);
            assert_eq!(bench.get_all(&BACK), [warp, written.0, written.1, 4, 2]);
        }
        bench.cycles(3);
        assert_eq!((bench.get("writeback_valid"), bench.get_all(&BACK)), (0, vec![0, written.0, written.1, 4, 2]));
    }
}

#[test]
fn lanes_that_do_not_execute_vote_for_nothing() {
    let mut bench = whole(small());
    bench.set("instr_guard", 0b0110);
    issue(&mut bench, 0, red(0xb, 0, 0), 0b0110);
    bench.set("instr_guard", 0b0001);
    issue(&mut bench, 1, red(0xb, 0, 0), 0b0001);
    bench.until("release_valid");
    assert_eq!(bench.get("release_value"), 1, "AND over executing lanes");
    bench.set("instr_guard", 0b0110);
    issue(&mut bench, 0, red(0xb, 2, 1 << 101), 0b1010);
    issue(&mut bench, 1, red(0xb, 2, 1 << 101), 0b1111);
    bench.until("release_valid");
    assert_eq!(bench.get("release_value"), 1, "only lane 2 executes with a false predicate");
}

#[test]
fn the_policy_stops_a_warp_that_may_still_save_itself() {
    let mut bench = whole(small());
    bench.set("fault_policy", 1);
    issue(&mut bench, 0, word(0x1d, 0xb, 1 << 80), 0);
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&["trapped", "blocked"]), [1, 1]);
    bench.set("fault_policy", 0);
    issue(&mut bench, 0, word(0x1c, 0xb, 9 << 16), 0);
    bench.until("writeback_valid");
    assert_eq!(bench.get_all(&["writeback_value", "writeback_rd", "writeback_pu"]), [3 << 12 | 1 << 19, 9, 7]);
    bench.set("instr_ra", 3 << 12);
    issue(&mut bench, 0, word(0x1e, 0x3, 0), 0);
    bench.wait(|bench| bench.get("blocked") == 0);
    assert_eq!(bench.get("trapped"), 0);
}
