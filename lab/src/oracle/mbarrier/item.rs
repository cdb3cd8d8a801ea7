// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the oracle of `mbarrier`: operations in flight, requests to memory, suspended warps.

use super::object::Key;

/// An operation on an object, in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Item {
    pub kind: u64,
    pub key: Key,
    pub count: u64,
    pub bytes: u64,
    pub warp: usize,
    pub phase: u64,
    pub hint: u64,
    pub may_suspend: bool,
    pub rd: u64,
    pub pu: u64,
    /// For an operation on an object of another CTA: the rank of that CTA. For an operation of another CTA: its `source`.
    pub address: u64,
    pub cta: u64,
    /// The cycle in which the operation was transferred, and the number of memory stalls up to that cycle.
    pub transfer_cycle: u64,
    pub stalls: u64,
    /// Whether the operation is a cache hit while no older operation is in flight.
    pub is_prompt: bool,
    /// Whether the operation's word was read while a warp was suspended on another object of the same cache entry.
    pub is_beside: bool,
}

/// A request to memory.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub is_write: bool,
    pub key: Key,
    pub data: u64,
}

/// A suspended warp.
#[derive(Clone, Copy, Debug)]
pub struct Suspension {
    pub key: Key,
    /// `since`: the cycle of the decision that suspended the warp. `limit`: the limit of the suspension, in ticks.
    pub since: u64,
    pub limit: u64,
    /// The numbers of memory stalls and of false answers up to the cycle `since`.
    pub stalls: u64,
    pub answers: u64,
}
