// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `gateway` at its ports, rule by rule of `docs/contract/gateway.md`.

use super::bench::{intel_tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::gateway_ports::GatewayKind;
use bcu_model::op::Code;
use bcu_model::Sizes;

/// Cycles from a transfer to its effects: `GATEWAY_RELEASE`, `GATEWAY_COMMIT`, `GATEWAY_WAITING` and `GATEWAY_FAULT`.
const EFFECT: usize = 3;
/// The capacity of the fault queue.
const PLACES: u64 = 4;

const BOTH: u64 = 0;
const PRODUCER: u64 = 1;
const CONSUMER: u64 = 2;

const SIGNAL: u64 = GatewayKind::Signal as u64;
const WAIT: u64 = GatewayKind::Wait as u64;
const EXIT: u64 = GatewayKind::Exit as u64;
const LAUNCH: u64 = GatewayKind::Launch as u64;
const RELEASE: u64 = GatewayKind::Release as u64;
const REFUSED: u64 = GatewayKind::Refused as u64;

const NOTIFICATION: [&str; 4] = ["release_cta", "release_id", "release_notified", "release_warps"];
const COMMIT: [&str; 5] = ["commit_valid", "commit_warps", "commit_refused", "commit_cta_release", "commit_warp_done"];
const FAULT: [&str; 5] = ["fault_code", "fault_has_warp", "fault_warp", "fault_cta", "fault_id"];

/// A gateway with the releases and faults that it has output.
struct Gateway {
    bench: Bench,
    /// The releases: CTA slot, id, consumers notified and warps that resume.
    released: Vec<[u64; 4]>,
    faults: Vec<[u64; 5]>,
}

impl Gateway {
    fn with_sizes(sizes: Sizes) -> Gateway {
        Gateway { bench: unit("gateway", sizes), released: vec![], faults: vec![] }
    }

    /// Both slots have a group of four threads with all barriers; faults are accepted.
    fn new() -> Gateway {
        let mut gateway = Gateway::with_sizes(intel_tiny());
        gateway.bench.set("fault_ready", 1);
        gateway.launch(0, 4, 4);
        gateway.launch(1, 4, 4);
        gateway
    }

    fn cycle(&mut self) {
        self.bench.cycle();
        if self.bench.get("release_valid") == 1 {
            self.released.push(NOTIFICATION.map(|port| self.bench.get(port)));
        }
        if self.bench.get("fault_valid") == 1 && self.bench.input("fault_ready") == 1 {
            self.faults.push(FAULT.map(|port| self.bench.get(port)));
        }
    }

    fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Offers an operation until it is accepted; returns the cycles that it waited.
    fn op(&mut self, kind: u64, fields: &[(&str, u64)]) -> usize {
        let rest = ["fault", "warp", "cta", "id", "role", "producers", "consumers", "warps", "barriers", "mask"];
        self.bench.offer("op", &rest.map(|field| (field, 0)));
        self.bench.offer("op", &[("kind", kind), ("uniform", 1)]);
        self.bench.offer("op", fields);
        for waited in 0.. {
            self.cycle();
            if self.bench.finish_transfer("op") {
                return waited;
            }
        }
        unreachable!()
    }

    fn launch(&mut self, cta: u64, warps: u64, barriers: u64) {
        self.op(LAUNCH, &[("cta", cta), ("warps", warps), ("barriers", barriers)]);
    }

    fn signal(&mut self, warp: u64, id: u64, role: u64, [producers, consumers]: [u64; 2]) {
        let numbers = [("role", role), ("producers", producers), ("consumers", consumers)];
        self.op(SIGNAL, &[&[("warp", warp), ("id", id)][..], &numbers].concat());
    }

    fn wait(&mut self, warp: u64, id: u64) {
        self.op(WAIT, &[("warp", warp), ("id", id)]);
    }

    /// The releases and fault codes since the last call, after all operations in flight have had their effects.
    fn collect_events(&mut self) -> (Vec<[u64; 4]>, Vec<Code>) {
        self.cycles(EFFECT + PLACES as usize);
        let codes = self.faults.drain(..).map(|fault| Code::from_value(fault[0])).collect();
        (std::mem::take(&mut self.released), codes)
    }

    /// Expects only this fault.
    fn refused(&mut self, code: Code) {
        assert_eq!(self.collect_events(), (vec![], vec![code]));
    }

    /// Expects neither a release nor a fault.
    fn expect_no_events(&mut self) {
        assert_eq!(self.collect_events(), (vec![], vec![]));
    }

    /// Expects these releases, and no fault.
    fn shows(&mut self, released: &[[u64; 4]]) {
        assert_eq!(self.collect_events(), (released.to_vec(), vec![]));
    }
}

#[test]
fn after_reset_the_rows_of_all_slots_are_cleared_and_nothing_else_is_there() {
    let mut bench = unit("gateway", intel_tiny());
    for cycle in 1..=9 {
        bench.cycle();
        assert_eq!(bench.get("op_ready"), u64::from(cycle == 9), "GATEWAY_READY = C × I + 1, cycle {cycle}");
        // The last row is cleared in cycle 8.
        assert_eq!(bench.get("clearing"), 1, "cycle {cycle}");
        assert_eq!(bench.get_all(&["waiting", "open", "fault_valid", "release_valid", "commit_valid"]), [0; 5]);
    }
    bench.cycle();
    assert_eq!(bench.get_all(&["op_ready", "clearing"]), [1, 0]);
}

#[test]
fn all_that_comes_of_an_operation_comes_three_cycles_behind_it() {
    let mut gateway = Gateway::new();
    gateway.expect_no_events();
    let mut look = |op: &mut dyn FnMut(&mut Gateway), port: &str, value: u64| {
        let before = gateway.bench.get(port);
        op(&mut gateway);
        for cycle in 1..=EFFECT {
            gateway.cycle();
            let expected = if cycle < EFFECT { [before, 0] } else { [value, 1] };
            assert_eq!(gateway.bench.get_all(&[port, "commit_valid"]), expected, "{port}, cycle {cycle}");
        }
        gateway.cycle();
        assert_eq!(gateway.bench.get_all(&COMMIT), [0; 5]);
    };
    look(&mut |g| g.signal(1, 2, BOTH, [2, 2]), "open", 1);
    look(&mut |g| g.wait(1, 2), "waiting", 0b10);
    look(&mut |g| g.signal(0, 2, BOTH, [2, 2]), "release_warps", 0b10);
    look(&mut |g| g.wait(0, 2), "release_warps", 0b01);
    look(&mut |g| g.wait(0, 2), "fault_valid", 1);
}

#[test]
fn an_operation_a_cycle_each_after_the_effects_of_those_before() {
    let mut gateway = Gateway::new();
    let mut waited = 0;
    for id in 0..3 {
        for warp in 0..4 {
            let of_id = [("id", id), ("warp", warp), ("producers", 4), ("consumers", 4)];
            waited += gateway.op(SIGNAL, &of_id);
        }
        // The wait takes the notification of the signal, which was accepted in the previous cycle.
        waited += gateway.op(WAIT, &[("id", id), ("warp", 3)]);
        waited += gateway.op(SIGNAL, &[("id", id), ("warp", 3), ("producers", 1), ("consumers", 1)]);
    }
    assert_eq!(waited, 1, "only the first waits, after the launch");
    let of_id = |id| [[0, id, 0b1111, 0], [0, id, 0, 0b1000], [0, id, 0b1000, 0]];
    gateway.shows(&(0..3).flat_map(of_id).collect::<Vec<_>>());
}

#[test]
fn consumers_are_notified_once_and_take_their_notification_with_them() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 1, PRODUCER, [2, 2]);
    gateway.signal(2, 1, CONSUMER, [2, 2]);
    gateway.wait(2, 1);
    gateway.signal(3, 1, CONSUMER, [2, 2]);
    gateway.expect_no_events();
    assert_eq!(gateway.bench.get_all(&["waiting", "open"]), [0b0100, 1]);
    gateway.signal(1, 1, PRODUCER, [2, 2]);
    gateway.shows(&[[0, 1, 0b1100, 0b0100]]);
    assert_eq!(gateway.bench.get_all(&["waiting", "open"]), [0, 1], "a notification is left");
    gateway.wait(3, 1);
    gateway.shows(&[[0, 1, 0, 0b1000]]);
    assert_eq!(gateway.bench.get("open"), 0);
    for warp in 0..4 {
        gateway.wait(warp, 1);
        gateway.refused(Code::ProducerWaits);
    }
}

#[test]
fn producers_and_consumers_are_counted_apart_and_who_is_both_counts_in_both() {
    for last in 0..4 {
        let mut gateway = Gateway::new();
        // The roles: one producer and consumer, one producer, two consumers.
        let roles = [BOTH, PRODUCER, CONSUMER, CONSUMER];
        (0..4).filter(|warp| *warp != last).for_each(|warp| gateway.signal(warp, 3, roles[warp as usize], [2, 3]));
        gateway.expect_no_events();
        gateway.signal(last, 3, roles[last as usize], [2, 3]);
        gateway.shows(&[[0, 3, 0b1101, 0]]);
    }
    // The same thread signals in both roles, one after the other.
    let mut gateway = Gateway::new();
    gateway.signal(0, 0, CONSUMER, [1, 1]);
    gateway.expect_no_events();
    gateway.signal(0, 0, PRODUCER, [1, 1]);
    gateway.shows(&[[0, 0, 1, 0]]);
}

#[test]
fn groups_and_barriers_know_nothing_of_each_other() {
    let mut gateway = Gateway::new();
    for cta in 0..2 {
        for id in 0..4 {
            gateway.op(SIGNAL, &[("cta", cta), ("id", id), ("warp", cta), ("producers", id / 2 + 1), ("consumers", 2)]);
        }
    }
    gateway.expect_no_events();
    assert_eq!(gateway.bench.get("open"), 0b11);
    for cta in [1, 0] {
        gateway.op(SIGNAL, &[("cta", cta), ("id", 2), ("warp", 3), ("producers", 2), ("consumers", 2)]);
        gateway.op(SIGNAL, &[("cta", cta), ("id", 1), ("role", CONSUMER), ("warp", 2), ("producers", 1), ("consumers", 2)]);
        let own = 1 << cta;
        gateway.shows(&[[cta, 2, 0b1000 | own, 0], [cta, 1, 0b0100 | own, 0]]);
    }
}

#[test]
fn an_idle_barrier_is_used_by_others_while_consumers_have_yet_to_wait() {
    let mut gateway = Gateway::new();
    for warps in [[0, 1], [2, 3]] {
        warps.iter().for_each(|warp| gateway.signal(*warp, 0, BOTH, [2, 2]));
    }
    gateway.shows(&[[0, 0, 0b0011, 0], [0, 0, 0b1100, 0]]);
    gateway.signal(0, 0, PRODUCER, [1, 1]);
    gateway.expect_no_events();
    // The warp takes the notification of the first phase, though it has signalled again, as a producer.
    gateway.wait(0, 0);
    gateway.shows(&[[0, 0, 0, 1]]);
    gateway.signal(0, 0, CONSUMER, [1, 1]);
    [3, 0, 1, 2].iter().for_each(|warp| gateway.wait(*warp, 0));
    gateway.shows(&[[0, 0, 1, 0], [0, 0, 0, 8], [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4]]);
    assert_eq!(gateway.bench.get("open"), 0);
}

#[test]
fn a_second_wait_of_a_warp_that_waits_changes_nothing() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 0, CONSUMER, [1, 1]);
    gateway.wait(0, 0);
    gateway.wait(0, 0);
    gateway.expect_no_events();
    assert_eq!(gateway.bench.get("waiting"), 1);
    gateway.signal(1, 0, PRODUCER, [1, 1]);
    gateway.shows(&[[0, 0, 1, 1]]);
}

#[test]
fn each_fault_of_a_signal_alone() {
    type Scene = fn(&mut Gateway);
    let scenes: [(Code, Scene); 9] = [
        (Code::IdOutOfRange, |g| g.signal(3, 4, BOTH, [1, 1])),
        (Code::OperandNotUniform, |g| {
            g.op(SIGNAL, &[("warp", 3), ("producers", 1), ("consumers", 1), ("uniform", 0)]);
        }),
        (Code::DoubleArrival, |g| g.signal(0, 1, CONSUMER, [3, 2])),
        (Code::SignalType, |g| g.signal(3, 0, 3, [1, 1])),
        (Code::CountZero, |g| g.signal(3, 0, PRODUCER, [1, 0])),
        (Code::CountExceedsGroup, |g| g.signal(3, 0, CONSUMER, [5, 1])),
        (Code::SignalMismatch, |g| g.signal(3, 1, BOTH, [2, 2])),
        (Code::OverSignal, |g| g.signal(3, 1, CONSUMER, [3, 2])),
        (Code::NotificationLost, |g| g.signal(1, 2, CONSUMER, [1, 1])),
    ];
    for (code, scene) in scenes {
        let mut gateway = Gateway::new();
        // Barrier 1 is open, and all its consumers have signalled; barrier 2 has a notification left.
        (0..2).for_each(|warp| gateway.signal(warp, 1, BOTH, [3, 2]));
        gateway.signal(1, 2, BOTH, [1, 1]);
        gateway.shows(&[[0, 2, 2, 0]]);
        scene(&mut gateway);
        gateway.refused(code);
        // No row has changed.
        gateway.signal(2, 1, PRODUCER, [3, 2]);
        gateway.wait(1, 2);
        gateway.signal(3, 0, BOTH, [1, 1]);
        gateway.shows(&[[0, 1, 3, 0], [0, 2, 0, 2], [0, 0, 8, 0]]);
    }
}

#[test]
fn of_two_faults_of_a_signal_the_first_is_shown() {
    // A signal at barrier 0 that has the fault of its row and every fault of a later row that can occur together with it.
    let operation = |fault: u64, id: u64, uniform: u64, warp: u64, role: u64, numbers: [u64; 2]| {
        let [producers, consumers] = numbers;
        let message = [("id", id), ("role", role), ("producers", producers), ("consumers", consumers)];
        [&message[..], &[("fault", fault), ("uniform", uniform), ("warp", warp)]].concat()
    };
    let illegal = Code::IllegalInstruction.value();
    let cases = [
        (Code::IllegalInstruction, operation(illegal, 200, 0, 0, BOTH, [0, 9])),
        (Code::IdOutOfRange, operation(0, 200, 0, 0, BOTH, [0, 9])),
        (Code::OperandNotUniform, operation(0, 0, 0, 0, BOTH, [0, 9])),
        (Code::DoubleArrival, operation(0, 0, 1, 0, BOTH, [0, 9])),
        (Code::SignalType, operation(0, 0, 1, 0, 3, [0, 9])),
        (Code::CountZero, operation(0, 0, 1, 2, CONSUMER, [9, 0])),
        (Code::CountExceedsGroup, operation(0, 0, 1, 2, CONSUMER, [2, 5])),
        (Code::SignalMismatch, operation(0, 0, 1, 2, CONSUMER, [2, 2])),
        (Code::OverSignal, operation(0, 0, 1, 2, CONSUMER, [2, 1])),
        (Code::NotificationLost, operation(0, 0, 1, 2, CONSUMER, [1, 2])),
    ];
    for (code, fields) in cases {
        let mut gateway = Gateway::new();
        // Warp 2 has a notification of barrier 0. The barrier is open again and, except in the last case, all its
        // consumers have signalled.
        gateway.signal(2, 0, BOTH, [1, 1]);
        let numbers = if code == Code::NotificationLost { [1, 2] } else { [2, 1] };
        gateway.signal(0, 0, if code == Code::NotificationLost { CONSUMER } else { BOTH }, numbers);
        gateway.shows(&[[0, 0, 4, 0]]);
        gateway.op(SIGNAL, &fields);
        gateway.refused(code);
    }
}

#[test]
fn double_arrival_and_over_signal_are_of_the_roles_that_are_named() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 0, PRODUCER, [1, 2]);
    for role in [PRODUCER, BOTH] {
        gateway.signal(0, 0, role, [1, 2]);
        gateway.refused(Code::DoubleArrival);
        gateway.signal(1, 0, role, [1, 2]);
        gateway.refused(Code::OverSignal);
    }
    gateway.signal(0, 0, CONSUMER, [1, 2]);
    gateway.signal(0, 0, CONSUMER, [1, 2]);
    gateway.refused(Code::DoubleArrival);
    gateway.signal(1, 0, CONSUMER, [1, 2]);
    gateway.shows(&[[0, 0, 3, 0]]);
}

#[test]
fn faults_of_a_wait_in_their_order() {
    let mut gateway = Gateway::new();
    let illegal = Code::IllegalInstruction;
    gateway.op(WAIT, &[("fault", illegal.value()), ("id", 77), ("uniform", 0)]);
    gateway.refused(illegal);
    gateway.op(WAIT, &[("id", 77), ("uniform", 0)]);
    gateway.refused(Code::IdOutOfRange);
    gateway.op(WAIT, &[("uniform", 0)]);
    gateway.refused(Code::OperandNotUniform);
    gateway.wait(0, 0);
    gateway.refused(Code::ProducerWaits);
    // Warp 0 produces in this phase, while warp 1 consumes.
    gateway.signal(0, 0, PRODUCER, [2, 1]);
    gateway.signal(1, 0, CONSUMER, [2, 1]);
    gateway.wait(0, 0);
    gateway.refused(Code::ProducerWaits);
    assert_eq!(gateway.bench.get("waiting"), 0);
}

#[test]
fn ids_are_compared_with_all_bits_and_no_more_barriers_are_declared_than_built() {
    for (declared, ids) in [(3, 3), (4, 4), (5, 4), (63, 4), (0, 0)] {
        let mut gateway = Gateway::new();
        gateway.launch(0, 4, declared);
        for id in [0, 1, 2, 3, 4, 31, 32, 64, 128, 129, 255] {
            gateway.signal(0, id, BOTH, [1, 1]);
            match id < ids {
                true => gateway.shows(&[[0, id, 1, 0]]),
                false => {
                    gateway.cycles(EFFECT);
                    assert_eq!(gateway.faults, [[Code::IdOutOfRange.value(), 1, 0, 0, id & 31]]);
                    gateway.refused(Code::IdOutOfRange);
                }
            }
        }
    }
}

#[test]
fn a_group_has_as_many_threads_as_were_launched() {
    for threads in 1..=4 {
        let mut gateway = Gateway::new();
        gateway.launch(1, threads, 4);
        for numbers in [[threads + 1, threads], [threads, threads + 1], [255, 1], [1, 128]] {
            gateway.op(SIGNAL, &[("cta", 1), ("producers", numbers[0]), ("consumers", numbers[1])]);
            gateway.refused(Code::CountExceedsGroup);
        }
        for warp in 0..threads {
            gateway.op(SIGNAL, &[("cta", 1), ("warp", warp), ("producers", threads), ("consumers", threads)]);
        }
        gateway.shows(&[[1, 0, (1 << threads) - 1, 0]]);
    }
}

#[test]
fn what_a_commit_and_a_fault_say_of_each_kind() {
    let cases = [
        // Kind, whether the operation is of a warp, and `commit_warp_done` if the operation has no fault, or a fault, when it enters.
        (SIGNAL, true, [1, 1]),
        (WAIT, true, [1, 1]),
        (EXIT, true, [1, 0]),
        (LAUNCH, false, [0, 0]),
        (RELEASE, false, [0, 0]),
        (REFUSED, true, [1, 1]),
    ];
    for (kind, of_warp, done) in cases {
        for code in [Code::None, Code::WarpBlocked, Code::NotResident, Code::ProducerWaits] {
            let mut gateway = Gateway::new();
            gateway.signal(3, 2, BOTH, [1, 1]);
            gateway.shows(&[[0, 2, 8, 0]]);
            let (faulty, own_warps) = (code != Code::None, if kind == RELEASE { 0b0110 } else { 0b1000 });
            let payload = [("cta", 0), ("warp", 3), ("mask", 0b0110), ("id", 34), ("fault", code.value())];
            // Signals and waits that have no fault when they enter are legal.
            let good = if kind == WAIT { 2 } else { 1 };
            let message = [("id", if faulty { 34 } else { good }), ("producers", 2), ("consumers", 2)];
            gateway.op(kind, &[&payload[..], &message[..], &[("warps", 4), ("barriers", 4)]].concat());
            gateway.cycles(EFFECT);
            let refused = u64::from(of_warp && faulty && code != Code::NotResident);
            let release = u64::from(kind == RELEASE && !faulty);
            let done = done[usize::from(faulty)];
            assert_eq!(gateway.bench.get_all(&COMMIT), [1, own_warps, refused, release, done], "{kind}, {code:?}");
            let expected = [code.value(), u64::from(of_warp), 3, 0, 2];
            assert_eq!(gateway.faults.first(), faulty.then_some(&expected), "{kind}, {code:?}");
        }
    }
}

#[test]
fn a_refusal_of_its_own_is_one_for_the_policy() {
    let mut gateway = Gateway::new();
    gateway.wait(2, 1);
    gateway.cycles(EFFECT);
    assert_eq!(gateway.bench.get_all(&COMMIT), [1, 0b0100, 1, 0, 1]);
    assert_eq!(gateway.faults, [[Code::ProducerWaits.value(), 1, 2, 0, 1]]);
}

#[test]
fn a_slot_that_is_not_built_is_not_resident() {
    let mut gateway = Gateway::with_sizes(Sizes::new(4, 4, 1, 4, 4, 3).and_then(|sizes| sizes.with_gateway(4)).unwrap());
    gateway.bench.set("fault_ready", 1);
    for kind in [SIGNAL, WAIT, EXIT, LAUNCH, RELEASE, REFUSED] {
        gateway.op(kind, &[("cta", 1), ("warp", 1), ("mask", 2), ("id", 70)]);
        gateway.cycles(EFFECT);
        let of_warp = kind != LAUNCH && kind != RELEASE;
        assert_eq!(gateway.bench.get_all(&COMMIT), [1, 2, 0, 0, u64::from(of_warp && kind != EXIT)], "{kind}");
        assert_eq!(gateway.faults, [[Code::NotResident.value(), u64::from(of_warp), 1, 1, 6]], "{kind}");
        gateway.refused(Code::NotResident);
        gateway.op(kind, &[("cta", 1), ("fault", Code::SlotOccupied.value())]);
        gateway.refused(Code::SlotOccupied);
    }
}

#[test]
fn a_launch_takes_two_slots_of_the_stream() {
    for fault in [0, Code::SlotOccupied.value()] {
        let mut gateway = Gateway::new();
        gateway.expect_no_events();
        assert_eq!(gateway.op(LAUNCH, &[("warps", 1), ("barriers", 1), ("fault", fault)]), 0);
        assert_eq!(gateway.op(SIGNAL, &[("producers", 1), ("consumers", 1), ("id", 1)]), 1);
        let (released, faults) = gateway.collect_events();
        // An operation with a fault changes nothing.
        match fault {
            0 => assert_eq!((released, faults), (vec![], vec![Code::IdOutOfRange])),
            _ => assert_eq!((released, faults), (vec![[0, 1, 1, 0]], vec![Code::SlotOccupied])),
        }
    }
}

#[test]
fn a_release_leaves_no_row_in_use_and_tells_of_each_in_order() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 3, CONSUMER, [1, 2]);
    gateway.wait(0, 3);
    gateway.signal(1, 0, BOTH, [2, 2]);
    gateway.signal(2, 1, BOTH, [1, 1]);
    gateway.op(SIGNAL, &[("cta", 1), ("warp", 3), ("producers", 2), ("consumers", 2)]);
    gateway.op(WAIT, &[("cta", 1), ("warp", 3)]);
    gateway.shows(&[[0, 1, 4, 0]]);
    assert_eq!(gateway.bench.get_all(&["waiting", "open"]), [0b1001, 0b11]);

    gateway.op(RELEASE, &[("mask", 0b0111)]);
    let mut levels = vec![];
    for _ in 1..=10 {
        gateway.cycle();
        levels.push(gateway.bench.get_all(&["op_ready", "clearing", "open", "waiting"]));
    }
    // The Release is in flight in cycles 1 and 2; the four rows are cleared in cycles 3 to 6.
    let expected = |cycle| match cycle {
        1 | 2 => [0, 1, 0b11, 0b1001],
        3..=6 => [0, 1, 0b10, 0b1000],
        7 => [1, 1, 0b10, 0b1000],
        _ => [1, 0, 0b10, 0b1000],
    };
    assert_eq!(levels, (1..=10).map(expected).collect::<Vec<_>>());
    let left_open = |id| [Code::BarrierLeftOpen.value(), 0, 0, 0, id];
    assert_eq!(gateway.faults, [left_open(0), left_open(1), left_open(3)]);
    gateway.faults.clear();
    // All barriers of the slot are idle; the barriers of the other group are unchanged.
    (0..4).for_each(|id| gateway.signal(0, id, BOTH, [1, 1]));
    gateway.op(SIGNAL, &[("cta", 1), ("warp", 1), ("producers", 2), ("consumers", 2)]);
    gateway.shows(&[[0, 0, 1, 0], [0, 1, 1, 0], [0, 2, 1, 0], [0, 3, 1, 0], [1, 0, 0b1010, 0b1000]]);
}

#[test]
fn a_release_without_a_row_in_use_clears_nothing() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 3, BOTH, [1, 1]);
    gateway.wait(0, 3);
    gateway.shows(&[[0, 3, 1, 0], [0, 3, 0, 1]]);
    for (fault, clearing) in [(0, 1), (Code::CannotSave.value(), 0)] {
        gateway.op(RELEASE, &[("mask", 0b1111), ("fault", fault)]);
        let ready: Vec<_> = (1..=4)
            .map(|_| {
                gateway.cycle();
                gateway.bench.get_all(&["op_ready", "clearing"])
            })
            .collect();
        assert_eq!(ready, [[0, clearing], [0, clearing], [1, 0], [1, 0]]);
        gateway.collect_events();
    }
}

#[test]
fn a_release_with_a_fault_leaves_all_as_it_is() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 3, BOTH, [1, 2]);
    gateway.wait(0, 3);
    gateway.op(RELEASE, &[("mask", 0b1111), ("fault", Code::CannotSave.value())]);
    gateway.refused(Code::CannotSave);
    assert_eq!(gateway.bench.get_all(&["waiting", "open"]), [1, 1]);
    gateway.signal(1, 3, CONSUMER, [1, 2]);
    gateway.shows(&[[0, 3, 3, 1]]);
}

#[test]
fn exits_complete_nothing() {
    let mut gateway = Gateway::new();
    gateway.signal(0, 0, BOTH, [2, 2]);
    gateway.op(EXIT, &[("warp", 1)]);
    gateway.expect_no_events();
    gateway.signal(2, 0, BOTH, [2, 2]);
    gateway.shows(&[[0, 0, 0b101, 0]]);
}

#[test]
fn no_fault_is_lost_when_they_are_not_taken() {
    let mut gateway = Gateway::new();
    gateway.bench.set("fault_ready", 0);
    // Each operation may be refused: only as many are accepted as the fault queue has places.
    for warp in 0..PLACES {
        assert_eq!(gateway.op(WAIT, &[("warp", warp), ("id", warp)]), usize::from(warp == 0));
    }
    gateway.bench.offer("op", &[("kind", SIGNAL), ("id", 9)]);
    for _ in 0..20 {
        gateway.cycle();
        assert_eq!(gateway.bench.get("op_ready"), 0);
    }
    // After one fault is taken, one further operation is accepted.
    gateway.bench.set("fault_ready", 1);
    gateway.cycle();
    gateway.bench.set("fault_ready", 0);
    gateway.cycle();
    assert!(gateway.bench.finish_transfer("op"));
    gateway.cycles(9);
    assert_eq!((gateway.bench.get("op_ready"), gateway.faults.len()), (0, 1));
    gateway.bench.set("fault_ready", 1);
    gateway.cycles(9);
    let expected = |warp: u64| match warp {
        4 => [Code::IdOutOfRange.value(), 1, 3, 0, 9],
        _ => [Code::ProducerWaits.value(), 1, warp, 0, warp],
    };
    assert_eq!(gateway.faults, (0..5).map(expected).collect::<Vec<_>>());
}

#[test]
fn what_is_shown_of_a_fault_stays_until_it_is_taken() {
    let mut gateway = Gateway::new();
    gateway.bench.set("fault_ready", 0);
    gateway.wait(3, 2);
    gateway.wait(1, 0);
    gateway.cycles(EFFECT);
    for _ in 0..5 {
        gateway.cycle();
        assert_eq!(gateway.bench.get_all(&FAULT), [Code::ProducerWaits.value(), 1, 3, 0, 2]);
    }
}

#[test]
fn rows_take_their_turn_only_where_there_is_room_for_their_faults() {
    let mut gateway = Gateway::with_sizes(intel_tiny());
    gateway.launch(0, 4, 4);
    (0..4).for_each(|id| gateway.signal(0, id, BOTH, [2, 2]));
    gateway.cycles(EFFECT);
    gateway.wait(3, 0);
    gateway.wait(3, 0);
    gateway.op(RELEASE, &[("mask", 0b1111)]);
    gateway.cycles(30);
    // The faults of two refused operations and of two open rows fill the fault queue.
    assert_eq!(gateway.bench.get_all(&["op_ready", "clearing", "fault_valid", "open"]), [0, 1, 1, 0]);
    gateway.bench.set("fault_ready", 1);
    gateway.cycles(20);
    let codes: Vec<_> = gateway.faults.iter().map(|fault| [fault[0], fault[4]]).collect();
    let (waits, left_open) = (Code::ProducerWaits.value(), Code::BarrierLeftOpen.value());
    assert_eq!(codes, [[waits, 0], [waits, 0], [left_open, 0], [left_open, 1], [left_open, 2], [left_open, 3]]);
    assert_eq!(gateway.bench.get_all(&["op_ready", "clearing"]), [1, 0]);
}

#[test]
fn a_reset_in_any_cycle_leaves_nothing_behind() {
    for cycles in 0..12 {
        let mut gateway = Gateway::new();
        gateway.signal(0, 0, CONSUMER, [1, 2]);
        gateway.wait(0, 0);
        gateway.signal(1, 1, BOTH, [1, 1]);
        gateway.wait(1, 3);
        gateway.op(RELEASE, &[("mask", 0b0010)]);
        gateway.cycles(cycles);
        gateway.bench.reset();
        (gateway.released, gateway.faults) = (vec![], vec![]);
        for _ in 0..9 {
            gateway.cycle();
            assert_eq!(gateway.bench.get_all(&["waiting", "open", "release_valid", "commit_valid", "fault_valid"]), [0; 5]);
        }
        gateway.op(SIGNAL, &[("producers", 1), ("consumers", 1)]);
        gateway.refused(Code::IdOutOfRange);
        gateway.launch(0, 4, 4);
        gateway.wait(0, 0);
        gateway.refused(Code::ProducerWaits);
        (0..4).for_each(|id| gateway.signal(0, id, BOTH, [1, 1]));
        gateway.shows(&[[0, 0, 1, 0], [0, 1, 1, 0], [0, 2, 1, 0], [0, 3, 1, 0]]);
    }
}
