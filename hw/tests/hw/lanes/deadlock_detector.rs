// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `deadlock_detector` on CTAs that cannot make progress.

use super::bench::Bench;
use bcu_hw::unit::op::OpKind;

/// A `deadlock_detector`, and the state of the walk that the test drives.
struct Walked {
    bench: Bench,
    /// Mask of the warps in CTA slot 1.
    slot_1: u64,
    /// Mask of the live warps.
    live: u64,
    /// Mask of the warps with an operation in flight.
    in_flight: u64,
    /// Number of warps.
    warps: u64,
    /// The warp that the walk reads next.
    at: u64,
}

impl Walked {
    fn new(config: &str, warps: u64, slot_1: u64, stalled: u64) -> Walked {
        let mut bench = Bench::with_config(config, "deadlock_detector");
        bench.set(&[("dead_ready", 0), ("stalled", stalled), ("seen_valid", 1)]);
        Walked { bench, slot_1, live: 0b1111, in_flight: 0, warps, at: 0 }
    }

    fn set(&mut self, inputs: &[(&str, u64)]) {
        self.bench.set(inputs);
    }

    /// Runs one cycle, with one step of the walk.
    fn cycle(&mut self) {
        let bit = |warps: u64| warps >> self.at & 1;
        let (cta, live, in_flight) = (bit(self.slot_1), bit(self.live), bit(self.in_flight));
        self.bench.set(&[("seen_warp", self.at), ("seen_cta", cta), ("seen_live", live), ("seen_in_flight", in_flight)]);
        self.bench.cycle();
        self.at = (self.at + 1) % self.warps;
    }

    /// The CTA slot that is reported within the next eight walks, in which each of two CTA slots is
    /// examined twice; `None` if there is no report.
    fn report(&mut self) -> Option<u64> {
        (0..8 * self.warps).find_map(|_| {
            self.cycle();
            (self.bench.get("dead_valid") == 1).then(|| self.bench.get("dead_cta"))
        })
    }
}

/// A bench with warps 0 and 1 in CTA slot 0, and warps 2 and 3 in CTA slot 1.
fn bench(stalled: u64) -> Walked {
    Walked::new("small", 8, 0b1100, stalled)
}

fn take(bench: &mut Walked) {
    bench.set(&[("dead_ready", 1)]);
    bench.cycle();
    bench.set(&[("dead_ready", 0)]);
}

#[test]
fn a_cta_whose_live_warps_are_all_stalled_is_reported_once() {
    let mut bench = bench(0b0110);
    assert_eq!(bench.report(), None);
    bench.set(&[("stalled", 0b1110)]);
    assert_eq!(bench.report(), Some(1));
    bench.cycle();
    assert_eq!(bench.bench.get("dead_valid"), 1);
    take(&mut bench);
    assert_eq!(bench.report(), None);
    // The warp resumes, and stalls again.
    bench.set(&[("stalled", 0b0110)]);
    assert_eq!(bench.report(), None);
    bench.set(&[("stalled", 0b1100)]);
    assert_eq!(bench.report(), Some(1));
}

#[test]
fn warps_that_have_exited_do_not_count_and_an_empty_slot_is_not_dead() {
    let mut bench = bench(0b0100);
    bench.live = 0b0111;
    assert_eq!(bench.report(), Some(1));
    take(&mut bench);
    bench.live = 0b0011;
    assert_eq!(bench.report(), None);
}

#[test]
fn something_on_its_way_keeps_a_cta_alive_also_of_a_warp_that_is_gone() {
    let mut bench = bench(0b1100);
    bench.in_flight = 0b1000;
    assert_eq!(bench.report(), None);
    bench.live = 0b0111;
    assert_eq!(bench.report(), None);
    bench.in_flight = 0b0010;
    assert_eq!(bench.report(), Some(1));
}

#[test]
fn a_cta_is_reported_when_two_walks_have_seen_nothing_of_it() {
    let mut bench = bench(0b1100);
    bench.in_flight = 0b0100;
    (0..5).for_each(|_| bench.cycle());
    bench.in_flight = 0;
    let mut cycles = 5;
    while bench.bench.get("dead_valid") == 0 {
        bench.cycle();
        cycles += 1;
        // First an operation of the other CTA slot enters `gather`, then an operation of this slot.
        bench.set(&[("entered_valid", u64::from(cycles == 18 || cycles == 30)), ("entered_cta", u64::from(cycles == 30))]);
        assert!(cycles < 100);
    }
    // CTA slot 1 is examined in steps 16 to 31 of the walk, then in steps 48 to 63.
    assert_eq!((cycles, bench.bench.get("dead_cta")), (66, 1));
}

#[test]
fn an_implicit_conflict_is_reported_at_once_and_a_release_forgives_everything() {
    let mut bench = bench(0);
    bench.set(&[("implicit_conflict_valid", 1), ("implicit_conflict_cta", 1)]);
    bench.cycle();
    bench.set(&[("implicit_conflict_valid", 0)]);
    assert_eq!(bench.report(), Some(1));
    take(&mut bench);
    assert_eq!(bench.report(), None);
    let release = OpKind::Release as u64;
    bench.set(&[("taken_valid", 1), ("taken_kind", release), ("taken_fault", 1), ("taken_cta", 1)]);
    bench.cycle();
    bench.set(&[("taken_valid", 0)]);
    assert_eq!(bench.report(), None, "expected no second report after a refused release");
    bench.set(&[("taken_valid", 1), ("taken_fault", 0), ("implicit_conflict_valid", 1)]);
    bench.cycle();
    bench.set(&[("taken_valid", 0), ("implicit_conflict_valid", 0)]);
    assert_eq!(bench.report(), None, "expected no report, because the CTA is released in the cycle of the implicit conflict");
    bench.set(&[("implicit_conflict_valid", 1)]);
    bench.cycle();
    bench.set(&[("implicit_conflict_valid", 0)]);
    assert_eq!(bench.report(), Some(1));
}

/// Configuration `tiny` has one CTA slot, but a slot number still has one bit.
#[test]
fn a_slot_that_is_not_built_is_never_reported() {
    let mut bench = Walked::new("tiny", 4, 0b1111, 0b1111);
    bench.set(&[("implicit_conflict_valid", 1), ("implicit_conflict_cta", 1)]);
    assert_eq!(bench.report(), None);
    bench.slot_1 = 0b0111;
    assert_eq!(bench.report(), Some(0));
}
