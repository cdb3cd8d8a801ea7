// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State of the pass over the values of a module that turns bits into vectors.

use super::ir::Value;
use super::text::Id;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct Pass {
    /// Nodes that are the settled value of a net; these have a name.
    pub(super) settled: HashSet<Id>,
    pub(super) uses: HashMap<Id, usize>,
    /// How often each settled value is used after rewriting.
    pub(super) settled_uses: HashMap<Id, usize>,
    /// The new value of each node; the old value is kept so that its address is not reused.
    pub(super) done: HashMap<Id, (Value, Value)>,
    pub(super) lifted: HashMap<Vec<Id>, (Vec<Value>, Option<Value>)>,
    /// Each node with its writes replaced by gates.
    pub(super) masked: HashMap<Id, (Value, Value)>,
}
