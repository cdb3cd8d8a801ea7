// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pages by page number.

use bcu_program::{Mask, Page};
use std::collections::BTreeMap;

/// The page numbers below this limit are indices of a list. They cover 16 MiB, so all of shared memory.
const NEAR: u64 = 4096;

/// A page of memory.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub page: Page,
    /// The bytes that were stored.
    pub stored: Mask,
}

/// A set of pages without a limit of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    near: Vec<Option<Box<Slot>>>,
    far: BTreeMap<u64, Box<Slot>>,
}

impl Table {
    pub fn get(&self, number: u64) -> Option<&Slot> {
        match number < NEAR {
            true => self.near.get(number as usize)?.as_deref(),
            false => self.far.get(&number).map(|slot| &**slot),
        }
    }

    /// The page with this number; `fresh` makes it if it does not exist.
    pub fn get_or_insert(&mut self, number: u64, fresh: impl FnOnce() -> Page) -> &mut Slot {
        let new = || Box::new(Slot { page: fresh(), stored: Mask::of(false) });
        if number >= NEAR {
            return self.far.entry(number).or_insert_with(new);
        }
        let at = number as usize;
        if at >= self.near.len() {
            self.near.resize_with(at + 1, || None);
        }
        self.near[at].get_or_insert_with(new)
    }

    /// All pages with their numbers, in order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Slot)> {
        let near = self.near.iter().enumerate().filter_map(|(number, slot)| Some((number as u64, slot.as_deref()?)));
        near.chain(self.far.iter().map(|(number, slot)| (*number, &**slot)))
    }
}
