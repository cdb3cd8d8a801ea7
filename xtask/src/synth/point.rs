// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of measurement, and all of them on each device.

use super::device::Device;

/// A point of measurement: the name of a unit, and the name of a configuration.
pub type Point = (&'static str, String);

/// Every point on every device.
pub fn product(points: &[Point], devices: &[Device]) -> Vec<(Point, Device)> {
    points.iter().flat_map(|point| devices.iter().map(|device| (point.clone(), *device))).collect()
}
