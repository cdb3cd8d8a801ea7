// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle's state of operations and of warps in `mem_order`.

use crate::oracle::pins::Pin;
use bcu_isa::op::OpKind as Kind;
use std::collections::VecDeque;

/// A field that an operation has on both sides, and the condition under which it is valid.
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
    /// Whether it is a Sync, Reduce or wait: its warp is held while it is parked.
    pub holds: bool,
    /// Whether it waits for the accesses before it.
    pub waits: bool,
    /// Values of the fields in the order of [`MemOrder::fields`].
    pub values: Vec<u64>,
    /// The number of older accesses that are not performed, by epoch.
    pub owed: [u64; 2],
    pub transfer_cycle: u64,
}

impl Op {
    pub fn is_of_warp(&self) -> bool {
        !matches!(self.kind, Kind::Launch | Kind::Release)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// Outstanding accesses, by the value of `epoch` in the cycles of their issue.
    pub numbers: [u64; 2],
    pub epoch: u64,
    pub parked: VecDeque<Op>,
    /// The operation that is picked and not yet offered.
    pub picked: Option<Op>,
    pub is_pending: bool,
    pub was_full_at_pick: bool,
    pub pending_holds: bool,
    /// The accesses that its fence waits for, and the cycle in which `op_done` reported it.
    pub fence: Option<[u64; 2]>,
    pub fenced_at: u64,
    /// Whether a wait was parked since the warp last had no operation that was parked, picked or without its effects.
    pub has_wait: bool,
    /// The last cycle in which an operation of the warp entered, was parked, picked or took effect.
    pub changed: u64,
    /// The last cycle in which the count of its accesses changed.
    pub accessed: u64,
    /// Cycles in which its first parked operation, or its fence, had nothing to wait for.
    pub idle: u64,
    /// Whether a performed access started these cycles.
    pub is_access: bool,
    /// Cycles in which the access count of its epoch was not high.
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
