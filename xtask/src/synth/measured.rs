// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measured figures, stored in `docs/evidence/measured.json`. The tables are made from this file,
//! so units can be measured one by one. A row whose unit has changed since its measurement is
//! marked in the table.

use super::device::Device;
use super::point::Point;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Figures of one unit on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Number of LUT4 cells; on standard cells the area in gates.
    pub logic: usize,
    pub flops: usize,
    /// Number of block RAMs; on standard cells the bits of all memories.
    pub rams: usize,
    /// The clock in MHz, one per seed. Empty if the unit does not fit the device, and on standard cells, where nothing is placed.
    pub clocks: Vec<f64>,
}

impl Figures {
    /// The clock in MHz as a range over the seeds.
    pub fn clock(&self) -> String {
        let extreme = |pick: fn(f64, f64) -> f64| self.clocks.iter().copied().reduce(pick);
        match (extreme(f64::min), extreme(f64::max)) {
            (Some(low), Some(high)) if format!("{low:.0}") == format!("{high:.0}") => format!("{low:.0}"),
            (Some(low), Some(high)) => format!("{low:.0}-{high:.0}"),
            _ => "does not fit".to_string(),
        }
    }

    /// The clock of the middle seed in MHz; with an even number of seeds the mean of the two in the middle.
    pub fn median(&self) -> Option<f64> {
        let mut clocks = self.clocks.clone();
        clocks.sort_by(f64::total_cmp);
        let upper = *clocks.get(clocks.len() / 2)?;
        Some((upper + clocks[(clocks.len() - 1) / 2]) / 2.0)
    }

    /// The seed of the middle clock; with an even number of seeds the slower of the two in the middle.
    pub fn median_seed(&self) -> Option<u32> {
        let mut seeds: Vec<(f64, u32)> = self.clocks.iter().copied().zip(1..).collect();
        seeds.sort_by(|a, b| a.0.total_cmp(&b.0));
        seeds.get(self.clocks.len().saturating_sub(1) / 2).map(|(_, seed)| *seed)
    }

    /// The area as text: logic, flip-flops and memory.
    pub fn area(&self) -> String {
        format!("{} / {} / {}", self.logic, self.flops, self.rams)
    }
}

/// One line of the file: the figures of one unit in one configuration on one device.
#[derive(Clone, Serialize, Deserialize)]
struct Line {
    unit: String,
    config: String,
    device: String,
    /// Digest, at the time of measurement, of all that determined the figures.
    digest: u32,
    figures: Figures,
}

/// The file, with its lines sorted by unit, configuration and device.
pub struct Measured {
    path: PathBuf,
    lines: BTreeMap<[String; 3], Line>,
}

impl Measured {
    /// The file's contents; empty if there is no file.
    pub fn read(root: &Path) -> Result<Measured> {
        let path = root.join("docs/evidence/measured.json");
        let lines: Vec<Line> = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => vec![],
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let named = |line: Line| ([line.unit.clone(), line.config.clone(), line.device.clone()], line);
        Ok(Measured { path, lines: lines.into_iter().map(named).collect() })
    }

    /// The figures of a point on a device, with the digest of their measurement.
    pub fn get(&self, (unit, config): &Point, device: Device) -> Option<(&Figures, u32)> {
        let line = self.lines.get(&[unit.to_string(), config.clone(), name(device)])?;
        Some((&line.figures, line.digest))
    }

    /// Writes figures to the file immediately, so that a run of hours can be stopped without losing them.
    pub fn put(&mut self, (unit, config): &Point, device: Device, digest: u32, figures: Figures) -> Result<()> {
        let line = Line { unit: unit.to_string(), config: config.clone(), device: name(device), digest, figures };
        self.lines.insert([line.unit.clone(), line.config.clone(), line.device.clone()], line);
        let lines = self.lines.values().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The name of a device in the file and on the command line.
pub fn name(device: Device) -> String {
    format!("{device:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_a_range_over_the_seeds() {
        let clock_of = |clocks: &[f64]| Figures { logic: 0, flops: 0, rams: 0, clocks: clocks.to_vec() }.clock();
        assert_eq!([clock_of(&[70.4, 69.6, 72.0]), clock_of(&[70.4, 70.1]), clock_of(&[])], ["70-72", "70", "does not fit"]);
    }

    #[test]
    fn the_median_is_the_clock_in_the_middle() {
        let of = |clocks: &[f64]| {
            let figures = Figures { logic: 0, flops: 0, rams: 0, clocks: clocks.to_vec() };
            (figures.median(), figures.median_seed())
        };
        assert_eq!(of(&[70.0, 90.0, 80.0]), (Some(80.0), Some(3)));
        assert_eq!(of(&[90.0, 70.0]), (Some(80.0), Some(2)));
        assert_eq!(of(&[64.0]), (Some(64.0), Some(1)));
        assert_eq!(of(&[]), (None, None));
    }

    #[test]
    fn what_was_put_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("docs/evidence")).unwrap();
        let figures = |logic| Figures { logic, flops: 2, rams: 3, clocks: vec![99.5] };
        let point = |config: &str| ("named", config.to_string());
        let mut measured = Measured::read(folder.path()).unwrap();
        measured.put(&point("tiny"), Device::Ecp5, 7, figures(1)).unwrap();
        measured.put(&point("small"), Device::Ecp5, 8, figures(5)).unwrap();
        measured.put(&point("tiny"), Device::Ecp5, 9, figures(4)).unwrap();
        let again = Measured::read(folder.path()).unwrap();
        assert_eq!(again.get(&point("tiny"), Device::Ecp5), Some((&figures(4), 9)));
        assert_eq!(again.get(&point("small"), Device::Ecp5), Some((&figures(5), 8)));
        assert_eq!(again.get(&point("tiny"), Device::Hx8k), None);
    }
}
