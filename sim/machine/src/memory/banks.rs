// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of all memories.

use super::bank::Bank;
use super::{Bytes, Fresh};
use std::collections::BTreeMap;

/// The contents of each memory that was stored to, or that has variables.
pub(super) struct Banks {
    fresh: Fresh,
    global: Option<Bytes>,
    /// By CTA.
    shared: Vec<Option<Bytes>>,
    /// By warp, then by lane.
    local: BTreeMap<usize, Vec<Option<Bytes>>>,
}

impl Banks {
    pub fn new(fresh: Fresh) -> Banks {
        Banks { fresh, global: None, shared: vec![], local: BTreeMap::new() }
    }

    pub fn get(&self, bank: Bank) -> Option<&Bytes> {
        match bank {
            Bank::Global => self.global.as_ref(),
            Bank::Shared(cta) => self.shared.get(cta)?.as_ref(),
            Bank::Local(warp, lane) => self.local.get(&warp)?.get(lane)?.as_ref(),
        }
    }

    /// The contents of a memory, to be changed.
    pub fn get_mut(&mut self, bank: Bank) -> &mut Bytes {
        let contents = match bank {
            Bank::Global => &mut self.global,
            Bank::Shared(cta) => entry(&mut self.shared, cta),
            Bank::Local(warp, lane) => entry(self.local.entry(warp).or_default(), lane),
        };
        contents.get_or_insert_with(|| Bytes::new(self.fresh))
    }

    /// Frees the local memory of the lanes of a warp.
    pub fn free_local(&mut self, warp: usize) {
        self.local.remove(&warp);
    }

    /// Global memory, and the shared memory of each CTA in order of the CTAs.
    pub fn global_and_shared(&self) -> impl Iterator<Item = (Option<usize>, &Bytes)> {
        let shared = self.shared.iter().enumerate().filter_map(|(cta, bytes)| Some((Some(cta), bytes.as_ref()?)));
        self.global.iter().map(|bytes| (None, bytes)).chain(shared)
    }
}

fn entry(list: &mut Vec<Option<Bytes>>, at: usize) -> &mut Option<Bytes> {
    if at >= list.len() {
        list.resize_with(at + 1, || None);
    }
    &mut list[at]
}
