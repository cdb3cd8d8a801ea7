// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is known of the values of a module while bits become vectors.

use super::ir::Value;
use super::text::Id;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct Pass {
    /// Nodes that are the settled value of a net: these have a name.
    pub(super) settled: HashSet<Id>,
    pub(super) uses: HashMap<Id, usize>,
    /// How often a settled value is taken, after the rewriting.
    pub(super) taken: HashMap<Id, usize>,
    /// What each node became; the first keeps its address taken.
    pub(super) done: HashMap<Id, (Value, Value)>,
    pub(super) lifted: HashMap<Vec<Id>, (Vec<Value>, Option<Value>)>,
    /// What each node became without writes.
    pub(super) masked: HashMap<Id, (Value, Value)>,
}
