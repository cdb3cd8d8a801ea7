// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage points, and how often each was reached.

use bcu_isa::config::Config;
use bcu_isa::units::UNITS;
use bcu_model::sizes::SizeError;
use std::collections::BTreeMap;

/// Why a table cannot be created or filled.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    #[error("no coverage for unit `{0}`; there is one for {units}", units = UNITS.join(", "))]
    UnknownUnit(String),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error("the recording has no port `{0}`, which the coverage of this unit reads")]
    MissingPort(&'static str),
}

/// Why the points of mbarriers are unreachable.
pub const NO_MBARRIERS: &str = "the configuration has no mbarriers";

pub const NO_NAMED: &str = "the configuration has no `named`";

pub const NO_GATEWAY: &str = "the configuration has no gateway";

/// An event that runs should reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// How often the point was reached.
    pub hits: u64,
    /// Why the point is unreachable.
    pub unreachable: Option<&'static str>,
}

/// Points by name, with their counts.
#[derive(Clone, Debug, Default)]
pub struct Points(pub(super) BTreeMap<String, Point>);

impl Points {
    /// Lists a point; `unreachable` gives the reason if it cannot be reached.
    pub(super) fn list(&mut self, name: impl Into<String>, unreachable: Option<&'static str>) {
        self.0.insert(name.into(), Point { hits: 0, unreachable });
    }

    /// Lists reachable points.
    pub(super) fn list_all(&mut self, names: &[&str]) {
        names.iter().for_each(|name| self.list(*name, None));
    }

    /// Lists a point that needs a CTA slot number that is not built.
    pub(super) fn list_astray(&mut self, config: &Config, name: impl Into<String>) {
        // A slot number has at least one bit, so with a single CTA slot the number 1 is not built.
        let every = config.cta_slots > 1 && config.cta_slots.is_power_of_two();
        self.list(name, every.then_some("every slot number is built"));
    }

    /// Counts a point.
    pub(super) fn cover(&mut self, name: &str) {
        match self.0.get_mut(name) {
            Some(point) => point.hits += 1,
            None => {
                self.0.insert(name.to_string(), Point { hits: 1, unreachable: Some("it is not in the list") });
            }
        }
    }

    /// Counts a point if its event has happened.
    pub(super) fn cover_if(&mut self, happened: bool, name: &str) {
        if happened {
            self.cover(name);
        }
    }
}
