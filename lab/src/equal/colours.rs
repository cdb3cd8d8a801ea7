// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which registers and memories of two sides do the same, found without their names: all registers begin with one colour, as they power up
//! the same, and those of a colour hold the same random value; what takes different values a cycle later gets different colours, until
//! nothing new is seen. 64 runs at the same time, one per bit of a word.

use super::hash::hash;
use super::reach::{settle, wanted, Counts, Search, Wanted};
use super::side::{Pins, Side};
use super::simulate::of;
use crate::circuit::aig::Start;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// So many rounds without a new colour are enough.
const QUIET: usize = 48;
/// Registers of this colour are never anything but what they power up with, as far as is known.
pub const FIXED: u64 = 0;

/// A number for each register, and each bit of all words of a memory, of both sides: those that do the same have the same one.
#[derive(Clone, Debug)]
pub struct Colours {
    pub registers: [Vec<u64>; 2],
    pub columns: [Vec<u64>; 2],
    /// Literals of each side whose values random bits do not tell enough of.
    pub hard: [Vec<u32>; 2],
    round: u64,
}

impl Colours {
    /// All registers have one colour, and all columns of a shape.
    pub fn new(sides: [&Side; 2]) -> Colours {
        Colours {
            registers: sides.map(|s| vec![FIXED; s.gates.latches.len()]),
            columns: sides.map(|s| s.columns.iter().map(|c| hash(&s.shape(c))).collect()),
            hard: [vec![], vec![]],
            round: 0,
        }
    }

    /// Gives different colours to what is seen to differ. `keep`: what of a colour has no like on the other side keeps it, so that the
    /// first difference does not spread to all that depends on it.
    pub fn refine(&mut self, sides: [&Side; 2], keep: bool) {
        let mut counts = sides.map(Counts::new);
        let mut quiet = 0;
        while quiet < QUIET {
            self.round += 1;
            let leaves = [0, 1].map(|side| self.leaves(side, sides[side]));
            let mut rare = Wanted::new();
            for side in (0..2).filter(|_| self.round % 2 == 1) {
                let runs = (0..64).filter(|run| run / 2 % 2 == side as u32);
                let search = Search { side: sides[side], counts: &counts[side], hard: &self.hard[side], leaves: &leaves[side] };
                wanted(&search, runs, |n| hash(&(self.round, side, n)), &mut rare);
            }
            let seen = [0, 1].map(|side| self.cycle(sides[side], &leaves[side], &rare, &mut counts[side]));
            let registers = divide(&mut self.registers, [&seen[0].0, &seen[1].0], keep);
            let columns = divide(&mut self.columns, [&seen[0].1, &seen[1].1], keep);
            quiet = if registers || columns { 0 } else { quiet + 1 };
        }
    }

    /// A number for each variable that is free in a cycle, the same for what is the same; 0 for the others.
    fn leaves(&self, at: usize, side: &Side) -> Vec<u64> {
        let mut leaves = vec![0; side.gates.variables];
        for input in &side.gates.inputs {
            leaves[input.variable] = hash(&(&input.name, input.bit));
        }
        for (colour, column) in self.columns[at].iter().zip(&side.columns) {
            for (port, variable) in column.pins.data.iter().enumerate() {
                leaves[*variable] = hash(&(colour, port));
            }
        }
        for (colour, (variable, ..)) in self.registers[at].iter().zip(&side.gates.latches) {
            leaves[*variable] = *colour;
        }
        leaves
    }

    /// What each register will hold after a cycle, and what each column is told in it.
    fn cycle(&self, side: &Side, leaves: &[u64], wanted: &Wanted, counts: &mut Counts) -> (Vec<u64>, Vec<u64>) {
        let gates = &side.gates;
        let mut values: Vec<u64> = leaves.iter().map(|leaf| self.value(*leaf, wanted)).collect();
        let inverse = |start: Start| if start == Start::One { u64::MAX } else { 0 };
        for (variable, _, start) in &gates.latches {
            values[*variable] ^= inverse(*start);
        }
        settle(side, &mut values);
        counts.add(side, &values);
        let registers = gates.latches.iter().map(|(_, next, start)| of(&values, *next) ^ inverse(*start)).collect();
        let columns = side.columns.iter().map(|column| told(&column.pins, &values)).collect();
        (registers, columns)
    }

    fn value(&self, leaf: u64, wanted: &Wanted) -> u64 {
        if leaf == FIXED {
            return 0;
        }
        let (mask, bits) = wanted.get(&leaf).copied().unwrap_or_default();
        self.random(&leaf) & !mask | bits
    }

    /// 64 bits for what is the same, of which in some rounds most are 0 and in others most are 1.
    fn random(&self, what: &impl Hash) -> u64 {
        let bits = |salt: u64| hash(&(what, self.round, salt));
        // Each signal leans its own way in most rounds, all the same way in some.
        match (if self.round % 2 == 0 { self.round / 2 } else { bits(4) }) % 5 {
            0 => bits(0) & bits(1),
            1 => bits(0) | bits(1),
            2 => bits(0) & bits(1) & bits(2) & bits(3),
            3 => bits(0) | bits(1) | bits(2) | bits(3),
            _ => bits(0),
        }
    }
}

/// Gives those of a colour that were seen as different different colours; whether there were some.
pub fn divide(colours: &mut [Vec<u64>; 2], seen: [&[u64]; 2], keep: bool) -> bool {
    let mut parts: BTreeMap<u64, BTreeMap<u64, [usize; 2]>> = BTreeMap::new();
    for side in [0, 1] {
        for (colour, seen) in colours[side].iter().zip(seen[side]) {
            parts.entry(*colour).or_default().entry(*seen).or_default()[side] += 1;
        }
    }
    // The constant is one more of its colour, on both sides.
    parts.entry(FIXED).or_default().entry(0).or_default().iter_mut().for_each(|count| *count += 1);
    let mut new = HashMap::new();
    for (colour, parts) in &parts {
        let like = |count: &[usize; 2]| count.iter().all(|c| *c > 0);
        let (alike, rest): (Vec<_>, Vec<_>) = parts.iter().partition(|(_, count)| !keep || like(count));
        // One part keeps the colour: that of the constant, or what has no like, or any.
        let stays = match *colour {
            FIXED => Some(0),
            _ if rest.is_empty() => alike.first().map(|(seen, _)| **seen),
            _ => None,
        };
        for (seen, _) in alike.into_iter().filter(|(seen, _)| Some(**seen) != stays) {
            new.insert((*colour, *seen), hash(&(colour, seen)));
        }
        for (seen, _) in rest.into_iter().filter(|_| *colour == FIXED) {
            new.insert((*colour, *seen), hash(&"none"));
        }
    }
    for side in [0, 1] {
        for (colour, seen) in colours[side].iter_mut().zip(seen[side]) {
            *colour = new.get(&(*colour, *seen)).copied().unwrap_or(*colour);
        }
    }
    !new.is_empty()
}

/// A number for what a column is asked and told: where and what is written counts only if something is.
fn told(pins: &Pins, values: &[u64]) -> u64 {
    let all = |literals: &[u32]| literals.iter().map(|l| of(values, *l)).collect::<Vec<u64>>();
    let mut told = vec![all(&pins.address)];
    for (port, place) in pins.places().enumerate() {
        let enable = of(values, pins.enable[port]);
        told.push(all(place).iter().map(|p| p & enable).collect());
        told.push(vec![enable, of(values, pins.value[port]) & enable]);
    }
    hash(&told)
}
