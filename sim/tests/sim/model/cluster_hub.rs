// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cluster_hub` at its ports: its messages to each multiprocessor, and that no message is lost when many arrive at once.

use super::bench::{for_seeds, small, unit, Random};
use bcu_model::bench::Bench;
use bcu_model::cluster_ports::{ClusterMessageKind, HubKind};
use ClusterMessageKind::{Arrived, Gone, GoneOdd, Present};

const COMPLETE: u64 = HubKind::Complete as u64;
const CLOSED: u64 = HubKind::Closed as u64;

/// A message: multiprocessor, kind, cluster, rank, size.
type Said = (u64, ClusterMessageKind, u64, u64, u64);

/// One cycle with these messages; returns the messages to each multiprocessor in that cycle.
fn cycle(bench: &mut Bench, says: &[Said]) -> Vec<(u64, u64, u64)> {
    for (sm, kind, cluster, rank, size) in says {
        let fields = [("kind", kind.value()), ("cluster", *cluster), ("rank", *rank), ("size", *size)];
        bench.offer(&format!("from_{sm}"), &fields);
    }
    bench.cycle();
    (0..2).for_each(|sm| bench.set(&format!("from_{sm}_valid"), 0));
    let got = |sm: &u64| bench.get(&format!("to_{sm}_valid")) == 1;
    let field = |sm, name: &str| bench.get(&format!("to_{sm}_{name}"));
    (0..2).filter(got).map(|sm| (sm, field(sm, "kind"), field(sm, "cluster"))).collect()
}

/// The messages of the next cycles.
fn later_messages(bench: &mut Bench) -> Vec<(u64, u64, u64)> {
    (0..12).flat_map(|_| cycle(bench, &[])).collect()
}

#[test]
fn a_phase_is_over_when_every_rank_has_arrived() {
    let mut bench = unit("cluster_hub", small());
    cycle(&mut bench, &[(0, Present, 3, 0, 3), (1, Present, 3, 2, 3)]);
    cycle(&mut bench, &[(0, Arrived, 3, 0, 0), (1, Arrived, 3, 2, 0)]);
    assert!(later_messages(&mut bench).is_empty(), "one CTA is not present yet");
    cycle(&mut bench, &[(0, Present, 3, 1, 3)]);
    cycle(&mut bench, &[(0, Arrived, 3, 1, 0)]);
    assert_eq!(later_messages(&mut bench), [(0, COMPLETE, 3), (1, COMPLETE, 3)]);
    // Cluster 3 runs its next phase, and cluster 1 is on a single multiprocessor.
    cycle(&mut bench, &[(0, Arrived, 3, 0, 0), (1, Present, 1, 0, 2)]);
    cycle(&mut bench, &[(0, Arrived, 3, 1, 0), (1, Present, 1, 1, 2)]);
    cycle(&mut bench, &[(1, Arrived, 1, 1, 0)]);
    cycle(&mut bench, &[(1, Arrived, 1, 0, 0)]);
    assert_eq!(later_messages(&mut bench), [(1, COMPLETE, 1)]);
    cycle(&mut bench, &[(1, Arrived, 3, 2, 0)]);
    assert_eq!(later_messages(&mut bench), [(0, COMPLETE, 3), (1, COMPLETE, 3)]);
}

#[test]
fn who_is_gone_holds_nobody_up_and_completes_nothing_alone() {
    let mut bench = unit("cluster_hub", small());
    cycle(&mut bench, &[(0, Present, 0, 0, 2), (1, Present, 0, 1, 2)]);
    cycle(&mut bench, &[(0, Arrived, 0, 0, 0), (1, Gone, 0, 1, 0)]);
    assert_eq!(later_messages(&mut bench), [(0, COMPLETE, 0), (1, COMPLETE, 0)]);
    cycle(&mut bench, &[(0, GoneOdd, 0, 0, 0)]);
    assert_eq!(later_messages(&mut bench), [(0, CLOSED, 0), (1, CLOSED, 0)]);
    assert!(later_messages(&mut bench).is_empty());
    // The cluster slot holds a new cluster. A CTA that has arrived and is then gone does not count twice.
    cycle(&mut bench, &[(0, Present, 0, 0, 2)]);
    cycle(&mut bench, &[(0, Arrived, 0, 0, 0)]);
    cycle(&mut bench, &[(0, GoneOdd, 0, 0, 0), (1, Present, 0, 1, 2)]);
    assert!(later_messages(&mut bench).is_empty());
    cycle(&mut bench, &[(1, Arrived, 0, 1, 0)]);
    assert_eq!(later_messages(&mut bench), [(0, COMPLETE, 0), (1, COMPLETE, 0)]);
}

#[test]
fn closed_goes_to_members_behind_the_last_complete() {
    let mut bench = unit("cluster_hub", small());
    cycle(&mut bench, &[(0, Present, 2, 0, 2)]);
    cycle(&mut bench, &[(0, Present, 2, 1, 2)]);
    cycle(&mut bench, &[(0, Arrived, 2, 0, 0)]);
    cycle(&mut bench, &[(0, Arrived, 2, 1, 0)]);
    cycle(&mut bench, &[(0, GoneOdd, 2, 0, 0)]);
    let mut got = cycle(&mut bench, &[(0, GoneOdd, 2, 1, 0)]);
    got.extend(later_messages(&mut bench));
    assert_eq!(got, [(0, COMPLETE, 2), (0, CLOSED, 2)]);
}

/// The decision whether a CTA that is gone has arrived in the open phase does not depend on the cycle of its Gone message.
#[test]
fn who_goes_while_complete_is_on_its_way_counts_in_the_next_phase() {
    for delay in 0..8 {
        let mut bench = unit("cluster_hub", small());
        cycle(&mut bench, &[(0, Present, 1, 0, 2), (1, Present, 1, 1, 2)]);
        cycle(&mut bench, &[(0, Arrived, 1, 0, 0), (1, Arrived, 1, 1, 0)]);
        let mut got: Vec<_> = (0..delay).flat_map(|_| cycle(&mut bench, &[])).collect();
        got.extend(cycle(&mut bench, &[(1, GoneOdd, 1, 1, 0)]));
        got.extend(later_messages(&mut bench));
        assert_eq!(got, [(0, COMPLETE, 1), (1, COMPLETE, 1)], "after {delay} cycles");
        cycle(&mut bench, &[(0, Arrived, 1, 0, 0)]);
        assert_eq!(later_messages(&mut bench), [(0, COMPLETE, 1), (1, COMPLETE, 1)], "after {delay} cycles");
        cycle(&mut bench, &[(0, Gone, 1, 0, 0)]);
        assert_eq!(later_messages(&mut bench), [(0, CLOSED, 1), (1, CLOSED, 1)], "after {delay} cycles");
    }
}

#[test]
fn who_all_go_before_their_turn_are_told_closed_alone() {
    let mut bench = unit("cluster_hub", small());
    for cluster in 0..4 {
        cycle(&mut bench, &[(0, Present, cluster, 0, 2), (1, Present, cluster, 1, 2)]);
        let rank = cluster % 2;
        cycle(&mut bench, &[(rank, Arrived, cluster, rank, 0)]);
    }
    let mut got = cycle(&mut bench, &[(1, Arrived, 0, 1, 0), (0, Arrived, 1, 0, 0)]);
    got.extend(cycle(&mut bench, &[(1, Arrived, 2, 1, 0), (0, Arrived, 3, 0, 0)]));
    got.extend(cycle(&mut bench, &[(0, GoneOdd, 3, 0, 0), (1, GoneOdd, 3, 1, 0)]));
    got.extend(later_messages(&mut bench));
    let to_0: Vec<_> = got.iter().filter(|(sm, ..)| *sm == 0).map(|(_, kind, cluster)| (*kind, *cluster)).collect();
    assert_eq!(to_0, [(COMPLETE, 0), (COMPLETE, 1), (COMPLETE, 2), (CLOSED, 3)]);
}

#[test]
fn messages_of_one_slot_in_one_cycle_all_count() {
    let ends = |one, other| {
        let mut bench = unit("cluster_hub", small());
        cycle(&mut bench, &[(0, Present, 1, 0, 2), (1, Present, 1, 1, 2)]);
        cycle(&mut bench, &[(0, one, 1, 0, 0), (1, other, 1, 1, 0)]);
        later_messages(&mut bench)
    };
    assert_eq!(ends(Arrived, Arrived), [(0, COMPLETE, 1), (1, COMPLETE, 1)]);
    assert_eq!(ends(Arrived, Gone), [(0, COMPLETE, 1), (1, COMPLETE, 1)]);
    assert_eq!(ends(Gone, Arrived), [(0, COMPLETE, 1), (1, COMPLETE, 1)]);
    assert_eq!(ends(Gone, Gone), [(0, CLOSED, 1), (1, CLOSED, 1)]);
}

#[test]
fn slots_take_turns_and_lose_nothing() {
    let mut bench = unit("cluster_hub", small());
    for cluster in 0..4 {
        cycle(&mut bench, &[(0, Present, cluster, 0, 2), (1, Present, cluster, 1, 2)]);
    }
    for cluster in 0..2 {
        cycle(&mut bench, &[(0, Arrived, cluster, 0, 0), (1, Arrived, 3 - cluster, 1, 0)]);
    }
    let mut got = cycle(&mut bench, &[(0, Arrived, 3, 0, 0), (1, Arrived, 0, 1, 0)]);
    got.extend(cycle(&mut bench, &[(0, Gone, 2, 0, 0), (1, Gone, 1, 1, 0)]));
    got.extend(later_messages(&mut bench));
    let to_0: Vec<_> = got.iter().filter(|(sm, ..)| *sm == 0).map(|(_, _, cluster)| *cluster).collect();
    assert_eq!((to_0, got.len()), (vec![0, 1, 2, 3], 8), "two became due in each of two cycles");
}

/// The state of a rank in the reference of the random test, which applies the messages one by one, without time.
#[derive(Clone, Copy, PartialEq)]
enum Rank {
    Open,
    Arrived,
    Gone,
}

#[test]
fn random_clusters_see_each_phase_over_once() {
    for_seeds("random_clusters", 60, |seed| {
        let mut random = Random(seed);
        let mut bench = unit("cluster_hub", small());
        let size = 2 + random.below(15);
        let mut ranks = vec![Rank::Open; size as usize];
        let mut odd = vec![false; size as usize];
        for rank in 0..size {
            cycle(&mut bench, &[(rank % 2, Present, 2, rank, size)]);
        }
        // Both multiprocessors receive each message in the same cycle.
        for _ in 0..3000 {
            let mut says = vec![];
            for sm in 0..2 {
                let rank = random.below(size);
                let state = &mut ranks[rank as usize];
                if rank % 2 != sm || *state == Rank::Gone {
                    continue;
                }
                if random.one_in(200) {
                    *state = Rank::Gone;
                    says.push((sm, if odd[rank as usize] { GoneOdd } else { Gone }, 2, rank, 0));
                } else if *state == Rank::Open {
                    *state = Rank::Arrived;
                    odd[rank as usize] = !odd[rank as usize];
                    says.push((sm, Arrived, 2, rank, 0));
                }
            }
            let messages = cycle(&mut bench, &says);
            if !messages.is_empty() {
                let over = !ranks.contains(&Rank::Open);
                assert!(over && messages.len() == 2, "{messages:?}");
                if messages[0].1 == CLOSED {
                    assert!(ranks.iter().all(|rank| *rank == Rank::Gone));
                    return;
                }
                ranks.iter_mut().filter(|rank| **rank == Rank::Arrived).for_each(|rank| *rank = Rank::Open);
            }
        }
        let open = ranks.contains(&Rank::Open);
        assert!(open || !later_messages(&mut bench).is_empty(), "a phase is complete, but no Complete was sent");
    });
}
