// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses values of the free bits of a cycle (inputs, registers and read data) such that a gate
//! gets a value that it rarely had. The search goes from such a gate back to the free bits that
//! control it. The result is a guess: if two paths require different values of a bit, the first
//! path decides.

use super::side::Side;
use super::simulate::value_of;
use std::collections::HashMap;

/// A value is rare if a gate had it less often than this number in all runs.
const RARE: u32 = 48;
/// The maximum number of gates that the search for one guess visits.
const STEPS: usize = 4096;

/// For each free bit, by its number: a mask of the runs that require a value of it, and the
/// required values.
pub type Wanted = HashMap<u64, (u64, u64)>;

/// How often each gate of a side was 1, and the number of runs so far.
#[derive(Clone, Debug)]
pub struct Counts {
    ones: Vec<u32>,
    runs: u32,
}

impl Counts {
    pub fn new(side: &Side) -> Counts {
        Counts { ones: vec![0; side.gates.ands.len()], runs: 0 }
    }

    pub fn add(&mut self, side: &Side, values: &[u64]) {
        for (ones, (variable, ..)) in self.ones.iter_mut().zip(&side.gates.ands) {
            *ones += values[*variable].count_ones();
        }
        self.runs += 64;
    }

    /// How often a literal was 1.
    fn count_of(&self, side: &Side, literal: u32) -> u32 {
        let ones = side.driver(literal as usize / 2).map_or(self.runs / 2, |at| self.ones[at]);
        if literal & 1 == 0 {
            ones
        } else {
            self.runs - ones
        }
    }

    /// Literals that were rarely 1.
    fn rare(&self, side: &Side) -> Vec<u32> {
        let literal = |(ones, (variable, ..)): (&u32, &(usize, u32, u32))| {
            let ones_literal = *variable as u32 * 2;
            [(*ones, ones_literal), (self.runs - ones, ones_literal + 1)]
                .into_iter()
                .find(|(often, _)| *often < RARE)
                .map(|(_, literal)| literal)
        };
        self.ones.iter().zip(&side.gates.ands).filter_map(literal).collect()
    }
}

/// The input of a search for rare values.
pub struct Search<'a> {
    pub side: &'a Side,
    pub counts: &'a Counts,
    /// Literals that are targets with both values, in addition to all rare literals.
    pub hard: &'a [u32],
    /// For each variable that is a free bit, its number (`Colours::leaves`); 0 for all other
    /// variables.
    pub leaves: &'a [u64],
}

/// For each of `runs`, chooses a target at random, and adds to `wanted` the values of the free bits that the target requires. `random`
/// returns a random number for each argument.
pub fn wanted(search: &Search, runs: impl Iterator<Item = u32>, random: impl Fn(u64) -> u64, wanted: &mut Wanted) {
    let Search { side, counts, hard, leaves } = search;
    let rare = counts.rare(side);
    let mut calls = 0;
    let mut next = |most: usize| {
        calls += 1;
        random(calls) as usize % most
    };
    for run in runs {
        let hardly = if hard.is_empty() { None } else { Some(hard[next(hard.len())] ^ next(2) as u32) };
        let rarely = if rare.is_empty() { None } else { Some(rare[next(rare.len())]) };
        let [first, second] = if next(2) == 0 { [hardly, rarely] } else { [rarely, hardly] };
        let Some(target) = first.or(second) else { return };
        let mut targets = vec![target];
        let mut known: HashMap<u32, u32> = HashMap::new();
        for _ in 0..STEPS {
            let Some(literal) = targets.pop() else { break };
            let variable = literal as usize / 2;
            if known.insert(variable as u32, literal & 1).is_some() {
                continue;
            }
            match side.driver(variable).map(|at| (side.gates.ands[at].1, side.gates.ands[at].2)) {
                Some((a, b)) if literal & 1 == 0 => targets.extend([a, b]),
                // An AND is 0 if one of its inputs is 0. If an input is known to be 0, nothing more is needed. If an input is known to be
                // 1, the other input must be 0.
                Some((a, b)) => {
                    let is = |l: u32| known.get(&(l / 2)).map(|inverse| *inverse == l & 1);
                    match (is(a), is(b)) {
                        (Some(false), _) | (_, Some(false)) | (Some(true), Some(true)) => (),
                        (Some(true), _) => targets.push(b ^ 1),
                        (_, Some(true)) => targets.push(a ^ 1),
                        _ => {
                            // The input that was 0 more often is chosen with a higher probability, because that value is easier to reach.
                            let [first_count, second_count] = [a ^ 1, b ^ 1].map(|l| counts.count_of(side, l) + 1);
                            targets.push(if next((first_count + second_count) as usize) < first_count as usize {
                                a ^ 1
                            } else {
                                b ^ 1
                            });
                        }
                    }
                }
                None if leaves[variable] != 0 => {
                    let (mask, bits) = wanted.entry(leaves[variable]).or_default();
                    let bit = 1u64 << run;
                    if *mask & bit == 0 {
                        *mask |= bit;
                        *bits |= if literal & 1 == 0 { bit } else { 0 };
                    }
                }
                None => (),
            }
        }
    }
}

/// Computes the values of a cycle's gates from the values of its free bits.
pub fn settle(side: &Side, values: &mut [u64]) {
    for (variable, a, b) in &side.gates.ands {
        values[*variable] = value_of(values, *a) & value_of(values, *b);
    }
}
