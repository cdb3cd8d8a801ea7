// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CTAs that cannot go on.

use super::bench::Bench;
use bcu_hw::unit::op::OpKind;

/// Warps 0 and 1 in slot 0, 2 and 3 in slot 1.
fn bench(stalled: u64) -> Bench {
    let mut bench = Bench::at("small", "watch");
    bench.set(&[("dead_ready", 0), ("live", 0b1111), ("warp_cta_0", 0b1100), ("stalled", stalled)]);
    bench
}

/// Whether and for which slot something is reported within the next eight cycles.
fn report(bench: &mut Bench) -> Option<u64> {
    for _ in 0..8 {
        bench.cycle();
        if bench.get("dead_valid") == 1 {
            return Some(bench.get("dead_cta"));
        }
    }
    None
}

fn take(bench: &mut Bench) {
    bench.set(&[("dead_ready", 1)]);
    bench.cycle();
    bench.set(&[("dead_ready", 0)]);
}

#[test]
fn a_cta_whose_live_warps_are_all_stalled_is_reported_once() {
    let mut bench = bench(0b0110);
    assert_eq!(report(&mut bench), None);
    bench.set(&[("stalled", 0b1110)]);
    assert_eq!(report(&mut bench), Some(1));
    bench.cycle();
    assert_eq!(bench.get("dead_valid"), 1);
    take(&mut bench);
    assert_eq!(report(&mut bench), None);
    // It goes on, and gets stuck again.
    bench.set(&[("stalled", 0b0110)]);
    assert_eq!(report(&mut bench), None);
    bench.set(&[("stalled", 0b1100)]);
    assert_eq!(report(&mut bench), Some(1));
}

#[test]
fn warps_that_have_exited_do_not_count_and_an_empty_slot_is_not_dead() {
    let mut bench = bench(0b0100);
    bench.set(&[("live", 0b0111)]);
    assert_eq!(report(&mut bench), Some(1));
    take(&mut bench);
    bench.set(&[("live", 0b0011)]);
    assert_eq!(report(&mut bench), None);
}

#[test]
fn something_on_its_way_keeps_a_cta_alive_also_of_a_warp_that_is_gone() {
    let mut bench = bench(0b1100);
    bench.set(&[("moving", 0b1000)]);
    assert_eq!(report(&mut bench), None);
    bench.set(&[("live", 0b0111)]);
    assert_eq!(report(&mut bench), None);
    bench.set(&[("moving", 0b0010)]);
    assert_eq!(report(&mut bench), Some(1));
}

#[test]
fn a_cta_is_reported_as_soon_as_nothing_of_it_moves() {
    let mut bench = bench(0b1100);
    bench.set(&[("moving", 0b0100)]);
    bench.cycles(5);
    bench.set(&[("moving", 0)]);
    let mut cycles = 0;
    while bench.get("dead_valid") == 0 {
        bench.cycle();
        cycles += 1;
        assert!(cycles < 10);
    }
    assert_eq!(bench.get("dead_cta"), 1);
    assert!((1..=3).contains(&cycles), "{cycles}");
}

#[test]
fn a_tangle_is_reported_at_once_and_a_release_forgives_everything() {
    let mut bench = bench(0);
    bench.set(&[("tangle_valid", 1), ("tangle_cta", 1)]);
    bench.cycle();
    bench.set(&[("tangle_valid", 0)]);
    assert_eq!(report(&mut bench), Some(1));
    take(&mut bench);
    assert_eq!(report(&mut bench), None);
    let release = OpKind::Release as u64;
    bench.set(&[("taken_valid", 1), ("taken_kind", release), ("taken_fault", 1), ("taken_cta", 1)]);
    bench.cycle();
    bench.set(&[("taken_valid", 0)]);
    assert_eq!(report(&mut bench), None, "a refused release changes nothing");
    bench.set(&[("taken_valid", 1), ("taken_fault", 0), ("tangle_valid", 1)]);
    bench.cycle();
    bench.set(&[("taken_valid", 0), ("tangle_valid", 0)]);
    assert_eq!(report(&mut bench), None, "released in the very cycle of the tangle");
    bench.set(&[("tangle_valid", 1)]);
    bench.cycle();
    bench.set(&[("tangle_valid", 0)]);
    assert_eq!(report(&mut bench), Some(1));
}

/// `tiny` has one slot, whose number has a bit all the same.
#[test]
fn a_slot_that_is_not_built_is_never_reported() {
    let mut bench = Bench::at("tiny", "watch");
    bench.set(&[("dead_ready", 0), ("live", 0b1111), ("warp_cta_0", 0b1111), ("stalled", 0b1111)]);
    bench.set(&[("tangle_valid", 1), ("tangle_cta", 1)]);
    assert_eq!(report(&mut bench), None);
    bench.set(&[("warp_cta_0", 0b0111)]);
    assert_eq!(report(&mut bench), Some(0));
}
