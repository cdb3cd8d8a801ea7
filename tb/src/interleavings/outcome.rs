// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outcome of an execution, and the part of it that a run on the machine shows.

use super::program::{Op, Program, BARRIERS};
use super::state::{State, Status, Warp};

/// The outcome of an execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// PTX leaves the rest undefined. All misuses are one outcome.
    Misuse,
    /// Nothing more can happen.
    Final {
        /// How each warp has ended.
        warps: Vec<End>,
        /// Shared memory, CTA by CTA, then global memory.
        memory: Vec<u32>,
    },
}

/// The end of a warp, with the reported results in the order of its operations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    Exited(Vec<u32>),
    /// The warp waits for ever at an operation; a result that has not come is `None`.
    Blocked {
        op: u8,
        results: Vec<Option<u32>>,
    },
}

/// What a run on the machine shows of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    Misuse,
    Final {
        /// The reported results of each warp that has exited.
        warps: Vec<Option<Vec<u32>>>,
        /// Shared memory, CTA by CTA, then global memory.
        memory: Vec<u32>,
    },
}

/// A reported result has 32 bits; of a state of an mbarrier it is the upper half.
fn reported(op: &Op, result: u64) -> u32 {
    match op.kind {
        super::program::OpKind::Arrive { .. } => (result >> 32) as u32,
        _ => result as u32,
    }
}

impl Outcome {
    /// The outcome of a state without transitions.
    pub fn of(program: &Program, state: &State) -> Outcome {
        let left_open = |cta: usize| {
            let rows = &state.named[cta * BARRIERS..(cta + 1) * BARRIERS];
            state.has_ended(program, cta) && rows.iter().any(|row| row.is_open())
        };
        if (0..program.ctas).any(left_open) {
            return Outcome::Misuse;
        }
        let end = |(ops, warp): (&Vec<Op>, &Warp)| {
            let results = ops.iter().zip(&warp.results).filter(|(op, _)| op.kind.is_reported());
            let results = results.map(|(op, result)| result.map(|result| reported(op, result)));
            match warp.status {
                Status::Exited => End::Exited(results.map(Option::unwrap_or_default).collect()),
                _ => End::Blocked { op: warp.next, results: results.collect() },
            }
        };
        Outcome::Final { warps: program.warps.iter().zip(&state.warps).map(end).collect(), memory: state.memory.clone() }
    }

    /// What a run with this outcome shows.
    pub fn shown(&self) -> Shown {
        match self {
            Outcome::Misuse => Shown::Misuse,
            Outcome::Final { warps, memory } => {
                let results = |end: &End| match end {
                    End::Exited(results) => Some(results.clone()),
                    End::Blocked { .. } => None,
                };
                Shown::Final { warps: warps.iter().map(results).collect(), memory: memory.clone() }
            }
        }
    }

    /// Whether some warp waits for ever.
    pub fn hangs(&self) -> bool {
        matches!(self, Outcome::Final { warps, .. } if warps.iter().any(|end| matches!(end, End::Blocked { .. })))
    }
}
