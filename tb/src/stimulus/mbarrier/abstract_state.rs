// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expected contents of each CTA's objects, so that most operations can be drawn as legal.

use super::super::Rng;
use super::MbarrierKind;
use crate::stimulus::shape::Shape;

/// An object as it would be if no operation had been refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Object {
    live: bool,
    expected: u64,
    pending: u64,
    tx: i64,
    phase: bool,
}

/// An operation on an object.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    pub kind: MbarrierKind,
    pub slot: usize,
    /// The number of the object.
    pub object: u64,
    pub count: u64,
    pub bytes: u64,
    pub phase: bool,
    /// The object's index among the objects of its CTA slot; `None` if the operation addresses a word that is none of these objects.
    at: Option<usize>,
}

impl Transaction {
    /// Whether the operation may address an object of another CTA.
    pub fn travels(&self) -> bool {
        use MbarrierKind::*;
        !matches!(self.kind, Init | Inval | AddPending | TestWait | TryWait)
    }
}

/// The objects of every CTA slot.
pub struct AbstractState {
    /// Numbers of the words that objects use, the same for all CTA slots.
    numbers: Vec<u64>,
    words: u64,
    objects: Vec<Vec<Object>>,
    /// Maximum number of arrivals of a phase.
    most: u64,
    /// Maximum number of bytes of a phase.
    bytes: u64,
    /// The kinds of operations, by weight.
    weights: Vec<(MbarrierKind, u64)>,
    /// For each CTA slot, the object at which a warp last waited; `None` if the object's phase has ended.
    waited: Vec<Option<usize>>,
    /// Probability, in thousandths, that another warp also waits at the object in `waited`.
    together: u64,
}

/// A word that resembles an object word to a random degree.
pub fn garbage(rng: &mut Rng) -> u64 {
    let any = rng.draw();
    let near = |rng: &mut Rng, low: u64| (rng.below(4).wrapping_neg() & 0xf_ffff) << low;
    match rng.below(5) {
        0 => any,
        1 => any & !1 & !(1 << 42),
        2 => near(rng, 1) | near(rng, 43) | any & 1 << 63,
        3 => near(rng, 1) | near(rng, 43) | rng.below(2) << 41 | rng.below(2) << 42 | any & (1 << 63 | 1),
        _ => 1 << 42 | any & (1 << 63 | 1),
    }
}

impl AbstractState {
    pub fn new(rng: &mut Rng, shape: Shape) -> Self {
        use MbarrierKind::*;
        let number = rng.pick(&[1, 2, 3, 5, 12]).unwrap_or(1);
        let near = rng.chance(300);
        // In some seeds the words are adjacent; in others they are random, and some of them share a cache entry.
        let numbers = (0..number).map(|at| match near {
            true => at % shape.words,
            false => rng.below(shape.words),
        });
        let numbers = numbers.collect();
        let kinds = [
            (Init, 1),
            (Inval, 2),
            (Arrive, 30),
            (ArriveExpect, 20),
            (ArriveNoComplete, 5),
            (Drop, 3),
            (DropExpect, 3),
            (DropNoComplete, 2),
            (Expect, 5),
            (Complete, 5),
            (AddPending, 5),
            (TestWait, 15),
            (TryWait, 60),
        ];
        let weights = kinds.map(|(kind, weight)| (kind, weight * rng.pick(&[0, 1, 1, 1, 4]).unwrap_or(1))).to_vec();
        AbstractState {
            numbers,
            words: shape.words,
            objects: vec![vec![Object::default(); number as usize]; shape.slots as usize],
            most: rng.pick(&[1, 2, 4, (1 << 20) - 1]).unwrap_or(1),
            bytes: rng.pick(&[0, 3, 1000, (1 << 20) - 1]).unwrap_or(0),
            weights,
            waited: vec![None; shape.slots as usize],
            together: rng.pick(&[0, 0, 300, 700]).unwrap_or(0),
        }
    }

    /// Numbers of the words that objects use.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    pub fn share(&mut self, numbers: &[u64]) {
        self.numbers = numbers.to_vec();
        self.objects.iter_mut().for_each(|slot| slot.resize(numbers.len(), Object::default()));
    }

    pub fn clear(&mut self) {
        self.objects.iter_mut().for_each(|slot| slot.fill(Object::default()));
        self.waited.fill(None);
    }

    /// Accounts for the launch of a CTA into the CTA slot `slot`.
    pub fn enter(&mut self, slot: usize) {
        self.objects[slot].fill(Object::default());
        self.waited[slot] = None;
    }

    /// Draws an operation that is legal on the expected contents of the objects.
    pub fn transaction(&self, rng: &mut Rng, slot: usize) -> Transaction {
        use MbarrierKind::*;
        let joined = self.waited[slot].filter(|_| rng.chance(self.together));
        let at = joined.unwrap_or_else(|| rng.below(self.numbers.len() as u64) as usize);
        let object = self.objects[slot][at];
        let plain =
            |kind, count, bytes, phase| Transaction { kind, slot, object: self.numbers[at], count, bytes, phase, at: Some(at) };
        if !object.live {
            return plain(Init, rng.range(1, self.most), 0, false);
        }
        if joined.is_some() {
            return plain(TryWait, 0, 0, object.phase);
        }
        // Bytes have arrived before they were expected, and no arrival is pending, so they are expected now.
        if object.pending == 0 && object.tx < 0 && rng.chance(300) {
            return plain(Expect, 0, object.tx.unsigned_abs(), false);
        }
        let kind = rng.weighted(&self.weights).unwrap_or(TestWait);
        let arrivals = if rng.chance(600) { 1 } else { rng.range(1, object.pending.max(1)) };
        let bytes = rng.range(0, self.bytes);
        let due = object.tx.max(0) as u64;
        match kind {
            Init if !rng.chance(100) => plain(TryWait, 0, 0, object.phase),
            Init => plain(Init, rng.range(1, self.most), 0, false),
            Inval => plain(Inval, 0, 0, false),
            // If no arrival is pending, the warp waits instead of arriving.
            Arrive | ArriveExpect | ArriveNoComplete | Drop | DropExpect | DropNoComplete if object.pending == 0 => {
                plain(TryWait, 0, 0, object.phase)
            }
            Arrive | Drop => plain(kind, arrivals, 0, false),
            ArriveNoComplete | DropNoComplete => plain(kind, 1, 0, false),
            ArriveExpect | DropExpect => plain(kind, 1, bytes, false),
            Expect => plain(kind, 0, bytes, false),
            // More bytes than are due: a later Expect accounts for them.
            Complete if rng.chance(30) => plain(kind, 0, rng.range(due, due + self.bytes), false),
            Complete => plain(kind, 0, if rng.chance(700) { due } else { rng.range(0, due) }, false),
            AddPending => plain(kind, 1, 0, false),
            TestWait | TryWait => plain(kind, 0, 0, object.phase ^ rng.chance(100)),
        }
    }

    /// Draws a random operation on a random object, whatever the state of the object is.
    pub fn any(&self, rng: &mut Rng, slot: usize) -> Transaction {
        use MbarrierKind::*;
        let kind = rng.pick(MbarrierKind::ALL).unwrap_or(TestWait);
        let counted = !matches!(kind, Inval | Expect | Complete | TestWait | TryWait);
        let moved = matches!(kind, ArriveExpect | DropExpect | Expect | Complete);
        let number = |rng: &mut Rng, most: u64| rng.pick(&[1, 2, 3, most]).unwrap_or(1);
        let count = if counted { number(rng, (1 << 20) - 1) } else { 0 };
        let bytes = if moved { number(rng, (1 << 20) - 1) - rng.below(2) } else { 0 };
        let near = rng.pick(&self.numbers).unwrap_or(0);
        let object = if rng.chance(800) { near } else { rng.below(self.words) };
        Transaction { kind, slot, object, count, bytes, phase: rng.chance(500), at: None }
    }

    /// Draws a transfer of a copy engine: bytes that are due, or any transfer.
    pub fn transfer(&self, rng: &mut Rng, slot: usize, wild: u64) -> Transaction {
        let at = rng.below(self.numbers.len() as u64) as usize;
        let object = self.objects[slot][at];
        let (count, bytes) = match rng.below(10) {
            0 => (rng.range(1, 4), 0),
            1 => (0, rng.range(0, self.bytes)),
            _ => (0, rng.range(0, object.tx.max(0) as u64)),
        };
        let (count, bytes) = if rng.chance(wild) { (0, rng.below(1 << 21)) } else { (count, bytes) };
        let kind = if count == 0 { MbarrierKind::Complete } else { MbarrierKind::Arrive };
        Transaction { kind, slot, object: self.numbers[at], count, bytes, phase: false, at: Some(at) }
    }

    /// Accounts for an operation that was sent.
    pub fn note(&mut self, transaction: &Transaction) {
        use MbarrierKind::*;
        let Some(at) = transaction.at else { return };
        let (object, waited) = (&mut self.objects[transaction.slot][at], &mut self.waited[transaction.slot]);
        match transaction.kind {
            Init => {
                *object = Object { live: true, expected: transaction.count, pending: transaction.count, ..Object::default() }
            }
            Inval => object.live = false,
            TestWait => (),
            TryWait => *waited = Some(at),
            kind => {
                let bytes = transaction.bytes as i64;
                object.tx += if matches!(kind, ArriveExpect | DropExpect | Expect) { bytes } else { -bytes };
                if matches!(kind, Drop | DropExpect | DropNoComplete) {
                    object.expected = object.expected.saturating_sub(transaction.count);
                }
                object.pending = match kind {
                    AddPending => object.pending + transaction.count,
                    _ => object.pending.saturating_sub(transaction.count),
                };
                if object.pending == 0 && object.tx == 0 {
                    object.phase = !object.phase;
                    *waited = waited.filter(|of| *of != at);
                    object.pending = object.expected;
                    object.live = object.expected != 0;
                }
            }
        }
    }
}
