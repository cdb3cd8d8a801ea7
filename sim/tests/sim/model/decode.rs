// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `decode` at its ports: instruction words, faults, the two registers.

use super::bench::{small, unit, Random};
use bcu_model::bench::Bench;
use bcu_model::latency::DECODE_OP;
use bcu_model::op::{Code, Kind};

const OP: [&str; 7] = ["op_kind", "op_fault", "op_uniform", "op_warp", "op_cta", "op_id", "op_count"];

/// A BAR word: stype, mode (0 SYNC, 1 ARV), and fields already in their place; guard PT.
fn bar(stype: u128, mode: u128, fields: u128) -> u128 {
    0x1d | stype << 8 | 7 << 12 | mode << 80 | fields
}

/// A BAR_I word, whose id and count are immediate.
pub fn immediate(mode: u128, id: u128, count: u128) -> u128 {
    bar(0xb, mode, id << 40 | count << 44)
}

pub fn set_word(bench: &mut Bench, word: u128) {
    (0..4).for_each(|i| bench.set(&format!("instr_word_{i}"), (word >> (32 * i)) as u64 & 0xffff_ffff));
}

/// All warps live, none blocked, warp 5 in slot 1; all lanes execute with ra = 0x1234_5679, rb = 0x9abc_d02e.
pub fn ready() -> Bench {
    let mut bench = unit("decode", small());
    bench.set_all(&[("live", 0xff), ("warp_cta_0", 0b10_0000), ("instr_warp", 5), ("instr_active", 0xf), ("instr_guard", 0xf)]);
    bench.set_all(&[("instr_ra", 0x1234_5679), ("instr_rb", 0x9abc_d02e), ("instr_uniform", 1)]);
    bench
}

/// The operation of one word, sampled after the latency of `decode`.
pub fn decoded(bench: &mut Bench, word: u128) -> Vec<u64> {
    set_word(bench, word);
    bench.set_all(&[("instr_valid", 1), ("op_ready", 1)]);
    bench.cycle();
    bench.set("instr_valid", 0);
    assert_eq!(bench.until("op_valid"), DECODE_OP);
    bench.get_all(&OP)
}

const SYNC: u64 = Kind::Sync as u64;
const ARRIVE: u64 = Kind::Arrive as u64;
const ILLEGAL: u64 = Code::IllegalInstruction as u64;

#[test]
fn every_form_takes_its_operands_from_their_sources() {
    let mut bench = ready();
    let (ra, rb) = (4u128 << 24, 5u128 << 32);
    assert_eq!(decoded(&mut bench, immediate(0, 3, 0x80)), [SYNC, 0, 1, 5, 1, 3, 0x80]);
    assert_eq!(decoded(&mut bench, immediate(1, 15, 0xfff)), [ARRIVE, 0, 1, 5, 1, 15, 0xfff]);
    assert_eq!(decoded(&mut bench, bar(0x3, 0, ra | rb)), [SYNC, 0, 1, 5, 1, 9, 0x02e]);
    assert_eq!(decoded(&mut bench, bar(0x5, 1, rb | 0x60 << 44)), [ARRIVE, 0, 1, 5, 1, 0xe, 0x60]);
    assert_eq!(decoded(&mut bench, bar(0x9, 0, rb | 2 << 40)), [SYNC, 0, 1, 5, 1, 2, 0x02e]);
}

#[test]
fn lanes_can_only_differ_in_registers() {
    let mut bench = ready();
    bench.set("instr_uniform", 0);
    for (stype, uniform) in [(0xb, 1), (0x3, 0), (0x5, 0), (0x9, 0)] {
        assert_eq!(decoded(&mut bench, bar(stype, 0, 0))[2], uniform, "stype {stype:#x}");
    }
}

#[test]
fn a_bit_outside_the_fields_is_illegal() {
    let illegal = [SYNC, ILLEGAL, 1, 5, 1, 0, 0];
    let fields = |stype| match stype {
        0xb => 0xffff_u128 << 40,
        0x3 => 0xffff << 24,
        0x5 => 0xff << 32 | 0xfff << 44,
        _ => 0xfff << 32,
    };
    for stype in [0xb, 0x3, 0x5, 0x9] {
        let mut bench = ready();
        // The operands of the lanes differ, but the operation of an illegal instruction is uniform.
        bench.set("instr_uniform", 0);
        let mut allowed = 0;
        for bit in (12..128).filter(|bit| *bit != 80) {
            let word = bar(stype, 0, 0) ^ 1 << bit;
            let known = !(16..109).contains(&bit) || fields(stype) >> bit & 1 != 0;
            allowed += usize::from(known);
            let op = decoded(&mut bench, word);
            assert_eq!(op == illegal, !known, "stype {stype:#x} bit {bit}: {op:?}");
        }
        let operands = fields(stype).count_ones() as usize;
        assert_eq!(allowed, 4 + 19 + operands);
    }
}

#[test]
fn any_other_type_is_illegal() {
    let mut bench = ready();
    let illegal = [SYNC, ILLEGAL, 1, 5, 1, 0, 0];
    // In MBAR the bits of id and count are an offset.
    for optype in (0..=0xff).filter(|optype| ![0x1d, 0xdd, 0x1c, 0xe0, 0xe9, 0xea].contains(optype)) {
        assert_eq!(decoded(&mut bench, immediate(0, 1, 4) & !0xff | optype), illegal, "optype {optype:#x}");
    }
    // A word that is legal as BAR_I is not legal as B2R_I, where the count's bits belong to no field.
    assert_eq!(decoded(&mut bench, immediate(0, 1, 4) & !0xff | 0x1c), illegal);
    for stype in (0..16).filter(|stype| ![0xb, 0x3, 0x5, 0x9].contains(stype)) {
        assert_eq!(decoded(&mut bench, bar(stype, 1, 0)), illegal, "stype {stype:#x}");
    }
}

#[test]
fn faults_in_order_of_precedence() {
    let mut bench = ready();
    let illegal = immediate(1, 1, 4) & !0xff;
    bench.set_all(&[("live", 0xdf), ("blocked", 0x20)]);
    assert_eq!(decoded(&mut bench, illegal)[..2], [SYNC, Code::NotResident as u64]);
    // A fault found by `decode` keeps the fields of the word.
    assert_eq!(decoded(&mut bench, immediate(1, 1, 4)), [ARRIVE, Code::NotResident as u64, 1, 5, 1, 1, 4]);
    bench.set("live", 0xff);
    assert_eq!(decoded(&mut bench, illegal)[..2], [SYNC, Code::WarpBlocked as u64]);
    bench.set("blocked", 0xdf);
    assert_eq!(decoded(&mut bench, illegal)[..2], [SYNC, ILLEGAL]);
    assert_eq!(decoded(&mut bench, immediate(1, 1, 4))[..2], [ARRIVE, 0]);
}

/// An offer on a channel holds until its transfer, so `decode` uses the state of the warp in the first cycle of the offer.
#[test]
fn an_instruction_is_judged_in_the_first_cycle_of_its_offer() {
    let read = 0xb1c;
    for (port, word) in [("blocked", immediate(0, 3, 0)), ("full", read)] {
        for (first, then) in [(0, 0x20), (0x20, 0)] {
            for waits in 1..4 {
                let mut bench = ready();
                set_word(&mut bench, word);
                bench.set_all(&[("instr_valid", 1), ("op_ready", 0), (port, first)]);
                bench.cycle();
                bench.set(port, then);
                (1..waits).for_each(|_| bench.cycle());
                let expected = if first == 0 { 0 } else { Code::WarpBlocked as u64 };
                assert_eq!(decoded(&mut bench, word)[1], expected, "{port} {first:#x} then {then:#x}, {waits} cycles");
            }
        }
        // Every further offer is judged with the present state of the warp, also right after a transfer or after a withdrawn offer.
        let mut bench = ready();
        set_word(&mut bench, word);
        bench.set_all(&[("instr_valid", 1), ("op_ready", 0)]);
        bench.cycles(2);
        bench.set_all(&[("op_ready", 1), (port, 0x20)]);
        bench.cycle();
        bench.cycle();
        bench.set("instr_valid", 0);
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_fault"]), [1, 0]);
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_fault"]), [1, Code::WarpBlocked as u64]);
        bench.set_all(&[("instr_valid", 1), ("op_ready", 0), (port, 0)]);
        bench.cycle();
        bench.set("instr_valid", 0);
        bench.cycle();
        bench.set(port, 0x20);
        assert_eq!(decoded(&mut bench, word)[1], Code::WarpBlocked as u64);
    }
}

#[test]
fn without_an_executing_lane_nothing_happens() {
    let mut bench = ready();
    bench.set_all(&[("instr_active", 0b0011), ("instr_guard", 0b1100), ("instr_valid", 1), ("op_ready", 1)]);
    set_word(&mut bench, immediate(0, 0, 0));
    for _ in 0..5 {
        bench.cycle();
        assert_eq!((bench.get("op_valid"), bench.get("in_decode")), (0, 0));
    }
    // A fault does not depend on the executing lanes.
    bench.set("live", 0);
    assert_eq!(decoded(&mut bench, immediate(0, 0, 0))[1], Code::NotResident as u64);
    // One executing lane is enough.
    bench.set_all(&[("live", 0xff), ("instr_guard", 0b0110)]);
    assert_eq!(decoded(&mut bench, immediate(0, 0, 0))[1], 0);
}

#[test]
fn two_registers_that_move_together_and_an_operation_a_cycle() {
    let mut bench = ready();
    bench.set("instr_valid", 1);
    let offered_ids = |bench: &mut Bench, id: u128, op_ready: u64| {
        set_word(bench, immediate(1, id, 4));
        bench.set("op_ready", op_ready);
        bench.cycle();
        bench.get_all(&["op_valid", "op_id"])
    };
    // No instruction is accepted while `op_ready` is 0, even if both registers are free.
    for id in 0..3 {
        assert_eq!(offered_ids(&mut bench, id, 0)[0], 0);
    }
    // From here on each cycle with `op_ready` moves one instruction in and one operation out.
    assert_eq!(offered_ids(&mut bench, 3, 1)[0], 0);
    assert_eq!(offered_ids(&mut bench, 4, 1)[0], 0);
    assert_eq!(offered_ids(&mut bench, 5, 1), [1, 3]);
    assert_eq!(offered_ids(&mut bench, 6, 0), [1, 4]);
    assert_eq!(offered_ids(&mut bench, 7, 0), [1, 4]);
    assert_eq!(offered_ids(&mut bench, 8, 1), [1, 4]);
    assert_eq!(offered_ids(&mut bench, 9, 1), [1, 5]);
    bench.set("instr_valid", 0);
    assert_eq!(offered_ids(&mut bench, 0, 1), [1, 8]);
    assert_eq!(offered_ids(&mut bench, 0, 1), [1, 9]);
    assert_eq!(offered_ids(&mut bench, 0, 1)[0], 0);
}

/// Offers one word for one cycle, with `op_done` in the same cycle.
fn offer(bench: &mut Bench, warp: u64, word: u128, op_done: u64) {
    set_word(bench, word);
    bench.set_all(&[("instr_warp", warp), ("instr_valid", 1), ("op_done", op_done)]);
    bench.cycle();
    bench.set_all(&[("instr_valid", 0), ("op_done", 0)]);
}

fn on_their_way(bench: &mut Bench) -> u64 {
    bench.cycle();
    bench.get("in_decode")
}

#[test]
fn an_operation_is_on_its_way_until_it_has_settled() {
    let mut bench = ready();
    bench.set("op_ready", 1);
    offer(&mut bench, 5, immediate(0, 0, 0), 0);
    assert_eq!(bench.get("in_decode"), 0);
    bench.set("op_ready", 0);
    assert_eq!(on_their_way(&mut bench), 1 << 5, "also while no operation moves");
    bench.set("op_ready", 1);
    // An ARV and a faulty SYNC are in flight as well.
    offer(&mut bench, 2, immediate(1, 0, 4), 0);
    offer(&mut bench, 1, immediate(0, 0, 0) & !0xff, 0);
    for _ in 0..5 {
        assert_eq!(on_their_way(&mut bench), 1 << 5 | 1 << 2 | 1 << 1);
    }
    assert_eq!(bench.get("op_valid"), 0, "leaving the registers is not enough");
    bench.set("op_done", 1 << 2);
    assert_eq!(on_their_way(&mut bench), 1 << 5 | 1 << 2 | 1 << 1);
    bench.set("op_done", 1 << 5);
    assert_eq!(on_their_way(&mut bench), 1 << 5 | 1 << 1);
    bench.set("op_done", 0);
    assert_eq!(on_their_way(&mut bench), 1 << 1);
}

#[test]
fn where_one_edge_ends_and_begins_a_way_it_is_on_it() {
    let mut bench = ready();
    bench.set("op_ready", 1);
    offer(&mut bench, 5, immediate(0, 0, 0), 0);
    bench.cycle();
    offer(&mut bench, 5, immediate(0, 0, 0), 1 << 5);
    assert_eq!(on_their_way(&mut bench), 1 << 5);
    bench.reset();
    assert_eq!(on_their_way(&mut bench), 0);
}

#[test]
fn the_registers_keep_order_and_payload_under_random_stalls() {
    super::bench::for_seeds("the_registers_keep_order", 10, |seed| {
        let (mut random, mut bench) = (Random(seed), ready());
        let mut queued = std::collections::VecDeque::new();
        let (mut count, mut transfer_count) = (0u64, 0);
        for _ in 0..2000 {
            bench.set_all(&[("instr_valid", random.below(2)), ("op_ready", random.below(2))]);
            set_word(&mut bench, immediate(1, 0, u128::from(count & 0xfff)));
            let before = (bench.get("op_valid"), bench.get_all(&OP));
            let transferred = transfer_count == 1;
            bench.cycle();
            if before.0 == 1 && !transferred {
                assert_eq!((bench.get("op_valid"), bench.get_all(&OP)), before, "valid and payload hold until the transfer");
            }
            transfer_count = bench.get("op_valid") & bench.input("op_ready");
            if transfer_count == 1 {
                assert_eq!(Some(bench.get("op_count")), queued.pop_front());
            }
            if bench.input("op_ready") & bench.input("instr_valid") == 1 {
                queued.push_back(count & 0xfff);
                count += 1;
            }
        }
        assert!(count > 400);
    });
}
