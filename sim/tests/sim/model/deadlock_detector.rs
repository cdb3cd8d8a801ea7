// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `deadlock_detector` at its ports: the CTA slots that it reports, in which cycle, and how often.

use super::bench::{default_sizes, small, tiny, unit};
use bcu_model::bench::Bench;
use bcu_model::op::{Code, Kind};
use bcu_model::Sizes;

/// `deadlock_detector` with the walk at its input: every warp's CTA slot, and the warps that are live and in flight.
struct Walked {
    bench: Bench,
    homes: Vec<u64>,
    live: u64,
    in_flight: u64,
    /// The next warp of the walk.
    at: usize,
}

impl Walked {
    fn new(sizes: Sizes, home: impl Fn(u64) -> u64, live: u64) -> Walked {
        let homes = (0..sizes.warps() as u64).map(home).collect();
        let mut bench = unit("deadlock_detector", sizes);
        bench.set("dead_ready", 1);
        Walked { bench, homes, live, in_flight: 0, at: 0 }
    }

    fn set(&mut self, port: &str, value: u64) {
        self.bench.set(port, value);
    }

    /// Runs one step of the walk.
    fn cycle(&mut self) {
        let bit = |warps: u64| warps >> self.at & 1;
        let seen = [("seen_valid", 1), ("seen_warp", self.at as u64), ("seen_cta", self.homes[self.at])];
        let levels = [("seen_live", bit(self.live)), ("seen_in_flight", bit(self.in_flight))];
        self.bench.set_all(&[&seen[..], &levels[..]].concat());
        self.bench.cycle();
        self.at = (self.at + 1) % self.homes.len();
    }

    fn cycles(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// The cycles until a report, at most 200, and the reported slot.
    fn until_dead(&mut self) -> Option<(usize, u64)> {
        (1..200).find_map(|cycle| {
            self.cycle();
            (self.bench.get("dead_valid") == 1).then(|| (cycle, self.bench.get("dead_cta")))
        })
    }
}

/// A round of `small`: two walks over 8 warps for each of two slots.
const ROUND: usize = 32;

/// `small` after reset: warps 0 to 3 in slot 0, 4 to 7 in slot 1, all live; the operation port is ready.
fn bench() -> Walked {
    Walked::new(small(), |warp| warp / 4, 0xff)
}

/// The number of reports of each of the two slots in the next cycles.
fn reports(bench: &mut Walked, cycles: usize) -> [usize; 2] {
    let mut reports = [0; 2];
    for _ in 0..cycles {
        bench.cycle();
        if bench.bench.get("dead_valid") == 1 {
            reports[bench.bench.get("dead_cta") as usize] += 1;
        }
    }
    reports
}

/// Runs one cycle in which `named` accepts an operation of this slot.
fn transfer(bench: &mut Walked, kind: Kind, fault: Code, cta: u64) {
    bench.bench.set_all(&[
        ("taken_valid", 1),
        ("taken_kind", kind.value()),
        ("taken_fault", fault.value()),
        ("taken_cta", cta),
    ]);
    bench.cycle();
    bench.set("taken_valid", 0);
}

#[test]
fn a_cta_whose_live_warps_all_stall_is_reported_once() {
    let mut bench = bench();
    bench.set("stalled", 0x0f | 0x70);
    assert_eq!(reports(&mut bench, 3 * ROUND), [1, 0], "warp 7 may issue");
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 3 * ROUND), [0, 1]);
    // The state changes: from then on the slot may be reported again.
    bench.set("stalled", 0xfe);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 3 * ROUND), [1, 0]);
}

#[test]
fn a_hang_ends_when_a_warp_goes_on_and_not_while_something_moves() {
    let mut bench = bench();
    bench.set("stalled", 0x0f);
    assert_eq!(reports(&mut bench, 2 * ROUND), [1, 0]);
    // If a waiting warp reads or writes state, or if an operation of it is refused, the deadlock persists and is not reported again.
    bench.in_flight = 0x01;
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    bench.in_flight = 0;
    for (kind, fault) in [(Kind::Read, Code::None), (Kind::Write, Code::None), (Kind::Sync, Code::WarpBlocked)] {
        transfer(&mut bench, kind, fault, 0);
        assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0], "{kind:?}");
    }
    // An arrival or an exit ends the deadlock. All warps wait again before the slot is checked, so a deadlock is reported again.
    for kind in [Kind::Sync, Kind::Arrive, Kind::Reduce, Kind::Exit] {
        transfer(&mut bench, kind, Code::None, 1);
        assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0], "{kind:?} of the other slot");
        transfer(&mut bench, kind, Code::None, 0);
        assert_eq!(reports(&mut bench, 2 * ROUND), [1, 0], "{kind:?}");
    }
    // A slot in conflict is not reported again.
    bench.set("implicit_conflict_cta", 0);
    bench.set("implicit_conflict_valid", 1);
    bench.cycle();
    bench.set("implicit_conflict_valid", 0);
    transfer(&mut bench, Kind::Sync, Code::None, 0);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
}

#[test]
fn whoever_is_moving_or_gone_is_not_stuck() {
    let mut bench = bench();
    bench.set("stalled", 0xff);
    bench.in_flight = 0x11;
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    // A warp that is no longer live may still have its exit in flight.
    bench.live = 0xfe;
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    bench.in_flight = 0x10;
    assert_eq!(reports(&mut bench, 2 * ROUND), [1, 0]);
    (bench.live, bench.in_flight) = (0x0e, 0);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0], "slot 1 has no live warp");
}

#[test]
fn a_cta_is_dead_when_two_walks_have_seen_nothing_of_it_move() {
    // Slot 0 is checked in steps 0 to 15 and 32 to 47; the result is output two cycles after the last step.
    for (until, first) in [(0, 18), (1, 18), (2, 50), (15, 50), (33, 50), (34, 82)] {
        let mut bench = Walked::new(small(), |_| 0, 0x0f);
        bench.set("stalled", 0x0f);
        bench.in_flight = 0x02;
        bench.cycles(until);
        bench.in_flight = 0;
        assert_eq!(bench.until_dead().map(|(cycles, _)| cycles + until), Some(first), "moves until {until}");
    }
}

#[test]
fn an_operation_that_enters_spoils_both_walks() {
    // An operation counts one cycle after it has entered. Slot 0 is checked in steps 0 to 15, so the operation of cycle 15 comes too late.
    for (cycle, cta, first) in [(0, 0, 50), (14, 0, 50), (15, 0, 18), (5, 1, 18), (30, 0, 18)] {
        let mut bench = Walked::new(small(), |_| 0, 0x0f);
        bench.set("stalled", 0x0f);
        let mut seen = None;
        for now in 0..60 {
            bench.set("entered_valid", u64::from(now == cycle));
            bench.set("entered_cta", cta);
            bench.cycle();
            seen = seen.or((bench.bench.get("dead_valid") == 1).then_some(now + 1));
        }
        assert_eq!(seen, Some(first), "slot {cta} in cycle {cycle}");
    }
}

/// Warp 0 waits for warp 3, which arrives, releases warp 0, and waits elsewhere before the walk reads it: at every moment one of
/// the two can issue.
#[test]
fn what_is_seen_of_one_warp_after_the_other_is_not_put_together() {
    for shift in 0..2 * ROUND {
        let mut bench = Walked::new(small(), |_| 0, 0b1001);
        bench.cycles(shift);
        for turn in 0..20 {
            let (waiter, comer) = if turn % 2 == 0 { (0b0001, 0b1000) } else { (0b1000, 0b0001) };
            bench.set("stalled", waiter);
            bench.cycles(3);
            bench.set("entered_valid", 1);
            bench.in_flight = comer;
            bench.cycle();
            bench.set("entered_valid", 0);
            bench.cycles(2);
            bench.in_flight = 0;
        }
        assert_eq!(reports(&mut bench, 2), [0, 0], "{shift}");
    }
}

#[test]
fn a_cta_that_retires_between_the_walks_is_not_dead() {
    for at in 0..16 {
        let mut bench = Walked::new(small(), |_| 0, 0x0f);
        bench.set("stalled", 0x0e);
        bench.cycles(at);
        bench.live = 0;
        assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0], "{at}");
    }
}

#[test]
fn an_implicit_conflict_is_reported_though_warps_can_go_on() {
    let mut bench = bench();
    bench.set("implicit_conflict_cta", 1);
    bench.set("implicit_conflict_valid", 1);
    bench.cycle();
    bench.set("implicit_conflict_valid", 0);
    assert_eq!(reports(&mut bench, 3 * ROUND), [0, 1]);
    // The conflict stays until the CTA is released, and is reported only once.
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 2 * ROUND), [1, 0]);
    bench.set("stalled", 0);
    transfer(&mut bench, Kind::Release, Code::NotResident, 1);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    transfer(&mut bench, Kind::Release, Code::None, 1);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
    bench.set("implicit_conflict_valid", 1);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 1]);
    // A release in the same cycle as an implicit conflict has precedence.
    transfer(&mut bench, Kind::Release, Code::None, 1);
    bench.set("implicit_conflict_valid", 0);
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 0]);
}

#[test]
fn a_report_holds_until_it_is_taken_and_no_other_comes_meanwhile() {
    let mut bench = bench();
    bench.set("stalled", 0xff);
    bench.set("dead_ready", 0);
    assert_eq!(bench.until_dead(), Some((18, 0)));
    for _ in 0..3 * ROUND {
        bench.cycle();
        assert_eq!(bench.bench.get_all(&["dead_valid", "dead_cta"]), [1, 0]);
    }
    bench.set("dead_ready", 1);
    bench.cycle();
    assert_eq!(reports(&mut bench, 2 * ROUND), [0, 1]);
}

#[test]
fn slots_are_looked_at_in_turn() {
    let mut bench = Walked::new(default_sizes(), |warp| warp % 8, 0xffff_ffff);
    bench.set("stalled", 0xffff_ffff);
    let mut seen = vec![];
    for _ in 0..9 * 64 {
        bench.cycle();
        if bench.bench.get("dead_valid") == 1 {
            seen.push(bench.bench.get("dead_cta"));
        }
    }
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
    bench.bench.reset();
    bench.at = 0;
    assert_eq!(bench.until_dead(), Some((66, 0)), "slot 0 is the first one after a reset");
}

/// A walk that restarts in the middle, or pauses, is a longer walk.
#[test]
fn a_walk_ends_with_the_last_warp() {
    let mut bench = Walked::new(small(), |_| 0, 0x0f);
    bench.set("stalled", 0x0f);
    bench.cycles(5);
    bench.at = 0;
    bench.set("seen_valid", 0);
    bench.bench.cycles(10);
    assert_eq!(bench.until_dead(), Some((18, 0)));
}

/// `tiny` has one CTA slot, but a slot number has one bit: the number 1 names a slot that does not exist.
#[test]
fn a_slot_that_is_not_built_is_never_looked_at() {
    let mut bench = Walked::new(tiny(), |_| 1, 0xf);
    bench.set("stalled", 0xf);
    bench.set("implicit_conflict_cta", 1);
    bench.set("implicit_conflict_valid", 1);
    assert_eq!(reports(&mut bench, 40), [0, 0]);
    bench.homes[3] = 0;
    assert_eq!(reports(&mut bench, 40), [1, 0]);
}
