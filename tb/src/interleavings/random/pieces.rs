// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of patterns: warps, words, barriers, phases.

use super::super::program::{ArrivalForm, Mbar, OpKind, Token, Value, Word, BARRIERS, MBARRIERS};
use super::Draft;

/// The word of shared memory for whose value warps wait.
pub(super) const FLAG: Word = Word::Shared { word: 2, peer: false };

impl Draft {
    /// A wait for the last value that was stored.
    pub(super) fn await_flag(&self) -> OpKind {
        OpKind::Await { at: FLAG, value: self.value }
    }

    pub(super) fn push(&mut self, warp: usize, kind: OpKind) {
        self.warps[warp].push(kind.into());
    }

    pub(super) fn warp(&mut self) -> usize {
        self.rng.below(self.warps.len() as u64) as usize
    }

    pub(super) fn cta_of(&self, warp: usize) -> usize {
        warp / self.per_cta()
    }

    /// Any warp of a CTA.
    pub(super) fn warp_of(&mut self, cta: usize) -> usize {
        let number = self.rng.below(self.per_cta() as u64) as usize;
        cta * self.per_cta() + number
    }

    /// Two warps of a CTA, different ones if it has several.
    pub(super) fn pair(&mut self) -> (usize, usize) {
        let first = self.warp();
        let (cta, size) = (self.cta_of(first), self.per_cta());
        if size == 1 {
            return (first, first);
        }
        let apart = self.rng.range(1, size as u64 - 1) as usize;
        (first, cta * size + (first - cta * size + apart) % size)
    }

    pub(super) fn id(&mut self) -> u8 {
        self.rng.below(BARRIERS as u64) as u8
    }

    pub(super) fn mbar(&mut self) -> Mbar {
        Mbar { number: self.rng.below(self.mbarriers.max(1)) as u8, peer: false }
    }

    pub(super) fn tile(&mut self) -> u8 {
        u8::from(self.rng.chance(300))
    }

    /// A word; in a cluster sometimes one of the other CTA.
    pub(super) fn word(&mut self) -> Word {
        let peer = self.ctas > 1 && self.rng.chance(100);
        match self.rng.below(10) {
            0 => Word::Global { word: 4 },
            1 => Word::Shared { word: 4, peer },
            2..=4 => Word::Shared { word: 1, peer },
            _ => Word::Shared { word: 0, peer },
        }
    }

    pub(super) fn store(&mut self, at: Word) -> OpKind {
        self.value += 1;
        let value = if self.rng.chance(150) { 1 } else { self.value };
        OpKind::Store { at, value: Value::Constant(value), strong: self.rng.chance(200) }
    }

    pub(super) fn load(&mut self, at: Word) -> OpKind {
        OpKind::Load { at, strong: self.rng.chance(200) }
    }

    pub(super) fn load_shared(&mut self, word: u8) -> OpKind {
        self.load(Word::Shared { word, peer: false })
    }

    /// A barrier of all warps of a CTA.
    pub(super) fn sync_all(&mut self, cta: usize, id: u8) {
        for number in 0..self.per_cta() {
            self.push(cta * self.per_cta() + number, OpKind::Sync { id, count: None });
        }
    }

    /// A barrier of all warps of the cluster.
    pub(super) fn sync_cluster(&mut self) {
        for warp in 0..self.warps.len() {
            let relaxed = self.rng.chance(100);
            self.push(warp, OpKind::ArriveCluster { relaxed });
            self.push(warp, OpKind::WaitCluster);
        }
    }

    /// The contributions of one phase of an mbarrier: an arrival of the warp `first`, and arrivals of others that complete the count. `at`
    /// is as `first` names it.
    pub(super) fn phase(&mut self, at: Mbar, first: usize, form: ArrivalForm) {
        let count = self.counts[usize::from(at.number)];
        let token = self.rng.weighted(&[(Token::Unused, 12), (Token::Reported, 1)]).unwrap_or(Token::Unused);
        let token = if at.peer { Token::Unused } else { token };
        let relaxed = self.rng.chance(100);
        let whole = count > 1 && form == ArrivalForm::Plain && self.rng.chance(300);
        let with = if whole { count } else { 1 };
        self.push(first, OpKind::Arrive { at, count: with, form, drop: false, relaxed, token });
        for _ in with..count {
            let warp = self.warp_of(self.cta_of(first));
            let form = ArrivalForm::Plain;
            self.push(warp, OpKind::Arrive { at, count: 1, form, drop: false, relaxed: false, token: Token::Unused });
        }
    }

    /// The warp waits for the phase of an mbarrier of its CTA, which is over then.
    pub(super) fn wait(&mut self, warp: usize, number: u8) {
        let index = self.cta_of(warp) * MBARRIERS + usize::from(number);
        let parity = self.parities[index];
        self.parities[index] = !parity;
        self.push(warp, OpKind::WaitParity { at: Mbar { number, peer: false }, parity });
    }
}
