// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the tensor core of a multiprocessor: tensor memory, its uses, and the work that is not performed.

use super::super::super::execute::TensorWork;
use super::super::super::race::TensorUse;
use super::super::super::tensor_memory::TensorMemory;
use super::super::super::warp::threads::At;
use std::collections::{HashMap, VecDeque};

/// An instruction that has used tensor memory.
pub(in super::super) struct Used {
    /// The index of the warp, and the lane that has started the work; the lowest lane of a transfer.
    pub warp: usize,
    pub lane: usize,
    pub at: At,
    pub of: TensorUse,
    /// Whether a commit has arrived after the work, or the warp has waited for its transfer.
    pub is_complete: bool,
    /// With race detection, the step of the warp at the issue.
    pub step: u32,
}

impl Used {
    /// Whether the use is a product or a copy that a lane of a warp has started.
    pub fn is_work_of(&self, warp: usize, lane: usize) -> bool {
        self.of == TensorUse::Core && (self.warp, self.lane) == (warp, lane)
    }
}

/// Work that is not performed.
pub(in super::super) struct Queued {
    /// The number of its use.
    pub number: u32,
    pub due: u64,
    pub work: TensorWork,
}

#[derive(Default)]
pub(in super::super) struct TensorCores {
    pub memory: TensorMemory,
    /// The instructions that have used tensor memory, in the order of their issue.
    pub uses: Vec<Used>,
    /// The numbers of the uses that are not complete.
    pub open: Vec<u32>,
    /// For each lane of a warp, the number after its last work.
    pub last_work: HashMap<(usize, usize), u32>,
    pub queue: VecDeque<Queued>,
}

impl TensorCores {
    /// Whether work is not performed.
    pub fn busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The cycle in which the next work is performed.
    pub fn next_due(&self) -> Option<u64> {
        self.queue.front().map(|queued| queued.due)
    }

    /// The number after the last work that a lane of a warp has started.
    pub fn started(&self, warp: usize, lane: usize) -> u32 {
        self.last_work.get(&(warp, lane)).copied().unwrap_or(0)
    }

    /// Whether the work with numbers below `end` that a lane of a warp has started is performed.
    pub fn has_performed(&self, warp: usize, lane: usize, end: u32) -> bool {
        !self.queue.iter().any(|queued| queued.number < end && self.uses[queued.number as usize].is_work_of(warp, lane))
    }

    /// Records that a commit of a lane arrives: its work with numbers below `end` is complete.
    pub fn commits(&mut self, warp: usize, lane: usize, end: u32) {
        let TensorCores { uses, open, .. } = self;
        open.retain(|number| {
            let used = &mut uses[*number as usize];
            used.is_complete |= *number < end && used.is_work_of(warp, lane);
            !used.is_complete
        });
    }
}
