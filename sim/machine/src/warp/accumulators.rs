// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The products of a warpgroup whose results one warp has not waited for. The registers of an accumulator are unknown from the start of
//! the product until the warp waits for its group.

use super::running_product::{Added, Due, LaneValues, RunningProduct};
use std::collections::HashMap;

/// The products of one warp that its waits have not covered.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Accumulators {
    running: Vec<RunningProduct>,
    /// The number of products that the warp has started.
    started: u64,
    /// The registers that get a result, numbered over all open calls. A copy of such a register gets the result too.
    due: HashMap<usize, Due>,
}

impl Accumulators {
    /// Whether no register gets a result.
    pub fn is_idle(&self) -> bool {
        self.due.is_empty()
    }

    /// The addend of a product that starts: what the registers of its accumulator hold, or get from a product in flight.
    pub fn added(&self, registers: &[usize], held: impl Fn(usize) -> LaneValues) -> Vec<Added> {
        let addend = |register: &usize| match self.due.get(register) {
            Some(due) => Added::Due(*due),
            None => Added::Held(held(*register)),
        };
        registers.iter().map(addend).collect()
    }

    /// Starts a product with these registers as accumulator; `None`: its result is never known.
    pub fn start(&mut self, registers: &[usize], product: Option<RunningProduct>) {
        self.started += 1;
        registers.iter().for_each(|register| _ = self.due.remove(register));
        if let Some(product) = product {
            let number = self.started;
            self.due.extend(registers.iter().enumerate().map(|(of, register)| (*register, (number, of))));
            self.running.push(RunningProduct { number, ..product });
        }
    }

    /// Records that a register is a copy of another one, in all lanes of the warp or only in some.
    pub fn copy(&mut self, from: usize, to: usize, is_whole: bool) {
        match self.due.get(&from).copied().filter(|_| is_whole) {
            Some(due) => _ = self.due.insert(to, due),
            None => _ = self.due.remove(&to),
        }
    }

    /// Records that a register is overwritten. The result of a product that may still read the register as a part of A is unknown.
    pub fn overwrite(&mut self, register: usize) {
        self.due.remove(&register);
        let reads = |product: &&mut RunningProduct| product.a_registers.contains(&register);
        self.running.iter_mut().filter(reads).for_each(RunningProduct::spoil);
    }

    /// Forgets the registers from `first` on, because their function returns.
    pub fn returns(&mut self, first: usize) {
        self.due.retain(|register, _| *register < first);
    }

    /// The products of the groups before `end`.
    pub fn before(&mut self, end: u32) -> impl Iterator<Item = &mut RunningProduct> {
        self.running.iter_mut().filter(move |product| product.group < end)
    }

    /// Ends the products of the groups before `end`, and returns the registers that have their results.
    pub fn complete(&mut self, end: u32) -> Vec<(usize, RunningResult)> {
        let (complete, running): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.running).into_iter().partition(|product| product.group < end);
        self.running = running;
        let mut results: HashMap<u64, Vec<LaneValues>> = HashMap::new();
        let mut origins = HashMap::new();
        let of = |results: &HashMap<u64, Vec<LaneValues>>, (number, register): Due| {
            results.get(&number).and_then(|registers| registers.get(register)).cloned()
        };
        for mut product in complete {
            product.resolve(|due| of(&results, due));
            origins.insert(product.number, product.at);
            results.insert(product.number, product.calculate());
        }
        for product in &mut self.running {
            product.resolve(|due| of(&results, due));
        }
        let mut written: Vec<(usize, RunningResult)> = vec![];
        self.due.retain(|register, due| match of(&results, *due) {
            Some(values) => {
                written.push((*register, RunningResult { values, at: origins[&due.0] }));
                false
            }
            None => true,
        });
        written
    }
}

/// The result of a product in a register, and the instruction that started the product.
pub(in super::super) struct RunningResult {
    pub values: LaneValues,
    pub at: super::threads::At,
}
