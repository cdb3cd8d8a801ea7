// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` in a cluster: operations on objects of other CTAs, and operations that arrive from other CTAs.

use super::bench::small;
use super::mbarrier_sm::Sm;
use bcu_model::mbarrier_object::MbarrierKind::*;
use bcu_model::op::Code;

/// A unit whose CTA has rank 2 in a cluster of 4, and whose network is ready.
fn in_cluster() -> Sm {
    let mut sm = Sm::new(small(), 1);
    sm.bench.set_all(&[("launch_valid", 1), ("launch_cluster", 3), ("launch_rank", 2), ("launch_size", 4)]);
    sm.run_cycle();
    sm.bench.set_all(&[("launch_valid", 0), ("net_out_ready", 1)]);
    sm
}

fn acknowledge(sm: &mut Sm, absent: u64) {
    sm.bench.set_all(&[("net_ack_valid", 1), ("net_ack_absent", absent)]);
    sm.run_cycle();
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
        sm.run_cycle();
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
    sm.run_cycle();
    sm.bench.set("op_valid", 0);
    sm.steps(10);
    let message = ["valid", "cluster", "rank", "cta", "object", "kind", "count", "bytes"];
    assert_eq!(message.map(|field| sm.bench.get(&format!("net_out_{field}"))), [1, 3, 1, 0, 3, 6, 1, 7]);
    sm.op(1, Arrive, 2 << 24, 1, 0);
    assert_eq!(sm.tokens.len(), 1, "the CTA's own object is accessible while the network is stalled");
    sm.bench.set("net_out_ready", 1);
    sm.steps(10);
    assert_eq!(sm.tokens[1], (5, 0, 0));
    // Two remote operations may be unacknowledged: the second leaves, the third waits for an acknowledgement.
    sm.op(6, Arrive, 1 << 24, 1, 0);
    let commits = sm.commits;
    sm.bench.set_all(&[("op_kind", 2), ("op_warp", 7), ("op_count", 1), ("op_bytes", 0), ("op_valid", 1)]);
    sm.run_cycle();
    sm.bench.set("op_valid", 0);
    sm.steps(20);
    assert_eq!((sm.commits, sm.bench.get("net_out_valid")), (commits, 0));
    acknowledge(&mut sm, 0);
    sm.steps(20);
    assert_eq!(sm.commits, commits + 1);
    // The CTA retires after the other two are acknowledged; one of them has found no CTA.
    sm.bench.set("retire_valid", 1);
    sm.run_cycle();
    sm.bench.set("retire_valid", 0);
    acknowledge(&mut sm, 0);
    let retired = |sm: &mut Sm| {
        (0..100).any(|_| {
            sm.run_cycle();
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
    // Slot, object, kind, count, bytes of three arrivals: the first completes its phase, the second names an invalid object, and the third
    // a slot without a CTA.
    let cases = [([0, 1, 2, 1, 0], 0, None), ([0, 2, 2, 1, 0], 0, Some(Code::MbarrierInvalid)), ([1, 1, 2, 1, 0], 1, None)];
    for (source, (values, absent, fault)) in cases.into_iter().enumerate() {
        let names = ["cta", "object", "kind", "count", "bytes"];
        for (name, value) in names.into_iter().zip(values) {
            sm.bench.set(&format!("net_in_{name}"), value);
        }
        sm.bench.set_all(&[("net_in_source", source as u64), ("net_in_valid", 1)]);
        sm.run_cycle();
        sm.bench.set("net_in_valid", 0);
        while sm.bench.get("net_reply_valid") == 0 {
            sm.run_cycle();
        }
        assert_eq!((sm.bench.get("net_reply_source"), sm.bench.get("net_reply_absent")), (source as u64, absent));
        assert_eq!(sm.faults.drain(..).next(), fault.map(Code::value));
    }
    assert_eq!(sm.wakes, [(2, 1)]);
}
