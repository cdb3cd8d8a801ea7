// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Variables that have neither an initial value nor data from a launch: the first read of each.

use super::access::{Access, AccessEffect};
use super::bank::Bank;
use super::bytes::Bytes;
use crate::report::UnsetRead;
use bcu_program::{Place, Unset, Variable};

/// A variable without contents.
struct UnsetVariable {
    variable: Variable,
    space: Unset,
    read: Option<UnsetRead>,
}

/// The variables of a run without contents.
#[derive(Default)]
pub(super) struct UnsetVariables(Vec<UnsetVariable>);

impl UnsetVariable {
    fn end(&self) -> u64 {
        self.variable.address.saturating_add(self.variable.bytes.len() as u64)
    }

    /// Whether a byte was stored in `global` memory.
    fn is_stored(&self, global: Option<&Bytes>) -> bool {
        let first = self.variable.address;
        global.is_some_and(|global| global.is_stored(first, self.end() - first))
    }
}

impl UnsetVariables {
    /// Records whether a variable has contents. A variable that is placed again, with data, has them.
    pub fn keep(&mut self, variable: &Variable) {
        self.0.retain(|known| known.variable.address != variable.address);
        if let Some(space) = variable.unset.filter(|_| !variable.bytes.is_empty()) {
            self.0.push(UnsetVariable { variable: variable.clone(), space, read: None });
        }
    }

    /// The state space of the variable at an address, if it is without contents in `global` memory.
    pub fn space(&self, address: u64, global: Option<&Bytes>) -> Option<Unset> {
        let found = self.0.iter().find(|known| known.variable.address == address)?;
        (!found.is_stored(global)).then_some(found.space)
    }

    /// Records the reads of an issued access. `reader` is its CTA and its warp, and `place` its location.
    pub fn reads(&mut self, access: &Access, (cta, warp): (usize, usize), place: impl Fn() -> Place) {
        // An atomic operation stores, too; a variable that is stored to is not reported.
        let reads = matches!(access.effect, AccessEffect::Load(_) | AccessEffect::Copy(..) | AccessEffect::BulkRead(_));
        let is_open = self.0.iter().any(|unset| unset.read.is_none());
        if !reads || !is_open || access.parts.iter().all(|part| part.unknown_guard) {
            return;
        }
        // The range of an unknown address has no end.
        let ranges = access.ranges().into_iter().filter(|(bank, _, end)| *bank == Bank::Global && *end != u64::MAX);
        for (_, first, end) in ranges {
            let is_read =
                |unset: &&mut UnsetVariable| unset.read.is_none() && unset.variable.address < end && first < unset.end();
            for unset in self.0.iter_mut().filter(is_read) {
                let Variable { name, address, bytes, .. } = &unset.variable;
                let (variable, bytes) = (name.clone(), bytes.len() as u64);
                let is_constant = unset.space == Unset::Constant;
                unset.read = Some(UnsetRead { variable, address: *address, bytes, is_constant, cta, warp, place: place() });
            }
        }
    }

    /// The first read of each variable that has no contents in `global` memory at the end of the run either.
    pub fn found(&self, global: Option<&Bytes>) -> Vec<UnsetRead> {
        let open = self.0.iter().filter(|unset| !unset.is_stored(global));
        open.filter_map(|unset| unset.read.clone()).collect()
    }
}
