// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the oracle of `mem_order` keeps of operations and of warps.

use crate::oracle::pins::Pin;
use bcu_isa::op::OpKind as Kind;
use std::collections::VecDeque;

/// A field that an operation has on both sides, and when it means something.
pub struct Field {
    pub input: Pin,
    pub output: Pin,
    pub when: Vec<(Pin, Vec<u64>)>,
}

#[derive(Clone, Debug)]
pub struct Op {
    pub kind: Kind,
    pub warp: usize,
    pub is_of_instr: bool,
    /// A Sync, Reduce or wait: its warp is held while it is parked.
    pub holds: bool,
    /// It waits for the accesses before it.
    pub waits: bool,
    /// Values of the fields in the order of [`MemOrder::fields`].
    pub values: Vec<u64>,
    /// Accesses before it that are not performed, by epoch.
    pub owed: [u64; 2],
    pub came: u64,
}

impl Op {
    pub fn is_of_warp(&self) -> bool {
        !matches!(self.kind, Kind::Launch | Kind::Release)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// Accesses outstanding by epoch, shown by `epoch` in their cycles.
    pub numbers: [u64; 2],
    pub epoch: u64,
    pub parked: VecDeque<Op>,
    /// Picked, and not yet offered.
    pub picked: Option<Op>,
    pub is_pending: bool,
    pub was_full_at_pick: bool,
    pub pending_holds: bool,
    /// The accesses that its fence waits for, and the cycle in which `op_done` showed it.
    pub fence: Option<[u64; 2]>,
    pub fenced_at: u64,
    /// A wait was parked since nothing of it was parked, picked or without its effects.
    pub has_wait: bool,
    /// The last cycle in which something happened to it, and in which its accesses changed.
    pub changed: u64,
    pub accessed: u64,
    /// Cycles in which its first parked operation, or its fence, had nothing to wait for.
    pub idle: u64,
    /// An access that was performed began them.
    pub is_access: bool,
    /// Cycles in which the number of its epoch was not high.
    pub low: u64,
}

impl Warp {
    pub fn is_empty(&self) -> bool {
        self.parked.is_empty() && self.picked.is_none() && !self.is_pending
    }

    pub fn outstanding(&self) -> u64 {
        self.numbers[0] + self.numbers[1]
    }
}
