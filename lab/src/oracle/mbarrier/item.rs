// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the oracle of `mbarrier` keeps: operations under way, requests to memory, warps that are suspended.

use super::object::Key;

/// What is to be done to an object.
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
    /// Of the network: rank of the target, or source.
    pub address: u64,
    pub cta: u64,
    /// The cycle of its transfer, and the stalls up to it.
    pub came: u64,
    pub stalls: u64,
    /// It is a hit, and nothing is before it.
    pub is_prompt: bool,
    /// Its word was read while a warp was suspended on another object of its entry.
    pub is_beside: bool,
}

/// What memory has been asked.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub is_write: bool,
    pub key: Key,
    pub data: u64,
}

/// A warp that is suspended.
#[derive(Clone, Copy, Debug)]
pub struct Suspension {
    pub key: Key,
    /// The cycle of the decision, and its limit in ticks.
    pub since: u64,
    pub limit: u64,
    /// Stalls of memory and false answers up to then.
    pub stalls: u64,
    pub answers: u64,
}
