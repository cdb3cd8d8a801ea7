// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage: the points that random runs have reached, counted from their recordings.
//!
//! A table lists every point that the runs of a unit of a configuration should reach. An unreachable point is listed with its reason; if a
//! run reaches the point nevertheless, the reason is wrong, which is an error. Points are counted at the ports. For `named` and `gather`
//! the model's barriers and lanes also supply the state of the row or warp that an operation has found.

mod bcu_gateway;
mod bcu_hubs;
mod bcu_lanes;
mod bcu_named;
mod bcu_objects;
pub mod points;
mod ports;

use crate::lockstep::Recording;
use bcu_isa::config::Config;
use bcu_model::Sizes;
use points::{CoverageError, Point, Points};
use ports::View;
use std::fmt;

/// Counts the points that a recording has reached.
type Count = fn(&Config, &View, &mut Points) -> Result<(), CoverageError>;

/// The coverage functions of one unit.
struct Column {
    unit: &'static str,
    /// Lists the unit's points.
    list: fn(&Config, &mut Points),
    count: Count,
}

macro_rules! columns {
    ($($unit:ident $Unit:ident,)*) => {
        $(mod $unit;)*

        const COLUMNS: &[Column] = &[$(Column { unit: stringify!($unit), list: $unit::list, count: $unit::count }),*];
    };
}

bcu_isa::for_each_unit!(columns);

/// The points of a unit of a configuration.
#[derive(Clone, Debug)]
pub struct Table {
    unit: &'static str,
    config: Config,
    points: Points,
    count: Count,
}

impl Table {
    /// Creates an empty table.
    ///
    /// # Errors
    /// If the unit does not exist, or the model does not support this size.
    pub fn for_unit(config: &Config, unit: &str) -> Result<Self, CoverageError> {
        Sizes::try_from(config)?;
        let mut points = Points::default();
        let column = COLUMNS.iter().find(|column| column.unit == unit);
        let Column { unit, list, count } = *column.ok_or_else(|| CoverageError::UnknownUnit(unit.to_string()))?;
        list(config, &mut points);
        Ok(Table { unit, config: config.clone(), points, count })
    }

    /// Counts the points that a run of this unit and configuration has reached.
    ///
    /// # Errors
    /// If the recording is of another unit and so lacks a port.
    pub fn record(&mut self, recording: &Recording) -> Result<(), CoverageError> {
        (self.count)(&self.config, &View::new(recording), &mut self.points)
    }

    /// Every point with its name, sorted by name.
    pub fn points(&self) -> impl Iterator<Item = (&str, &Point)> {
        self.points.0.iter().map(|(name, point)| (name.as_str(), point))
    }

    /// Reachable points that no run has reached.
    pub fn uncovered(&self) -> Vec<&str> {
        self.points().filter(|(_, p)| p.hits == 0 && p.unreachable.is_none()).map(|(name, _)| name).collect()
    }

    /// Points that a run has reached although they are listed as unreachable.
    pub fn contradicted(&self) -> Vec<&str> {
        self.points().filter(|(_, p)| p.hits > 0 && p.unreachable.is_some()).map(|(name, _)| name).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let reachable = self.points().filter(|(_, p)| p.unreachable.is_none()).count();
        let covered = reachable - self.uncovered().len();
        writeln!(f, "coverage of {}/{}: {covered} of {reachable} points", self.unit, self.config.name)?;
        for (name, point) in self.points() {
            match (point.hits, point.unreachable) {
                (0, None) => writeln!(f, "  MISSING     {name}")?,
                (0, Some(why)) => writeln!(f, "           -  {name}: {why}")?,
                (hits, None) => writeln!(f, "  {hits:>10}  {name}")?,
                (hits, Some(why)) => writeln!(f, "  {hits:>10}  {name}: SEEN, although: {why}")?,
            }
        }
        Ok(())
    }
}
