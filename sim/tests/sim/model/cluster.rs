// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cluster` at its ports: the warps that resume, and the messages to the hub.

use super::bench::{small, unit};
use bcu_model::bench::Bench;
use bcu_model::cluster_ports::{ClusterKind, ClusterMessageKind, HubKind};
use bcu_model::op::Code;

const OUT: [&str; 5] = ["cluster_out_valid", "cluster_out_kind", "cluster_out_cluster", "cluster_out_rank", "cluster_out_size"];

/// One multiprocessor: warps 0 to 3 belong to CTA slot 0, the other warps to slot 1; all messages to the hub are accepted.
struct Sm {
    bench: Bench,
    /// The messages to the hub that were transferred: kind, cluster and rank of each.
    sent_messages: Vec<[u64; 3]>,
    /// For each release, the warps that resumed, one bit per warp.
    released: Vec<u64>,
    /// The codes of the faults.
    faults: Vec<u64>,
}

impl Sm {
    fn new() -> Sm {
        let mut bench = unit("cluster", small());
        bench.set_all(&[("cluster_out_ready", 1), ("fault_ready", 1), ("warp_cta_0", 0xf0), ("ended", 3)]);
        Sm { bench, sent_messages: vec![], released: vec![], faults: vec![] }
    }

    fn cycle(&mut self) {
        self.bench.cycle();
        if self.bench.get("cluster_out_valid") == 1 && self.bench.input("cluster_out_ready") == 1 {
            self.sent_messages.push([1, 2, 3].map(|field| self.bench.get(OUT[field])));
        }
        if self.bench.get("release_valid") == 1 {
            self.released.push(self.bench.get("release_warps"));
        }
        if self.bench.get("fault_valid") == 1 && self.bench.input("fault_ready") == 1 {
            self.faults.push(self.bench.get("fault_code"));
        }
    }

    fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Launches a CTA with these live warps.
    fn launch(&mut self, cta: u64, [cluster, rank, size]: [u64; 3], warps: u64) {
        self.bench.offer("launch", &[("cta", cta), ("cluster", cluster), ("rank", rank), ("size", size)]);
        self.cycle();
        let ended = self.bench.input("ended") & !(1 << cta);
        let live = self.bench.input("live") | warps;
        self.bench.set_all(&[("launch_valid", 0), ("live", live), ("ended", ended)]);
        self.cycles(4);
    }

    fn op(&mut self, kind: ClusterKind, warp: u64) {
        self.bench.offer("op", &[("kind", kind.value()), ("warp", warp), ("cta", warp / 4)]);
        self.cycle();
        assert_eq!(self.bench.get("op_ready"), 1);
        self.bench.set("op_valid", 0);
    }

    fn arrive(&mut self, warps: &[u64]) {
        warps.iter().for_each(|warp| self.op(ClusterKind::Arrive, *warp));
    }

    fn wait(&mut self, warps: &[u64]) {
        warps.iter().for_each(|warp| self.op(ClusterKind::Wait, *warp));
    }

    fn hub(&mut self, kind: HubKind, cluster: u64) {
        self.bench.offer("cluster_in", &[("kind", kind.value()), ("cluster", cluster)]);
        self.cycle();
        self.bench.set("cluster_in_valid", 0);
        self.cycles(4);
    }

    /// Lets all warps of a CTA exit, and the CTA end.
    fn end(&mut self, cta: u64) {
        let live = self.bench.input("live") & !(0xf << (4 * cta));
        let ended = self.bench.input("ended") | 1 << cta;
        self.bench.set_all(&[("live", live), ("ended", ended)]);
        self.cycles(4);
    }
}

const PRESENT: u64 = ClusterMessageKind::Present as u64;
const ARRIVED: u64 = ClusterMessageKind::Arrived as u64;
const GONE: u64 = ClusterMessageKind::Gone as u64;
const GONE_ODD: u64 = ClusterMessageKind::GoneOdd as u64;

#[test]
fn a_cta_alone_is_a_cluster_of_its_own() {
    for size in [0, 1] {
        let mut sm = Sm::new();
        sm.launch(0, [3, 0, size], 0b111);
        sm.arrive(&[0, 1]);
        sm.wait(&[1]);
        sm.cycles(5);
        assert!(sm.released.is_empty() && sm.bench.get("waiting") == 2);
        sm.arrive(&[2]);
        sm.cycles(5);
        assert_eq!((sm.released.as_slice(), sm.bench.get("waiting")), (&[2][..], 0));
        sm.wait(&[0]);
        sm.cycles(5);
        sm.arrive(&[0, 1]);
        sm.wait(&[0, 1]);
        // Warp 2 has not waited for the first phase, so its wait ends at once. Warps 0 and 1 have arrived in the second phase and
        // wait, so the arrival of warp 2 completes this phase.
        sm.wait(&[2]);
        sm.arrive(&[2]);
        sm.cycles(5);
        assert_eq!(sm.released, [2, 1, 4, 3]);
        assert!(sm.sent_messages.is_empty() && sm.bench.get("freed") == 3);
    }
}

#[test]
fn the_hub_is_told_and_ends_the_phases_of_all_ctas_of_the_cluster() {
    let mut sm = Sm::new();
    sm.launch(0, [2, 5, 16], 0b11);
    sm.launch(1, [2, 0, 16], 0x10);
    assert_eq!((sm.sent_messages.as_slice(), sm.bench.get("freed")), (&[[PRESENT, 2, 5], [PRESENT, 2, 0]][..], 0));
    assert_eq!(sm.bench.get("cluster_out_size"), 16);
    sm.arrive(&[0, 4, 1]);
    sm.wait(&[0, 4]);
    sm.cycles(5);
    assert_eq!(sm.sent_messages[2..], [[ARRIVED, 2, 0], [ARRIVED, 2, 5]]);
    sm.hub(HubKind::Complete, 1);
    assert!(sm.released.is_empty(), "another cluster");
    sm.hub(HubKind::Complete, 2);
    assert_eq!((sm.released.as_slice(), sm.bench.get("waiting")), (&[0x11][..], 0));
    assert_eq!(sm.sent_messages.len(), 4);
    sm.wait(&[1]);
    sm.arrive(&[0, 1]);
    sm.cycles(5);
    assert_eq!((sm.released.as_slice(), &sm.sent_messages[4..]), (&[0x11, 2][..], &[[ARRIVED, 2, 5]][..]));
}

#[test]
fn an_exit_holds_nobody_up_and_a_cta_without_live_warps_does_not_arrive() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 2], 0b11);
    sm.launch(1, [1, 1, 2], 0x30);
    sm.sent_messages.clear();
    sm.arrive(&[0]);
    sm.cycles(4);
    assert!(sm.sent_messages.is_empty());
    sm.bench.set("live", 0x31);
    sm.cycles(4);
    assert_eq!(sm.sent_messages, [[ARRIVED, 0, 0]]);
    sm.bench.set("live", 0x01);
    sm.cycles(4);
    assert_eq!(sm.sent_messages.len(), 1, "no warp is left to arrive");
    sm.end(1);
    assert_eq!(sm.sent_messages[1], [GONE, 1, 1]);
}

#[test]
fn gone_comes_once_and_closed_frees_the_slot() {
    let mut sm = Sm::new();
    sm.launch(0, [3, 0, 2], 1);
    sm.hub(HubKind::Closed, 3);
    assert_eq!(sm.bench.get("freed"), 2, "the CTA is not gone: Closed belongs to an earlier cluster of this number");
    sm.end(0);
    sm.cycles(10);
    assert_eq!(sm.sent_messages, [[PRESENT, 3, 0], [GONE, 3, 0]]);
    assert_eq!(sm.bench.get("freed"), 2);
    // A new cluster has the number of the old cluster, in another CTA slot: messages for the new cluster do not reach the old one.
    sm.hub(HubKind::Closed, 3);
    assert_eq!(sm.bench.get("freed"), 3);
    sm.launch(1, [3, 1, 2], 0x10);
    sm.arrive(&[4]);
    sm.wait(&[4]);
    sm.hub(HubKind::Complete, 3);
    assert_eq!((sm.released.as_slice(), sm.bench.get("freed")), (&[0x10][..], 1));
    sm.bench.offer("cluster_in", &[("kind", HubKind::Closed.value()), ("cluster", 2)]);
    sm.cycle();
    sm.bench.set("cluster_in_valid", 0);
    sm.cycle();
    assert_eq!(
        sm.bench.get_all(&["closed_valid", "closed_cluster"]),
        [1, 2],
        "`closed` is reported also without a CTA of the cluster"
    );
}

#[test]
fn an_arrived_that_is_held_up_is_left_out_when_the_cta_ends() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 2], 1);
    sm.bench.set("cluster_out_ready", 0);
    sm.launch(1, [1, 0, 2], 0x10);
    sm.arrive(&[0]);
    sm.cycles(5);
    sm.end(0);
    sm.bench.set("cluster_out_ready", 1);
    sm.cycles(8);
    assert_eq!(sm.sent_messages, [[PRESENT, 0, 0], [PRESENT, 1, 0], [GONE, 0, 0]]);
}

#[test]
fn slots_take_turns() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 2], 1);
    sm.launch(1, [1, 0, 2], 0x10);
    sm.bench.set("cluster_out_ready", 0);
    sm.arrive(&[4]);
    sm.cycles(3);
    sm.arrive(&[0]);
    sm.cycles(3);
    sm.end(1);
    sm.bench.set("cluster_out_ready", 1);
    sm.cycles(8);
    assert_eq!(sm.sent_messages[2..], [[ARRIVED, 1, 0], [ARRIVED, 0, 0], [GONE_ODD, 1, 0]]);
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 2], 0b11);
    sm.wait(&[0]);
    assert_eq!(sm.bench.get("commit_valid"), 0);
    sm.cycle();
    assert_eq!(sm.bench.get_all(&["commit_valid", "commit_warps", "commit_refused"]), [1, 1, 1]);
    assert_eq!(sm.bench.get_all(&["fault_code", "fault_has_warp", "fault_warp", "fault_cta"]), [32, 1, 0, 0]);
    sm.cycle();
    sm.arrive(&[1]);
    sm.arrive(&[1]);
    sm.cycles(2);
    assert_eq!(sm.faults, [Code::ClusterWaitWithoutArrival.value(), Code::ClusterDoubleArrival.value()]);
    // A second arrival is also a fault while the warp has not waited for the completed phase. An operation that
    // already has a fault when it enters is reported with that fault and has no effect.
    sm.arrive(&[0]);
    sm.cycles(4);
    sm.hub(HubKind::Complete, 0);
    sm.arrive(&[1]);
    sm.cycles(2);
    assert_eq!(sm.faults[2..], [Code::ClusterDoubleArrival.value()]);
    sm.bench.set("op_fault", Code::WarpBlocked.value());
    sm.wait(&[1]);
    sm.bench.set("op_fault", 0);
    sm.cycles(2);
    sm.wait(&[1]);
    sm.cycles(2);
    assert_eq!((sm.faults[3..].to_vec(), sm.released.as_slice()), (vec![Code::WarpBlocked.value()], &[2][..]));
}

#[test]
fn operations_wait_while_a_fault_does() {
    let mut sm = Sm::new();
    sm.bench.set("fault_ready", 0);
    sm.launch(0, [0, 0, 0], 0b11);
    sm.wait(&[0]);
    sm.bench.offer("op", &[("kind", ClusterKind::Arrive.value()), ("warp", 1)]);
    sm.cycles(5);
    assert_eq!(sm.bench.get_all(&["op_ready", "fault_valid", "fault_warp", "commit_valid"]), [0, 1, 0, 0]);
    sm.bench.set("fault_ready", 1);
    sm.cycle();
    sm.cycle();
    assert_eq!(sm.bench.get("op_ready"), 1);
    sm.bench.set("op_valid", 0);
    sm.cycle();
    assert_eq!(sm.bench.get_all(&["commit_valid", "commit_warps", "commit_refused"]), [1, 2, 0]);
}

#[test]
fn a_cta_in_a_slot_that_is_not_built_is_not_resident() {
    let mut bench = unit("cluster", super::bench::tiny());
    bench.set_all(&[("live", 1), ("fault_ready", 1)]);
    bench.strobe("launch", &[("cta", 1), ("size", 2)]);
    bench.send("op", &[("cta", 1)]);
    bench.cycle();
    assert_eq!(bench.get_all(&["fault_valid", "fault_code", "commit_refused"]), [1, Code::NotResident.value(), 0]);
    bench.cycles(3);
    assert_eq!(bench.get_all(&["freed", "cluster_out_valid"]), [1, 0]);
}

#[test]
fn who_goes_with_its_cta_is_not_answered() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 1], 0b11);
    sm.arrive(&[0]);
    sm.wait(&[0]);
    sm.cycles(2);
    sm.bench.set("live", 0);
    sm.cycle();
    sm.cycle();
    assert_eq!(sm.bench.get("waiting"), 0);
    // The warp slots are used again: no state of the old warps remains.
    sm.launch(0, [0, 0, 1], 0b1);
    sm.arrive(&[0]);
    sm.wait(&[0]);
    sm.cycles(3);
    assert_eq!((sm.released.as_slice(), sm.faults.len()), (&[1][..], 0));
}

#[test]
fn a_wait_in_the_cycle_in_which_the_phase_ends_goes_on() {
    let mut sm = Sm::new();
    sm.launch(0, [0, 0, 2], 0b1);
    sm.arrive(&[0]);
    sm.cycles(4);
    for early in 0..4 {
        sm.bench.offer("cluster_in", &[("kind", HubKind::Complete.value())]);
        sm.cycle();
        sm.bench.set("cluster_in_valid", 0);
        sm.cycles(early);
        sm.wait(&[0]);
        sm.cycles(3);
        assert_eq!(sm.released, vec![1; early + 1]);
        sm.arrive(&[0]);
        sm.cycles(4);
    }
    assert!(sm.faults.is_empty());
    assert_eq!(sm.sent_messages.len(), 6);
}
