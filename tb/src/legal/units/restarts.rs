// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A legal user whose unit is sometimes reset, in any state: one cycle of `reset` suffices, and events before the reset have no effect
//! after it.

use crate::legal::user::LegalUser;
use crate::stimulus::Rng;
use std::collections::BTreeMap;

pub struct Restarting<M> {
    /// Creates the user for a seed. The user begins with a reset.
    make: M,
    user: Box<dyn LegalUser>,
    rng: Rng,
    /// Number of cycles until the next reset; `None` if no reset follows.
    until_reset: Option<u64>,
    cycle: u64,
    /// The first cycle of the present user.
    since: u64,
    /// The accumulated figures of all earlier users.
    figures: BTreeMap<String, u64>,
    failure: Option<String>,
    /// The inputs of the present cycle.
    inputs: Vec<u64>,
}

impl<E, M: Fn(u64) -> Result<Box<dyn LegalUser>, E>> Restarting<M> {
    /// # Errors
    /// The errors of `make`.
    pub fn new(make: M, seed: u64) -> Result<Self, E> {
        let mut rng = Rng::new(seed, "legal restarts");
        let until_reset = rng.chance(250).then(|| rng.range(1, 2000));
        let user = make(seed)?;
        Ok(Restarting {
            make,
            user,
            rng,
            until_reset,
            cycle: 0,
            since: 0,
            figures: BTreeMap::new(),
            failure: None,
            inputs: vec![],
        })
    }

    /// Replaces the user by one with another seed, which begins with a reset in this cycle.
    fn restart(&mut self) {
        if let Ok(next) = (self.make)(self.rng.draw()) {
            let last = std::mem::replace(&mut self.user, next);
            add(&mut self.figures, last.figures());
            *self.figures.entry("resets".to_string()).or_default() += 1;
            self.since = self.cycle;
        }
        self.until_reset = Some(self.rng.range(1, 2000));
    }
}

/// Adds figures to the totals: the maximum of a figure whose name begins with `worst`, the sum of any other figure.
fn add(totals: &mut BTreeMap<String, u64>, figures: Vec<(String, u64)>) {
    for (name, value) in figures {
        let most = name.starts_with("worst");
        let total = totals.entry(name).or_default();
        *total = if most { value.max(*total) } else { value + *total };
    }
}

impl<E, M: Fn(u64) -> Result<Box<dyn LegalUser>, E>> LegalUser for Restarting<M> {
    fn drive(&mut self, outputs: &[u64]) -> &[u64] {
        if self.until_reset == Some(0) && self.failure.is_none() {
            self.restart();
        }
        self.until_reset = self.until_reset.map(|until_reset| until_reset.saturating_sub(1));
        self.cycle += 1;
        let since = self.since;
        self.inputs.clear();
        self.inputs.extend_from_slice(self.user.drive(outputs));
        self.failure = self.user.failure().map(|failure| match since {
            0 => failure.to_string(),
            _ => format!("{failure}, counted from the reset in cycle {since}"),
        });
        &self.inputs
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn figures(&self) -> Vec<(String, u64)> {
        let mut totals = self.figures.clone();
        add(&mut totals, self.user.figures());
        totals.into_iter().collect()
    }
}
