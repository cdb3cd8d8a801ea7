// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs: patterns of correct synchronisation, one after another, then a few random changes.

mod any;
mod patterns;
mod pieces;

use super::program::{Mbar, Op, OpKind, Program, Token, Value, MBARRIERS, MOST_OPS};
use crate::stimulus::Rng;

/// The operations of all warps, at most, so that the search is short.
const MOST_IN_ALL: usize = 20;

/// A program that is being drawn.
struct Draft {
    rng: Rng,
    ctas: usize,
    warps: Vec<Vec<Op>>,
    /// The number of arrivals with which each mbarrier is initialised.
    counts: [u32; MBARRIERS],
    /// The number of mbarriers of each CTA that the patterns use.
    mbarriers: u64,
    /// The parity of the current phase of each mbarrier, CTA by CTA, if nothing is changed.
    parities: [bool; 2 * MBARRIERS],
    /// The last value that was stored; most stores have different values.
    value: u32,
}

impl Program {
    /// A program that depends only on the seed: of one CTA, or of a cluster of two.
    pub fn random(seed: u64) -> Program {
        let mut rng = Rng::new(seed, "interleavings");
        let ctas = rng.weighted(&[(1, 4), (2, 1)]).unwrap_or(1);
        let warps = match ctas {
            1 => rng.weighted(&[(2, 5), (3, 4), (4, 1)]).unwrap_or(2),
            _ => 2 * rng.weighted(&[(1, 2), (2, 1)]).unwrap_or(1),
        };
        let counts = std::array::from_fn(|_| rng.weighted(&[(1, 5), (2, 3), (3, 1)]).unwrap_or(1));
        let lane_zero_only = rng.chance(250);
        let mbarriers = rng.weighted(&[(0, 3), (1, 5), (2, 3)]).unwrap_or(1);
        let warps = vec![vec![]; warps];
        let mut draft = Draft { rng, ctas, warps, counts, mbarriers, parities: [false; 2 * MBARRIERS], value: 1 };
        draft.begin();
        while draft.size() < MOST_IN_ALL && draft.rng.chance(900) {
            draft.pattern_that_fits();
        }
        if ctas > 1 && !draft.rng.chance(100) {
            draft.sync_cluster();
        }
        let changes = draft.rng.weighted(&[(0, 6), (1, 3), (2, 2), (4, 1)]).unwrap_or(0);
        for _ in 0..changes {
            draft.change();
        }
        draft.finish(lane_zero_only)
    }
}

impl Draft {
    fn size(&self) -> usize {
        self.warps.iter().map(Vec::len).sum()
    }

    /// The warps of each CTA.
    fn per_cta(&self) -> usize {
        self.warps.len() / self.ctas
    }

    /// Adds a pattern, unless a warp gets too many operations.
    fn pattern_that_fits(&mut self) {
        let (warps, parities) = (self.warps.clone(), self.parities);
        self.pattern();
        let most = if self.ctas > 1 { MOST_OPS - 2 } else { MOST_OPS };
        if self.warps.iter().any(|ops| ops.len() > most) {
            (self.warps, self.parities) = (warps, parities);
        }
    }

    /// Most programs initialise the mbarriers in the first warp of each CTA, before a barrier.
    fn begin(&mut self) {
        for first in (0..self.warps.len()).step_by(self.per_cta()) {
            for number in 0..self.mbarriers as usize {
                let count = self.counts[number];
                self.push(first, OpKind::Init { at: Mbar { number: number as u8, peer: false }, count });
            }
        }
        if self.ctas > 1 {
            self.sync_cluster();
        } else if self.mbarriers > 0 && !self.rng.chance(50) {
            self.sync_all(0, 0);
        }
    }

    fn finish(mut self, lane_zero_only: bool) -> Program {
        for ops in &mut self.warps {
            if ops.len() > MOST_OPS {
                // The last operations of a warp of a cluster are most often its barrier.
                let last = ops.split_off(ops.len() - 2);
                ops.truncate(MOST_OPS - 2);
                ops.extend(last);
            }
            repair(ops);
        }
        Program { ctas: self.ctas, lane_zero_only, warps: self.warps }
    }
}

/// Removes references to operations that were removed, and makes waits for the states of arrivals.
fn repair(ops: &mut [Op]) {
    for at in 0..ops.len() {
        let (earlier, rest) = ops.split_at_mut(at);
        let Some(op) = rest.first_mut() else { continue };
        let is_result = |of: u8| earlier.get(usize::from(of)).is_some_and(|earlier| earlier.kind.is_usable());
        op.guard = op.guard.filter(|of| is_result(*of) && op.kind.is_guardable());
        if let OpKind::Store { value, .. } = &mut op.kind {
            if matches!(value, Value::Result(of) if !is_result(*of)) {
                *value = Value::Constant(8);
            }
        }
    }
    // The next wait for the mbarrier uses the state.
    for at in 0..ops.len() {
        let OpKind::Arrive { at: object, token: Token::Waited, .. } = ops[at].kind else { continue };
        let wait = ops.iter().skip(at + 1).position(|op| matches!(op.kind, OpKind::WaitParity { at, .. } if at == object));
        match wait {
            Some(later) => ops[at + 1 + later].kind = OpKind::WaitToken { at: object, token: at as u8 },
            None => {
                if let OpKind::Arrive { token, .. } = &mut ops[at].kind {
                    *token = Token::Unused;
                }
            }
        }
    }
}
