// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the oracle of `mem_order`: operations and warps.

use crate::oracle::pins::Pin;
use bcu_isa::op::OpKind as Kind;
use std::collections::VecDeque;

/// A field of the channels `in` and `op`, and the condition under which the field is valid.
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
    /// Whether the warp waits for the operation (Sync, Reduce, or a wait): while the operation is
    /// parked, it holds its warp.
    pub holds: bool,
    /// Whether the operation waits for the accesses before it.
    pub waits: bool,
    /// The values of the input fields at the transfer, in the order of `MemOrder::fields`.
    pub values: Vec<u64>,
    /// For each epoch, the number of accesses before the operation that are not performed.
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
    /// The numbers of outstanding accesses that were issued while `epoch` was 0, and while it was 1.
    pub numbers: [u64; 2],
    pub epoch: u64,
    pub parked: VecDeque<Op>,
    /// The operation of the warp that is picked and not yet offered.
    pub picked: Option<Op>,
    pub is_pending: bool,
    pub was_full_at_pick: bool,
    pub pending_holds: bool,
    /// For each epoch, the number of outstanding accesses that the warp's fence waits for; `None` if no fence holds the warp.
    pub fence: Option<[u64; 2]>,
    /// The cycle in which `op_done` reported the fence.
    pub fenced_at: u64,
    /// Whether an operation that holds the warp was parked since the warp was last empty. A warp is empty if no operation of it is parked,
    /// or picked and not yet in effect.
    pub has_wait: bool,
    /// The last cycle in which an operation of the warp entered, was parked, picked or took effect.
    pub changed: u64,
    /// The last cycle in which an access of the warp was issued or performed.
    pub accessed: u64,
    /// Number of cycles for which the warp's first parked operation, or its fence, has had nothing to wait for.
    pub idle: u64,
    /// Whether an access of the warp was issued or performed in the cycle in which `idle` started to count.
    pub is_access: bool,
    /// Number of cycles for which the number of outstanding accesses of the warp's epoch has not
    /// been above the limit.
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
