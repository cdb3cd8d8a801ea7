// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared and global memory: accesses are performed some time after they were issued, and only then does a store show.
//!
//! Accesses of one warp to one word keep their order where one of them is a store; all others may be performed in any order.

use super::describe::Latency;
use super::report::Word;
use crate::program::Space;
use std::collections::BTreeMap;

/// A word: the CTA (`None` = global memory) and the byte address without its lowest two bits.
pub(super) type At = (Option<usize>, u32);

/// What an access does to its words.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Takes time only.
    Nothing,
    /// Into this register, lane by lane.
    Load(u8, Vec<(usize, At)>),
    /// `None` is a value that nobody knows.
    Store(Vec<(At, Option<u32>)>),
}

/// An access that was issued.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Index and warp slot of its warp.
    pub warp: usize,
    pub slot: usize,
    /// Of the warp when it was issued.
    pub epoch: bool,
    pub effect: Effect,
    due: u64,
}

impl Access {
    pub fn new((warp, slot): (usize, usize), effect: Effect) -> Access {
        Access { warp, slot, epoch: false, effect, due: 0 }
    }

    fn words(&self) -> Vec<At> {
        match &self.effect {
            Effect::Nothing => vec![],
            Effect::Load(_, lanes) => lanes.iter().map(|(_, at)| *at).collect(),
            Effect::Store(words) => words.iter().map(|(at, _)| *at).collect(),
        }
    }

    /// Whether the order of the two matters to their warp.
    fn meets(&self, other: &Access) -> bool {
        let both_load = matches!((&self.effect, &other.effect), (Effect::Load(..), Effect::Load(..)));
        let theirs = other.words();
        self.warp == other.warp && !both_load && self.words().iter().any(|at| theirs.contains(at))
    }
}

/// What a performed load has read: register and value of each lane.
pub(super) struct Loaded {
    pub register: u8,
    pub lanes: Vec<(usize, u32)>,
}

/// All words, and the accesses that are not performed yet.
pub(super) struct Memory {
    latency: Latency,
    random: fastrand::Rng,
    words: BTreeMap<At, Option<u32>>,
    /// In the order of issue.
    issued: Vec<Access>,
}

impl Memory {
    pub fn new(latency: &Latency, seed: u64) -> Memory {
        // Not the stream that the scheduler draws from.
        let random = fastrand::Rng::with_seed(seed ^ 0x6d65_6d6f_7279);
        Memory { latency: latency.clone(), random, words: BTreeMap::new(), issued: vec![] }
    }

    /// An access is issued in cycle `now`.
    pub fn issue(&mut self, now: u64, space: Space, mut access: Access) {
        let latency = match space {
            Space::Shared => self.latency.shared,
            Space::Global => self.latency.global,
        };
        let due = now + u64::from(latency.get()) + u64::from(self.random.u32(..=self.latency.spread));
        access.due = self.issued.iter().filter(|other| other.meets(&access)).fold(due, |due, other| due.max(other.due));
        self.issued.push(access);
    }

    /// The warp slot of the newest access was in this epoch.
    pub fn epoch(&mut self, epochs: u64) {
        if let Some(newest) = self.issued.last_mut() {
            newest.epoch = epochs >> newest.slot & 1 == 1;
        }
    }

    /// The access whose turn it is in cycle `now`; of several the one that is due longest.
    pub fn due(&mut self, now: u64) -> Option<Access> {
        let due = self.issued.iter().enumerate().filter(|(_, access)| access.due <= now);
        let (first, _) = due.min_by_key(|(_, access)| access.due)?;
        Some(self.issued.remove(first))
    }

    /// Takes effect; a load gives what it has read, 0 for what nobody knows.
    pub fn perform(&mut self, access: &Access) -> Option<Loaded> {
        match &access.effect {
            Effect::Nothing => None,
            Effect::Load(register, lanes) => {
                let value = |at: &At| self.words.get(at).copied().flatten().unwrap_or(0);
                let lanes = lanes.iter().map(|(lane, at)| (*lane, value(at))).collect();
                Some(Loaded { register: *register, lanes })
            }
            Effect::Store(words) => {
                self.words.extend(words.iter().copied());
                None
            }
        }
    }

    /// An access is under way.
    pub fn busy(&self) -> bool {
        !self.issued.is_empty()
    }

    /// Every word whose value is known.
    pub fn words(&self) -> Vec<Word> {
        let word = |(&(cta, address), value): (&At, &Option<u32>)| value.map(|value| Word { cta, address, value });
        self.words.iter().filter_map(word).collect()
    }
}
