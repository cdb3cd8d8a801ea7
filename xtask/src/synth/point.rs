// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit in a configuration, and the devices on which it is measured.

use super::device::Device;

/// A unit in a configuration.
pub type Point = (&'static str, String);

/// Every point on every device.
pub fn product(points: &[Point], devices: &[Device]) -> Vec<(Point, Device)> {
    points.iter().flat_map(|point| devices.iter().map(|device| (point.clone(), *device))).collect()
}
