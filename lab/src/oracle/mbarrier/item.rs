// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers, from their transfer to their effect.

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
