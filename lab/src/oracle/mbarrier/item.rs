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
    /// For an operation of a warp with a cluster address: the rank of the CTA that has the object.
    /// For an operation of another CTA: its `net_in_source`.
    pub address: u64,
    pub cta: u64,
    /// The cycle in which the operation was transferred.
    pub transfer_cycle: u64,
    /// The value of `Mbarrier::stalls` in the cycle `transfer_cycle`.
    pub stalls: u64,
    /// Whether nothing can delay the operation, so that its latency is exact: it is a cache hit or
    /// goes to `net_out`, and no older operation is in flight.
    pub is_prompt: bool,
    /// Whether the unit read the operation's object from memory while a warp was suspended on
    /// another object of the same cache entry.
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
    /// The cycle of the decision that suspended the warp.
    pub since: u64,
    /// The time limit of the suspension, in ticks.
    pub limit: u64,
    /// The value of `Mbarrier::stalls` in the cycle `since`.
    pub stalls: u64,
    /// The value of `Mbarrier::answers` in the cycle `since`.
    pub answers: u64,
}
