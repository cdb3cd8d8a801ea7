// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time at the ports of `mbarrier`: what is done of `tx`.

use super::bench::small;
use super::mbarrier_sm::Sm;
use bcu_sim::model::mbarrier_object::MbarrierKind::*;
use bcu_sim::model::op::Code;

#[test]
fn each_transfer_of_a_copy_engine_is_shown_when_it_is_done_in_order() {
    let mut sm = Sm::new(small(), 9);
    sm.op(0, Init, 16, 3, 0);
    // Two for the CTA in slot 0, of which the first needs its word from memory and is refused; one for nobody.
    let mut shown = vec![];
    for (cta, object, count) in [(0, 3, 1), (1, 2, 1), (0, 2, 1), (0, 2, 5)] {
        sm.bench.set_all(&[("tx_valid", 1), ("tx_cta", cta), ("tx_object", object), ("tx_count", count)]);
        loop {
            sm.step();
            let taken = sm.bench.get("tx_ready") == 1;
            shown.extend((sm.bench.get("tx_done_valid") == 1).then(|| sm.bench.get("tx_done_cta")));
            if taken {
                break;
            }
        }
    }
    sm.bench.set("tx_valid", 0);
    for _ in 0..60 {
        sm.step();
        shown.extend((sm.bench.get("tx_done_valid") == 1).then(|| sm.bench.get("tx_done_cta")));
    }
    assert_eq!(shown, [0, 1, 0, 0]);
    let faults = [Code::MbarrierInvalid, Code::RankAbsent, Code::MbarrierOverArrival];
    assert_eq!(sm.faults, faults.map(Code::value));
}
