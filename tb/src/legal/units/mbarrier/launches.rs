// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches the CTAs of a legal user of `mbarrier`, and chooses the words of their objects.

use super::cta::{Cta, Stage, Warp};
use super::object::Object;
use super::Mbarrier;

impl Mbarrier {
    /// The number of the cache entry of an object, as `docs/contract/mbarrier.md` defines it.
    pub(super) fn entry(&self, slot: u64, word: u64) -> u64 {
        let bits = self.objects.ilog2();
        let reversed = (0..bits).fold(0, |sum, bit| sum | (slot >> bit & 1) << (bits - 1 - bit));
        (word ^ word >> bits ^ reversed) & (self.objects - 1)
    }

    /// Draws up to `count` words for the objects of a CTA in `slot`. With `is_distinct`, no two objects
    /// of all CTAs share a cache entry.
    pub(super) fn words(&mut self, slot: u64, count: u64) -> Vec<u64> {
        let mut words: Vec<u64> = vec![];
        for _ in 0..20 * count {
            let word = self.rng.below(self.shape.words.min(4 * self.objects));
            let entry = self.entry(slot, word);
            let is_occupied = |(other, cta): (usize, &Option<Cta>)| {
                cta.as_ref().is_some_and(|cta| cta.objects.iter().any(|o| self.entry(other as u64, o.word) == entry))
            };
            let clashes = self.ctas.iter().enumerate().any(is_occupied) || words.iter().any(|w| self.entry(slot, *w) == entry);
            if words.len() < count as usize && !words.contains(&word) && !(self.is_distinct && clashes) {
                words.push(word);
            }
        }
        words
    }

    /// Sometimes launches a CTA into a free CTA slot. The words of its objects first hold random values.
    pub(super) fn launches(&mut self) {
        self.launch.take(&[]);
        self.launch.begin(&mut self.base.pins);
        let slot = self.rng.below(self.shape.slots) as usize;
        let free_warps = (0..self.shape.warps)
            .filter(|warp| self.warps[*warp as usize].cta.is_none())
            .fold(0, |mask, warp| mask | 1 << warp);
        if self.ctas[slot].is_some() || free_warps == 0 || !self.rng.chance(100) {
            return;
        }
        let count = self.rng.range(1, 3);
        let words = self.words(slot as u64, count);
        if words.is_empty() {
            return;
        }
        for word in &words {
            let garbage = self.rng.draw();
            self.memory.put(slot as u64, *word, garbage);
        }
        let wanted = self.rng.range(1, 8);
        let mask = self.rng.subset(free_warps, wanted);
        let warps: Vec<usize> = (0..64).filter(|warp| mask >> warp & 1 == 1).collect();
        let cycle = self.base.ledger.cycle;
        for warp in &warps {
            self.warps[*warp] = Warp { cta: Some(slot), pause: cycle + 1, ..Warp::default() };
        }
        let size = if self.network.is_some() { self.rng.range(1, self.shape.cluster_size) } else { 1 };
        let place = [self.rng.below(self.shape.cluster_slots), self.rng.below(size), size];
        self.launch.put(&mut self.base.pins, &[slot as u64, place[0], place[1], place[2]]);
        self.ctas[slot] = Some(Cta {
            stage: Stage::Running,
            warps,
            place,
            objects: words.into_iter().map(Object::new).collect(),
            rounds_left: self.rng.range(1, 40),
            saved: false,
            since: cycle,
            still: None,
            unanswered: 0,
            unacknowledged: 0,
            copies: vec![],
            network: vec![],
            words: vec![],
        });
        self.base.ledger.count("launches");
    }
}
