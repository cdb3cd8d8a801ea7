// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assigns numbers to values, in the order of their first occurrence.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A fast hash function; it need not resist chosen keys.
#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|chunk| self.write_u64(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))));
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Values, each with a number and with data that is computed once.
pub struct Ids<K, V> {
    numbers: Table<K, u32>,
    entries: Vec<(K, V)>,
}

impl<K: Clone + Eq + Hash, V> Ids<K, V> {
    pub fn new() -> Self {
        Ids { numbers: Table::default(), entries: vec![] }
    }

    /// The number of a value. At the value's first occurrence `see` computes its data.
    pub fn number_of(&mut self, value: K, see: impl FnOnce(&K) -> V) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.entries.len() as u32;
        let data = see(&value);
        self.numbers.insert(value.clone(), number);
        self.entries.push((value, data));
        number
    }

    pub fn value(&self, number: u32) -> &K {
        &self.entries[number as usize].0
    }

    pub fn data(&self, number: u32) -> &V {
        &self.entries[number as usize].1
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

/// A global state: the numbers of both multiprocessors, of the hub, and of the environment.
pub type State = [u32; 4];

/// The states found so far, in the order of their numbers.
pub struct States {
    met: Vec<State>,
    /// The hash table of the states' numbers, with linear probing.
    places: Vec<u32>,
}

const NO_STATE: u32 = u32::MAX;

impl States {
    pub fn from(start: State) -> Self {
        let mut states = States { met: vec![], places: vec![NO_STATE; 1 << 10] };
        states.number(start);
        states
    }

    pub fn len(&self) -> usize {
        self.met.len()
    }

    pub fn state_at(&self, number: usize) -> State {
        self.met[number]
    }

    /// The place of a state in the hash table, occupied or free.
    fn place(&self, state: &State) -> usize {
        let mut hash = Mix::default();
        state.iter().for_each(|part| hash.write_u32(*part));
        let mut place = hash.finish() as usize & (self.places.len() - 1);
        while self.places[place] != NO_STATE && self.met[self.places[place] as usize] != *state {
            place = (place + 1) & (self.places.len() - 1);
        }
        place
    }

    /// The number of a state; a new state gets a new number.
    pub fn number(&mut self, state: State) -> u32 {
        let place = self.place(&state);
        if self.places[place] != NO_STATE {
            return self.places[place];
        }
        let number = self.met.len() as u32;
        self.places[place] = number;
        self.met.push(state);
        if self.met.len() * 4 > self.places.len() * 3 {
            self.places = vec![NO_STATE; self.places.len() * 2];
            for known in 0..self.met.len() {
                let place = self.place(&self.met[known]);
                self.places[place] = known as u32;
            }
        }
        number
    }
}
