// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of `grid_hub`'s outputs: the messages to the multiprocessors, the grids whose CTAs may be launched, and the flush requests.

use super::{GridHubUser, Stage};

impl GridHubUser {
    /// Whether CTAs of a grid may be launched, according to all messages that the hub has received.
    pub(super) fn may_launch(&self, number: usize) -> bool {
        let grid = &self.grids[number];
        let all_issued = (0..self.grids.len())
            .filter(|prerequisite| grid.prerequisites >> prerequisite & 1 == 1)
            .all(|prerequisite| self.grids[prerequisite].issued >= self.grids[prerequisite].ctas);
        grid.stage == Stage::Open && (grid.prerequisites == 0 || grid.early && all_issued)
    }

    /// Checks the answers to the host, the messages and the levels. No message, level or flush may be due for more than 8 cycles plus one
    /// for each grid slot.
    pub(super) fn check(&mut self, outputs: &[u64]) {
        self.base.ledger.strobe("opened", self.opened.read(outputs), self.expected_open.take());
        self.base.ledger.strobe("closed", self.closed.read(outputs), self.expected_close.take());
        self.check_messages(outputs);
        let [may_launch, open, flushed] = self.levels.map(|level| level.read(outputs));
        let bound = self.grids.len() as u64 + 8;
        for number in 0..self.grids.len() {
            let may = self.may_launch(number);
            let grid = &mut self.grids[number];
            let all_ended = grid.stage == Stage::Open && grid.ended >= grid.ctas;
            let bit = |level: u64| level >> number & 1 == 1;
            // Once all CTAs of a grid have ended, its bits in `may_launch` and `open_grids` may be 0 or 1 until its flush is transferred.
            let failure = match () {
                () if bit(may_launch) && !may && !all_ended => Some("its bit in `may_launch` is 1 too early"),
                () if bit(flushed) != matches!(grid.stage, Stage::Flushed | Stage::Closing) => {
                    Some("its bit in `flushed_grids` is wrong")
                }
                () if !bit(open) && grid.stage == Stage::Open && !all_ended => Some("its bit in `open_grids` is 0"),
                () if bit(open) && matches!(grid.stage, Stage::Unused | Stage::Flushed | Stage::Flushing) => {
                    Some("its bit in `open_grids` is 1")
                }
                () => None,
            };
            let due = [
                grid.stage == Stage::Open && !grid.is_told,
                grid.stage == Stage::Open && grid.is_told && !grid.is_told_ready && grid.prerequisites == 0 && !all_ended,
                may && !all_ended && !bit(may_launch),
                all_ended && self.flush.offered(outputs).is_none(),
            ];
            for (idle, due) in grid.idle.iter_mut().zip(due) {
                *idle = if due { *idle + 1 } else { 0 };
            }
            let grid = self.grids[number].clone();
            for (name, idle) in ["Opened", "Ready", "its bit in `may_launch`", "its flush"].iter().zip(grid.idle) {
                self.base.ledger.most("worst cycles until something due", idle);
                if idle > bound {
                    self.base.ledger.fail(|| format!("grid {number} has waited {idle} cycles for {name}: {grid:?}"));
                }
            }
            if let Some(failure) = failure {
                self.base.ledger.fail(|| format!("grid {number}: {failure}: {grid:?}"));
            }
        }
    }

    /// Checks the messages, which the hub sends to all multiprocessors at the same time.
    pub(super) fn check_messages(&mut self, outputs: &[u64]) {
        let shown: Vec<Option<[u64; 2]>> = self.to.iter().map(|to| to.read(outputs)).collect();
        if shown.iter().any(|message| *message != shown[0]) {
            self.base.ledger.fail(|| format!("different messages to the multiprocessors: {shown:?}"));
        }
        let Some([kind, number]) = shown[0] else { return };
        let grid = &mut self.grids[number as usize];
        let is_right = match kind {
            0 => grid.stage == Stage::Open && !grid.is_told,
            _ => {
                grid.is_told
                    && !grid.is_told_ready
                    && grid.prerequisites == 0
                    && matches!(grid.stage, Stage::Open | Stage::Flushing)
            }
        };
        if !is_right {
            let grid = grid.clone();
            self.base.ledger.fail(|| format!("message {kind} of grid {number}: {grid:?}"));
            return;
        }
        (grid.is_told, grid.is_told_ready) = (true, kind == 1);
        self.base.ledger.count(if kind == 0 { "grids opened" } else { "grids ready" });
        for link in &mut self.links {
            let due = self.base.ledger.cycle + self.rng.below(link.latency + 1);
            link.down.push_back((due, [kind, number]));
        }
    }
}
