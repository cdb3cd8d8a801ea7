// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Timing at the ports of `mbarrier`: `tx_done` of transfers on `tx`, the answers to suspended warps of a leaving CTA, and time-outs.

use super::bench::{for_seeds, small, tiny, unit};
use super::mbarrier_sm::Sm;
use super::mbarrier_waits::{play, Outcome};
use bcu_model::mbarrier_object::MbarrierKind::*;
use bcu_model::op::Code;

#[test]
fn each_transfer_of_a_copy_engine_is_shown_when_it_is_done_in_order() {
    let mut sm = Sm::new(small(), 9);
    sm.op(0, Init, 16, 3, 0);
    // Three transfers are for the CTA in slot 0: the first must read its word from memory and is refused, and the last is refused too. One
    // transfer is for an empty slot.
    let mut shown = vec![];
    for (cta, object, count) in [(0, 3, 1), (1, 2, 1), (0, 2, 1), (0, 2, 5)] {
        sm.bench.set_all(&[("tx_valid", 1), ("tx_cta", cta), ("tx_object", object), ("tx_count", count)]);
        loop {
            sm.run_cycle();
            let transferred = sm.bench.get("tx_ready") == 1;
            shown.extend((sm.bench.get("tx_done_valid") == 1).then(|| sm.bench.get("tx_done_cta")));
            if transferred {
                break;
            }
        }
    }
    sm.bench.set("tx_valid", 0);
    for _ in 0..60 {
        sm.run_cycle();
        shown.extend((sm.bench.get("tx_done_valid") == 1).then(|| sm.bench.get("tx_done_cta")));
    }
    assert_eq!(shown, [0, 1, 0, 0]);
    let faults = [Code::MbarrierInvalid, Code::RankAbsent, Code::MbarrierOverArrival];
    assert_eq!(sm.faults, faults.map(Code::value));
}

/// In each cycle around a `retire` an event would answer a suspended warp: a time-out, an arrival of another CTA, or a second object that
/// takes the entry of the warp's object.
#[test]
fn no_warp_of_a_cta_that_goes_unsaved_is_answered_from_the_next_cycle_on() {
    // Words 0 and 9 of `tiny` share an entry; there is one CTA slot.
    let answers: [fn(&mut Sm); 3] = [
        |_| (),
        |sm| sm.bench.set_all(&[("net_in_valid", 1), ("net_in_kind", 2), ("net_in_count", 1), ("net_in_object", 0)]),
        |sm| sm.bench.set_all(&[("tx_valid", 1), ("tx_object", 9), ("tx_count", 1)]),
    ];
    for (source, answer) in answers.into_iter().enumerate() {
        let mut answered = 0;
        for (saved, after) in [0, 1].into_iter().flat_map(|saved| (0..160).map(move |after| (saved, after))) {
            let mut sm = Sm::new(tiny(), 2);
            sm.op(0, Init, 0, 1, 0);
            sm.op(1, TryWait, 0, 0, 0);
            if source > 0 {
                sm.bench.set("wait_limit", 3);
            }
            answer(&mut sm);
            for cycle in 0..after {
                sm.run_cycle();
                if cycle == 0 {
                    sm.bench.set_all(&[("net_in_valid", 0), ("tx_valid", 0)]);
                }
            }
            sm.bench.set_all(&[("retire_valid", 1), ("retire_saved", saved), ("retire_warps", 0b11)]);
            sm.run_cycle();
            sm.bench.set_all(&[("retire_valid", 0), ("net_in_valid", 0), ("tx_valid", 0)]);
            // The outputs of this cycle were decided before the cycle.
            let before = sm.wakes.len();
            sm.steps(60);
            assert_eq!(sm.bench.get("suspended"), 0, "source {source}, after {after} cycles");
            let later = sm.wakes.len() - before;
            assert_eq!(
                later,
                usize::from(before == 0) * saved as usize,
                "source {source}, after {after} cycles: {:?}",
                sm.wakes
            );
            answered += before;
        }
        assert!(answered > 0, "source {source} answers nothing");
    }
}

#[test]
fn no_time_out_answers_a_later_suspension() {
    for (sizes, warps) in [(tiny(), 4), (small(), 8)] {
        for_seeds("no_time_out_answers_a_later_suspension", 12, |seed| {
            let Outcome { suspended, soon, gave_up, woken } = play(unit("mbarrier", sizes), warps, seed, 10_000);
            assert!(suspended > 100 && soon > 20 && gave_up > 10 && woken > 20, "{suspended}, {soon}, {gave_up}, {woken}");
        });
    }
}
