// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Models of the neighbours of a multiprocessor: shared memory, the hub of clusters, and the hub of grids.

use super::pins::{Drive, In, Out};
use super::style::Style;
use crate::stimulus::Rng;
use std::collections::{HashMap, VecDeque};

/// The words of shared memory, and the answers that are due, in order.
#[derive(Default)]
pub struct Shared {
    words: HashMap<(u64, u64), u64>,
    answers: VecDeque<(u64, u64)>,
    /// A request is offered and not yet taken.
    offered: bool,
}

impl Shared {
    /// A request is offered or unanswered.
    pub fn owes(&self) -> bool {
        self.offered || !self.answers.is_empty()
    }

    pub fn drive(
        &mut self,
        drive: &mut Drive,
        pins: (&In, &Out),
        rng: &mut Rng,
        style: &mut Style,
        outputs: &[u64],
        cycle: u64,
    ) {
        let (ins, outs) = pins;
        // Answers are given in the order of the requests. A write is performed when it is taken, and the data of its answer is don't care.
        let due = self.answers.front().is_some_and(|(due, _)| *due <= cycle);
        drive.set(ins.mem_response_valid, u64::from(due));
        if let Some((_, data)) = if due { self.answers.pop_front() } else { None } {
            drive.set(ins.mem_response_data, data);
        }
        let ready = style.mem_ready.allows_event(rng);
        drive.set(ins.mem_request_ready, u64::from(ready));
        let valid = outs.mem_request_valid.read(outputs) == 1;
        self.offered = valid && !ready;
        if ready && valid {
            let word = (outs.mem_request_cta.read(outputs), outs.mem_request_object.read(outputs));
            let due = cycle + 1 + rng.below(style.shared_latency);
            let data = if outs.mem_request_write.read(outputs) == 1 {
                self.words.insert(word, outs.mem_request_data.read(outputs));
                rng.draw()
            } else {
                self.words.get(&word).copied().unwrap_or(0)
            };
            self.answers.push_back((due, data));
        }
    }
}

/// The hub's state of a cluster. `living`: number of CTAs that have not ended. `missing`: number of living CTAs that have not arrived in
/// the open phase. `odd`: whether the number of the phase is odd.
#[derive(Clone, Copy, Debug, Default)]
struct Cluster {
    open: bool,
    living: u64,
    missing: u64,
    odd: bool,
}

/// The hub of clusters, with links of any delay; it takes messages one by one.
pub struct ClusterHub {
    clusters: Vec<Cluster>,
    /// Messages in flight to the hub, each with the cycle of its arrival.
    up: VecDeque<(u64, [u64; 3])>,
    /// Messages in flight from the hub, each with the cycle of its arrival.
    down: VecDeque<(u64, u64, u64)>,
    /// A message from the multiprocessor is offered and not yet transferred.
    offered: bool,
    pub completed: u64,
}

impl ClusterHub {
    pub fn new(slots: usize) -> ClusterHub {
        ClusterHub {
            clusters: vec![Cluster::default(); slots],
            up: VecDeque::new(),
            down: VecDeque::new(),
            offered: false,
            completed: 0,
        }
    }

    pub fn owes(&self) -> bool {
        self.offered || !self.up.is_empty() || !self.down.is_empty()
    }

    pub fn drive(
        &mut self,
        drive: &mut Drive,
        pins: (&In, &Out),
        rng: &mut Rng,
        style: &mut Style,
        outputs: &[u64],
        cycle: u64,
    ) {
        let (ins, outs) = pins;
        // Both directions of the link keep their order: only the oldest message can arrive.
        let due = self.down.front().is_some_and(|(due, ..)| *due <= cycle);
        drive.set(ins.cluster_in_valid, u64::from(due));
        if let Some((_, kind, cluster)) = if due { self.down.pop_front() } else { None } {
            drive.set(ins.cluster_in_kind, kind);
            drive.set(ins.cluster_in_cluster, cluster);
        }
        if let Some((_, message)) = self.up.front().copied().filter(|(due, _)| *due <= cycle) {
            self.up.pop_front();
            self.take(message, cycle + 1 + rng.below(style.link_latency));
        }
        let ready = style.cluster_ready.allows_event(rng);
        drive.set(ins.cluster_out_ready, u64::from(ready));
        let valid = outs.cluster_out_valid.read(outputs) == 1;
        self.offered = valid && !ready;
        if ready && valid {
            let message =
                [&outs.cluster_out_kind, &outs.cluster_out_cluster, &outs.cluster_out_size].map(|port| port.read(outputs));
            self.up.push_back((cycle + 1 + rng.below(style.link_latency), message));
        }
    }

    /// Processes a single message by the rules *Messages* and *Phases* of `docs/contract/clusters.md`. If the message completes a phase or
    /// ends the cluster, the hub reports this in a message that arrives at the multiprocessor in cycle `due`.
    fn take(&mut self, [kind, slot, size]: [u64; 3], due: u64) {
        let Some(cluster) = self.clusters.get_mut(slot as usize) else { return };
        match kind {
            0 if !cluster.open => *cluster = Cluster { open: true, living: size, missing: size, odd: false },
            0 => (),
            1 => cluster.missing = cluster.missing.saturating_sub(1),
            _ => {
                cluster.living = cluster.living.saturating_sub(1);
                if (kind == 3) == cluster.odd {
                    cluster.missing = cluster.missing.saturating_sub(1);
                }
            }
        }
        if kind != 0 && cluster.missing == 0 {
            let closes = cluster.living == 0;
            self.down.push_back((due, u64::from(closes), slot));
            if closes {
                *cluster = Cluster::default();
            } else {
                self.completed += 1;
                *cluster = Cluster { missing: cluster.living, odd: !cluster.odd, ..*cluster };
            }
        }
    }
}

/// The hub's state of a grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    pub opened: bool,
    pub unlaunched: u64,
    /// Number of CTAs that have not ended, including those not launched yet.
    living: u64,
    /// The cycle in which the hub will send Ready; `None` if Ready is not planned or was sent.
    ready: Option<u64>,
    /// Ready was sent.
    pub is_ready: bool,
    used: bool,
}

/// The hub of grids: it opens grids, and sends Ready for each after any delay.
pub struct GridHub {
    pub grids: Vec<Grid>,
    /// A message from the multiprocessor is offered and not yet transferred.
    pub offered: bool,
    pub total: u64,
}

impl GridHub {
    pub fn new(slots: usize) -> GridHub {
        GridHub { grids: vec![Grid::default(); slots], offered: false, total: 0 }
    }

    /// Whether the hub still has to send Ready for `grid`.
    pub fn owes(&self, grid: usize) -> bool {
        self.grids.get(grid).is_some_and(|grid| grid.ready.is_some())
    }

    /// Grids of which at least one more CTA may be launched.
    pub fn open(&self) -> Vec<usize> {
        (0..self.grids.len()).filter(|at| self.grids[*at].opened && self.grids[*at].unlaunched > 0).collect()
    }

    pub fn drive(
        &mut self,
        drive: &mut Drive,
        pins: (&In, &Out),
        rng: &mut Rng,
        style: &mut Style,
        outputs: &[u64],
        cycle: u64,
    ) {
        let (ins, outs) = pins;
        if outs.grid_opened_valid.read(outputs) == 1 {
            if let Some(grid) = self.grids.get_mut(outs.grid_opened_grid.read(outputs) as usize) {
                grid.opened = true;
            }
        }
        // The hub sends at most one message per cycle: Opened for an unused grid slot, or Ready in or after its planned cycle.
        drive.set(ins.grid_in_valid, 0);
        let may = rng.chance(300);
        let turn = rng.below(self.grids.len() as u64) as usize;
        if let Some(grid) = self.grids.get_mut(turn).filter(|_| may) {
            if !grid.used {
                let unlaunched = 1 + rng.below(4);
                let ready = Some(cycle + 1 + rng.below(20 * style.link_latency));
                *grid = Grid { used: true, unlaunched, living: unlaunched, ready, ..Grid::default() };
                self.total += 1;
                drive.set(ins.grid_in_valid, 1);
                drive.set(ins.grid_in_kind, 0);
                drive.set(ins.grid_in_grid, turn as u64);
            } else if grid.ready.is_some_and(|ready| ready <= cycle) {
                *grid = Grid { ready: None, is_ready: true, ..*grid };
                drive.set(ins.grid_in_valid, 1);
                drive.set(ins.grid_in_kind, 1);
                drive.set(ins.grid_in_grid, turn as u64);
            }
        }
        let ready = style.grid_ready.allows_event(rng);
        drive.set(ins.grid_out_ready, u64::from(ready));
        let valid = outs.grid_out_valid.read(outputs) == 1;
        self.offered = valid && !ready;
        // Among the unit's messages only Ended changes the model. The model sends Ready independently of the unit's messages.
        if ready && valid && outs.grid_out_kind.read(outputs) == 1 {
            if let Some(grid) = self.grids.get_mut(outs.grid_out_grid.read(outputs) as usize) {
                grid.living = grid.living.saturating_sub(1);
                if grid.living == 0 {
                    // The grid's slot becomes free, and is opened again later.
                    *grid = Grid::default();
                }
            }
        }
    }
}
