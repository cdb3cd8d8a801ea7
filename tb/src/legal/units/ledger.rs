// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run of a legal user: the cycle, the first failure, and figures.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The present cycle, starting at 0.
    pub cycle: u64,
    failure: Option<String>,
    figures: BTreeMap<&'static str, u64>,
}

impl Ledger {
    /// Keeps the first failure, together with its cycle.
    pub fn fail(&mut self, what: impl FnOnce() -> String) {
        if self.failure.is_none() {
            self.failure = Some(format!("cycle {}: {}", self.cycle, what()));
        }
    }

    /// Notes a failure if `found` differs from `expected`.
    pub fn expect(&mut self, what: &str, found: u64, expected: u64) {
        if found != expected {
            self.fail(|| format!("`{what}`: expected {expected:#x}, found {found:#x}"));
        }
    }

    /// Notes a failure if the strobe `what` differs from `expected`. `None` in either means that the strobe is not valid.
    pub fn strobe<const N: usize>(&mut self, what: &str, found: Option<[u64; N]>, expected: Option<[u64; N]>) {
        if found != expected {
            self.fail(|| format!("strobe `{what}`: expected {expected:x?}, found {found:x?}"));
        }
    }

    pub fn count(&mut self, name: &'static str) {
        self.add(name, 1);
    }

    pub fn add(&mut self, name: &'static str, more: u64) {
        *self.figures.entry(name).or_default() += more;
    }

    /// Keeps the highest value of the figure `name`.
    pub fn most(&mut self, name: &'static str, value: u64) {
        let figure = self.figures.entry(name).or_default();
        *figure = value.max(*figure);
    }

    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub fn figures(&self) -> Vec<(String, u64)> {
        self.figures.iter().map(|(name, count)| (name.to_string(), *count)).collect()
    }
}
