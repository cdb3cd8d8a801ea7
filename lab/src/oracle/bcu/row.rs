// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arrivals at the named barriers, of which no release has been shown.

use std::collections::BTreeMap;

/// An arrival of a warp that no release has shown yet.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub warp: usize,
    pub waits: bool,
    pub count: u64,
    pub reduction: u64,
    pub contribution: u64,
    pub came: u64,
    /// Accesses before it that are not performed, by epoch.
    pub owed: [u64; 2],
}

/// Arrivals at a barrier in the order of their instructions.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub arrivals: Vec<Arrived>,
    /// Cycles in which a generation had all its arrivals, and nothing to wait for.
    pub idle: u64,
}

pub type Rows = BTreeMap<(u64, u64), Row>;
