// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the registers and memories of two sides (the old and the new text of a unit) that seem to
//! behave the same, without using their names. Registers that seem equal have the same colour. At the start all registers have one
//! colour, because they are assumed to power up the same. Each round gives all registers of a
//! colour the same random value, and simulates one cycle. Registers whose new values differ get
//! different colours. The search ends when rounds find no new difference. 64 runs execute in
//! parallel, one per bit of a 64-bit word.

use super::hash::hash;
use super::reach::{settle, wanted, Counts, Search, Wanted};
use super::side::{Pins, Side};
use super::simulate::value_of;
use crate::circuit::aig::Start;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// The search ends after this number of consecutive rounds without a new colour.
const MAX_IDLE_ROUNDS: usize = 48;
/// The colour of registers that have kept their power-up values in all runs so far.
pub const FIXED: u64 = 0;

/// A colour for each register and each memory column (one bit of all words), by side. Registers or
/// columns that behave the same have the same colour.
#[derive(Clone, Debug)]
pub struct Colours {
    pub registers: [Vec<u64>; 2],
    pub columns: [Vec<u64>; 2],
    /// For each side, literals of the next states of some registers. No random run separated these registers from the others of their
    /// colour, and ABC could not prove them equal to those. The search for rare values also aims at these literals.
    pub hard: [Vec<u32>; 2],
    round: u64,
}

impl Colours {
    /// At the start all registers have one colour, and all columns of equal shape have one colour.
    pub fn new(sides: [&Side; 2]) -> Colours {
        Colours {
            registers: sides.map(|s| vec![FIXED; s.gates.latches.len()]),
            columns: sides.map(|s| s.columns.iter().map(|c| hash(&s.shape(c))).collect()),
            hard: [vec![], vec![]],
            round: 0,
        }
    }

    /// Gives different colours to registers and columns that have different values in a random run. With `keep`, a register or column keeps
    /// its colour if its values occur on one side only. Otherwise all registers that depend on it would soon differ as well. `keep` is set
    /// to find the first differences.
    pub fn refine(&mut self, sides: [&Side; 2], keep: bool) {
        let mut counts = sides.map(Counts::new);
        let mut idle_rounds = 0;
        while idle_rounds < MAX_IDLE_ROUNDS {
            self.round += 1;
            let leaves = [0, 1].map(|side| self.leaves(side, sides[side]));
            let mut rare = Wanted::new();
            for side in (0..2).filter(|_| self.round % 2 == 1) {
                let runs = (0..64).filter(|run| run / 2 % 2 == side as u32);
                let search = Search { side: sides[side], counts: &counts[side], hard: &self.hard[side], leaves: &leaves[side] };
                wanted(&search, runs, |n| hash(&(self.round, side, n)), &mut rare);
            }
            let signature = [0, 1].map(|side| self.cycle(sides[side], &leaves[side], &rare, &mut counts[side]));
            let registers = divide(&mut self.registers, [&signature[0].0, &signature[1].0], keep);
            let columns = divide(&mut self.columns, [&signature[0].1, &signature[1].1], keep);
            idle_rounds = if registers || columns { 0 } else { idle_rounds + 1 };
        }
    }

    /// A number for each input, read data bit and register; 0 for all other variables. Variables
    /// with equal numbers get equal random values. `at` is the number of the side.
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

    /// The value of each register after a cycle, and a hash of the values that each memory column receives in that cycle.
    fn cycle(&self, side: &Side, leaves: &[u64], wanted: &Wanted, counts: &mut Counts) -> (Vec<u64>, Vec<u64>) {
        let gates = &side.gates;
        let mut values: Vec<u64> = leaves.iter().map(|leaf| self.value(*leaf, wanted)).collect();
        let inverse = |start: Start| if start == Start::Ones { u64::MAX } else { 0 };
        for (variable, _, start) in &gates.latches {
            values[*variable] ^= inverse(*start);
        }
        settle(side, &mut values);
        counts.add(side, &values);
        let registers = gates.latches.iter().map(|(_, next, start)| value_of(&values, *next) ^ inverse(*start)).collect();
        let columns = side.columns.iter().map(|column| hash_inputs(&column.pins, &values)).collect();
        (registers, columns)
    }

    fn value(&self, leaf: u64, wanted: &Wanted) -> u64 {
        if leaf == FIXED {
            return 0;
        }
        let (mask, bits) = wanted.get(&leaf).copied().unwrap_or_default();
        self.random(&leaf) & !mask | bits
    }

    /// 64 random bits, the same for the same `what` and round. Depending on `what` and the round,
    /// the bits are mostly 0, mostly 1, or balanced.
    fn random(&self, what: &impl Hash) -> u64 {
        let bits = |salt: u64| hash(&(what, self.round, salt));
        // In odd rounds each signal has its own bias; in even rounds all signals have the same
        // bias.
        match (if self.round % 2 == 0 { self.round / 2 } else { bits(4) }) % 5 {
            0 => bits(0) & bits(1),
            1 => bits(0) | bits(1),
            2 => bits(0) & bits(1) & bits(2) & bits(3),
            3 => bits(0) | bits(1) | bits(2) | bits(3),
            _ => bits(0),
        }
    }
}

/// Splits each colour by the values in `signature`, which has one value for each register or column
/// of each side. Returns whether any colour was split. For `keep` see [`Colours::refine`].
pub fn divide(colours: &mut [Vec<u64>; 2], signature: [&[u64]; 2], keep: bool) -> bool {
    let mut parts: BTreeMap<u64, BTreeMap<u64, [usize; 2]>> = BTreeMap::new();
    for side in [0, 1] {
        for (colour, signature) in colours[side].iter().zip(signature[side]) {
            parts.entry(*colour).or_default().entry(*signature).or_default()[side] += 1;
        }
    }
    // The constant 0 counts as a register of the colour `FIXED` on both sides.
    parts.entry(FIXED).or_default().entry(0).or_default().iter_mut().for_each(|count| *count += 1);
    let mut new = HashMap::new();
    for (colour, parts) in &parts {
        let like = |count: &[usize; 2]| count.iter().all(|c| *c > 0);
        let (alike, unlike): (Vec<_>, Vec<_>) = parts.iter().partition(|(_, count)| !keep || like(count));
        // `kept_signature` is the part that keeps the colour. For `FIXED` it is the part of the
        // constant 0; for another colour the first part, unless the parts without a counterpart
        // (`unlike`) keep it. Parts of `FIXED` without a counterpart get one common colour.
        let kept_signature = match *colour {
            FIXED => Some(0),
            _ if unlike.is_empty() => alike.first().map(|(signature, _)| **signature),
            _ => None,
        };
        for (signature, _) in alike.into_iter().filter(|(signature, _)| Some(**signature) != kept_signature) {
            new.insert((*colour, *signature), hash(&(colour, signature)));
        }
        for (signature, _) in unlike.into_iter().filter(|_| *colour == FIXED) {
            new.insert((*colour, *signature), hash(&"none"));
        }
    }
    for side in [0, 1] {
        for (colour, signature) in colours[side].iter_mut().zip(signature[side]) {
            *colour = new.get(&(*colour, *signature)).copied().unwrap_or(*colour);
        }
    }
    !new.is_empty()
}

/// A hash of the values that a column receives. Write address and written value are included only if the write enable is set.
fn hash_inputs(pins: &Pins, values: &[u64]) -> u64 {
    let values_of_pins = |literals: &[u32]| literals.iter().map(|l| value_of(values, *l)).collect::<Vec<u64>>();
    let mut inputs = vec![values_of_pins(&pins.address)];
    for (port, place) in pins.places().enumerate() {
        let enable = value_of(values, pins.enable[port]);
        inputs.push(values_of_pins(place).iter().map(|p| p & enable).collect());
        inputs.push(vec![enable, value_of(values, pins.value[port]) & enable]);
    }
    hash(&inputs)
}
