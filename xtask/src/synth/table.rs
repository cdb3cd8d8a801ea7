// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The measured figures as the tables of the pages show them.

use super::device::Device;
use super::measured::Figures;
use super::point::Point;
use std::collections::BTreeMap;

/// The measured figures, each with a flag: true if the unit's text has not changed since the
/// measurement. Figures of an older text get the mark `†`.
#[derive(Default)]
pub struct Table(BTreeMap<(Point, Device), (Figures, bool)>);

impl Table {
    /// Adds the figures of a point. `same` is true if the unit's text has not changed since the measurement.
    pub fn put(&mut self, point: Point, device: Device, figures: Figures, same: bool) {
        self.0.insert((point, device), (figures, same));
    }

    /// The cells of a unit at a configuration on a device.
    pub fn get(&self, unit: &'static str, config: &str, device: Device) -> Cells<'_> {
        Cells(self.0.get(&((unit, config.to_string()), device)))
    }
}

/// The cells of a table row for one device.
pub struct Cells<'a>(Option<&'a (Figures, bool)>);

impl<'a> Cells<'a> {
    /// The area, with its mark.
    pub fn area(&self) -> String {
        match self.0 {
            None => "not measured".to_string(),
            Some((figures, same)) => figures.area() + if *same { "" } else { " \u{2020}" },
        }
    }

    /// The clock as a range.
    pub fn clock(&self) -> String {
        self.0.map_or(String::new(), |(figures, _)| figures.clock())
    }

    /// The time of `cycles` cycles at the best seed's clock, in ns.
    pub fn wait(&self, cycles: u64) -> String {
        let best = self.0.and_then(|(figures, _)| figures.clocks.iter().copied().reduce(f64::max));
        best.map_or("-".to_string(), |mhz| format!("{:.0}", cycles as f64 * 1000.0 / mhz))
    }

    /// The figures, if the unit's text has not changed since the measurement.
    pub fn current(&self) -> Option<&'a Figures> {
        self.0.filter(|(_, same)| *same).map(|(figures, _)| figures)
    }
}
