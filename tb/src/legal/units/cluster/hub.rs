// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A model of the hub and of the other multiprocessors for the legal user of `cluster`, from `docs/contract/clusters.md`. It tracks each
//! rank of a cluster, whereas the hub of the design only counts CTAs.

use super::super::ledger::Ledger;
use crate::stimulus::Rng;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default)]
pub struct Rank {
    /// Whether the CTA of this rank is on this multiprocessor.
    pub is_here: bool,
    pub is_present: bool,
    pub arrivals: u64,
    pub is_gone: bool,
    /// For a rank of another multiprocessor: the cycle of its next possible action.
    due: u64,
    /// For a rank of another multiprocessor: the number of phases that it still takes part in.
    phases_left: u64,
}

/// The state of a cluster in its cluster slot.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub size: u64,
    pub ranks: Vec<Rank>,
    /// Number of completed phases.
    pub over: u64,
    /// Number of `Complete` messages that this multiprocessor has received.
    pub completes: u64,
    pub is_closing: bool,
    /// The cycle after the one in which this multiprocessor receives `Closed`. The cluster slot may be used for another cluster after this
    /// cycle.
    pub closed: Option<u64>,
}

pub struct Hub {
    pub clusters: Vec<Option<Cluster>>,
    /// Messages in flight to this multiprocessor: the earliest cycle of arrival, with kind and cluster.
    link: VecDeque<(u64, [u64; 2])>,
    latency: u64,
    patience: u64,
}

impl Hub {
    pub fn new(rng: &mut Rng, slots: u64) -> Hub {
        Hub {
            clusters: vec![None; slots as usize],
            link: [].into(),
            latency: rng.pick(&[0, 1, 10, 80]).unwrap_or(0),
            patience: rng.pick(&[1, 10, 100]).unwrap_or(1),
        }
    }

    /// Opens a cluster of `size` CTAs; the ranks in `local_ranks` have their CTAs on this multiprocessor.
    pub fn open(&mut self, rng: &mut Rng, slot: usize, size: u64, local_ranks: u64, cycle: u64) {
        let rank = |number: u64| Rank {
            is_here: local_ranks >> number & 1 == 1,
            due: cycle + number % 7,
            phases_left: 0,
            ..Rank::default()
        };
        let mut ranks: Vec<Rank> = (0..size).map(rank).collect();
        ranks.iter_mut().for_each(|rank| rank.phases_left = rng.below(12));
        self.clusters[slot] = Some(Cluster { size, ranks, ..Cluster::default() });
    }

    /// Receives a message of this multiprocessor.
    pub fn message(&mut self, ledger: &mut Ledger, [kind, slot, number, size]: [u64; 4]) {
        let cluster = self.clusters.get_mut(slot as usize).and_then(Option::as_mut);
        let Some((cluster, number)) =
            cluster.filter(|cluster| cluster.size == size && number < size).map(|c| (c, number as usize))
        else {
            return ledger.fail(|| format!("message of rank {number} of cluster {slot}, size {size}: no such cluster or rank"));
        };
        let rank = &mut cluster.ranks[number];
        let is_right = match kind {
            0 => !rank.is_present && rank.is_here,
            1 => rank.is_present && !rank.is_gone && rank.arrivals == cluster.completes,
            _ => rank.is_present && !rank.is_gone && kind == 2 + rank.arrivals % 2,
        };
        if !is_right {
            let rank = *rank;
            ledger.fail(|| format!("message {kind} of rank {number} of cluster {slot} in this state: {rank:?}"));
        }
        match kind {
            0 => rank.is_present = true,
            1 => rank.arrivals += 1,
            _ => rank.is_gone = true,
        }
        ledger.count("messages to the hub");
    }

    /// Simulates one cycle; returns the message that arrives at this multiprocessor.
    pub fn drive(&mut self, rng: &mut Rng, cycle: u64) -> Option<[u64; 2]> {
        for (slot, cluster) in self.clusters.iter_mut().enumerate() {
            let Some(cluster) = cluster.as_mut().filter(|cluster| !cluster.is_closing) else { continue };
            for rank in cluster.ranks.iter_mut().filter(|rank| !rank.is_here && !rank.is_gone && rank.due <= cycle) {
                rank.due = cycle + 1 + rng.below(self.patience);
                if rank.phases_left == 0 && rng.chance(300) {
                    rank.is_gone = true;
                } else if rank.arrivals == cluster.over {
                    rank.arrivals += 1;
                    rank.phases_left = rank.phases_left.saturating_sub(1);
                }
            }
            let all_gone = cluster.ranks.iter().all(|rank| rank.is_gone);
            let is_over = cluster.ranks.iter().all(|rank| rank.is_gone || rank.arrivals > cluster.over);
            // If all CTAs have ended, no warp is left that could wait, so the message is `Closed`.
            let kind = if all_gone { 1 } else { 0 };
            if (is_over || all_gone) && rng.chance(500) {
                cluster.over += 1;
                cluster.is_closing = all_gone;
                self.link.push_back((cycle + rng.below(self.latency + 1), [kind, slot as u64]));
            }
        }
        let message = self.link.pop_front_if(|(due, _)| *due <= cycle).map(|(_, message)| message);
        if let Some([kind, slot]) = message {
            if let Some(cluster) = self.clusters[slot as usize].as_mut() {
                match kind {
                    0 => cluster.completes += 1,
                    _ => cluster.closed = Some(cycle + 1),
                }
            }
        }
        message
    }
}
