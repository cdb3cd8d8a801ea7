// SPDX-License-Identifier: Apache-2.0 OR MIT
//! mbarrier objects: the word of sm_90, what operations make of it, and every fault in its order; then the unit at its ports.

use super::bench::{for_seeds, small, tiny, unit, Random};
use bcu_sim::bench::Bench;
use bcu_sim::model::mbarrier_object::{MbarrierKind, Object};
use bcu_sim::model::op::Code;
use bcu_sim::model::sizes::Objects;
use MbarrierKind::*;

/// An object of n arrivals after these operations, each with n and t.
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
    // Bytes that come before they are expected.
    let early = after(1, &[(Complete, 0, 100)]);
    assert_eq!((early.phase, early.tx), (false, -100));
    assert_eq!(early.after(ArriveExpect, 1, 100, true).map(|(object, flips)| (object.phase, flips)), Ok((true, true)));
    // A drop lowers what is expected of the phases behind.
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
    // All that are expected drop out while bytes are outstanding.
    let owed = after(1, &[(Expect, 0, 8)]);
    assert_eq!(code(owed, Drop, 1, 0), Code::MbarrierDropToZero);
    assert_eq!(code(after(1, &[]), DropNoComplete, 1, 0), Code::MbarrierDropToZero);
}

#[test]
fn what_is_no_object_is_refused() {
    let valid = Object::new(1);
    let invalid = [
        Object::default(),
        Object { foreign: true, ..valid },
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
    assert_eq!(code(after(2, &[]), Drop, 3, 0), Code::MbarrierOverArrival, "and below 0 expected");
    assert_eq!(code(after(2, &[(Expect, 0, 4), (Arrive, 2, 0)]), Arrive, 1, 0), Code::MbarrierOverArrival, "nothing pending");
    assert_eq!(code(after(2, &[(AddPending, 2, 0)]), Drop, 3, 0), Code::MbarrierDropToZero);
    assert_eq!(code(after(2, &[]), ArriveNoComplete, 2, 0), Code::MbarrierCompletes);
    assert_eq!(code(after(1, &[(Complete, 0, 4), (Arrive, 1, 0)]), Expect, 0, 4), Code::MbarrierExpectLate);
    // At the limits.
    assert_eq!(after(1, &[(Complete, 0, top), (Expect, 0, top), (Expect, 0, top)]).tx, top as i32);
    assert_eq!(after(top - 1, &[(AddPending, 1, 0)]).pending, top);
}

/// A unit with a CTA in slot 0, whose memory holds what it was given and answers after `latency` cycles.
struct Sm {
    bench: Bench,
    latency: usize,
    memory: std::collections::BTreeMap<u64, u64>,
    answers: std::collections::VecDeque<(usize, u64)>,
    faults: Vec<u64>,
    /// Warp, word, predicate.
    tokens: Vec<(u64, u64, u64)>,
    wakes: Vec<(u64, u64)>,
    commits: usize,
    cycle: usize,
}

impl Sm {
    fn new(sizes: bcu_sim::model::Sizes, latency: usize) -> Sm {
        let mut bench = unit("mbarrier", sizes);
        bench.set_all(&[("mem_request_ready", 1), ("fault_ready", 1), ("wait_limit", 1), ("op_uniform", 1), ("op_whole", 1)]);
        bench.set("launch_valid", 1);
        bench.cycle();
        bench.set("launch_valid", 0);
        let (memory, answers) = Default::default();
        Sm { bench, latency, memory, answers, faults: vec![], tokens: vec![], wakes: vec![], commits: 0, cycle: 0 }
    }

    fn step(&mut self) {
        let due = self.answers.front().copied().filter(|(when, _)| *when <= self.cycle);
        if due.is_some() {
            self.answers.pop_front();
        }
        let (valid, data) = due.map_or((0, 0), |(_, data)| (1, data));
        self.bench.set_all(&[("mem_response_valid", valid), ("mem_response_data", data)]);
        self.bench.cycle();
        self.cycle += 1;
        if self.bench.get("mem_request_valid") == 1 {
            let at = self.bench.get("mem_request_object");
            if self.bench.get("mem_request_write") == 1 {
                self.memory.insert(at, self.bench.get("mem_request_data"));
            }
            let word = self.memory.get(&at).copied().unwrap_or(0);
            self.answers.push_back((self.cycle + self.latency, word));
        }
        if self.bench.get("fault_valid") == 1 {
            self.faults.push(self.bench.get("fault_code"));
        }
        if self.bench.get("token_valid") == 1 {
            self.tokens.push((self.bench.get("token_warp"), self.bench.get("token_word"), self.bench.get("token_predicate")));
        }
        if self.bench.get("wake_valid") == 1 {
            self.wakes.push((self.bench.get("wake_warps"), self.bench.get("wake_value")));
        }
        self.commits += self.bench.get("commit_valid") as usize;
    }

    fn steps(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    /// One operation, until it has had its effect.
    fn op(&mut self, warp: u64, kind: MbarrierKind, address: u64, count: u64, bytes: u64) {
        let before = self.commits;
        let number = MbarrierKind::ALL.iter().position(|k| *k == kind).unwrap() as u64;
        self.bench.set_all(&[("op_kind", number), ("op_warp", warp), ("op_address", address), ("op_count", count)]);
        self.bench.set_all(&[("op_bytes", bytes), ("op_valid", 1)]);
        loop {
            self.step();
            if self.bench.get("op_ready") == 1 {
                break;
            }
        }
        self.bench.set("op_valid", 0);
        for _ in 0..200 {
            if self.commits > before {
                return;
            }
            self.step();
        }
        panic!("{kind:?} of warp {warp} has no effect");
    }
}

#[test]
fn warps_wait_until_the_phase_flips() {
    let mut sm = Sm::new(small(), 3);
    sm.op(0, Init, 8, 2, 0);
    sm.op(1, TryWait, 8, 0, 0);
    sm.op(2, TryWait, 8, 0, 0);
    assert!(sm.tokens.is_empty() && sm.wakes.is_empty());
    assert_eq!(sm.bench.get("suspended"), 0b110, "with the commit of the second");
    sm.op(0, Arrive, 8, 1, 0);
    sm.op(3, Arrive, 8, 1, 0);
    sm.steps(4);
    assert_eq!(sm.wakes, [(0b110, 1)]);
    assert_eq!(sm.bench.get("suspended"), 0);
    assert_eq!(sm.tokens, [(0, 0x7fff_f000_001f_fffc, 0), (3, 0x7fff_f800_001f_fffc, 0)]);
    sm.op(1, TestWait, 8, 0, 0);
    assert_eq!(sm.tokens[2], (1, 0xffff_f000_001f_fffc, 1));
    assert!(sm.faults.is_empty());
}

#[test]
fn a_warp_waits_no_longer_than_its_limit() {
    let mut sm = Sm::new(tiny(), 1);
    sm.op(0, Init, 0, 1, 0);
    sm.op(3, TryWait, 0, 0, 0);
    sm.steps(2 * 64 + 10);
    assert_eq!(sm.wakes, [(0b1000, 0)]);
}

#[test]
fn an_object_that_gives_way_is_written_and_read_again() {
    // 8 entries and 32 words: word 0 and word 9 have one entry.
    let mut sm = Sm::new(tiny(), 5);
    sm.op(0, Init, 0, 3, 0);
    sm.op(1, TryWait, 0, 0, 0);
    sm.op(0, Init, 9 * 8, 4, 0);
    assert_eq!(sm.wakes, [(0b10, 0)], "a waiter of what is dropped tries again");
    assert_eq!(sm.memory.get(&0), Some(&0x7fff_e800_001f_fffa));
    sm.op(0, Arrive, 0, 1, 0);
    assert_eq!(sm.tokens, [(0, 0x7fff_e800_001f_fffa, 0)]);
    sm.op(2, TryWait, 0, 0, 0);
    sm.op(0, TestWait, 9 * 8, 0, 0);
    assert_eq!(sm.wakes.len(), 1, "a wait evicts nobody who waits");
    sm.op(0, Inval, 0, 0, 0);
    assert_eq!((sm.memory.get(&0), sm.wakes.last()), (Some(&0), Some(&(0b100, 0))));
    sm.op(0, Arrive, 0, 1, 0);
    assert_eq!(sm.faults, [Code::MbarrierInvalid.value()]);
}

#[test]
fn a_cta_that_goes_leaves_its_objects_only_if_they_are_saved() {
    for (saved, word) in [(0, None), (1, Some(0x7fff_e800_001f_fffa))] {
        let mut sm = Sm::new(small(), 7);
        sm.op(0, Init, 16, 3, 0);
        sm.op(1, TryWait, 16, 0, 0);
        sm.bench.set_all(&[("retire_valid", 1), ("retire_saved", saved), ("retire_warps", 0b11)]);
        sm.step();
        sm.bench.set("retire_valid", 0);
        sm.step();
        assert_eq!(sm.bench.get("suspended"), 2 * saved, "answered when its object is saved, or by nothing");
        let mut cycles = 1;
        while sm.bench.get("retired_valid") == 0 {
            sm.step();
            cycles += 1;
            assert!(cycles < 200);
        }
        assert!(sm.answers.is_empty());
        assert_eq!(sm.memory.get(&2).copied(), word);
        assert_eq!(sm.wakes, if saved == 1 { vec![(0b10, 0)] } else { vec![] });
        sm.op(0, Arrive, 16, 1, 0);
        assert_eq!(sm.faults, [Code::RankAbsent.value()]);
    }
}

/// Cycles from `retire` to `retired`.
fn goes_in(sm: &mut Sm) -> usize {
    sm.bench.set("retire_valid", 1);
    sm.step();
    sm.bench.set("retire_valid", 0);
    let before = sm.cycle;
    while sm.bench.get("retired_valid") == 0 {
        sm.step();
    }
    sm.cycle - before
}

#[test]
fn a_cta_goes_at_once_if_it_has_no_objects_and_else_in_a_cycle_for_each_entry() {
    let mut sm = Sm::new(small(), 1);
    sm.op(0, Arrive, 0x100_0000, 1, 0);
    sm.steps(4);
    assert_eq!(goes_in(&mut sm), 4, "what was refused has left nothing");
    for objects in [1, 3] {
        let mut sm = Sm::new(small(), 1);
        (0..objects).for_each(|at| sm.op(0, Init, at * 8, 1, 0));
        sm.steps(4);
        assert_eq!(goes_in(&mut sm), 8 + 7 + 3 * objects as usize);
    }
}

#[test]
fn each_misuse_has_its_fault_in_order_of_precedence() {
    let top = 1 << 20;
    let cases = [
        (Init, 0x0100_0000, 1, 0, Code::RankOutOfRange),
        (TryWait, 0x0100_0000, 0, 0, Code::WaitRemote),
        (Arrive, 0x0200_0001, 0, 0, Code::RankOutOfRange),
        (Init, 4, 0, 0, Code::AddressMisaligned),
        (Init, 0x1_0004, 0, 0, Code::AddressMisaligned),
        (Init, 0x1_0000, 0, 0, Code::AddressOutOfRange),
        (Init, 0, 0, 0, Code::MbarrierCount),
        (Arrive, 0, top, 0, Code::MbarrierCount),
        (Arrive, 0, 1, 0, Code::MbarrierInvalid),
    ];
    for (kind, address, count, bytes, code) in cases {
        let mut sm = Sm::new(tiny(), 1);
        sm.op(0, kind, address, count, bytes);
        sm.step();
        assert_eq!(sm.faults, [code.value()], "{kind:?} {address:#x} {count}");
    }
    let objects = [
        (Arrive, 2, 0, Code::MbarrierOverArrival),
        (Drop, 1, 0, Code::None),
        (DropNoComplete, 1, 0, Code::MbarrierDropToZero),
        (ArriveNoComplete, 1, 0, Code::MbarrierCompletes),
        (Expect, 0, (1 << 21) - 1, Code::MbarrierTxRange),
        (AddPending, top - 1, 0, Code::MbarrierCount),
    ];
    for (kind, count, bytes, code) in objects {
        let mut sm = Sm::new(tiny(), 1);
        sm.op(0, Init, 8, 1, 0);
        sm.op(1, kind, 8, count, bytes);
        sm.step();
        let expected = if code == Code::None { vec![] } else { vec![code.value()] };
        assert_eq!(sm.faults, expected, "{kind:?} {count} {bytes}");
    }
    let mut sm = Sm::new(tiny(), 1);
    sm.op(0, Init, 8, 1, 0);
    sm.op(0, Complete, 8, 0, 4);
    sm.op(0, Arrive, 8, 1, 0);
    sm.op(0, Expect, 8, 0, 4);
    sm.step();
    assert_eq!(sm.faults, [Code::MbarrierExpectLate.value()]);
    sm.bench.set("op_uniform", 0);
    sm.op(0, TryWait, 0x0100_0000, 0, 0);
    sm.step();
    assert_eq!(sm.faults[1], Code::OperandNotUniform.value());
}

/// Tokens and final words do not depend on how many objects are cached, nor on how slow memory is.
#[test]
fn the_cache_changes_nothing_but_time() {
    for_seeds("the_cache_changes_nothing_but_time", 6, |seed| {
        let run = |latency: usize, spread: u64| {
            let mut random = Random(seed);
            let sizes = small().with_objects(Objects { smem_bytes: 512, cached: 8, limit_bits: 2 }).unwrap();
            let mut sm = Sm::new(sizes, latency);
            sm.bench.set("op_whole", 0);
            for _ in 0..300 {
                let kind = MbarrierKind::ALL[random.below(13) as usize];
                let counts = matches!(kind, Init | AddPending) || kind.arrives();
                let moves = kind.expects() || kind == Complete;
                let (count, bytes) = (1 + random.below(2), random.below(3));
                // The same six objects, in one entry or in several.
                let at = random.below(6) * spread * 8;
                let warp = random.below(8);
                sm.op(warp, kind, at, if counts { count } else { 0 }, if moves { bytes } else { 0 });
            }
            sm.steps(2);
            sm.bench.set_all(&[("retire_valid", 1), ("retire_saved", 1)]);
            sm.step();
            sm.bench.set("retire_valid", 0);
            sm.steps(800);
            let words: Vec<_> = (0..6).map(|at| sm.memory.get(&(at * spread)).copied().unwrap_or(0)).collect();
            (sm.tokens, sm.faults, words)
        };
        // Words 0, 9, 18, … lie in one entry, 0 to 5 in six.
        let apart = run(1, 1);
        assert_eq!(run(50, 9), apart);
        assert!(!apart.0.is_empty());
    });
}

/// A unit whose CTA has rank 2 in a cluster of 4, with a network that is ready.
fn in_cluster() -> Sm {
    let mut sm = Sm::new(small(), 1);
    sm.bench.set_all(&[("launch_valid", 1), ("launch_cluster", 3), ("launch_rank", 2), ("launch_size", 4)]);
    sm.step();
    sm.bench.set_all(&[("launch_valid", 0), ("net_out_ready", 1)]);
    sm
}

fn acknowledge(sm: &mut Sm, absent: u64) {
    sm.bench.set_all(&[("net_ack_valid", 1), ("net_ack_absent", absent)]);
    sm.step();
    sm.bench.set("net_ack_valid", 0);
}

#[test]
fn a_rank_is_the_own_one_or_anothers_or_a_fault() {
    let cases = [
        (Init, 2, 0, Code::None),
        (Arrive, 2, 1, Code::MbarrierInvalid),
        (Arrive, 1, 0, Code::RankOutOfRange),
        (Arrive, 1, 1, Code::None),
        (Arrive, 4, 1, Code::RankOutOfRange),
        (Init, 1, 1, Code::RankOutOfRange),
        (AddPending, 3, 1, Code::RankOutOfRange),
        (TestWait, 1, 0, Code::WaitRemote),
        (TestWait, 1, 1, Code::WaitRemote),
        (TestWait, 4, 0, Code::WaitRemote),
        (TestWait, 4, 1, Code::RankOutOfRange),
    ];
    for (kind, rank, cluster, code) in cases {
        let mut sm = in_cluster();
        sm.bench.set("op_cluster", cluster);
        let counts = u64::from(kind.counts());
        sm.op(0, kind, rank << 24 | 8, counts, 0);
        sm.step();
        let expected = if code == Code::None { vec![] } else { vec![code.value()] };
        assert_eq!(sm.faults, expected, "{kind:?} {rank} {cluster}");
    }
}

#[test]
fn a_remote_operation_leaves_and_is_awaited() {
    let mut sm = in_cluster();
    sm.op(0, Init, 2 << 24, 1, 0);
    sm.bench.set_all(&[("op_cluster", 1), ("net_out_ready", 0)]);
    sm.bench.set_all(&[("op_kind", 6), ("op_warp", 5), ("op_address", 1 << 24 | 24), ("op_count", 1), ("op_bytes", 7)]);
    sm.bench.set("op_valid", 1);
    sm.step();
    sm.bench.set("op_valid", 0);
    sm.steps(10);
    let message = ["valid", "cluster", "rank", "cta", "object", "kind", "count", "bytes"];
    assert_eq!(message.map(|field| sm.bench.get(&format!("net_out_{field}"))), [1, 3, 1, 0, 3, 6, 1, 7]);
    sm.op(1, Arrive, 2 << 24, 1, 0);
    assert_eq!(sm.tokens.len(), 1, "the own object is reached though the network stands");
    sm.bench.set("net_out_ready", 1);
    sm.steps(10);
    assert_eq!(sm.tokens[1], (5, 0, 0));
    // The second of two leaves, the third waits for an acknowledgement.
    sm.op(6, Arrive, 1 << 24, 1, 0);
    let commits = sm.commits;
    sm.bench.set_all(&[("op_kind", 2), ("op_warp", 7), ("op_count", 1), ("op_bytes", 0), ("op_valid", 1)]);
    sm.step();
    sm.bench.set("op_valid", 0);
    sm.steps(20);
    assert_eq!((sm.commits, sm.bench.get("net_out_valid")), (commits, 0));
    acknowledge(&mut sm, 0);
    sm.steps(20);
    assert_eq!(sm.commits, commits + 1);
    // The CTA goes when the other two are acknowledged, and nobody was there for one of them.
    sm.bench.set("retire_valid", 1);
    sm.step();
    sm.bench.set("retire_valid", 0);
    acknowledge(&mut sm, 0);
    let retired = |sm: &mut Sm| {
        (0..100).any(|_| {
            sm.step();
            sm.bench.get("retired_valid") == 1
        })
    };
    assert!(!retired(&mut sm));
    acknowledge(&mut sm, 1);
    assert!(retired(&mut sm));
    assert_eq!((sm.faults.as_slice(), sm.bench.get("fault_has_warp")), ([Code::RankAbsent.value()].as_slice(), 0));
}

#[test]
fn what_comes_over_the_network_has_its_effect_and_is_answered() {
    let mut sm = in_cluster();
    sm.op(0, Init, 2 << 24 | 8, 1, 0);
    sm.op(1, TryWait, 2 << 24 | 8, 0, 0);
    // Slot, object, kind, count, bytes: an arrival that completes, one at no object, one where no CTA is.
    let cases = [([0, 1, 2, 1, 0], 0, None), ([0, 2, 2, 1, 0], 0, Some(Code::MbarrierInvalid)), ([1, 1, 2, 1, 0], 1, None)];
    for (source, (values, absent, fault)) in cases.into_iter().enumerate() {
        let names = ["cta", "object", "kind", "count", "bytes"];
        for (name, value) in names.into_iter().zip(values) {
            sm.bench.set(&format!("net_in_{name}"), value);
        }
        sm.bench.set_all(&[("net_in_source", source as u64), ("net_in_valid", 1)]);
        sm.step();
        sm.bench.set("net_in_valid", 0);
        while sm.bench.get("net_reply_valid") == 0 {
            sm.step();
        }
        assert_eq!((sm.bench.get("net_reply_source"), sm.bench.get("net_reply_absent")), (source as u64, absent));
        assert_eq!(sm.faults.drain(..).next(), fault.map(Code::value));
    }
    assert_eq!(sm.wakes, [(2, 1)]);
}
