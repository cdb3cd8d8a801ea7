// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `named` at its ports: the cycle of each effect, and the conditions of `op_ready`.

use super::bench::{small, tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::latency::{NAMED_EXIT_RELEASE, NAMED_FAULT, NAMED_READ, NAMED_RELEASE, NAMED_WAITING};
use bcu_model::op::{Code, Kind, StateWord};
use bcu_model::sizes::Parts;
use bcu_model::Sizes;

const RELEASE: [&str; 4] = ["release_valid", "release_cta", "release_id", "release_warps"];
const FAULT: [&str; 5] = ["fault_valid", "fault_code", "fault_warp", "fault_cta", "fault_id"];

fn op(kind: Kind, warp: u64, id: u64, count: u64) -> Vec<(&'static str, u64)> {
    vec![
        ("op_kind", kind.value()),
        ("op_fault", 0),
        ("op_uniform", 1),
        ("op_warp", warp),
        ("op_cta", 0),
        ("op_id", id),
        ("op_count", count),
        ("op_warps", 4),
        ("op_live", 4),
        ("op_barriers", 4),
        ("op_mask", 0xf),
        ("op_saved", 0),
        ("op_valid", 1),
    ]
}

/// Runs one cycle in which the operation is offered and accepted.
fn take(bench: &mut Bench, op: &[(&str, u64)]) {
    bench.set_all(op);
    bench.cycle();
    assert_eq!(bench.get("op_ready"), 1);
    bench.set("op_valid", 0);
}

/// Runs two cycles for an operation that takes two cycles of the unit. Asserts that the unit accepts no other operation in the second.
fn take_long(bench: &mut Bench, op: &[(&str, u64)]) {
    take(bench, op);
    bench.cycle();
    assert_eq!(bench.get("op_ready"), 0);
}

/// A Read or Write of a warp's word or of a barrier.
fn state(kind: Kind, warp: u64, of: StateWord, id: u64, data: u64) -> Vec<(&'static str, u64)> {
    let mut op = op(kind, warp, id, 0);
    op.extend([("op_state", of.value()), ("op_data", data)]);
    op
}

/// `tiny` after reset with a CTA of four warps in slot 0.
fn launched() -> Bench {
    launched_in(tiny())
}

fn launched_in(sizes: Sizes) -> Bench {
    let mut bench = unit("named", sizes);
    bench.until("op_ready");
    take_long(&mut bench, &op(Kind::Launch, 0, 0, 0));
    bench
}

#[test]
fn reset_clears_every_row_before_ready() {
    for (sizes, rows) in [(tiny(), 4), (small(), 16)] {
        let mut bench = unit("named", sizes);
        for cycle in 0..=rows + 2 {
            bench.cycle();
            // Cycle 0 is the first without reset.
            assert_eq!(bench.get("op_ready"), u64::from(cycle >= rows), "cycle {cycle}");
            assert_eq!(bench.get("clearing"), u64::from(cycle <= rows), "cycle {cycle}");
            assert_eq!(bench.get("fault_valid") + bench.get("release_valid") + bench.get("waiting"), 0);
        }
    }
}

#[test]
fn a_second_reset_starts_the_clearing_again() {
    let mut bench = unit("named", tiny());
    bench.cycles(5);
    bench.reset();
    bench.reset();
    assert_eq!(bench.until("op_ready"), 4 + 1);
}

#[test]
fn reset_forgets_everything() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    take(&mut bench, &op(Kind::Sync, 1, 1, 4));
    bench.reset();
    bench.cycle();
    assert!(bench.get_all(&RELEASE).iter().chain(&bench.get_all(&FAULT)).all(|value| *value == 0));
    assert_eq!((bench.get("waiting"), bench.get("clearing"), bench.get("op_ready")), (0, 1, 0));
    bench.until("op_ready");
    // No barrier is declared before a launch.
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    bench.until("fault_valid");
    assert_eq!(bench.get("fault_code"), Code::IdOutOfRange.value());
}

/// `tiny` has one CTA slot, but a slot number has one bit: the number 1 names a slot that does not exist.
#[test]
fn who_names_a_slot_that_is_not_built_is_not_resident() {
    for kind in Kind::ALL {
        let mut bench = launched();
        let astray = [("op_cta", 1), ("op_state", 1), ("op_data", 1 << 14 | 1)];
        take(&mut bench, &[op(*kind, 1, 2, 0), astray.to_vec()].concat());
        for _ in 0..6 {
            bench.cycle();
            let idle = bench.get_all(&["waiting", "clearing", "release_valid", "read_valid"]);
            assert_eq!(idle, [0; 4], "{kind:?}");
        }
        assert_eq!(bench.get_all(&["fault_valid", "fault_code", "fault_cta"]), [1, Code::NotResident.value(), 1], "{kind:?}");
        // The resident CTA still has four live warps.
        (0..4).for_each(|warp| take(&mut bench, &op(Kind::Sync, warp, 2, 0)));
        bench.until("release_valid");
        assert_eq!(bench.get("release_warps"), 0xf, "{kind:?}");
    }
    // An operation that already has a fault keeps it.
    let mut bench = launched();
    let occupied = [("op_cta", 1), ("op_fault", Code::SlotOccupied.value())];
    take(&mut bench, &[op(Kind::Launch, 0, 0, 0), occupied.to_vec()].concat());
    bench.until("fault_valid");
    assert_eq!(bench.get("fault_code"), Code::SlotOccupied.value());
}

#[test]
fn release_and_blocked_come_in_their_cycles() {
    let mut bench = launched();
    for warp in 0..4 {
        take(&mut bench, &op(Kind::Sync, warp, 2, 0));
        // An arrival is visible one cycle after its transfer: in this cycle `waiting` has the earlier warps only.
        assert_eq!(bench.get("waiting"), (1 << warp) - 1);
        assert_eq!(bench.get("release_valid"), 0);
    }
    for after in 1..=4 {
        bench.cycle();
        let released = after == NAMED_RELEASE;
        let payload = if after >= NAMED_RELEASE { 2 } else { 0 };
        assert_eq!(bench.get_all(&RELEASE), [u64::from(released), 0, payload, if released { 0xf } else { 0 }], "t+{after}");
        assert_eq!(bench.get("waiting"), if (NAMED_WAITING..NAMED_RELEASE).contains(&after) { 0xf } else { 0 });
    }
}

#[test]
fn one_generation_after_another_without_a_bubble() {
    let mut bench = launched();
    // Each operation completes its barrier alone, so there is a release in every cycle.
    for i in 0..12 {
        take(&mut bench, &op(Kind::Sync, i % 4, i % 3, 4));
        let released = i.checked_sub(NAMED_RELEASE);
        assert_eq!(bench.get_all(&RELEASE), released.map_or([0; 4], |i| [1, 0, i % 3, 1 << (i % 4)]), "cycle {i}");
        // The operations of the last two cycles are in flight; the warp of the operation before these has been released.
        let under_way = (i.saturating_sub(2)..i).fold(0, |warps, i| warps | 1 << (i % 4));
        assert_eq!(bench.get("waiting"), under_way);
    }
}

#[test]
fn one_barrier_completed_in_every_cycle() {
    let mut bench = launched();
    // Two warps arrive at one row in turn; every second arrival completes the generation that the arrival in the cycle before has opened.
    for i in 0..16u64 {
        take(&mut bench, &op(Kind::Sync, i % 4, 1, 8));
        let released = i.checked_sub(NAMED_RELEASE).filter(|i| i % 2 == 1);
        let shown = released.map_or((0, 0), |i| (1, 0b11 << (i % 4 - 1)));
        assert_eq!((bench.get("release_valid"), bench.get("release_warps")), shown, "cycle {i}");
    }
    bench.set("fault_ready", 1);
    bench.cycles(4);
    assert_eq!((bench.get("waiting"), bench.get("fault_valid")), (0, 0));
}

#[test]
fn an_exit_right_behind_the_arrival_that_it_completes() {
    // The exit reads the row of the last id without a count, which an arrival has named in the cycle before or earlier.
    for between in 0..3 {
        let mut bench = launched();
        take(&mut bench, &op(Kind::Sync, 0, 3, 0));
        take(&mut bench, &op(Kind::Sync, 1, 3, 0));
        take(&mut bench, &op(Kind::Sync, 2, 3, 0));
        bench.cycles(between);
        take(&mut bench, &op(Kind::Exit, 3, 0, 0));
        for after in 1..=NAMED_EXIT_RELEASE {
            bench.cycle();
            assert_eq!(bench.get("op_ready"), u64::from(after > 1), "t+{after}");
            assert_eq!(bench.get("release_valid"), u64::from(after == NAMED_EXIT_RELEASE), "t+{after}");
            let blocked = if after < NAMED_EXIT_RELEASE { 0b0111 } else { 0 };
            assert_eq!(bench.get("waiting"), blocked, "t+{after}");
        }
        assert_eq!(bench.get_all(&RELEASE), [1, 0, 3, 0b0111]);
    }
}

#[test]
fn an_arrival_behind_an_exit_finds_a_warp_fewer() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 1, 0));
    take(&mut bench, &op(Kind::Sync, 1, 1, 0));
    take_long(&mut bench, &op(Kind::Exit, 3, 0, 0));
    take(&mut bench, &op(Kind::Sync, 2, 1, 0));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 0, 1, 0b0111]);
}

#[test]
fn who_takes_two_slots_and_who_one() {
    let two = [op(Kind::Exit, 0, 0, 0), op(Kind::Launch, 0, 0, 0), state(Kind::Write, 0, StateWord::Warp, 0, 3 << 12)];
    let one = [
        op(Kind::Sync, 0, 0, 0),
        op(Kind::Arrive, 0, 0, 8),
        op(Kind::Reduce, 0, 0, 0),
        state(Kind::Read, 0, StateWord::Warp, 0, 0),
        state(Kind::Read, 0, StateWord::Barrier, 0, 0),
        state(Kind::Write, 0, StateWord::Barrier, 0, 0),
        op(Kind::Fence, 0, 0, 0),
    ];
    for (op, slots) in two.iter().map(|op| (op, 2)).chain(one.iter().map(|op| (op, 1))) {
        for code in [Code::None, Code::IllegalInstruction] {
            let mut bench = launched();
            let mut op = op.clone();
            op.push(("op_fault", code.value()));
            take(&mut bench, &op);
            for after in 1..=4 {
                bench.cycle();
                assert_eq!(bench.get("op_ready"), u64::from(after >= slots), "{op:?}, t+{after}");
                let faulty = code != Code::None && after >= slots + NAMED_FAULT - 1;
                assert_eq!(bench.get("fault_valid"), u64::from(faulty), "{op:?}, t+{after}");
            }
        }
    }
}

#[test]
fn a_read_shows_the_row_as_the_operations_before_it_left_it() {
    let mut bench = launched();
    bench.set("fault_ready", 1);
    // Arrivals and reads of one row in turn, one operation a cycle.
    let mut shown = vec![];
    for warp in 0..3 {
        for op in [op(Kind::Sync, warp, 2, 0), state(Kind::Read, 0, StateWord::Barrier, 2, 0)] {
            take(&mut bench, &op);
            shown.push((bench.get("read_valid"), bench.get("read_value") & 0x7f));
        }
    }
    for _ in 0..NAMED_READ {
        bench.cycle();
        shown.push((bench.get("read_valid"), bench.get("read_value") & 0x7f));
    }
    // The first read is the operation of cycle 1.
    assert_eq!(shown[1 + NAMED_READ as usize..], [(1, 1), (0, 1), (1, 2), (0, 2), (1, 3)]);
    assert!(shown[..1 + NAMED_READ as usize].iter().all(|read| *read == (0, 0)));
}

#[test]
fn a_read_of_a_warp_sees_nothing_of_what_comes_behind_it() {
    let mut bench = launched();
    let word = |bench: &mut Bench| {
        bench.until("read_valid");
        bench.get("read_value")
    };
    take(&mut bench, &state(Kind::Read, 1, StateWord::Warp, 0, 0));
    take(&mut bench, &op(Kind::Sync, 1, 3, 0));
    take(&mut bench, &state(Kind::Read, 1, StateWord::Warp, 0, 0));
    assert_eq!(word(&mut bench), 3 << 12, "before its arrival");
    assert_eq!(word(&mut bench), 3 << 12 | 1 << 14 | 3 << 15, "after its arrival");
    assert_eq!(bench.get("waiting"), 0b0010);
}

#[test]
fn a_warp_that_is_written_to_wait_is_blocked_from_the_next_cycle_on() {
    let mut bench = launched();
    // A row in which warp 2 has arrived, one of three, and the word of a warp that waits there.
    let word = 1 << 31 | 1 << 14 | 3 << 7 | 1;
    take(&mut bench, &state(Kind::Write, 2, StateWord::Barrier, 3, word));
    take(&mut bench, &state(Kind::Write, 2, StateWord::Warp, 0, 3 << 15 | 1 << 14 | 3 << 12));
    for after in 1..=4 {
        bench.cycle();
        assert_eq!(bench.get("waiting"), 0b0100, "t+{after}");
    }
    take(&mut bench, &op(Kind::Sync, 0, 3, 12));
    take(&mut bench, &op(Kind::Sync, 1, 3, 12));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b0111, 0));
}

#[test]
fn a_refused_word_of_a_warp_that_waits_is_shown_while_it_is_under_way() {
    let mut bench = launched();
    // Warp 2 has not arrived at any barrier; warp 0 already waits, and stays waiting.
    take(&mut bench, &op(Kind::Sync, 0, 1, 12));
    for (warp, after_it) in [(2, 0b0001), (0, 0b0001)] {
        take(&mut bench, &state(Kind::Write, warp, StateWord::Warp, 0, 3 << 15 | 1 << 14 | 3 << 12));
        for after in 1..=6 {
            bench.cycle();
            assert_eq!(bench.get("waiting"), if after <= 3 { 0b0001 | 1 << warp } else { after_it }, "t+{after}");
        }
        bench.set("fault_ready", 1);
        bench.cycle();
        bench.set("fault_ready", 0);
    }
    // An operation after the Write reads the state that the Write leaves.
    take(&mut bench, &state(Kind::Write, 2, StateWord::Warp, 0, 3 << 15 | 1 << 14 | 3 << 12));
    bench.cycle();
    take(&mut bench, &state(Kind::Read, 2, StateWord::Warp, 0, 0));
    assert_eq!((bench.until("read_valid"), bench.get("read_value")), (NAMED_READ, 3 << 12));
}

#[test]
fn an_arrival_under_way_is_shown_beside_a_wait_that_ends() {
    let mut bench = launched();
    // Warp 0 arrives again while it waits, which breaks a promise. Its second arrival is in flight when the barrier releases it.
    take(&mut bench, &op(Kind::Sync, 0, 1, 8));
    take(&mut bench, &op(Kind::Sync, 1, 1, 8));
    take(&mut bench, &op(Kind::Sync, 0, 2, 0));
    for after in 1..=6 {
        bench.cycle();
        let expected = if after < 2 { 0b11 } else { 0b01 };
        assert_eq!(bench.get("waiting"), expected, "t+{after}");
    }
}

#[test]
fn what_an_operation_does_to_its_warp_shows_in_the_cycle_of_its_effects() {
    const FLAGS: [&str; 5] = ["commit_warp_done", "commit_refused", "commit_traps", "commit_untraps", "commit_cta_release"];
    let with = |mut fields: Vec<(&'static str, u64)>, more: &[(&'static str, u64)]| {
        fields.extend(more);
        fields
    };
    let (blocked, nobody) = (("op_fault", Code::WarpBlocked.value()), ("op_fault", Code::NotResident.value()));
    let word = |bits: u64| [("op_state", StateWord::Warp.value()), ("op_data", 3 << 12 | bits)];
    let cases = [
        (op(Kind::Arrive, 1, 0, 8), 2, 0b10, [1, 0, 0, 0, 0]),
        (with(op(Kind::Arrive, 1, 0, 8), &[blocked]), 2, 0b10, [1, 1, 0, 0, 0]),
        (with(op(Kind::Arrive, 1, 0, 8), &[nobody]), 2, 0b10, [1, 0, 0, 0, 0]),
        (op(Kind::Exit, 1, 0, 0), 3, 0b10, [1, 0, 0, 0, 0]),
        (with(op(Kind::Exit, 1, 0, 0), &[blocked]), 3, 0b10, [0, 1, 0, 0, 0]),
        (with(op(Kind::Write, 1, 0, 0), &word(1 << 19)), 3, 0b10, [1, 0, 1, 0, 0]),
        (with(op(Kind::Write, 1, 0, 0), &word(0)), 3, 0b10, [1, 0, 0, 1, 0]),
        (with(op(Kind::Write, 1, 0, 0), &word(1 << 31)), 3, 0b10, [1, 1, 0, 0, 0]),
        (with(op(Kind::Release, 1, 0, 0), &[("op_mask", 0b1101)]), 3, 0b1101, [0, 0, 0, 0, 1]),
        (with(op(Kind::Release, 1, 0, 0), &[("op_mask", 0b1101), nobody]), 3, 0b1101, [0; 5]),
    ];
    for (fields, effect, warps, flags) in cases {
        let mut bench = launched();
        bench.cycles(3);
        take(&mut bench, &fields);
        for after in 1..=5 {
            bench.cycle();
            assert_eq!(bench.get("commit_valid"), u64::from(after == effect), "{fields:?}, t+{after}");
            if after == effect {
                assert_eq!((bench.get("commit_warps"), bench.get_all(&FLAGS)), (warps, flags.to_vec()), "{fields:?}");
            }
        }
    }
}

#[test]
fn a_read_of_a_warp_shows_whether_it_is_trapped_in_the_cycle_of_its_effects() {
    for at in 1..=4 {
        let mut bench = launched();
        let mut fields = op(Kind::Read, 2, 0, 0);
        fields.push(("op_state", StateWord::Warp.value()));
        take(&mut bench, &fields);
        for after in 1..=4 {
            bench.set("trapped", if after == at { 0b0100 } else { 0b1011 });
            bench.cycle();
        }
        assert_eq!(bench.get("read_value"), 3 << 12 | u64::from(at == 2) << 19, "t+{at}");
    }
}

#[test]
fn a_faulty_sync_blocks_its_warp_while_it_is_under_way() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 3, 0, 5));
    for after in 1..=NAMED_FAULT + 1 {
        bench.cycle();
        assert_eq!(bench.get("waiting"), if (NAMED_WAITING..NAMED_FAULT).contains(&after) { 0b1000 } else { 0 });
        let fault = if after < NAMED_FAULT { [0; 5] } else { [1, Code::CountNotWarpMultiple.value(), 3, 0, 0] };
        assert_eq!(bench.get_all(&FAULT), fault);
    }
    // The payload holds after the transfer.
    bench.set("fault_ready", 1);
    bench.cycles(2);
    assert_eq!(bench.get_all(&FAULT), [0, Code::CountNotWarpMultiple.value(), 3, 0, 0]);
}

#[test]
fn an_arrival_behind_a_faulty_one_keeps_its_warp_blocked() {
    let mut bench = launched();
    // The first SYNC of warp 0 is faulty, and its waiting bit is cleared while the second is in flight.
    take(&mut bench, &op(Kind::Sync, 0, 0, 5));
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    for _ in 0..5 {
        bench.cycle();
        assert_eq!(bench.get("waiting"), 1);
    }
}

#[test]
fn a_fault_from_upstream_is_no_sync() {
    let mut bench = launched();
    let mut faulty = op(Kind::Sync, 1, 0, 0);
    faulty.push(("op_fault", Code::WarpBlocked.value()));
    take(&mut bench, &faulty);
    for after in 1..=NAMED_FAULT {
        bench.cycle();
        assert_eq!(bench.get("waiting"), 0);
        assert_eq!(bench.get("fault_valid"), u64::from(after == NAMED_FAULT));
    }
    assert_eq!(bench.get("fault_code"), Code::WarpBlocked.value());
}

#[test]
fn no_fault_is_lost_while_its_channel_stalls() {
    let mut bench = launched();
    bench.set_all(&op(Kind::Arrive, 1, 3, 0));
    // Q = 4: every accepted operation has a place, in flight or in the queue.
    let mut ready = vec![];
    for _ in 0..8 {
        bench.cycle();
        ready.push(bench.get("op_ready"));
    }
    assert_eq!(ready, [1, 1, 1, 1, 0, 0, 0, 0]);
    bench.set("op_id", 2);
    bench.set("fault_ready", 1);
    let (mut ready, mut ids) = (vec![], vec![]);
    for _ in 0..10 {
        bench.cycle();
        ready.push(bench.get("op_ready"));
        ids.push((bench.get("fault_valid"), bench.get("fault_id")));
    }
    // From now on one fault leaves in each cycle. Of the accepted operations, three are in the queue and none in flight, then two and one,
    // then one and two.
    assert_eq!(ready, [0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(ids, [[(1, 3); 4].to_vec(), [(1, 2); 6].to_vec()].concat());
}

#[test]
fn with_lose_faults_nothing_waits_and_what_is_lost_is_counted() {
    let parts = Parts { lose_faults: true, ..small().parts() };
    let mut bench = launched_in(small().with(parts));
    bench.set_all(&op(Kind::Arrive, 1, 3, 0));
    let mut shown = vec![];
    for _ in 0..12 {
        bench.cycle();
        assert_eq!(bench.get("op_ready"), 1);
        shown.push(bench.get("lost_faults"));
    }
    // Twelve were accepted, in cycles 0 to 11. The effects of nine of them are visible in cycle 11: four faults are in the queue, and five
    // are lost.
    assert_eq!(shown, [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]);
    // A fault that leaves makes room in the queue from the next cycle on.
    bench.set_all(&[("op_id", 2), ("fault_ready", 1)]);
    let mut ids = vec![];
    for _ in 0..8 {
        bench.cycle();
        ids.push(bench.get("fault_id"));
    }
    assert_eq!(ids, [3, 3, 3, 3, 3, 2, 2, 2]);
    assert_eq!(bench.get("lost_faults"), 7);
    bench.reset();
    bench.cycle();
    assert_eq!(bench.get("lost_faults"), 0);
}

#[test]
fn the_number_of_lost_faults_stays_at_its_highest_value() {
    let parts = Parts { lose_faults: true, ..small().parts() };
    let mut bench = launched_in(small().with(parts));
    bench.set_all(&op(Kind::Arrive, 1, 3, 0));
    bench.cycles(65_536 + 10);
    assert_eq!(bench.get("lost_faults"), 65_535);
}

#[test]
fn a_fault_a_cycle_is_taken_as_fast_as_it_comes() {
    let mut bench = launched();
    bench.set("fault_ready", 1);
    for i in 0..40 {
        take(&mut bench, &op(Kind::Arrive, i % 4, i % 4, 0));
        let expected = i.checked_sub(NAMED_FAULT).map(|i| [1, Code::CountZeroArrive.value(), i % 4, 0, i % 4]);
        assert_eq!(bench.get_all(&FAULT), expected.unwrap_or([0; 5]), "cycle {i}");
    }
}

#[test]
fn however_the_fault_channel_stalls_every_fault_comes_out_in_order() {
    // Every operation has a fault, which its warp and id number, and takes one or two cycles of the unit. In cycle c `fault_ready` is bit
    // c % 6 of the pattern.
    for pattern in 0..64u64 {
        let mut bench = launched();
        let (mut sent_count, mut fault_count) = (0, 0);
        for cycle in 0..300u64 {
            let mut faulty =
                op(if sent_count % 5 == 3 { Kind::Exit } else { Kind::Arrive }, sent_count % 4, sent_count % 16, 0);
            faulty.push(("op_fault", Code::IllegalInstruction.value()));
            faulty.push(("op_valid", u64::from(cycle < 280)));
            bench.set_all(&faulty);
            bench.set("fault_ready", if cycle < 280 { pattern >> (cycle % 6) & 1 } else { 1 });
            bench.cycle();
            if bench.get("fault_valid") & bench.input("fault_ready") == 1 {
                assert_eq!(
                    bench.get_all(&FAULT[2..]),
                    [fault_count % 4, 0, fault_count % 16],
                    "pattern {pattern:06b}, cycle {cycle}"
                );
                fault_count += 1;
            }
            sent_count += bench.input("op_valid") & bench.get("op_ready");
        }
        assert_eq!(sent_count, fault_count, "pattern {pattern:06b}");
        assert!(sent_count >= 4);
    }
}

#[test]
fn after_a_clean_release_the_next_operation_is_four_cycles_later() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    for after in 1..=5 {
        bench.cycle();
        assert_eq!((bench.get("op_ready"), bench.get("clearing")), (u64::from(after >= 4), u64::from(after < 4)), "t+{after}");
        assert_eq!(bench.get("fault_valid"), 0);
    }
}

#[test]
fn a_release_that_is_a_fault_clears_nothing() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Arrive, 0, 1, 8));
    let mut faulty = op(Kind::Release, 0, 0, 0);
    faulty.push(("op_fault", Code::NotResident.value()));
    take(&mut bench, &faulty);
    for after in 1..=4 {
        bench.cycle();
        let late = u64::from(after >= 4);
        assert_eq!(bench.get_all(&["op_ready", "clearing", "fault_valid"]), [late, 0, late], "t+{after}");
    }
    // The barrier is still open.
    take(&mut bench, &op(Kind::Sync, 1, 1, 8));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
}

#[test]
fn a_release_clears_rows_from_four_cycles_after_it() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 0, 8));
    take(&mut bench, &op(Kind::Sync, 1, 2, 8));
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    bench.set("fault_ready", 1);
    // Row i is cleared in cycle t+4+i; its fault is visible three cycles later. The warps no longer wait at t+4.
    for after in 1..=11u64 {
        bench.cycle();
        assert_eq!(bench.get("waiting"), if after < 4 { 0b11 } else { 0 }, "t+{after}");
        assert_eq!(bench.get("clearing"), u64::from(after <= 8), "t+{after}");
        assert_eq!(bench.get("op_ready"), u64::from(after >= 8), "t+{after}");
        let fault = [7, 9].contains(&after);
        assert_eq!(bench.get("fault_valid"), u64::from(fault), "t+{after}");
        assert_eq!(bench.get("release_valid"), 0);
        if fault {
            assert_eq!(bench.get_all(&FAULT), [1, Code::BarrierLeftOpen.value(), 0, 0, after - 7]);
        }
    }
}

#[test]
fn clearing_waits_for_room_in_the_fault_queue() {
    let mut bench = launched();
    // The two faults of the earlier operations leave room in the fault queue for two rows.
    (0..4).for_each(|id| take(&mut bench, &op(Kind::Arrive, id, id, 8)));
    (0..2).for_each(|id| take(&mut bench, &op(Kind::Arrive, id, id, 0)));
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    for _ in 0..20 {
        bench.cycle();
        assert_eq!((bench.get("clearing"), bench.get("op_ready")), (1, 0));
    }
    bench.set("fault_ready", 1);
    let mut faults = vec![];
    for cycle in 0..10 {
        bench.cycle();
        if bench.get("fault_valid") == 1 {
            faults.push((bench.get("fault_code"), bench.get("fault_id")));
        }
        // The free place counts in cycle 1, in which the third row is cleared; the last row is cleared in the next cycle; `clearing` is 1
        // for one more cycle.
        assert_eq!(bench.get("clearing"), u64::from(cycle <= 3), "cycle {cycle}");
    }
    let [before, left] = [Code::CountZeroArrive, Code::BarrierLeftOpen].map(Code::value);
    assert_eq!(faults, [(before, 0), (before, 1), (left, 0), (left, 1), (left, 2), (left, 3)]);
}

#[test]
fn a_cta_that_is_launched_right_after_the_clearing_finds_idle_rows() {
    let mut bench = launched();
    (0..4).for_each(|id| take(&mut bench, &op(Kind::Sync, id, id, 8)));
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    bench.set("fault_ready", 1);
    bench.until("op_ready");
    // The last row is cleared in the cycle in which the next operation passes: that operation reads it idle.
    take(&mut bench, &state(Kind::Read, 0, StateWord::Barrier, 3, 0));
    bench.until("read_valid");
    assert_eq!(bench.get("read_value"), 0);
    take_long(&mut bench, &op(Kind::Launch, 0, 0, 0));
    take(&mut bench, &op(Kind::Sync, 3, 3, 8));
    take(&mut bench, &op(Kind::Sync, 2, 3, 8));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
    assert_eq!((bench.get("release_warps"), bench.get("fault_valid")), (0b1100, 0));
}

#[test]
fn a_saved_release_is_silent() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 3, 8));
    let mut saved = op(Kind::Release, 0, 0, 0);
    saved.push(("op_saved", 1));
    take(&mut bench, &saved);
    bench.set("op_saved", 0);
    for after in 1..=12 {
        bench.cycle();
        assert_eq!(bench.get("fault_valid"), 0);
        assert_eq!(bench.get("waiting"), u64::from(after < 4), "t+{after}");
    }
}
