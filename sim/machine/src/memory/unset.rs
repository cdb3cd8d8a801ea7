// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Variables that have neither an initial value nor data from a launch: the first read of each.

use super::access::{Access, AccessEffect};
use super::{Bank, Memory};
use crate::report::UnsetRead;
use bcu_program::{Place, Unset, Variable};

/// A variable without contents.
pub(super) struct UnsetVariable {
    variable: Variable,
    space: Unset,
    read: Option<UnsetRead>,
}

impl UnsetVariable {
    fn end(&self) -> u64 {
        self.variable.address.saturating_add(self.variable.bytes.len() as u64)
    }
}

impl Memory {
    /// Records whether a variable has contents. A variable that is placed again, with data, has them.
    pub(super) fn keep_unset(&mut self, variable: &Variable) {
        self.unset.retain(|known| known.variable.address != variable.address);
        if let Some(space) = variable.unset.filter(|_| !variable.bytes.is_empty()) {
            self.unset.push(UnsetVariable { variable: variable.clone(), space, read: None });
        }
    }

    /// The state space of the variable at an address that is still without contents.
    pub(super) fn unset(&self, address: u64) -> Option<Unset> {
        let found = self.unset.iter().find(|known| known.variable.address == address)?;
        (!self.is_stored(found)).then_some(found.space)
    }

    fn is_stored(&self, unset: &UnsetVariable) -> bool {
        let bytes = unset.end() - unset.variable.address;
        self.banks.get(Bank::Global).is_some_and(|global| global.is_stored(unset.variable.address, bytes))
    }

    /// If stores are recorded, records the reads of an issued access in variables without contents. `reader` is its CTA and its warp, and `place` its location.
    pub fn reads_unset(&mut self, access: &Access, (cta, warp): (usize, usize), place: impl Fn() -> Place) {
        // An atomic operation stores, too; a variable that is stored to is not reported.
        let reads = matches!(access.effect, AccessEffect::Load(_) | AccessEffect::Copy(..) | AccessEffect::BulkRead(_));
        if !reads
            || self.writers.is_none()
            || self.unset.iter().all(|unset| unset.read.is_some())
            || access.parts.iter().all(|part| part.unknown_guard)
        {
            return;
        }
        // The range of an unknown address has no end.
        let ranges = access.ranges().into_iter().filter(|(bank, _, end)| *bank == Bank::Global && *end != u64::MAX);
        for (_, first, end) in ranges {
            let is_read =
                |unset: &&mut UnsetVariable| unset.read.is_none() && unset.variable.address < end && first < unset.end();
            for unset in self.unset.iter_mut().filter(is_read) {
                let Variable { name, address, bytes, .. } = &unset.variable;
                let (variable, bytes) = (name.clone(), bytes.len() as u64);
                let is_constant = unset.space == Unset::Constant;
                unset.read = Some(UnsetRead { variable, address: *address, bytes, is_constant, cta, warp, place: place() });
            }
        }
    }

    /// The first read of each variable that has no contents at the end of the run either.
    pub fn unset_reads(&self) -> Vec<UnsetRead> {
        let open = self.unset.iter().filter(|unset| !self.is_stored(unset));
        open.filter_map(|unset| unset.read.clone()).collect()
    }
}
