// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage as data: the tables of regressions as JSON, read, merged and written.

use super::runs::{joined, Run};
use super::{Point, Table};
use bcu_hw::config;
use bcu_shard::reason;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// The version of the format that is read and written.
const FORMAT_VERSION: u32 = 1;

/// The tables of one or more regressions: at least one table, and at most one for each unit of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// Sorted by unit and configuration.
    tables: Vec<Table>,
    /// The programs whose runs were counted, each with its version and checksum. Data of older revisions has none.
    builds: BTreeSet<String>,
}

/// Why coverage data is refused. Every message begins with the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("{file}:{line}:{column}: {why}")]
    Malformed { file: String, line: usize, column: usize, why: String },
    #[error("{file}: not coverage data; expected JSON with the keys `format_version` and `tables`")]
    Other { file: String },
    #[error("{file}: coverage data of format version {found}; this version of `bcu` reads {FORMAT_VERSION}")]
    Version { file: String, found: u32 },
    #[error("{file}: no table; expected the table of at least one lockstep test")]
    Empty { file: String },
    #[error("{file}: two tables of {table}; expected one for each unit of a configuration")]
    Twice { file: String, table: String },
    #[error("{file}: {table}: this build has no such unit and configuration")]
    Unknown { file: String, table: String },
    #[error("{file} and {other}: both have the seed {seed} of {table}")]
    Overlap { file: String, other: String, table: String, seed: u64 },
    #[error("{file} and {other} are of different builds: {table}: the point `{point}` {difference}")]
    Builds { file: String, other: String, table: String, point: String, difference: String },
}

impl DataError {
    /// What to do about the error.
    pub fn help(&self) -> &'static str {
        match self {
            DataError::Version { .. } => {
                "write the data again with this version of `bcu`, or read it with the version that wrote it"
            }
            DataError::Unknown { .. } => "repeat the regression with this build, or read the data with the build that wrote it",
            DataError::Builds { .. } => {
                "counts of different points cannot be added; repeat one of the regressions with the build of the other"
            }
            DataError::Overlap { .. } => {
                "each 5000 cycles of a run have the next seed; leave one of the files out, or repeat its run with other seeds: `--seed N`"
            }
            _ => "`bcu regress --coverage-data FILE` and `bcu coverage --output FILE` write coverage data",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "format_version")]
    _format_version: u32,
    #[serde(default)]
    builds: BTreeSet<String>,
    tables: Vec<Table>,
}

impl Data {
    /// Tables as data; `file` is the name of their file, for messages.
    ///
    /// # Errors
    /// If there is no table, or two are of the same unit and configuration.
    pub fn new(file: &str, mut tables: Vec<Table>) -> Result<Data, DataError> {
        if tables.is_empty() {
            return Err(DataError::Empty { file: file.to_string() });
        }
        tables.sort_by(|a, b| key(a).cmp(&key(b)));
        match tables.windows(2).find(|pair| key(&pair[0]) == key(&pair[1])) {
            Some(pair) => Err(DataError::Twice { file: file.to_string(), table: name(&pair[0]) }),
            None => Ok(Data { tables, builds: BTreeSet::new() }),
        }
    }

    /// Reads the text of a file; `file` is its name, for messages.
    ///
    /// # Errors
    /// If the text is not coverage data of this version.
    pub fn parse(file: &str, text: &str) -> Result<Data, DataError> {
        let other = || DataError::Other { file: file.to_string() };
        let keys: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| match error.classify() {
            Category::Data => other(),
            _ => malformed(file, &error),
        })?;
        let version = keys.get("format_version").filter(|_| keys.contains_key("tables"));
        let found = version.and_then(|version| version.get().parse().ok()).ok_or_else(other)?;
        if found != FORMAT_VERSION {
            return Err(DataError::Version { file: file.to_string(), found });
        }
        let read: File = serde_json::from_str(text).map_err(|error| malformed(file, &error))?;
        Ok(Data { builds: read.builds, ..Data::new(file, read.tables)? })
    }

    /// The data of runs of this program.
    pub fn of_build(self, build: String) -> Data {
        Data { builds: [build].into(), ..self }
    }

    /// Merges files, each with its name: the hits of a point add up.
    ///
    /// # Errors
    /// If there is no file, or two files differ in the points of a table, or two runs of a table have a common seed. The hits of a common
    /// seed would count twice.
    pub fn merge(files: Vec<(String, Data)>) -> Result<Data, DataError> {
        let mut merged: BTreeMap<(String, String), (String, Table)> = BTreeMap::new();
        let mut counted: BTreeMap<(String, String), Vec<(String, Run)>> = BTreeMap::new();
        let mut builds = BTreeSet::new();
        for (file, data) in files {
            builds.extend(data.builds);
            for table in data.tables {
                let key = (table.unit.clone(), table.config.clone());
                let runs = counted.entry(key.clone()).or_default();
                for run in &table.runs {
                    let seed = |(other, counted): &(String, Run)| Some((other.clone(), counted.first_common_seed(*run)?));
                    if let Some((other, seed)) = runs.iter().find_map(seed) {
                        return Err(DataError::Overlap { file: other, other: file, table: name(&table), seed });
                    }
                    runs.push((file.clone(), *run));
                }
                match merged.get_mut(&key) {
                    None => drop(merged.insert(key, (file.clone(), table))),
                    Some((first, into)) => {
                        if let Some((point, difference)) = difference((first, into), (&file, &table)) {
                            let (file, other, table) = (first.clone(), file, name(&table));
                            return Err(DataError::Builds { file, other, table, point, difference });
                        }
                        add(into, table);
                    }
                }
            }
        }
        let merged = Data::new("the merged data", merged.into_values().map(|(_, table)| table).collect())?;
        Ok(Data { builds, ..merged })
    }

    /// Refuses tables whose points are not those of their units in this build: a point that is missing from the data would count as
    /// reached. `file` is the name of the data, for messages.
    ///
    /// # Errors
    /// If this build does not have a unit or a configuration, or its points differ.
    pub fn check_points(&self, file: &str) -> Result<(), DataError> {
        const OTHER: &str = "this program";
        self.tables.iter().try_for_each(|table| {
            let config = config::by_name(&table.config).filter(|config| config.has_unit(&table.unit));
            let built = config.and_then(|config| Table::for_unit(&config, &table.unit).ok());
            let built = built.ok_or_else(|| DataError::Unknown { file: file.to_string(), table: name(table) })?;
            match difference((file, table), (OTHER, &built)) {
                None => Ok(()),
                Some((point, difference)) => {
                    let (file, other, table) = (file.to_string(), OTHER.to_string(), name(table));
                    Err(DataError::Builds { file, other, table, point, difference })
                }
            }
        })
    }

    /// The tables, sorted by unit and configuration.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The programs whose runs were counted.
    pub fn builds(&self) -> impl Iterator<Item = &str> {
        self.builds.iter().map(String::as_str)
    }

    /// The number of reachable points of all tables that were reached, and the number of reachable points.
    pub fn total(&self) -> (usize, usize) {
        self.tables.iter().map(Table::covered).fold((0, 0), |sum, table| (sum.0 + table.0, sum.1 + table.1))
    }

    /// The data as JSON, a line for each point.
    ///
    /// # Errors
    /// If `serde_json` fails, which it does not for these types.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let tables = self.tables.iter().map(table_json).collect::<serde_json::Result<Vec<_>>>()?;
        let builds = serde_json::to_string(&self.builds)?;
        let head = format!("\"format_version\": {FORMAT_VERSION}, \"builds\": {builds}");
        Ok(format!("{{{head}, \"tables\": [\n{}\n]}}\n", tables.join(",\n")))
    }
}

fn table_json(table: &Table) -> serde_json::Result<String> {
    let points = table.points.iter().map(serde_json::to_string).collect::<serde_json::Result<Vec<_>>>()?;
    let unit = serde_json::to_string(&table.unit)?;
    let config = serde_json::to_string(&table.config)?;
    let runs = serde_json::to_string(&table.runs)?;
    Ok(format!("{{\"unit\": {unit}, \"config\": {config}, \"runs\": {runs}, \"points\": [\n  {}\n]}}", points.join(",\n  ")))
}

fn key(table: &Table) -> (&str, &str) {
    (&table.unit, &table.config)
}

/// The name of a table in messages.
fn name(table: &Table) -> String {
    format!("{}/{}", table.unit, table.config)
}

/// The error of malformed JSON, with its line and column.
fn malformed(file: &str, error: &serde_json::Error) -> DataError {
    DataError::Malformed { file: file.to_string(), line: error.line(), column: error.column(), why: reason(error) }
}

/// The first point in which two tables of the same unit and configuration differ, and the difference as a clause. Each table comes with
/// the name of its file. A point that is not listed may be missing from one of the tables.
fn difference((file, table): (&str, &Table), (other_file, other): (&str, &Table)) -> Option<(String, String)> {
    table.points.iter().chain(&other.points).find_map(|Point { name, .. }| {
        let difference = match (table.point(name), other.point(name)) {
            (Some(point), None) if point.is_listed() => format!("is only in {file}"),
            (None, Some(point)) if point.is_listed() => format!("is only in {other_file}"),
            (Some(a), Some(b)) if a.meaning != b.meaning => {
                format!("means \"{}\" in {file}, \"{}\" in {other_file}", a.meaning, b.meaning)
            }
            (Some(a), Some(b)) if a.unreachable != b.unreachable => {
                format!("is {} in {file}, {} in {other_file}", reach(a), reach(b))
            }
            _ => return None,
        };
        Some((name.clone(), difference))
    })
}

fn reach(point: &Point) -> String {
    point.unreachable.as_ref().map_or("reachable".to_string(), |why| format!("unreachable ({why})"))
}

/// Adds the runs and hits of a table to those of another one with the same points.
fn add(into: &mut Table, table: Table) {
    into.runs = joined(into.runs.iter().copied().chain(table.runs).collect());
    for point in table.points {
        match into.points.binary_search_by(|other| other.name.cmp(&point.name)) {
            Ok(at) => into.points[at].hits = into.points[at].hits.saturating_add(point.hits),
            Err(at) => into.points.insert(at, point),
        }
    }
}
