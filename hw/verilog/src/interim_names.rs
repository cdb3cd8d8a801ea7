// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The names of interim values, and of bits of nets, in the text of one module.

use super::ir::NetId;
use super::value::Id;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Interims {
    pub(super) names: HashMap<Id, String>,
    /// The number of interim values of each net that have a name.
    pub(super) counts: HashMap<NetId, usize>,
    /// Interim values that have the name of a net to which they are assigned as a whole.
    pub(super) held: HashMap<Id, String>,
}

/// The name of some bits of a net: `due_slots_3`.
pub(super) struct BitName {
    pub(super) net: NetId,
    /// The interim value of the net that has the bits; `None`: its last value has them.
    pub(super) interim: Option<Id>,
    pub(super) bits: String,
}
