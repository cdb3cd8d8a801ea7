// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage: the points that random runs have reached, counted from their recordings.
//!
//! A table lists every point that the runs of a unit of a configuration should reach. An unreachable point is listed with its reason; if a
//! run reaches the point nevertheless, the reason is wrong, which is an error. Points are counted at the ports. If a point depends on the
//! state of the unit, the model processes the recorded inputs and supplies that state.

mod bcu_gateway;
mod bcu_hubs;
mod bcu_lanes;
mod bcu_named;
mod bcu_objects;
pub mod data;
pub mod html;
pub mod points;
mod ports;
pub mod runs;
mod terms;

use crate::lockstep::Recording;
use crate::plain::plain;
use bcu_isa::config::Config;
use bcu_model::Sizes;
use points::{CoverageError, PointSet, Points, Reach};
use ports::View;
use runs::{joined, Run};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// How often each point was reached, by name; points that were not reached are left out.
pub type Hits = BTreeMap<String, u64>;

/// The points that a run has reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHits {
    pub run: Run,
    pub hits: Hits,
}

/// The coverage functions of one unit.
struct Column {
    unit: &'static str,
    /// Lists the unit's points.
    list: fn(&Config) -> Vec<Point>,
    /// Counts the points that a recording has reached.
    count: fn(&Config, &View) -> Result<Hits, CoverageError>,
}

macro_rules! columns {
    ($($unit:ident $Unit:ident,)*) => {
        $(mod $unit;)*

        const COLUMNS: &[Column] = &[$(Column {
            unit: stringify!($unit),
            list: |config| listed(config, $unit::reach),
            count: |config, view| {
                let mut points = Points::<$unit::Point>::default();
                $unit::count(config, view, &mut points)?;
                Ok(points.into_hits())
            },
        }),*];
    };
}

bcu_isa::for_each_unit!(columns);

/// The points of a configuration, sorted by name.
fn listed<P: PointSet>(config: &Config, reach: fn(&Config, P) -> Reach) -> Vec<Point> {
    let point = |point: P| {
        let unreachable = match reach(config, point) {
            Reach::Reachable => None,
            Reach::Unreachable(reason) => Some(reason.to_string()),
            Reach::Absent => return None,
        };
        Some(Point { name: point.name(), meaning: point.meaning().to_string(), hits: 0, unreachable })
    };
    let mut points: Vec<Point> = P::all().into_iter().filter_map(point).collect();
    points.sort_by(|a, b| a.name.cmp(&b.name));
    points
}

/// An event that runs should reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a point with `name`, `meaning`, `hits` and `unreachable`")]
pub struct Point {
    /// Unique within its table.
    pub name: String,
    /// The event that the point counts, in one sentence. Empty for an event that occurred in the run and has no entry in the unit's list of
    /// points.
    pub meaning: String,
    /// How often the point was reached.
    pub hits: u64,
    /// Why the point is unreachable.
    pub unreachable: Option<String>,
}

/// The result for a point: whether it was reached, and whether it is reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Reached,
    /// The point is reachable, and no run has reached it.
    Missing,
    Unreachable,
    /// A run has reached the point although it is listed as unreachable.
    Contradicted,
}

impl State {
    /// Whether the point fails a regression.
    pub fn is_gap(self) -> bool {
        matches!(self, State::Missing | State::Contradicted)
    }
}

impl Point {
    pub fn state(&self) -> State {
        match (self.hits, &self.unreachable) {
            (0, None) => State::Missing,
            (0, Some(_)) => State::Unreachable,
            (_, None) => State::Reached,
            (_, Some(_)) => State::Contradicted,
        }
    }

    /// Whether the unit lists the point. A point that a run reaches without being listed has no meaning, and counts as unreachable.
    pub fn is_listed(&self) -> bool {
        !self.meaning.is_empty() || self.unreachable.is_none()
    }
}

/// The points of a unit of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `unit`, `config`, `runs` and `points`")]
pub struct Table {
    pub unit: String,
    /// The name of the configuration.
    pub config: String,
    /// The runs whose hits are counted, sorted by seed.
    pub runs: Vec<Run>,
    /// Sorted by name.
    #[serde(deserialize_with = "sorted_points")]
    pub points: Vec<Point>,
}

/// Reads points, which must be sorted by name.
fn sorted_points<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Point>, D::Error> {
    let points = Vec::<Point>::deserialize(from)?;
    let Some(pair) = points.windows(2).find(|pair| pair[0].name >= pair[1].name) else { return Ok(points) };
    let (before, point) = (&pair[0].name, &pair[1].name);
    Err(match before == point {
        true => D::Error::custom(format_args!("the point `{point}` is listed twice")),
        false => D::Error::custom(format_args!("the point `{point}` follows `{before}`; expected points sorted by name")),
    })
}

impl Table {
    /// Creates a table without hits.
    ///
    /// # Errors
    /// If the unit does not exist, or the model does not support this size.
    pub fn for_unit(config: &Config, unit: &str) -> Result<Self, CoverageError> {
        Sizes::try_from(config)?;
        let points = (column(unit)?.list)(config);
        Ok(Table { unit: unit.to_string(), config: config.name.clone(), runs: vec![], points })
    }

    /// Adds the hits of a run. A point that is hit but not listed is added as an unreachable one.
    pub fn add(&mut self, RunHits { run, hits }: &RunHits) {
        self.runs = joined(self.runs.iter().copied().chain([*run]).collect());
        for (name, hits) in hits {
            match self.points.binary_search_by(|point| point.name.cmp(name)) {
                Ok(at) => self.points[at].hits = self.points[at].hits.saturating_add(*hits),
                Err(at) => {
                    let (name, unreachable) = (name.clone(), Some("the configuration does not have it".to_string()));
                    self.points.insert(at, Point { name, meaning: String::new(), hits: *hits, unreachable });
                }
            }
        }
    }

    /// The number of cycles of all runs.
    pub fn cycles(&self) -> u64 {
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(run.cycles))
    }

    /// The point of this name.
    pub fn point(&self, name: &str) -> Option<&Point> {
        self.points.binary_search_by(|point| point.name.as_str().cmp(name)).ok().map(|at| &self.points[at])
    }

    /// Reachable points that no run has reached.
    pub fn uncovered(&self) -> Vec<&str> {
        self.named(State::Missing)
    }

    /// Points that a run has reached although they are listed as unreachable.
    pub fn contradicted(&self) -> Vec<&str> {
        self.named(State::Contradicted)
    }

    /// The number of reachable points that were reached, and the number of reachable points.
    pub fn covered(&self) -> (usize, usize) {
        let reachable = self.points.iter().filter(|point| point.unreachable.is_none());
        (reachable.clone().filter(|point| point.hits > 0).count(), reachable.count())
    }

    fn named(&self, state: State) -> Vec<&str> {
        self.points.iter().filter(|point| point.state() == state).map(|point| point.name.as_str()).collect()
    }

    fn write(&self, f: &mut fmt::Formatter, is_shown: fn(&Point) -> bool) -> fmt::Result {
        let covered = self.covered();
        let percent = percent(covered);
        writeln!(f, "coverage of {}/{}: {} of {} points, {percent} %", self.unit, self.config, covered.0, covered.1)?;
        for Point { name, hits, unreachable, .. } in self.points.iter().filter(|point| is_shown(point)) {
            let name = plain(name);
            match (hits, unreachable.as_deref().map(plain)) {
                (0, None) => writeln!(f, "  MISSING     {name}")?,
                (0, Some(why)) => writeln!(f, "           -  {name}: {why}")?,
                (hits, None) => writeln!(f, "  {hits:>10}  {name}")?,
                (hits, Some(why)) => writeln!(f, "  {hits:>10}  {name}: REACHED, although: {why}")?,
            }
        }
        Ok(())
    }
}

/// Counts the points that a run of this unit and configuration has reached.
///
/// # Errors
/// If the unit does not exist, or the recording is of another unit, so that a port is missing.
pub fn hits(config: &Config, unit: &str, recording: &Recording) -> Result<Hits, CoverageError> {
    (column(unit)?.count)(config, &View::new(recording))
}

fn column(unit: &str) -> Result<&'static Column, CoverageError> {
    let column = COLUMNS.iter().find(|column| column.unit == unit);
    column.ok_or_else(|| CoverageError::UnknownUnit(unit.to_string()))
}

/// The share of `part` in `whole` in percent, rounded down, so that only a complete table has 100 %.
pub fn percent((part, whole): (usize, usize)) -> usize {
    (part * 100).checked_div(whole).unwrap_or(100)
}

/// All points of a table.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write(f, |_| true)
    }
}

/// Displays the summary of a table, and only the points that fail a regression.
pub struct Gaps<'a>(pub &'a Table);

impl fmt::Display for Gaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.write(f, |point| point.state().is_gap())
    }
}
