// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why there is no stimulus for a unit.

use bcu_isa::units::UNITS;
use bcu_model::dut::NoPort;

/// Why there is no stimulus for a unit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StimulusError {
    #[error("no stimulus for unit `{0}`; there is one for {units}", units = UNITS.join(", "))]
    UnknownUnit(String),
    #[error("{0}, which this unit's stimulus needs")]
    NoPort(#[from] NoPort),
}
