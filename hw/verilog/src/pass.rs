// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the pass that turns single bits into vectors, over all values of one module.

use super::ir::Value;
use super::value::Id;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct Pass {
    /// Nodes that are the settled value of a net, its value after all statements: the text can use the name of the net for them.
    pub(super) settled: HashSet<Id>,
    /// How often each value is used before rewriting.
    pub(super) uses: HashMap<Id, usize>,
    /// How often each settled value is used after rewriting.
    pub(super) settled_uses: HashMap<Id, usize>,
    /// For each node, its old and its new value. The old value is kept so that its address is not reused.
    pub(super) done: HashMap<Id, (Value, Value)>,
    /// For each list of bits, the bits, and the vector that computes them; `None`: no operation on vectors computes them.
    pub(super) lifted: HashMap<Vec<Id>, (Vec<Value>, Option<Value>)>,
    /// For each node, its old value and that value with writes replaced by gates.
    pub(super) masked: HashMap<Id, (Value, Value)>,
}
