// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Patterns of correct synchronisation: each has a result that should not depend on the schedule.

use super::super::program::{ArrivalForm, Atomic, Mbar, OpKind, Reduction, Value, Word, TILE_BYTES};
use super::pieces::FLAG;
use super::Draft;

impl Draft {
    /// Adds one pattern.
    pub(super) fn pattern(&mut self) {
        if self.ctas > 1 && self.rng.chance(600) {
            return self.pattern_of_cluster();
        }
        // The last four need mbarriers.
        match self.rng.below(if self.mbarriers == 0 { 9 } else { 13 }) {
            0 => self.store_and_sync(),
            1 => self.store_and_arrive(),
            2 => self.reduction(),
            3 => self.copy_and_group(),
            4 => self.copy_out(),
            5 | 6 => self.atomics(),
            7 => {
                let warp = self.warp();
                let op = self.any(warp);
                self.warps[warp].push(op);
            }
            8 => self.store_and_flag(),
            9 | 10 => self.store_and_phase(),
            11 => self.bulk_copy(),
            _ => self.copy_and_phase(),
        }
    }

    fn store_and_sync(&mut self) {
        let ((from, to), word, id) = (self.pair(), self.word(), self.id());
        let (store, load) = (self.store(word), self.load(word));
        self.push(from, store);
        self.sync_all(self.cta_of(from), id);
        self.push(to, load);
    }

    fn store_and_arrive(&mut self) {
        let ((from, to), word, id) = (self.pair(), self.word(), self.id());
        let (store, load) = (self.store(word), self.load(word));
        self.push(from, store);
        self.push(from, OpKind::ArriveNamed { id, count: 2 });
        self.push(to, OpKind::Sync { id, count: Some(2) });
        self.push(to, load);
    }

    fn store_and_flag(&mut self) {
        let ((from, to), word) = (self.pair(), self.word());
        let (store, load) = (self.store(word), self.load(word));
        self.push(from, store);
        if self.rng.chance(800) {
            self.push(from, OpKind::Fence { proxy: false });
        }
        self.value += 1;
        self.push(from, OpKind::Store { at: FLAG, value: Value::Constant(self.value), strong: true });
        let awaits = self.await_flag();
        self.push(to, awaits);
        if self.rng.chance(800) {
            self.push(to, OpKind::Fence { proxy: false });
        }
        self.push(to, load);
    }

    fn reduction(&mut self) {
        let (first, id) = (self.warp(), self.id());
        let reduction = self.rng.pick(&[Reduction::Popc, Reduction::Or]).unwrap_or(Reduction::Or);
        let size = self.per_cta();
        let cta = self.cta_of(first);
        for warp in cta * size..(cta + 1) * size {
            let predicate = self.rng.chance(500);
            self.push(warp, OpKind::Reduce { id, count: None, reduction, predicate });
        }
    }

    fn store_and_phase(&mut self) {
        let ((from, to), word, at) = (self.pair(), self.word(), self.mbar());
        let (store, load) = (self.store(word), self.load(word));
        self.push(from, store);
        self.phase(at, from, ArrivalForm::Plain);
        self.wait(to, at.number);
        self.push(to, load);
    }

    fn bulk_copy(&mut self) {
        let ((from, to), at) = (self.pair(), self.mbar());
        let (tile, pieces) = (self.tile(), self.rng.range(1, 2) as u8);
        self.phase(at, from, ArrivalForm::Expect(TILE_BYTES));
        self.push(from, OpKind::BulkLoad { tile, at, pieces });
        self.wait(to, at.number);
        let load = self.load_shared(4 * tile + self.value as u8 % 4);
        self.push(to, load);
    }

    fn copy_and_group(&mut self) {
        let ((from, to), tile, id) = (self.pair(), self.tile(), self.id());
        self.push(from, OpKind::CpAsync { tile });
        if self.rng.chance(500) {
            self.push(from, OpKind::CpCommit);
            let pending = u8::from(self.rng.chance(200));
            self.push(from, OpKind::CpWait { pending });
        } else {
            self.push(from, OpKind::CpWaitAll);
        }
        self.sync_all(self.cta_of(from), id);
        let load = self.load_shared(4 * tile);
        self.push(to, load);
    }

    fn copy_and_phase(&mut self) {
        let ((from, to), at, tile) = (self.pair(), self.mbar(), self.tile());
        let noinc = self.rng.chance(600);
        self.push(from, OpKind::CpAsync { tile });
        self.push(from, OpKind::CpArrive { at, noinc });
        if !noinc || self.counts[usize::from(at.number)] > 1 {
            self.phase(at, from, ArrivalForm::Plain);
        }
        self.wait(to, at.number);
        let load = self.load_shared(4 * tile + 1);
        self.push(to, load);
    }

    fn copy_out(&mut self) {
        let (warp, tile, read) = (self.warp(), self.tile(), self.rng.chance(300));
        let store = self.store(Word::Shared { word: 4 * tile, peer: false });
        self.push(warp, store);
        self.push(warp, OpKind::Fence { proxy: true });
        self.push(warp, OpKind::BulkStore { tile, pieces: 1 });
        self.push(warp, OpKind::BulkCommit);
        self.push(warp, OpKind::BulkWait { pending: 0, read });
        let next = match self.rng.chance(500) {
            true => self.load(Word::Global { word: 4 }),
            false => self.store(Word::Shared { word: 4 * tile, peer: false }),
        };
        self.push(warp, next);
    }

    fn atomics(&mut self) {
        let word = self.word();
        let all = [Atomic::Add, Atomic::Or, Atomic::Max, Atomic::Exch, Atomic::Cas];
        let atomic = self.rng.pick(&all).unwrap_or(Atomic::Add);
        for _ in 0..self.rng.range(1, 3) {
            let (warp, operand, used) = (self.warp(), self.rng.range(1, 5) as u32, self.rng.chance(250));
            self.push(warp, OpKind::Atomic { at: word, atomic, operand, used });
        }
    }

    /// A pattern between the two CTAs.
    fn pattern_of_cluster(&mut self) {
        let from = self.warp();
        let to = self.warp_of(self.cta_of(from) ^ 1);
        let word = u8::from(self.rng.chance(300));
        let number = self.mbar().number;
        let at = Mbar { number, peer: true };
        let store = self.store(Word::Shared { word, peer: true });
        let load = self.load_shared(word);
        match self.rng.below(if self.mbarriers == 0 { 1 } else { 4 }) {
            0 => {
                self.push(from, store);
                self.sync_cluster();
            }
            1 => {
                self.push(from, store);
                self.phase(at, from, ArrivalForm::Plain);
                self.wait(to, number);
            }
            2 => {
                self.phase(Mbar { number, peer: false }, to, ArrivalForm::Expect(4));
                self.value += 1;
                let value = self.value;
                self.push(from, OpKind::StoreAsync { word, value, at: number });
                self.wait(to, number);
            }
            _ => {
                self.phase(at, from, ArrivalForm::Expect(4));
                self.value += 1;
                let value = self.value;
                self.push(from, OpKind::StoreAsync { word, value, at: number });
                self.wait(to, number);
            }
        }
        self.push(to, load);
    }
}
